// SPDX-License-Identifier: GPL-2.0-only
/* Reads per_cpu/cpuN/stats: lines of "name: number". */
#include "source/statistics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t digits_parse(const char *digit, const char *end)
{
	uint64_t number = 0;

	while (digit < end && *digit == ' ')
		digit++;
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		number = number * 10 + (*digit - '0');
	return number;
}

/* Where a line's number belongs, NULL where it does not matter. */
static uint64_t *statistics_member(struct statistics *out, struct text name)
{
	const struct {
		const char *name;
		uint64_t *member;
	} rows[] = {
		{ "overrun", &out->overwritten },    { "commit overrun", &out->dropped },
		{ "dropped events", &out->dropped }, { STATISTICS_IN_FLIGHT, &out->dropped },
		{ "read events", &out->read },	     { "entries", &out->unread },
		{ "bytes", &out->held_bytes },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (text_equals(name, text_of(rows[i].name)))
			return rows[i].member;
	}
	return NULL;
}

void statistics_read(struct statistics *out, struct text text)
{
	const char *line = text.data;
	const char *text_end = text.data + text.size;

	*out = (struct statistics){ 0 };
	while (line < text_end) {
		const char *end = memchr(line, '\n', text_end - line);
		const char *colon;
		uint64_t *member;

		if (!end)
			end = text_end;
		colon = memchr(line, ':', end - line);
		member = colon ? statistics_member(out, (struct text){ line, colon - line }) : NULL;
		if (member)
			*member += digits_parse(colon + 1, end);
		line = end + 1;
	}
}

int statistics_load(struct statistics *out, const char *directory, int cpu, struct error *error)
{
	struct buffer path = { 0 }, text = { 0 };
	int status = 0;

	buffer_printf(&path, "%s/per_cpu/cpu%d/stats", directory, cpu);
	if (file_read(buffer_string(&path), &text) < 0)
		status = error_set_system(error, errno, "cannot read %s", buffer_string(&path));
	statistics_read(out, buffer_text(&text));
	buffer_release(&path);
	buffer_release(&text);
	return status;
}

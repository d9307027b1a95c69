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

#define MICROSECOND_DIGITS 6

/* Seconds with microseconds behind a point, or ticks. */
static int64_t clock_parse(const char *digit, const char *end)
{
	const char *point = memchr(digit, '.', end - digit);
	uint64_t before = digits_parse(digit, end);

	if (!point)
		return before <= INT64_MAX ? (int64_t)before : 0;
	if (end - point != 1 + MICROSECOND_DIGITS || before >= INT64_MAX / NS_PER_S)
		return 0;
	return before * NS_PER_S + digits_parse(point + 1, end) * NS_PER_US;
}

/* Lines that ktrack adds. */
static void word_read(struct statistics *out, struct text name, struct text word)
{
	while (word.size > 0 && *word.data == ' ') {
		word.data++;
		word.size--;
	}
	if (text_equals(name, text_of(STATISTICS_IN_FLIGHT)))
		out->is_open = text_equals(word, text_of(STATISTICS_UNKNOWN));
	if (!text_equals(name, text_of(STATISTICS_MODE)))
		return;
	out->keeps_last = text_equals(word, text_of(STATISTICS_CIRCULAR));
	out->keeps_first = text_equals(word, text_of(STATISTICS_ONESHOT));
}

static void line_read(struct statistics *out, struct text name, const char *value, const char *end)
{
	uint64_t *member = statistics_member(out, name);

	if (member)
		*member += digits_parse(value, end);
	else if (text_equals(name, text_of("now ts")))
		out->now = clock_parse(value, end);
	word_read(out, name, (struct text){ .data = value, .size = end - value });
}

void statistics_read(struct statistics *out, struct text text)
{
	const char *line = text.data;
	const char *text_end = text.data + text.size;

	*out = (struct statistics){ 0 };
	while (line < text_end) {
		const char *end = memchr(line, '\n', text_end - line);
		const char *colon;

		if (!end)
			end = text_end;
		colon = memchr(line, ':', end - line);
		if (colon)
			line_read(out, (struct text){ line, colon - line }, colon + 1, end);
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

// SPDX-License-Identifier: GPL-2.0-only
/* Reads per_cpu/cpuN/stats: lines of "name: number". */
#include "tracefs/statistics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/retry.h"

/* Fits the text, which has a dozen lines. */
#define TEXT_SIZE 4096

static uint64_t digits_parse(const char *digit, const char *end)
{
	uint64_t number = 0;

	while (digit < end && *digit == ' ')
		digit++;
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		number = number * 10 + (*digit - '0');
	return number;
}

/* The member for the number of a line, NULL if the line is not used. */
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

/* Parses seconds with microseconds, or ticks. */
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

	if (text_equals(name, text_of(STATISTICS_IN_FLIGHT)))
		out->in_flight += digits_parse(value, end);
	if (member)
		*member += digits_parse(value, end);
	else if (text_equals(name, text_of("now ts")))
		out->now = clock_parse(value, end);
	word_read(out, name, (struct text){ .data = value, .size = end - value });
}

void statistics_read_line(struct statistics *out, struct text line)
{
	const char *end = line.data + line.size;
	const char *colon = memchr(line.data, ':', line.size);

	if (colon)
		line_read(out, (struct text){ line.data, colon - line.data }, colon + 1, end);
}

void statistics_read(struct statistics *out, struct text text)
{
	*out = (struct statistics){ 0 };
	while (text.size > 0)
		statistics_read_line(out, text_take_line(&text));
}

int cpu_file_open(const char *directory, int cpu, const char *file, int flags, struct error *error)
{
	struct buffer name = { 0 };
	int fd;

	buffer_printf(&name, "per_cpu/cpu%d/%s", cpu, file);
	fd = file_open_in(directory, buffer_string(&name), flags, error);
	buffer_release(&name);
	return fd;
}

int statistics_open(const char *directory, int cpu, struct error *error)
{
	return cpu_file_open(directory, cpu, "stats", O_RDONLY, error);
}

/* One read: the kernel generates the text again for each. */
int statistics_text(int fd, int cpu, struct buffer *out, struct error *error)
{
	char *space = buffer_reserve(out, TEXT_SIZE);
	ssize_t size;

	if (!space)
		return error_set(error, "out of memory");
	size = retry_pread(fd, space, TEXT_SIZE);
	if (size < 0)
		return error_set_system(error, errno, "cannot read the statistics of cpu %d", cpu);
	out->size += size;
	return 0;
}

int statistics_load(struct statistics *out, int fd, int cpu, struct error *error)
{
	struct buffer text = { 0 };
	int status = statistics_text(fd, cpu, &text, error);

	statistics_read(out, buffer_text(&text));
	buffer_release(&text);
	return status;
}

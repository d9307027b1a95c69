// SPDX-License-Identifier: GPL-2.0-only
/* Parses options, and sets the properties of the recording by them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/file.h"
#include "tracedat/layout.h"

/* The kernel's limit is 2^22. */
#define THREAD_MAX (1 << 24)

/* The kernel's limit is 16 s. */
#define WALL_ERROR_MAX_NS (60 * NS_PER_S)

/* The option as text, up to a NUL. */
static struct text option_text(struct cursor data)
{
	struct text text = cursor_text(&data, cursor_left(&data));

	text.size = strnlen(text.data, text.size);
	return text;
}

/* A decimal or hexadecimal number, 0 if it is none. */
static int64_t option_number(struct cursor data)
{
	char digits[32];
	struct text text = option_text(data);

	if (text.size >= sizeof(digits))
		return 0;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	return strtoll(digits, NULL, 0);
}

static int option_read_date(struct trace_file *file, struct cursor data)
{
	file->options.has_date = true;
	file->options.date_us = option_number(data);
	return 0;
}

static int option_read_offset(struct trace_file *file, struct cursor data)
{
	file->options.offset_ns = option_number(data);
	return 0;
}

/* The current clock is in brackets: "local global [boot]". */
static int option_read_clock(struct trace_file *file, struct cursor data)
{
	struct text text = option_text(data);
	const char *begin = memchr(text.data, '[', text.size);
	const char *end = begin ? memchr(begin, ']', text.data + text.size - begin) : NULL;

	file->options.has_clock = true;
	if (!end)
		return 0;
	return recording_keep(&file->recording, &file->recording.clock,
			      (struct text){ .data = begin + 1, .size = end - begin - 1 });
}

/* Removes the first word of @rest and returns it. */
static struct text uname_word_take(struct text *rest)
{
	const char *space = memchr(rest->data, ' ', rest->size);
	size_t size = space ? (size_t)(space - rest->data) : rest->size;
	struct text word = { .data = rest->data, .size = size };

	size += space != NULL;
	*rest = (struct text){ .data = rest->data + size, .size = rest->size - size };
	return word;
}

/* "SYSTEM NODE RELEASE MACHINE"; the version may be before the machine. */
static int option_read_uname(struct trace_file *file, struct cursor data)
{
	struct text text = option_text(data), host, release, machine = { 0 };
	struct recording *recording = &file->recording;

	uname_word_take(&text);
	host = uname_word_take(&text);
	release = uname_word_take(&text);
	while (text.size > 0)
		machine = uname_word_take(&text);
	if ((host.size > 0 && recording_keep(recording, &recording->host, host) < 0) ||
	    (release.size > 0 && recording_keep(recording, &recording->kernel, release) < 0))
		return -1;
	return machine.size > 0 ? recording_keep(recording, &recording->machine, machine) : 0;
}

static int option_read_cpu_count(struct trace_file *file, struct cursor data)
{
	file->options.nr_cpus = cursor_u32(&data);
	return 0;
}

static int option_read_trace_id(struct trace_file *file, struct cursor data)
{
	file->options.trace_id = cursor_u64(&data);
	file->options.has_trace_id = !data.is_over;
	return 0;
}

static int option_read_rate(struct trace_file *file, struct cursor data)
{
	struct trace_rate rate = { .multiplier = cursor_u32(&data) };

	rate.shift = cursor_u32(&data);
	if (!data.is_over && rate.shift < 64)
		file->options.rate = rate;
	return 0;
}

/* The number behind TRACE_DAT_THREAD, 0 if there is none. */
static int writer_thread(struct text text)
{
	const char *found = memmem(text.data, text.size, TRACE_DAT_THREAD,
				   strlen(TRACE_DAT_THREAD));
	const char *end = text.data + text.size;
	int number = 0;

	if (!found)
		return 0;
	for (found += strlen(TRACE_DAT_THREAD); found < end && isdigit((unsigned char)*found);
	     found++) {
		if (number > THREAD_MAX / 10)
			return 0;
		number = 10 * number + *found - '0';
	}
	return number;
}

/* Copies the numbers behind @word, if there are any. */
static int writer_threads(struct trace_file *file, const char **member, struct text text,
			  const char *word)
{
	const char *found = memmem(text.data, text.size, word, strlen(word));
	const char *end = text.data + text.size, *begin;

	if (!found)
		return 0;
	begin = found + strlen(word);
	for (found = begin; found < end && (isdigit((unsigned char)*found) || *found == ',');)
		found++;
	return recording_keep(&file->recording, member,
			      (struct text){ .data = begin, .size = found - begin });
}

/** struct writer_line - a kind of lines behind the writer's first one; @is_one: a single line */
struct writer_line {
	const char *begin;
	struct buffer lines;
	const char **member;
	bool is_one;
};

/* The kind of a line, and the line without its begin. The last kind has no begin. */
static struct writer_line *writer_line_find(struct writer_line *kinds, struct text *line)
{
	for (;; kinds++) {
		size_t size = strlen(kinds->begin);

		if (line->size < size || memcmp(line->data, kinds->begin, size) != 0)
			continue;
		*line = (struct text){ line->data + size, line->size - size };
		return kinds;
	}
}

/* A line of a file, which may be anything. */
static int64_t wall_error_ns(const char *line)
{
	char *end;
	long long error_ns;

	errno = 0;
	error_ns = strtoll(line, &end, 10);
	return errno || end == line || *end != '\n' || error_ns < 0 || error_ns > WALL_ERROR_MAX_NS
		       ? -1
		       : error_ns;
}

static int writer_lines(struct trace_file *file, struct text rest)
{
	struct recording *recording = &file->recording;
	const char *wall_error = NULL;
	struct writer_line kinds[] = {
		{ .begin = TRACE_DAT_TRIGGER, .member = &recording->triggers },
		{ .begin = TRACE_DAT_LABEL, .member = &recording->labels },
		{ .begin = TRACE_DAT_BOOT, .member = &recording->boot_id, .is_one = true },
		{ .begin = TRACE_DAT_WALL_ERROR, .member = &wall_error },
		{ .begin = "", .member = &recording->rules },
	};
	int status = 0;

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);
		struct writer_line *kind = writer_line_find(kinds, &line);

		if (kind->is_one)
			buffer_clear(&kind->lines);
		buffer_append(&kind->lines, line.data, line.size);
		if (!kind->is_one)
			buffer_append_char(&kind->lines, '\n');
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct buffer *lines = &kinds[i].lines;

		if (lines->failed || (lines->size > 0 && recording_keep(recording, kinds[i].member,
									buffer_text(lines)) < 0))
			status = -1;
		buffer_release(lines);
	}
	if (wall_error)
		recording->wall_error_ns = wall_error_ns(wall_error);
	return status;
}

static int option_read_writer(struct trace_file *file, struct cursor data)
{
	struct text rest = option_text(data), text = text_take_line(&rest);
	struct trace_options *options = &file->options;
	struct recording *recording = &file->recording;

	options->is_ktrack = text.size > strlen(TRACE_DAT_KTRACK) &&
			     memcmp(text.data, TRACE_DAT_KTRACK, strlen(TRACE_DAT_KTRACK)) == 0;
	if (!options->is_ktrack)
		return 0;
	options->has_checksums = memmem(text.data, text.size, TRACE_DAT_CHECKSUMS,
					strlen(TRACE_DAT_CHECKSUMS));
	recording->writer = writer_thread(text);
	if (writer_threads(file, &recording->workload, text, TRACE_DAT_WORKLOAD) < 0 ||
	    writer_lines(file, rest) < 0)
		return -1;
	return writer_threads(file, &recording->narrow, text, TRACE_DAT_NARROW);
}

/* Skips the id of the host's trace. */
static int option_read_shifts(struct trace_file *file, struct cursor data)
{
	cursor_u64(&data);
	return shifts_read(&file->options.shifts, data);
}

static int (*const readers[])(struct trace_file *file, struct cursor data) = {
	[TRACE_DAT_DATE] = option_read_date,	       [TRACE_DAT_CLOCK] = option_read_clock,
	[TRACE_DAT_UNAME] = option_read_uname,	       [TRACE_DAT_OFFSET] = option_read_offset,
	[TRACE_DAT_CPU_COUNT] = option_read_cpu_count, [TRACE_DAT_WRITER] = option_read_writer,
	[TRACE_DAT_ID] = option_read_trace_id,	       [TRACE_DAT_TSC_TO_NS] = option_read_rate,
	[TRACE_DAT_TIME_SHIFT] = option_read_shifts,
};

static void cpu_count_check(struct trace_file *file, struct cursor data)
{
	size_t offset = data.offset;
	uint32_t nr_cpus = cursor_u32(&data);

	if (nr_cpus == 0 || nr_cpus > TRACE_CPUS_MAX)
		trace_file_report(file, offset, "it states a number of cpus that cannot be");
}

int trace_file_read_option(struct trace_file *file, unsigned int id, struct cursor data)
{
	if (id == TRACE_DAT_CPU_STATISTICS)
		return trace_file_read_statistics(file, option_text(data));
	if (id == TRACE_DAT_CPU_COUNT)
		cpu_count_check(file, data);
	if (id >= sizeof(readers) / sizeof(readers[0]) || !readers[id])
		return 0;
	return readers[id](file, data);
}

/* Adds date and offset; returns whether the sum is a valid time. */
static bool options_wall_offset(const struct trace_options *options, int64_t *out_ns)
{
	int64_t date_ns;

	if (__builtin_mul_overflow(options->date_us, NS_PER_US, &date_ns) ||
	    __builtin_add_overflow(date_ns, options->offset_ns, out_ns))
		return false;
	return *out_ns > -RECORD_TIME_LIMIT && *out_ns < RECORD_TIME_LIMIT;
}

/* A date, or the clock "tai", relates trace time to the wall clock; an offset alone does not. */
static void recording_set_time(struct recording *recording, const struct trace_options *options)
{
	int64_t offset_ns = 0;
	bool is_time = options_wall_offset(options, &offset_ns);

	recording->wall_offset_ns = is_time ? offset_ns : 0;
	if (is_time && options->has_date)
		recording->time_source = "date";
	else if (recording->clock && strcmp(recording->clock, "tai") == 0)
		recording->time_source = "tai";
	else
		recording->time_source = "none";
	recording->counts_ticks = trace_clock_counts_ticks(recording->clock) &&
				  options->rate.multiplier == 0;
}

void trace_file_complete(struct trace_file *file)
{
	struct recording *recording = &file->recording;

	if (file->options.nr_cpus <= TRACE_CPUS_MAX)
		recording->nr_cpus = file->options.nr_cpus;
	for (size_t i = 0; i < file->nr_streams; i++) {
		unsigned int cpu = file->streams[i].cpu;

		if (cpu >= recording->nr_cpus)
			recording->nr_cpus = cpu + 1;
	}
	recording->is_swapped = file->is_swapped;
	recording->nr_buffers = trace_file_nr_buffers(file);
	if (recording->nr_buffers > 1)
		recording->buffers = (const char *const *)file->buffers;
	recording_set_time(recording, &file->options);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The options of a trace.dat: which clock, which kernel, what wall-clock time, what was lost. */
#include <stdlib.h>
#include <string.h>

#include "source/file.h"
#include "source/statistics.h"
#include "source/trace_dat.h"

/* The whole of an option as a text, without a NUL behind it. */
static struct text data_text(struct cursor data)
{
	struct text text = cursor_text(&data, cursor_left(&data));

	text.size = strnlen(text.data, text.size);
	return text;
}

/* A decimal or hexadecimal number; 0 where it is none. */
static int64_t data_number(struct cursor data)
{
	char digits[32];
	struct text text = data_text(data);

	if (text.size >= sizeof(digits))
		return 0;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	return strtoll(digits, NULL, 0);
}

static int text_keep(char **out, struct text text)
{
	free(*out);
	*out = strndup(text.data, text.size);
	return *out ? 0 : -1;
}

int trace_file_set_clock(struct trace_file *file, struct text name)
{
	return name.size > 0 ? text_keep(&file->options.clock, name) : 0;
}

static int read_date(struct trace_options *options, struct cursor data)
{
	options->has_date = true;
	options->date_us = data_number(data);
	return 0;
}

static int read_offset(struct trace_options *options, struct cursor data)
{
	options->offset_ns = data_number(data);
	return 0;
}

static int read_statistics(struct trace_options *options, struct cursor data)
{
	struct text text = data_text(data);

	buffer_append(&options->statistics, text.data, text.size);
	buffer_append_char(&options->statistics, '\n');
	return options->statistics.failed ? -1 : 0;
}

/* The clock in use stands in brackets: "local global [boot]". */
static int read_clock(struct trace_options *options, struct cursor data)
{
	struct text text = data_text(data);
	const char *begin = memchr(text.data, '[', text.size);
	const char *end = begin ? memchr(begin, ']', text.data + text.size - begin) : NULL;

	options->has_clock = true;
	if (!end)
		return 0;
	return text_keep(&options->clock,
			 (struct text){ .data = begin + 1, .size = end - begin - 1 });
}

/* "SYSTEM NODE RELEASE MACHINE" */
static int read_uname(struct trace_options *options, struct cursor data)
{
	struct text text = data_text(data);
	const char *end = text.data + text.size;
	const char *begin = text.data;
	const char *space = NULL;

	for (int i = 0; i < 2; i++) {
		space = memchr(begin, ' ', end - begin);
		if (!space)
			return 0;
		begin = space + 1;
	}
	space = memchr(begin, ' ', end - begin);
	return text_keep(&options->kernel,
			 (struct text){ .data = begin, .size = (space ? space : end) - begin });
}

static int read_cpu_count(struct trace_options *options, struct cursor data)
{
	options->nr_cpus = cursor_u32(&data);
	return 0;
}

static int read_trace_id(struct trace_options *options, struct cursor data)
{
	options->trace_id = cursor_u64(&data);
	options->has_trace_id = !data.is_over;
	return 0;
}

static int read_rate(struct trace_options *options, struct cursor data)
{
	struct stream_rate rate = { .multiplier = cursor_u32(&data) };

	rate.shift = cursor_u32(&data);
	if (!data.is_over && rate.shift < 64)
		options->rate = rate;
	return 0;
}

/* Behind the id of the host's trace. */
static int read_shifts(struct trace_options *options, struct cursor data)
{
	cursor_u64(&data);
	return shifts_read(&options->shifts, data);
}

static int (*const readers[])(struct trace_options *options, struct cursor data) = {
	[TRACE_DAT_DATE] = read_date,	      [TRACE_DAT_CPU_STATISTICS] = read_statistics,
	[TRACE_DAT_CLOCK] = read_clock,	      [TRACE_DAT_UNAME] = read_uname,
	[TRACE_DAT_OFFSET] = read_offset,     [TRACE_DAT_CPU_COUNT] = read_cpu_count,
	[TRACE_DAT_ID] = read_trace_id,	      [TRACE_DAT_TSC_TO_NS] = read_rate,
	[TRACE_DAT_TIME_SHIFT] = read_shifts,
};

int trace_file_option(struct trace_file *file, unsigned int id, struct cursor data)
{
	if (id >= sizeof(readers) / sizeof(readers[0]) || !readers[id])
		return 0;
	return readers[id](&file->options, data);
}

void trace_file_options_release(struct trace_options *options)
{
	buffer_release(&options->statistics);
	free(options->clock);
	free(options->kernel);
	shifts_release(&options->shifts);
}

/* Adds up the date and what is to be added besides; returns whether that is a time which can be. */
static bool wall_offset(const struct trace_options *options, int64_t *out_ns)
{
	int64_t date_ns;

	if (__builtin_mul_overflow(options->date_us, NS_PER_US, &date_ns) ||
	    __builtin_add_overflow(date_ns, options->offset_ns, out_ns))
		return false;
	return *out_ns > -SOURCE_TIME_LIMIT && *out_ns < SOURCE_TIME_LIMIT;
}

/*
 * A date makes trace time the wall clock's, and so does the clock "tai" by itself. An offset alone
 * shifts the time, by how much somebody wanted it to be, but says nothing of the wall clock.
 */
static void describe_time(struct source_description *description,
			  const struct trace_options *options)
{
	int64_t offset_ns = 0;
	bool is_time = wall_offset(options, &offset_ns);

	description->wall_offset_ns = is_time ? offset_ns : 0;
	if (is_time && options->has_date)
		description->time_source = "date";
	else if (options->clock && strcmp(options->clock, "tai") == 0)
		description->time_source = "tai";
	else
		description->time_source = "none";
}

void trace_file_describe(struct trace_file *file)
{
	struct source_description *description = &file->source.description;

	if (file->options.nr_cpus <= TRACE_CPUS_MAX)
		description->nr_cpus = file->options.nr_cpus;
	for (size_t i = 0; i < file->source.nr_streams; i++) {
		unsigned int cpu = file->source.streams[i].cpu;

		if (cpu >= description->nr_cpus)
			description->nr_cpus = cpu + 1;
	}
	description->clock = file->options.clock;
	description->kernel = file->options.kernel;
	description->is_swapped = file->is_swapped;
	description->nr_buffers = trace_file_tracks(file);
	description->buffers = description->nr_buffers > 1 ? (const char *const *)file->buffers
							   : NULL;
	describe_time(description, &file->options);
	description->counts_ticks = clock_counts_ticks(file->options.clock) &&
				    !file->options.rate.multiplier;
}

/* Takes "HEADING" off the beginning of a line. */
static bool line_skip(struct text *line, const char *heading)
{
	size_t size = strlen(heading);

	if (line->size < size || memcmp(line->data, heading, size) != 0)
		return false;
	line->data += size;
	line->size -= size;
	return true;
}

static bool line_is_cpu(struct text line, int cpu)
{
	char digits[16];
	struct buffer want = { 0 };
	bool is_equal;

	if (line.size >= sizeof(digits))
		return false;
	buffer_append_signed(&want, cpu);
	is_equal = text_equals(line, buffer_text(&want));
	buffer_release(&want);
	return is_equal;
}

/*
 * The lines between the heading of a CPU of a buffer and the next heading; the first buffer's have
 * no name above them.
 */
static struct text statistics_find(struct text all, struct text buffer, int cpu)
{
	const char *end = all.data + all.size;
	bool is_buffer = buffer.size == 0;
	struct text found = { 0 };

	for (const char *begin = all.data; begin < end;) {
		const char *next = memchr(begin, '\n', end - begin);
		struct text line = { .data = begin, .size = next - begin };
		bool is_name = line_skip(&line, "Buffer: ");
		bool is_cpu = !is_name && line_skip(&line, "CPU: ");

		if (found.data && (is_name || is_cpu))
			break;
		begin = next + 1;
		if (is_name)
			is_buffer = text_equals(line, buffer);
		if (is_cpu && is_buffer && line_is_cpu(line, cpu))
			found.data = begin;
		found.size = found.data ? begin - found.data : 0;
	}
	return found;
}

static bool statistics_of(const struct trace_file *file, int cpu, unsigned int buffer,
			  struct statistics *out)
{
	struct text text = statistics_find(buffer_text(&file->options.statistics),
					   text_of(file->buffers[buffer]), cpu);

	if (text.data)
		statistics_read(out, text);
	return text.data;
}

bool trace_file_is_open(const struct trace_file *file, int cpu, unsigned int buffer)
{
	struct statistics statistics;

	return statistics_of(file, cpu, buffer, &statistics) && statistics.is_open;
}

int trace_file_read_account(struct source *source, const struct stream *stream, struct account *out,
			    struct error *error)
{
	const struct trace_file *file = (const struct trace_file *)source;
	struct statistics statistics;

	(void)error;
	if (!statistics_of(file, stream->cpu, stream->buffer, &statistics))
		return 0;
	if (statistics.overwritten <= INT64_MAX && statistics.overwritten > out->marked)
		out->marked = statistics.overwritten;
	if (statistics.dropped <= INT64_MAX)
		out->unmarked = statistics.dropped;
	out->is_open = statistics.is_open;
	out->keeps_last = statistics.keeps_last;
	out->keeps_first = statistics.keeps_first;
	return 0;
}

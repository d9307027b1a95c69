// SPDX-License-Identifier: GPL-2.0-only
/* The options of a trace.dat: which clock, which kernel, what wall-clock time, what was lost. */
#include <stdlib.h>
#include <string.h>

#include "source/file.h"
#include "source/trace_dat.h"

/* How the writer's name begins. */
#define KTRACK "ktrack "

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

/* "ktrack VERSION", or another program's version. */
static int read_writer(struct trace_options *options, struct cursor data)
{
	struct text text = data_text(data);

	options->is_ktrack = text.size > strlen(KTRACK) &&
			     memcmp(text.data, KTRACK, strlen(KTRACK)) == 0;
	return 0;
}

/* Behind the id of the host's trace. */
static int read_shifts(struct trace_options *options, struct cursor data)
{
	cursor_u64(&data);
	return shifts_read(&options->shifts, data);
}

static int (*const readers[])(struct trace_options *options, struct cursor data) = {
	[TRACE_DAT_DATE] = read_date,		[TRACE_DAT_CLOCK] = read_clock,
	[TRACE_DAT_UNAME] = read_uname,		[TRACE_DAT_OFFSET] = read_offset,
	[TRACE_DAT_CPU_COUNT] = read_cpu_count, [TRACE_DAT_WRITER] = read_writer,
	[TRACE_DAT_ID] = read_trace_id,		[TRACE_DAT_TSC_TO_NS] = read_rate,
	[TRACE_DAT_TIME_SHIFT] = read_shifts,
};

int trace_file_option(struct trace_file *file, unsigned int id, struct cursor data)
{
	if (id == TRACE_DAT_CPU_STATISTICS)
		return trace_file_read_statistics(file, data_text(data));
	if (id >= sizeof(readers) / sizeof(readers[0]) || !readers[id])
		return 0;
	return readers[id](&file->options, data);
}

void trace_file_options_release(struct trace_options *options)
{
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

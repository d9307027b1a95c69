// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel's statistics: a line "CPU: N" above those of a CPU, and a line "Buffer: NAME"
 * above those of another buffer than the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/file_stream.h"
#include "tracedat/layout.h"

/**
 * struct statistics_row - of one CPU
 * @buffer: number of the heading while rows are read, index of the buffer then
 * @number: order in the file
 */
struct statistics_row {
	unsigned int buffer;
	unsigned int cpu;
	size_t number;
	struct statistics statistics;
};

/* Limit of rows in a file. */
#define ROWS_MAX 65536

static bool line_take_heading(struct text *line, const char *heading)
{
	size_t size = strlen(heading);

	if (line->size < size || memcmp(line->data, heading, size) != 0)
		return false;
	line->data += size;
	line->size -= size;
	return true;
}

static bool line_parse_cpu(struct text line, unsigned int *out)
{
	unsigned int cpu = 0;

	for (size_t i = 0; i < line.size; i++) {
		if (line.data[i] < '0' || line.data[i] > '9' || cpu >= TRACE_CPUS_MAX)
			return false;
		cpu = cpu * 10 + (line.data[i] - '0');
	}
	*out = cpu;
	return line.size > 0 && cpu < TRACE_CPUS_MAX;
}

static struct statistics_row *statistics_rows(const struct trace_statistics *own, size_t *nr_rows)
{
	*nr_rows = own->rows.size / sizeof(struct statistics_row);
	return (struct statistics_row *)own->rows.data;
}

static void heading_add(struct trace_statistics *own, struct text name)
{
	own->has_current = false;
	if (own->nr_headings == TRACE_BUFFERS_MAX) {
		own->is_full = true;
		return;
	}
	buffer_append(&own->headings, name.data, name.size);
	buffer_append_char(&own->headings, '\0');
	own->nr_headings++;
}

/* A heading that repeats the last one is ignored with its lines. */
static void row_add(struct trace_statistics *own, unsigned int cpu)
{
	struct statistics_row row = { .buffer = own->nr_headings, .cpu = cpu };
	struct statistics_row *rows = statistics_rows(own, &row.number);
	const struct statistics_row *last = row.number > 0 ? &rows[row.number - 1] : NULL;

	own->is_full |= row.number == ROWS_MAX;
	own->has_current = row.number < ROWS_MAX &&
			   !(last && last->buffer == row.buffer && last->cpu == cpu);
	if (!own->has_current)
		return;
	own->current = row.number;
	buffer_append(&own->rows, &row, sizeof(row));
}

int trace_file_read_statistics(struct trace_file *file, struct text text)
{
	struct trace_statistics *own = &file->statistics;
	unsigned int cpu;
	size_t nr_rows;

	while (text.size > 0) {
		struct text line = text_take_line(&text);

		if (line_take_heading(&line, TRACE_DAT_BUFFER_HEADING))
			heading_add(own, line);
		else if (line_take_heading(&line, TRACE_DAT_CPU_HEADING) &&
			 line_parse_cpu(line, &cpu))
			row_add(own, cpu);
		else if (own->has_current && !own->rows.failed)
			statistics_read_line(
				&statistics_rows(own, &nr_rows)[own->current].statistics, line);
	}
	return own->rows.failed || own->headings.failed ? -1 : 0;
}

static int row_find_compare(const void *a, const void *b)
{
	const struct statistics_row *left = a, *right = b;

	if (left->buffer != right->buffer)
		return left->buffer < right->buffer ? -1 : 1;
	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

static int row_sort_compare(const void *a, const void *b)
{
	const struct statistics_row *left = a, *right = b;
	int order = row_find_compare(a, b);

	return order ? order : (left->number > right->number) - (left->number < right->number);
}

static unsigned int buffer_find(const struct trace_file *file, const char *name)
{
	unsigned int buffer = 0;

	while (buffer < file->nr_buffers && strcmp(file->buffers[buffer], name) != 0)
		buffer++;
	return buffer;
}

/* Replaces numbers of headings by the buffers of these names. */
static void headings_resolve(struct trace_file *file)
{
	struct trace_statistics *own = &file->statistics;
	const char *name = own->headings.data;
	size_t nr_rows;
	struct statistics_row *row = statistics_rows(own, &nr_rows), *end = row + nr_rows;

	for (unsigned int heading = 1; heading <= own->nr_headings; heading++) {
		unsigned int buffer = buffer_find(file, name);

		while (row < end && row->buffer < heading)
			row++;
		for (; row < end && row->buffer == heading; row++)
			row->buffer = buffer;
		if (buffer == file->nr_buffers)
			trace_file_report(file, 0,
					  "its statistics are of a buffer it does not have");
		name += strlen(name) + 1;
	}
}

void trace_file_sort_statistics(struct trace_file *file)
{
	size_t nr_rows, nr_kept = 0;
	struct statistics_row *rows = statistics_rows(&file->statistics, &nr_rows);

	if (file->statistics.is_full)
		trace_file_report(file, 0, "it has statistics of more cpus than there can be");
	headings_resolve(file);
	if (nr_rows > 0)
		qsort(rows, nr_rows, sizeof(*rows), row_sort_compare);
	for (size_t i = 0; i < nr_rows; i++) {
		if (i == 0 || row_find_compare(&rows[i], &rows[nr_kept - 1]) != 0)
			rows[nr_kept++] = rows[i];
	}
	file->statistics.rows.size = nr_kept * sizeof(*rows);
}

static const struct statistics *statistics_find(const struct trace_file *file, unsigned int buffer,
						unsigned int cpu)
{
	const struct statistics_row key = { .buffer = buffer, .cpu = cpu }, *row;
	size_t nr_rows;
	const struct statistics_row *rows = statistics_rows(&file->statistics, &nr_rows);

	if (nr_rows == 0)
		return NULL;
	row = bsearch(&key, rows, nr_rows, sizeof(key), row_find_compare);
	return row ? &row->statistics : NULL;
}

bool trace_file_is_open(const struct trace_file *file, unsigned int buffer, int cpu)
{
	const struct statistics *statistics = statistics_find(file, buffer, cpu);

	return statistics && statistics->is_open;
}

int trace_file_add_open(struct trace_file *file, struct error *error)
{
	size_t nr_rows, nr_streams = file->nr_streams;
	const struct statistics_row *rows = statistics_rows(&file->statistics, &nr_rows);

	for (size_t i = 0; i < nr_rows; i++) {
		const struct statistics_row *row = &rows[i];

		if (!row->statistics.is_open || row->buffer >= file->nr_buffers ||
		    trace_file_find_stream(file, nr_streams, row->buffer, row->cpu))
			continue;
		if (trace_file_add_empty(file, row->buffer, row->cpu, error) < 0)
			return -1;
	}
	trace_file_sort_streams(file);
	return 0;
}

/* Statistics of other programs' files count records that were read before, too. */
static void statistics_check(struct trace_file *file, const struct stream *stream,
			     const struct statistics *statistics)
{
	const struct trace_stream *own = stream->own;
	uint64_t missing = statistics->read - statistics->in_flight - stream->nr_records;
	char problem[128];

	if (!file->options.is_ktrack || statistics->is_open || own->cut || stream->has_uncounted ||
	    statistics->read < statistics->in_flight ||
	    statistics->read - statistics->in_flight <= stream->nr_records)
		return;
	snprintf(problem, sizeof(problem),
		 "%llu record%s of cpu %d %s missing that its statistics count",
		 (unsigned long long)missing, missing == 1 ? "" : "s", stream->cpu,
		 missing == 1 ? "is" : "are");
	trace_file_report(file, own->end, problem);
}

const struct statistics *trace_file_statistics(struct trace_file *file, const struct stream *stream)
{
	const struct statistics *statistics = statistics_find(file, stream->buffer, stream->cpu);

	if (statistics)
		statistics_check(file, stream, statistics);
	return statistics;
}

void trace_statistics_release(struct trace_statistics *statistics)
{
	buffer_release(&statistics->headings);
	buffer_release(&statistics->rows);
}

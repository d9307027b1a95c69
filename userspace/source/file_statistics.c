// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a trace.dat has of the kernel's per_cpu/cpuN/stats: a line "CPU: N", then lines of numbers;
 * a line "Buffer: NAME" before those of another buffer than the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/file_stream.h"

/**
 * struct statistics_row - of one CPU
 * @heading: of which buffer, as in struct trace_statistics
 * @number: in the order of the file
 */
struct statistics_row {
	unsigned int heading;
	unsigned int cpu;
	size_t number;
	struct statistics statistics;
};

/* More rows than a file of any use has. */
#define ROWS_MAX 65536

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

/* Reads all of a line as the number of a CPU. */
static bool cpu_parse(struct text line, unsigned int *out)
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

static struct statistics_row *rows_of(const struct trace_statistics *own, size_t *nr_rows)
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
	own->heading = ++own->nr_headings;
}

static void row_add(struct trace_statistics *own, unsigned int cpu)
{
	struct statistics_row row = { .heading = own->heading, .cpu = cpu };
	struct statistics_row *rows = rows_of(own, &row.number);
	const struct statistics_row *last = row.number > 0 ? &rows[row.number - 1] : NULL;

	own->is_full |= row.number == ROWS_MAX;
	own->has_current = row.number < ROWS_MAX &&
			   !(last && last->heading == row.heading && last->cpu == cpu);
	if (!own->has_current)
		return;
	own->current = row.number;
	buffer_append(&own->rows, &row, sizeof(row));
}

static void line_parse(struct trace_statistics *own, struct text line)
{
	unsigned int cpu = 0;
	size_t nr_rows;

	if (line_skip(&line, "Buffer: "))
		heading_add(own, line);
	else if (line_skip(&line, "CPU: ") && cpu_parse(line, &cpu))
		row_add(own, cpu);
	else if (own->has_current && !own->rows.failed)
		statistics_read_line(&rows_of(own, &nr_rows)[own->current].statistics, line);
}

int trace_file_read_statistics(struct trace_file *file, struct text text)
{
	struct trace_statistics *own = &file->statistics;
	const char *end = text.data + text.size;

	for (const char *begin = text.data; begin < end;) {
		const char *line_end = memchr(begin, '\n', end - begin);

		if (!line_end)
			line_end = end;
		line_parse(own, (struct text){ .data = begin, .size = line_end - begin });
		begin = line_end + 1;
	}
	return own->rows.failed || own->headings.failed ? -1 : 0;
}

static int row_compare(const void *a, const void *b)
{
	const struct statistics_row *left = a, *right = b;

	if (left->heading != right->heading)
		return left->heading < right->heading ? -1 : 1;
	if (left->cpu != right->cpu)
		return left->cpu < right->cpu ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Lets the rows below a heading be those of the buffer that has this name. */
static void headings_resolve(struct trace_file *file)
{
	struct trace_statistics *own = &file->statistics;
	const char *name = own->headings.data;
	size_t nr_rows;
	struct statistics_row *rows = rows_of(own, &nr_rows), *row = rows;

	for (unsigned int heading = 1; heading <= own->nr_headings; heading++) {
		unsigned int buffer = 0;

		while (buffer < file->nr_buffers && strcmp(file->buffers[buffer], name) != 0)
			buffer++;
		while (row < rows + nr_rows && row->heading < heading)
			row++;
		for (; row < rows + nr_rows && row->heading == heading; row++)
			row->heading = buffer;
		if (buffer == file->nr_buffers)
			trace_file_damage(file, 0,
					  "its statistics are of a buffer it does not have");
		name += strlen(name) + 1;
	}
}

void trace_file_sort_statistics(struct trace_file *file)
{
	size_t nr_rows;
	struct statistics_row *rows = rows_of(&file->statistics, &nr_rows);

	if (file->statistics.is_full)
		trace_file_damage(file, 0, "it has statistics of more cpus than there can be");
	headings_resolve(file);
	if (nr_rows > 0)
		qsort(rows, nr_rows, sizeof(*rows), row_compare);
}

/* The first row of a CPU, NULL if it has none. */
static const struct statistics_row *row_find(const struct trace_file *file, unsigned int buffer,
					     unsigned int cpu)
{
	size_t nr_rows, low = 0;
	const struct statistics_row *rows = rows_of(&file->statistics, &nr_rows);
	const struct statistics_row key = { .heading = buffer, .cpu = cpu };

	for (size_t high = nr_rows; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (row_compare(&rows[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr_rows && rows[low].heading == key.heading && rows[low].cpu == key.cpu
		       ? &rows[low]
		       : NULL;
}

bool trace_file_is_open(const struct trace_file *file, unsigned int buffer, int cpu)
{
	const struct statistics_row *row = row_find(file, buffer, cpu);

	return row && row->statistics.is_open;
}

static bool file_has_stream(const struct trace_file *file, size_t nr_streams,
			    const struct statistics_row *row)
{
	for (size_t low = 0, high = nr_streams; low < high;) {
		size_t middle = low + (high - low) / 2;
		const struct stream *stream = &file->source.streams[middle];

		if (stream->buffer == row->heading && (unsigned int)stream->cpu == row->cpu)
			return true;
		if (stream->buffer < row->heading ||
		    (stream->buffer == row->heading && (unsigned int)stream->cpu < row->cpu))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

int trace_file_add_open(struct trace_file *file, struct error *error)
{
	size_t nr_rows, nr_streams = file->source.nr_streams;
	const struct statistics_row *rows = rows_of(&file->statistics, &nr_rows);

	for (size_t i = 0; i < nr_rows; i++) {
		bool is_first = i == 0 || rows[i].heading != rows[i - 1].heading ||
				rows[i].cpu != rows[i - 1].cpu;

		if (!is_first || !rows[i].statistics.is_open || rows[i].heading >= file->nr_buffers)
			continue;
		if (!file_has_stream(file, nr_streams, &rows[i]) &&
		    trace_file_add_empty(file, rows[i].heading, rows[i].cpu, error) < 0)
			return -1;
	}
	trace_file_sort_streams(file);
	return 0;
}

/*
 * ktrack counts just what it put into the file. Others' statistics are of a buffer that somebody
 * may have read before.
 */
static void count_check(struct trace_file *file, const struct stream *stream,
			const struct statistics *statistics)
{
	const struct trace_stream *own = stream->own;
	uint64_t missing = statistics->read - statistics->in_flight - stream->nr_records;
	char what[128];

	if (!file->options.is_ktrack || statistics->is_open || own->cut || stream->has_uncounted ||
	    statistics->read < statistics->in_flight ||
	    statistics->read - statistics->in_flight <= stream->nr_records)
		return;
	snprintf(what, sizeof(what), "%llu record%s of cpu %d %s missing that its statistics count",
		 (unsigned long long)missing, missing == 1 ? "" : "s", stream->cpu,
		 missing == 1 ? "is" : "are");
	trace_file_damage(file, own->end, what);
}

int trace_file_read_account(struct source *source, const struct stream *stream, struct account *out,
			    struct error *error)
{
	struct trace_file *file = (struct trace_file *)source;
	const struct statistics_row *row = row_find(file, stream->buffer, stream->cpu);
	const struct statistics *statistics;

	(void)error;
	if (!row)
		return 0;
	statistics = &row->statistics;
	count_check(file, stream, statistics);
	if (statistics->overwritten <= INT64_MAX && statistics->overwritten > out->marked)
		out->marked = statistics->overwritten;
	if (statistics->dropped <= INT64_MAX)
		out->unmarked = statistics->dropped;
	out->is_open = statistics->is_open;
	out->keeps_last = statistics->keeps_last;
	out->keeps_first = statistics->keeps_first;
	return 0;
}

void trace_file_statistics_release(struct trace_statistics *statistics)
{
	buffer_release(&statistics->headings);
	buffer_release(&statistics->rows);
}

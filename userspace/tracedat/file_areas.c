// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the areas of all CPUs: they lie within the file, do not overlap, and leave no unused bytes
 * between them.
 */
#include <stdlib.h>
#include <string.h>

#include "tracedat/file_stream.h"
#include "tracedat/layout.h"

/* The least for a record, and 128 pages of 64 KiB, the most that kernels have. */
#define SUB_BUFFER_SIZE_MIN 32
#define SUB_BUFFER_SIZE_MAX (8 << 20)

/* The sizes of trace-cmd's compressed areas exclude the number of chunks before them. */
#define CHUNK_COUNT_SIZE 4

/* Limit of the total size of all areas, in sizes of the file. */
#define OVERLAPS_MAX 4

/* Returns NULL if the area is valid. */
static const char *area_problem(const struct trace_file *file, const struct trace_area *area)
{
	if (area->cpu >= TRACE_CPUS_MAX)
		return "there is no cpu with this number";
	if (file->has_area[area->cpu / 8] & 1 << area->cpu % 8)
		return "a buffer has a cpu twice";
	if (area->sub_buffer_size < SUB_BUFFER_SIZE_MIN ||
	    area->sub_buffer_size > SUB_BUFFER_SIZE_MAX)
		return "sub-buffers cannot have this size";
	return NULL;
}

static void area_limit(struct trace_stream *own, const struct trace_area *area)
{
	uint64_t claimed = area->size + (area->is_compressed ? CHUNK_COUNT_SIZE : 0);
	uint64_t file_size = own->file->input.size;
	uint64_t begin = area->offset < file_size ? area->offset : file_size;
	uint64_t size = file_size - begin;

	if (claimed < area->size || claimed > size)
		own->cut = "it is cut short: records of a cpu are missing";
	else
		size = claimed;
	own->offset = begin;
	own->end = begin + size;
	own->last_offset = begin;
}

static struct trace_stream *trace_stream_new(struct trace_file *file, const struct trace_area *area)
{
	struct trace_stream *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->file = file;
	own->sub_buffer_size = area->sub_buffer_size;
	own->chunk = area->is_compressed ? trace_chunk_new() : NULL;
	if (area->is_compressed && !own->chunk) {
		free(own);
		return NULL;
	}
	area_limit(own, area);
	return own;
}

static int area_add_stream(struct trace_file *file, const struct trace_area *area,
			   struct trace_stream *own, struct error *error)
{
	struct stream *streams = reallocarray(file->streams, file->nr_streams + 1,
					      sizeof(*streams));

	if (!streams) {
		trace_chunk_free(own);
		free(own);
		return error_set(error, "out of memory");
	}
	file->streams = streams;
	streams[file->nr_streams++] = (struct stream){
		.ops = area->is_compressed ? &trace_chunk_ops : &trace_plain_ops,
		.cpu = area->cpu,
		.buffer = area->buffer,
		.own = own,
	};
	return 0;
}

/*
 * Each stream takes memory before it is read. The kernel has at most 8192 CPUs; a file has one or two
 * buffers of most of them.
 */
#define STREAMS_MAX 65536

/* The size of the file limits the size of all streams, whose areas may overlap. */
static bool area_fits(struct trace_file *file, const struct trace_stream *own)
{
	uint64_t size = trace_stream_left(own);

	if (size == 0)
		return file->nr_empty++ < TRACE_EMPTY_MAX;
	file->claimed_size += size > SUB_BUFFER_SIZE_MIN ? size : SUB_BUFFER_SIZE_MIN;
	return file->claimed_size <= OVERLAPS_MAX * (file->input.size + SUB_BUFFER_SIZE_MIN);
}

/* Reports problems of an area that is read all the same. */
static void area_check(struct trace_file *file, const struct trace_area *area)
{
	if (!area->is_compressed && area->size % area->sub_buffer_size != 0)
		trace_file_report(file, area->offset,
				  "the records of a cpu end within a sub-buffer");
	if (area->cpu >= file->options.nr_cpus && file->options.nr_cpus > 0)
		trace_file_report(file, area->offset, "it has more cpus than it states");
}

/* Adds a stream unless there are too many records, which is @problem; NULL if that is none. */
static int area_add(struct trace_file *file, const struct trace_area *area, const char *problem,
		    struct error *error)
{
	struct trace_stream *own;

	if (file->nr_streams == STREAMS_MAX) {
		trace_file_report(file, area->offset,
				  "it has more than 65536 buffers of cpus: the others are missing");
		return 0;
	}
	own = trace_stream_new(file, area);
	if (!own)
		return error_set(error, "out of memory");
	if (area_fits(file, own))
		return area_add_stream(file, area, own, error);
	if (problem)
		trace_file_report(file, area->offset, problem);
	trace_chunk_free(own);
	free(own);
	return 0;
}

int trace_file_add_empty(struct trace_file *file, unsigned int buffer, unsigned int cpu,
			 struct error *error)
{
	struct trace_area area = { .buffer = buffer,
				   .cpu = cpu,
				   .sub_buffer_size = SUB_BUFFER_SIZE_MIN };

	return area_add(file, &area, NULL, error);
}

int trace_file_add_stream(struct trace_file *file, const struct trace_area *area,
			  struct error *error)
{
	const char *problem = area_problem(file, area);

	if (problem) {
		trace_file_report(file, area->offset, problem);
		return 0;
	}
	file->has_area[area->cpu / 8] |= 1 << area->cpu % 8;
	if (area->size == 0)
		return 0;
	area_check(file, area);
	return area_add(file, area, "it names more records than it can hold", error);
}

static int range_compare(const void *a, const void *b)
{
	const struct trace_range *left = a, *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

static int area_stream_compare(const void *a, const void *b)
{
	const struct stream *left = a, *right = b;

	if (left->buffer != right->buffer)
		return left->buffer < right->buffer ? -1 : 1;
	return left->cpu < right->cpu ? -1 : left->cpu > right->cpu;
}

void trace_file_sort_streams(struct trace_file *file)
{
	if (file->nr_streams > 0)
		qsort(file->streams, file->nr_streams, sizeof(*file->streams), area_stream_compare);
}

const struct stream *trace_file_find_stream(const struct trace_file *file, size_t nr_streams,
					    unsigned int buffer, unsigned int cpu)
{
	const struct stream key = { .buffer = buffer, .cpu = cpu };

	if (nr_streams == 0)
		return NULL;
	return bsearch(&key, file->streams, nr_streams, sizeof(key), area_stream_compare);
}

/* If two areas overlap, the second one wins, or the first one if both begin at one offset. */
static void areas_separate(struct trace_stream *first, struct trace_stream *second)
{
	struct trace_stream *shorter = first;
	uint64_t end = second->offset;

	if (first->end <= end)
		return;
	if (first->offset == end)
		shorter = second;
	shorter->end = end;
	shorter->cut = "the records of several cpus overlap";
}

static void areas_separate_all(const struct trace_range *ranges, size_t nr_ranges)
{
	struct trace_stream *first = NULL;

	for (size_t i = 0; i < nr_ranges; i++) {
		struct trace_stream *second = ranges[i].own;

		if (second && first)
			areas_separate(first, second);
		if (second && (!first || trace_stream_left(second) > 0))
			first = second;
	}
}

/* Skips a section that no known option names; returns its end. */
static uint64_t section_skip(struct trace_file *file, uint64_t begin, uint64_t end)
{
	struct cursor cursor = trace_file_cursor(file, begin);
	unsigned int id = cursor_u16(&cursor);
	bool is_named = id == TRACE_DAT_END || id == TRACE_DAT_BUFFER ||
			trace_section_kind_of(id) < TRACE_SECTION_KINDS;
	uint64_t size;

	cursor_skip(&cursor, 6);
	size = cursor_u64(&cursor);
	if (!file->has_sections || cursor.is_over || is_named || id > TRACE_DAT_SECTION_MAX ||
	    cursor.offset > end || size > end - cursor.offset)
		return begin;
	return cursor.offset + size;
}

/* Returns the offset of the first byte that is not zero. */
static uint64_t zeros_skip(struct trace_file *file, uint64_t begin, uint64_t end)
{
	while (begin < end) {
		uint64_t left = end - begin;
		size_t size = left < WINDOW_SIZE ? left : WINDOW_SIZE;
		const unsigned char *bytes = window_read(&file->window, begin, end, &size);

		for (size_t i = 0; i < size; i++) {
			if (bytes[i])
				return begin + i;
		}
		if (size == 0)
			return end;
		begin += size;
	}
	return end;
}

/* Unused bytes are damage: of the section or the table that should use them. */
static void hole_check(struct trace_file *file, uint64_t begin, uint64_t end)
{
	uint64_t next;

	while ((next = section_skip(file, begin, end)) > begin)
		begin = next;
	next = zeros_skip(file, begin, end);
	if (next < end)
		trace_file_report(file, next, "these bytes belong to no cpu and no section");
}

void trace_file_check_holes(struct trace_file *file)
{
	const struct trace_range *ranges = (const struct trace_range *)file->ranges.data;
	size_t nr_ranges = file->ranges.size / sizeof(*ranges);
	uint64_t covered = 0;

	for (size_t i = 0; i < nr_ranges; i++) {
		const struct trace_stream *own = ranges[i].own;

		if (ranges[i].begin > covered)
			hole_check(file, covered, ranges[i].begin);
		else if (own && ranges[i].begin < covered && !own->cut)
			trace_file_report(file, ranges[i].begin,
					  "the records of a cpu overlap something else");
		if (ranges[i].end > covered)
			covered = ranges[i].end;
	}
	if (file->input.size > covered)
		hole_check(file, covered, file->input.size);
}

/* header_page describes the sub-buffers of the first buffer. */
static void sizes_check(struct trace_file *file)
{
	for (size_t i = 0; i < file->nr_streams; i++) {
		const struct trace_stream *own = file->streams[i].own;

		if (file->streams[i].buffer > 0 || own->sub_buffer_size == file->sub_buffer_size)
			continue;
		trace_file_report(file, own->offset,
				  "sub-buffers do not have the size that header_page states");
		return;
	}
}

int trace_file_check_areas(struct trace_file *file, struct error *error)
{
	struct buffer *ranges = &file->ranges;
	size_t nr_ranges;

	trace_file_sort_streams(file);
	sizes_check(file);
	for (size_t i = 0; i < file->nr_streams; i++) {
		struct trace_stream *own = file->streams[i].own;
		struct trace_range range = {
			.begin = own->offset, .end = own->end, .own = own, .number = i
		};

		buffer_append(ranges, &range, sizeof(range));
	}
	if (ranges->failed)
		return error_set(error, "out of memory");
	nr_ranges = ranges->size / sizeof(struct trace_range);
	if (nr_ranges > 0)
		qsort(ranges->data, nr_ranges, sizeof(struct trace_range), range_compare);
	areas_separate_all((struct trace_range *)ranges->data, nr_ranges);
	return 0;
}

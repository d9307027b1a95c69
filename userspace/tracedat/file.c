// SPDX-License-Identifier: GPL-2.0-only
/* Opens trace.dat files of both versions, and reports their damage. */
#include "tracedat/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds and reads sections, decompressed if needed. */

static const unsigned int section_ids[TRACE_SECTION_KINDS] = {
	[TRACE_HEADER_INFO] = TRACE_DAT_HEADER_INFO,
	[TRACE_FTRACE_FORMATS] = TRACE_DAT_FTRACE_FORMATS,
	[TRACE_EVENT_FORMATS] = TRACE_DAT_EVENT_FORMATS,
	[TRACE_SYMBOLS] = TRACE_DAT_SYMBOLS,
	[TRACE_CONSTANTS] = TRACE_DAT_CONSTANTS,
	[TRACE_COMMS] = TRACE_DAT_COMMS,
};

/* The kind of a section by the id of its option, or TRACE_SECTION_KINDS. */
static enum trace_section_kind trace_section_kind_of(unsigned int id)
{
	enum trace_section_kind kind = 0;

	while (kind < TRACE_SECTION_KINDS && section_ids[kind] != id)
		kind++;
	return kind;
}

#define SECTION_IS_COMPRESSED 1
/* An id, flags, the offset of the title, and the size. */
#define SECTION_HEAD_SIZE 16
/* Limit of used ranges in a file. */
#define RANGES_MAX 65536

/* A cursor to the end of the file; it is over if @offset is behind that. */
static struct cursor trace_file_cursor(struct trace_file *file, uint64_t offset)
{
	bool is_inside = offset <= file->input.size;

	return (struct cursor){
		.window = &file->window,
		.size = file->input.size,
		.offset = is_inside ? offset : file->input.size,
		.is_swapped = file->is_swapped,
		.is_over = !is_inside,
	};
}

void trace_file_cover(struct trace_file *file, uint64_t begin, uint64_t end)
{
	struct trace_range range = { .begin = begin, .end = end, .number = SIZE_MAX };

	if (begin < end && file->ranges.size / sizeof(range) < RANGES_MAX)
		buffer_append(&file->ranges, &range, sizeof(range));
}

/* Reads a section's head; reports and returns false if it is not there. */
static bool trace_section_find(struct trace_file *file, unsigned int id, uint64_t offset,
			       struct trace_section *section)
{
	unsigned char head[SECTION_HEAD_SIZE];
	struct cursor cursor = { .data = head, .is_swapped = file->is_swapped };
	unsigned int found, flags;
	uint64_t left;

	cursor.size = input_read(&file->input, head, sizeof(head), offset);
	found = cursor_u16(&cursor);
	flags = cursor_u16(&cursor);
	cursor_u32(&cursor);
	*section = (struct trace_section){ .size = cursor_u64(&cursor),
					   .is_compressed = flags & SECTION_IS_COMPRESSED };
	section->offset = offset + cursor.offset;
	if (cursor.is_over || found != id) {
		trace_file_report(file, cursor.is_over ? file->input.size : offset,
				  cursor.is_over ? "it is cut short: a section is missing"
						 : "a section is missing that an option names");
		*section = (struct trace_section){ 0 };
		return false;
	}
	left = section->offset < file->input.size ? file->input.size - section->offset : 0;
	/* A buffer's records are covered by their streams. */
	if (id == TRACE_DAT_BUFFER)
		left = 0;
	trace_file_cover(file, offset,
			 section->offset + (section->size < left ? section->size : left));
	return true;
}

/* Decompresses a content: two sizes, compressed and not, then the compressed bytes. */
static const char *content_inflate(struct trace_file *file, size_t limit,
				   struct trace_content *content)
{
	struct cursor *cursor = &content->cursor;
	uint32_t packed_size = cursor_u32(cursor);
	uint32_t size = cursor_u32(cursor);
	struct text packed;

	if (size > limit || packed_size > limit / 2)
		return "a compressed section claims a size that cannot be";
	packed = cursor_text(cursor, packed_size);
	if (cursor->is_over)
		return "a compressed section is cut short";
	content->inflated = malloc(size ? size : 1);
	if (!content->inflated)
		return "there is no memory to inflate a section";
	if (!inflater_run(&file->inflater, packed, content->inflated, size))
		return "a compressed section is damaged";
	if (cursor_left(cursor) > 0)
		trace_file_report(file, cursor->offset,
				  "a section is longer than its compressed content");
	*cursor = (struct cursor){
		.data = content->inflated,
		.size = size,
		.is_swapped = file->is_swapped,
	};
	return NULL;
}

bool trace_content_open(struct trace_file *file, const struct trace_section *section, size_t limit,
			struct trace_content *content)
{
	struct cursor cursor = trace_file_cursor(file, section->offset);
	size_t left = cursor_left(&cursor);
	const char *problem = NULL;

	*content = (struct trace_content){ .offset = section->offset };
	if (section->offset == 0)
		return false;
	content->cursor = cursor_part(&cursor, section->size < left ? section->size : left);
	if (section->is_compressed)
		problem = content_inflate(file, limit, content);
	if (section->is_compressed)
		window_release(&file->window);
	if (!problem)
		return true;
	trace_file_report(file, section->offset, problem);
	trace_content_close(content);
	return false;
}

void trace_content_close(struct trace_content *content)
{
	free(content->inflated);
	*content = (struct trace_content){ 0 };
}

void trace_content_check(struct trace_file *file, const struct trace_content *content,
			 const char *problem)
{
	if (content->cursor.is_over)
		trace_file_report(file,
				  content->inflated ? content->offset : content->cursor.offset,
				  problem);
}

/*
 * Checks the areas of all CPUs: they lie within the file, do not overlap, and leave no unused bytes
 * between them.
 */

/* The sizes of trace-cmd's compressed areas exclude the number of chunks before them. */
#define CHUNK_COUNT_SIZE 4
/* Limit of the total size of all areas, in sizes of the file. */
#define OVERLAPS_MAX 4

/* The stream of an area, which ends with the file at the latest; NULL if memory runs out. */
static struct trace_stream *trace_stream_new(struct trace_file *file, const struct trace_area *area)
{
	uint64_t claimed = area->size + (area->is_compressed ? CHUNK_COUNT_SIZE : 0);
	uint64_t begin = area->offset < file->input.size ? area->offset : file->input.size;
	uint64_t size = file->input.size - begin;
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
	if (claimed < area->size || claimed > size)
		own->cut = "it is cut short: records of a cpu are missing";
	else
		size = claimed;
	own->offset = begin;
	own->end = begin + size;
	own->last_offset = begin;
	return own;
}

/*
 * Each stream takes memory before it is read. The kernel has at most 8192 CPUs; a file has one or
 * two buffers of most of them.
 */
#define STREAMS_MAX 65536

/* Adds a stream unless there are too many records, which is @problem; NULL if that is none. */
static int area_add(struct trace_file *file, const struct trace_area *area, const char *problem,
		    struct error *error)
{
	struct trace_stream *own;
	uint64_t size;
	bool fits;
	int status = 0;

	if (file->nr_streams == STREAMS_MAX) {
		trace_file_report(file, area->offset,
				  "it has more than 65536 buffers of cpus: the others are missing");
		return 0;
	}
	own = trace_stream_new(file, area);
	if (!own)
		return error_set(error, "out of memory");

	size = trace_stream_left(own);
	if (size > 0) {
		file->claimed_size += size > SUB_BUFFER_SIZE_MIN ? size : SUB_BUFFER_SIZE_MIN;
		fits = file->claimed_size <=
		       OVERLAPS_MAX * (file->input.size + SUB_BUFFER_SIZE_MIN);
	} else {
		fits = file->nr_empty++ < TRACE_EMPTY_MAX;
	}
	if (fits && array_reserve(file->streams, file->nr_streams)) {
		file->streams[file->nr_streams++] = (struct stream){
			.ops = area->is_compressed ? &trace_chunk_ops : &trace_plain_ops,
			.cpu = area->cpu,
			.buffer = area->buffer,
			.own = own,
		};
		return 0;
	}
	if (fits)
		status = error_set(error, "out of memory");
	else if (problem)
		trace_file_report(file, area->offset, problem);
	trace_chunk_free(own);
	free(own);
	return status;
}

int trace_file_add_empty(struct trace_file *file, unsigned int buffer, unsigned int cpu,
			 struct error *error)
{
	struct trace_area area = { .buffer = buffer,
				   .cpu = cpu,
				   .sub_buffer_size = SUB_BUFFER_SIZE_MIN };

	return area_add(file, &area, NULL, error);
}

/* Adds a CPU and reports its problems; returns -1 with @error. */
static int trace_file_add_stream(struct trace_file *file, const struct trace_area *area,
				 struct error *error)
{
	const char *problem = NULL;

	if (area->cpu >= TRACE_CPUS_MAX)
		problem = "there is no cpu with this number";
	else if (file->has_area[area->cpu / 8] & 1 << area->cpu % 8)
		problem = "a buffer has a cpu twice";
	else if (area->sub_buffer_size < SUB_BUFFER_SIZE_MIN ||
		 area->sub_buffer_size > SUB_BUFFER_SIZE_MAX)
		problem = "sub-buffers cannot have this size";
	if (problem) {
		trace_file_report(file, area->offset, problem);
		return 0;
	}
	file->has_area[area->cpu / 8] |= 1 << area->cpu % 8;
	if (area->size == 0)
		return 0;
	if (!area->is_compressed && area->size % area->sub_buffer_size != 0)
		trace_file_report(file, area->offset,
				  "the records of a cpu end within a sub-buffer");
	if (area->cpu >= file->options.nr_cpus && file->options.nr_cpus > 0)
		trace_file_report(file, area->offset, "it has more cpus than it states");
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

/* Unused bytes are damage, of the section or the table that should use them, unless they are zeros.
 */
static void hole_check(struct trace_file *file, uint64_t begin, uint64_t end)
{
	/* Sections that no known option names. */
	while (file->has_sections) {
		struct cursor cursor = trace_file_cursor(file, begin);
		unsigned int id = cursor_u16(&cursor);
		bool is_named = id == TRACE_DAT_END || id == TRACE_DAT_BUFFER ||
				trace_section_kind_of(id) < TRACE_SECTION_KINDS;
		uint64_t size;

		cursor_skip(&cursor, 6);
		size = cursor_u64(&cursor);
		if (cursor.is_over || is_named || id > TRACE_DAT_SECTION_MAX ||
		    cursor.offset > end || size > end - cursor.offset)
			break;
		begin = cursor.offset + size;
	}
	while (begin < end) {
		size_t size = end - begin < WINDOW_SIZE ? end - begin : WINDOW_SIZE, i = 0;
		const unsigned char *bytes = window_read(&file->window, begin, end, &size);

		while (i < size && !bytes[i])
			i++;
		if (i < size)
			trace_file_report(file, begin + i,
					  "these bytes belong to no cpu and no section");
		if (i < size || size == 0)
			return;
		begin += size;
	}
}

/* Reports bytes that nothing uses, unless they are zeros. */
static void trace_file_check_holes(struct trace_file *file)
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

/*
 * Sorts streams, ends overlapping areas; returns -1 with @error. If two areas overlap, the second
 * one wins, or the first one if both begin at one offset.
 */
static int trace_file_check_areas(struct trace_file *file, struct error *error)
{
	struct buffer *ranges = &file->ranges;
	struct trace_stream *first = NULL;
	bool is_odd = false;
	size_t nr_ranges;

	trace_file_sort_streams(file);
	for (size_t i = 0; i < file->nr_streams; i++) {
		struct trace_stream *own = file->streams[i].own;
		struct trace_range range = {
			.begin = own->offset, .end = own->end, .own = own, .number = i
		};

		buffer_append(ranges, &range, sizeof(range));
		/* header_page describes the sub-buffers of the first buffer. */
		if (is_odd || file->streams[i].buffer > 0 ||
		    own->sub_buffer_size == file->sub_buffer_size)
			continue;
		is_odd = true;
		trace_file_report(file, own->offset,
				  "sub-buffers do not have the size that header_page states");
	}
	if (ranges->failed)
		return error_set(error, "out of memory");
	nr_ranges = ranges->size / sizeof(struct trace_range);
	if (nr_ranges > 0)
		qsort(ranges->data, nr_ranges, sizeof(struct trace_range), range_compare);
	for (size_t i = 0; i < nr_ranges; i++) {
		struct trace_stream *second = ((struct trace_range *)ranges->data)[i].own;

		if (!second)
			continue;
		if (first && first->end > second->offset) {
			struct trace_stream *shorter = first->offset == second->offset ? second
										       : first;

			shorter->end = second->offset;
			shorter->cut = "the records of several cpus overlap";
		}
		if (!first || trace_stream_left(second) > 0)
			first = second;
	}
	return 0;
}

/* Hexadecimal digits of a recording's id. */
#define ID_SIZE (2 * sizeof(uint64_t))
/* Bytes at each end that identify a file without an id. */
#define IDENTITY_SIZE 65536

/** trace_file_refuse - the file cannot be read at all; returns -1 with @error */
static int trace_file_refuse(const struct trace_file *file, struct error *error, uint64_t offset,
			     const char *problem)
{
	return error_set(error, "%s: %s; at offset %llu", input_name(file->path), problem,
			 (unsigned long long)offset);
}

void trace_file_report(struct trace_file *file, uint64_t offset, const char *problem)
{
	struct error *damage = &file->damage;

	if (file->nr_damages++ == 0) {
		trace_file_refuse(file, damage, offset, problem);
		file->damage_size = strlen(damage->text);
		return;
	}
	snprintf(damage->text + file->damage_size, sizeof(damage->text) - file->damage_size,
		 " (and %zu more)", file->nr_damages - 1);
}

/** trace_file_add_buffer - returns -1 with @error */
static int trace_file_add_buffer(struct trace_file *file, struct text name, struct error *error)
{
	memset(file->has_area, 0, TRACE_CPUS_MAX / 8);
	if (!array_reserve(file->buffers, file->nr_buffers))
		return error_set(error, "out of memory");
	file->buffers[file->nr_buffers] = strndup(name.data, name.size);
	if (!file->buffers[file->nr_buffers])
		return error_set(error, "out of memory");
	file->nr_buffers++;
	return 0;
}

/* A hash of the trace's id, or of both ends of the file. */
static uint64_t file_identity(struct trace_file *file)
{
	const struct input *input = &file->input;
	struct text id = { .data = (const char *)&file->options.trace_id,
			   .size = sizeof(file->options.trace_id) };
	uint64_t identity = input->size;

	if (file->options.has_trace_id)
		return text_hash(id);
	for (int end = 0; end < 2; end++) {
		size_t size = input->size < IDENTITY_SIZE ? input->size : IDENTITY_SIZE;
		uint64_t offset = end ? input->size - size : 0;

		id.data = (const char *)window_read(&file->window, offset, input->size, &size);
		id.size = size;
		identity ^= text_hash(id) << end;
	}
	return identity;
}

size_t trace_file_nr_buffers(const struct trace_file *file)
{
	size_t size = file->nr_buffers;

	return size > 1 && strcmp(file->buffers[size - 1], TRACE_DAT_SIDEBAND) == 0 ? size - 1
										    : size;
}

void trace_file_close(struct trace_file *file)
{
	if (!file)
		return;
	streams_close(file->streams, file->nr_streams);
	for (size_t i = 0; i < file->nr_buffers; i++)
		free(file->buffers[i]);
	free(file->buffers);
	free(file->comms.list);
	free(file->comms.text);
	buffer_release(&file->comms.cgroups);
	buffer_release(&file->comms.first_cgroups);
	thread_set_release(&file->moved);
	shifts_release(&file->options.shifts);
	recording_release(&file->recording);
	trace_statistics_release(&file->statistics);
	inflater_release(&file->inflater);
	window_release(&file->window);
	window_release(&file->packed);
	free(file->shared_chunk.bytes);
	buffer_release(&file->ranges);
	free(file->has_area);
	input_close(&file->input);
	free(file->path);
	free(file);
}

void trace_file_finish(struct trace_file *file)
{
	trace_file_check_holes(file);
	trace_file_check_ids(file);
	window_release(&file->window);
}

/** struct v6_tables - the tables of all buffers but the first */
struct v6_tables {
	struct buffer list;
	uint32_t nr_cpus; /* of buffers that do not state it */
	bool is_damaged;  /* an option of a buffer ends early, or there are too many */
};

/* Finds all sections before the options; returns -1 with @error. */
static int v6_find_sections(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	for (enum trace_section_kind kind = 0; kind < TRACE_SECTION_KINDS; kind++) {
		struct trace_section *section = &file->sections[kind];

		/* Its size is not known before it is read. */
		*section = (struct trace_section){ .offset = cursor->offset,
						   .size = cursor_left(cursor) };
		if (kind == TRACE_FTRACE_FORMATS || kind == TRACE_EVENT_FORMATS)
			trace_file_skip_formats(cursor, kind);
		else if (kind != TRACE_HEADER_INFO)
			cursor_skip(cursor,
				    kind == TRACE_COMMS ? cursor_u64(cursor) : cursor_u32(cursor));
		else if (trace_file_read_layout(file, cursor) < 0)
			return trace_file_refuse(file, error, cursor->offset,
						 "it does not state the layout of its records");
		section->size = cursor->offset - section->offset;
	}
	if (cursor->is_over)
		return trace_file_refuse(file, error, cursor->offset,
					 "it is cut short before any records");
	return 0;
}

static bool v6_mark_is(struct text mark, const char *name)
{
	return text_equals(mark, (struct text){ .data = name, .size = TRACE_DAT_MARK_SIZE });
}

/** struct v6_table - a buffer's table of CPUs */
struct v6_table {
	uint64_t offset;
	uint64_t option;  /* offset of its option: offset of the table, name of the buffer */
	uint32_t nr_cpus; /* number of rows */
};

/* Reads options up to their end; of a further buffer's only the number of CPUs is used. */
static int v6_read_options(struct trace_file *file, struct cursor *cursor, struct v6_tables *tables,
			   bool is_first)
{
	unsigned int id;

	while ((id = cursor_u16(cursor)) != TRACE_DAT_END) {
		struct cursor data = cursor_part(cursor, cursor_u32(cursor));
		struct v6_table *list = (struct v6_table *)tables->list.data;
		size_t nr_tables = tables->list.size / sizeof(*list);
		struct v6_table table = { .option = data.offset, .nr_cpus = tables->nr_cpus };

		if (data.is_over)
			break;
		if (id == TRACE_DAT_CPU_COUNT) {
			/* It belongs to the buffer before it. */
			*(nr_tables > 0 ? &list[nr_tables - 1].nr_cpus
					: &tables->nr_cpus) = cursor_u32(&data);
		} else if (is_first && id == TRACE_DAT_BUFFER) {
			table.offset = cursor_u64(&data);
			cursor_string(&data);
			if (!data.is_over && nr_tables < TRACE_BUFFERS_MAX)
				buffer_append(&tables->list, &table, sizeof(table));
			else
				tables->is_damaged = true;
		} else if (is_first && trace_file_read_option(file, id, data) < 0) {
			return -1;
		}
	}
	return tables->list.failed ? -1 : 0;
}

/* Adds the CPUs of the last buffer. */
static int v6_read_table(struct trace_file *file, struct cursor *cursor, uint32_t nr_cpus,
			 struct error *error)
{
	struct trace_area area = { .buffer = file->nr_buffers - 1,
				   .sub_buffer_size = file->page_size };

	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		area.cpu = cpu;
		area.offset = cursor_u64(cursor);
		area.size = cursor_u64(cursor);
		if (cursor->is_over) {
			trace_file_report(file, cursor->offset,
					  "it is cut short: its table of cpus is missing");
			return 0;
		}
		if (trace_file_add_stream(file, &area, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * Version 6: all sections in a fixed order, then options and a table with the areas of all CPUs. An
 * option for each further buffer points to its own table.
 */

/* Limit of the list of clocks. */
#define CLOCK_SIZE_MAX 4096

/* The list of clocks may follow a table: its size, then printable names, one in brackets. */
static void v6_skip_clock(struct cursor *cursor)
{
	struct cursor ahead = *cursor;
	uint64_t size = cursor_u64(&ahead);
	struct text text;

	if (ahead.is_over || size > CLOCK_SIZE_MAX)
		return;
	text = cursor_text(&ahead, size);
	size = strnlen(text.data, text.size);
	for (size_t i = 0; i < size; i++) {
		if ((text.data[i] < ' ' && text.data[i] != '\n') || text.data[i] > '~')
			return;
	}
	if (!ahead.is_over && size + 1 >= text.size && memchr(text.data, '[', size))
		*cursor = ahead;
}

static int v6_read_first(struct trace_file *file, struct cursor *cursor, struct v6_tables *tables,
			 struct error *error)
{
	struct text mark = cursor_text(cursor, TRACE_DAT_MARK_SIZE);
	struct cursor clocks;

	if (v6_mark_is(mark, TRACE_DAT_OPTIONS)) {
		if (v6_read_options(file, cursor, tables, true) < 0)
			return error_set(error, "out of memory");
		mark = cursor_text(cursor, TRACE_DAT_MARK_SIZE);
	}
	if (v6_mark_is(mark, TRACE_DAT_LATENCY))
		return trace_file_refuse(file, error, cursor->offset - TRACE_DAT_MARK_SIZE,
					 "it holds the text of a tracer, no records");
	if (!v6_mark_is(mark, TRACE_DAT_RECORDS))
		return trace_file_refuse(file, error, cursor->offset,
					 "it has no table of its records");
	if (trace_file_add_buffer(file, text_of(""), error) < 0 ||
	    v6_read_table(file, cursor, tables->nr_cpus, error) < 0)
		return -1;
	clocks = *cursor;
	v6_skip_clock(cursor);
	/* The list behind the table is used if the option is empty. */
	if (file->options.has_clock && !file->recording.clock &&
	    trace_file_read_option(file, TRACE_DAT_CLOCK,
				   cursor_part(&clocks, cursor_u64(&clocks))) < 0)
		return error_set(error, "out of memory");
	return 0;
}

/* Reads the name of a further buffer, and its table. */
static int v6_read_buffer(struct trace_file *file, const struct v6_table *table,
			  struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, table->offset);
	struct cursor option = trace_file_cursor(file, table->option);
	struct v6_tables own = { .nr_cpus = table->nr_cpus };
	struct text mark;
	int status;

	cursor_u64(&option);
	if (trace_file_add_buffer(file, cursor_string(&option), error) < 0)
		return -1;
	mark = cursor_text(&cursor, TRACE_DAT_MARK_SIZE);
	if (v6_mark_is(mark, TRACE_DAT_OPTIONS)) {
		v6_read_options(file, &cursor, &own, false);
		mark = cursor_text(&cursor, TRACE_DAT_MARK_SIZE);
	}
	if (v6_mark_is(mark, TRACE_DAT_RECORDS)) {
		status = v6_read_table(file, &cursor, own.nr_cpus, error);
		v6_skip_clock(&cursor);
		trace_file_cover(file, table->offset, cursor.offset);
		return status;
	}
	trace_file_report(file, cursor.is_over ? file->input.size : table->offset,
			  "the table of a buffer is missing");
	return 0;
}

/*
 * Finds all sections and streams, as trace_file_read_v7() does.
 * @cursor: behind the page size
 *
 * Returns 0, or -1 with @error.
 */
static int trace_file_read_v6(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	struct v6_tables tables = { 0 };
	int status;

	if (v6_find_sections(file, cursor, error) < 0)
		return -1;
	tables.nr_cpus = cursor_u32(cursor);
	file->options.nr_cpus = tables.nr_cpus;
	status = v6_read_first(file, cursor, &tables, error);
	trace_file_cover(file, 0, cursor->offset);
	if (tables.is_damaged)
		trace_file_report(file, 0, "an option of a buffer is damaged");
	for (size_t i = 0; i < tables.list.size / sizeof(struct v6_table) && status == 0; i++)
		status = v6_read_buffer(file, (struct v6_table *)tables.list.data + i, error);
	buffer_release(&tables.list);
	return status;
}

/* Version 7: sections in any order, perhaps compressed, which a chain of options names. */

/* Limit of sections of options. */
#define CHAIN_MAX 1024

/* Reads a buffer's name, clock and size of sub-buffers, and adds its CPUs. */
static int v7_read_buffer(struct trace_file *file, struct cursor data, struct error *error)
{
	struct trace_area area = { .buffer = file->nr_buffers };
	uint64_t offset = cursor_u64(&data);
	struct trace_section section;
	struct text clock;
	uint32_t nr_cpus;

	if (data.is_over || !trace_section_find(file, TRACE_DAT_BUFFER, offset, &section))
		return 0;
	area.is_compressed = section.is_compressed;
	if (file->nr_buffers == TRACE_BUFFERS_MAX) {
		trace_file_report(file, offset, "it names more buffers than there can be");
		return 0;
	}
	if (trace_file_add_buffer(file, cursor_string(&data), error) < 0)
		return -1;
	clock = cursor_string(&data);
	if (!file->recording.clock && clock.size > 0 &&
	    recording_keep(&file->recording, &file->recording.clock, clock) < 0)
		return error_set(error, "out of memory");
	area.sub_buffer_size = cursor_u32(&data);
	if (area.sub_buffer_size == 0)
		area.sub_buffer_size = file->page_size;
	nr_cpus = cursor_u32(&data);
	for (uint32_t i = 0; i < nr_cpus && !data.is_over; i++) {
		area.cpu = cursor_u32(&data);
		area.offset = cursor_u64(&data);
		area.size = cursor_u64(&data);
		if (!data.is_over && trace_file_add_stream(file, &area, error) < 0)
			return -1;
	}
	if (data.is_over || cursor_left(&data) > 0)
		trace_file_report(file, offset,
				  "the size of a buffer's option contradicts its content");
	return 0;
}

/* Reads one section of options; @next is the offset of the following one, 0 for the last. */
static int v7_read_options(struct trace_file *file, struct cursor *cursor, uint64_t *next,
			   struct error *error)
{
	*next = 0;
	for (;;) {
		unsigned int id = cursor_u16(cursor);
		struct cursor data = cursor_part(cursor, cursor_u32(cursor));
		enum trace_section_kind kind = trace_section_kind_of(id);
		int status;

		if (id == TRACE_DAT_END && !cursor->is_over) {
			*next = cursor_u64(&data);
			if (data.is_over || cursor_left(&data) > 0 || cursor_left(cursor) > 0)
				trace_file_report(file, cursor->offset,
						  "its options end before their section does");
		}
		if (id == TRACE_DAT_END || data.is_over)
			return 0;
		if (id == TRACE_DAT_BUFFER) {
			status = v7_read_buffer(file, data, error);
		} else {
			if (kind < TRACE_SECTION_KINDS)
				trace_section_find(file, id, cursor_u64(&data),
						   &file->sections[kind]);
			status = trace_file_read_option(file, id, data);
			if (status < 0)
				error_set(error, "out of memory");
		}
		if (status < 0)
			return -1;
	}
}

static int v7_read_chain(struct trace_file *file, uint64_t offset, struct error *error)
{
	uint64_t offsets[CHAIN_MAX];
	struct trace_section section;
	struct trace_content content;
	int status = 0;

	for (size_t i = 0, k; offset > 0 && status == 0; i++) {
		for (k = 0; k < i && offsets[k] != offset; k++)
			;
		/* A chain that contains a section twice is a circle. */
		if (i == CHAIN_MAX || k < i) {
			trace_file_report(file, offset, "its options have no end");
			return 0;
		}
		offsets[i] = offset;
		if (!trace_section_find(file, TRACE_DAT_END, offset, &section) ||
		    !trace_content_open(file, &section, TRACE_SECTION_SIZE_MAX, &content))
			return 0;
		status = v7_read_options(file, &content.cursor, &offset, error);
		trace_content_check(file, &content, "it is cut short: options are missing");
		trace_content_close(&content);
	}
	return status;
}

/* The reason is damage that was reported before, if any. */
static int v7_refuse(const struct trace_file *file, struct error *error, size_t offset,
		     const char *problem)
{
	const char *damage = trace_file_damage(file);

	return damage ? error_set(error, "%s", damage)
		      : trace_file_refuse(file, error, offset, problem);
}

#define LAYOUT_SIZE_MAX (1 << 20)

static int trace_file_read_v7(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	const struct trace_section *layout = &file->sections[TRACE_HEADER_INFO];
	struct text algorithm = cursor_string(cursor);
	struct trace_content content;
	struct error problem = { 0 };
	uint64_t offset;
	int status = -1;

	/* The version of the compression library is not needed. */
	cursor_string(cursor);
	offset = cursor_u64(cursor);
	if (cursor->is_over)
		return trace_file_refuse(file, error, cursor->offset, "its header is cut short");
	if (inflater_init(&file->inflater, algorithm, &problem) < 0)
		return trace_file_refuse(file, error, cursor->offset, problem.text);
	if (v7_read_chain(file, offset, error) < 0)
		return -1;
	if (file->nr_buffers == 0)
		return v7_refuse(file, error, offset, "its options name no records");
	trace_file_cover(file, 0, cursor->offset);
	file->has_sections = true;
	if (trace_content_open(file, layout, LAYOUT_SIZE_MAX, &content)) {
		status = trace_file_read_layout(file, &content.cursor);
		trace_content_close(&content);
	}
	return status == 0 ? 0
			   : v7_refuse(file, error, layout->offset,
				       "it does not state the layout of its records");
}

#define NOT ", not a trace.dat; "
#define PCAP "a network capture (pcap)" NOT "open it in wireshark"
#define PAGE "a page of HTML" NOT "open it in a browser"
#define CTF(part) \
	part " of a CTF trace, as of LTTng" NOT "babeltrace2 and Trace Compass read its folder"

/* Recognizes kinds of files by their first bytes. */

/** struct file_kind - bytes of a kind of files, in general the first ones */
struct file_kind {
	const char *magic;
	size_t size;
	const char *what;
	size_t offset;
};

#define KIND_AT(offset, magic, what)                   \
	{                                              \
		magic, sizeof(magic) - 1, what, offset \
	}
#define KIND(magic, what) KIND_AT(0, magic, what)

static const struct file_kind kinds[] = {
	KIND("BZh", "compressed by bzip2" NOT "run bunzip2 first"),
	KIND("PK\x03\x04", "a zip archive" NOT "unpack it with unzip, and name a recording in it"),
	KIND_AT(257, "ustar",
		"a tar archive" NOT "unpack it with tar xf, and name a recording in it"),
	KIND("version https://git-lfs.github.com/spec/",
	     "a pointer of Git LFS" NOT "'git lfs pull' in its repository gets the file"),
	KIND("/* CTF ", CTF("the metadata")),
	KIND("\x57\x1d\xd1\x75", CTF("the metadata")),
	KIND("\x75\xd1\x1d\x57", CTF("the metadata")),
	KIND("\xc1\x1f\xfc\xc1", CTF("a stream")),
	KIND("\xc1\xfc\x1f\xc1", CTF("a stream")),
	KIND("PERFILE2", "a perf.data" NOT "'perf script -i' prints it"),
	KIND("\xd4\xc3\xb2\xa1", PCAP),
	KIND("\xa1\xb2\xc3\xd4", PCAP),
	KIND("\x4d\x3c\xb2\xa1", PCAP),
	KIND("\xa1\xb2\x3c\x4d", PCAP),
	KIND("\x0a\x0d\x0d\x0a", PCAP),
	KIND("\x7f\x45LF", "an ELF file (a program, a module or a core)" NOT
			   "name a recording of ktrack or trace-cmd"),
	KIND("{", "JSON" NOT "name the recording that it was made of"),
	KIND("<!DOCTYPE html>", PAGE),
	KIND("<!doctype html>", PAGE),
	KIND("\x10\x00\x04\x46xT\x16\x00",
	     "a trace in Fuchsia's format" NOT "open it in ui.perfetto.dev"),
	KIND("SQLite format 3", "an SQLite database" NOT "query it with 'ktrack query'"),
	KIND("# tracer:", "tracefs text" NOT "record with 'ktrack record'"),
};

/* Reads a varint at *@place; returns false if it does not end within the bytes. */
static bool varint_read(const unsigned char *bytes, size_t size, size_t *place, uint64_t *out)
{
	*out = 0;
	for (unsigned int shift = 0; *place < size && shift < 63; shift += 7) {
		unsigned char byte = bytes[(*place)++];

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/*
 * A Perfetto trace begins with field 1, a packet, in which a field has a valid wire type. Texts
 * have no other control characters than white space.
 */
static bool is_perfetto(const unsigned char *bytes, size_t size)
{
	uint64_t packet_size, tag;
	size_t place = 1, i = 0;

	while (i < size && (bytes[i] >= ' ' || memchr("\t\n\v\f\r", bytes[i], 5)) &&
	       bytes[i] != 0x7f)
		i++;
	if (size < 4 || bytes[0] != 0x0a || i == size ||
	    !varint_read(bytes, size, &place, &packet_size) || packet_size < 2)
		return false;
	if (!varint_read(bytes, size, &place, &tag))
		return false;
	return tag >> 3 > 0 && tag >> 3 < 1000 && ((tag & 7) == 0 || (tag & 7) == 2);
}

/*
 * Kind of a file by its first bytes, and what opens it
 * @size: of @bytes, FILE_KIND_SIZE unless the file is shorter
 *
 * Returns a constant text.
 */
static const char *file_kind_describe(const unsigned char *bytes, size_t size)
{
	if (size == 0)
		return "empty" NOT "name a recording of ktrack or trace-cmd";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct file_kind *kind = &kinds[i];

		if (size >= kind->offset + kind->size &&
		    memcmp(bytes + kind->offset, kind->magic, kind->size) == 0)
			return kind->what;
	}
	if (is_perfetto(bytes, size))
		return "a Perfetto trace" NOT "open it in ui.perfetto.dev";
	return "not a trace.dat; name a recording of ktrack or trace-cmd";
}

/* Refuses a file of another kind, and names the kind. */
static int trace_file_refuse_kind(const struct trace_file *file, struct error *error)
{
	unsigned char bytes[FILE_KIND_SIZE];
	size_t size = input_read(&file->input, bytes, sizeof(bytes), 0);

	if (size < sizeof(bytes) && errno != 0)
		return error_set_system(error, errno, "cannot read %s", input_name(file->path));
	if (input_refuse_raw(file->path, size == 0, error) < 0)
		return -1;
	return error_set(error, "%s: %s", input_name(file->path), file_kind_describe(bytes, size));
}

static int trace_file_read(struct trace_file *file, struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, 0);
	struct text version;
	bool is_big_endian;

	if (!cursor_expect(&cursor, text_of(TRACE_DAT_MAGIC)))
		return trace_file_refuse_kind(file, error);
	version = cursor_string(&cursor);
	is_big_endian = cursor_u8(&cursor);
	file->is_swapped = is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	file->layout.is_swapped = file->is_swapped;
	cursor.is_swapped = file->is_swapped;
	/* The size of userspace's longs; header_page states that of the kernel's. */
	file->long_size = cursor_u8(&cursor);
	file->page_size = cursor_u32(&cursor);
	if (cursor.is_over)
		return trace_file_refuse(file, error, cursor.offset, "its header is cut short");
	if (text_equals(version, text_of(TRACE_DAT_VERSION_6)))
		return trace_file_read_v6(file, &cursor, error);
	if (text_equals(version, text_of(TRACE_DAT_VERSION_7)))
		return trace_file_read_v7(file, &cursor, error);
	return trace_file_refuse(file, error, strlen(TRACE_DAT_MAGIC),
				 "its version of the format is neither 6 nor 7");
}

static int64_t file_convert_time(const struct stream *stream, int64_t ticks)
{
	const struct trace_stream *own = stream->own;

	if (own->shift)
		ticks = shift_apply(own->shift, ticks);
	return trace_rate_apply(own->file->options.rate, ticks);
}

/* Finds all streams, after the file was read. */
static int trace_file_begin(struct trace_file *file, struct error *error)
{
	const struct shifts *shifts = &file->options.shifts;
	const char *id;

	trace_file_miss_checksums(file);
	trace_file_sort_statistics(file);
	if (trace_file_check_areas(file, error) < 0 || trace_file_add_open(file, error) < 0 ||
	    trace_file_read_comms(file, error) < 0)
		return -1;
	trace_file_set_windows(file);
	for (size_t i = 0; i < file->nr_streams; i++) {
		struct stream *stream = &file->streams[i];
		struct trace_stream *own = stream->own;

		stream->is_sideband = stream->buffer == trace_file_nr_buffers(file);
		stream->layout = file->layout;
		/* A CPU that was added later has no samples. */
		own->shift = (size_t)stream->cpu < shifts->nr_cpus ? &shifts->list[stream->cpu]
								   : NULL;
		if (own->shift || file->options.rate.multiplier)
			stream->convert = file_convert_time;
	}
	trace_file_complete(file);
	if (trace_file_find_states(file, error) < 0 || trace_file_find_moves(file, error) < 0)
		return -1;
	/* A part states the id of the whole. */
	id = file->recording.id;
	if ((!id || strlen(id) != ID_SIZE || strspn(id, "0123456789abcdef") != ID_SIZE) &&
	    recording_keep_id(&file->recording, file_identity(file)) < 0)
		return error_set(error, "out of memory");
	window_release(&file->window);
	return 0;
}

int trace_file_open_at(struct trace_file **out, int fd, const char *path, struct error *error)
{
	struct trace_file *file = calloc(1, sizeof(*file));

	*out = NULL;
	if (!file) {
		close(fd);
		return error_set(error, "out of memory");
	}
	file->input = INPUT_NONE;
	file->window = (struct window){ .input = &file->input, .ahead = WINDOW_SIZE };
	file->packed = (struct window){ .input = &file->input };
	file->recording.wall_error_ns = -1;
	file->path = strdup(path);
	file->has_area = calloc(TRACE_CPUS_MAX / 8, 1);
	if (!file->path || !file->has_area) {
		close(fd);
		error_set(error, "out of memory");
	} else if (input_set(&file->input, fd, path, error) == 0) {
		trace_file_open_checksums(file);
		if (trace_file_read(file, error) == 0 && trace_file_begin(file, error) == 0) {
			*out = file;
			return 0;
		}
	}
	trace_file_close(file);
	return -1;
}

int trace_file_open(struct trace_file **out, const char *path,
		    const struct input_settings *settings, struct error *error)
{
	int fd = trace_input_open(path, NULL, settings, error);

	*out = NULL;
	return fd < 0 ? -1 : trace_file_open_at(out, fd, path, error);
}

void trace_file_set_progress(struct trace_file *file, struct byte_progress *progress)
{
	file->input.progress = progress;
}

const struct recording *trace_file_describe(const struct trace_file *file)
{
	return &file->recording;
}

struct stream *trace_file_streams(struct trace_file *file, size_t *nr_streams)
{
	*nr_streams = file->nr_streams;
	return file->streams;
}

const char *trace_file_damage(const struct trace_file *file)
{
	return file->nr_damages > 0 ? file->damage.text : NULL;
}

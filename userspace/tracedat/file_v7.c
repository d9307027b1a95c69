// SPDX-License-Identifier: GPL-2.0-only
/* Version 7: sections in any order, perhaps compressed, which a chain of options names. */
#include "tracedat/file_stream.h"
#include "tracedat/layout.h"

/* Limit of sections of options. */
#define CHAIN_MAX 1024

#define LAYOUT_SIZE_MAX (1 << 20)

/* Adds the CPUs of a buffer. */
static int v7_read_areas(struct trace_file *file, struct cursor *data, struct trace_area *area,
			 struct error *error)
{
	uint32_t nr_cpus = cursor_u32(data);

	for (uint32_t i = 0; i < nr_cpus && !data->is_over; i++) {
		area->cpu = cursor_u32(data);
		area->offset = cursor_u64(data);
		area->size = cursor_u64(data);
		if (!data->is_over && trace_file_add_stream(file, area, error) < 0)
			return -1;
	}
	return 0;
}

/* Reads the buffer's name, clock and size of sub-buffers. */
static int v7_begin_buffer(struct trace_file *file, struct cursor *data, struct trace_area *area,
			   struct error *error)
{
	struct text text = cursor_string(data);

	if (trace_file_add_buffer(file, text, error) < 0)
		return -1;
	text = cursor_string(data);
	if (!file->options.clock && trace_file_set_clock(file, text) < 0)
		return error_set(error, "out of memory");
	area->sub_buffer_size = cursor_u32(data);
	if (area->sub_buffer_size == 0)
		area->sub_buffer_size = file->page_size;
	return 0;
}

static int v7_read_buffer(struct trace_file *file, struct cursor data, struct error *error)
{
	struct trace_area area = { .buffer = file->nr_buffers };
	uint64_t offset = cursor_u64(&data);
	struct trace_section section;

	if (data.is_over || !trace_section_find(file, TRACE_DAT_BUFFER, offset, &section))
		return 0;
	area.is_compressed = section.is_compressed;
	if (file->nr_buffers == TRACE_BUFFERS_MAX) {
		trace_file_report(file, offset, "it names more buffers than there can be");
		return 0;
	}
	if (v7_begin_buffer(file, &data, &area, error) < 0 ||
	    v7_read_areas(file, &data, &area, error) < 0)
		return -1;
	if (data.is_over || cursor_left(&data) > 0)
		trace_file_report(file, offset,
				  "the size of a buffer's option contradicts its content");
	return 0;
}

static int v7_read_option(struct trace_file *file, unsigned int id, struct cursor data,
			  struct error *error)
{
	enum trace_section_kind kind = trace_section_kind_of(id);

	if (id == TRACE_DAT_BUFFER)
		return v7_read_buffer(file, data, error);
	if (kind < TRACE_SECTION_KINDS)
		trace_section_find(file, id, cursor_u64(&data), &file->sections[kind]);
	return trace_file_read_option(file, id, data) < 0 ? error_set(error, "out of memory") : 0;
}

/* The last option is the offset of the next section of options. */
static int v7_end_options(struct trace_file *file, struct cursor *cursor, struct cursor *data,
			  uint64_t *next)
{
	if (cursor->is_over)
		return 0;
	*next = cursor_u64(data);
	if (data->is_over || cursor_left(data) > 0 || cursor_left(cursor) > 0)
		trace_file_report(file, cursor->offset,
				  "its options end before their section does");
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

		if (id == TRACE_DAT_END)
			return v7_end_options(file, cursor, &data, next);
		if (data.is_over)
			return 0;
		if (v7_read_option(file, id, data, error) < 0)
			return -1;
	}
}

/* A chain that contains a section twice is a circle. */
static bool v7_chain_contains(const uint64_t *offsets, size_t nr_offsets, uint64_t offset)
{
	for (size_t i = 0; i < nr_offsets; i++) {
		if (offsets[i] == offset)
			return true;
	}
	return false;
}

static int v7_read_chain(struct trace_file *file, uint64_t offset, struct error *error)
{
	uint64_t offsets[CHAIN_MAX];
	struct trace_section section;
	struct trace_content content;
	int status = 0;

	for (size_t i = 0; offset > 0 && status == 0; i++) {
		if (i == CHAIN_MAX || v7_chain_contains(offsets, i, offset)) {
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

static int v7_read_layout(struct trace_file *file, struct error *error)
{
	const struct trace_section *section = &file->sections[TRACE_HEADER_INFO];
	struct trace_content content;
	int status = -1;

	if (trace_content_open(file, section, LAYOUT_SIZE_MAX, &content)) {
		status = trace_file_read_layout(file, &content.cursor);
		trace_content_close(&content);
	}
	if (status == 0)
		return 0;
	return v7_refuse(file, error, section->offset,
			 "it does not state the layout of its records");
}

int trace_file_read_v7(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	struct text algorithm = cursor_string(cursor);
	struct error problem = { 0 };
	uint64_t offset;

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
	return v7_read_layout(file, error);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reads event formats, and the layout of sub-buffers before them. */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "tracedat/file.h"
#include "tracedat/layout.h"
#include "userring/userring.h"

#define TIMESTAMP_SIZE 8

/* Parses the number behind @key in the line of @field. */
static uint64_t layout_number(struct text text, const char *field, const char *key)
{
	const char *end = text.data + text.size;
	const char *line = memmem(text.data, text.size, field, strlen(field));
	const char *at = line ? memmem(line, end - line, key, strlen(key)) : NULL;
	uint64_t number = 0;

	if (!at)
		return 0;
	for (at += strlen(key); at < end && *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (*at - '0');
	return number;
}

/* Supports one header: a timestamp, the committed size, the data. */
static bool layout_set(struct page_layout *layout, struct text text)
{
	uint64_t long_size = layout_number(text, " commit;", "size:");

	layout->has_short_longs = long_size == 4;
	return (long_size == 4 || long_size == 8) &&
	       layout_number(text, " commit;", "offset:") == TIMESTAMP_SIZE &&
	       layout_number(text, " data;", "offset:") == TIMESTAMP_SIZE + long_size;
}

/* Returns the size of a sub-buffer with its header, 0 if it is not stated. */
static size_t layout_size(struct text text)
{
	uint64_t offset = layout_number(text, " data;", "offset:");
	uint64_t size = layout_number(text, " data;", "size:");

	return offset < INT32_MAX && size < INT32_MAX ? offset + size : 0;
}

int trace_file_read_layout(struct trace_file *file, struct cursor *cursor)
{
	bool is_known;
	struct text text;

	if (!cursor_expect(cursor,
			   (struct text){ TRACE_DAT_HEADER_PAGE, sizeof(TRACE_DAT_HEADER_PAGE) }))
		return -1;
	text = cursor_text(cursor, cursor_u64(cursor));
	is_known = layout_set(&file->layout, text);
	file->sub_buffer_size = layout_size(text);
	if (!cursor_expect(cursor,
			   (struct text){ TRACE_DAT_HEADER_EVENT, sizeof(TRACE_DAT_HEADER_EVENT) }))
		return -1;
	text = cursor_text(cursor, cursor_u64(cursor));
	return is_known && text.size > 0 && !cursor->is_over ? 0 : -1;
}

/**
 * struct format_visit - one visit of all formats
 * @has_programs: the file has records of programs, whose events have ids of their own
 * @system: of the current formats, behind PROGRAM_PREFIX
 * @name: of the current format
 * @status: last result of the visitor
 */
struct format_visit {
	struct trace_file *file;
	const struct tracepoint_visitor *visitor;
	struct error *error;
	bool has_programs;
	struct buffer system;
	struct buffer name;
	int status;
};

/* Parses the first line, "name: NAME". */
static struct text visit_parse_name(struct text format)
{
	static const char key[] = "name: ";
	const char *begin = memmem(format.data, format.size, key, strlen(key));
	const char *end;

	if (!begin)
		return (struct text){ .data = "" };
	begin += strlen(key);
	end = memchr(begin, '\n', format.data + format.size - begin);
	return (struct text){ .data = begin, .size = end ? end - begin : 0 };
}

static void visit_set_system(struct format_visit *visit, struct text system)
{
	buffer_clear(&visit->system);
	buffer_append_string(&visit->system, PROGRAM_PREFIX);
	buffer_append(&visit->system, system.data, system.size);
}

/* Without the prefix. */
static const char *visit_system(struct format_visit *visit)
{
	return buffer_string(&visit->system) + strlen(PROGRAM_PREFIX);
}

/* Reports a format that is not text, or lacks its name or id. */
static void visit_check_format(struct format_visit *visit, struct text format, int64_t id,
			       uint64_t offset)
{
	bool is_text = !memchr(format.data, '\0', format.size);
	char problem[160];

	if (is_text && id >= 0 && visit->name.size > 0)
		return;
	snprintf(problem, sizeof(problem), "the format of %.50s:%.50s is damaged",
		 visit_system(visit),
		 visit->name.size > 0 ? buffer_string(&visit->name) : "(no name)");
	trace_file_report(visit->file, offset, problem);
}

/* Skips a format without a name. */
static void visit_format(struct format_visit *visit, struct text format, uint64_t offset)
{
	struct tracepoint tracepoint = { .format = format };
	struct text name = visit_parse_name(format);
	int64_t id = format_read_id(format);

	buffer_clear(&visit->name);
	buffer_append(&visit->name, name.data, name.size);
	if (visit->name.failed || visit->system.failed) {
		visit->status = error_set(visit->error, "out of memory");
		return;
	}
	visit_check_format(visit, format, id, offset);
	if (id >= 0)
		trace_file_add_id(visit->file, id);
	if (name.size == 0)
		return;
	tracepoint.system = visit->has_programs && id >= PROGRAM_EVENT_ID
				    ? buffer_string(&visit->system)
				    : visit_system(visit);
	tracepoint.name = buffer_string(&visit->name);
	visit->status = visit->visitor->visit(visit->visitor->context, &tracepoint, visit->error);
}

/* Visits the formats of one system; skips them if @visit is NULL. */
static void system_walk(struct cursor *cursor, struct format_visit *visit)
{
	uint32_t nr_formats = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr_formats && !cursor->is_over; i++) {
		uint64_t size = cursor_u64(cursor);
		uint64_t offset = cursor->offset;
		struct text format;

		if (!visit || visit->status != 0) {
			cursor_skip(cursor, size);
			continue;
		}
		format = cursor_text(cursor, size);
		if (!cursor->is_over)
			visit_format(visit, format, offset);
	}
}

static void formats_walk(struct cursor *cursor, struct format_visit *visit)
{
	if (visit)
		visit_set_system(visit, text_of("ftrace"));
	system_walk(cursor, visit);
}

static void events_walk(struct cursor *cursor, struct format_visit *visit)
{
	uint32_t nr_systems = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr_systems && !cursor->is_over; i++) {
		struct text system = cursor_string(cursor);

		if (visit)
			visit_set_system(visit, system);
		system_walk(cursor, visit);
	}
}

void trace_file_skip_formats(struct cursor *cursor)
{
	formats_walk(cursor, NULL);
}

void trace_file_skip_events(struct cursor *cursor)
{
	events_walk(cursor, NULL);
}

/* Whether nothing follows the last format; version 6 does not state the size. */
static bool formats_are_complete(const struct trace_file *file, const struct trace_content *content)
{
	return !file->has_sections || content->cursor.is_over || cursor_left(&content->cursor) == 0;
}

static void section_visit(struct trace_file *file, enum trace_section_kind kind,
			  struct format_visit *visit)
{
	struct trace_content content;

	if (visit->status != 0 ||
	    !trace_content_open(file, &file->sections[kind], TRACE_SECTION_SIZE_MAX, &content))
		return;
	if (kind == TRACE_EVENT_FORMATS)
		events_walk(&content.cursor, visit);
	else
		formats_walk(&content.cursor, visit);
	trace_content_check(file, &content, "it is cut short: event formats are missing");
	if (!formats_are_complete(file, &content))
		trace_file_report(file, content.offset,
				  "the size of its event formats contradicts their number");
	trace_content_close(&content);
	window_release(&file->window);
}

/* In a file of others, a buffer of this name is one of the kernel's. */
static bool file_has_programs(const struct trace_file *file)
{
	for (size_t i = 0; i < file->nr_buffers && file->options.is_ktrack; i++) {
		if (strcmp(file->buffers[i], PROGRAMS_BUFFER) == 0)
			return true;
	}
	return false;
}

int trace_file_visit(struct trace_file *file, const struct tracepoint_visitor *visitor,
		     struct error *error)
{
	struct format_visit visit = { .file = file,
				      .visitor = visitor,
				      .error = error,
				      .has_programs = file_has_programs(file) };

	section_visit(file, TRACE_EVENT_FORMATS, &visit);
	section_visit(file, TRACE_FTRACE_FORMATS, &visit);
	buffer_release(&visit.system);
	buffer_release(&visit.name);
	return visit.status;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The event formats of a trace.dat, and the layout of its sub-buffers, which stands before them. */
#include <string.h>

#include "source/file.h"
#include "source/trace_dat.h"

/* Formats of all events of a kernel take some megabytes. */
#define FORMATS_SIZE_MAX (64 << 20)

#define STAMP_SIZE 8

/* The number behind @key in the line of @field. */
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

/* Whether the kernel's header is one that we can read: a stamp, the committed size, the data. */
static bool layout_set(struct page_layout *layout, struct text text)
{
	uint64_t long_size = layout_number(text, " commit;", "size:");

	layout->has_short_longs = long_size == 4;
	return (long_size == 4 || long_size == 8) &&
	       layout_number(text, " commit;", "offset:") == STAMP_SIZE &&
	       layout_number(text, " data;", "offset:") == STAMP_SIZE + long_size;
}

int trace_file_read_layout(struct trace_file *file, struct cursor *cursor)
{
	struct text page, event;

	if (!cursor_expect(cursor,
			   (struct text){ TRACE_DAT_HEADER_PAGE, sizeof(TRACE_DAT_HEADER_PAGE) }))
		return -1;
	page = cursor_text(cursor, cursor_u64(cursor));
	if (!cursor_expect(cursor,
			   (struct text){ TRACE_DAT_HEADER_EVENT, sizeof(TRACE_DAT_HEADER_EVENT) }))
		return -1;
	event = cursor_text(cursor, cursor_u64(cursor));
	return layout_set(&file->layout, page) && event.size > 0 && !cursor->is_over ? 0 : -1;
}

/**
 * struct format_visit - one round through all formats
 * @status: what the visitor returned last
 */
struct format_visit {
	const struct source_visitor *visitor;
	struct error *error;
	struct buffer name;
	int status;
};

/* The event's name, from the format's first line, "name: NAME". */
static struct text format_name(struct text format)
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

/* Shows one format; one without a name is passed over. */
static void format_show(struct format_visit *visit, const char *system, struct text format)
{
	struct source_tracepoint tracepoint = { .system = system, .format = format };
	struct text name = format_name(format);

	if (name.size == 0)
		return;
	buffer_clear(&visit->name);
	buffer_append(&visit->name, name.data, name.size);
	tracepoint.name = buffer_string(&visit->name);
	visit->status = visit->visitor->visit(visit->visitor->context, &tracepoint, visit->error);
}

/* Goes through the formats of one system; only steps over them where nobody visits. */
static void system_walk(struct cursor *cursor, const char *system, struct format_visit *visit)
{
	uint32_t nr_formats = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr_formats && !cursor->is_over; i++) {
		struct text format = cursor_text(cursor, cursor_u64(cursor));

		if (visit && visit->status == 0 && !cursor->is_over)
			format_show(visit, system, format);
	}
}

static void formats_walk(struct cursor *cursor, struct format_visit *visit)
{
	system_walk(cursor, "ftrace", visit);
}

static void events_walk(struct cursor *cursor, struct format_visit *visit)
{
	uint32_t nr_systems = cursor_u32(cursor);

	for (uint32_t i = 0; i < nr_systems && !cursor->is_over; i++) {
		struct text system = cursor_string(cursor);

		system_walk(cursor, system.data, visit);
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

static void part_visit(struct trace_file *file, enum trace_part part, struct format_visit *visit)
{
	struct trace_content content;

	if (visit->status != 0 ||
	    !trace_content_open(file, &file->parts[part], FORMATS_SIZE_MAX, &content))
		return;
	if (part == TRACE_EVENT_FORMATS)
		events_walk(&content.cursor, visit);
	else
		formats_walk(&content.cursor, visit);
	trace_content_damage(file, &content, "it is cut short: event formats are missing");
	if (!content.inflated)
		mapping_forget(&file->mapping, content.offset,
			       trace_file_offset(file, &content.cursor));
	trace_content_close(&content);
}

int trace_file_visit(struct source *source, const struct source_visitor *visitor,
		     struct error *error)
{
	struct format_visit visit = { .visitor = visitor, .error = error };

	part_visit((struct trace_file *)source, TRACE_EVENT_FORMATS, &visit);
	part_visit((struct trace_file *)source, TRACE_FTRACE_FORMATS, &visit);
	buffer_release(&visit.name);
	return visit.status;
}

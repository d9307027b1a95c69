// SPDX-License-Identifier: GPL-2.0-only
/* Reads event formats, and the layout of sub-buffers before them. */
#include <stdio.h>
#include <stdlib.h>
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

/* Counts records whose id has no format, which cannot be decoded. */

/* Smaller ids are ftrace's own, and need not have a format. */
#define EVENT_ID_MIN 20

void trace_file_add_id(struct trace_file *file, unsigned int id)
{
	file->ids.has_format[id / 8] |= 1 << id % 8;
	file->ids.is_visited = true;
}

/* Returns false if too many other ids are counted separately. */
static bool id_count(struct trace_ids *ids, unsigned int id)
{
	size_t i = 0;

	while (i < ids->nr_listed && ids->list[i].id != id)
		i++;
	if (i == TRACE_IDS_MAX)
		return false;
	if (i == ids->nr_listed)
		ids->list[ids->nr_listed++] = (struct trace_id_count){ .id = id };
	ids->list[i].nr_records++;
	return true;
}

void trace_file_count_unknown(struct trace_file *file, const struct record *record)
{
	struct trace_ids *ids = &file->ids;
	uint16_t id;

	if (record->size < sizeof(id) || !ids->is_visited)
		return;
	memcpy(&id, record->data, sizeof(id));
	if (file->is_swapped)
		id = __builtin_bswap16(id);
	if (id < EVENT_ID_MIN || ids->has_format[id / 8] & 1 << id % 8)
		return;
	/* Formats of an unloaded module: ktrack reports these records as lost. */
	if (file->options.is_ktrack && trace_file_is_open(file, record->buffer, record->cpu))
		return;
	ids->nr_others += !id_count(ids, id);
}

void trace_file_check_ids(struct trace_file *file)
{
	const struct trace_ids *ids = &file->ids;
	struct buffer text = { 0 };

	if (ids->nr_listed == 0)
		return;
	buffer_append_string(&text, "records have no format:");
	for (size_t i = 0; i < ids->nr_listed; i++)
		buffer_printf(&text, "%s %llu of id %u", i ? "," : "",
			      (unsigned long long)ids->list[i].nr_records, ids->list[i].id);
	if (ids->nr_others > 0)
		buffer_printf(&text, ", %llu of other ids", (unsigned long long)ids->nr_others);
	trace_file_report(file, file->sections[TRACE_EVENT_FORMATS].offset, buffer_string(&text));
	buffer_release(&text);
}

/* Reads the kernel's symbols and constant strings: a text behind its size. */

/* Limit of a compressed section's text; kernels with all modules have half of that. */
#define SYMBOLS_SIZE_MAX (24 << 20)

/* Kernels have a hundredth of that. */
#define CONSTANTS_SIZE_MAX (1 << 20)

/* Size of the parts that are read. */
#define SYMBOLS_PART_SIZE 65536

/* Adds the text to the table, in parts; a text that is cut short is damage. */
static void symbols_add(struct trace_file *file, struct trace_content *content,
			struct kallsyms *table)
{
	struct cursor *cursor = &content->cursor;
	size_t size = cursor_u32(cursor), part;

	cursor->is_over |= size > cursor_left(cursor);
	trace_content_check(file, content, "it is cut short: kernel symbols are missing");
	for (; size > 0 && !cursor->is_over; size -= part) {
		part = size < SYMBOLS_PART_SIZE ? size : SYMBOLS_PART_SIZE;
		kallsyms_add(table, cursor_text(cursor, part));
	}
}

int trace_file_read_symbols(struct trace_file *file, struct kallsyms **out, struct error *error)
{
	struct trace_content content;
	struct kallsyms *table;

	*out = NULL;
	table = kallsyms_begin();
	if (!table)
		return error_set(error, "out of memory");
	if (trace_content_open(file, &file->sections[TRACE_SYMBOLS], SYMBOLS_SIZE_MAX, &content)) {
		symbols_add(file, &content, table);
		trace_content_close(&content);
		window_release(&file->window);
	}
	if (kallsyms_finish(table, error) < 0) {
		kallsyms_free(table);
		return -1;
	}
	*out = table;
	return 0;
}

int trace_file_read_constants(struct trace_file *file, struct constants *out, struct error *error)
{
	const struct trace_section *section = &file->sections[TRACE_CONSTANTS];
	struct trace_content content;
	int status = 0;
	size_t size;

	if (section->offset == 0 ||
	    !trace_content_open(file, section, CONSTANTS_SIZE_MAX, &content))
		return 0;
	size = cursor_u32(&content.cursor);
	content.cursor.is_over |= size > cursor_left(&content.cursor);
	trace_content_check(file, &content, "it is cut short: constant strings are missing");
	if (!content.cursor.is_over && size <= CONSTANTS_SIZE_MAX)
		status = constants_add(out, cursor_text(&content.cursor, size));
	trace_content_close(&content);
	window_release(&file->window);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

/*
 * Reads names of threads: lines "TID NAME"; ktrack adds a NUL and lines "TID TGID", which other
 * readers ignore.
 */

/* The kernel saves at most 32,768 names; ktrack adds those of living threads. */
#define COMMS_SIZE_MAX (4 << 20)
#define COMMS_MAX 131072

/* Removes a number from the begin of a line; returns 0 if there is none. */
static int comm_take_number(struct text *line)
{
	const char *end = line->data + line->size;
	const char *at = line->data;
	int number = 0;

	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && number < INT32_MAX / 10; at++)
		number = number * 10 + (*at - '0');
	*line = (struct text){ .data = at, .size = end - at };
	return number;
}

/* Parses "TID NAME"; returns false if it is another line, or the name is unknown. */
static bool comm_parse(struct trace_comm *comm, struct text line)
{
	comm->tid = comm_take_number(&line);
	if (comm->tid == 0 || line.size == 0 || *line.data != ' ')
		return false;
	comm->name = (struct text){ .data = line.data + 1, .size = line.size - 1 };
	return comm->name.size > 0 && !text_equals(comm->name, text_of("<...>"));
}

static int comm_compare(const void *a, const void *b)
{
	const struct trace_comm *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static size_t comms_count_lines(struct text text)
{
	size_t nr_lines = 1;

	for (size_t i = 0; i < text.size && nr_lines < COMMS_MAX; i++)
		nr_lines += text.data[i] == '\n';
	return nr_lines;
}

/*
 * A name with a newline can look like the line of another thread. If a thread has two names, either
 * may be forged: both are dropped.
 */
static void comms_drop_doubtful(struct trace_comms *comms)
{
	const struct trace_comm *list = comms->list;
	size_t nr_kept = 0, next;

	for (size_t i = 0; i < comms->size; i = next) {
		bool is_sure = true;

		for (next = i + 1; next < comms->size && list[next].tid == list[i].tid; next++)
			is_sure &= text_equals(list[next].name, list[i].name);
		if (is_sure)
			comms->list[nr_kept++] = list[i];
	}
	comms->size = nr_kept;
}

static int comms_read_names(struct trace_comms *comms, struct text text)
{
	size_t nr_lines = comms_count_lines(text);

	comms->list = calloc(nr_lines, sizeof(*comms->list));
	if (!comms->list)
		return -1;
	while (text.size > 0 && comms->size < nr_lines)
		comms->size += comm_parse(&comms->list[comms->size], text_take_line(&text));
	qsort(comms->list, comms->size, sizeof(*comms->list), comm_compare);
	comms_drop_doubtful(comms);
	return 0;
}

static struct trace_comm *comm_find(const struct trace_comms *comms, int tid)
{
	const struct trace_comm key = { .tid = tid };

	if (comms->size == 0)
		return NULL;
	return bsearch(&key, comms->list, comms->size, sizeof(key), comm_compare);
}

static void comms_read_processes(struct trace_comms *comms, struct text text)
{
	while (text.size > 0) {
		struct text line = text_take_line(&text);
		struct trace_comm *comm = comm_find(comms, comm_take_number(&line));

		if (comm)
			comm->tgid = comm_take_number(&line);
	}
}

static int comms_read(struct trace_comms *comms, struct text text)
{
	size_t size = strnlen(text.data, text.size);

	comms->text = malloc(text.size + 1);
	if (!comms->text)
		return -1;
	memcpy(comms->text, text.data, text.size);
	if (comms_read_names(comms, (struct text){ .data = comms->text, .size = size }) < 0)
		return -1;
	if (size < text.size)
		comms_read_processes(comms, (struct text){ .data = comms->text + size + 1,
							   .size = text.size - size - 1 });
	return 0;
}

int trace_file_read_comms(struct trace_file *file, struct error *error)
{
	struct trace_content content;
	uint64_t size;
	struct text text;
	int status = 0;

	if (!trace_content_open(file, &file->sections[TRACE_COMMS], COMMS_SIZE_MAX, &content))
		return 0;
	size = cursor_u64(&content.cursor);
	content.cursor.is_over |= size > cursor_left(&content.cursor);
	trace_content_check(file, &content, "it is cut short: names of threads are missing");
	if (!content.cursor.is_over) {
		text = cursor_text(&content.cursor, size < COMMS_SIZE_MAX ? size : COMMS_SIZE_MAX);
		status = comms_read(&file->comms, text);
	}
	trace_content_close(&content);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

void trace_file_find_task(const struct trace_file *file, int tid, struct thread_identity *out)
{
	const struct trace_comm *comm = comm_find(&file->comms, tid);
	size_t size;

	if (!comm)
		return;
	out->tgid = comm->tgid;
	size = comm->name.size < sizeof(out->comm) ? comm->name.size : sizeof(out->comm) - 1;
	memcpy(out->comm, comm->name.data, size);
	out->comm[size] = '\0';
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Version 6: all sections in a fixed order, then options and a table with the areas of all CPUs. An
 * option for each further buffer points to its own table.
 */
#include <string.h>

#include "tracedat/file_stream.h"
#include "tracedat/layout.h"

/* Limit of the list of clocks. */
#define CLOCK_SIZE_MAX 4096

/**
 * struct v6_table - a buffer's table of CPUs
 * @option: offset of its option: offset of the table, name of the buffer
 * @nr_cpus: number of rows
 */
struct v6_table {
	uint64_t offset;
	uint64_t option;
	uint32_t nr_cpus;
};

/**
 * struct v6_tables - the tables of all buffers but the first
 * @nr_cpus: of buffers that do not state it
 * @is_damaged: an option of a buffer ends early, or there are too many
 */
struct v6_tables {
	struct buffer list;
	uint32_t nr_cpus;
	bool is_damaged;
};

static bool v6_mark_is(struct text mark, const char *name)
{
	return text_equals(mark, (struct text){ .data = name, .size = TRACE_DAT_MARK_SIZE });
}

/* Its size is not known before it is read. */
static void v6_begin_section(struct trace_file *file, enum trace_section_kind kind,
			     const struct cursor *cursor)
{
	file->sections[kind] = (struct trace_section){ .offset = cursor->offset,
						       .size = cursor_left(cursor) };
}

/* Finds all sections before the options; returns -1 with @error. */
static int v6_find_sections(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	if (trace_file_read_layout(file, cursor) < 0)
		return trace_file_refuse(file, error, cursor->offset,
					 "it does not state the layout of its records");
	v6_begin_section(file, TRACE_FTRACE_FORMATS, cursor);
	trace_file_skip_formats(cursor);
	v6_begin_section(file, TRACE_EVENT_FORMATS, cursor);
	trace_file_skip_events(cursor);
	v6_begin_section(file, TRACE_SYMBOLS, cursor);
	cursor_skip(cursor, cursor_u32(cursor));
	v6_begin_section(file, TRACE_CONSTANTS, cursor);
	cursor_skip(cursor, cursor_u32(cursor));
	v6_begin_section(file, TRACE_COMMS, cursor);
	cursor_skip(cursor, cursor_u64(cursor));
	if (cursor->is_over)
		return trace_file_refuse(file, error, cursor->offset,
					 "it is cut short before any records");
	return 0;
}

static void v6_add_table(struct v6_tables *tables, struct cursor data)
{
	struct v6_table table = { .option = data.offset, .nr_cpus = tables->nr_cpus };

	table.offset = cursor_u64(&data);
	cursor_string(&data);
	if (!data.is_over && tables->list.size / sizeof(table) < TRACE_BUFFERS_MAX)
		buffer_append(&tables->list, &table, sizeof(table));
	else
		tables->is_damaged = true;
}

/* A number of CPUs belongs to the buffer before it. */
static void v6_set_nr_cpus(struct v6_tables *tables, uint32_t nr_cpus)
{
	struct v6_table *list = (struct v6_table *)tables->list.data;
	size_t nr_tables = tables->list.size / sizeof(*list);

	if (nr_tables > 0)
		list[nr_tables - 1].nr_cpus = nr_cpus;
	else
		tables->nr_cpus = nr_cpus;
}

/* Reads options up to their end; of a further buffer's only the number of CPUs is used. */
static int v6_read_options(struct trace_file *file, struct cursor *cursor, struct v6_tables *tables,
			   bool is_first)
{
	unsigned int id;

	while ((id = cursor_u16(cursor)) != TRACE_DAT_END) {
		struct cursor data = cursor_part(cursor, cursor_u32(cursor));

		if (data.is_over)
			break;
		if (id == TRACE_DAT_CPU_COUNT)
			v6_set_nr_cpus(tables, cursor_u32(&data));
		else if (is_first && id == TRACE_DAT_BUFFER)
			v6_add_table(tables, data);
		else if (is_first && trace_file_read_option(file, id, data) < 0)
			return -1;
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

/* Adds the buffer of an option. */
static int v6_name_buffer(struct trace_file *file, const struct v6_table *table,
			  struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, table->option);

	cursor_u64(&cursor);
	return trace_file_add_buffer(file, cursor_string(&cursor), error);
}

/* Printable names of clocks, one in brackets, perhaps a NUL. */
static bool v6_is_clock(struct text text)
{
	size_t size = strnlen(text.data, text.size);

	for (size_t i = 0; i < size; i++) {
		if ((text.data[i] < ' ' && text.data[i] != '\n') || text.data[i] > '~')
			return false;
	}
	return size + 1 >= text.size && memchr(text.data, '[', size);
}

/* The list of clocks may follow a table: its size, then its bytes. */
static void v6_skip_clock(struct cursor *cursor)
{
	struct cursor ahead = *cursor;
	uint64_t size = cursor_u64(&ahead);
	struct text text;

	if (ahead.is_over || size > CLOCK_SIZE_MAX)
		return;
	text = cursor_text(&ahead, size);
	if (!ahead.is_over && v6_is_clock(text))
		*cursor = ahead;
}

/* Reads the table of a further buffer. */
static int v6_read_buffer(struct trace_file *file, const struct v6_table *table,
			  struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, table->offset);
	struct v6_tables own = { .nr_cpus = table->nr_cpus };
	struct text mark;
	int status;

	if (v6_name_buffer(file, table, error) < 0)
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

/* The list behind the table is used if the option is empty. */
static int v6_read_clock(struct trace_file *file, struct cursor *cursor)
{
	struct cursor ahead = *cursor;

	v6_skip_clock(cursor);
	if (!file->options.has_clock || file->options.clock)
		return 0;
	return trace_file_read_option(file, TRACE_DAT_CLOCK,
				      cursor_part(&ahead, cursor_u64(&ahead)));
}

static int v6_read_first(struct trace_file *file, struct cursor *cursor, struct v6_tables *tables,
			 struct error *error)
{
	struct text mark = cursor_text(cursor, TRACE_DAT_MARK_SIZE);

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
	return v6_read_clock(file, cursor) < 0 ? error_set(error, "out of memory") : 0;
}

int trace_file_read_v6(struct trace_file *file, struct cursor *cursor, struct error *error)
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

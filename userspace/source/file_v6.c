// SPDX-License-Identifier: GPL-2.0-only
/*
 * Version 6 of trace.dat: all parts one behind the other, without a table; then options, and a
 * table of where the records of each CPU are. Further buffers have a table of their own, to which
 * an option points.
 */
#include <string.h>

#include "source/file.h"
#include "source/trace_dat.h"

/* More than the names of all clocks take. */
#define CLOCK_SIZE_MAX 4096

/**
 * struct table - where a buffer's table of CPUs is
 * @option: where its option is, which has the buffer's name behind the table's place
 * @nr_cpus: how many rows it has
 */
struct table {
	uint64_t offset;
	uint64_t option;
	uint32_t nr_cpus;
};

/**
 * struct tables - the tables of all buffers but the first
 * @nr_cpus: of those that do not say it otherwise
 * @is_damaged: an option of a buffer ends early, or there are too many
 */
struct tables {
	struct buffer list;
	uint32_t nr_cpus;
	bool is_damaged;
};

static bool mark_is(struct text mark, const char *name)
{
	return text_equals(mark, (struct text){ .data = name, .size = TRACE_DAT_MARK_SIZE });
}

/* Notes where a part is, which ends somewhere before the end of the file. */
static void part_begin(struct trace_file *file, enum trace_part part, const struct cursor *cursor)
{
	file->parts[part] = (struct trace_section){ .offset = cursor->offset,
						    .size = cursor_left(cursor) };
}

/* Steps over all up to the options; returns -1 with @error. */
static int parts_find(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	if (trace_file_read_layout(file, cursor) < 0)
		return trace_file_refuse(file, error, cursor->offset,
					 "it does not say how its records are laid out");
	part_begin(file, TRACE_FTRACE_FORMATS, cursor);
	trace_file_skip_formats(cursor);
	part_begin(file, TRACE_EVENT_FORMATS, cursor);
	trace_file_skip_events(cursor);
	/* The kernel's symbols, and the formats of trace_printk. */
	cursor_skip(cursor, cursor_u32(cursor));
	cursor_skip(cursor, cursor_u32(cursor));
	part_begin(file, TRACE_COMMS, cursor);
	cursor_skip(cursor, cursor_u64(cursor));
	if (cursor->is_over)
		return trace_file_refuse(file, error, cursor->offset,
					 "it is cut short before any records");
	return 0;
}

static void table_note(struct tables *tables, struct cursor data)
{
	struct table table = { .option = data.offset, .nr_cpus = tables->nr_cpus };

	table.offset = cursor_u64(&data);
	cursor_string(&data);
	if (!data.is_over && tables->list.size / sizeof(table) < TRACE_BUFFERS_MAX)
		buffer_append(&tables->list, &table, sizeof(table));
	else
		tables->is_damaged = true;
}

/* A number of CPUs behind a buffer is that buffer's. */
static void table_set_cpus(struct tables *tables, uint32_t nr_cpus)
{
	struct table *list = (struct table *)tables->list.data;
	size_t nr_tables = tables->list.size / sizeof(*list);

	if (nr_tables > 0)
		list[nr_tables - 1].nr_cpus = nr_cpus;
	else
		tables->nr_cpus = nr_cpus;
}

/*
 * Reads options up to their end; those of a buffer's own list matter only by their number of CPUs.
 */
static int options_read(struct trace_file *file, struct cursor *cursor, struct tables *tables,
			bool is_first)
{
	unsigned int id;

	while ((id = cursor_u16(cursor)) != TRACE_DAT_END) {
		struct cursor data = cursor_part(cursor, cursor_u32(cursor));

		if (data.is_over)
			break;
		if (id == TRACE_DAT_CPU_COUNT)
			table_set_cpus(tables, cursor_u32(&data));
		else if (is_first && id == TRACE_DAT_BUFFER)
			table_note(tables, data);
		else if (is_first && trace_file_option(file, id, data) < 0)
			return -1;
	}
	return tables->list.failed ? -1 : 0;
}

/* Adds the CPUs of one buffer. Rows that are missing are damage. */
static int table_read(struct trace_file *file, struct cursor *cursor, uint32_t nr_cpus,
		      struct error *error)
{
	struct trace_area area = { .buffer = file->nr_buffers - 1,
				   .sub_buffer_size = file->page_size };

	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		area.cpu = cpu;
		area.offset = cursor_u64(cursor);
		area.size = cursor_u64(cursor);
		if (cursor->is_over) {
			trace_file_damage(file, cursor->offset,
					  "it is cut short: its table of cpus is missing");
			return 0;
		}
		if (trace_file_add_stream(file, &area, error) < 0)
			return -1;
	}
	return 0;
}

/* Adds the buffer that an option names. */
static int buffer_name(struct trace_file *file, const struct table *table, struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, table->option);

	cursor_u64(&cursor);
	return trace_file_add_buffer(file, cursor_string(&cursor), error);
}

/* Names of clocks, one of them in brackets; and maybe a NUL. */
static bool text_is_clock(struct text text)
{
	size_t size = strnlen(text.data, text.size);

	for (size_t i = 0; i < size; i++) {
		if ((text.data[i] < ' ' && text.data[i] != '\n') || text.data[i] > '~')
			return false;
	}
	return size + 1 >= text.size && memchr(text.data, '[', size);
}

/* Behind a table, there may be the clock: a size, and so many bytes, with its name in brackets. */
static void clock_skip(struct cursor *cursor)
{
	struct cursor ahead = *cursor;
	uint64_t size = cursor_u64(&ahead);
	struct text text;

	if (ahead.is_over || size > CLOCK_SIZE_MAX)
		return;
	text = cursor_text(&ahead, size);
	if (!ahead.is_over && text_is_clock(text))
		*cursor = ahead;
}

/* Reads the table of a further buffer. */
static int buffer_read(struct trace_file *file, const struct table *table, struct error *error)
{
	struct cursor cursor = trace_file_cursor(file, table->offset);
	struct tables own = { .nr_cpus = table->nr_cpus };
	struct text mark;
	int status;

	if (buffer_name(file, table, error) < 0)
		return -1;
	mark = cursor_text(&cursor, TRACE_DAT_MARK_SIZE);
	if (mark_is(mark, TRACE_DAT_OPTIONS)) {
		options_read(file, &cursor, &own, false);
		mark = cursor_text(&cursor, TRACE_DAT_MARK_SIZE);
	}
	if (mark_is(mark, TRACE_DAT_RECORDS)) {
		status = table_read(file, &cursor, own.nr_cpus, error);
		clock_skip(&cursor);
		trace_file_cover(file, table->offset, cursor.offset);
		return status;
	}
	trace_file_damage(file, cursor.is_over ? file->input.size : table->offset,
			  "the table of a buffer is missing");
	return 0;
}

/* If the option has no clock, it may be behind the table. */
static int clock_read(struct trace_file *file, struct cursor *cursor)
{
	struct cursor ahead = *cursor;

	clock_skip(cursor);
	if (!file->options.has_clock || file->options.clock)
		return 0;
	return trace_file_option(file, TRACE_DAT_CLOCK, cursor_part(&ahead, cursor_u64(&ahead)));
}

static int first_read(struct trace_file *file, struct cursor *cursor, struct tables *tables,
		      struct error *error)
{
	struct text mark = cursor_text(cursor, TRACE_DAT_MARK_SIZE);

	if (mark_is(mark, TRACE_DAT_OPTIONS)) {
		if (options_read(file, cursor, tables, true) < 0)
			return error_set(error, "out of memory");
		mark = cursor_text(cursor, TRACE_DAT_MARK_SIZE);
	}
	if (mark_is(mark, TRACE_DAT_LATENCY))
		return trace_file_refuse(file, error, cursor->offset - TRACE_DAT_MARK_SIZE,
					 "it holds the text of a tracer, no records");
	if (!mark_is(mark, TRACE_DAT_RECORDS))
		return trace_file_refuse(file, error, cursor->offset,
					 "it has no table of where its records are");
	if (trace_file_add_buffer(file, text_of(""), error) < 0 ||
	    table_read(file, cursor, tables->nr_cpus, error) < 0)
		return -1;
	return clock_read(file, cursor) < 0 ? error_set(error, "out of memory") : 0;
}

int trace_file_read_v6(struct trace_file *file, struct cursor *cursor, struct error *error)
{
	struct tables tables = { 0 };
	int status;

	if (parts_find(file, cursor, error) < 0)
		return -1;
	tables.nr_cpus = cursor_u32(cursor);
	file->options.nr_cpus = tables.nr_cpus;
	status = first_read(file, cursor, &tables, error);
	trace_file_cover(file, 0, cursor->offset);
	if (tables.is_damaged)
		trace_file_damage(file, 0, "an option of a buffer is damaged");
	for (size_t i = 0; i < tables.list.size / sizeof(struct table) && status == 0; i++)
		status = buffer_read(file, (struct table *)tables.list.data + i, error);
	buffer_release(&tables.list);
	return status;
}

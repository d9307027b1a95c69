// SPDX-License-Identifier: GPL-2.0-only
/* Reads the kernel's symbols and constant strings: a text behind its size. */
#include "tracedat/file.h"

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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses a line of the tracer function_graph as tracefs prints it:
 *
 *   TIME |  CPU) COMM-TID | FLAGS | DURATION |  FUNCTION() {
 *
 * Only CPU and DURATION, which may be blank, are always there. Calls that have no inner ones end
 * with "();", returns are "}", and other records are comments. COMM is cut at seven characters.
 */
#include <string.h>

#include "tracetext/internal.h"

/* The kernel follows no more calls inside others. */
#define DEPTH_MAX TEXT_DEPTH_MAX

/* Of the column of flags: "d.h2." */
#define FLAGS_SIZE_MAX 8

/* Takes "5.123456 |", if it is there. */
static bool graph_take_time(struct text *rest, struct text_line *out)
{
	struct text token = *rest;
	const char *end = token.size > 0 ? memchr(token.data, ' ', token.size) : NULL;

	if (!end)
		return false;
	token.size = end - token.data;
	if (!memchr(token.data, '.', token.size))
		return true;
	*rest = (struct text){ end, rest->size - token.size };
	text_skip_spaces(rest);
	out->has_time = text_parse_time(token, out) && text_take_literal(rest, "|");
	text_skip_spaces(rest);
	return out->has_time;
}

/* Takes "CPU) ". */
static bool graph_take_cpu(struct text *rest, struct text_line *out)
{
	uint64_t cpu;

	if (!text_take_number(rest, &cpu) || cpu >= TEXT_CPUS_MAX || !text_take_literal(rest, ") "))
		return false;
	out->cpu = cpu;
	return true;
}

/* Whether a column is a duration, or is blank, as that of a begin. */
static bool column_is_duration(struct text column)
{
	int64_t ignored_ns;

	text_skip_spaces(&column);
	return column.size == 0 || text_take_duration(&column, &ignored_ns);
}

/* Takes the columns of the thread and of its flags; @rest begins with the duration then. */
static bool graph_take_columns(struct text *rest, struct text_line *out)
{
	const char *end;

	out->tid = TEXT_TID_UNKNOWN;
	while ((end = rest->size > 0 ? memchr(rest->data, '|', rest->size) : NULL)) {
		struct text column = { rest->data, end - rest->data };
		bool is_thread;

		if (column_is_duration(column))
			return true;
		is_thread = text_parse_thread(column, out);
		if (!is_thread && column.size > FLAGS_SIZE_MAX)
			return false;
		if (!is_thread) {
			text_skip_spaces(&column);
			out->flags = text_parse_flags(column);
		}
		*rest = (struct text){ end + 1, rest->data + rest->size - end - 1 };
	}
	return false;
}

/* A comment is a record of another event, "NAME: TEXT", or the text of trace_printk(). */
static bool graph_parse_comment(struct text text, struct text_line *out)
{
	struct text end = text_of(" */");

	if (!text_take_literal(&text, "/* ") || text.size < end.size ||
	    memcmp(text.data + text.size - end.size, end.data, end.size) != 0)
		return false;
	text.size -= end.size;
	text_parse_event(text, out);
	if (!text_equals(out->event, text_of("function")))
		return true;
	out->event = text_of("bprint");
	return true;
}

/* What is behind the last column. */
static bool graph_parse_call(struct text columns, struct text_line *out)
{
	const char *end = memchr(columns.data, '|', columns.size);
	struct text text = { end + 1, columns.data + columns.size - end - 1 };
	size_t indent = text.size;

	text_skip_spaces(&text);
	indent = (indent - text.size) / 2;
	while (text.size > 0 && text.data[text.size - 1] == ' ')
		text.size--;
	if (text.size == 0)
		return false;
	out->depth = indent > 0 && indent <= DEPTH_MAX ? indent - 1 : 0;
	out->text = columns;
	if (*text.data == '/')
		return graph_parse_comment(text, out);
	out->event = text_of(*text.data == '}' ? "funcgraph_exit" : "funcgraph_entry");
	return *text.data == '}' || text.data[text.size - 1] == '{' ||
	       (memmem(text.data, text.size, ");", 2) != NULL);
}

/* "CPU) COMM-TID => COMM-TID": the CPU's next lines are of the second thread. */
static bool graph_parse_switch(struct text rest, struct text_line *out)
{
	struct text arrow = text_of(" => ");
	const char *at = memmem(rest.data, rest.size, arrow.data, arrow.size);
	struct text next;

	if (!at)
		return false;
	next = (struct text){ at + arrow.size, rest.data + rest.size - at - arrow.size };
	rest.size = at - rest.data;
	out->kind = TEXT_LINE_SWITCH;
	if (!text_parse_thread(rest, out))
		return false;
	out->before_tid = out->tid;
	out->before_comm = out->comm;
	return text_parse_thread(next, out);
}

bool text_line_parse_graph(struct text bytes, struct text_line *out)
{
	struct text rest = bytes;

	*out = (struct text_line){ .kind = TEXT_LINE_RECORD, .is_graph = true };
	text_skip_spaces(&rest);
	if (rest.size == 0 || *rest.data < '0' || *rest.data > '9' ||
	    !graph_take_time(&rest, out) || !graph_take_cpu(&rest, out))
		return false;
	bytes = rest;
	return (graph_take_columns(&rest, out) && graph_parse_call(rest, out)) ||
	       graph_parse_switch(bytes, out);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses a line of ftrace's text:
 *
 *   COMM-TID (TGID) [CPU] FLAGS TIME: EVENT: TEXT
 *   COMM-TID CPUFLAGS TIME: EVENT: TEXT
 *
 * COMM may contain anything that looks like the columns behind it, but not all of them in their
 * order: the first "[CPU]" with valid columns on both sides is the CPU.
 */
#include <limits.h>
#include <string.h>

#include "tracetext/internal.h"

/* Beyond this no "[CPU]" is searched. */
#define COLUMNS_MAX 256

/* More fractional digits than nanoseconds are no time. */
#define DECIMALS_MAX 9

/* Names of functions, which trace_printk() shows as the event, may be long. */
#define EVENT_NAME_MAX 128

bool text_take_literal(struct text *rest, const char *literal)
{
	struct text start = text_of(literal);

	if (!text_begins(*rest, start))
		return false;
	*rest = (struct text){ rest->data + start.size, rest->size - start.size };
	return true;
}

bool text_take_number(struct text *rest, uint64_t *out)
{
	size_t size = 0;
	uint64_t number = 0;

	for (; size < rest->size && rest->data[size] >= '0' && rest->data[size] <= '9'; size++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, rest->data[size] - '0', &number))
			return false;
	}
	*rest = (struct text){ rest->data + size, rest->size - size };
	*out = number;
	return size > 0;
}

bool text_take_hex(struct text *rest, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t number = 0;
	size_t size = 0;

	*out = 0;
	if (text_take_literal(rest, "(nil)") || text_take_literal(rest, "(null)"))
		return true;
	text_take_literal(rest, "0x");
	for (; size < rest->size && size < 2 * sizeof(number); size++) {
		const char *at = memchr(digits, rest->data[size], sizeof(digits) - 1);

		if (!at)
			break;
		number = number << 4 | (at - digits);
	}
	*rest = (struct text){ rest->data + size, rest->size - size };
	*out = number;
	return size > 0;
}

void text_skip_spaces(struct text *rest)
{
	while (rest->size > 0 && (*rest->data == ' ' || *rest->data == '\t'))
		*rest = (struct text){ rest->data + 1, rest->size - 1 };
}

static void columns_trim_end(struct text *text)
{
	while (text->size > 0 && text->data[text->size - 1] == ' ')
		text->size--;
}

/* Cuts digits at the end of @text, and parses them. */
static bool text_cut_number(struct text *text, int *out)
{
	struct text digits = { text->data + text->size, 0 };
	uint64_t number;

	while (digits.data > text->data && digits.data[-1] >= '0' && digits.data[-1] <= '9') {
		digits.data--;
		digits.size++;
	}
	text->size -= digits.size;
	if (!text_take_number(&digits, &number) || number > INT_MAX)
		return false;
	*out = number;
	return true;
}

/* Cuts " (TGID)" at the end, if it is there: a number, or dashes if it is unknown. */
static bool columns_cut_tgid(struct text *left, struct text_line *out)
{
	if (left->size == 0 || left->data[left->size - 1] != ')')
		return true;
	left->size--;
	if (left->size > 0 && left->data[left->size - 1] == '-') {
		while (left->size > 0 && left->data[left->size - 1] == '-')
			left->size--;
	} else if (!text_cut_number(left, &out->tgid)) {
		return false;
	}
	columns_trim_end(left);
	if (left->size == 0 || left->data[left->size - 1] != '(')
		return false;
	left->size--;
	columns_trim_end(left);
	return true;
}

/* The columns before the CPU, from their end. */
static bool text_parse_thread(struct text left, struct text_line *out)
{
	columns_trim_end(&left);
	if (!columns_cut_tgid(&left, out) || !text_cut_number(&left, &out->tid) || left.size == 0 ||
	    left.data[left.size - 1] != '-')
		return false;
	left.size--;
	text_skip_spaces(&left);
	if (left.size >= THREAD_COMM_SIZE)
		return false;
	out->comm = left;
	if (text_equals(left, text_of("<...>")))
		out->comm.size = 0;
	return true;
}

static bool text_parse_time(struct text token, struct text_line *out)
{
	uint64_t whole, part = 0;
	size_t size;

	if (!text_take_number(&token, &whole))
		return false;
	out->decimals = 0;
	if (text_take_literal(&token, ".")) {
		size = token.size;
		if (size > DECIMALS_MAX || !text_take_number(&token, &part))
			return false;
		out->decimals = size - token.size;
		for (size_t i = out->decimals; i < DECIMALS_MAX; i++)
			part *= 10;
		if (__builtin_mul_overflow(whole, UINT64_C(1000000000), &whole))
			return false;
	}
	if (token.size > 0 || __builtin_add_overflow(whole, part, &whole) ||
	    whole >= RECORD_TIME_LIMIT)
		return false;
	out->time_ns = whole;
	return true;
}

/* The columns of common_flags that conditions of rules use. */
static unsigned int text_parse_flags(struct text token)
{
	unsigned int flags = 0;

	for (size_t i = 0; i < token.size && i < 3; i++) {
		switch (token.data[i]) {
		case 'd':
		case 'D':
			flags |= 1;
			break;
		case 'n':
		case 'N':
			flags |= 4;
			break;
		case 'h':
			flags |= 8;
			break;
		case 's':
			flags |= 16;
			break;
		case 'H':
			flags |= 8 | 16;
			break;
		default:
			break;
		}
	}
	return flags;
}

/* Takes what ends at a space, or at a colon and a space. */
static struct text columns_take_token(struct text *rest, bool *has_colon)
{
	struct text token = { rest->data, 0 };

	while (token.size < rest->size && token.data[token.size] != ' ')
		token.size++;
	*rest = (struct text){ token.data + token.size, rest->size - token.size };
	*has_colon = token.size > 0 && token.data[token.size - 1] == ':';
	token.size -= *has_colon;
	return token;
}

static bool is_name_char(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
}

static void text_parse_event(struct text rest, struct text_line *out)
{
	struct text whole = rest, token;
	bool has_colon;

	token = columns_take_token(&rest, &has_colon);
	for (size_t i = 0; i < token.size; i++)
		has_colon &= is_name_char(token.data[i]);
	if (has_colon && token.size > 0 && token.size <= EVENT_NAME_MAX) {
		out->event = token;
		text_take_literal(&rest, " ");
		out->text = rest;
		return;
	}
	/* The function tracer's lines have no name. */
	out->event = text_of("function");
	out->text = whole;
}

/* Marks of delays behind times of the latency format. */
#define DELAYS " $@*#!+"

/* Takes a time and its colon: seconds, nanoseconds, or "12us" with a mark of the latency format. */
static bool columns_take_time(struct text *right, struct text_line *out)
{
	struct text rest = *right, token;
	uint64_t time_us;
	bool has_colon;

	token = columns_take_token(right, &has_colon);
	if (has_colon && text_parse_time(token, out))
		return true;
	*right = rest;
	if (!text_take_number(&rest, &time_us) || time_us >= RECORD_TIME_LIMIT / NS_PER_US ||
	    !text_take_literal(&rest, "us"))
		return false;
	if (rest.size > 0 && strchr(DELAYS, *rest.data))
		rest = (struct text){ rest.data + 1, rest.size - 1 };
	*right = rest;
	out->time_ns = time_us * NS_PER_US;
	out->decimals = 6;
	return text_take_literal(right, ":");
}

/* The columns behind the CPU. The time may follow without a space. */
static bool columns_parse_right(struct text right, bool has_flags, struct text_line *out)
{
	bool has_colon;

	text_skip_spaces(&right);
	if (has_flags || !columns_take_time(&right, out)) {
		out->flags = text_parse_flags(columns_take_token(&right, &has_colon));
		text_skip_spaces(&right);
		if (!columns_take_time(&right, out))
			return false;
	}
	text_skip_spaces(&right);
	if (right.size == 0)
		return false;
	text_parse_event(right, out);
	return true;
}

/* Takes "[CPU]", or the CPU before flags, as "1d.h2" of the latency format. */
static bool columns_take_cpu(struct text *right, const char *before, struct text_line *out,
			     bool *has_flags)
{
	bool has_brackets = text_take_literal(right, "[");
	uint64_t cpu;

	*has_flags = !has_brackets;
	if (!has_brackets && *before != ' ')
		return false;
	if (!text_take_number(right, &cpu) || cpu >= TEXT_CPUS_MAX)
		return false;
	out->cpu = cpu;
	if (has_brackets)
		return text_take_literal(right, "]");
	return right->size > 0 && *right->data && strchr(".dDbBxX", *right->data);
}

static bool record_parse(struct text bytes, struct text_line *out)
{
	for (size_t i = 1; i < bytes.size && i < COLUMNS_MAX; i++) {
		struct text right = { bytes.data + i, bytes.size - i };
		bool has_flags;

		*out = (struct text_line){ .kind = TEXT_LINE_RECORD, .has_time = true };
		if (columns_take_cpu(&right, bytes.data + i - 1, out, &has_flags) &&
		    columns_parse_right(right, has_flags, out) &&
		    text_parse_thread((struct text){ bytes.data, i }, out))
			return true;
	}
	return false;
}

/* "CPU:N [LOST N EVENTS]" is the kernel's, "CPU:N [N EVENTS DROPPED]" trace-cmd's. */
static bool loss_parse(struct text rest, struct text_line *out)
{
	uint64_t cpu, count;

	*out = (struct text_line){ .kind = TEXT_LINE_LOSS, .lost = LOSS_COUNT_UNKNOWN };
	if (!text_take_literal(&rest, "CPU:") || !text_take_number(&rest, &cpu) ||
	    cpu >= TEXT_CPUS_MAX || !text_take_literal(&rest, " ["))
		return false;
	out->cpu = cpu;
	text_take_literal(&rest, "LOST ");
	if (text_take_number(&rest, &count) && count > 0 && count <= INT64_MAX)
		out->lost = count;
	text_skip_spaces(&rest);
	return text_take_literal(&rest, "EVENTS");
}

/* The longest name of a system call. */
#define CALL_NAME_MAX 64

/* Takes the name of a call, and finds its number; returns -1 if there is none. */
static int call_take_number(struct text *rest)
{
	char name[CALL_NAME_MAX];
	size_t size = 0;

	while (size < rest->size && size < sizeof(name) - 1 && is_name_char(rest->data[size]))
		size++;
	memcpy(name, rest->data, size);
	name[size] = '\0';
	*rest = (struct text){ rest->data + size, rest->size - size };
	return syscall_number(name);
}

static bool call_parse(struct text event, struct text text, int *number, bool *is_exit,
		       uint64_t *result)
{
	struct text rest = event;
	bool is_own = text_equals(event, text_of("function"));

	*is_exit = text_take_literal(&rest, "sys_exit_");
	if (is_own) {
		rest = text;
		if (!text_take_literal(&rest, "sys_"))
			return false;
	} else if (!*is_exit && !text_take_literal(&rest, "sys_enter_")) {
		return false;
	}
	*number = call_take_number(&rest);
	if (*number < 0)
		return false;
	if (is_own) {
		*is_exit = text_take_literal(&rest, " -> ");
		if (!*is_exit)
			return text_take_literal(&rest, "(");
	} else {
		rest = text;
		text_skip_spaces(&rest);
	}
	return !*is_exit || text_take_hex(&rest, result);
}

void text_line_name_call(struct buffer *event, struct buffer *text)
{
	uint64_t result = 0;
	bool is_exit;
	int number;

	if (!call_parse(buffer_text(event), buffer_text(text), &number, &is_exit, &result))
		return;
	buffer_clear(event);
	buffer_clear(text);
	buffer_append_string(event, is_exit ? "sys_exit" : "sys_enter");
	if (is_exit)
		buffer_printf(text, "NR %d = %lld", number, (long long)result);
	else
		buffer_printf(text, "NR %d ()", number);
}

/*
 * Takes "1.382 us" with a mark of long ones before it. The kernel prints seven digits at most, so
 * that a long duration has few or none behind the point.
 */
bool text_take_duration(struct text *rest, int64_t *duration_ns)
{
	uint64_t us, part = 0;
	size_t size;

	if (rest->size > 0 && strchr(DELAYS, *rest->data))
		*rest = (struct text){ rest->data + 1, rest->size - 1 };
	text_skip_spaces(rest);
	if (!text_take_number(rest, &us) || us >= RECORD_TIME_LIMIT / NS_PER_US)
		return false;
	if (text_take_literal(rest, ".")) {
		size = rest->size;
		if (!text_take_number(rest, &part) || size - rest->size > 3)
			return false;
		for (size -= rest->size; size < 3; size++)
			part *= 10;
	}
	*duration_ns = us * NS_PER_US + part;
	return text_take_literal(rest, " us");
}

bool text_line_leaf(const struct text_line *line, int64_t *duration_ns)
{
	struct text rest = line->text;

	text_skip_spaces(&rest);
	return text_equals(line->event, text_of("funcgraph_entry")) &&
	       text_take_duration(&rest, duration_ns);
}

/*
 * Parses a line of the tracer function_graph as tracefs prints it:
 *
 *   TIME |  CPU) COMM-TID | FLAGS | DURATION |  FUNCTION() {
 *
 * Only CPU and DURATION, which may be blank, are always there. Calls that have no inner ones end
 * with "();", returns are "}", and other records are comments. COMM is cut at seven characters.
 */

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

void text_line_parse(struct text bytes, struct text_line *out)
{
	if (bytes.size > 0 && bytes.data[bytes.size - 1] == '\r')
		bytes.size--;
	if (!loss_parse(bytes, out) && !text_line_parse_graph(bytes, out) &&
	    !record_parse(bytes, out))
		*out = (struct text_line){ .kind = TEXT_LINE_OTHER };
}

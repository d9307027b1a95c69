/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of tracetext/. */
#ifndef TRACETEXT_INTERNAL_H
#define TRACETEXT_INTERNAL_H

#include "tracetext/tracetext.h"

/* Lines (line.c). */

/** TEXT_CPUS_MAX - CPUs have numbers below this */
#define TEXT_CPUS_MAX 4096

/** enum text_line_kind - what a line is; others continue the line before, or are of no interest */
enum text_line_kind {
	TEXT_LINE_OTHER,
	TEXT_LINE_RECORD,
	TEXT_LINE_LOSS,
	TEXT_LINE_SWITCH,
};

/** TEXT_TID_UNKNOWN - a line of function_graph shows no thread */
#define TEXT_TID_UNKNOWN (-1)

/** TEXT_DEPTH_MAX - calls inside others; the kernel follows fewer */
#define TEXT_DEPTH_MAX 64

/**
 * struct text_line - the columns of a line
 * @time_ns: below RECORD_TIME_LIMIT
 * @decimals: of its time
 * @tgid: 0 if unknown
 * @flags: of common_flags, as far as the columns show them
 * @comm: "" if unknown
 * @event: its name
 * @text: what is behind the name and one space
 * @lost: of a loss, LOSS_COUNT_UNKNOWN if it has no number
 * @is_graph: of function_graph as tracefs prints it
 * @has_time: false only of such lines, whose calls have durations alone
 * @depth: of such a call, below TEXT_DEPTH_MAX
 *
 * @before_tid, @before_comm: of a switch: thread of the lines before it
 *
 * A switch has the thread of the next lines of its CPU.
 * Texts are borrowed from the line.
 */
struct text_line {
	enum text_line_kind kind;
	int64_t time_ns;
	unsigned int decimals;
	int cpu;
	int tid;
	int tgid;
	unsigned int flags;
	struct text comm;
	struct text event;
	struct text text;
	int64_t lost;
	bool is_graph;
	bool has_time;
	unsigned int depth;
	int before_tid;
	struct text before_comm;
};

/** text_line_parse - parse one line, without its newline */
void text_line_parse(struct text bytes, struct text_line *out);

/* What both parsers of lines use. */

/** text_line_parse_graph - parse a line of function_graph; returns false if it is none */
bool text_line_parse_graph(struct text bytes, struct text_line *out);

/** text_take_literal - take a text, if it is there */
bool text_take_literal(struct text *rest, const char *literal);

/** text_take_duration - take a duration of function_graph */
bool text_take_duration(struct text *rest, int64_t *duration_ns);

/** text_take_number - take decimal digits; returns false if there are none or they exceed 64 bits
 */
bool text_take_number(struct text *rest, uint64_t *out);

/** text_take_hex - take hexadecimal digits, with or without "0x", or "(nil)"; as text_take_number()
 */
bool text_take_hex(struct text *rest, uint64_t *out);

/**
 * text_line_name_call - make the line of a system call's own tracepoint one of all system calls
 * @event, @text: of the line; they are changed if this machine has the call
 *
 * trace-cmd prints "sys_enter_read: TEXT" and "sys_exit_read: 0x1", tracefs "sys_read(TEXT)" and
 * "sys_read -> 0x1".
 */
void text_line_name_call(struct buffer *event, struct buffer *text);

/**
 * text_line_leaf - whether a line is a call of function_graph and its return, which has no line
 *
 * Only these calls have a duration.
 */
bool text_line_leaf(const struct text_line *line, int64_t *duration_ns);

/** text_skip_spaces - drop spaces and tabs at the beginning */
void text_skip_spaces(struct text *rest);

/* Forms of events (forms.c). */

/** TEXT_FIELDS_MAX - maximum number of fields of a form */
#define TEXT_FIELDS_MAX 12

/** TEXT_SIZE_MAX - longer texts of a record are cut */
#define TEXT_SIZE_MAX 4096

/**
 * struct text_field - a field of an event
 * @type: a letter, see forms.c
 * @name: of @size bytes, in a constant table
 * @offset: in records
 */
struct text_field {
	char type;
	struct text name;
	unsigned int offset;
};

/**
 * struct text_event - an event of a text, and how its records are laid out
 * @key: the name in the text, owned
 * @name: owned; that of its form
 * @system: "text" if no form names it
 * @patterns: of its form, NULL if it has none
 * @missing: a set of fields that some records lack
 * @is_used: there is a record
 */
struct text_event {
	char *key;
	char *name;
	const char *system;
	const char *const *patterns;
	unsigned int id;
	struct text_field fields[TEXT_FIELDS_MAX];
	size_t nr_fields;
	unsigned int fixed_size;
	unsigned int missing;
	bool is_used;
};

/** text_event_init - find the form of an event, and lay out its records; -1 if memory ran out */
int text_event_init(struct text_event *event, struct text name, bool has_form, unsigned int id);

/** text_event_release - free its names */
void text_event_release(struct text_event *event);

/**
 * text_event_pack - make the record of a line
 * @line: its event and text are those of @event
 * @out: receives the record
 *
 * Returns false if no pattern of the event's form matches.
 */
bool text_event_pack(struct text_event *event, const struct text_line *line, struct buffer *out);

/** text_event_describe - append the text of the format file that describes its records */
void text_event_describe(const struct text_event *event, struct buffer *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pieces of the lines of a file with settings, by git's rules. */
#ifndef TRACE2_CONFIG_LINE_H
#define TRACE2_CONFIG_LINE_H

#include "base/base.h"

/** struct value_state - where in a value its next line begins: within quotes, behind blanks */
struct value_state {
	bool is_quoted;
	bool is_comment;
	size_t nr_blanks;
};

enum value_result {
	VALUE_ENDS,
	/** a backslash at the line's end: the next line goes on */
	VALUE_CONTINUES,
	VALUE_BROKEN,
};

/**
 * value_append - add a line of a value, without its newline, to @value: without quotes, comment,
 * and blanks at its ends, escapes undone
 * @state: zeroed before a value's first line
 */
enum value_result value_append(struct buffer *value, struct value_state *state, const char *line);

/** name_size - the size of the name at the start of a line; 0 where there is none */
size_t name_size(const char *line);

/**
 * section_append - add what a section is called in keys: "one" for "One", "one.Two" for "One "Two""
 *
 * Returns false where it is no section.
 */
bool section_append(struct buffer *key, const char *section);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of rules: words, and settings KEY = VALUE, several on one line. */
#ifndef RULES_LINE_H
#define RULES_LINE_H

#include "base/base.h"

/** enum rule_key - the keys of settings */
enum rule_key {
	KEY_BEGIN,
	KEY_END,
	KEY_ON,
	KEY_EVENT,
	KEY_FROM,
	KEY_TO,
	KEY_MATCH,
	KEY_SCOPE,
	KEY_TRACK,
	KEY_NAME,
	KEY_ARGS,
	KEY_WHERE,
	KEY_UNLESS,
	KEY_VALUE,
	KEY_UNIT,
	KEY_OF,
	KEY_COUNT
};

/**
 * struct line_place - a position in a text of rules, for errors
 * @begin: first byte of the line
 */
struct line_place {
	const char *source;
	unsigned int line;
	const char *begin;
};

/** line_error - set "SOURCE:LINE:COLUMN: PROBLEM"; returns -1 */
int line_error(const struct line_place *place, const char *at, struct error *error,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/** line_cut_comment - the line without comment and trailing space; '#' begins one after a space */
struct text line_cut_comment(struct text line);

/** line_take_space - remove leading spaces and tabs */
void line_take_space(struct text *line);

/** rule_line_take_word - remove the first word, of letters, digits and any of "_:.-*?[]" */
struct text rule_line_take_word(struct text *line);

/**
 * line_take_setting - remove the first setting
 * @key: its key
 * @value: its value: up to the next "KEY =" after a space, without quotes around all of it
 *
 * Braces and quotes protect what looks like a setting. Returns 0, or -1 with @error.
 */
int line_take_setting(const struct line_place *place, struct text *line, enum rule_key *key,
		      struct text *value, struct error *error);

/** rule_key_name - the key as it is written */
const char *rule_key_name(enum rule_key key);

#endif

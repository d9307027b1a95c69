/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Rows of tables of options: a module describes the options of its settings, cli/ reads them. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct option_row - one option
 * @short_name: a letter, or 0 for none
 * @long_name: without its dashes
 * @argument: its name in help; NULL for none, "[=X]" for an optional one
 * @help: one line; of an option that is not rare, short enough for --help to fit a screen
 * @apply: stores the option in its part of the command's settings; @value is NULL without an
 * argument; returns -1 with @error; NULL for a flag, a size, a number or a time
 * @offset: added to the pointer that @apply gets; without @apply, the offset of a bool, of a
 * uint64_t for a size in KiB or a number, of an int64_t for a time in nanoseconds
 * @is_size: the value is a size
 * @count_of: the value is a number of these things, at least one
 * @count_max: the largest number, 0 for any
 * @time_problem: the value is a time, and this the problem of a time of 0; "" if there is none
 * @is_repeatable: it may be given more than once
 * @needs_text: an empty argument is refused
 * @is_rare: only --help-all prints it, so that --help fits a screen
 */
struct option_row {
	char short_name;
	const char *long_name;
	const char *argument;
	const char *help;
	int (*apply)(void *settings, const char *value, struct error *error);
	size_t offset;
	bool is_size;
	const char *count_of;
	uint64_t count_max;
	const char *time_problem;
	bool is_repeatable;
	bool needs_text;
	bool is_rare;
};

/** OPTION_FLAG - the row of an option without argument that sets @member of a struct @type */
#define OPTION_FLAG(name, text, type, member)                                                \
	{                                                                                    \
		.long_name = (name), .help = (text), .offset = offsetof(struct type, member) \
	}

/** OPTION_RARE_FLAG - the same, left out of --help */
#define OPTION_RARE_FLAG(name, text, type, member)                                            \
	{                                                                                     \
		.long_name = (name), .help = (text), .offset = offsetof(struct type, member), \
		.is_rare = true                                                               \
	}

/** option_store_text - an apply function: stores the value in a string; "-" without one */
int option_store_text(void *text, const char *value, struct error *error);

/**
 * count_parse - parse a number of @things, at least one
 *
 * Returns 0, or -1 with @error.
 */
int count_parse(const char *string, const char *things, uint64_t *out, struct error *error);

#endif

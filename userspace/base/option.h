/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Rows of tables of options: a module describes the options of its settings, cli/ reads them.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct option_row - one option
 * @apply: stores the option in its part of the command's settings; @value is NULL without an
 * argument; returns -1 with @error; NULL for a flag, a size, a number or a time
 * @offset: added to the pointer that @apply gets; without @apply, the offset of a bool, of a
 * uint64_t for a size in KiB or a number, of an int64_t for a time in nanoseconds
 */
struct option_row {
	char short_name;       /* a letter, or 0 for none */
	const char *long_name; /* without its dashes */
	const char *argument;  /* its name in help; NULL for none, "[=X]" for an optional one */
	/* one line; of an option that is not rare, short enough for --help to fit a screen */
	const char *help;
	int (*apply)(void *settings, const char *value, struct error *error);
	size_t offset;
	bool is_size;	      /* the value is a size */
	const char *count_of; /* the value is a number of these things, at least one */
	uint64_t count_max;   /* the largest number, 0 for any */
	/* the value is a time, and this the problem of a time of 0; "" if there is none */
	const char *time_problem;
	bool is_repeatable; /* it may be given more than once */
	bool needs_text;    /* an empty argument is refused */
	bool is_rare;	    /* only --help-all prints it, so that --help fits a screen */
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
/** count_parse - parse a number of @things, at least one */
int count_parse(const char *string, const char *things, uint64_t *out, struct error *error);

#endif

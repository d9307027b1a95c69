/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal on standard output. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/**
 * struct terminal - standard output
 * @is_terminal: it is one
 * @width, @height: of a terminal; 0 if unknown, or for a file
 * @has_colour: escape sequences are fine
 * @is_utf8: UTF-8 is fine
 */
struct terminal {
	bool is_terminal;
	unsigned int width;
	unsigned int height;
	bool has_colour;
	bool is_utf8;
};

/** terminal_find - examine standard output; sets the locale's character set */
struct terminal terminal_find(void);

/** terminal_is_interactive - whether input and output are one terminal, and ktrack its foreground */
bool terminal_is_interactive(void);

#endif

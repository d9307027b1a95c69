/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of ncurses that ktrack calls. The library is loaded at first use. */
#ifndef SINK_TOP_CURSES_H
#define SINK_TOP_CURSES_H

#include <stdbool.h>

/* Its macros use global variables of the library, which is not linked. */
#define NCURSES_NOMACROS 1
#include <ncurses.h>

#include "base/base.h"

/* Declared in <term.h>, whose macros have the names of common variables. */
int setupterm(const char *terminal, int fd, int *status);

#define CURSES_API_FUNCTIONS(apply)                                                               \
	apply(cbreak) apply(clearok) apply(curs_set) apply(delscreen) apply(delwin)               \
		apply(doupdate) apply(endwin) apply(init_pair) apply(keypad) apply(newpad) apply( \
			newterm) apply(newwin) apply(nodelay) apply(noecho) apply(resizeterm)     \
			apply(set_escdelay) apply(setupterm) apply(start_color) apply(tigetstr)   \
				apply(typeahead) apply(use_default_colors) apply(waddnstr)        \
					apply(wattr_set) apply(werase) apply(wget_wch)            \
						apply(wmove) apply(wnoutrefresh) apply(wresize)

/** struct curses_api - pointers to the functions of ncurses, with their names */
struct curses_api {
	void *handle;
	CURSES_API_FUNCTIONS(LIBRARY_MEMBER)
};

/** curses_api_load - load the library; returns 0, or -1 with @error */
int curses_api_load(struct curses_api *api, struct error *error);

/** curses_api_release - unload the library; a zeroed struct is fine */
void curses_api_release(struct curses_api *api);

#endif

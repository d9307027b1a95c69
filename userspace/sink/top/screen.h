/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A terminal that shows a full-screen view. ncurses writes to a file in memory, from which each
 * frame is copied to the terminal like any other output: a terminal that is stopped (Ctrl-S)
 * neither holds up the reader of records nor the end of ktrack.
 */
#ifndef SINK_TOP_SCREEN_H
#define SINK_TOP_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

/* Its macros use global variables of the library, which is not linked. */
#define NCURSES_NOMACROS 1
#include <ncurses.h>

#include "base/base.h"

/* Declared in <term.h>, whose macros have the names of common variables. */
int setupterm(const char *terminal, int fd, int *status);

/** CURSES_API_FUNCTIONS - the functions of ncurses that ktrack calls; it is loaded at first use */
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

/** enum screen_look - how a line is shown; without colors warnings are bold */
enum screen_look {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_REVERSE,
	SCREEN_WARNING,
};

struct screen_key {
	wint_t code; /* a character of Unicode, or with @is_function one of ncurses' KEY_ */
	bool is_function;
};

/** struct screen - the terminal on standard input and output */
struct screen {
	struct curses_api api;
	int output_fd;	       /* the terminal, non-blocking */
	struct file_wait wait; /* until it can be written */
	bool has_colour;       /* colors are wanted */
	int fd;		/* readable on keys, on signals, and on the descriptor of screen_watch() */
	int signals_fd; /* for SIGWINCH, SIGTSTP and SIGCONT */
	int frame_fd;	/* the file in memory */
	FILE *out;
	SCREEN *terminal;
	WINDOW *window;
	WINDOW *keys;
	struct termios shell_modes; /* of the terminal, before and during the view */
	struct termios modes;
	unsigned int rows;
	unsigned int columns;
	bool is_open; /* ncurses has opened the terminal */
	/* Not before the first frame, after the end, and while ktrack is in the background. */
	bool is_shown;
	bool is_over; /* the terminal is gone */
};

/** screen_init - check that the terminal can show a view, and catch its signals; -1 with @error */
int screen_init(struct screen *screen, struct error *error);
/** screen_watch - make @fd of the screen readable when @other is; returns -1 with @error */
int screen_watch(struct screen *screen, int other, struct error *error);
/** screen_follow - process the terminal's signals; 1 if all has to be drawn anew, -1 with @error */
int screen_follow(struct screen *screen, struct error *error);
/** screen_take_key - take the next key; returns false if there is none */
bool screen_take_key(struct screen *screen, struct screen_key *key);
/** screen_clear - begin a frame */
void screen_clear(struct screen *screen);
/** screen_put - put a text that fits at the begin of a row */
void screen_put(struct screen *screen, unsigned int row, struct text text, enum screen_look look);
/** screen_show - write the frame, after entering the view; nothing in the background */
int screen_show(struct screen *screen, struct error *error);
/** screen_redraw - the next frame replaces everything on the terminal */
void screen_redraw(struct screen *screen);
/** screen_leave - restore the terminal; does nothing if the view is not shown */
void screen_leave(struct screen *screen);
/** screen_release - screen_leave(), and free everything */
void screen_release(struct screen *screen);

#endif

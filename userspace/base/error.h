/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Errors that callers pass up until cli/ prints them: one line, "OBJECT: PROBLEM; REMEDY". Modules
 * report to the user without printing: the caller passes an interface.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/**
 * struct error - why something failed
 *
 * The caller owns it, zeroed; the callee fills it and returns -1. The first text is kept, because
 * the first failure causes the others.
 */
struct error {
	char text[512]; /* one line without a newline; empty if nothing failed */
};

/** error_set - fill @error, unless it has a text already; returns -1 */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** FILES_REMEDY - the end of messages if the process may open no more files */
#define FILES_REMEDY "; raise the limit of open files (ulimit -n)"

/** error_set_system - error_set(), ": ", the text of errno @number, FILES_REMEDY for EMFILE */
int error_set_system(struct error *error, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** UNREAD_OUTPUT - begin of the error if the reader of standard output has gone */
#define UNREAD_OUTPUT "cannot write to standard output: Broken pipe"

/** error_is_unread - whether that is the error, which ends a command without a message */
bool error_is_unread(const struct error *error);
/** error_is_memory - whether memory ran out, after which nobody goes on */
bool error_is_memory(const struct error *error);

/** struct report - the destination of messages to the user */
struct report {
	void *context;					  /* for the functions */
	void (*message)(void *context, const char *line); /* prints one line */
	/* prints a line about an option that may be what the user wants; NULL with --quiet */
	void (*hint)(void *context, const char *line);
	/* shows a line that the next line replaces; "" removes it; NULL without a terminal */
	void (*progress)(void *context, const char *line);
	/* prints the last line of a run that ended well; NULL without a terminal */
	void (*closing)(void *context, const char *line);
};

/** report_message - report one line; a NULL @report drops it */
void report_message(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** report_hint - print a line about an option, unless @report is quiet */
void report_hint(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** report_closing - print the last line of a run, if @report has a terminal */
void report_closing(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** report_error - report @error, if it has a text, and clear it */
void report_error(const struct report *report, struct error *error);

#endif

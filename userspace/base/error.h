/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An error on its way up to the one who prints it: a single line that says what, why and what to
 * do.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/**
 * struct error - why something failed
 * @text: one line without a newline; empty while nothing failed
 *
 * The caller keeps it, zeroed; the callee fills it and returns -1. The first text stays: what
 * failed first is the cause of what follows.
 */
struct error {
	char text[512];
};

/**
 * error_set - fill @error and return -1, so that a failing function can end in one line
 * @error: to fill; a text that is already there is kept
 */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * error_set_system - like error_set(), followed by ": " and the text of @number
 * @number: an errno value
 */
int error_set_system(struct error *error, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

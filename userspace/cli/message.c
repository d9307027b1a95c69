// SPDX-License-Identifier: GPL-2.0-only
/* Messages to standard error, and what is known of the terminal. */
#include "cli/cli.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned int terminal_size(const char *variable, bool is_width)
{
	const char *given = getenv(variable);
	struct winsize size;

	if (given && atoi(given) > 0)
		return atoi(given);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return is_width ? size.ws_col : size.ws_row;
}

struct terminal terminal_find(void)
{
	const char *no_colour = getenv("NO_COLOR");
	struct terminal terminal = { .is_terminal = isatty(STDOUT_FILENO) == 1 };

	setlocale(LC_CTYPE, "");
	terminal.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!terminal.is_terminal)
		return terminal;
	terminal.width = terminal_size("COLUMNS", true);
	terminal.height = terminal_size("LINES", false);
	terminal.has_colour = !no_colour || !*no_colour;
	return terminal;
}

bool terminal_is_interactive(void)
{
	struct stat input, output;

	return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
	       fstat(STDIN_FILENO, &input) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
	       input.st_rdev == output.st_rdev && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Prints lines to standard error without control characters. */

/* How long to wait for a reader of standard error. */
#define READER_WAIT_MS 1000
/* Clears from the cursor to the end of the line. */
#define CLEAR_LINE "\033[K"

/* A pager that reads neither output must not block the clean-up. */
static bool can_write(int timeout_ms)
{
	struct pollfd error_output = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&error_output, 1, timeout_ms) > 0;
}

static bool is_terminal(void)
{
	return isatty(STDERR_FILENO) == 1;
}

static void report_line_print(void *context, const char *text)
{
	SCOPED_BUFFER(line);

	(void)context;
	buffer_append_printable(&line, text_of(text));
	/* A progress line on the terminal may be longer. */
	if (can_write(READER_WAIT_MS))
		fprintf(stderr, "%sktrack: %s\n", is_terminal() ? CLEAR_LINE : "",
			buffer_string(&line));
}

static void progress_print(void *context, const char *line)
{
	(void)context;
	if (can_write(0))
		fprintf(stderr, "%s%s\r", line, CLEAR_LINE);
}

const struct report *message_report_quiet(void)
{
	static const struct report quiet = { .message = report_line_print };

	return &quiet;
}

const struct report *message_report(void)
{
	static const struct report to_file = { .message = report_line_print,
					       .hint = report_line_print };
	static const struct report to_terminal = { .message = report_line_print,
						   .hint = report_line_print,
						   .progress = progress_print,
						   .closing = report_line_print };

	return is_terminal() ? &to_terminal : &to_file;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Prints lines to standard error without control characters. */
#include "cli/cli.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

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

void printable_append(struct buffer *line, struct text rest)
{
	while (rest.size > 0) {
		struct text character = { .data = rest.data, .size = utf8_sequence_size(rest) };
		size_t size = character.size ? character.size : 1;

		if (character.size == 0 || utf8_is_control(utf8_value(character)))
			buffer_append_char(line, '?');
		else
			buffer_append(line, character.data, size);
		rest = (struct text){ .data = rest.data + size, .size = rest.size - size };
	}
}

/** message_print - print one line; control characters in it become '?' */
static void message_print(const char *text)
{
	struct buffer line = { 0 };

	printable_append(&line, text_of(text));
	/* A progress line on the terminal may be longer. */
	if (can_write(READER_WAIT_MS))
		fprintf(stderr, "%sktrack: %s\n", is_terminal() ? CLEAR_LINE : "",
			buffer_string(&line));
	buffer_release(&line);
}

static void report_line_print(void *context, const char *line)
{
	(void)context;
	message_print(line);
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

// SPDX-License-Identifier: GPL-2.0-only
/* Prints lines to standard error that do no harm to a terminal. */
#include "cli/note.h"

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* How long a reader of standard error may take nothing. */
#define ROOM_MS 1000

/* To the end of the line, from where the next character would be. */
#define CLEAR_LINE "\033[K"

/* A pager that has both outputs and reads neither must not keep us from cleaning up. */
static bool has_room(int timeout_ms)
{
	struct pollfd error_output = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&error_output, 1, timeout_ms) > 0;
}

/* On a terminal the rest of a longer line may be there. */
static const char *clearing(void)
{
	return isatty(STDERR_FILENO) ? CLEAR_LINE : "";
}

/* One line, whatever bytes a name brought into it: control characters must not reach a terminal. */
void note_print(const struct error *note)
{
	struct text rest = text_of(note->text);
	struct buffer line = { 0 };

	while (rest.size > 0) {
		struct text character = { .data = rest.data, .size = utf8_sequence_size(rest) };
		size_t size = character.size ? character.size : 1;

		if (character.size == 0 || utf8_is_control(utf8_value(character)))
			buffer_append_char(&line, '?');
		else
			buffer_append(&line, character.data, size);
		rest = (struct text){ .data = rest.data + size, .size = rest.size - size };
	}
	if (has_room(ROOM_MS))
		fprintf(stderr, "%sktrack: %s\n", clearing(), buffer_string(&line));
	buffer_release(&line);
}

void note_progress(const char *text)
{
	if (has_room(0))
		fprintf(stderr, "%s%s\r", text, CLEAR_LINE);
}

void note_say(const char *format, ...)
{
	struct error note;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(note.text, sizeof(note.text), format, arguments);
	va_end(arguments);
	note_print(&note);
}

void note_error(struct error *error)
{
	if (error->text[0])
		note_print(error);
	error->text[0] = '\0';
}

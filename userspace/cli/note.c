// SPDX-License-Identifier: GPL-2.0-only
/* Prints lines to standard error that do no harm to a terminal. */
#include "cli/note.h"

#include <stdio.h>

/* Whether a character is a control character in UTF-8, where there are more of them behind 0xc2. */
static bool is_control(struct text character)
{
	unsigned char first = character.data[0];

	return first < 0x20 || first == 0x7f ||
	       (first == 0xc2 && (unsigned char)character.data[1] < 0xa0);
}

/* One line, whatever bytes a name brought into it: control characters must not reach a terminal. */
void note_print(const struct error *note)
{
	struct text rest = text_of(note->text);
	struct buffer line = { 0 };

	while (rest.size > 0) {
		struct text character = { .data = rest.data, .size = utf8_sequence_size(rest) };
		size_t size = character.size ? character.size : 1;

		if (character.size == 0 || is_control(character))
			buffer_append_char(&line, '?');
		else
			buffer_append(&line, character.data, size);
		rest = (struct text){ .data = rest.data + size, .size = rest.size - size };
	}
	fprintf(stderr, "ktrack: %s\n", buffer_string(&line));
	buffer_release(&line);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Prints explained slices as folded stacks. */
#include "analysis/internal.h"

/*
 * The explained slices as folded stacks, for flame graphs: a line for each part, "SLICE;PART;...
 * NS". The time of a wait is that of the waker's parts; kernel stacks are frames of their own.
 */

/* Semicolons separate frames, and a line ends one stack. */
static void append_folded(struct buffer *out, struct text text)
{
	buffer_append_char(out, ';');
	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];

		if (byte == ';')
			byte = ':';
		buffer_append_char(out, (unsigned char)byte < ' ' || byte == 0x7f ? '?' : byte);
	}
}

/* The outermost function first. */
static void append_folded_stack(struct buffer *out, struct text frames)
{
	while (frames.size > 0) {
		const char *last = memrchr(frames.data, ';', frames.size);
		size_t begin = last ? (size_t)(last + 1 - frames.data) : 0;

		append_folded(out, (struct text){ frames.data + begin, frames.size - begin });
		frames.size = begin > 0 ? begin - 1 : 0;
	}
}

static void fold_split(struct why_sink *why, struct buffer *path, const struct split *split)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];
		struct buffer text = { 0 };
		size_t size = path->size;

		part_append_text(&text, &why->names, &part->key);
		append_folded(path, buffer_text(&text));
		buffer_release(&text);
		append_folded_stack(path, name_table_text(&why->names, part->key.stack));
		if (part->waker) {
			fold_split(why, path, part->waker);
		} else {
			buffer_append(&why->folded, path->data, path->size);
			buffer_append_char(&why->folded, ' ');
			buffer_append_signed(&why->folded, part->total_ns);
			buffer_append_char(&why->folded, '\n');
		}
		path->size = size;
	}
}

int why_print_folded(struct why_sink *why)
{
	struct buffer path = { 0 };

	for (size_t i = 0; i < why->nr_slices; i++) {
		buffer_clear(&path);
		buffer_append_string(&path, why->slices[i].category);
		append_folded(&path, name_table_text(&why->names, why->slices[i].name));
		fold_split(why, &path, &why->slices[i].split);
	}
	buffer_release(&path);
	return why->folded.failed ? -1 : 0;
}

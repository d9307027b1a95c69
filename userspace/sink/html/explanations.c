// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of slices went, for the details of the page. */
#include "sink/html/state.h"

/* The page decompresses them together. */
#define EXPLAINED_MAX 128

static void explanation_append(struct buffer *out, const struct explanation *one)
{
	buffer_append_string(out, out->size > 0 ? ",[" : "[[");
	buffer_append_unsigned(out, one->track);
	buffer_printf(out, ",%u,", one->depth - 1);
	buffer_append(out, one->json.data, one->json.size);
	buffer_append_char(out, ']');
}

/* They are in the order of begins. */
static int explanations_append(struct html_sink *sink, const struct explanation *first, size_t nr)
{
	struct buffer *out = &sink->file.out;
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	for (size_t i = 0; i < nr; i++)
		explanation_append(text, &first[i]);
	buffer_append_char(text, ']');
	buffer_append_string(out, "x ");
	buffer_append_signed(out, first[0].begin_ns - sink->file.start_ns);
	buffer_append_char(out, ' ');
	buffer_append_signed(out, first[nr - 1].begin_ns - sink->file.start_ns);
	buffer_append_char(out, ' ');
	if (text->failed || html_append_packed(sink, buffer_text(text)) < 0)
		return -1;
	buffer_append_char(out, '\n');
	return 0;
}

int html_explanations_report(struct html_sink *sink, struct error *error)
{
	const struct explanations *all = sink->explanations;

	for (size_t i = 0; all && i < all->nr_items; i += EXPLAINED_MAX) {
		size_t left = all->nr_items - i;

		if (explanations_append(sink, &all->items[i],
					left < EXPLAINED_MAX ? left : EXPLAINED_MAX) < 0)
			return error_set(error, "out of memory");
		if (sink_file_spill(&sink->file, error) < 0)
			return -1;
	}
	return 0;
}

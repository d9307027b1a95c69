// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Threads and texts: what is rendered once and copied into many lines. */
#include <stdlib.h>
#include <string.h>

#include "trace2/plain.h"
#include "trace2/session.h"

/* "d0 | main                     | " */
static void cell_render(struct buffer *cell, const struct trace2_session *session, struct text name)
{
	struct buffer plain = { 0 };

	plain_append(&plain, name);
	cell->failed |= plain.failed;
	buffer_append_char(cell, 'd');
	buffer_append_unsigned(cell, session->depth);
	buffer_append_string(cell, " | ");
	plain_append_cell(cell, buffer_text(&plain), THREAD_NAME_SIZE, SIZE_MAX);
	buffer_append_string(cell, " | ");
	buffer_release(&plain);
}

struct trace2_thread *trace2_thread_new(const struct trace2_session *session,
					struct trace2_string name)
{
	struct trace2_thread *thread = calloc(1, sizeof(*thread));
	struct text text = string_text(name);

	if (!thread)
		return NULL;
	/* git cuts within characters, which would leave bytes that are no UTF-8. */
	if (!session->settings.has_whole_names)
		text = text_cut(text, THREAD_NAME_SIZE);
	buffer_append_string(&thread->json, "\"sid\":");
	json_append_string(&thread->json, text_of(session->sid));
	buffer_append_string(&thread->json, ",\"thread\":");
	json_append_string(&thread->json, text);
	cell_render(&thread->cell, session, text);
	buffer_seal(&thread->json);
	buffer_seal(&thread->cell);
	buffer_trim(&thread->json);
	buffer_trim(&thread->cell);
	if (!thread->json.failed && !thread->cell.failed)
		return thread;
	trace2_thread_free(thread);
	return NULL;
}

void trace2_thread_free(struct trace2_thread *thread)
{
	if (!thread)
		return;
	buffer_release(&thread->json);
	buffer_release(&thread->cell);
	free(thread);
}

int trace2_text_set(struct trace2_text *text, struct trace2_string string)
{
	buffer_clear(&text->json);
	buffer_clear(&text->plain);
	json_append_string(&text->json, string_text(string));
	plain_append(&text->plain, string_text(string));
	buffer_seal(&text->json);
	buffer_seal(&text->plain);
	text->has_bar = text->plain.size > 0 && memchr(text->plain.data, '|', text->plain.size);
	return text->json.failed || text->plain.failed ? -1 : 0;
}

struct trace2_text *trace2_text_new(struct trace2_string string)
{
	struct trace2_text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	if (trace2_text_set(text, string) < 0) {
		trace2_text_free(text);
		return NULL;
	}
	buffer_trim(&text->json);
	buffer_trim(&text->plain);
	return text;
}

void trace2_text_free(struct trace2_text *text)
{
	if (!text)
		return;
	buffer_release(&text->json);
	buffer_release(&text->plain);
	free(text);
}

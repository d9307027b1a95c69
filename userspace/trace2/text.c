// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Threads and texts: what is rendered once and copied into many lines. */
#include <stdlib.h>

#include "trace2/session.h"

struct trace2_thread *trace2_thread_new(const struct trace2_session *session, struct trace2_string name)
{
	struct trace2_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	buffer_append_string(&thread->prefix, "\"sid\":");
	json_append_string(&thread->prefix, text_of(session->sid));
	buffer_append_string(&thread->prefix, ",\"thread\":");
	json_append_string(&thread->prefix, string_text(name));
	buffer_append_string(&thread->prefix, ",\"time\":\"");
	if (!thread->prefix.failed)
		return thread;
	trace2_thread_free(thread);
	return NULL;
}

void trace2_thread_free(struct trace2_thread *thread)
{
	if (!thread)
		return;
	buffer_release(&thread->prefix);
	free(thread);
}

int trace2_text_set(struct trace2_text *text, struct trace2_string string)
{
	buffer_clear(&text->json);
	json_append_string(&text->json, string_text(string));
	return text->json.failed ? -1 : 0;
}

struct trace2_text *trace2_text_new(struct trace2_string string)
{
	struct trace2_text *text = calloc(1, sizeof(*text));

	if (!text || trace2_text_set(text, string) == 0)
		return text;
	trace2_text_free(text);
	return NULL;
}

void trace2_text_free(struct trace2_text *text)
{
	if (!text)
		return;
	buffer_release(&text->json);
	free(text);
}

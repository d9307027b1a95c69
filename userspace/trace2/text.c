// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Threads and texts: rendered once, copied into many lines. */
#include <stdlib.h>
#include <string.h>

#include "trace2/escape.h"
#include "trace2/session.h"

/* "d0 | main                     | " */
static void columns_render(struct buffer *columns, const struct trace2_session *session,
			   struct text name)
{
	struct buffer escaped = { 0 };

	escape_append(&escaped, name);
	columns->failed |= escaped.failed;
	buffer_append_char(columns, 'd');
	buffer_append_unsigned(columns, session->depth);
	buffer_append_string(columns, " | ");
	column_append(columns, buffer_text(&escaped), THREAD_NAME_SIZE, SIZE_MAX);
	buffer_append_string(columns, " | ");
	buffer_release(&escaped);
}

struct trace2_thread *trace2_thread_new(const struct trace2_session *session,
					struct trace2_string name)
{
	struct trace2_thread *thread = calloc(1, sizeof(*thread));
	struct text text = string_text(name);

	if (!thread)
		return NULL;
	/* git cuts within characters, which leaves bytes that are not UTF-8. */
	if (!session->settings.has_whole_names)
		text = text_cut(text, THREAD_NAME_SIZE);
	buffer_append_string(&thread->json, "\"sid\":");
	json_append_string(&thread->json, text_of(session->sid));
	buffer_append_string(&thread->json, ",\"thread\":");
	json_append_string(&thread->json, text);
	columns_render(&thread->columns, session, text);
	buffer_seal(&thread->json);
	buffer_seal(&thread->columns);
	buffer_trim(&thread->json);
	buffer_trim(&thread->columns);
	if (!thread->json.failed && !thread->columns.failed)
		return thread;
	trace2_thread_free(thread);
	return NULL;
}

void trace2_thread_free(struct trace2_thread *thread)
{
	if (!thread)
		return;
	buffer_release(&thread->json);
	buffer_release(&thread->columns);
	free(thread);
}

/* The category of texts that are no labels; no event has it. */
static const struct trace2_text no_category;

static bool text_render(struct trace2_text *text, struct trace2_string string)
{
	buffer_clear(&text->json);
	buffer_clear(&text->escaped);
	json_append_string(&text->json, string_text(string));
	escape_append(&text->escaped, string_text(string));
	buffer_seal(&text->json);
	buffer_seal(&text->escaped);
	text->has_bar = text->escaped.size > 0 &&
			memchr(text->escaped.data, '|', text->escaped.size);
	return !text->json.failed && !text->escaped.failed;
}

int trace2_text_set(struct trace2_text *text, struct trace2_string string)
{
	text->category = &no_category;
	return text_render(text, string) ? 0 : -1;
}

static void members_render(struct buffer *members, const struct trace2_text *category,
			   const struct trace2_text *label)
{
	buffer_clear(members);
	buffer_append_string(members, ",\"category\":");
	buffer_append(members, category->json.data, category->json.size);
	buffer_append_string(members, ",\"label\":");
	buffer_append(members, label->json.data, label->json.size);
	buffer_seal(members);
}

int trace2_label_set(struct trace2_text *text, const struct trace2_text *category,
		     struct trace2_string string)
{
	if (trace2_text_set(text, string) < 0)
		return -1;
	if (!category)
		return 0;
	members_render(&text->members, category, text);
	if (text->members.failed)
		return -1;
	text->category = category;
	return 0;
}

/* Trims a new text; frees it if setting it failed. */
static struct trace2_text *text_finish(struct trace2_text *text, int status)
{
	if (status < 0) {
		trace2_text_free(text);
		return NULL;
	}
	buffer_trim(&text->json);
	buffer_trim(&text->escaped);
	if (text->members.data)
		buffer_trim(&text->members);
	return text;
}

struct trace2_text *trace2_text_new(struct trace2_string string)
{
	struct trace2_text *text = calloc(1, sizeof(*text));

	return text ? text_finish(text, trace2_text_set(text, string)) : NULL;
}

struct trace2_text *trace2_label_new(const struct trace2_text *category,
				     struct trace2_string string)
{
	struct trace2_text *text = calloc(1, sizeof(*text));

	return text ? text_finish(text, trace2_label_set(text, category, string)) : NULL;
}

void trace2_text_free(struct trace2_text *text)
{
	if (!text)
		return;
	buffer_release(&text->json);
	buffer_release(&text->escaped);
	buffer_release(&text->members);
	free(text);
}

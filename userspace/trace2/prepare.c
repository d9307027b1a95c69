// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Checks the events of callers; git trusts its own callers instead. */
#include "trace2/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *const no_words[] = { NULL };

/* Sealed like all texts. */
static char empty_json[2 + PUT_SLACK] = "\"\"";
static const struct trace2_text no_text = { .json = { .data = empty_json, .size = 2 },
					    .escaped = { .data = empty_json + 2 } };

/* Replacements of missing members, by type. */
static const void *const substitutes[] = {
	[MEMBER_STRING] = "",
	[MEMBER_WORDS] = no_words,
	[MEMBER_ANCESTRY] = no_words,
	[MEMBER_TEXT] = &no_text,
};

/* What replaces a member, which is a pointer; NULL if it is not missing. */
static const void *const *substitute_of(const struct trace2_event *event,
					const struct member *member)
{
	const void *pointer;

	if (member->type > MEMBER_TEXT || !substitutes[member->type])
		return NULL;
	memcpy(&pointer, (const char *)event + member->offset, sizeof(pointer));
	return pointer ? NULL : &substitutes[member->type];
}

static bool has_place(const struct trace2_repository *repository)
{
	return repository && repository->worktree;
}

static bool is_complete(const struct trace2_event *event)
{
	const struct member *member = kinds[event->kind].members;

	while (member->type != MEMBER_END && !substitute_of(event, member))
		member++;
	return member->type == MEMBER_END &&
	       (event->kind != TRACE2_DEF_REPO || has_place(event->repository));
}

bool is_prepared(const struct trace2_settings *settings, const struct trace2_event *event)
{
	bool is_open, has_json;

	if ((unsigned int)event->kind >= TRACE2_KIND_COUNT || event->kind == TRACE2_VERSION)
		return false;
	is_open = settings->keeps_passwords || !kinds[event->kind].has_secrets;
	has_json = event->more.size > 0 || event->kind == TRACE2_DATA_JSON;
	return is_open && is_complete(event) && (settings->has_valid_json || !has_json);
}

static void members_complete(struct prepared *prepared)
{
	struct trace2_event *event = &prepared->event;
	const struct member *member = kinds[event->kind].members;

	for (; member->type != MEMBER_END; member++) {
		const void *const *substitute = substitute_of(event, member);

		if (substitute)
			memcpy((char *)event + member->offset, substitute, sizeof(*substitute));
	}
	if (event->kind != TRACE2_DEF_REPO || has_place(event->repository))
		return;
	if (event->repository)
		prepared->repository = *event->repository;
	prepared->repository.worktree = "";
	event->repository = &prepared->repository;
}

static void value_check(struct prepared *prepared)
{
	struct text value = string_text(prepared->event.data.value);

	if (json_append_value(&prepared->value, value) < 0)
		json_append_string(&prepared->value, value);
	prepared->event.data.value = (struct trace2_string){ prepared->value.data,
							     prepared->value.size };
}

/* Valid members are a valid object once they are in braces. */
static void more_check(struct prepared *prepared)
{
	struct text text = string_text(prepared->event.more);
	struct buffer object = { 0 };
	struct buffer *more = &prepared->more;

	buffer_append_char(&object, '{');
	buffer_append(&object, text.data, text.size);
	buffer_append_char(&object, '}');
	if (json_append_value(more, buffer_text(&object)) < 0) {
		buffer_append_string(more, "{\"more\":");
		json_append_string(more, text);
		buffer_append_char(more, '}');
	}
	more->failed |= object.failed;
	buffer_release(&object);
	if (!more->failed)
		prepared->event.more = (struct trace2_string){ more->data + 1, more->size - 2 };
}

/* Hides passwords in command lines and in values of parameters, as git does. */

/* The colon before the password of @word, or NULL; @at: the "@" behind the password. */
static const char *password_find(const char *word, const char **at)
{
	static const char *const schemes[] = { "https://", "http://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t size = strlen(schemes[i]);
		const char *rest = word + size;

		if (strncmp(word, schemes[i], size) != 0)
			continue;
		*at = rest + strcspn(rest, "@/");
		return **at == '@' ? memchr(rest, ':', *at - rest) : NULL;
	}
	return NULL;
}

/* A copy of @word without its password; NULL if memory ran out. */
static char *word_redact(const char *word)
{
	const char *at;
	const char *colon = password_find(word, &at);
	char *copy;

	if (!colon)
		return strdup(word);
	return asprintf(&copy, "%.*s:<REDACTED>%s", (int)(colon - word), word, at) < 0 ? NULL
										       : copy;
}

static char **words_redact(char *const *words)
{
	size_t nr_words = 0;
	char **copy;

	while (words[nr_words])
		nr_words++;
	copy = calloc(nr_words + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < nr_words; i++) {
		copy[i] = word_redact(words[i]);
		if (copy[i])
			continue;
		while (i > 0)
			free(copy[--i]);
		free(copy);
		return NULL;
	}
	return copy;
}

/* Hides "password" in "http[s]://user:password@host". Returns -1 if memory ran out. */
static int secrets_redact(struct prepared *prepared)
{
	struct trace2_event *event = &prepared->event;
	const struct member *member = kinds[event->kind].members;
	char *const **words;

	if (event->kind == TRACE2_DEF_PARAM) {
		if (!event->def_param.value)
			return 0;
		prepared->secret = word_redact(event->def_param.value);
		event->def_param.value = prepared->secret;
		return prepared->secret ? 0 : -1;
	}
	while (member->type != MEMBER_WORDS)
		member++;
	words = (char *const **)((char *)event + member->offset);
	prepared->words = words_redact(*words);
	*words = prepared->words;
	return prepared->words ? 0 : -1;
}

int prepared_init(struct prepared *prepared, const struct trace2_settings *settings,
		  const struct trace2_event *event)
{
	*prepared = (struct prepared){ .event = *event };
	prepared->event.has_slack = false;
	members_complete(prepared);
	if (!settings->has_valid_json && event->kind == TRACE2_DATA_JSON)
		value_check(prepared);
	if (!settings->has_valid_json && event->more.size > 0)
		more_check(prepared);
	if (prepared->value.failed || prepared->more.failed)
		return -1;
	if (settings->keeps_passwords || !kinds[event->kind].has_secrets)
		return 0;
	return secrets_redact(prepared);
}

void prepared_release(struct prepared *prepared)
{
	buffer_release(&prepared->value);
	buffer_release(&prepared->more);
	for (size_t i = 0; prepared->words && prepared->words[i]; i++)
		free(prepared->words[i]);
	free(prepared->words);
	free(prepared->secret);
}

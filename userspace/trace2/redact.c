// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Hides passwords in command lines and in values of parameters, as git does. */
#include "trace2/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool has_password(char *const *words)
{
	const char *at;

	for (; *words; words++) {
		if (password_find(*words, &at))
			return true;
	}
	return false;
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

/* The words of an event that may have secrets; NULL if it has none. */
static char *const **words_of(struct trace2_event *event)
{
	switch (event->kind) {
	case TRACE2_START:
		return &event->start.argv;
	case TRACE2_CHILD_START:
		return &event->child_start.argv;
	case TRACE2_EXEC:
		return &event->exec.argv;
	default:
		return NULL;
	}
}

static int value_redact(struct redacted *redacted)
{
	const char *at, *value = redacted->copy.def_param.value;

	if (!value || !password_find(value, &at))
		return 0;
	redacted->value = word_redact(value);
	redacted->copy.def_param.value = redacted->value;
	redacted->event = &redacted->copy;
	return redacted->value ? 0 : -1;
}

int redacted_init(struct redacted *redacted, const struct trace2_event *event)
{
	char *const **words;

	*redacted = (struct redacted){ .event = event, .copy = *event };
	if (event->kind == TRACE2_DEF_PARAM)
		return value_redact(redacted);
	words = words_of(&redacted->copy);
	if (!words || !has_password(*words))
		return 0;
	redacted->words = words_redact(*words);
	*words = redacted->words;
	redacted->event = &redacted->copy;
	return redacted->words ? 0 : -1;
}

void redacted_release(struct redacted *redacted)
{
	for (size_t i = 0; redacted->words && redacted->words[i]; i++)
		free(redacted->words[i]);
	free(redacted->words);
	free(redacted->value);
}

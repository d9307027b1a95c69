// SPDX-License-Identifier: GPL-2.0-only
/* Parses triggers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/limit.h"
#include "analysis/trigger.h"

#define LOSS "loss"
#define IF " if "

/* Limit of a threshold's digits. */
#define NUMBER_SIZE_MAX 24

/* Longer ones first. */
static const struct {
	const char *text;
	enum condition_what what;
} comparisons[] = {
	{ "==", CONDITION_EQUAL },	 { "!=", CONDITION_UNEQUAL },
	{ "<=", CONDITION_BELOW_EQUAL }, { ">=", CONDITION_ABOVE_EQUAL },
	{ "<", CONDITION_BELOW },	 { ">", CONDITION_ABOVE },
	{ "~", CONDITION_LIKE },
};

static bool threshold_parse(struct text text, int64_t *out)
{
	char digits[NUMBER_SIZE_MAX], *end;
	long long number;

	if (text.size == 0 || text.size >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)text.size, text.data);
	errno = 0;
	number = strtoll(digits, &end, 0);
	*out = number;
	return errno == 0 && !*end && end != digits &&
	       digits[strspn(digits, "-0123456789xabcdefABCDEF")] == '\0';
}

/* Removes the text up to @word, and the word; the whole text if it does not contain it. */
static struct text text_take_until(struct text *rest, const char *word)
{
	size_t size = strlen(word);
	const char *found = memmem(rest->data, rest->size, word, size);
	struct text taken = *rest;

	if (!found) {
		*rest = (struct text){ rest->data + rest->size, 0 };
		return taken;
	}
	taken.size = found - rest->data;
	*rest = (struct text){ found + size, rest->size - taken.size - size };
	return taken;
}

/* The first comparison of the text; returns its place, or the size of the text if there is none. */
static size_t comparison_first(struct text text, size_t *index)
{
	for (size_t i = 0; i < text.size; i++) {
		for (*index = 0; *index < sizeof(comparisons) / sizeof(comparisons[0]); ++*index) {
			const char *word = comparisons[*index].text;

			if (text.size - i >= strlen(word) &&
			    memcmp(text.data + i, word, strlen(word)) == 0)
				return i;
		}
	}
	return text.size;
}

static struct text text_unquote(struct text text)
{
	bool is_quoted = text.size >= 2 && (text.data[0] == '"' || text.data[0] == '\'') &&
			 text.data[text.size - 1] == text.data[0];

	return is_quoted ? (struct text){ text.data + 1, text.size - 2 } : text;
}

static int condition_parse(struct trigger *trigger, struct text text, struct error *error)
{
	struct trigger_condition *condition = &trigger->conditions[trigger->nr_conditions];
	size_t index, place = comparison_first(text, &index);
	struct text value;

	if (place == text.size)
		return error_set(error, "'%s': '%.*s' is no condition; write FIELD == VALUE",
				 trigger->text, (int)text.size, text.data);
	if (trigger->nr_conditions == TRIGGER_CONDITIONS_MAX)
		return error_set(error, "'%s': more than %d conditions; leave out some",
				 trigger->text, TRIGGER_CONDITIONS_MAX);
	condition->field = text_trim((struct text){ text.data, place });
	condition->what = comparisons[index].what;
	place += strlen(comparisons[index].text);
	value = text_unquote(text_trim((struct text){ text.data + place, text.size - place }));
	if (condition->field.size == 0 || value.size == 0)
		return error_set(error,
				 "'%s': a field or its value is missing; write FIELD == VALUE",
				 trigger->text);
	condition->is_number = threshold_parse(value, &condition->number);
	if (!condition->is_number && condition->what >= CONDITION_BELOW &&
	    condition->what <= CONDITION_ABOVE_EQUAL)
		return error_set(error, "'%s': '%.*s' is no number; compare texts with ==, != or ~",
				 trigger->text, (int)value.size, value.data);
	condition->text = strndup(value.data, value.size);
	trigger->nr_conditions++;
	return condition->text ? 0 : error_set(error, "out of memory");
}

static int conditions_parse(struct trigger *trigger, struct text text, struct error *error)
{
	while (text.size > 0) {
		if (condition_parse(trigger, text_trim(text_take_until(&text, "&&")), error) < 0)
			return -1;
	}
	return 0;
}

static int limit_parse(struct trigger *trigger, const struct limit_words *words,
		       struct error *error)
{
	trigger->is_below = words->is_below;
	trigger->allows_equal = words->allows_equal;
	if (limit_time_parse(words->value, &trigger->limit)) {
		trigger->kind = TRIGGER_SLICE;
		if (!trigger->is_below)
			return 0;
		return error_set(error,
				 "'%s': a slice fires when it is too long; write SLICE > TIME",
				 trigger->text);
	}
	trigger->kind = TRIGGER_COUNTER;
	if (threshold_parse(words->value, &trigger->limit))
		return 0;
	return error_set(error,
			 "'%s': '%.*s' is no time of a slice, such as 50ms, and no number of a "
			 "counter",
			 trigger->text, (int)words->value.size, words->value.data);
}

int trigger_parse(struct trigger *out, const char *text, struct error *error)
{
	struct text rest = text_of(text), subject = text_trim(text_take_until(&rest, IF));
	bool has_if = strstr(text, IF) != NULL;
	struct limit_words words;

	*out = (struct trigger){ .text = text, .kind = TRIGGER_EVENT };
	if (strpbrk(text, "\n\r"))
		return error_set(error, "a trigger has more than one line; write it on one");
	if (has_if && text_trim(rest).size == 0)
		return error_set(error, "'%s': no condition behind 'if'; write FIELD == VALUE",
				 text);
	if (conditions_parse(out, rest, error) < 0)
		return -1;
	if (text_equals(subject, text_of(LOSS))) {
		out->kind = TRIGGER_LOSS;
		return has_if ? error_set(error, "'%s': a loss has no fields; leave out 'if'", text)
			      : 0;
	}
	if (limit_split(subject, &words)) {
		if (limit_parse(out, &words, error) < 0)
			return -1;
		subject = words.subject;
	}
	return slice_selector_parse(&out->selector, subject, error);
}

void trigger_release(struct trigger *trigger)
{
	slice_selector_release(&trigger->selector);
	for (size_t i = 0; i < trigger->nr_conditions; i++)
		free(trigger->conditions[i].text);
	trigger->nr_conditions = 0;
}

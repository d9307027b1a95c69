// SPDX-License-Identifier: GPL-2.0-only
/* Parses budgets, from their end: names may contain anything. */
#include <stdio.h>

#include "analysis/budget.h"

/* Limit of a number with its unit. */
#define VALUE_SIZE_MAX 40

static const char *const whats[] = {
	[BUDGET_COUNT] = "count", [BUDGET_TOTAL] = "total", [BUDGET_MIN] = "min",
	[BUDGET_MEAN] = "mean",	  [BUDGET_MAX] = "max",
};

static bool byte_is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static struct text text_trim(struct text text)
{
	while (text.size > 0 && byte_is_blank(text.data[0])) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 && byte_is_blank(text.data[text.size - 1]))
		text.size--;
	return text;
}

/* The last "<" or ">" of the text; its size if there is none. */
static size_t comparison_find(struct text text)
{
	for (size_t i = text.size; i-- > 0;) {
		if (text.data[i] == '<' || text.data[i] == '>')
			return i;
	}
	return text.size;
}

/* "p99.9": at most two digits, and one behind a point. */
static bool budget_percentile_parse(struct text text, unsigned int *out)
{
	unsigned int number = 0;
	size_t point = 0;

	if (text.size < 2 || text.data[0] != 'p')
		return false;
	for (size_t i = 1; i < text.size; i++) {
		if (text.data[i] == '.' && !point && i > 1) {
			point = i;
			continue;
		}
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		number = number * 10 + (unsigned int)(text.data[i] - '0');
		if (number > 999)
			return false;
	}
	if (point ? text.size != point + 2 : number > 99)
		return false;
	*out = point ? number : number * 10;
	return *out > 0 && *out < 1000;
}

static bool what_parse(struct budget *budget, struct text word)
{
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (text_equals(word, text_of(whats[i]))) {
			budget->what = i;
			return true;
		}
	}
	budget->what = BUDGET_PERCENTILE;
	return budget_percentile_parse(word, &budget->permille);
}

static int count_value_parse(struct budget *budget, const char *value, struct error *error)
{
	int64_t number = 0;

	for (const char *digit = value; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || number > INT64_MAX / 100)
			return error_set(error, "'%s': '%s' is no number of slices", budget->text,
					 value);
		number = number * 10 + (*digit - '0');
	}
	budget->limit = number;
	return 0;
}

static int budget_value_parse(struct budget *budget, struct text text, struct error *error)
{
	char value[VALUE_SIZE_MAX];
	struct error ignored = { 0 };

	if (text.size == 0 || text.size >= sizeof(value))
		return error_set(error,
				 "'%s': no value behind the comparison; write one such as "
				 "2ms",
				 budget->text);
	snprintf(value, sizeof(value), "%.*s", (int)text.size, text.data);
	if (budget->what == BUDGET_COUNT)
		return count_value_parse(budget, value, error);
	/* Seconds without a unit would be a trap here. */
	if (value[text.size - 1] < '0' || value[text.size - 1] > '9') {
		if (time_duration_parse(value, &budget->limit, &ignored) == 0)
			return 0;
	}
	return error_set(error, "'%s': '%s' is no time; write a number with ns, us, ms, s, m or h",
			 budget->text, value);
}

/* The last word in front of the comparison; what is left of it is the slice. */
static struct text last_word_take(struct text *rest)
{
	size_t begin = rest->size;
	struct text word;

	while (begin > 0 && !byte_is_blank(rest->data[begin - 1]))
		begin--;
	word = (struct text){ rest->data + begin, rest->size - begin };
	*rest = text_trim((struct text){ rest->data, begin });
	return word;
}

int budget_parse(struct budget *out, const char *text, struct error *error)
{
	struct text whole = text_of(text), slice, what;
	size_t place = comparison_find(whole);

	*out = (struct budget){ .text = text };
	if (place == whole.size)
		return error_set(error,
				 "'%s': no comparison; write SLICE WHAT < VALUE, such as "
				 "'mydrv:mydrv_work/read p99 < 2ms'",
				 text);
	out->is_below = text[place] == '<';
	out->allows_equal = text[place + 1] == '=';
	slice = text_trim((struct text){ text, place });
	what = last_word_take(&slice);
	if (!what_parse(out, what))
		return error_set(error,
				 "'%s': '%.*s' cannot be limited; write count, total, min, mean, "
				 "max or a percentile such as p99",
				 text, (int)what.size, what.data);
	place += 1 + out->allows_equal;
	if (budget_value_parse(out, text_trim((struct text){ text + place, whole.size - place }),
			       error) < 0)
		return -1;
	return slice_selector_parse(&out->selector, slice, error);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Parses budgets, from their end: names may contain anything. */
#include "analysis/budget.h"
#include "analysis/limit.h"

/* Limit of a number with its unit. */
#define VALUE_SIZE_MAX 40

static const char *const whats[] = {
	[BUDGET_COUNT] = "count", [BUDGET_TOTAL] = "total", [BUDGET_MIN] = "min",
	[BUDGET_MEAN] = "mean",	  [BUDGET_MAX] = "max",
};

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

static int count_value_parse(struct budget *budget, struct text value, struct error *error)
{
	int64_t number = 0;

	for (size_t i = 0; i < value.size; i++) {
		if (value.data[i] < '0' || value.data[i] > '9' || number > INT64_MAX / 100)
			return error_set(error, "'%s': '%.*s' is no number of slices", budget->text,
					 (int)value.size, value.data);
		number = number * 10 + (value.data[i] - '0');
	}
	budget->limit = number;
	return 0;
}

static int budget_value_parse(struct budget *budget, struct text value, struct error *error)
{
	if (value.size == 0 || value.size >= VALUE_SIZE_MAX)
		return error_set(error,
				 "'%s': no value behind the comparison; write one such as "
				 "2ms",
				 budget->text);
	if (budget->what == BUDGET_COUNT)
		return count_value_parse(budget, value, error);
	if (limit_time_parse(value, &budget->limit))
		return 0;
	return error_set(error,
			 "'%s': '%.*s' is no time; write a number with ns, us, ms, s, m or h",
			 budget->text, (int)value.size, value.data);
}

/* The last word in front of the comparison; what is left of it is the slice. */
static struct text last_word_take(struct text *rest)
{
	size_t begin = rest->size;
	struct text word;

	while (begin > 0 && rest->data[begin - 1] != ' ' && rest->data[begin - 1] != '\t')
		begin--;
	word = (struct text){ rest->data + begin, rest->size - begin };
	*rest = text_trim((struct text){ rest->data, begin });
	return word;
}

int budget_parse(struct budget *out, const char *text, struct error *error)
{
	struct limit_words words;
	struct text slice, what;

	*out = (struct budget){ .text = text };
	if (!limit_split(text_of(text), &words))
		return error_set(error,
				 "'%s': no comparison; write SLICE WHAT < VALUE, such as "
				 "'mydrv:mydrv_work/read p99 < 2ms'",
				 text);
	out->is_below = words.is_below;
	out->allows_equal = words.allows_equal;
	slice = words.subject;
	what = last_word_take(&slice);
	if (!what_parse(out, what))
		return error_set(error,
				 "'%s': '%.*s' cannot be limited; write count, total, min, mean, "
				 "max or a percentile such as p99",
				 text, (int)what.size, what.data);
	if (budget_value_parse(out, words.value, error) < 0)
		return -1;
	return slice_selector_parse(&out->selector, slice, error);
}

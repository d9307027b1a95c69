// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds the nearest known word: a different case, a prefix, or few wrong letters. */
#include "base/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A shorter prefix fits too many words. */
#define PREFIX_MIN 2

static unsigned int number_min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Fills a row of the distance table; @before and @earlier are the rows above it. */
static void distance_row_fill(unsigned int *row, const unsigned int *before,
			      const unsigned int *earlier, struct text a, size_t at, struct text b)
{
	for (size_t i = 1; i <= b.size; i++) {
		unsigned int is_other = a.data[at - 1] != b.data[i - 1];

		row[i] = number_min(before[i - 1] + is_other,
				    number_min(before[i], row[i - 1]) + 1);
		if (at > 1 && i > 1 && a.data[at - 1] == b.data[i - 2] &&
		    a.data[at - 2] == b.data[i - 1])
			row[i] = number_min(row[i], earlier[i - 2] + 1);
	}
}

static unsigned int word_distance(struct text a, struct text b)
{
	unsigned int rows[3][SUGGESTION_SIZE_MAX + 1] = { { 0 } };

	for (size_t i = 0; i <= b.size; i++)
		rows[0][i] = i;
	for (size_t i = 1; i <= a.size; i++) {
		rows[i % 3][0] = i;
		distance_row_fill(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b);
	}
	return rows[a.size % 3][b.size];
}

/* Up to a third of the letters may be wrong, one of two to five. */
static unsigned int word_distance_max(struct text typed)
{
	return typed.size < 2 ? 0 : typed.size < 6 ? 1 : typed.size / 3;
}

static bool word_is_prefix(struct text typed, struct text known)
{
	return typed.size >= PREFIX_MIN && typed.size <= known.size &&
	       strncasecmp(typed.data, known.data, typed.size) == 0;
}

/* Of words at the same distance; of those that begin with what is typed, the shortest. */
static bool word_is_better(const char *word, const char *other, bool is_prefix)
{
	size_t size = strlen(word), other_size = strlen(other);

	if (is_prefix && size != other_size)
		return size < other_size;
	return strcmp(word, other) < 0;
}

void suggestion_add(struct suggestion *suggestion, struct text typed, const char *word)
{
	struct text known = text_of(word);
	size_t size_min = typed.size < known.size ? typed.size : known.size;
	size_t size_max = typed.size + known.size - size_min;
	bool is_prefix = word_is_prefix(typed, known);
	unsigned int distance = 1;

	if (size_max > SUGGESTION_SIZE_MAX || text_equals(typed, known))
		return;
	if (!is_prefix) {
		/* Words whose sizes differ more are not near. */
		if (size_max - size_min > word_distance_max(typed))
			return;
		distance = word_distance(typed, known);
		if (distance > word_distance_max(typed))
			return;
	}
	if (!suggestion->word[0] || distance < suggestion->distance ||
	    (distance == suggestion->distance &&
	     word_is_better(word, suggestion->word, is_prefix))) {
		suggestion_set(suggestion, word);
		suggestion->distance = distance;
	}
}

void suggestion_set(struct suggestion *suggestion, const char *word)
{
	snprintf(suggestion->word, sizeof(suggestion->word), "%s", word);
	suggestion->distance = 0;
}

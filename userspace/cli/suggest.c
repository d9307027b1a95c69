// SPDX-License-Identifier: GPL-2.0-only
/* Finds the nearest known word: a different case, a prefix, or few wrong letters. */
#include "cli/option.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Longer words are not compared. */
#define WORD_SIZE_MAX 32

/* A shorter prefix fits too many words. */
#define PREFIX_MIN 2

static unsigned int number_min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Fills a row of the distance table; @before and @earlier are the rows above it. */
static void distance_row_fill(unsigned int *row, const unsigned int *before,
			      const unsigned int *earlier, const char *a, size_t at, const char *b)
{
	for (size_t i = 1; b[i - 1]; i++) {
		unsigned int is_other = a[at - 1] != b[i - 1];

		row[i] = number_min(before[i - 1] + is_other,
				    number_min(before[i], row[i - 1]) + 1);
		if (at > 1 && i > 1 && a[at - 1] == b[i - 2] && a[at - 2] == b[i - 1])
			row[i] = number_min(row[i], earlier[i - 2] + 1);
	}
}

static unsigned int word_distance(const char *a, const char *b)
{
	unsigned int rows[3][WORD_SIZE_MAX + 1] = { { 0 } };
	size_t size_a = strlen(a), size_b = strlen(b);

	if (size_a > WORD_SIZE_MAX || size_b > WORD_SIZE_MAX)
		return WORD_SIZE_MAX;
	for (size_t i = 0; i <= size_b; i++)
		rows[0][i] = i;
	for (size_t i = 1; i <= size_a; i++) {
		rows[i % 3][0] = i;
		distance_row_fill(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b);
	}
	return rows[size_a % 3][size_b];
}

/* Up to a third of the letters may be wrong, one of two to five. */
static unsigned int word_distance_max(const char *typed)
{
	size_t size = strlen(typed);

	return size < 2 ? 0 : size < 6 ? 1 : size / 3;
}

static bool word_is_prefix(const char *typed, const char *known)
{
	size_t size = strlen(typed);

	return size >= PREFIX_MIN && strncasecmp(typed, known, size) == 0;
}

void suggestion_add(struct suggestion *suggestion, const char *typed, const char *known)
{
	bool is_prefix = word_is_prefix(typed, known);
	unsigned int distance = is_prefix ? 1 : word_distance(typed, known);

	if (strcmp(typed, known) == 0 || (!is_prefix && distance > word_distance_max(typed)))
		return;
	if (suggestion->word && suggestion->distance <= distance)
		return;
	*suggestion = (struct suggestion){ .word = known, .distance = distance };
}

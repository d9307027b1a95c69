// SPDX-License-Identifier: GPL-2.0-only
/* Compares words by how many letters have to be changed, added, left out or swapped. */
#include "cli/suggest.h"

#include <string.h>

/* Longer words are not compared. */
#define SIZE_MAX_WORD 32

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* One row of the table of distances; @before and @earlier are the rows above it. */
static void row_fill(unsigned int *row, const unsigned int *before, const unsigned int *earlier,
		     const char *a, size_t at, const char *b)
{
	for (size_t i = 1; b[i - 1]; i++) {
		unsigned int is_other = a[at - 1] != b[i - 1];

		row[i] = smaller(before[i - 1] + is_other, smaller(before[i], row[i - 1]) + 1);
		if (at > 1 && i > 1 && a[at - 1] == b[i - 2] && a[at - 2] == b[i - 1])
			row[i] = smaller(row[i], earlier[i - 2] + 1);
	}
}

static unsigned int distance_of(const char *a, const char *b)
{
	unsigned int rows[3][SIZE_MAX_WORD + 1] = { { 0 } };
	size_t size_a = strlen(a), size_b = strlen(b);

	if (size_a > SIZE_MAX_WORD || size_b > SIZE_MAX_WORD)
		return SIZE_MAX_WORD;
	for (size_t i = 0; i <= size_b; i++)
		rows[0][i] = i;
	for (size_t i = 1; i <= size_a; i++) {
		rows[i % 3][0] = i;
		row_fill(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b);
	}
	return rows[size_a % 3][size_b];
}

/* A third of the letters may be wrong, and one of two or three. */
static unsigned int distance_max(const char *typed)
{
	size_t size = strlen(typed);

	return size < 2 ? 0 : size < 6 ? 1 : size / 3;
}

void suggestion_add(struct suggestion *suggestion, const char *typed, const char *known)
{
	unsigned int distance = distance_of(typed, known);

	if (distance == 0 || distance > distance_max(typed))
		return;
	if (suggestion->word && suggestion->distance <= distance)
		return;
	*suggestion = (struct suggestion){ .word = known, .distance = distance };
}

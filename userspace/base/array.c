// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sorts arrays that are nearly sorted. */
#include "base/array.h"

/** struct sorting - how members are sorted; @scratch: space for half of them */
struct sorting {
	size_t size;
	int (*compare)(const void *a, const void *b);
	char *scratch;
};

/* Recursion goes as deep as the number of members has bits. */
static void part_sort(const struct sorting *sorting, char *part, size_t nr)
{
	size_t size = sorting->size, left_size = nr / 2 * size;
	char *left = sorting->scratch, *left_end = left + left_size;
	char *right = part + left_size, *right_end = part + nr * size;

	if (nr < 2)
		return;
	part_sort(sorting, part, nr / 2);
	part_sort(sorting, right, nr - nr / 2);
	if (sorting->compare(right - size, right) <= 0)
		return;
	memcpy(left, part, left_size);
	while (left < left_end) {
		bool is_right = right < right_end && sorting->compare(left, right) > 0;

		memcpy(part, is_right ? right : left, size);
		part += size;
		if (is_right)
			right += size;
		else
			left += size;
	}
}

void array_sort(void *array, size_t nr, size_t size, int (*compare)(const void *, const void *))
{
	struct sorting sorting = { size, compare, nr > 1 ? malloc(nr / 2 * size) : NULL };

	if (sorting.scratch)
		part_sort(&sorting, array, nr);
	else if (nr > 1)
		qsort(array, nr, size, compare);
	free(sorting.scratch);
}

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Arrays: growing, sorting, and binary search. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/**
 * array_reserve - make space for one more member behind the @nr members of @array
 * @array: a pointer, which changes if the members move; NULL if there are none
 *
 * Returns false if memory ran out; the array is unchanged then. The new member is not initialized.
 */
#define array_reserve(array, nr)                                                  \
	({                                                                        \
		void *grown_ = reallocarray((array), (nr) + 1, sizeof(*(array))); \
                                                                                  \
		if (grown_)                                                       \
			(array) = grown_;                                         \
		grown_ != NULL;                                                   \
	})

/**
 * array_extend - grow @array to have a member @index
 * @array: as for array_reserve()
 * @nr: its number of members, which changes
 *
 * New members are zeros. Returns false if memory ran out; the array is unchanged then.
 */
#define array_extend(array, nr, index)                                                  \
	({                                                                              \
		size_t had_ = (nr), wanted_ = (size_t)(index) + 1;                      \
		void *grown_ = (array);                                                 \
                                                                                        \
		if (wanted_ > had_)                                                     \
			grown_ = reallocarray((array), wanted_, sizeof(*(array)));      \
		if (wanted_ > had_ && grown_) {                                         \
			(array) = grown_;                                               \
			memset((array) + had_, 0, (wanted_ - had_) * sizeof(*(array))); \
			(nr) = wanted_;                                                 \
		}                                                                       \
		grown_ != NULL;                                                         \
	})

/**
 * array_double - make space for one more member behind the @nr members of @array
 * @capacity: number of members that fit, which doubles if there is none left
 *
 * For arrays that become long. Returns false as array_reserve() does.
 */
#define array_double(array, nr, capacity)                                       \
	({                                                                      \
		size_t new_ = (capacity) ? (capacity)*2 : 16;                   \
		void *grown_ = (array);                                         \
                                                                                \
		if ((nr) == (capacity))                                         \
			grown_ = reallocarray((array), new_, sizeof(*(array))); \
		if ((nr) == (capacity) && grown_) {                             \
			(array) = grown_;                                       \
			(capacity) = new_;                                      \
		}                                                               \
		grown_ != NULL;                                                 \
	})

/**
 * array_sort - sort @nr members of @size bytes as qsort(3) does, equal ones in their order
 *
 * Without memory for half of them qsort(3) sorts them, which may change the order of equal ones.
 *
 * Halves that are in order already are not merged: what is nearly sorted, as the kernel's symbols
 * are, takes a comparison for each member.
 */
void array_sort(void *array, size_t nr, size_t size, int (*compare)(const void *, const void *));

/**
 * sorted_count - number of members at the beginning of an array for which @is_before is true
 * @nr, @size: number of members, and the size of one
 * @is_before: true for the first members, false for all others
 *
 * bsearch(3) finds only equal members.
 */
static inline size_t sorted_count(const void *array, size_t nr, size_t size,
				  bool (*is_before)(const void *member, const void *key),
				  const void *key)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before((const char *)array + middle * size, key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sorting arrays. */
#include "base/array.h"
#include "fixtures/tap.h"

#define NR 3000

/** struct member - what is sorted by @key; @place: where it was */
struct member {
	uint32_t key, place;
};

static size_t nr_compared;

static int member_compare(const void *a, const void *b)
{
	const struct member *left = a, *right = b;

	nr_compared++;
	return (left->key > right->key) - (left->key < right->key);
}

/* Sorts; returns how many neighbors are not in order, or equal and no longer in theirs. */
static size_t sort_and_check(struct member *members, size_t nr)
{
	size_t nr_wrong = 0;

	nr_compared = 0;
	array_sort(members, nr, sizeof(*members), member_compare);
	for (size_t i = 1; i < nr; i++) {
		const struct member *left = &members[i - 1], *right = &members[i];

		nr_wrong += left->key > right->key ||
			    (left->key == right->key && left->place >= right->place);
	}
	return nr_wrong;
}

TEST(any_number_of_members_is_sorted_and_equal_ones_stay_in_order)
{
	struct member members[NR];
	uint32_t number = 1;

	for (size_t nr = 0; nr <= NR; nr = nr * 2 + 1) {
		for (uint32_t i = 0; i < nr; i++) {
			number = number * 1664525 + 1013904223;
			members[i] = (struct member){ number >> 24, i };
		}
		CHECK_NUMBER(sort_and_check(members, nr), 0);
	}
}

TEST(what_is_nearly_sorted_takes_a_comparison_for_each_member)
{
	struct member members[NR];

	for (uint32_t i = 0; i < NR; i++)
		members[i] = (struct member){ i, i };
	CHECK_NUMBER(sort_and_check(members, NR), 0);
	CHECK_NUMBER(nr_compared, NR - 1);
	/* The first ones belong behind the others. */
	for (uint32_t i = 0; i < NR; i++)
		members[i] = (struct member){ i < 10 ? NR + i : i, i };
	CHECK_NUMBER(sort_and_check(members, NR), 0);
	CHECK(nr_compared < 3 * NR);
}

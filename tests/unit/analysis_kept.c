// SPDX-License-Identifier: GPL-2.0-only
/* Tests of which explained slices are kept for other outputs. */
#include "analysis/internal.h"

#include "fixtures/tap.h"

static const char category[] = "demo:io";

/* Adds a slice of a name as the analysis does. */
static void add(struct kept *kept, uint32_t number, int64_t begin_ns, int64_t duration_ns)
{
	struct kept_name *name = kept_name_get(kept, category, number);

	CHECK(name != NULL);
	if (!kept_wants(kept, name, duration_ns))
		return;
	CHECK_NUMBER(kept_add(kept, name,
			      &(struct explanation){ .track = number,
						     .depth = 1,
						     .begin_ns = begin_ns,
						     .end_ns = begin_ns + duration_ns,
						     .json = text_of("0123456789") }),
		     0);
}

static bool has(const struct explanations *all, uint32_t number, int64_t duration_ns)
{
	for (size_t i = 0; i < all->nr_items; i++) {
		const struct explanation *one = &all->items[i];

		if (one->track == number && one->end_ns - one->begin_ns == duration_ns)
			return true;
	}
	return false;
}

TEST(few_slices_are_all_kept_by_their_begins)
{
	SCOPED(kept) kept = { 0 };
	struct explanations all = { 0 };

	add(&kept, 1, 300, 5);
	add(&kept, 2, 100, 9);
	add(&kept, 1, 200, 1);
	add(&kept, 1, 50, 0);
	CHECK_NUMBER(kept_finish(&kept, &all), 0);
	CHECK_NUMBER(all.nr_items, 3);
	CHECK_NUMBER(all.limit, 0);
	for (size_t i = 0; i < all.nr_items; i++) {
		CHECK_NUMBER(all.items[i].begin_ns, 100 * ((int64_t)i + 1));
		CHECK(text_equals(all.items[i].json, text_of("0123456789")));
	}
}

TEST(of_many_slices_the_slowest_of_each_name_are_kept)
{
	SCOPED(kept) kept = { .size_max = 10 * 100 };
	struct explanations all = { 0 };

	for (int i = 0; i < 5000; i++) {
		/* Each duration once, not in their order. */
		add(&kept, 1, i, 1 + i * 1237 % 5000);
		if (i % 1000 == 0)
			add(&kept, 2, i, 1 + i / 1000);
	}
	CHECK_NUMBER(kept_finish(&kept, &all), 0);
	CHECK(all.limit > 4 && all.limit <= 50);
	for (int i = 0; i < (int)all.limit; i++)
		CHECK(has(&all, 1, 5000 - i));
	CHECK(!has(&all, 1, 5000 - (int64_t)all.limit));
	for (int i = 1; i <= 5; i++)
		CHECK(has(&all, 2, i));
	CHECK_NUMBER(all.nr_items, all.limit + 5);
}

TEST(of_too_many_names_the_slowest_slices_are_kept)
{
	SCOPED(kept) kept = { .size_max = 10 * 100 };
	struct explanations all = { 0 };

	for (int i = 0; i < 3000; i++)
		add(&kept, i, i, 1 + i * 1237 % 3000);
	CHECK_NUMBER(kept_finish(&kept, &all), 0);
	CHECK_NUMBER(all.limit, 1);
	CHECK(all.nr_items >= 25 && all.nr_items <= 100);
	for (int i = 0; i < 3000; i++) {
		if (3000 - 1 - i * 1237 % 3000 < 25)
			CHECK(has(&all, i, 1 + i * 1237 % 3000));
	}
	CHECK_NUMBER(kept.size, all.nr_items * 10);
}

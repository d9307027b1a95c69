// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the statistics that sinks share. */
#include "sink/summary.h"

#include "fixtures/tap.h"

#define NR_NAMES 1000

static void check_intervals(const struct intervals *intervals, uint64_t nr, int64_t total_ns,
			    int64_t min_ns, int64_t max_ns)
{
	CHECK_NUMBER(intervals->nr_intervals, nr);
	CHECK_NUMBER(intervals->total_ns, total_ns);
	CHECK_NUMBER(intervals->min_ns, min_ns);
	CHECK_NUMBER(intervals->max_ns, max_ns);
}

TEST(intervals_have_their_sum_and_their_extremes)
{
	struct intervals intervals = { 0 };

	intervals_add(&intervals, 5);
	check_intervals(&intervals, 1, 5, 5, 5);
	intervals_add(&intervals, 7);
	check_intervals(&intervals, 2, 12, 5, 7);
	intervals_add(&intervals, 0);
	intervals_add(&intervals, 6);
	check_intervals(&intervals, 4, 18, 0, 7);
	intervals_add(&intervals, INT64_C(1) << 60);
	check_intervals(&intervals, 5, 18 + (INT64_C(1) << 60), 0, INT64_C(1) << 60);
}

TEST(merged_intervals_are_as_if_added_one_by_one)
{
	struct intervals all = { 0 }, low = { 0 }, high = { 0 };

	intervals_add(&low, 2);
	intervals_add(&low, 3);
	intervals_add(&high, 8);
	intervals_add(&high, 9);
	intervals_merge(&all, &high);
	check_intervals(&all, 2, 17, 8, 9);
	intervals_merge(&all, &low);
	check_intervals(&all, 4, 22, 2, 9);
	intervals_merge(&all, &high);
	check_intervals(&all, 6, 39, 2, 9);
}

TEST(merging_no_intervals_changes_nothing)
{
	struct intervals all = { 0 }, none = { 0 };

	intervals_merge(&all, &none);
	check_intervals(&all, 0, 0, 0, 0);
	intervals_add(&all, 5);
	intervals_merge(&all, &none);
	check_intervals(&all, 1, 5, 5, 5);
}

TEST(a_table_has_one_entry_for_each_tracepoint_and_counted_name)
{
	struct timeline_category work = { .text = "a:work" }, other_work = { .text = "b:work" };
	struct timeline_name read = { .text = text_of("read"), .is_counted = true };
	struct timeline_name write = { .text = text_of("write"), .is_counted = true };
	struct interval_table table = { 0 };
	struct intervals *first = interval_table_get(&table, &work, &read);

	CHECK(first && first->category == &work && first->name == &read &&
	      first->nr_intervals == 0);
	CHECK(interval_table_get(&table, &work, &write) != first);
	CHECK(interval_table_get(&table, &other_work, &read) != first);
	CHECK(interval_table_get(&table, &work, &read) == first);
	CHECK_NUMBER(table.size, 3);
	CHECK(table.list[0] == first && table.list[1]->name == &write &&
	      table.list[2]->category == &other_work);
	interval_table_release(&table);
	CHECK_NUMBER(table.size, 0);
}

TEST(names_that_are_not_counted_share_the_entry_of_their_tracepoint)
{
	struct timeline_category work = { .text = "a:work" }, other_work = { .text = "b:work" };
	struct timeline_name one = { .text = text_of("one") }, two = { .text = text_of("two") };
	SCOPED(interval_table) table = { 0 };
	struct intervals *others = interval_table_get(&table, &work, &one);

	CHECK(others->name == NULL);
	CHECK(interval_table_get(&table, &work, &two) == others);
	CHECK(interval_table_get(&table, &work, NULL) == others);
	CHECK(interval_table_get(&table, &other_work, &one) != others);
	CHECK_NUMBER(table.size, 2);
}

TEST(a_table_keeps_many_entries_in_order_of_appearance)
{
	static struct timeline_name names[NR_NAMES];
	struct timeline_category work = { .text = "a:work" };
	SCOPED(interval_table) table = { 0 };

	for (int i = 0; i < NR_NAMES; i++) {
		names[i].is_counted = true;
		intervals_add(interval_table_get(&table, &work, &names[i]), i);
	}
	for (int i = 0; i < NR_NAMES; i++)
		intervals_add(interval_table_get(&table, &work, &names[i]), i);
	CHECK_NUMBER(table.size, NR_NAMES);
	for (int i = 0; i < NR_NAMES; i++) {
		const struct intervals *entry = table.list[i];

		if (!CHECK(entry->name == &names[i] && entry->nr_intervals == 2 &&
			   entry->max_ns == i))
			break;
	}
}

/* Every name's place is shared with others. */
TEST(what_is_found_at_once_is_the_entry_of_that_name_and_tracepoint)
{
	struct timeline_category work = { .text = "a:work" }, other_work = { .text = "b:work" };
	struct timeline_name names[3 * INTERVAL_RECENT] = { 0 };
	SCOPED(interval_table) table = { 0 };

	for (int i = 0; i < 3 * INTERVAL_RECENT; i++) {
		names[i].is_counted = true;
		names[i].number = i;
		CHECK(interval_table_recent(&table, &work, &names[i]) == NULL);
		interval_table_get(&table, &work, &names[i]);
		CHECK(interval_table_recent(&table, &work, &names[i]) == table.list[i]);
		CHECK(interval_table_recent(&table, &other_work, &names[i]) == NULL);
	}
	CHECK(interval_table_recent(&table, &work, &names[0]) == NULL);
}

static void add_signed(struct levels *levels, int64_t number)
{
	levels_add(levels, &(struct value){ .kind = VALUE_SIGNED, .signed_number = number });
}

static void add_unsigned(struct levels *levels, uint64_t number)
{
	levels_add(levels, &(struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = number });
}

TEST(levels_have_first_last_and_extremes)
{
	struct levels levels = { 0 };

	add_signed(&levels, 3);
	CHECK(levels.nr_samples == 1 && levels.first.signed_number == 3 &&
	      levels.last.signed_number == 3);
	CHECK(levels.min.signed_number == 3 && levels.max.signed_number == 3);
	add_signed(&levels, INT64_MIN);
	add_signed(&levels, INT64_MAX);
	add_signed(&levels, -1);
	CHECK(levels.nr_samples == 4 && levels.first.signed_number == 3 &&
	      levels.last.signed_number == -1);
	CHECK(levels.min.signed_number == INT64_MIN && levels.max.signed_number == INT64_MAX);
}

TEST(levels_may_all_be_below_zero)
{
	struct levels levels = { 0 };

	add_signed(&levels, -5);
	add_signed(&levels, -7);
	CHECK(levels.min.signed_number == -7 && levels.max.signed_number == -5);
}

static void add_floating(struct levels *levels, double number)
{
	levels_add(levels, &(struct value){ .kind = VALUE_FLOATING, .floating = number });
}

TEST(what_is_no_number_is_no_extreme_of_levels)
{
	struct levels levels = { 0 };

	add_floating(&levels, __builtin_nan(""));
	add_floating(&levels, -0.5);
	add_floating(&levels, __builtin_nan(""));
	add_floating(&levels, 1.5);
	CHECK(levels.min.floating == -0.5 && levels.max.floating == 1.5);
	CHECK(levels.nr_samples == 4 && __builtin_isnan(levels.first.floating));
}

TEST(levels_without_a_sign_are_compared_without_one)
{
	struct levels levels = { 0 };

	add_unsigned(&levels, 5);
	add_unsigned(&levels, UINT64_MAX);
	add_unsigned(&levels, 7);
	CHECK(levels.min.unsigned_number == 5 && levels.max.unsigned_number == UINT64_MAX);
	CHECK(levels.max.kind == VALUE_UNSIGNED && levels.last.unsigned_number == 7);
}

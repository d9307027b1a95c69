// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the queue of programs' records and of its sub-buffers. */
#include "userring/queue.h"

#include <string.h>

#include "fixtures/tap.h"
#include "tracefs/page.h"

static struct record_queue queue;

static void add_of(unsigned int user, int64_t time_ns, size_t size)
{
	char data[4096];

	memset(data, 'x', size);
	memcpy(data, &time_ns, sizeof(time_ns));
	CHECK_NUMBER(queue_add(&queue, user, time_ns, data, size), 0);
}

static void add(int64_t time_ns, size_t size)
{
	add_of(0, time_ns, size);
}

/* Appends "TIME " for each record, and "-COUNT " for a gap before it. */
static const char *fill(int64_t until_ns)
{
	static struct buffer text;
	unsigned char bytes[PROGRAM_PAGE_SIZE];
	struct record record;
	struct page page;
	int64_t time_ns;
	size_t size;

	buffer_clear(&text);
	while ((size = queue_fill(&queue, until_ns, bytes)) > 0) {
		CHECK(size <= sizeof(bytes));
		page_load(&page, (struct page_layout){ 0 }, bytes, size);
		if (page.has_gap)
			buffer_printf(&text, "-%lld ", (long long)page.gap_count);
		while (page_next(&page, &record)) {
			memcpy(&time_ns, record.data, sizeof(time_ns));
			CHECK_NUMBER(record.time_ns, time_ns);
			buffer_printf(&text, "%lld ", (long long)time_ns);
		}
		CHECK(!page.is_damaged);
	}
	return buffer_string(&text);
}

TEST(records_of_rings_are_sorted_and_those_of_one_time_keep_their_order)
{
	add(30, 12);
	add(10, 13);
	add(20, 14);
	CHECK_TEXT(fill(20), "10 20 ");
	add(25, 100);
	add(25, 104);
	CHECK_TEXT(fill(100), "25 25 30 ");
	CHECK_TEXT(fill(100), "");
	queue_release(&queue);
}

/* A record of a signal handler is before the one that it interrupts. */
TEST(records_of_many_rings_are_merged)
{
	SCOPED_BUFFER(want);

	for (int64_t ring = 0; ring < 7; ring++) {
		for (int64_t i = 0; i < 20; i++)
			add(7 * (i ^ (ring == 4)) + ring + 1, 12 + i);
	}
	for (int i = 1; i <= 140; i++)
		buffer_printf(&want, "%d ", i);
	CHECK_TEXT(fill(1000), buffer_string(&want));
	queue_release(&queue);
}

/* Extends a sub-buffer by records up to a time; the number of its records. */
static size_t extend(int64_t until_ns, unsigned char *page)
{
	size_t nr_records = 0, size = queue_extend(&queue, until_ns, page);
	struct record record;
	struct page view;
	int64_t time_ns;

	if (size == 0)
		return 0;
	CHECK(size <= PROGRAM_PAGE_SIZE);
	page_load(&view, (struct page_layout){ 0 }, page, size);
	for (; page_next(&view, &record); nr_records++) {
		memcpy(&time_ns, record.data, sizeof(time_ns));
		CHECK_NUMBER(record.time_ns, time_ns);
	}
	CHECK(!view.is_damaged);
	return nr_records;
}

TEST(a_sub_buffer_is_extended_until_it_is_full_or_records_are_lost)
{
	unsigned char page[PROGRAM_PAGE_SIZE] = { 0 };

	add(10, 1000);
	add(20, 1000);
	CHECK(queue_fill(&queue, 10, page) > 0);
	CHECK_NUMBER(extend(15, page), 0);
	CHECK_NUMBER(extend(20, page), 2);
	add(INT64_C(1) << 40, 1000);
	CHECK_NUMBER(extend(INT64_MAX, page), 3);
	add((INT64_C(1) << 40) + 1, 1300);
	CHECK_NUMBER(extend(INT64_MAX, page), 0);
	CHECK(queue_fill(&queue, INT64_MAX, page) > 0);
	queue_lose(&queue, INT64_C(1) << 41, LOSS_COUNT_UNKNOWN);
	add(INT64_C(1) << 42, 12);
	CHECK_NUMBER(extend(INT64_MAX, page), 0);
	CHECK(queue_fill(&queue, INT64_MAX, page) > 0);
	add(INT64_C(1) << 43, 12);
	CHECK_NUMBER(extend(INT64_MAX, page), 2);
	CHECK_NUMBER(queue.counts.read, 6);
	queue_release(&queue);
}

/* The number of lost records is behind the others. */
TEST(a_sub_buffer_with_a_number_of_lost_records_is_not_extended)
{
	unsigned char page[PROGRAM_PAGE_SIZE] = { 0 };

	queue_lose(&queue, 5, 3);
	add(10, 12);
	CHECK(queue_fill(&queue, 10, page) > 0);
	add(20, 12);
	CHECK_NUMBER(extend(20, page), 0);
	CHECK_TEXT(fill(20), "20 ");
	queue_release(&queue);
}

/* Programs that write no records may lose some for days. */
TEST(losses_without_records_take_little_memory)
{
	const int64_t number = 10000;

	for (int64_t time_ns = 1; time_ns <= number; time_ns++)
		CHECK_NUMBER(queue_lose(&queue, time_ns, 1), 0);
	CHECK(queue.nr_losses < 5000);
	CHECK_NUMBER(queue.counts.lost, number);
	add(number, 12);
	CHECK_TEXT(fill(number), "-10000 10000 ");
	CHECK_NUMBER(queue.nr_losses, 0);
	queue_release(&queue);
}

/* A recording that keeps the first records may go on for days. */
TEST(losses_of_a_closed_queue_take_no_memory)
{
	add(10, 12);
	queue.is_closed = true;
	for (int64_t time_ns = 20; time_ns < 1020; time_ns++)
		add(time_ns, 12);
	CHECK_NUMBER(queue.nr_losses, 1);
	CHECK_NUMBER(queue.counts.lost, 1000);
	queue_release(&queue);
}

TEST(times_that_are_far_apart_fit)
{
	add(1, 12);
	add(1 + (INT64_C(1) << 27), 12);
	add(1 + (INT64_C(1) << 50), 200);
	add(INT64_C(1) << 61, 12);
	CHECK_TEXT(fill(INT64_MAX), "1 134217729 1125899906842625 2305843009213693952 ");
	queue_release(&queue);
}

TEST(records_of_any_size_fit)
{
	for (size_t size = 12; size <= 3056; size++) {
		add(size, size);
		add(size, 12);
	}
	for (size_t size = 12; size <= 3056; size++) {
		struct buffer want = { 0 };

		buffer_printf(&want, "%zu %zu ", size, size);
		CHECK_TEXT(fill(size), buffer_string(&want));
		buffer_release(&want);
	}
	CHECK_NUMBER(queue.counts.read, 2 * 3045);
	queue_release(&queue);
}

TEST(losses_are_before_the_next_record)
{
	add(10, 12);
	queue_lose(&queue, 15, 3);
	queue_lose(&queue, 15, 4);
	add(20, 12);
	queue_lose(&queue, 25, LOSS_COUNT_UNKNOWN);
	add(30, 12);
	queue_lose(&queue, 35, 1);
	CHECK_TEXT(fill(100), "10 -7 20 --1 30 ");
	CHECK_NUMBER(queue.counts.lost, 8);
	CHECK(queue.counts.is_damaged);
	queue_release(&queue);
}

/* Sizes distinguish the records. */
TEST(records_of_one_time_come_in_the_order_in_which_they_were_added)
{
	unsigned char bytes[PROGRAM_PAGE_SIZE];
	struct record record;
	struct page page;

	for (size_t i = 0; i < 20; i++)
		add(i % 2 ? 20 : 10, 12 + 4 * i);
	page_load(&page, (struct page_layout){ 0 }, bytes, queue_fill(&queue, 20, bytes));
	for (size_t i = 0; i < 20; i++) {
		CHECK(page_next(&page, &record));
		CHECK_NUMBER(record.size, 12 + 4 * (i < 10 ? 2 * i : 2 * i - 19));
	}
	queue_release(&queue);
}

/* Those before a record that waits stay there, whatever is lost behind the last one. */
TEST(losses_of_known_and_unknown_size_behind_a_closed_queue_are_apart)
{
	queue_lose(&queue, 5, 3);
	add(10, 12);
	queue.is_closed = true;
	queue_lose(&queue, 20, 4);
	queue_lose(&queue, 30, LOSS_COUNT_UNKNOWN);
	queue_lose(&queue, 40, LOSS_COUNT_UNKNOWN);
	if (CHECK_NUMBER(queue.nr_losses, 3)) {
		CHECK_NUMBER(queue.losses[1].count, 4);
		CHECK_NUMBER(queue.losses[2].count, LOSS_COUNT_UNKNOWN);
	}
	CHECK_TEXT(fill(100), "-3 10 ");
	CHECK_NUMBER(queue.counts.lost, 7);
	queue_release(&queue);
}

TEST(losses_before_and_behind_the_records_of_a_closed_queue_are_apart)
{
	queue_lose(&queue, 5, 3);
	add(10, 12);
	queue.is_closed = true;
	add(20, 12);
	add(30, 12);
	CHECK_NUMBER(queue.nr_losses, 2);
	CHECK_TEXT(fill(100), "-3 10 ");
	CHECK_NUMBER(queue.counts.lost, 5);
	queue_release(&queue);
}

TEST(a_record_that_comes_too_late_is_lost)
{
	add(10, 12);
	add(20, 12);
	CHECK_TEXT(fill(20), "10 20 ");
	add(19, 12);
	add(20, 12);
	CHECK_TEXT(fill(30), "-1 20 ");
	CHECK_NUMBER(queue.counts.lost, 1);
	CHECK_NUMBER(queue.users[0].nr_late, 1);
	queue_release(&queue);
}

/* Full lists, of which a quarter is delivered. */
TEST(all_memory_of_records_is_counted)
{
	for (int i = 0; i < 4096; i++)
		add(i % 2 ? i : 10000 + i, 12);
	fill(1000);
	CHECK_NUMBER(queue.size, 4096);
	CHECK(queue.nr_taken > 0);
	CHECK_NUMBER(queue_bytes(&queue),
		     queue.capacity * (sizeof(*queue.list) + sizeof(*queue.runs)) +
			     queue.bytes.size);
	queue_release(&queue);
}

TEST(no_record_is_dropped_if_those_that_wait_fit)
{
	for (int i = 0; i < 4096; i++)
		add(i, 12);
	fill(1000);
	CHECK(queue.nr_taken > 0);
	queue_shrink(&queue, queue_bytes(&queue) - queue.nr_taken * 12);
	CHECK_NUMBER(queue.nr_taken, 0);
	CHECK(queue.size > 0);
	CHECK_NUMBER(queue.nr_losses, 0);
	queue_release(&queue);
}

TEST(the_oldest_records_are_dropped_if_the_memory_is_full)
{
	for (int i = 0; i < 100; i++)
		add(1000 - i, 100);
	queue_shrink(&queue, 5 * (100 + QUEUED_PLACES_SIZE));
	CHECK_TEXT(fill(2000), "-95 996 997 998 999 1000 ");
	CHECK_NUMBER(queue.counts.lost, 95);
	CHECK_NUMBER(queue_bytes(&queue), 0);
	queue_release(&queue);
}

/* As with --mode=circular, for days. */
TEST(losses_among_the_last_records_keep_their_places)
{
	for (int64_t time_ns = 0; time_ns < 20000; time_ns += 2) {
		queue_lose(&queue, time_ns, 1);
		add(time_ns + 1, 100);
		queue_shrink(&queue, 3 * (100 + QUEUED_PLACES_SIZE));
	}
	CHECK_TEXT(fill(20000), "-19995 19995 -1 19997 -1 19999 ");
	CHECK_NUMBER(queue.counts.lost, 10000 + 9997);
	queue_release(&queue);
}

TEST(each_record_that_waits_may_have_a_loss)
{
	for (int64_t time_ns = 0; time_ns < 10000; time_ns += 2) {
		queue_lose(&queue, time_ns, 1);
		add(time_ns + 1, 100);
	}
	CHECK_NUMBER(queue.nr_losses, 5000);
	queue_release(&queue);
}

/* Delivers records while ten times as many wait; its time, which ends at a limit. */
static int64_t deliver_ns(int64_t nr_records, int64_t limit_ns)
{
	int64_t begin_ns = time_now_ns(CLOCK_PROCESS_CPUTIME_ID), ns = 0, nr_delivered = 0;

	for (int64_t i = 0; i < 10 * nr_records; i++)
		add(1000000 + i, 12);
	while (nr_delivered < nr_records && ns < limit_ns) {
		unsigned char page[PROGRAM_PAGE_SIZE];

		add(nr_delivered, 1000);
		add(2000000 - nr_delivered, 12);
		CHECK(queue_fill(&queue, nr_delivered++, page) > 0);
		ns = time_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
	}
	CHECK_NUMBER(queue.counts.read, nr_delivered);
	queue_release(&queue);
	return ns;
}

/*
 * A program chooses the times of its records; while many wait, each message may have one of any.
 * Ten times as many take ten times as long, and would take a hundred if each moved all.
 */
TEST(records_that_come_while_others_are_delivered_take_little_time)
{
	int64_t limit_ns = 30 * deliver_ns(2000, INT64_MAX);

	queue = (struct record_queue){ 0 };
	CHECK(deliver_ns(20000, limit_ns) < limit_ns);
}

/* The loss is where the first record is missing, among those that were known. */
TEST(a_limit_leaves_the_first_records_of_each_user)
{
	for (int64_t time_ns = 1; time_ns <= 6; time_ns++)
		add_of(7, 10 * time_ns, 100);
	for (int64_t time_ns = 1; time_ns <= 4; time_ns++)
		add_of(2, 10 * time_ns + 5, 100);
	queue_lose(&queue, 35, 1);
	queue_lose(&queue, 65, 2);
	add_of(0, 3, 100);
	add_of(0, 70, 100);
	CHECK_TEXT(fill(25), "3 10 15 20 25 ");
	CHECK_NUMBER(queue_user_bytes(&queue, 7), 4 * (100 + QUEUED_PLACES_SIZE));
	CHECK_NUMBER(queue_limit(&queue, 4, 4), 0);
	CHECK_NUMBER(queue_limit(&queue, 2, 2), 2);
	CHECK_NUMBER(queue_user_bytes(&queue, 7), 2 * (100 + QUEUED_PLACES_SIZE));
	CHECK_NUMBER(queue_bytes(&queue), 5 * (100 + QUEUED_PLACES_SIZE));
	add_of(2, 50, 12);
	add_of(7, 48, 12);
	CHECK_TEXT(fill(100), "30 -1 35 40 45 48 -2 50 -2 70 ");
	CHECK_NUMBER(queue.counts.lost, 5);
	CHECK_NUMBER(queue.counts.read, 12);
	queue_release(&queue);
}

/* Who had few keeps them. */
TEST(another_limit_is_of_users_that_lost_records)
{
	for (int64_t time_ns = 1; time_ns <= 6; time_ns++)
		add_of(7, 10 * time_ns, 100);
	for (int64_t time_ns = 1; time_ns <= 3; time_ns++)
		add_of(2, 10 * time_ns + 5, 100);
	CHECK_NUMBER(queue_limit(&queue, 4, 0), 2);
	CHECK_NUMBER(queue_limit(&queue, 3, 1), 3);
	CHECK_TEXT(fill(100), "10 15 -3 25 35 ");
	queue_release(&queue);
}

/* Records of a run that are left in the middle, and what is added behind them, stay in order. */
TEST(a_limit_leaves_records_of_many_rings_in_order)
{
	for (int64_t ring = 0; ring < 3; ring++) {
		for (int64_t i = 0; i < 4; i++)
			add_of(i % 2, 10 * i + ring, 100);
	}
	CHECK_TEXT(fill(1), "0 1 ");
	CHECK_NUMBER(queue_limit(&queue, 2, 2), 6);
	CHECK_TEXT(fill(20), "2 10 11 -4 20 ");
	add_of(0, 23, 12);
	add_of(1, 22, 12);
	CHECK_TEXT(fill(100), "-2 22 23 ");
	CHECK_NUMBER(queue.counts.lost, 6);
	queue_release(&queue);
}

/* Nothing follows it: source_finish() delivers what is counted, and is not in a sub-buffer. */
TEST(a_limit_that_drops_all_records_leaves_a_loss)
{
	for (int64_t time_ns = 1; time_ns <= 6; time_ns++)
		add(time_ns, 100);
	CHECK_NUMBER(queue_limit(&queue, 0, 0), 6);
	CHECK_NUMBER(queue_bytes(&queue), 0);
	CHECK_TEXT(fill(INT64_MAX), "");
	CHECK_NUMBER(queue.counts.lost, 6);
	CHECK(!queue.counts.is_damaged);
	add(10, 12);
	CHECK_TEXT(fill(INT64_MAX), "-6 10 ");
	queue_release(&queue);
}

/* The memory does not grow with the records that were delivered. */
TEST(delivered_records_take_no_memory)
{
	for (int i = 0; i < 200000; i++) {
		add(i, 64);
		if (i % 100 == 50)
			fill(i - 20);
	}
	CHECK(queue.capacity <= 16384);
	CHECK(queue.bytes.capacity < (2 << 20));
	queue_release(&queue);
}

static bool bytes_are_one_of(char *const data[2])
{
	return queue.bytes.data == data[0] || queue.bytes.data == data[1];
}

/* Records that are left are moved to and fro. */
TEST(memory_of_delivered_records_is_used_again)
{
	char *data[2];

	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 5000; j++)
			add(5000 * i + j, 200);
		fill(5000 * i + 4990);
		if (i >= 4 && i < 6)
			data[i - 4] = queue.bytes.data;
		if (i >= 6)
			CHECK(bytes_are_one_of(data));
	}
	CHECK(queue.bytes.capacity + queue.spare.capacity < (5 << 20));
	queue_release(&queue);
}

TEST(much_memory_of_delivered_records_is_returned)
{
	static char large[40 << 20];

	CHECK_NUMBER(queue_add(&queue, 0, 1, large, sizeof(large)), 0);
	add(2, 100);
	queue_shrink(&queue, 1000);
	CHECK_NUMBER(queue.size, 1);
	CHECK_NUMBER(queue.spare.capacity, 0);
	CHECK_TEXT(fill(2), "-1 2 ");
	queue_release(&queue);
}

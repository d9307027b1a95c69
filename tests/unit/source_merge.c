// SPDX-License-Identifier: GPL-2.0-only
/* Tests of one CPU's stream and of the merge of several: order, rounds, and when gaps are reported.
 */
#include "source/source_ops.h"

#include <stdlib.h>

#include "fixtures/random.h"
#include "fixtures/raw_page.h"
#include "fixtures/tap.h"

#define NR_CPUS 24
#define RAW_PAGES_MAX 64

/**
 * struct feed - what one CPU's buffer will give
 * @raw_pages: sub-buffers to come; NULL where the buffer is dry for once
 */
struct feed {
	struct raw_page *raw_pages[RAW_PAGES_MAX];
	size_t nr_raw_pages;
	size_t nr_given;
	bool fails;
};

/**
 * struct source_fixture - CPUs with feeds, and what a handler was reported
 * @log: a line "cpu N at TIME" for each record, "cpu N lost COUNT from TIME to TIME" for each gap
 * @nr_calls_left: the handler fails after so many calls
 */
struct source_fixture {
	struct feed feeds[NR_CPUS];
	struct stream streams[NR_CPUS];
	struct buffer log;
	unsigned int nr_calls_left;
};

static struct source_fixture reader;

static ssize_t feed_refill(struct stream *stream, struct error *error)
{
	struct feed *feed = &reader.feeds[stream->cpu];
	struct raw_page *raw_page;

	if (feed->fails)
		return error_set(error, "feed %d fails", stream->cpu);
	if (feed->nr_given == feed->nr_raw_pages)
		return 0;
	raw_page = feed->raw_pages[feed->nr_given++];
	stream->bytes = raw_page ? raw_page->bytes : NULL;
	return raw_page ? RAW_PAGE_SIZE : 0;
}

static const struct stream_ops feed_ops = { .refill = feed_refill };

static int record_log(void *context, const struct record *record, struct error *error)
{
	if (reader.nr_calls_left-- == 0)
		return error_set(error, "enough");
	buffer_printf(context, "cpu %d at %lld\n", record->cpu, (long long)record->time_ns);
	return 0;
}

static int loss_log(void *context, const struct loss *loss, struct error *error)
{
	if (reader.nr_calls_left-- == 0)
		return error_set(error, "enough");
	buffer_printf(context, "cpu %d lost %lld from %lld to %lld\n", loss->cpu,
		      (long long)loss->count, (long long)loss->from_ns, (long long)loss->to_ns);
	return 0;
}

static void source_fixture_begin(void)
{
	memset(&reader, 0, sizeof(reader));
	reader.nr_calls_left = 1000000;
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		reader.streams[cpu] = (struct stream){ .ops = &feed_ops, .cpu = cpu };
}

static void source_fixture_end(void)
{
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		for (size_t i = 0; i < reader.feeds[cpu].nr_raw_pages; i++)
			free(reader.feeds[cpu].raw_pages[i]);
	}
	buffer_release(&reader.log);
}

/* Adds a sub-buffer with records at these times, which a 0 ends; returns it. */
static struct raw_page *feed_times(int cpu, const uint64_t *times)
{
	struct feed *feed = &reader.feeds[cpu];
	struct raw_page *raw_page = malloc(sizeof(*raw_page));

	raw_page_begin(raw_page, times[0]);
	for (; *times; times++)
		raw_page_at(raw_page, *times, cpu);
	raw_page_end(raw_page);
	feed->raw_pages[feed->nr_raw_pages++] = raw_page;
	return raw_page;
}

#define FEED(cpu, ...) feed_times(cpu, (const uint64_t[]){ __VA_ARGS__, 0 })

static void feed_dry(int cpu)
{
	reader.feeds[cpu].raw_pages[reader.feeds[cpu].nr_raw_pages++] = NULL;
}

static int drain(int64_t until_ns, struct error *error)
{
	const struct source_handler handler = { .context = &reader.log,
						.record = record_log,
						.loss = loss_log };
	static const struct source_ops ops = { 0 };
	struct source source = { .ops = &ops, .streams = reader.streams, .nr_streams = NR_CPUS };

	return merge_drain(&source, until_ns, &handler, error);
}

/* Drains, and compares what was reported since the last time. */
static void check_drain(int64_t until_ns, const char *want)
{
	struct error error = { 0 };

	buffer_clear(&reader.log);
	CHECK_NUMBER(drain(until_ns, &error), 0);
	CHECK_TEXT(buffer_string(&reader.log), want);
}

TEST_IN(source_fixture, records_of_all_cpus_come_in_time_order)
{
	FEED(0, 10, 40, 41, 42);
	FEED(0, 70);
	FEED(1, 20, 50);
	FEED(2, 30, 60, 80);
	check_drain(INT64_MAX,
		    "cpu 0 at 10\ncpu 1 at 20\ncpu 2 at 30\ncpu 0 at 40\ncpu 0 at 41\ncpu 0 at 42\n"
		    "cpu 1 at 50\ncpu 2 at 60\ncpu 0 at 70\ncpu 2 at 80\n");
	check_drain(INT64_MAX, "");
}

TEST_IN(source_fixture, records_with_equal_times_come_cpu_by_cpu)
{
	reader.streams[0].cpu = 2;
	reader.streams[2].cpu = 0;
	FEED(0, 5, 5, 6);
	FEED(1, 5, 6);
	FEED(2, 4, 5, 5);
	check_drain(INT64_MAX,
		    "cpu 2 at 4\ncpu 0 at 5\ncpu 0 at 5\ncpu 1 at 5\ncpu 2 at 5\ncpu 2 at 5\n"
		    "cpu 0 at 6\ncpu 1 at 6\n");
}

TEST_IN(source_fixture, records_after_the_moment_wait_for_the_next_round)
{
	FEED(0, 10, 20, 30);
	FEED(1, 21, 22);
	check_drain(9, "");
	check_drain(20, "cpu 0 at 10\ncpu 0 at 20\n");
	FEED(2, 25);
	check_drain(29, "cpu 1 at 21\ncpu 1 at 22\ncpu 2 at 25\n");
	check_drain(30, "cpu 0 at 30\n");
}

TEST_IN(source_fixture, a_buffer_that_ran_dry_is_read_again_in_the_next_round)
{
	FEED(0, 10);
	feed_dry(0);
	FEED(0, 30);
	FEED(1, 20);
	check_drain(25, "cpu 0 at 10\ncpu 1 at 20\n");
	check_drain(35, "cpu 0 at 30\n");
}

TEST_IN(source_fixture, a_gap_is_reported_before_any_record_after_its_beginning)
{
	FEED(0, 10);
	raw_page_end_behind_counted(FEED(0, 50, 60), 7);
	FEED(1, 10, 20, 55);
	check_drain(INT64_MAX, "cpu 0 at 10\ncpu 0 lost 7 from 10 to 50\ncpu 1 at 10\ncpu 1 at 20\n"
			       "cpu 0 at 50\ncpu 1 at 55\ncpu 0 at 60\n");
	CHECK_NUMBER(reader.streams[0].counted, 7);
	CHECK(!reader.streams[0].has_uncounted);
}

TEST_IN(source_fixture, a_gap_reaches_back_no_further_than_what_was_settled)
{
	FEED(0, 10);
	feed_dry(0);
	raw_page_end_behind_gap(FEED(0, 60));
	FEED(1, 20, 50);
	check_drain(40, "cpu 0 at 10\ncpu 1 at 20\n");
	check_drain(100, "cpu 0 lost -1 from 40 to 60\ncpu 1 at 50\ncpu 0 at 60\n");
	CHECK(reader.streams[0].has_uncounted);
	CHECK_NUMBER(reader.streams[0].counted, 0);
}

TEST_IN(source_fixture, a_gap_before_a_record_that_has_to_wait_is_reported_once_and_at_once)
{
	FEED(0, 10);
	raw_page_end_behind_counted(FEED(0, 60), 3);
	check_drain(40, "cpu 0 at 10\ncpu 0 lost 3 from 10 to 60\n");
	check_drain(50, "");
	check_drain(60, "cpu 0 at 60\n");
}

TEST_IN(source_fixture, a_gap_before_the_first_record_begins_with_time_itself)
{
	raw_page_end_behind_counted(FEED(0, 60), 3);
	check_drain(100, "cpu 0 lost 3 from 0 to 60\ncpu 0 at 60\n");
}

/* Adds a sub-buffer that says "count records were lost", and holds none. */
static void feed_gap(int cpu, int64_t count)
{
	struct raw_page *raw_page = FEED(cpu, 1);

	raw_page_begin(raw_page, 1);
	if (count < 0)
		raw_page_end_behind_gap(raw_page);
	else
		raw_page_end_behind_counted(raw_page, count);
}

TEST_IN(source_fixture, gaps_without_a_record_between_them_become_one)
{
	FEED(0, 10);
	feed_gap(0, 3);
	feed_gap(0, 4);
	FEED(0, 20);
	raw_page_end_behind_counted(FEED(0, 30), 1);
	feed_gap(0, 5);
	feed_gap(0, -1);
	raw_page_end_behind_counted(FEED(0, 40), 6);
	check_drain(INT64_MAX, "cpu 0 at 10\ncpu 0 lost 7 from 10 to 20\ncpu 0 at 20\n"
			       "cpu 0 lost 1 from 20 to 30\ncpu 0 at 30\ncpu 0 lost -1 from 30 to "
			       "40\ncpu 0 at 40\n");
	CHECK_NUMBER(reader.streams[0].counted, 8);
}

TEST_IN(source_fixture, gaps_too_large_to_add_up_become_one_of_unknown_size)
{
	feed_gap(0, INT64_MAX);
	raw_page_end_behind_counted(FEED(0, 20), 1);
	check_drain(INT64_MAX, "cpu 0 lost -1 from 0 to 20\ncpu 0 at 20\n");
}

TEST_IN(source_fixture, a_gap_that_no_record_follows_waits_for_one)
{
	FEED(0, 10);
	feed_gap(0, 3);
	feed_dry(0);
	FEED(0, 90);
	check_drain(50, "cpu 0 at 10\n");
	check_drain(100, "cpu 0 lost 3 from 50 to 90\ncpu 0 at 90\n");
}

TEST_IN(source_fixture, what_a_damaged_sub_buffer_did_not_give_is_a_gap_of_unknown_size)
{
	struct raw_page *raw_page;

	raw_page = FEED(0, 10, 20);
	raw_page_head(raw_page, RAW_PAGE_EXTEND, 1);
	raw_page_end(raw_page);
	raw_page = FEED(0, 30);
	raw_page_commit(raw_page, RAW_PAGE_DATA_SIZE + 1);
	feed_dry(0);
	raw_page_end_behind_counted(FEED(0, 90), 3);
	check_drain(50, "cpu 0 at 10\ncpu 0 at 20\ncpu 0 lost -1 from 20 to 30\ncpu 0 at 30\n");
	check_drain(100, "cpu 0 lost -1 from 50 to 90\ncpu 0 at 90\n");
}

static int64_t timestamp_double(const struct stream *stream, int64_t timestamp)
{
	(void)stream;
	return 2 * timestamp;
}

TEST_IN(source_fixture, records_are_merged_by_converted_timestamps)
{
	reader.streams[0].convert = timestamp_double;
	FEED(0, 10, 21);
	FEED(1, 25, 50);
	check_drain(INT64_MAX, "cpu 0 at 20\ncpu 1 at 25\ncpu 0 at 42\ncpu 1 at 50\n");
}

TEST_IN(source_fixture, sub_buffers_of_another_machine_are_read_in_its_layout)
{
	struct raw_page *raw_page;

	reader.streams[0].layout = (struct page_layout){ .is_swapped = true,
							 .has_short_longs = true };
	raw_page = FEED(0, 1);
	raw_page_begin_as(raw_page, 10, true, 4);
	raw_page_at(raw_page, 30, 0);
	raw_page_end_behind_counted(raw_page, 5);
	FEED(1, 20);
	check_drain(INT64_MAX, "cpu 0 lost 5 from 0 to 30\ncpu 1 at 20\ncpu 0 at 30\n");
}

TEST(a_failing_handler_or_buffer_ends_the_round_with_its_error)
{
	for (unsigned int call = 0; call < 3; call++) {
		struct error error = { 0 };

		source_fixture_begin();
		FEED(0, 10);
		raw_page_end_behind_counted(FEED(0, 20), 3);
		reader.nr_calls_left = call;
		CHECK_NUMBER(drain(100, &error), -1);
		CHECK_TEXT(error.text, "enough");
		source_fixture_end();
	}
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		struct error error = { 0 };

		source_fixture_begin();
		FEED(0, 10);
		reader.feeds[cpu].fails = true;
		CHECK_NUMBER(drain(100, &error), -1);
		CHECK(strncmp(error.text, "feed ", 5) == 0);
		source_fixture_end();
	}
}

/*
 * Times of one CPU that grow by little, so that many are equal over the CPUs, in sub-buffers of a
 * few records.
 */
static void feed_random(int cpu, struct random *random, unsigned int *counts, size_t nr_times)
{
	uint64_t time_ns = 1;

	for (int i = 0; i < RAW_PAGES_MAX / 2; i++) {
		uint64_t times[8] = { 0 };

		for (size_t nr = 1 + random_below(random, 6), at = 0;
		     at < nr && time_ns + 4 < nr_times; at++) {
			time_ns += random_below(random, 4);
			times[at] = time_ns;
			counts[time_ns]++;
		}
		if (times[0])
			feed_times(cpu, times);
	}
}

#define NR_TIMES 2000

TEST(random_rounds_deliver_everything_once_and_in_order)
{
	static unsigned int counts[NR_CPUS][NR_TIMES];
	struct random random = { .state = 9 };
	struct error error = { 0 };
	SCOPED_BUFFER(want);

	for (int run = 0; run < 20; run++) {
		memset(counts, 0, sizeof(counts));
		source_fixture_begin();
		for (int cpu = 0; cpu < NR_CPUS; cpu++)
			feed_random(cpu, &random, counts[cpu], NR_TIMES);
		buffer_clear(&want);
		for (int at = 0; at < NR_TIMES * NR_CPUS; at++) {
			for (unsigned int i = 0; i < counts[at % NR_CPUS][at / NR_CPUS]; i++)
				buffer_printf(&want, "cpu %d at %d\n", at % NR_CPUS, at / NR_CPUS);
		}
		for (int64_t until_ns = 0; until_ns < NR_TIMES;
		     until_ns += random_below(&random, 300))
			CHECK_NUMBER(drain(until_ns, &error), 0);
		CHECK_NUMBER(drain(INT64_MAX, &error), 0);
		CHECK_TEXT(buffer_string(&reader.log), buffer_string(&want));
		source_fixture_end();
	}
}

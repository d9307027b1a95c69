// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers that are joined, cut and kept in memory, and the trace.dat of them. */
#include "fixtures/spool_fixture.h"

/** struct pair - two sub-buffers of a CPU, and the first with the second appended */
struct pair {
	struct raw_page first;
	struct raw_page second;
	struct raw_page joined;
	size_t size;
};

static void pair_join(struct pair *pair, size_t size_max)
{
	struct record record;
	struct page page, more;

	raw_page_end(&pair->first);
	raw_page_end(&pair->second);
	pair->joined = pair->first;
	page_load(&page, (struct page_layout){ 0 }, pair->joined.bytes, RAW_PAGE_SIZE);
	while (page_next(&page, &record))
		;
	page_load(&more, (struct page_layout){ 0 }, pair->second.bytes, RAW_PAGE_SIZE);
	pair->size = page_join(pair->joined.bytes, &page, &more, size_max);
}

static struct buffer times_of(const void *bytes, size_t size)
{
	struct buffer got = { 0 };
	struct record record;
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	while (page_next(&page, &record))
		buffer_printf(&got, "%lld ", (long long)record.time_ns);
	if (page.is_damaged)
		buffer_append_string(&got, "damaged");
	return got;
}

static void check_times(const void *bytes, size_t size, const char *want)
{
	struct buffer got = times_of(bytes, size);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

TEST(joined_sub_buffers_have_the_records_of_both_at_their_times)
{
	static const uint64_t distances[] = { 0, 1, RAW_PAGE_DELTA_MAX, RAW_PAGE_DELTA_MAX + 1,
					      UINT64_C(3600000000123) };

	for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
		struct buffer want = { 0 };
		struct pair pair;

		raw_page_begin(&pair.first, 100);
		raw_page_at(&pair.first, 150, 1);
		raw_page_discarded(&pair.first, 10, 8);
		raw_page_begin(&pair.second, 160 + distances[i]);
		raw_page_at(&pair.second, 170 + distances[i], 2);
		pair_join(&pair, RAW_PAGE_SIZE);
		buffer_printf(&want, "150 %llu ", (unsigned long long)(170 + distances[i]));
		check_times(pair.joined.bytes, pair.size, buffer_string(&want));
		buffer_release(&want);
	}
}

TEST(what_does_not_fit_or_is_older_is_not_joined)
{
	struct pair pair;

	raw_page_begin(&pair.first, 100);
	raw_page_at(&pair.first, 150, 1);
	raw_page_begin(&pair.second, 149);
	raw_page_at(&pair.second, 170, 2);
	pair_join(&pair, RAW_PAGE_SIZE);
	CHECK_NUMBER(pair.size, 0);
	raw_page_begin(&pair.second, 151);
	raw_page_at(&pair.second, 170, 2);
	pair_join(&pair, RAW_PAGE_HEADER_SIZE + 8 + 8 + 7);
	CHECK_NUMBER(pair.size, 0);
	pair_join(&pair, RAW_PAGE_HEADER_SIZE + 8 + 8 + 8);
	CHECK_NUMBER(pair.size, RAW_PAGE_HEADER_SIZE + 8 + 8 + 8);
}

static void check_cut(struct raw_page *raw_page, int64_t from_ns, int64_t to_ns,
		      size_t want_records, const char *want)
{
	struct raw_page copy = *raw_page;

	CHECK_NUMBER(page_cut(copy.bytes, RAW_PAGE_SIZE, from_ns, to_ns), want_records);
	check_times(copy.bytes, RAW_PAGE_SIZE, want);
}

TEST(a_sub_buffer_is_cut_at_both_ends)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 100);
	raw_page_at(&raw_page, 100, 1);
	raw_page_extend(&raw_page, UINT64_C(1) << 40);
	raw_page_at(&raw_page, (UINT64_C(1) << 40) + 200, 2);
	raw_page_discarded(&raw_page, 10, 8);
	raw_page_at(&raw_page, (UINT64_C(1) << 40) + 300, 3);
	raw_page_end(&raw_page);
	check_cut(&raw_page, 0, INT64_MAX, 3, "100 1099511627976 1099511628076 ");
	check_cut(&raw_page, 101, INT64_MAX, 2, "1099511627976 1099511628076 ");
	check_cut(&raw_page, 101, 1099511627976, 1, "1099511627976 ");
	check_cut(&raw_page, 1099511627977, 1099511628076, 1, "1099511628076 ");
	check_cut(&raw_page, 0, 100, 1, "100 ");
	check_cut(&raw_page, 0, 99, 0, "");
	check_cut(&raw_page, 1099511628077, INT64_MAX, 0, "");
}

/* Losses before records that are dropped are none of the rest. */
TEST(a_cut_keeps_a_gap_only_with_the_record_behind_it)
{
	struct raw_page raw_page;
	struct page page;

	raw_page_begin(&raw_page, 100);
	raw_page_at(&raw_page, 100, 1);
	raw_page_at(&raw_page, 200, 2);
	raw_page_end_behind_counted(&raw_page, 7);
	page_cut(raw_page.bytes, RAW_PAGE_SIZE, 0, 100);
	page_load(&page, (struct page_layout){ 0 }, raw_page.bytes, RAW_PAGE_SIZE);
	CHECK(page.has_gap);
	CHECK_NUMBER(page.gap_count, 7);
	raw_page_begin(&raw_page, 100);
	raw_page_at(&raw_page, 100, 1);
	raw_page_at(&raw_page, 200, 2);
	raw_page_end_behind_counted(&raw_page, 7);
	page_cut(raw_page.bytes, RAW_PAGE_SIZE, 101, INT64_MAX);
	page_load(&page, (struct page_layout){ 0 }, raw_page.bytes, RAW_PAGE_SIZE);
	CHECK(!page.has_gap);
}

static void page_walk(struct page *page, const void *bytes)
{
	struct record record;

	page_load(page, (struct page_layout){ 0 }, bytes, RAW_PAGE_SIZE);
	while (page_next(page, &record))
		;
}

/* Random sub-buffers, cut at random times and joined again, have all records. */
TEST(a_sub_buffer_that_is_cut_in_two_can_be_joined_again)
{
	struct random random = { .state = 20261123 };

	for (int i = 0; i < 500; i++) {
		struct raw_page whole, first, second;
		struct page page, more;
		struct buffer want;
		int64_t middle;

		raw_page_begin_random(&whole, &random);
		middle = whole.time_ns + random_below(&random, UINT64_C(1) << 30);
		for (int j = 0; j < 20; j++)
			raw_page_at(&whole, whole.time_ns + random_below(&random, 300000000), j);
		raw_page_end(&whole);
		first = second = whole;
		page_cut(first.bytes, RAW_PAGE_SIZE, 0, middle);
		page_cut(second.bytes, RAW_PAGE_SIZE, middle + 1, INT64_MAX);
		page_walk(&page, first.bytes);
		page_load(&more, (struct page_layout){ 0 }, second.bytes, RAW_PAGE_SIZE);
		CHECK(page_join(first.bytes, &page, &more, RAW_PAGE_SIZE) > 0);
		want = times_of(whole.bytes, RAW_PAGE_SIZE);
		check_times(first.bytes, RAW_PAGE_SIZE, buffer_string(&want));
		buffer_release(&want);
	}
}

static void recent_begin(struct spool_fixture *fixture, uint64_t size)
{
	spool_fixture_prepare(fixture, false);
	CHECK_NUMBER(
		spool_new_recent(&fixture->spool, fixture->recorder, NULL, size, &fixture->error),
		0);
	CHECK_TEXT(fixture->error.text, "");
}

static void take(struct spool_fixture *fixture, int cpu, const uint64_t *times, int64_t gap)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, times[0]);
	for (; *times; times++)
		raw_page_at(&raw_page, *times, 0);
	if (gap > 0)
		raw_page_end_behind_counted(&raw_page, gap);
	else
		raw_page_end(&raw_page);
	CHECK_NUMBER(spool_take(fixture->spool, cpu, INSTANCE_MAIN, raw_page.bytes, RAW_PAGE_SIZE,
				&fixture->error),
		     0);
}

#define TAKE(fixture, cpu, ...) take(fixture, cpu, (const uint64_t[]){ __VA_ARGS__, 0 }, 0)

static void check_saved(struct spool_fixture *fixture, int64_t from_ns, int64_t to_ns,
			uint64_t want_lost, const char *want)
{
	struct source_fixture reader = {
		.handler = { .context = &reader.log, .record = record_log, .loss = loss_log }
	};
	struct recent_saved saved = { .from_ns = from_ns, .to_ns = to_ns };
	const struct recording *description;

	CHECK_NUMBER(spool_save_recent(fixture->spool, output_path(fixture),
				       text_of("5 loss\n6 a @ b > 2ms\n"), &saved, &fixture->error),
		     0);
	CHECK_TEXT(fixture->error.text, "");
	CHECK_NUMBER(saved.lost, want_lost);
	spool_close(fixture->spool);
	fixture->spool = NULL;
	CHECK(!output_has(fixture, "trace.dat.spool"));
	CHECK_NUMBER(source_file_open(&reader.source, output_path(fixture), NULL, &reader.error),
		     0);
	check_finish(&reader, 1000000, want_lost, want);
	CHECK(source_damage(reader.source) == NULL);
	description = source_describe(reader.source);
	CHECK_TEXT(description->triggers, "5 loss\n6 a @ b > 2ms\n");
	CHECK(description->rules == NULL);
	CHECK_TEXT(description->clock, "boot");
	source_close(reader.source);
	buffer_release(&reader.log);
}

TEST(a_file_of_recent_records_has_those_between_two_times)
{
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 1 << 20);
	TAKE(&fixture, 0, 100, 200);
	TAKE(&fixture, 1, 150, 250, 350);
	TAKE(&fixture, 0, 300, 400);
	check_saved(&fixture, 200, 350, 0,
		    "cpu 0 at 200\ncpu 1 at 250\ncpu 0 at 300\ncpu 1 at 350\n");
}

/* Without @rules, which the file may have, too. */
TEST(rules_and_triggers_of_a_file_are_separate)
{
	struct recent_saved saved = { .to_ns = 100 };
	SCOPED(spool_fixture) fixture;
	struct source *source;

	recent_begin(&fixture, 1 << 20);
	CHECK_NUMBER(spool_describe(fixture.spool,
				    &(struct spool_description){
					    .rules = text_of("[slice a]\nbegin = a:b\n"),
					    .selection = text_of("-r sched\n  name=x\n") }),
		     0);
	TAKE(&fixture, 0, 100);
	CHECK_NUMBER(spool_save_recent(fixture.spool, output_path(&fixture), text_of("7 loss"),
				       &saved, &fixture.error),
		     0);
	CHECK_NUMBER(source_file_open(&source, output_path(&fixture), NULL, &fixture.error), 0);
	CHECK_TEXT(source_describe(source)->rules, "[slice a]\nbegin = a:b\n");
	CHECK_TEXT(source_describe(source)->triggers, "7 loss\n");
	CHECK_TEXT(source_describe(source)->stored, "-r sched\n  name=x\n");
	source_close(source);
}

/* Records that are not in the file need no symbols. */
TEST(symbols_of_a_file_are_those_of_its_records)
{
	static const char symbols[] = "ffffffff81000000 T _text\n"
				      "ffffffff81000100 T unused\n"
				      "ffffffff81000200 T dropped\n"
				      "ffffffff81000300 T used\n"
				      "ffffffff81000400 T next\n"
				      "ffffffff81000500 T last\n";
	static const uint64_t addresses[] = { 0xffffffff81000204, 0xffffffff81000304 };
	struct recent_saved saved = { .from_ns = 200, .to_ns = 300 };
	SCOPED_BUFFER(file);
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 1 << 20);
	folder_add_text(&fixture.output, "kallsyms", symbols);
	fixture.spool->symbols_fd = open(folder_path(&fixture.output, "kallsyms"), O_RDONLY);
	for (size_t i = 0; i < 2; i++) {
		struct raw_page raw_page;

		raw_page_begin(&raw_page, 100 * (i + 1));
		raw_page_small(&raw_page, 0, &addresses[i], 2);
		raw_page_end(&raw_page);
		CHECK_NUMBER(spool_take(fixture.spool, i, INSTANCE_MAIN, raw_page.bytes,
					RAW_PAGE_SIZE, &fixture.error),
			     0);
	}
	CHECK_NUMBER(spool_save_recent(fixture.spool, output_path(&fixture), text_of("7 loss"),
				       &saved, &fixture.error),
		     0);
	CHECK_NUMBER(file_read(output_path(&fixture), &file), 0);
	CHECK(memmem(file.data, file.size, " T used\n", 8));
	CHECK(memmem(file.data, file.size, " T next\n", 8));
	CHECK(!memmem(file.data, file.size, " T dropped\n", 11));
	CHECK(!memmem(file.data, file.size, " T last\n", 8));
}

TEST(lost_records_are_in_the_file_if_they_are_in_its_time)
{
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 1 << 20);
	take(&fixture, 0, (const uint64_t[]){ 100, 200, 0 }, 5);
	take(&fixture, 0, (const uint64_t[]){ 300, 0 }, 3);
	TAKE(&fixture, 0, 400);
	check_saved(&fixture, 200, 400, 3,
		    "cpu 0 at 200\ncpu 0 lost 3 from 200 to 300\ncpu 0 at 300\ncpu 0 at 400\n");
}

/* A full sub-buffer of 340 records for every CPU in turn. */
static void take_many(struct spool_fixture *fixture, int nr_pages)
{
	uint64_t time_ns = 1000;

	for (int i = 0; i < nr_pages; i++) {
		uint64_t times[341] = { 0 };

		for (int j = 0; j < 340; j++)
			times[j] = time_ns++;
		take(fixture, i % 3, times, 0);
	}
}

TEST(memory_is_limited_and_the_oldest_records_of_all_cpus_are_dropped)
{
	struct recent_saved saved = { .from_ns = 0, .to_ns = INT64_MAX };
	SCOPED(spool_fixture) fixture;
	struct recent_span span;

	recent_begin(&fixture, 64 * (RAW_PAGE_SIZE + sizeof(struct recent_slot)));
	take_many(&fixture, 1000);
	span = spool_recent_span(fixture.spool);
	CHECK_NUMBER(span.nr_records, 64 * 340);
	CHECK_NUMBER(span.end_ns, 1000 + 1000 * 340 - 1);
	CHECK_NUMBER(span.begin_ns, 1000 + (1000 - 64) * 340);
	CHECK_NUMBER(spool_save_recent(fixture.spool, output_path(&fixture), text_of(""), &saved,
				       &fixture.error),
		     0);
	CHECK_NUMBER(saved.from_ns, span.begin_ns);
	CHECK_NUMBER(saved.nr_records, 64 * 340);
}

/* A reader that wakes up for each record must not fill the memory with nearly empty sub-buffers. */
TEST(sub_buffers_with_few_records_are_joined)
{
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 64 * (RAW_PAGE_SIZE + sizeof(struct recent_slot)));
	for (uint64_t time_ns = 1000; time_ns < 11000; time_ns++)
		TAKE(&fixture, time_ns % 2, time_ns);
	CHECK_NUMBER(spool_recent_span(fixture.spool).nr_records, 10000);
	CHECK_NUMBER(fixture.spool->recent->nr_used, 2 * ((5000 + 254) / 255));
}

TEST(an_instance_that_was_emptied_leaves_nothing)
{
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 1 << 20);
	TAKE(&fixture, 0, 100, 200);
	spool_clear_recent(fixture.spool, 300);
	TAKE(&fixture, 0, 400);
	CHECK_NUMBER(spool_recent_span(fixture.spool).begin_ns, 300);
	check_saved(&fixture, 0, 500, 0, "cpu 0 at 400\n");
}

TEST(a_time_that_has_left_memory_makes_no_file)
{
	struct recent_saved saved = { .from_ns = 100, .to_ns = 299 };
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 1 << 20);
	TAKE(&fixture, 0, 100, 200);
	spool_clear_recent(fixture.spool, 300);
	CHECK_NUMBER(spool_save_recent(fixture.spool, output_path(&fixture), text_of(""), &saved,
				       &fixture.error),
		     -1);
	CHECK(strstr(fixture.error.text, "left memory") != NULL);
	CHECK(!output_has(&fixture, "trace.dat"));
	CHECK(!output_has(&fixture, "trace.dat.spool"));
}

/* Quiet threads have no records. */
TEST(a_file_without_records_about_threads_is_whole)
{
	SCOPED(spool_fixture) fixture;
	struct folder sideband;

	spool_fixture_prepare(&fixture, true);
	snprintf(sideband.path, sizeof(sideband.path), "%s",
		 instance_directory(instance_companion(fixture.recorder, INSTANCE_SIDEBAND)));
	folder_add_text(&sideband, "set_event", "demo:job\n");
	instance_mark(sideband.path);
	CHECK_NUMBER(
		spool_new_recent(&fixture.spool, fixture.recorder, NULL, 1 << 20, &fixture.error),
		0);
	CHECK(fixture.spool->instance.list_fds[INSTANCE_SIDEBAND] >= 0);
	TAKE(&fixture, 0, 100);
	check_saved(&fixture, 0, 500, 0, "cpu 0 at 100\n");
}

/* Somebody may have created files there meanwhile. */
TEST(a_file_that_cannot_be_written_leaves_nothing_behind)
{
	struct recent_saved saved = { .to_ns = 100 };
	SCOPED(spool_fixture) fixture;

	recent_begin(&fixture, 1 << 20);
	TAKE(&fixture, 0, 100);
	folder_add_text(&fixture.output, "trace.dat/file", "");
	CHECK_NUMBER(spool_save_recent(fixture.spool, output_path(&fixture), text_of(""), &saved,
				       &fixture.error),
		     -1);
	CHECK(fixture.error.text[0]);
	spool_close(fixture.spool);
	fixture.spool = NULL;
	CHECK(!output_has(&fixture, "trace.dat.spool"));
}

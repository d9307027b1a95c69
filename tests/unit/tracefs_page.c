// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the walk through a sub-buffer: every kind of entry, gaps, byte orders, real ones. */
#include "tracefs/page.h"

#include <kbuffer.h>

#include "fixtures/raw_page.h"
#include "fixtures/tap.h"
#include "fixtures/dump_page.h"

static void check_records(const struct raw_page *raw_page, const char *want)
{
	struct buffer got = page_dump(raw_page->bytes, RAW_PAGE_SIZE);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

static const unsigned char data[RAW_PAGE_DATA_SIZE];

TEST(an_empty_sub_buffer_has_no_records)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 5);
	raw_page_end(&raw_page);
	check_records(&raw_page, "");
}

TEST(records_of_every_short_size_are_found)
{
	SCOPED_BUFFER(want);
	struct raw_page raw_page;
	size_t offset = RAW_PAGE_HEADER_SIZE;

	raw_page_begin(&raw_page, 1000);
	for (size_t words = 1; words <= 28; words++) {
		raw_page_small(&raw_page, words, data, words);
		buffer_printf(&want, "%llu %zu+%zu\n", (unsigned long long)raw_page.time_ns,
			      offset + 4, words * 4);
		offset += 4 + words * 4;
	}
	raw_page_end(&raw_page);
	check_records(&raw_page, buffer_string(&want));
}

TEST(long_records_have_the_size_that_they_say)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 0);
	raw_page_long(&raw_page, 1, data, 116);
	raw_page_long(&raw_page, 1, data, 5);
	raw_page_long(&raw_page, 1, data, 0);
	raw_page_small(&raw_page, 1, data, 2);
	raw_page_long(&raw_page, 1, data, RAW_PAGE_DATA_SIZE - raw_page.size - 8);
	raw_page_end(&raw_page);
	check_records(&raw_page, "1 24+116\n2 148+5\n3 164+0\n4 168+8\n5 184+3912\n");
}

TEST(a_record_as_large_as_the_sub_buffer_is_found)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 7);
	raw_page_long(&raw_page, 0, data, RAW_PAGE_DATA_SIZE - 8);
	raw_page_end(&raw_page);
	check_records(&raw_page, "7 24+4072\n");
}

TEST(time_adds_up_over_long_silences)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 10);
	raw_page_small(&raw_page, RAW_PAGE_DELTA_MAX, data, 1);
	raw_page_extend(&raw_page, RAW_PAGE_DELTA_MAX + 1);
	raw_page_small(&raw_page, 0, data, 1);
	raw_page_extend(&raw_page, UINT64_C(3600000000123));
	raw_page_small(&raw_page, 4, data, 1);
	raw_page_end(&raw_page);
	check_records(&raw_page, "134217737 20+4\n268435465 36+4\n3600268435592 52+4\n");
}

TEST(an_absolute_timestamp_replaces_the_lower_59_bits)
{
	struct raw_page raw_page;
	uint64_t high = UINT64_C(3) << 59;

	raw_page_begin(&raw_page, high + 100);
	raw_page_timestamp(&raw_page, high + UINT64_C(0x4123456789abcde));
	raw_page_small(&raw_page, 0, data, 1);
	raw_page_small(&raw_page, 2, data, 1);
	raw_page_end(&raw_page);
	check_records(&raw_page, "2022736728638012638 28+4\n2022736728638012640 36+4\n");
}

TEST(discarded_records_are_passed_over_but_their_time_counts)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 0);
	raw_page_discarded(&raw_page, 10, 4);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_discarded(&raw_page, 100, 64);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_discarded(&raw_page, 1, RAW_PAGE_DATA_SIZE - raw_page.size - 4);
	raw_page_end(&raw_page);
	check_records(&raw_page, "11 28+4\n112 104+4\n");
}

/* Kernels may be configured to use sub-buffers of many pages. */
TEST(a_sub_buffer_of_any_size_is_read_whole)
{
	static struct {
		uint64_t time_ns;
		uint64_t commit;
		uint32_t entries[20000][2];
	} large = { .commit = sizeof(large.entries) };
	struct record record;
	struct page page;
	size_t nr_records = 0;

	for (size_t i = 0; i < 20000; i++)
		large.entries[i][0] = 1 << 5 | 1;
	page_load(&page, (struct page_layout){ 0 }, &large, sizeof(large));
	while (page_next(&page, &record))
		nr_records++;
	CHECK_NUMBER(nr_records, 20000);
	CHECK_NUMBER(record.time_ns, 20000);
	CHECK(!page.is_damaged);
}

TEST(padding_without_time_ends_the_sub_buffer)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 0);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_head(&raw_page, RAW_PAGE_PADDING, 0);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_end(&raw_page);
	check_records(&raw_page, "1 20+4\n");
}

static struct page page_of(const struct raw_page *raw_page)
{
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, raw_page->bytes, RAW_PAGE_SIZE);
	return page;
}

TEST(a_gap_is_seen_with_and_without_its_count)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 0);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_end(&raw_page);
	CHECK(!page_of(&raw_page).has_gap);
	raw_page_end_behind_gap(&raw_page);
	CHECK(page_of(&raw_page).has_gap);
	CHECK_NUMBER(page_of(&raw_page).gap_count, LOSS_COUNT_UNKNOWN);
	raw_page_end_behind_counted(&raw_page, 34491);
	CHECK(page_of(&raw_page).has_gap);
	CHECK_NUMBER(page_of(&raw_page).gap_count, 34491);
	check_records(&raw_page, "1 20+4\n");
}

/* Linux 6.1 adds the flag as a negative int to a 64-bit long. */
TEST(a_gap_is_seen_where_the_kernel_extended_the_sign_of_its_flag)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 0);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_end_behind_counted(&raw_page, 12);
	raw_page_commit(&raw_page, UINT64_C(0xffffffffc0000000) | raw_page.size);
	CHECK(page_of(&raw_page).has_gap);
	CHECK_NUMBER(page_of(&raw_page).gap_count, 12);
	check_records(&raw_page, "1 20+4\n");
}

TEST(a_count_is_unknown_where_it_has_no_space_or_makes_no_sense)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, 0);
	raw_page_long(&raw_page, 1, data, RAW_PAGE_DATA_SIZE - 8 - 4);
	raw_page_commit(&raw_page, raw_page.size | RAW_PAGE_GAP | RAW_PAGE_GAP_COUNTED);
	CHECK_NUMBER(page_of(&raw_page).gap_count, LOSS_COUNT_UNKNOWN);
	raw_page_begin(&raw_page, 0);
	raw_page_end_behind_counted(&raw_page, -5);
	CHECK_NUMBER(page_of(&raw_page).gap_count, LOSS_COUNT_UNKNOWN);
	raw_page_begin(&raw_page, 0);
	raw_page_end_behind_counted(&raw_page, INT64_C(1) << 45);
	CHECK_NUMBER(page_of(&raw_page).gap_count, INT64_C(1) << 45);
	raw_page_begin(&raw_page, 0);
	raw_page_end_behind_counted(&raw_page, (INT64_C(1) << 45) + 1);
	CHECK_NUMBER(page_of(&raw_page).gap_count, LOSS_COUNT_UNKNOWN);
}

static void oracle_list(struct buffer *out, struct kbuffer *oracle, const unsigned char *bytes)
{
	unsigned long long time_ns;
	void *record = kbuffer_read_event(oracle, &time_ns);

	for (; record; record = kbuffer_next_event(oracle, &time_ns))
		buffer_printf(out, "%llu %zu+%d\n", time_ns,
			      (size_t)((unsigned char *)record - bytes),
			      kbuffer_event_size(oracle));
}

/* Whether libtraceevent's walker sees the same; reports a difference. */
static bool check_with_oracle(struct kbuffer *oracle, struct page_layout layout,
			      unsigned char *bytes)
{
	struct buffer want = { 0 }, got = page_dump_as(layout, bytes, RAW_PAGE_SIZE);
	struct page page;
	bool is_equal;

	kbuffer_load_subbuffer(oracle, bytes);
	page_load(&page, layout, bytes, RAW_PAGE_SIZE);
	/* It reports a gap only while it stands on a record that is the first of all entries. */
	is_equal = kbuffer_curr_index(oracle) > 0 ||
		   CHECK_NUMBER(page.has_gap ? page.gap_count : 0, kbuffer_missed_events(oracle));
	oracle_list(&want, oracle, bytes);
	is_equal &= CHECK_TEXT(buffer_string(&got), buffer_string(&want));
	buffer_release(&want);
	buffer_release(&got);
	return is_equal;
}

static void check_made_up(struct page_layout layout, enum kbuffer_long_size long_size,
			  enum kbuffer_endian order)
{
	struct kbuffer *oracle = kbuffer_alloc(long_size, order);
	struct random random = { .state = 20261121 };
	struct raw_page raw_page;

	for (int i = 0; i < 1000; i++) {
		raw_page_begin_as(&raw_page, random_below(&random, UINT64_C(1) << 50),
				  layout.is_swapped, layout.has_short_longs ? 4 : 8);
		raw_page_fill(&raw_page, &random);
		if (!check_with_oracle(oracle, layout, raw_page.bytes))
			break;
	}
	kbuffer_free(oracle);
}

TEST(made_up_sub_buffers_read_as_libtraceevent_reads_them)
{
	check_made_up((struct page_layout){ 0 }, KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
}

TEST(made_up_sub_buffers_of_other_machines_read_as_libtraceevent_reads_them)
{
	enum kbuffer_endian other = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? KBUFFER_ENDIAN_LITTLE
									   : KBUFFER_ENDIAN_BIG;

	check_made_up((struct page_layout){ .has_short_longs = true }, KBUFFER_LSIZE_4,
		      KBUFFER_ENDIAN_SAME_AS_HOST);
	check_made_up((struct page_layout){ .is_swapped = true }, KBUFFER_LSIZE_8, other);
	check_made_up((struct page_layout){ .is_swapped = true, .has_short_longs = true },
		      KBUFFER_LSIZE_4, other);
}

static void check_file_with_oracle(const char *path, size_t nr_records)
{
	struct kbuffer *oracle = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct buffer file = { 0 }, list;
	size_t nr_lines = 0;

	CHECK_NUMBER(file_read(path, &file), 0);
	if (CHECK_NUMBER(file.size, RAW_PAGE_SIZE)) {
		check_with_oracle(oracle, (struct page_layout){ 0 }, (unsigned char *)file.data);
		list = page_dump(file.data, file.size);
		for (size_t i = 0; i < list.size; i++)
			nr_lines += list.data[i] == '\n';
		CHECK_NUMBER(nr_lines, nr_records);
		buffer_release(&list);
	}
	buffer_release(&file);
	kbuffer_free(oracle);
}

TEST(sub_buffers_of_real_kernels_read_as_libtraceevent_reads_them)
{
	check_file_with_oracle("tests/formats/6.1/batches.page", 48);
	check_file_with_oracle("tests/formats/6.12/batches.page", 48);
	check_file_with_oracle("tests/formats/6.1/dynamic.page", 8);
	check_file_with_oracle("tests/formats/6.12/dynamic.page", 6);
	check_file_with_oracle("tests/formats/6.1/gap.page", 102);
	check_file_with_oracle("tests/formats/6.12/gap.page", 104);
	check_file_with_oracle("tests/formats/6.1/counted-gap.page", 102);
	check_file_with_oracle("tests/formats/6.12/counted-gap.page", 103);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the walk through a sub-buffer: every kind of entry, gaps, byte orders, real ones. */
#include "source/page.h"

#include <kbuffer.h>

#include "sheet.h"
#include "tap.h"
#include "walk.h"

static void check_records(const struct sheet *sheet, const char *want)
{
	struct buffer got = walk(sheet->bytes, SHEET_SIZE);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

static const unsigned char data[SHEET_ROOM];

TEST(an_empty_sub_buffer_has_no_records)
{
	struct sheet sheet;

	sheet_begin(&sheet, 5);
	sheet_end(&sheet);
	check_records(&sheet, "");
}

TEST(records_of_every_short_size_are_found)
{
	struct buffer want = { 0 };
	struct sheet sheet;
	size_t offset = SHEET_HEADER_SIZE;

	sheet_begin(&sheet, 1000);
	for (size_t words = 1; words <= 28; words++) {
		sheet_small(&sheet, words, data, words);
		buffer_printf(&want, "%llu %zu+%zu\n", (unsigned long long)sheet.time_ns,
			      offset + 4, words * 4);
		offset += 4 + words * 4;
	}
	sheet_end(&sheet);
	check_records(&sheet, buffer_string(&want));
	buffer_release(&want);
}

TEST(long_records_have_the_size_that_they_say)
{
	struct sheet sheet;

	sheet_begin(&sheet, 0);
	sheet_long(&sheet, 1, data, 116);
	sheet_long(&sheet, 1, data, 5);
	sheet_long(&sheet, 1, data, 0);
	sheet_small(&sheet, 1, data, 2);
	sheet_long(&sheet, 1, data, SHEET_ROOM - sheet.size - 8);
	sheet_end(&sheet);
	check_records(&sheet, "1 24+116\n2 148+5\n3 164+0\n4 168+8\n5 184+3912\n");
}

TEST(a_record_as_large_as_the_sub_buffer_is_found)
{
	struct sheet sheet;

	sheet_begin(&sheet, 7);
	sheet_long(&sheet, 0, data, SHEET_ROOM - 8);
	sheet_end(&sheet);
	check_records(&sheet, "7 24+4072\n");
}

TEST(time_adds_up_over_long_silences)
{
	struct sheet sheet;

	sheet_begin(&sheet, 10);
	sheet_small(&sheet, SHEET_DELTA_MAX, data, 1);
	sheet_extend(&sheet, SHEET_DELTA_MAX + 1);
	sheet_small(&sheet, 0, data, 1);
	sheet_extend(&sheet, UINT64_C(3600000000123));
	sheet_small(&sheet, 4, data, 1);
	sheet_end(&sheet);
	check_records(&sheet, "134217737 20+4\n268435465 36+4\n3600268435592 52+4\n");
}

TEST(an_absolute_stamp_replaces_the_lower_59_bits)
{
	struct sheet sheet;
	uint64_t high = UINT64_C(3) << 59;

	sheet_begin(&sheet, high + 100);
	sheet_stamp(&sheet, high + UINT64_C(0x4123456789abcde));
	sheet_small(&sheet, 0, data, 1);
	sheet_small(&sheet, 2, data, 1);
	sheet_end(&sheet);
	check_records(&sheet, "2022736728638012638 28+4\n2022736728638012640 36+4\n");
}

TEST(discarded_records_are_passed_over_but_their_time_counts)
{
	struct sheet sheet;

	sheet_begin(&sheet, 0);
	sheet_discarded(&sheet, 10, 4);
	sheet_small(&sheet, 1, data, 1);
	sheet_discarded(&sheet, 100, 64);
	sheet_small(&sheet, 1, data, 1);
	sheet_discarded(&sheet, 1, SHEET_ROOM - sheet.size - 4);
	sheet_end(&sheet);
	check_records(&sheet, "11 28+4\n112 104+4\n");
}

/* Kernels may be told to use sub-buffers of many pages. */
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
	struct sheet sheet;

	sheet_begin(&sheet, 0);
	sheet_small(&sheet, 1, data, 1);
	sheet_head(&sheet, SHEET_PADDING, 0);
	sheet_small(&sheet, 1, data, 1);
	sheet_end(&sheet);
	check_records(&sheet, "1 20+4\n");
}

static struct page page_of(const struct sheet *sheet)
{
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, sheet->bytes, SHEET_SIZE);
	return page;
}

TEST(a_gap_is_seen_with_and_without_its_count)
{
	struct sheet sheet;

	sheet_begin(&sheet, 0);
	sheet_small(&sheet, 1, data, 1);
	sheet_end(&sheet);
	CHECK(!page_of(&sheet).has_gap);
	sheet_end_behind_gap(&sheet);
	CHECK(page_of(&sheet).has_gap);
	CHECK_NUMBER(page_of(&sheet).gap_count, SOURCE_COUNT_UNKNOWN);
	sheet_end_behind_counted(&sheet, 34491);
	CHECK(page_of(&sheet).has_gap);
	CHECK_NUMBER(page_of(&sheet).gap_count, 34491);
	check_records(&sheet, "1 20+4\n");
}

/* Linux 6.1 adds the flag as a negative int to a 64-bit long. */
TEST(a_gap_is_seen_where_the_kernel_extended_the_sign_of_its_flag)
{
	struct sheet sheet;

	sheet_begin(&sheet, 0);
	sheet_small(&sheet, 1, data, 1);
	sheet_end_behind_counted(&sheet, 12);
	sheet_commit(&sheet, UINT64_C(0xffffffffc0000000) | sheet.size);
	CHECK(page_of(&sheet).has_gap);
	CHECK_NUMBER(page_of(&sheet).gap_count, 12);
	check_records(&sheet, "1 20+4\n");
}

TEST(a_count_is_unknown_where_it_has_no_room_or_makes_no_sense)
{
	struct sheet sheet;

	sheet_begin(&sheet, 0);
	sheet_long(&sheet, 1, data, SHEET_ROOM - 8 - 4);
	sheet_commit(&sheet, sheet.size | SHEET_GAP | SHEET_GAP_COUNTED);
	CHECK_NUMBER(page_of(&sheet).gap_count, SOURCE_COUNT_UNKNOWN);
	sheet_begin(&sheet, 0);
	sheet_end_behind_counted(&sheet, -5);
	CHECK_NUMBER(page_of(&sheet).gap_count, SOURCE_COUNT_UNKNOWN);
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

/* Whether libtraceevent's walker sees the same; says so where it does not. */
static bool check_with_oracle(struct kbuffer *oracle, struct page_layout layout,
			      unsigned char *bytes)
{
	struct buffer want = { 0 }, got = walk_as(layout, bytes, SHEET_SIZE);
	struct page page;
	bool is_equal;

	kbuffer_load_subbuffer(oracle, bytes);
	page_load(&page, layout, bytes, SHEET_SIZE);
	/* It tells of a gap only while it stands on a record that is the first of all entries. */
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
	struct dice dice = { .state = 20261121 };
	struct sheet sheet;

	for (int i = 0; i < 1000; i++) {
		sheet_begin_as(&sheet, dice_below(&dice, UINT64_C(1) << 50), layout.is_swapped,
			       layout.has_short_longs ? 4 : 8);
		sheet_fill(&sheet, &dice);
		if (!check_with_oracle(oracle, layout, sheet.bytes))
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
	if (CHECK_NUMBER(file.size, SHEET_SIZE)) {
		check_with_oracle(oracle, (struct page_layout){ 0 }, (unsigned char *)file.data);
		list = walk(file.data, file.size);
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
	check_file_with_oracle("tests/formats/6.1/dynamic.page", 6);
	check_file_with_oracle("tests/formats/6.12/dynamic.page", 6);
	check_file_with_oracle("tests/formats/6.1/gap.page", 124);
	check_file_with_oracle("tests/formats/6.12/gap.page", 123);
	check_file_with_oracle("tests/formats/6.1/counted-gap.page", 124);
	check_file_with_oracle("tests/formats/6.12/counted-gap.page", 123);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the walk through a sub-buffer: every kind of entry, gaps, and bytes that lie. */
#include "source/page.h"

#include <kbuffer.h>
#include <stdlib.h>

#include "base/base.h"
#include "dice.h"
#include "sheet.h"
#include "tap.h"

/* A copy in a block of just this size, so that the sanitizer sees a read behind it. */
static unsigned char *block_of(const void *bytes, size_t size)
{
	unsigned char *block = malloc(size);

	if (size > 0)
		memcpy(block, bytes, size);
	return block;
}

/* Writes a line "time offset+size" for each record. */
static void records_list(struct buffer *out, struct page *page, const unsigned char *bytes)
{
	struct record record = { 0 };

	while (page_next(page, &record))
		buffer_printf(out, "%llu %zu+%zu\n", (unsigned long long)record.time_ns,
			      (size_t)(record.data - bytes), record.size);
}

static struct buffer records_of(const void *bytes, size_t size)
{
	unsigned char *block = block_of(bytes, size);
	struct buffer out = { 0 };
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, block, size);
	records_list(&out, &page, block);
	if (page.is_damaged)
		buffer_append_string(&out, "damaged\n");
	free(block);
	return out;
}

static void check_records(const struct sheet *sheet, const char *want)
{
	struct buffer got = records_of(sheet->bytes, SHEET_SIZE);

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
		buffer_printf(&want, "%llu %zu+%zu\n", (unsigned long long)sheet.time_ns, offset + 4, words * 4);
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
	sheet_stamp(&sheet, high + UINT64_C(0x0123456789abcde));
	sheet_small(&sheet, 0, data, 1);
	sheet_small(&sheet, 2, data, 1);
	sheet_end(&sheet);
	check_records(&sheet, "1734506352486300894 28+4\n1734506352486300896 36+4\n");
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

/* Adds an entry of any kind, as large as the room allows; returns whether there was room. */
static bool sheet_add_any(struct sheet *sheet, struct dice *dice)
{
	uint64_t delta = dice_below(dice, 4) ? dice_below(dice, 1000) : dice_below(dice, SHEET_DELTA_MAX);
	size_t words = 1 + dice_below(dice, 28);

	if (sheet->size + 1100 > SHEET_ROOM)
		return false;
	switch (dice_below(dice, 8)) {
	case 0:
		sheet_long(sheet, delta, data, 4 * dice_below(dice, 256));
		break;
	case 1:
		sheet_extend(sheet, dice_below(dice, UINT64_C(1) << 45));
		break;
	case 2:
		sheet_stamp(sheet, sheet->time_ns + dice_below(dice, UINT64_C(1) << 40));
		break;
	case 3:
		sheet_discarded(sheet, delta + 1, 4 * words);
		break;
	default:
		sheet_small(sheet, delta, data, words);
	}
	return true;
}

static void sheet_fill(struct sheet *sheet, struct dice *dice)
{
	size_t entries = dice_below(dice, 120);

	sheet_begin(sheet, dice_below(dice, UINT64_C(1) << 50));
	for (size_t i = 0; i < entries && sheet_add_any(sheet, dice); i++)
		;
	switch (dice_below(dice, 3)) {
	case 0:
		sheet_end_behind_gap(sheet);
		break;
	case 1:
		sheet_end_behind_counted(sheet, 1 + dice_below(dice, 1000000));
		break;
	default:
		sheet_end(sheet);
	}
}

static void oracle_list(struct buffer *out, struct kbuffer *oracle, const unsigned char *bytes)
{
	unsigned long long time_ns;
	void *record = kbuffer_read_event(oracle, &time_ns);

	for (; record; record = kbuffer_next_event(oracle, &time_ns))
		buffer_printf(out, "%llu %zu+%d\n", time_ns, (size_t)((unsigned char *)record - bytes),
			      kbuffer_event_size(oracle));
}

/* Whether libtraceevent's walker sees the same; says so where it does not. */
static bool check_with_oracle(struct kbuffer *oracle, unsigned char *bytes)
{
	struct buffer want = { 0 }, got = records_of(bytes, SHEET_SIZE);
	struct page page;
	bool is_equal;

	kbuffer_load_subbuffer(oracle, bytes);
	page_load(&page, (struct page_layout){ 0 }, bytes, SHEET_SIZE);
	/* It tells of a gap only while it stands on a record that is the first of all entries. */
	is_equal = kbuffer_curr_index(oracle) > 0 ||
		CHECK_NUMBER(page.has_gap ? page.gap_count : 0, kbuffer_missed_events(oracle));
	oracle_list(&want, oracle, bytes);
	is_equal &= CHECK_TEXT(buffer_string(&got), buffer_string(&want));
	buffer_release(&want);
	buffer_release(&got);
	return is_equal;
}

TEST(made_up_sub_buffers_read_as_libtraceevent_reads_them)
{
	struct kbuffer *oracle = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct dice dice = { .state = 20261121 };
	struct sheet sheet;

	for (int i = 0; i < 1000; i++) {
		sheet_fill(&sheet, &dice);
		if (!check_with_oracle(oracle, sheet.bytes))
			break;
	}
	kbuffer_free(oracle);
}

static void check_file_with_oracle(const char *path, size_t nr_records)
{
	struct kbuffer *oracle = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct buffer file = { 0 }, list;
	size_t nr_lines = 0;

	CHECK_NUMBER(file_read(path, &file), 0);
	if (CHECK_NUMBER(file.size, SHEET_SIZE)) {
		check_with_oracle(oracle, (unsigned char *)file.data);
		list = records_of(file.data, file.size);
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

/* The walk through damaged bytes has to give the sound one's first records and nothing else. */
static bool check_prefix(const void *bytes, size_t size, struct buffer *whole)
{
	struct buffer part = records_of(bytes, size);
	const char damaged[] = "damaged\n";
	size_t common = part.size;
	bool is_prefix;

	if (common >= strlen(damaged) && memcmp(part.data + common - strlen(damaged), damaged, strlen(damaged)) == 0)
		common -= strlen(damaged);
	is_prefix = CHECK(common <= whole->size && memcmp(buffer_string(&part), buffer_string(whole), common) == 0);
	buffer_release(&part);
	return is_prefix;
}

TEST(a_sub_buffer_cut_anywhere_gives_the_records_before_the_cut)
{
	struct dice dice = { .state = 3 };
	struct buffer whole, empty;
	struct sheet sheet;

	do {
		sheet_fill(&sheet, &dice);
	} while (sheet.size < 2000);
	whole = records_of(sheet.bytes, SHEET_SIZE);
	for (size_t size = 0; size <= SHEET_SIZE; size++) {
		struct page page;
		unsigned char *block = block_of(sheet.bytes, size);

		page_load(&page, (struct page_layout){ 0 }, block, size);
		free(block);
		if (!CHECK(page.is_damaged == (size < SHEET_HEADER_SIZE + sheet.size)))
			break;
		if (!check_prefix(sheet.bytes, size, &whole))
			break;
	}
	empty = records_of(sheet.bytes, SHEET_HEADER_SIZE);
	CHECK_TEXT(buffer_string(&empty), "damaged\n");
	buffer_release(&empty);
	buffer_release(&whole);
}

TEST(a_committed_size_that_lies_is_cut_to_what_is_there)
{
	static const uint64_t lies[] = { SHEET_ROOM + 1, SHEET_ROOM + 4, SHEET_GAP_COUNTED - 1,
					 SHEET_GAP | (SHEET_GAP_COUNTED - 1), UINT64_MAX, UINT64_MAX << 32 };
	struct dice dice = { .state = 4 };
	struct sheet sheet;
	struct buffer whole;

	sheet_fill(&sheet, &dice);
	whole = records_of(sheet.bytes, SHEET_SIZE);
	for (uint64_t commit = 0; commit < sheet.size; commit++) {
		sheet_commit(&sheet, commit);
		if (!check_prefix(sheet.bytes, SHEET_SIZE, &whole))
			break;
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		sheet_commit(&sheet, lies[i]);
		buffer_release(&whole);
		whole = records_of(sheet.bytes, SHEET_SIZE);
		CHECK(page_of(&sheet).is_damaged == (lies[i] != UINT64_MAX << 32));
	}
	buffer_release(&whole);
}

TEST(entries_that_lie_about_their_size_end_the_walk)
{
	static const struct {
		unsigned int type;
		uint32_t word;
	} lies[] = {
		{ SHEET_LONG, 0 }, { SHEET_LONG, 3 }, { SHEET_LONG, 16 + 4 }, { SHEET_LONG, UINT32_MAX },
		{ SHEET_PADDING, 0 }, { SHEET_PADDING, 16 + 4 }, { SHEET_PADDING, UINT32_MAX }, { 5, 0 }, { 28, 0 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct sheet sheet;

		sheet_begin(&sheet, 0);
		sheet_small(&sheet, 1, data, 1);
		sheet_head(&sheet, lies[i].type, 1);
		sheet_word(&sheet, lies[i].word);
		sheet_data(&sheet, data, 12);
		sheet_end(&sheet);
		check_records(&sheet, "1 20+4\ndamaged\n");
	}
}

TEST(entries_cut_by_the_end_are_no_records)
{
	static const unsigned int types[] = { SHEET_LONG, SHEET_PADDING, SHEET_EXTEND, SHEET_STAMP, 1 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct sheet sheet;

		sheet_begin(&sheet, 0);
		sheet_small(&sheet, 1, data, 1);
		sheet_head(&sheet, types[i], 1);
		sheet_end(&sheet);
		check_records(&sheet, "1 20+4\ndamaged\n");
	}
}

/* Whether all records lie inside the block, one behind the other. */
static bool walk_is_sound(const unsigned char *block, size_t size)
{
	const unsigned char *last = block;
	struct record record;
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, block, size);
	while (page_next(&page, &record)) {
		if (record.data <= last || record.size > (size_t)(block + size - record.data))
			return false;
		last = record.data;
	}
	return !page_next(&page, &record);
}

TEST(random_bytes_are_never_read_beyond_their_end)
{
	struct dice dice = { .state = 5 };

	for (int i = 0; i < 5000; i++) {
		size_t size = dice_below(&dice, 512);
		unsigned char *block = malloc(size);
		bool is_sound;

		for (size_t at = 0; at < size; at++)
			block[at] = dice_roll(&dice);
		/* Mostly a size that may be, so that the walk gets somewhere. */
		if (size >= SHEET_HEADER_SIZE && dice_below(&dice, 4))
			memcpy(block + 8, &(uint64_t){ dice_below(&dice, size) }, 8);
		is_sound = walk_is_sound(block, size);
		free(block);
		if (!CHECK(is_sound))
			break;
	}
}

TEST(a_sound_sub_buffer_with_random_damage_is_never_read_beyond_its_end)
{
	struct dice dice = { .state = 6 };

	for (int i = 0; i < 2000; i++) {
		struct sheet sheet;
		unsigned char *block;
		bool is_sound;

		sheet_fill(&sheet, &dice);
		for (int damages = 1 + dice_below(&dice, 8); damages > 0; damages--)
			sheet.bytes[dice_below(&dice, SHEET_HEADER_SIZE + sheet.size)] ^= 1 << dice_below(&dice, 8);
		block = block_of(sheet.bytes, SHEET_HEADER_SIZE + sheet.size);
		is_sound = walk_is_sound(block, SHEET_HEADER_SIZE + sheet.size);
		free(block);
		if (!CHECK(is_sound))
			break;
	}
}

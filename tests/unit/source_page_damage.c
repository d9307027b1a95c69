// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the walk through sub-buffers that are cut, or that lie. */
#include "sheet.h"
#include "tap.h"
#include "walk.h"

static const unsigned char data[128];

static void check_walk(const struct sheet *sheet, const char *want)
{
	struct buffer got = walk(sheet->bytes, SHEET_SIZE);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

/* The walk through damaged bytes has to give the sound one's first records and nothing else. */
static bool check_prefix(const void *bytes, size_t size, struct buffer *whole)
{
	struct buffer part = walk(bytes, size);
	const char damaged[] = "damaged\n";
	size_t common = part.size;
	bool is_prefix;

	if (common >= strlen(damaged) &&
	    memcmp(part.data + common - strlen(damaged), damaged, strlen(damaged)) == 0)
		common -= strlen(damaged);
	is_prefix = CHECK(common <= whole->size &&
			  memcmp(buffer_string(&part), buffer_string(whole), common) == 0);
	buffer_release(&part);
	return is_prefix;
}

TEST(a_sub_buffer_cut_anywhere_gives_the_records_before_the_cut)
{
	struct dice dice = { .state = 3 };
	struct buffer whole, empty;
	struct sheet sheet;

	do {
		sheet_begin_random(&sheet, &dice);
		sheet_fill(&sheet, &dice);
	} while (sheet.size < 2000);
	whole = walk(sheet.bytes, SHEET_SIZE);
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
	empty = walk(sheet.bytes, SHEET_HEADER_SIZE);
	CHECK_TEXT(buffer_string(&empty), "damaged\n");
	buffer_release(&empty);
	buffer_release(&whole);
}

static bool is_damaged(const struct sheet *sheet)
{
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, sheet->bytes, SHEET_SIZE);
	return page.is_damaged;
}

TEST(a_committed_size_that_lies_is_cut_to_what_is_there)
{
	static const uint64_t lies[] = { SHEET_ROOM + 1,
					 SHEET_ROOM + 4,
					 SHEET_GAP_COUNTED - 1,
					 SHEET_GAP | (SHEET_GAP_COUNTED - 1),
					 UINT64_MAX,
					 UINT64_MAX << 32 };
	struct dice dice = { .state = 4 };
	struct sheet sheet;
	struct buffer whole;

	sheet_begin_random(&sheet, &dice);
	sheet_fill(&sheet, &dice);
	whole = walk(sheet.bytes, SHEET_SIZE);
	for (uint64_t commit = 0; commit < sheet.size; commit++) {
		sheet_commit(&sheet, commit);
		if (!check_prefix(sheet.bytes, SHEET_SIZE, &whole))
			break;
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		sheet_commit(&sheet, lies[i]);
		buffer_release(&whole);
		whole = walk(sheet.bytes, SHEET_SIZE);
		CHECK(is_damaged(&sheet) == (lies[i] != UINT64_MAX << 32));
	}
	buffer_release(&whole);
}

TEST(entries_that_lie_about_their_size_end_the_walk)
{
	static const struct {
		unsigned int type;
		uint32_t word;
	} lies[] = {
		{ SHEET_LONG, 0 },
		{ SHEET_LONG, 3 },
		{ SHEET_LONG, 16 + 4 },
		{ SHEET_LONG, UINT32_MAX },
		{ SHEET_PADDING, 0 },
		{ SHEET_PADDING, 2 },
		{ SHEET_PADDING, 16 + 4 },
		{ SHEET_PADDING, UINT32_MAX },
		{ 5, 0 },
		{ 28, 0 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct sheet sheet;

		sheet_begin(&sheet, 0);
		sheet_small(&sheet, 1, data, 1);
		sheet_head(&sheet, lies[i].type, 1);
		sheet_word(&sheet, lies[i].word);
		/* Would be a record to a walk that goes on. */
		sheet_small(&sheet, 1, data, 2);
		sheet_end(&sheet);
		check_walk(&sheet, "1 20+4\ndamaged\n");
	}
}

TEST(entries_cut_by_the_end_are_no_records)
{
	static const unsigned int types[] = { SHEET_LONG, SHEET_PADDING, SHEET_EXTEND, SHEET_STAMP,
					      1 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct sheet sheet;

		sheet_begin(&sheet, 0);
		sheet_small(&sheet, 1, data, 1);
		sheet_head(&sheet, types[i], 1);
		sheet_end(&sheet);
		check_walk(&sheet, "1 20+4\ndamaged\n");
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

TEST(a_time_beyond_all_limits_is_damage)
{
	struct sheet sheet;

	sheet_begin(&sheet, SOURCE_TIME_LIMIT - 1);
	sheet_small(&sheet, 0, data, 1);
	sheet_small(&sheet, 1, data, 1);
	sheet_end(&sheet);
	check_walk(&sheet, "4611686018427387903 20+4\ndamaged\n");
	sheet_begin(&sheet, UINT64_MAX - 4);
	sheet_small(&sheet, 0, data, 1);
	sheet_end(&sheet);
	check_walk(&sheet, "damaged\n");
	sheet_begin(&sheet, INT64_MAX);
	sheet_extend(&sheet, (UINT64_C(1) << 59) - 1);
	sheet_small(&sheet, 0, data, 1);
	sheet_end(&sheet);
	check_walk(&sheet, "damaged\n");
}

/* With so much behind them that they could be taken without a look at where they end. */
static void sheet_small_many(struct sheet *sheet)
{
	for (int i = 0; i < 40; i++)
		sheet_small(sheet, 0, data, 1);
}

TEST(a_time_beyond_all_limits_is_damage_in_the_midst_of_short_entries_too)
{
	struct sheet sheet;

	sheet_begin(&sheet, SOURCE_TIME_LIMIT - 1);
	sheet_small(&sheet, 0, data, 1);
	sheet_small(&sheet, 1, data, 1);
	sheet_small_many(&sheet);
	sheet_end(&sheet);
	check_walk(&sheet, "4611686018427387903 20+4\ndamaged\n");
	sheet_begin(&sheet, 0);
	for (int i = 0; i < 8; i++)
		sheet_extend(&sheet, (UINT64_C(1) << 59) - 1);
	sheet_small(&sheet, 7, data, 1);
	sheet_small(&sheet, 1, data, 1);
	sheet_small_many(&sheet);
	sheet_end(&sheet);
	check_walk(&sheet, "4611686018427387903 84+4\ndamaged\n");
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

		sheet_begin_random(&sheet, &dice);
		sheet_fill(&sheet, &dice);
		for (int damages = 1 + dice_below(&dice, 8); damages > 0; damages--)
			sheet.bytes[dice_below(&dice, SHEET_HEADER_SIZE + sheet.size)] ^=
				1 << dice_below(&dice, 8);
		block = block_of(sheet.bytes, SHEET_HEADER_SIZE + sheet.size);
		is_sound = walk_is_sound(block, SHEET_HEADER_SIZE + sheet.size);
		free(block);
		if (!CHECK(is_sound))
			break;
	}
}

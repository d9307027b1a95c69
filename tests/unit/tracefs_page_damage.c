// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the walk through sub-buffers that are cut, or that lie. */
#include "fixtures/raw_page.h"
#include "fixtures/tap.h"
#include "fixtures/dump_page.h"

static const unsigned char data[128];

static void check_walk(const struct raw_page *raw_page, const char *want)
{
	struct buffer got = page_dump(raw_page->bytes, RAW_PAGE_SIZE);

	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

/* Damaged bytes must yield the first records of the intact ones and nothing else. */
static bool check_prefix(const void *bytes, size_t size, struct buffer *whole)
{
	struct buffer part = page_dump(bytes, size);
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
	struct random random = { .state = 3 };
	struct buffer whole, empty;
	struct raw_page raw_page;

	do {
		raw_page_begin_random(&raw_page, &random);
		raw_page_fill(&raw_page, &random);
	} while (raw_page.size < 2000);
	whole = page_dump(raw_page.bytes, RAW_PAGE_SIZE);
	for (size_t size = 0; size <= RAW_PAGE_SIZE; size++) {
		struct page page;
		unsigned char *block = block_of(raw_page.bytes, size);

		page_load(&page, (struct page_layout){ 0 }, block, size);
		free(block);
		if (!CHECK(page.is_damaged == (size < RAW_PAGE_HEADER_SIZE + raw_page.size)))
			break;
		if (!check_prefix(raw_page.bytes, size, &whole))
			break;
	}
	empty = page_dump(raw_page.bytes, RAW_PAGE_HEADER_SIZE);
	CHECK_TEXT(buffer_string(&empty), "damaged\n");
	buffer_release(&empty);
	buffer_release(&whole);
}

static bool is_damaged(const struct raw_page *raw_page)
{
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, raw_page->bytes, RAW_PAGE_SIZE);
	return page.is_damaged;
}

TEST(a_committed_size_that_lies_is_cut_to_what_is_there)
{
	static const uint64_t lies[] = { RAW_PAGE_DATA_SIZE + 1,
					 RAW_PAGE_DATA_SIZE + 4,
					 RAW_PAGE_GAP_COUNTED - 1,
					 RAW_PAGE_GAP | (RAW_PAGE_GAP_COUNTED - 1),
					 UINT64_MAX,
					 UINT64_MAX << 32 };
	struct random random = { .state = 4 };
	struct raw_page raw_page;
	struct buffer whole;

	raw_page_begin_random(&raw_page, &random);
	raw_page_fill(&raw_page, &random);
	whole = page_dump(raw_page.bytes, RAW_PAGE_SIZE);
	for (uint64_t commit = 0; commit < raw_page.size; commit++) {
		raw_page_commit(&raw_page, commit);
		if (!check_prefix(raw_page.bytes, RAW_PAGE_SIZE, &whole))
			break;
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		raw_page_commit(&raw_page, lies[i]);
		buffer_release(&whole);
		whole = page_dump(raw_page.bytes, RAW_PAGE_SIZE);
		CHECK(is_damaged(&raw_page) == (lies[i] != UINT64_MAX << 32));
	}
	buffer_release(&whole);
}

TEST(entries_that_lie_about_their_size_end_the_walk)
{
	static const struct {
		unsigned int type;
		uint32_t word;
	} lies[] = {
		{ RAW_PAGE_LONG, 0 },
		{ RAW_PAGE_LONG, 3 },
		{ RAW_PAGE_LONG, 16 + 4 },
		{ RAW_PAGE_LONG, UINT32_MAX },
		{ RAW_PAGE_PADDING, 0 },
		{ RAW_PAGE_PADDING, 2 },
		{ RAW_PAGE_PADDING, 16 + 4 },
		{ RAW_PAGE_PADDING, UINT32_MAX },
		{ 5, 0 },
		{ 28, 0 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct raw_page raw_page;

		raw_page_begin(&raw_page, 0);
		raw_page_small(&raw_page, 1, data, 1);
		raw_page_head(&raw_page, lies[i].type, 1);
		raw_page_word(&raw_page, lies[i].word);
		/* A reader that continues would return a record. */
		raw_page_small(&raw_page, 1, data, 2);
		raw_page_end(&raw_page);
		check_walk(&raw_page, "1 20+4\ndamaged\n");
	}
}

TEST(entries_cut_by_the_end_are_no_records)
{
	static const unsigned int types[] = { RAW_PAGE_LONG, RAW_PAGE_PADDING, RAW_PAGE_EXTEND,
					      RAW_PAGE_TIMESTAMP, 1 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct raw_page raw_page;

		raw_page_begin(&raw_page, 0);
		raw_page_small(&raw_page, 1, data, 1);
		raw_page_head(&raw_page, types[i], 1);
		raw_page_end(&raw_page);
		check_walk(&raw_page, "1 20+4\ndamaged\n");
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
	struct raw_page raw_page;

	raw_page_begin(&raw_page, RECORD_TIME_LIMIT - 1);
	raw_page_small(&raw_page, 0, data, 1);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_end(&raw_page);
	check_walk(&raw_page, "4611686018427387903 20+4\ndamaged\n");
	raw_page_begin(&raw_page, UINT64_MAX - 4);
	raw_page_small(&raw_page, 0, data, 1);
	raw_page_end(&raw_page);
	check_walk(&raw_page, "damaged\n");
	raw_page_begin(&raw_page, INT64_MAX);
	raw_page_extend(&raw_page, (UINT64_C(1) << 59) - 1);
	raw_page_small(&raw_page, 0, data, 1);
	raw_page_end(&raw_page);
	check_walk(&raw_page, "damaged\n");
}

/* With enough bytes behind them that their end need not be checked. */
static void raw_page_small_many(struct raw_page *raw_page)
{
	for (int i = 0; i < 40; i++)
		raw_page_small(raw_page, 0, data, 1);
}

TEST(a_time_beyond_all_limits_is_damage_in_the_midst_of_short_entries_too)
{
	struct raw_page raw_page;

	raw_page_begin(&raw_page, RECORD_TIME_LIMIT - 1);
	raw_page_small(&raw_page, 0, data, 1);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_small_many(&raw_page);
	raw_page_end(&raw_page);
	check_walk(&raw_page, "4611686018427387903 20+4\ndamaged\n");
	raw_page_begin(&raw_page, 0);
	for (int i = 0; i < 8; i++)
		raw_page_extend(&raw_page, (UINT64_C(1) << 59) - 1);
	raw_page_small(&raw_page, 7, data, 1);
	raw_page_small(&raw_page, 1, data, 1);
	raw_page_small_many(&raw_page);
	raw_page_end(&raw_page);
	check_walk(&raw_page, "4611686018427387903 84+4\ndamaged\n");
}

TEST(random_bytes_are_never_read_beyond_their_end)
{
	struct random random = { .state = 5 };

	for (int i = 0; i < 5000; i++) {
		size_t size = random_below(&random, 512);
		unsigned char *block = malloc(size);
		bool is_sound;

		for (size_t at = 0; at < size; at++)
			block[at] = random_next(&random);
		/* Mostly a valid size, so that the reader gets further. */
		if (size >= RAW_PAGE_HEADER_SIZE && random_below(&random, 4))
			memcpy(block + 8, &(uint64_t){ random_below(&random, size) }, 8);
		is_sound = walk_is_sound(block, size);
		free(block);
		if (!CHECK(is_sound))
			break;
	}
}

TEST(a_sound_sub_buffer_with_random_damage_is_never_read_beyond_its_end)
{
	struct random random = { .state = 6 };

	for (int i = 0; i < 2000; i++) {
		struct raw_page raw_page;
		unsigned char *block;
		bool is_sound;

		raw_page_begin_random(&raw_page, &random);
		raw_page_fill(&raw_page, &random);
		for (int damages = 1 + random_below(&random, 8); damages > 0; damages--)
			raw_page.bytes[random_below(&random,
						    RAW_PAGE_HEADER_SIZE + raw_page.size)] ^=
				1 << random_below(&random, 8);
		block = block_of(raw_page.bytes, RAW_PAGE_HEADER_SIZE + raw_page.size);
		is_sound = walk_is_sound(block, RAW_PAGE_HEADER_SIZE + raw_page.size);
		free(block);
		if (!CHECK(is_sound))
			break;
	}
}

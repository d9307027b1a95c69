// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the cursor: what is there is read, what is not there is neither read nor forgotten. */
#include "tracedat/file.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/random.h"
#include "fixtures/tap.h"

/* A cursor over a block of just this size, so that the sanitizer sees a read behind it. */
static struct cursor cursor_new(const void *bytes, size_t size, bool is_swapped)
{
	unsigned char *block = malloc(size);

	memcpy(block, bytes, size);
	return (struct cursor){ .data = block, .size = size, .is_swapped = is_swapped };
}

static void cursor_free(struct cursor *cursor)
{
	free((void *)cursor->data);
}

TEST(numbers_of_every_size_come_in_the_order_of_the_file)
{
	static const unsigned char bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool is_big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	for (int is_big = 0; is_big < 2; is_big++) {
		struct cursor cursor = cursor_new(bytes, sizeof(bytes), is_big != is_big_here);

		CHECK_NUMBER(cursor_u8(&cursor), 1);
		CHECK_NUMBER(cursor_u16(&cursor), is_big ? 0x0203 : 0x0302);
		CHECK_NUMBER(cursor_u32(&cursor), is_big ? 0x04050607 : 0x07060504);
		CHECK_NUMBER(cursor_u64(&cursor),
			     is_big ? INT64_C(0x08090a0b0c0d0e0f) : INT64_C(0x0f0e0d0c0b0a0908));
		CHECK_NUMBER(cursor_left(&cursor), 0);
		CHECK(!cursor.is_over);
		cursor_free(&cursor);
	}
}

TEST(a_read_that_does_not_fit_gives_nothing_and_neither_do_later_ones)
{
	static const unsigned char bytes[] = { 1, 2, 3 };
	struct cursor cursor = cursor_new(bytes, sizeof(bytes), false);

	CHECK_NUMBER(cursor_u8(&cursor), 1);
	CHECK_NUMBER(cursor_u32(&cursor), 0);
	CHECK(cursor.is_over);
	CHECK_NUMBER(cursor.offset, 1);
	CHECK_NUMBER(cursor_u8(&cursor), 0);
	CHECK_NUMBER(cursor_left(&cursor), 0);
	CHECK(cursor_take(&cursor, 0) == NULL);
	cursor_free(&cursor);
}

TEST(a_string_ends_with_its_nul_or_is_none)
{
	struct cursor cursor = cursor_new("ab\0\0cd", 6, false);

	CHECK(text_equals(cursor_string(&cursor), text_of("ab")));
	CHECK(text_equals(cursor_string(&cursor), text_of("")));
	CHECK(!cursor.is_over);
	CHECK(text_equals(cursor_string(&cursor), text_of("")));
	CHECK(cursor.is_over);
	CHECK_NUMBER(cursor.offset, 4);
	cursor_free(&cursor);
}

TEST(a_part_ends_where_it_has_to_and_the_whole_goes_on_behind_it)
{
	struct cursor cursor = cursor_new("abcdef", 6, true);
	struct cursor part = cursor_part(&cursor, 4);

	CHECK(part.is_swapped);
	CHECK(text_equals(cursor_text(&part, 3), text_of("abc")));
	CHECK(text_equals(cursor_text(&part, 2), text_of("")));
	CHECK(part.is_over);
	CHECK_NUMBER(cursor_u8(&cursor), 'e');
	part = cursor_part(&cursor, 2);
	CHECK(part.is_over);
	CHECK(cursor.is_over);
	cursor_free(&cursor);
}

TEST(what_is_not_as_expected_stays_where_it_is)
{
	struct cursor cursor = cursor_new("abcdef", 6, false);

	CHECK(cursor_expect(&cursor, text_of("abc")));
	CHECK(!cursor_expect(&cursor, text_of("deg")));
	CHECK_NUMBER(cursor.offset, 3);
	CHECK(cursor.is_over);
	cursor_free(&cursor);
}

TEST(an_empty_cursor_has_nothing)
{
	struct cursor cursor = { 0 };

	CHECK_NUMBER(cursor_left(&cursor), 0);
	CHECK(text_equals(cursor_string(&cursor), text_of("")));
	CHECK(cursor.is_over);
	cursor = (struct cursor){ 0 };
	CHECK(!cursor_expect(&cursor, text_of("x")));
}

/* One read of any kind and size. */
static void read_any(struct cursor *cursor, struct random *random)
{
	static const uint64_t sizes[] = { 0, 1, 5, SIZE_MAX, SIZE_MAX - 1, INT64_MAX };
	uint64_t size = sizes[random_below(random, sizeof(sizes) / sizeof(sizes[0]))];

	switch (random_below(random, 6)) {
	case 0:
		cursor_u64(cursor);
		break;
	case 1:
		cursor_u16(cursor);
		break;
	case 2:
		cursor_string(cursor);
		break;
	case 3:
		cursor_text(cursor, size);
		break;
	case 4:
		cursor_part(cursor, size);
		break;
	default:
		cursor_expect(cursor, text_of("\1\2"));
	}
}

TEST(no_series_of_reads_leaves_the_bytes)
{
	unsigned char bytes[40];
	struct random random = { .state = 5 };

	for (int run = 0; run < 5000; run++) {
		struct cursor cursor;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random_below(&random, 4);
		cursor = cursor_new(bytes, 1 + random_below(&random, sizeof(bytes) - 1), run & 1);
		while (!cursor.is_over && cursor_left(&cursor) > 0)
			read_any(&cursor, &random);
		CHECK(cursor.offset <= cursor.size);
		cursor_free(&cursor);
	}
}

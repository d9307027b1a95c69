/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes ring-buffer sub-buffers as the kernel does, for the tests of the source room. */
#ifndef UNIT_SHEET_H
#define UNIT_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dice.h"

#ifndef SHEET_SIZE
#define SHEET_SIZE 4096
#endif
#define SHEET_HEADER_SIZE 16
#define SHEET_ROOM (SHEET_SIZE - SHEET_HEADER_SIZE)

#define SHEET_GAP (UINT64_C(1) << 31)
#define SHEET_GAP_COUNTED (UINT64_C(1) << 30)

/* A head has 27 bits of time; what is longer goes into an entry of its own. */
#define SHEET_DELTA_BITS 27
#define SHEET_DELTA_MAX ((UINT64_C(1) << SHEET_DELTA_BITS) - 1)

enum sheet_type {
	SHEET_LONG = 0,
	SHEET_PADDING = 29,
	SHEET_EXTEND = 30,
	SHEET_STAMP = 31,
};

/**
 * struct sheet - a sub-buffer that is being written
 * @is_swapped: in the other byte order than this machine's
 * @long_size: of the header's long, 4 or 8
 * @size: committed so far
 * @time_ns: of the last entry
 */
struct sheet {
	unsigned char bytes[SHEET_SIZE];
	bool is_swapped;
	size_t long_size;
	size_t size;
	uint64_t time_ns;
};

static inline void sheet_put(struct sheet *sheet, size_t offset, const void *data, size_t size)
{
	memcpy(sheet->bytes + offset, data, size);
}

static inline void sheet_put_number(struct sheet *sheet, size_t offset, uint64_t number,
				    size_t size)
{
	if (sheet->is_swapped)
		number = __builtin_bswap64(number) >> (64 - 8 * size);
	sheet_put(sheet, offset, &number, size);
}

/** sheet_begin_as - a sub-buffer as a machine of another kind writes it */
static inline void sheet_begin_as(struct sheet *sheet, uint64_t time_ns, bool is_swapped,
				  size_t long_size)
{
	*sheet = (struct sheet){ .time_ns = time_ns,
				 .is_swapped = is_swapped,
				 .long_size = long_size };
	sheet_put_number(sheet, 0, time_ns, sizeof(time_ns));
}

static inline void sheet_begin(struct sheet *sheet, uint64_t time_ns)
{
	sheet_begin_as(sheet, time_ns, false, sizeof(uint64_t));
}

/** sheet_end_offset - where the next entry begins */
static inline size_t sheet_end_offset(const struct sheet *sheet)
{
	return sizeof(uint64_t) + sheet->long_size + sheet->size;
}

static inline void sheet_word(struct sheet *sheet, uint32_t word)
{
	sheet_put_number(sheet, sheet_end_offset(sheet), word, sizeof(word));
	sheet->size += sizeof(word);
}

/*
 * A C bit-field of 5 bits and one of 27: little-endian machines begin at the lowest bit, others at
 * the highest.
 */
static inline void sheet_head(struct sheet *sheet, unsigned int type, uint64_t delta)
{
	bool is_little = sheet->is_swapped == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	sheet_word(sheet, is_little ? (uint32_t)delta << 5 | type
				    : (uint32_t)type << 27 | (uint32_t)delta);
}

static inline void sheet_data(struct sheet *sheet, const void *data, size_t size)
{
	sheet_put(sheet, sheet_end_offset(sheet), data, size);
	sheet->size += (size + 3) & ~(size_t)3;
}

/** sheet_small - a record of 1 to 28 words, whose size stands in the head */
static inline void sheet_small(struct sheet *sheet, uint64_t delta, const void *data,
			       size_t nr_words)
{
	sheet->time_ns += delta;
	sheet_head(sheet, nr_words, delta);
	sheet_data(sheet, data, nr_words * 4);
}

/** sheet_long - a record whose size has a word of its own, which counts itself */
static inline void sheet_long(struct sheet *sheet, uint64_t delta, const void *data, size_t size)
{
	sheet->time_ns += delta;
	sheet_head(sheet, SHEET_LONG, delta);
	sheet_word(sheet, size + 4);
	sheet_data(sheet, data, size);
}

static inline void sheet_extend(struct sheet *sheet, uint64_t delta)
{
	sheet->time_ns += delta;
	sheet_head(sheet, SHEET_EXTEND, delta & SHEET_DELTA_MAX);
	sheet_word(sheet, delta >> SHEET_DELTA_BITS);
}

/** sheet_stamp - an absolute time, of which the lower 59 bits are kept */
static inline void sheet_stamp(struct sheet *sheet, uint64_t time_ns)
{
	sheet->time_ns = time_ns;
	sheet_head(sheet, SHEET_STAMP, time_ns & SHEET_DELTA_MAX);
	sheet_word(sheet, time_ns >> SHEET_DELTA_BITS);
}

/** sheet_discarded - a record that was given up after its place was taken; its time counts */
static inline void sheet_discarded(struct sheet *sheet, uint64_t delta, size_t size)
{
	sheet->time_ns += delta;
	sheet_head(sheet, SHEET_PADDING, delta);
	sheet_word(sheet, size);
	sheet->size += size - 4;
}

/** sheet_at - a record of one word at a time that is not before the last one's */
static inline void sheet_at(struct sheet *sheet, uint64_t time_ns, uint32_t word)
{
	uint64_t delta = time_ns - sheet->time_ns;

	if (delta > SHEET_DELTA_MAX) {
		sheet_extend(sheet, delta);
		delta = 0;
	}
	sheet_small(sheet, delta, &word, 1);
}

static inline void sheet_commit(struct sheet *sheet, uint64_t commit)
{
	sheet_put_number(sheet, sizeof(uint64_t), commit, sheet->long_size);
}

static inline void sheet_end(struct sheet *sheet)
{
	sheet_commit(sheet, sheet->size);
}

/**
 * sheet_end_behind_gap - with records lost before the first one, whose number the kernel had no
 * room for
 */
static inline void sheet_end_behind_gap(struct sheet *sheet)
{
	sheet_commit(sheet, sheet->size | SHEET_GAP);
}

/** sheet_end_behind_counted - with @count records lost before the first one */
static inline void sheet_end_behind_counted(struct sheet *sheet, int64_t count)
{
	sheet_put_number(sheet, sheet_end_offset(sheet), count, sheet->long_size);
	sheet_commit(sheet, sheet->size | SHEET_GAP | SHEET_GAP_COUNTED);
}

/* Adds an entry of any kind with zeroed data; returns whether there was room for the largest. */
static inline bool sheet_add_any(struct sheet *sheet, struct dice *dice)
{
	static const unsigned char zeroes[1024];
	uint64_t delta = dice_below(dice, 4) ? dice_below(dice, 1000)
					     : dice_below(dice, SHEET_DELTA_MAX);
	size_t nr_words = 1 + dice_below(dice, 28);

	if (sheet->size + sizeof(zeroes) + 8 > SHEET_ROOM)
		return false;
	switch (dice_below(dice, 8)) {
	case 0:
		sheet_long(sheet, delta, zeroes, 4 * dice_below(dice, sizeof(zeroes) / 4));
		break;
	case 1:
		sheet_extend(sheet, dice_below(dice, UINT64_C(1) << 45));
		break;
	case 2:
		sheet_stamp(sheet, sheet->time_ns + dice_below(dice, UINT64_C(1) << 40));
		break;
	case 3:
		sheet_discarded(sheet, delta + 1, 4 * nr_words);
		break;
	default:
		sheet_small(sheet, delta, zeroes, nr_words);
	}
	return true;
}

/**
 * sheet_fill - fill a sheet that was begun with random entries, and end it with or without a gap
 */
static inline void sheet_fill(struct sheet *sheet, struct dice *dice)
{
	size_t nr_entries = dice_below(dice, 120);

	for (size_t i = 0; i < nr_entries && sheet_add_any(sheet, dice); i++)
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

/** sheet_begin_random - begin a sheet at a random time */
static inline void sheet_begin_random(struct sheet *sheet, struct dice *dice)
{
	sheet_begin(sheet, dice_below(dice, UINT64_C(1) << 50));
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes ring-buffer sub-buffers as the kernel does, for the tests of the source room. */
#ifndef UNIT_SHEET_H
#define UNIT_SHEET_H

#include <stdint.h>
#include <string.h>

#define SHEET_SIZE 4096
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
 * @size: committed so far
 * @time_ns: of the last entry
 */
struct sheet {
	unsigned char bytes[SHEET_SIZE];
	size_t size;
	uint64_t time_ns;
};

static inline void sheet_put(struct sheet *sheet, size_t offset, const void *data, size_t size)
{
	memcpy(sheet->bytes + offset, data, size);
}

static inline void sheet_begin(struct sheet *sheet, uint64_t time_ns)
{
	memset(sheet, 0, sizeof(*sheet));
	sheet->time_ns = time_ns;
	sheet_put(sheet, 0, &time_ns, sizeof(time_ns));
}

static inline void sheet_word(struct sheet *sheet, uint32_t word)
{
	sheet_put(sheet, SHEET_HEADER_SIZE + sheet->size, &word, sizeof(word));
	sheet->size += sizeof(word);
}

static inline void sheet_head(struct sheet *sheet, unsigned int type, uint64_t delta)
{
	sheet_word(sheet, (uint32_t)delta << 5 | type);
}

static inline void sheet_data(struct sheet *sheet, const void *data, size_t size)
{
	sheet_put(sheet, SHEET_HEADER_SIZE + sheet->size, data, size);
	sheet->size += (size + 3) & ~(size_t)3;
}

/** sheet_small - a record of 1 to 28 words, whose size stands in the head */
static inline void sheet_small(struct sheet *sheet, uint64_t delta, const void *data, size_t nr_words)
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
	sheet_put(sheet, 8, &commit, sizeof(commit));
}

static inline void sheet_end(struct sheet *sheet)
{
	sheet_commit(sheet, sheet->size);
}

/** sheet_end_behind_gap - with records lost before the first one, whose number the kernel had no room for */
static inline void sheet_end_behind_gap(struct sheet *sheet)
{
	sheet_commit(sheet, sheet->size | SHEET_GAP);
}

/** sheet_end_behind_counted - with @count records lost before the first one */
static inline void sheet_end_behind_counted(struct sheet *sheet, int64_t count)
{
	sheet_put(sheet, SHEET_HEADER_SIZE + sheet->size, &count, sizeof(count));
	sheet_commit(sheet, sheet->size | SHEET_GAP | SHEET_GAP_COUNTED);
}

#endif

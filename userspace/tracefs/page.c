// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks one sub-buffer. Its layout, as the kernel's include/linux/ring_buffer.h and
 * events/header_page say: a 64-bit time, a long that holds the committed size and two flags, then
 * entries of a 32-bit head (5 bits of type or length, 27 bits of time since the last entry) and
 * their data. The head is a C bit-field: big-endian machines put its first part into the upper
 * bits.
 */
#include "tracefs/page_layout.h"

#include <string.h>

static uint64_t read_u64(struct page_layout layout, const unsigned char *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return layout.is_swapped ? __builtin_bswap64(number) : number;
}

static uint32_t read_u32(struct page_layout layout, const unsigned char *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return layout.is_swapped ? __builtin_bswap32(number) : number;
}

static size_t long_size(struct page_layout layout)
{
	return layout.has_short_longs ? SHORT_LONG_SIZE : LONG_SIZE;
}

static uint64_t read_long(struct page_layout layout, const unsigned char *bytes)
{
	return layout.has_short_longs ? read_u32(layout, bytes) : read_u64(layout, bytes);
}

/* More records than a CPU writes in a year at a million in a second. */
#define GAP_COUNT_MAX (UINT64_C(1) << 45)

/* A number of lost records; one that cannot be is unknown: sums of such numbers had no meaning. */
static int64_t count_of(uint64_t number)
{
	return number <= GAP_COUNT_MAX ? (int64_t)number : LOSS_COUNT_UNKNOWN;
}

/*
 * Short entries are not looked at closely: none of them may reach beyond the sub-buffer, nor all of
 * them together beyond the limit of time, from which half of all times is far enough.
 */
static void page_bound_short(struct page *page)
{
	bool is_far = (uint64_t)page->time_ns < RECORD_TIME_LIMIT / 2;

	page->short_end = 0;
	if (is_far && !page->layout.is_swapped && page->size >= PAGE_SHORT_MAX)
		page->short_end = page->size - PAGE_SHORT_MAX + 1;
}

void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size)
{
	const unsigned char *header = bytes;
	size_t header_size = TIMESTAMP_SIZE + long_size(layout);
	uint64_t commit;

	*page = (struct page){ .layout = layout };
	if (size < header_size) {
		page->is_damaged = true;
		return;
	}
	commit = read_long(layout, header + TIMESTAMP_SIZE);
	page->time_ns = read_u64(layout, header);
	page->data = header + header_size;
	page->size = commit & COMMIT_MASK;
	if (page->size > size - header_size) {
		page->size = size - header_size;
		page->is_damaged = true;
	}
	page_bound_short(page);
	page->has_gap = commit & MISSED_EVENTS;
	page->gap_count = LOSS_COUNT_UNKNOWN;
	if (commit & MISSED_STORED && size - header_size - page->size >= long_size(layout))
		page->gap_count = count_of(read_long(layout, page->data + page->size));
}

size_t page_store_count(const struct page *page, void *bytes, uint64_t count)
{
	unsigned char *header = bytes;
	size_t end = TIMESTAMP_SIZE + LONG_SIZE + page->size;
	uint64_t commit;

	memcpy(&commit, header + TIMESTAMP_SIZE, sizeof(commit));
	commit |= MISSED_STORED;
	memcpy(header + TIMESTAMP_SIZE, &commit, sizeof(commit));
	memcpy(header + end, &count, sizeof(count));
	return end + sizeof(count);
}

static bool page_end(struct page *page, bool is_damaged)
{
	page->is_damaged |= is_damaged;
	page->offset = page->size;
	return false;
}

/* Takes @size bytes of data at the cursor as the record's; damaged where they are not there. */
static bool page_take(struct page *page, struct record *record, size_t size)
{
	if (size > page->size - page->offset || (uint64_t)page->time_ns >= RECORD_TIME_LIMIT)
		return page_end(page, true);
	record->time_ns = page->time_ns;
	record->data = page->data + page->offset;
	record->size = size;
	page->offset += (size + 3) & ~(size_t)3;
	return true;
}

/* Wraps around where the bytes lie: no record will have that time. */
static void page_add_time(struct page *page, uint64_t delta)
{
	page->time_ns = (uint64_t)page->time_ns + delta;
}

static void page_set_timestamp(struct page *page, uint64_t timestamp)
{
	page->time_ns = (page->time_ns & ~TIMESTAMP_MASK) | (timestamp & TIMESTAMP_MASK);
}

/* Steps over the head of an entry; returns its type. */
static unsigned int page_head(struct page *page, uint64_t *delta)
{
	uint32_t head = read_u32(page->layout, page->data + page->offset);

	page->offset += 4;
	if (page->layout.is_swapped == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
		*delta = head >> PAGE_TYPE_BITS;
		return head & ((1U << PAGE_TYPE_BITS) - 1);
	}
	*delta = head & ((1U << PAGE_DELTA_BITS) - 1);
	return head >> PAGE_DELTA_BITS;
}

/* Steps over one entry; sets @is_record where it was a record. */
static bool page_step(struct page *page, struct record *record, bool *is_record)
{
	uint64_t delta;
	unsigned int type = page_head(page, &delta);
	uint32_t word;

	*is_record = type <= PAGE_LENGTH_MAX;
	if (*is_record && type != ENTRY_LONG_RECORD) {
		page_add_time(page, delta);
		return page_take(page, record, type * 4);
	}
	if (type == ENTRY_PADDING && delta == 0)
		return page_end(page, false);
	if (page->size - page->offset < 4)
		return page_end(page, true);
	word = read_u32(page->layout, page->data + page->offset);
	if (type == ENTRY_TIMESTAMP) {
		page_set_timestamp(page, ((uint64_t)word << PAGE_DELTA_BITS) + delta);
		page->offset += 4;
		return true;
	}
	if (type == ENTRY_TIME_EXTEND) {
		page_add_time(page, ((uint64_t)word << PAGE_DELTA_BITS) + delta);
		page->offset += 4;
		return true;
	}
	/* A long record or a discarded one: the word counts itself. */
	page_add_time(page, delta);
	if (word < 4)
		return page_end(page, true);
	if (type == ENTRY_PADDING) {
		struct record discarded;

		return page_take(page, &discarded, word);
	}
	page->offset += 4;
	return page_take(page, record, word - 4);
}

bool page_search(struct page *page, struct record *record)
{
	bool is_record = false;

	while (!is_record) {
		if (page->offset + 4 > page->size || page->offset >= page->size)
			return page_end(page, false);
		if (!page_step(page, record, &is_record))
			return false;
	}
	page_bound_short(page);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks one sub-buffer. Its layout, as the kernel's include/linux/ring_buffer.h and
 * events/header_page say: a 64-bit time, a long that holds the committed size and two flags, then
 * entries of a 32-bit head (5 bits of type or length, 27 bits of time since the last entry) and
 * their data. The head is a C bit-field: big-endian machines put its first part into the upper
 * bits.
 */
#include "tracefs/page.h"

#include <stdlib.h>
#include <string.h>

#define TIMESTAMP_SIZE 8
#define SHORT_LONG_SIZE 4
#define LONG_SIZE 8

/*
 * The committed size's upper bits: records are missing before this sub-buffer; and their number
 * stands behind the data.
 */
#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)
#define COMMIT_MASK (MISSED_STORED - 1)
/* An absolute timestamp has 59 bits; the rest is that of the time before. */
#define TIMESTAMP_MASK ((UINT64_C(1) << 59) - 1)

enum entry_type {
	ENTRY_LONG_RECORD = 0,
	ENTRY_PADDING = 29,
	ENTRY_TIME_EXTEND = 30,
	ENTRY_TIMESTAMP = 31,
};

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

/* Fills sub-buffers of any machine with records. */

/* Heads of an entry: of a record, of a long one, and of the time before it. */
#define HEAD_SIZE 4
#define LONG_HEAD_SIZE 8
#define TIME_SIZE 8

static void layout_store_u32(struct page_layout layout, unsigned char *out, uint32_t number)
{
	if (layout.is_swapped)
		number = __builtin_bswap32(number);
	memcpy(out, &number, sizeof(number));
}

static void layout_store_u64(struct page_layout layout, unsigned char *out, uint64_t number)
{
	if (layout.is_swapped)
		number = __builtin_bswap64(number);
	memcpy(out, &number, sizeof(number));
}

static void layout_store_long(struct page_layout layout, unsigned char *out, uint64_t number)
{
	if (layout.has_short_longs)
		layout_store_u32(layout, out, number);
	else
		layout_store_u64(layout, out, number);
}

/* Big-endian machines put the first part of a bit-field into the upper bits. */
static void entry_head_store(struct page_layout layout, unsigned char *out, unsigned int type,
			     uint32_t delta)
{
	bool is_big = layout.is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	layout_store_u32(layout, out,
			 is_big ? type << PAGE_DELTA_BITS | delta : delta << PAGE_TYPE_BITS | type);
}

int page_builder_begin(struct page_builder *builder, int64_t time_ns)
{
	if (!builder->bytes)
		builder->bytes = malloc(builder->size);
	if (!builder->bytes)
		return -1;
	layout_store_u64(builder->layout, builder->bytes, time_ns);
	builder->used = (TIMESTAMP_SIZE + long_size(builder->layout));
	builder->last_ns = time_ns;
	return 0;
}

/* The time before an entry; a record that is older than the one before it has an absolute one. */
static unsigned char *entry_time_put(const struct page_builder *builder, unsigned char *out,
				     int64_t time_ns)
{
	bool is_late = time_ns < builder->last_ns;
	uint64_t time = is_late ? (uint64_t)time_ns & TIMESTAMP_MASK
				: (uint64_t)time_ns - (uint64_t)builder->last_ns;

	entry_head_store(builder->layout, out, is_late ? ENTRY_TIMESTAMP : ENTRY_TIME_EXTEND,
			 time & ((1U << PAGE_DELTA_BITS) - 1));
	layout_store_u32(builder->layout, out + HEAD_SIZE, time >> PAGE_DELTA_BITS);
	return out + TIME_SIZE;
}

bool page_builder_add(struct page_builder *builder, const struct record *record)
{
	size_t size = record->size, padded = (size + 3) & ~(size_t)3;
	bool is_short = size > 0 && size == padded && size / 4 <= PAGE_LENGTH_MAX;
	uint64_t delta = (uint64_t)record->time_ns - (uint64_t)builder->last_ns;
	size_t time_size = delta >> PAGE_DELTA_BITS ? TIME_SIZE : 0;
	size_t head_size = is_short ? HEAD_SIZE : LONG_HEAD_SIZE;
	unsigned char *out = builder->bytes + builder->used;

	/* The number of lost records may follow the last one. */
	if (builder->used + time_size + head_size + padded + LONG_SIZE > builder->size)
		return false;
	if (time_size > 0)
		out = entry_time_put(builder, out, record->time_ns);
	if (time_size > 0)
		delta = 0;
	entry_head_store(builder->layout, out, is_short ? size / 4 : ENTRY_LONG_RECORD, delta);
	if (!is_short)
		layout_store_u32(builder->layout, out + HEAD_SIZE, size + HEAD_SIZE);
	memcpy(out + head_size, record->data, size);
	memset(out + head_size + size, 0, padded - size);
	builder->used += time_size + head_size + padded;
	builder->last_ns = record->time_ns;
	return true;
}

void page_builder_end(struct page_builder *builder)
{
	uint64_t commit = builder->used - (TIMESTAMP_SIZE + long_size(builder->layout));

	memset(builder->bytes + builder->used, 0, builder->size - builder->used);
	if (builder->has_gap)
		commit |= MISSED_EVENTS;
	if (builder->has_gap && builder->gap_count >= 0) {
		commit |= MISSED_STORED;
		layout_store_long(builder->layout, builder->bytes + builder->used,
				  builder->gap_count);
	}
	layout_store_long(builder->layout, builder->bytes + TIMESTAMP_SIZE, commit);
	builder->used = 0;
}

/*
 * Changes sub-buffers of this machine: joins two of the same CPU, and drops records at both ends.
 * Entries have the time since the entry before them, so they are moved without being changed: what
 * precedes them has to end at the same time.
 */

/* An entry of its own for the time between two others. */
#define EXTEND_SIZE 8

static void header_store(unsigned char *bytes, int64_t time_ns, uint64_t commit)
{
	memcpy(bytes, &time_ns, sizeof(time_ns));
	memcpy(bytes + TIMESTAMP_SIZE, &commit, sizeof(commit));
}

static int64_t time_load(const unsigned char *bytes)
{
	int64_t time_ns;

	memcpy(&time_ns, bytes, sizeof(time_ns));
	return time_ns;
}

static uint64_t commit_load(const unsigned char *bytes)
{
	uint64_t commit;

	memcpy(&commit, bytes + TIMESTAMP_SIZE, sizeof(commit));
	return commit;
}

static void extend_store(unsigned char *entry, uint64_t delta)
{
	uint32_t low = delta & ((1U << PAGE_DELTA_BITS) - 1);
	uint32_t words[] = { 0, delta >> PAGE_DELTA_BITS };

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	words[0] = (uint32_t)ENTRY_TIME_EXTEND << PAGE_DELTA_BITS | low;
#else
	words[0] = low << PAGE_TYPE_BITS | ENTRY_TIME_EXTEND;
#endif
	memcpy(entry, words, sizeof(words));
}

size_t page_join(void *bytes, const struct page *page, const struct page *more, size_t size_max)
{
	unsigned char *header = bytes, *end = header + PAGE_HEADER_SIZE + page->size;
	uint64_t delta = (uint64_t)more->time_ns - (uint64_t)page->time_ns;
	size_t extend = delta > 0 ? EXTEND_SIZE : 0;
	size_t size = page->size + extend + more->size;

	if (more->time_ns < page->time_ns || delta >> (PAGE_DELTA_BITS + 32) ||
	    size > size_max - PAGE_HEADER_SIZE)
		return 0;
	if (extend)
		extend_store(end, delta);
	memcpy(end + extend, more->data, more->size);
	header_store(bytes, time_load(bytes), (commit_load(bytes) & MISSED_EVENTS) | size);
	return PAGE_HEADER_SIZE + size;
}

/* Keeps the bytes from @begin to @end, whose first entry counts its time from @time_ns. */
static void page_keep(unsigned char *bytes, size_t begin, size_t end, int64_t time_ns)
{
	uint64_t commit = commit_load(bytes);
	uint64_t flags = begin > 0 ? 0 : commit & MISSED_EVENTS;
	bool is_counted = begin == 0 && commit & MISSED_STORED;
	uint64_t count;

	if (is_counted)
		memcpy(&count, bytes + PAGE_HEADER_SIZE + (commit & COMMIT_MASK), sizeof(count));
	memmove(bytes + PAGE_HEADER_SIZE, bytes + PAGE_HEADER_SIZE + begin, end - begin);
	if (is_counted) {
		memcpy(bytes + PAGE_HEADER_SIZE + end, &count, sizeof(count));
		flags |= MISSED_STORED;
	}
	header_store(bytes, time_ns, flags | (end - begin));
}

size_t page_cut(void *bytes, size_t size, int64_t from_ns, int64_t to_ns)
{
	size_t nr_records = 0, begin = 0, end = 0;
	int64_t begin_ns;
	struct record record;
	struct page page;

	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	begin_ns = page.time_ns;
	while (page_next(&page, &record) && record.time_ns <= to_ns) {
		if (record.time_ns < from_ns) {
			begin = page.offset;
			begin_ns = page.time_ns;
		} else {
			nr_records++;
		}
		end = page.offset;
	}
	if (begin > 0 || end < page.size)
		page_keep(bytes, begin, end, begin_ns);
	return nr_records;
}

void page_forget_count(void *bytes)
{
	header_store(bytes, time_load(bytes), commit_load(bytes) & ~MISSED_STORED);
}

void page_mark_gap(void *bytes)
{
	header_store(bytes, time_load(bytes), commit_load(bytes) | MISSED_EVENTS);
}

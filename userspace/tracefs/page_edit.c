// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes sub-buffers of this machine: joins two of the same CPU, and drops records at both ends.
 * Entries have the time since the entry before them, so they are moved without being changed: what
 * precedes them has to end at the same time.
 */
#include <string.h>

#include "tracefs/page_layout.h"

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

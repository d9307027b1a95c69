/* SPDX-License-Identifier: GPL-2.0-only */
/* One sub-buffer of the kernel's ring buffer, walked record by record. */
#ifndef SOURCE_PAGE_H
#define SOURCE_PAGE_H

#include <stdbool.h>

#include "source/source.h"

/**
 * struct page_layout - how the kernel that wrote lays out its numbers; zeroed where it is this
 * machine's, with 8-byte longs
 * @is_swapped: in the other byte order
 * @has_short_longs: its longs have 4 bytes
 */
struct page_layout {
	bool is_swapped;
	bool has_short_longs;
};

/**
 * struct page - a cursor in a sub-buffer
 * @layout: how to read it
 * @data: first byte behind the header; borrowed
 * @size: how many bytes the writer committed
 * @offset: of the next entry
 * @time_ns: of the last entry
 * @has_gap: records were lost before this sub-buffer's first one
 * @gap_count: how many, or SOURCE_COUNT_UNKNOWN
 * @is_damaged: an entry did not fit; the walk has ended there
 */
struct page {
	struct page_layout layout;
	const unsigned char *data;
	size_t size;
	size_t offset;
	int64_t time_ns;
	bool has_gap;
	int64_t gap_count;
	bool is_damaged;
};

/**
 * page_load - put the cursor before the first record of a sub-buffer
 * @layout: of @bytes
 * @bytes: a whole sub-buffer as trace_pipe_raw gives it
 *
 * Sizes that the header claims beyond @size are cut; nothing outside @bytes is read, here or by
 * page_next().
 */
void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size);

/**
 * page_next - step to the next record
 * @record: time, data and size are set; data points into the sub-buffer
 *
 * Returns false at the end. A record whose time is not below SOURCE_TIME_LIMIT is damage.
 */
bool page_next(struct page *page, struct record *record);

#endif

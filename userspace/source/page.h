/* SPDX-License-Identifier: GPL-2.0-only */
/* One sub-buffer of the kernel's ring buffer, walked record by record. */
#ifndef SOURCE_PAGE_H
#define SOURCE_PAGE_H

#include <stdbool.h>

#include "source/source.h"

/**
 * struct page - a cursor in a sub-buffer
 * @data: first byte behind the header; borrowed
 * @size: how many bytes the writer committed
 * @offset: of the next entry
 * @time_ns: of the last entry
 * @has_gap: records were lost before this sub-buffer's first one
 * @gap_count: how many, or SOURCE_COUNT_UNKNOWN
 * @is_damaged: an entry did not fit; the walk has ended there
 */
struct page {
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
 * @bytes: a whole sub-buffer as trace_pipe_raw gives it, 8-byte longs, this machine's byte order
 *
 * Sizes that the header claims beyond @size are cut; nothing outside @bytes is read, here or by page_next().
 */
void page_load(struct page *page, const void *bytes, size_t size);

/**
 * page_next - step to the next record
 * @record: time, data and size are set; data points into the sub-buffer
 *
 * Returns false at the end.
 */
bool page_next(struct page *page, struct record *record);

#endif

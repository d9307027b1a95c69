/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sub-buffers walked by libtraceevent's kbuffer: stands in for the source room's own walker in a
 * second build of ktrack, whose output is to be the same byte for byte.
 */
#ifndef SOURCE_PAGE_H
#define SOURCE_PAGE_H

#include <stdbool.h>

#include "source/source.h"

/** struct page_layout - as the source room's */
struct page_layout {
	bool is_swapped;
	bool has_short_longs;
};

/**
 * struct page - a cursor in a sub-buffer
 * @walker: kbuffer's, made with the first sub-buffer; lives as long as the program
 * @is_new: nothing of this sub-buffer was read yet
 * @has_gap, @gap_count, @is_damaged: as the source room's; kbuffer sees no damage
 */
struct page {
	struct kbuffer *walker;
	bool is_new;
	bool has_gap;
	int64_t gap_count;
	bool is_damaged;
};

/** page_load, page_next - as the source room's, of bytes that are what they seem */
void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size);
bool page_next(struct page *page, struct record *record);

/** PAGE_COUNT_SIZE, page_store_count - as the source room's, for live sources, which are not read */
#define PAGE_COUNT_SIZE 8
size_t page_store_count(const struct page *page, void *bytes, uint64_t count);

#endif

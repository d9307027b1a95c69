/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sub-buffers walked by libtraceevent's kbuffer: replaces page.h in a second build of ktrack, whose
 * output must be equal.
 */
#ifndef TRACEFS_PAGE_H
#define TRACEFS_PAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "event/event.h"

/** struct page_layout - as in page.h */
struct page_layout {
	bool is_swapped;
	bool has_short_longs;
};

/**
 * struct page - a cursor in a sub-buffer
 * @walker: kbuffer's, made with the first sub-buffer; lives as long as the program
 * @is_new: nothing of this sub-buffer was read yet
 * @has_gap, @gap_count, @is_damaged: as in page.h; kbuffer sees no damage
 */
struct page {
	struct kbuffer *walker;
	bool is_new;
	bool has_gap;
	int64_t gap_count;
	bool is_damaged;
};

/** page_load, page_next - as in page.h, for trusted bytes */
void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size);
bool page_next(struct page *page, struct record *record);

/** PAGE_COUNT_SIZE, page_store_count - as in page.h, for live sources, which are not read */
#define PAGE_COUNT_SIZE 8
size_t page_store_count(const struct page *page, void *bytes, uint64_t count);

#include "tracefs/stream.h"

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks sub-buffers by libtraceevent's kbuffer: replaces tracefs/page.c in a second build of
 * ktrack, whose output must be equal. Of struct page, @data is the whole sub-buffer, and @offset
 * the number of records that were read; nothing else in ktrack uses them.
 */
#include "tracefs/page.h"

#include <kbuffer.h>
#include <stdlib.h>

static struct kbuffer *walker_new(const struct page *page)
{
	bool is_big = page->layout.is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	struct kbuffer *walker = kbuffer_alloc(
		page->layout.has_short_longs ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8,
		is_big ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);

	if (!walker)
		abort();
	kbuffer_load_subbuffer(walker, (void *)page->data);
	return walker;
}

void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size)
{
	struct kbuffer *walker;
	int missed;

	*page = (struct page){ .layout = layout, .data = bytes, .size = size };
	walker = walker_new(page);
	missed = kbuffer_missed_events(walker);
	page->has_gap = missed != 0;
	page->gap_count = missed > 0 ? missed : LOSS_COUNT_UNKNOWN;
	kbuffer_free(walker);
}

/* Begins at the first record each time: a cursor of kbuffer's would have to be freed. */
bool page_search(struct page *page, struct record *record)
{
	struct kbuffer *walker = page->data ? walker_new(page) : NULL;
	unsigned long long time_ns;
	void *data = walker ? kbuffer_read_event(walker, &time_ns) : NULL;

	for (size_t i = 0; data && i < page->offset; i++)
		data = kbuffer_next_event(walker, &time_ns);
	if (data) {
		page->offset++;
		record->time_ns = time_ns;
		record->data = data;
		record->size = kbuffer_event_size(walker);
	}
	kbuffer_free(walker);
	return data;
}

/* Only live sources need it, which are not read. */
size_t page_store_count(const struct page *page, void *bytes, uint64_t count)
{
	(void)page;
	(void)bytes;
	(void)count;
	abort();
}

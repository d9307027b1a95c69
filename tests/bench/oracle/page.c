// SPDX-License-Identifier: GPL-2.0-only
/* Walks sub-buffers by libtraceevent's kbuffer. */
#include "tracefs/page.h"

#include <kbuffer.h>
#include <stdlib.h>

static struct kbuffer *walker_new(struct page_layout layout)
{
	bool is_big = layout.is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	return kbuffer_alloc(layout.has_short_longs ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8,
			     is_big ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
}

void page_load(struct page *page, struct page_layout layout, const void *bytes, size_t size)
{
	int missed;

	(void)size;
	if (!page->walker)
		page->walker = walker_new(layout);
	kbuffer_load_subbuffer(page->walker, (void *)bytes);
	missed = kbuffer_missed_events(page->walker);
	page->is_new = true;
	page->has_gap = missed != 0;
	page->gap_count = missed > 0 ? missed : LOSS_COUNT_UNKNOWN;
}

bool page_next(struct page *page, struct record *record)
{
	unsigned long long time_ns;
	void *data;

	if (!page->walker)
		return false;
	data = page->is_new ? kbuffer_read_event(page->walker, &time_ns)
			    : kbuffer_next_event(page->walker, &time_ns);
	page->is_new = false;
	if (!data)
		return false;
	record->time_ns = time_ns;
	record->data = data;
	record->size = kbuffer_event_size(page->walker);
	return true;
}

size_t page_store_count(const struct page *page, void *bytes, uint64_t count)
{
	(void)page;
	(void)bytes;
	(void)count;
	abort();
}

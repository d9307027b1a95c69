// SPDX-License-Identifier: GPL-2.0-only
/* Looks at a sub-buffer by itself: how much is in it, and of when. */
#include "source/page.h"

size_t source_page_look(const void *bytes, size_t size, int64_t *first_ns, int64_t *last_ns)
{
	struct record record;
	struct page page = { 0 };
	size_t nr_records = 0;

	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	while (page_next(&page, &record)) {
		if (nr_records++ == 0)
			*first_ns = record.time_ns;
		*last_ns = record.time_ns;
	}
	return nr_records;
}

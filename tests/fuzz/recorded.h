/* SPDX-License-Identifier: GPL-2.0-only */
/* What has to hold of whatever was recorded of programs. */
#ifndef FUZZ_RECORDED_H
#define FUZZ_RECORDED_H

#include <stdlib.h>

#include "tracefs/page.h"
#include "userring/recorded.h"

/* Sub-buffers of any records are right, and so are formats of any descriptions. */
static inline void recorded_check(struct recorded *recorded)
{
	unsigned char bytes[PROGRAM_PAGE_SIZE];
	struct record record;
	struct format format;
	struct page page;
	size_t size;

	while ((size = queue_fill(&recorded->queue, INT64_MAX, bytes)) > 0) {
		page_load(&page, (struct page_layout){ 0 }, bytes, size);
		while (page_next(&page, &record))
			;
		if (page.is_damaged)
			abort();
	}
	for (size_t i = 0; i < recorded->events.size; i++) {
		const struct program_event *event = recorded->events.list[i];

		if (format_parse(&format, event->text) != 0 || format.id != event->id)
			abort();
		format_release(&format);
	}
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What a walk through a sub-buffer finds, as text. */
#ifndef UNIT_WALK_H
#define UNIT_WALK_H

#include <stdlib.h>
#include <string.h>

#include "source/page.h"

/**
 * block_of - a copy in a block of just this size, so that the sanitizer sees a read behind it; for
 * free()
 */
static inline unsigned char *block_of(const void *bytes, size_t size)
{
	unsigned char *block = malloc(size);

	if (size > 0)
		memcpy(block, bytes, size);
	return block;
}

/** walk_as - a line "TIME OFFSET+SIZE" for each record, and "damaged" where the walk met damage */
static inline struct buffer walk_as(struct page_layout layout, const void *bytes, size_t size)
{
	unsigned char *block = block_of(bytes, size);
	struct record record = { 0 };
	struct buffer out = { 0 };
	struct page page;

	page_load(&page, layout, block, size);
	while (page_next(&page, &record))
		buffer_printf(&out, "%llu %zu+%zu\n", (unsigned long long)record.time_ns,
			      (size_t)(record.data - block), record.size);
	if (page.is_damaged)
		buffer_append_string(&out, "damaged\n");
	free(block);
	return out;
}

/** walk - the same where the sub-buffer is this machine's */
static inline struct buffer walk(const void *bytes, size_t size)
{
	return walk_as((struct page_layout){ 0 }, bytes, size);
}

#endif

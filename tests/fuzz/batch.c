// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: messages of a reader that a hostile program controls. Each begins with its size, 16 bits. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tracefs/page.h"
#include "userring/recorded.h"

static void part_visit(void *context, const struct part *part)
{
	/* The sizes of these were checked. */
	*(uint64_t *)context += ((const unsigned char *)part)[part->size - 1];
}

/* Sub-buffers of any records are right. */
static void queue_check(struct record_queue *queue)
{
	unsigned char bytes[PROGRAM_PAGE_SIZE];
	struct record record;
	struct page page;
	size_t size;

	while ((size = queue_fill(queue, INT64_MAX, bytes)) > 0) {
		page_load(&page, (struct page_layout){ 0 }, bytes, size);
		while (page_next(&page, &record))
			;
		if (page.is_damaged)
			abort();
	}
}

/* And so are formats of any descriptions. */
static void events_check(const struct event_table *events)
{
	struct format format;

	for (size_t i = 0; i < events->size; i++) {
		if (format_parse(&format, events->list[i]->text) != 0 ||
		    format.id != events->list[i]->id)
			abort();
		format_release(&format);
	}
}

/* Each message has memory of its own, so that reading behind it is noticed. */
static enum recorded_status message_take(struct recorded *recorded, const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	const struct part_visitor others = { &sum, part_visit };
	unsigned char *copy = malloc(size ? size : 1);
	enum recorded_status status;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	status = recorded_take(recorded, copy, size, &others);
	free(copy);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recorded recorded = { .size_max = 1 << 20 };
	uint16_t part;

	while (size >= sizeof(part)) {
		memcpy(&part, data, sizeof(part));
		data += sizeof(part);
		size -= sizeof(part);
		if (part > size)
			part = size;
		/* Behind a damaged message, another reader begins. */
		if (message_take(&recorded, data, part) != RECORDED_WHOLE)
			recorded_begin_search(&recorded);
		data += part;
		size -= part;
	}
	queue_check(&recorded.queue);
	events_check(&recorded.events);
	recorded_end_search(&recorded);
	recorded_release(&recorded);
	return 0;
}

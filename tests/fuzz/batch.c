// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: messages of a reader that a hostile program controls. Each begins with its size, 16 bits. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "recorded.h"

static void part_visit(void *context, const struct part *part)
{
	/* The sizes of these were checked. */
	*(uint64_t *)context += ((const unsigned char *)part)[part->size - 1];
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
	recorded_check(&recorded);
	recorded_end_search(&recorded);
	recorded_release(&recorded);
	return 0;
}

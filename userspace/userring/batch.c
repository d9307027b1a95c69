// SPDX-License-Identifier: GPL-2.0-only
/* Collects parts of messages to the recorder. */
#include "userring/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool batch_open(struct batch *batch)
{
	batch->bytes = malloc(BATCH_MAX);
	batch->words = malloc(PART_DATA_MAX);
	batch->descriptions = malloc(PART_DATA_MAX);
	batch->segments = calloc(SEGMENTS_MAX, sizeof(*batch->segments));
	if (batch->bytes && batch->words && batch->descriptions && batch->segments)
		return true;
	batch_close(batch);
	return false;
}

void batch_close(struct batch *batch)
{
	free(batch->bytes);
	free(batch->words);
	free(batch->descriptions);
	free(batch->segments);
	batch->bytes = NULL;
	batch->words = NULL;
	batch->descriptions = NULL;
	batch->segments = NULL;
}

/* A ring is freed only behind the message: a reader that is killed before has not taken it. */
bool batch_flush(struct batch *batch)
{
	if (batch->size == 0 || batch->has_failed)
		return !batch->has_failed;
	batch_step(batch);
	if (!batch->send(batch->context, batch->bytes, batch->size)) {
		batch->has_failed = true;
		return false;
	}
	batch_step(batch);
	for (size_t i = 0; i < batch->nr_segments; i++)
		segment_free(&batch->segments[i], batch);
	batch->nr_segments = 0;
	batch->size = 0;
	return true;
}

void *batch_reserve(struct batch *batch, size_t size)
{
	bool is_full = batch->size >= BATCH_FULL || batch->size + size + 8 > BATCH_MAX ||
		       batch->nr_segments == SEGMENTS_MAX;

	if (batch->has_failed || (is_full && !batch_flush(batch)))
		return NULL;
	return batch->bytes + batch->size;
}

void batch_add(struct batch *batch, struct part *part, enum part_kind kind, size_t size)
{
	size_t padded = (size + 7) & ~(size_t)7;

	memset((unsigned char *)part + size, 0, padded - size);
	*part = (struct part){ .size = padded, .kind = kind };
	batch->size += padded;
}

void batch_add_segment(struct batch *batch, const struct ring_segment *segment)
{
	batch->segments[batch->nr_segments++] = *segment;
}

void batch_note(struct batch *batch, enum note_kind kind, int pid, int number, const char *comm)
{
	struct part_note *part = batch_reserve(batch, sizeof(*part));

	if (!part)
		return;
	*part = (struct part_note){ .kind = kind, .pid = pid, .number = number };
	if (comm)
		snprintf(part->comm, sizeof(part->comm), "%s", comm);
	batch_add(batch, &part->head, PART_NOTE, sizeof(*part));
}

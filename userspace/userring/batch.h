/* SPDX-License-Identifier: GPL-2.0-only */
/* The reader's side of messages: collects parts, sends them, and frees then what rings had. */
#ifndef USERRING_BATCH_H
#define USERRING_BATCH_H

#include "userring/message.h"
#include "userring/program.h"

/** SEGMENTS_MAX - limit of pieces of rings in a batch */
#define SEGMENTS_MAX 1024

/** struct ring_segment - bytes of a ring that are free when the batch was sent
 * @copy: their bytes in the batch
 */
struct ring_segment {
	struct program *program;
	size_t ring;
	uint64_t begin;
	uint64_t end;
	const unsigned char *copy;
};

/**
 * struct batch - parts that are collected
 * @bytes: @size of BATCH_MAX bytes
 * @words, @descriptions: PART_DATA_MAX bytes each, for a first copy, and for one of descriptions
 * @send: send a message, waiting for the recorder; returns false if there is none
 * @step: for tests: called at each moment at which a kill makes a difference; NULL for nothing
 * @has_failed: the recorder has ended, or memory ran out
 * @is_hurried: the end is awaited: of programs with much, the rest stays in their rings
 */
struct batch {
	unsigned char *bytes;
	unsigned char *words;
	unsigned char *descriptions;
	size_t size;
	struct ring_segment *segments;
	size_t nr_segments;
	void *context;
	bool (*send)(void *context, const unsigned char *bytes, size_t size);
	void (*step)(void *context);
	bool has_failed;
	bool is_hurried;
};

/** batch_open - get the memory; returns false if it ran out */
bool batch_open(struct batch *batch);

void batch_close(struct batch *batch);

/** batch_reserve - make space for a part of @size bytes; returns NULL if the batch has failed */
void *batch_reserve(struct batch *batch, size_t size);

/** batch_add - add what batch_reserve() has made space for, and set the begin of the part */
void batch_add(struct batch *batch, struct part *part, enum part_kind kind, size_t size);

/** batch_add_segment - free these bytes of a ring when they were sent; they are in the last part */
void batch_add_segment(struct batch *batch, const struct ring_segment *segment);

/** batch_flush - send what there is; returns false if the batch has failed */
bool batch_flush(struct batch *batch);

/** batch_note - add a note; @comm may be NULL */
void batch_note(struct batch *batch, enum note_kind kind, int pid, int number, const char *comm);

static inline void batch_step(const struct batch *batch)
{
	if (unlikely(batch->step))
		batch->step(batch->context);
}

#endif

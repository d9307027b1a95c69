// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sub-buffers of one CPU in compressed chunks. Each stream keeps its decompressed chunk if that
 * is small. Larger ones share one slot, and are decompressed again when another stream took it.
 */
#include <stdlib.h>
#include <string.h>

#include "source/file_stream.h"

/* trace-cmd writes chunks of ten sub-buffers. */
#define CHUNK_SIZE_MAX (16 << 20)

/* A chunk has two sizes before its bytes. */
#define CHUNK_HEAD_SIZE 8

/* Every stream may keep this much; what is beyond is bounded for all together. */
#define CHUNK_OWN_SIZE 65536
#define CHUNKS_KEPT_MAX (4 << 20)
#define SUB_BUFFERS_KEPT_MAX (8 << 20)

/* How often one chunk may be decompressed: once for each of its sub-buffers, and some more. */
#define CHUNK_RUNS_MAX 16

/*
 * How much the chunks of a file may be in all when they are decompressed: so many times its size,
 * which is more than sub-buffers of next to nothing come to, or what takes no time anyway.
 */
#define INFLATED_FACTOR 4096
#define INFLATED_FREE (256u << 20)

/* What may follow the last chunk: sizes of areas include the number of chunks, or they do not. */
#define CHUNK_REST_MAX 4

/**
 * struct trace_chunk - the chunk that is being read, and what follows
 * @has_begun: @nr_left is known: how many chunks follow
 * @is_missing: nothing says how many
 * @size: of the decompressed chunk, of which @taken bytes were given
 * @at, @packed_size: the compressed one in the file
 * @nr_runs: how often it was decompressed
 * @is_own: @bytes hold all of it, otherwise just the sub-buffer given last
 */
struct trace_chunk {
	bool has_begun;
	bool is_missing;
	uint32_t nr_left;
	size_t size;
	size_t taken;
	uint64_t at;
	size_t packed_size;
	unsigned int nr_runs;
	bool is_own;
	unsigned char *bytes;
	size_t capacity;
};

struct trace_chunk *trace_chunk_new(void)
{
	return calloc(1, sizeof(struct trace_chunk));
}

static size_t size_beyond(size_t size)
{
	return size > CHUNK_OWN_SIZE ? size - CHUNK_OWN_SIZE : 0;
}

void trace_chunk_free(struct trace_stream *own)
{
	struct trace_chunk *chunk = own->chunk;

	if (!chunk)
		return;
	own->file->kept_size -= size_beyond(chunk->capacity);
	free(chunk->bytes);
	free(chunk);
	own->chunk = NULL;
}

/* Makes room for @size bytes, unless all streams would keep more than @limit. */
static bool chunk_reserve(struct trace_stream *own, size_t size, size_t limit)
{
	struct trace_chunk *chunk = own->chunk;
	size_t beyond = size_beyond(size) - size_beyond(chunk->capacity);
	unsigned char *bytes;

	if (size <= chunk->capacity)
		return true;
	if (beyond > 0 && own->file->kept_size + beyond > limit)
		return false;
	bytes = realloc(chunk->bytes, size);
	if (!bytes)
		return false;
	own->file->kept_size += beyond;
	chunk->bytes = bytes;
	chunk->capacity = size;
	return true;
}

/* The number of chunks, or the sizes of one. */
static struct cursor head_read(struct trace_stream *own, unsigned char *head, size_t size)
{
	struct cursor cursor = { .data = head, .size = size, .is_swapped = own->file->is_swapped };
	size_t there;

	if (size > trace_stream_left(own)) {
		cursor.is_over = true;
		return cursor;
	}
	there = input_read(&own->file->input, head, size, own->offset);
	if (there < size) {
		trace_stream_shorten(own, own->offset + there);
		cursor.is_over = true;
	}
	own->offset += there;
	return cursor;
}

/* Reads what a stream begins with. */
static void chunk_begin(struct trace_stream *own)
{
	unsigned char head[CHUNK_HEAD_SIZE];
	struct cursor cursor = head_read(own, head, sizeof(uint32_t));

	own->chunk->has_begun = true;
	own->chunk->nr_left = cursor_u32(&cursor);
	own->chunk->is_missing = cursor.is_over;
	if (cursor.is_over && !own->cut)
		own->cut = "the compressed chunks are missing";
}

/* Whether the chunk lies in the area and has a size that can be. */
static bool chunk_is_sane(const struct trace_stream *own)
{
	const struct trace_chunk *chunk = own->chunk;

	return chunk->packed_size <= trace_stream_left(own) && chunk->size <= CHUNK_SIZE_MAX &&
	       chunk->packed_size <= CHUNK_SIZE_MAX / 2;
}

/* Ends a stream within a chunk that is not there, or cannot be. */
static ssize_t chunk_break(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	if (own->cut) {
		own->offset = own->end;
		return trace_stream_end(stream);
	}
	return trace_stream_break(stream, own->last_offset,
				  "a compressed chunk claims a size that cannot be");
}

/* Behind the last chunk. */
static ssize_t chunks_end(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	if (trace_stream_left(own) > CHUNK_REST_MAX)
		trace_file_damage(own->file, own->offset,
				  "the records of a cpu are more than its chunks");
	/* No record is missing, whatever the area claims. */
	if (own->cut && !own->chunk->is_missing) {
		trace_file_damage(own->file, own->end, own->cut);
		own->cut = NULL;
	}
	return trace_stream_end(stream);
}

/* Finds the next chunk that holds something; returns 1, or 0 if the stream ends. */
static ssize_t chunk_next(struct stream *stream)
{
	struct trace_stream *own = stream->own;
	struct trace_chunk *chunk = own->chunk;

	if (!chunk->has_begun)
		chunk_begin(own);
	while (chunk->nr_left > 0) {
		unsigned char head[CHUNK_HEAD_SIZE];
		struct cursor cursor;

		own->last_offset = own->offset;
		cursor = head_read(own, head, sizeof(head));
		chunk->packed_size = cursor_u32(&cursor);
		chunk->size = cursor_u32(&cursor);
		if (cursor.is_over || !chunk_is_sane(own))
			return chunk_break(stream);
		chunk->at = own->offset;
		chunk->taken = 0;
		chunk->nr_runs = 0;
		chunk->is_own = chunk_reserve(own, chunk->size, CHUNKS_KEPT_MAX);
		own->offset += chunk->packed_size;
		chunk->nr_left--;
		if (chunk->size > 0)
			return 1;
	}
	return chunks_end(stream);
}

/* Decompresses the chunk; returns what is wrong with it, NULL if nothing is. */
static const char *chunk_run(struct trace_stream *own, unsigned char *out)
{
	struct trace_file *file = own->file;
	struct trace_chunk *chunk = own->chunk;
	size_t there = chunk->packed_size;
	const unsigned char *packed = window_read(&file->packed, chunk->at,
						  chunk->at + chunk->packed_size, &there);
	struct text block = { .data = (const char *)packed, .size = there };

	if (there < chunk->packed_size) {
		trace_stream_shorten(own, chunk->at + there);
		own->offset = own->end;
		return own->cut;
	}
	file->inflated_size += chunk->size;
	if (++chunk->nr_runs > CHUNK_RUNS_MAX)
		return "its compressed chunks have too many sub-buffers";
	if (file->inflated_size > INFLATED_FREE &&
	    file->inflated_size / INFLATED_FACTOR > file->input.size)
		return "its compressed chunks are too large for the size of the file";
	return inflater_run(&file->inflater, block, out, chunk->size)
		       ? NULL
		       : "a compressed chunk is damaged";
}

/* Sees to it that the slot holds the chunk. */
static const char *slot_fill(struct stream *stream)
{
	struct trace_stream *own = stream->own;
	struct trace_slot *slot = &own->file->slot;
	const char *problem;

	if (slot->owner == stream && slot->offset == own->chunk->at)
		return NULL;
	slot->owner = NULL;
	if (slot->capacity < own->chunk->size) {
		free(slot->bytes);
		slot->bytes = malloc(own->chunk->size);
		slot->capacity = slot->bytes ? own->chunk->size : 0;
	}
	if (!slot->bytes)
		return "there is no memory for a compressed chunk";
	problem = chunk_run(own, slot->bytes);
	if (problem)
		return problem;
	slot->owner = stream;
	slot->offset = own->chunk->at;
	return NULL;
}

/* Lets the stream's bytes be the next @size ones of its chunk. */
static const char *chunk_give(struct stream *stream, size_t size)
{
	struct trace_stream *own = stream->own;
	struct trace_chunk *chunk = own->chunk;
	const char *problem;

	if (chunk->is_own) {
		problem = chunk->taken == 0 ? chunk_run(own, chunk->bytes) : NULL;
		stream->bytes = chunk->bytes + chunk->taken;
		return problem;
	}
	problem = slot_fill(stream);
	if (problem)
		return problem;
	if (!chunk_reserve(own, size, SUB_BUFFERS_KEPT_MAX))
		return "its sub-buffers take too much memory";
	memcpy(chunk->bytes, own->file->slot.bytes + chunk->taken, size);
	stream->bytes = chunk->bytes;
	return NULL;
}

static ssize_t chunk_refill(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;
	struct trace_chunk *chunk = own->chunk;
	const char *problem;
	size_t size;

	(void)error;
	if (own->is_over)
		return 0;
	if (stream->page.is_damaged)
		return trace_stream_break(stream, own->last_offset,
					  "a sub-buffer in a compressed chunk is damaged");
	if (chunk->taken == chunk->size && chunk_next(stream) == 0)
		return 0;
	size = chunk->size - chunk->taken;
	if (size > own->sub_buffer_size)
		size = own->sub_buffer_size;
	problem = chunk_give(stream, size);
	if (problem)
		return trace_stream_break(stream, own->last_offset, problem);
	chunk->taken += size;
	return size;
}

const struct stream_ops trace_chunk_ops = {
	.refill = chunk_refill,
	.close = trace_stream_close,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads sub-buffers from compressed chunks. A stream keeps its decompressed chunk if that is small.
 * Streams with large chunks share one decompressed chunk, and decompress theirs again if needed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracedat/file.h"

/* trace-cmd writes chunks of ten sub-buffers. */
#define CHUNK_SIZE_MAX (16 << 20)
/* Two sizes precede the bytes of a chunk. */
#define CHUNK_HEAD_SIZE 8
/* Memory that every stream may keep, and limits for the additional memory of all streams. */
#define CHUNK_OWN_SIZE 65536
#define CHUNKS_KEPT_MAX (4 << 20)
#define SUB_BUFFERS_KEPT_MAX (8 << 20)
/* How often one chunk may be decompressed; trace-cmd's chunks have ten sub-buffers. */
#define CHUNK_RUNS_MAX 16

/*
 * Limit of the decompressed size of all chunks, in sizes of the file: more than nearly empty
 * sub-buffers reach. Below INFLATED_FREE there is no limit.
 */
#define INFLATED_FACTOR 4096
#define INFLATED_FREE (256u << 20)
/* Bytes behind the last chunk: some writers include the number of chunks in the area's size. */
#define CHUNK_REST_MAX 4

/** struct trace_chunk - the current chunk of a stream */
struct trace_chunk {
	bool has_begun;	  /* @nr_left was read */
	bool is_missing;  /* @nr_left is missing in the file */
	uint32_t nr_left; /* number of chunks that follow */
	size_t size;	  /* of the decompressed chunk, of which @taken bytes were read */
	size_t taken;
	/* @at, @packed_size: place of the compressed chunk in the file */
	uint64_t at;
	size_t packed_size;
	unsigned int nr_runs; /* how often it was decompressed */
	bool is_own;	      /* @bytes are all of it, otherwise the current sub-buffer only */
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

/* Reserves @size bytes, unless all streams would keep more than @limit. */
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

/* Reading failed at @offset with errno: the area ends there. */
static void trace_stream_shorten(struct trace_stream *own, uint64_t offset)
{
	own->cut = errno ? "it cannot be read any more" : "it became shorter while it was read";
	own->end = offset;
}

/* Reads the number of chunks, or the sizes of one. */
static struct cursor chunk_read_head(struct trace_stream *own, unsigned char *head, size_t size)
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

/* Ends a damaged stream with a gap of unknown size; returns 0. */
static ssize_t trace_stream_break(struct stream *stream, uint64_t offset, const char *problem)
{
	struct trace_stream *own = stream->own;

	own->is_over = true;
	stream->is_behind_gap = true;
	stream->gap_count = LOSS_COUNT_UNKNOWN;
	stream->has_uncounted = true;
	trace_file_report(own->file, offset, problem);
	return 0;
}

/* Ends a stream at the end of its area; returns 0. */
static ssize_t trace_stream_end(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	own->is_over = true;
	window_release(&own->window);
	window_release(&own->table);
	trace_chunk_free(own);
	if (!own->cut)
		return 0;
	return trace_stream_break(stream, own->end, own->cut);
}

/* Ends a stream behind its last chunk. */
static ssize_t chunks_end(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	if (trace_stream_left(own) > CHUNK_REST_MAX)
		trace_file_report(own->file, own->offset,
				  "the records of a cpu are more than its chunks");
	/* All chunks were read: no record is missing. */
	if (own->cut && !own->chunk->is_missing) {
		trace_file_report(own->file, own->end, own->cut);
		own->cut = NULL;
	}
	return trace_stream_end(stream);
}

/* Finds the next chunk that is not empty; returns 1, or 0 if the stream ends. */
static ssize_t chunk_next(struct stream *stream)
{
	struct trace_stream *own = stream->own;
	struct trace_chunk *chunk = own->chunk;
	unsigned char head[CHUNK_HEAD_SIZE];
	struct cursor cursor;

	if (!chunk->has_begun) {
		cursor = chunk_read_head(own, head, sizeof(uint32_t));
		chunk->has_begun = true;
		chunk->nr_left = cursor_u32(&cursor);
		chunk->is_missing = cursor.is_over;
		if (cursor.is_over && !own->cut)
			own->cut = "the compressed chunks are missing";
	}
	while (chunk->nr_left > 0) {
		own->last_offset = own->offset;
		cursor = chunk_read_head(own, head, sizeof(head));
		chunk->packed_size = cursor_u32(&cursor);
		chunk->size = cursor_u32(&cursor);
		if (cursor.is_over || chunk->packed_size > trace_stream_left(own) ||
		    chunk->size > CHUNK_SIZE_MAX || chunk->packed_size > CHUNK_SIZE_MAX / 2) {
			if (!own->cut)
				return trace_stream_break(
					stream, own->last_offset,
					"a compressed chunk claims a size that cannot be");
			own->offset = own->end;
			return trace_stream_end(stream);
		}
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

/* Decompresses the chunk; returns its problem, NULL if there is none. */
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

/* Makes the shared chunk this stream's. */
static const char *chunk_share(struct stream *stream)
{
	struct trace_stream *own = stream->own;
	struct trace_shared_chunk *shared = &own->file->shared_chunk;
	const char *problem;

	if (shared->owner == stream && shared->offset == own->chunk->at)
		return NULL;
	shared->owner = NULL;
	if (shared->capacity < own->chunk->size) {
		free(shared->bytes);
		shared->bytes = malloc(own->chunk->size);
		shared->capacity = shared->bytes ? own->chunk->size : 0;
	}
	if (!shared->bytes)
		return "there is no memory for a compressed chunk";
	problem = chunk_run(own, shared->bytes);
	if (problem)
		return problem;
	shared->owner = stream;
	shared->offset = own->chunk->at;
	return NULL;
}

/* Points the stream to the next @size bytes of its chunk. */
static const char *chunk_take(struct stream *stream, size_t size)
{
	struct trace_stream *own = stream->own;
	struct trace_chunk *chunk = own->chunk;
	const char *problem;

	if (chunk->is_own) {
		problem = chunk->taken == 0 ? chunk_run(own, chunk->bytes) : NULL;
		stream->bytes = chunk->bytes + chunk->taken;
		return problem;
	}
	problem = chunk_share(stream);
	if (problem)
		return problem;
	if (!chunk_reserve(own, size, SUB_BUFFERS_KEPT_MAX))
		return "its sub-buffers take too much memory";
	memcpy(chunk->bytes, own->file->shared_chunk.bytes + chunk->taken, size);
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
	problem = chunk_take(stream, size);
	if (problem)
		return trace_stream_break(stream, own->last_offset, problem);
	chunk->taken += size;
	return size;
}

/* For struct stream_ops. */
static void trace_stream_close(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	trace_chunk_free(own);
	window_release(&own->window);
	window_release(&own->table);
	free(own);
}

const struct stream_ops trace_chunk_ops = {
	.refill = chunk_refill,
	.close = trace_stream_close,
};

/* Reads uncompressed sub-buffers, and ends streams of both kinds. */

/* Memory of all windows, unless STREAM_WINDOW_MIN for each stream is more. */
#define WINDOWS_SIZE (4 << 20)
#define STREAM_WINDOW_MIN 32768
#define STREAM_WINDOW_MAX 262144

uint64_t trace_stream_left(const struct trace_stream *own)
{
	return own->end - own->offset;
}

/* Reads the next sub-buffer that is not damaged; returns its size, 0 if there is none. */
static ssize_t plain_read(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;
	bool is_sound = false;
	size_t size = 0;

	while (!is_sound && trace_stream_left(own) > 0) {
		uint64_t left = trace_stream_left(own);
		size_t want = left < own->sub_buffer_size ? left : own->sub_buffer_size;

		size = want;
		own->last_offset = own->offset;
		stream->bytes = window_read(&own->window, own->offset, own->end, &size);
		if (!stream->bytes)
			return error_set(error, "out of memory");
		if (size < want)
			trace_stream_shorten(own, own->offset + size);
		is_sound = size < want || trace_stream_verify(stream, size);
		own->offset += size;
	}
	return is_sound ? (ssize_t)size : 0;
}

static ssize_t plain_refill(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;
	ssize_t size;

	if (own->is_over)
		return 0;
	/* A sub-buffer that is only cut by the end of the area is not damaged itself. */
	if (stream->page.is_damaged && !(own->cut && trace_stream_left(own) == 0))
		return trace_stream_break(stream, own->last_offset, "a sub-buffer is damaged");
	size = plain_read(stream, error);
	return size == 0 ? trace_stream_end(stream) : size;
}

const struct stream_ops trace_plain_ops = {
	.refill = plain_refill,
	.close = trace_stream_close,
};

void trace_file_set_windows(struct trace_file *file)
{
	size_t size = WINDOWS_SIZE / (file->nr_streams + 1);

	if (size < STREAM_WINDOW_MIN)
		size = STREAM_WINDOW_MIN;
	if (size > STREAM_WINDOW_MAX)
		size = STREAM_WINDOW_MAX;
	for (size_t i = 0; i < file->nr_streams; i++) {
		struct trace_stream *own = file->streams[i].own;
		size_t whole = size - size % own->sub_buffer_size;

		own->window = (struct window){ .input = &file->input,
					       .ahead = whole > 0 ? whole : own->sub_buffer_size };
		own->table = (struct window){ .input = &file->input, .ahead = CHECKSUMS_AHEAD };
	}
}

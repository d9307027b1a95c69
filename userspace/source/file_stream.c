// SPDX-License-Identifier: GPL-2.0-only
/* The sub-buffers of one CPU in a trace.dat: where they are in the mapped file, or in chunks that are inflated one by one. */
#include <stdlib.h>

#include "source/file.h"

/* The least that holds a record, and more than any kernel has. */
#define SUB_BUFFER_SIZE_MIN 32
#define SUB_BUFFER_SIZE_MAX (64 << 20)

/* trace-cmd's sizes of compressed areas leave out the number of chunks at their beginning. */
#define CHUNK_COUNT_SIZE 4

/* trace-cmd writes chunks of ten pages. */
#define CHUNK_SIZE_MAX (16 << 20)

/* How much of the file stays in memory behind its readers, all together. */
#define KEPT_SIZE (4 << 20)

/**
 * struct trace_stream - what one CPU's stream keeps
 * @cursor: in the file's bytes, from its beginning to the end of this CPU's area
 * @is_cut: the area claims to go on behind the end of the file
 * @is_over: nothing more comes
 * @last_offset: where in the file the sub-buffer, or its chunk, begins that was given last
 * @forgotten: everything of the area up to here was given back
 * @nr_chunks_left: how many chunks follow
 * @chunk: the inflated one, of which @chunk_size bytes are filled and @chunk_offset were given
 */
struct trace_stream {
	struct trace_file *file;
	struct cursor cursor;
	bool is_cut;
	bool is_over;
	size_t sub_buffer_size;
	size_t last_offset;
	size_t forgotten;
	uint32_t nr_chunks_left;
	unsigned char *chunk;
	size_t chunk_capacity;
	size_t chunk_size;
	size_t chunk_offset;
};

/* Ends a stream: what it should have held besides is a gap of unknown size. */
static ssize_t stream_break(struct stream *stream, size_t offset, const char *what)
{
	struct trace_stream *own = stream->own;

	own->is_over = true;
	stream->is_behind_gap = true;
	stream->gap_count = SOURCE_COUNT_UNKNOWN;
	stream->has_uncounted = true;
	trace_file_damage(own->file, offset, what);
	return 0;
}

static void stream_forget(struct trace_stream *own)
{
	size_t kept = KEPT_SIZE / own->file->source.nr_streams;

	if (own->last_offset - own->forgotten <= kept)
		return;
	mapping_forget(&own->file->mapping, own->forgotten, own->last_offset);
	own->forgotten = own->last_offset;
}

/* Ends a stream whose area is used up. */
static ssize_t stream_end(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	own->is_over = true;
	if (!own->is_cut)
		return 0;
	return stream_break(stream, own->cursor.size, "it is cut short: records of a cpu are missing");
}

/* Whether the last sub-buffer was damaged in itself, not just by the end of the file in its middle. */
static bool stream_is_damaged(const struct stream *stream)
{
	const struct trace_stream *own = stream->own;

	return stream->page.is_damaged && !(own->is_cut && cursor_left(&own->cursor) == 0);
}

static ssize_t plain_refill(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;
	size_t left = cursor_left(&own->cursor);
	size_t size = left < own->sub_buffer_size ? left : own->sub_buffer_size;

	(void)error;
	if (own->is_over)
		return 0;
	if (stream_is_damaged(stream))
		return stream_break(stream, own->last_offset, "a sub-buffer is damaged");
	if (size == 0)
		return stream_end(stream);
	own->last_offset = own->cursor.offset;
	stream_forget(own);
	stream->bytes = cursor_take(&own->cursor, size);
	return size;
}

static int chunk_reserve(struct trace_stream *own, size_t size)
{
	unsigned char *chunk;

	if (size <= own->chunk_capacity)
		return 0;
	chunk = realloc(own->chunk, size);
	if (!chunk)
		return -1;
	own->chunk = chunk;
	own->chunk_capacity = size;
	return 0;
}

/* Inflates the next chunk that holds something; returns 1, 0 where the stream ends, -1 with @error. */
static int chunk_next(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;

	while (own->nr_chunks_left > 0) {
		uint32_t packed_size, size;
		struct text packed;

		own->last_offset = own->cursor.offset;
		stream_forget(own);
		packed_size = cursor_u32(&own->cursor);
		size = cursor_u32(&own->cursor);
		packed = cursor_text(&own->cursor, packed_size);
		if (own->cursor.is_over && own->is_cut)
			return stream_end(stream);
		if (own->cursor.is_over || size > CHUNK_SIZE_MAX)
			return stream_break(stream, own->last_offset, "a compressed chunk claims a size that cannot be");
		if (chunk_reserve(own, size) < 0)
			return error_set(error, "out of memory");
		if (!inflater_run(&own->file->inflater, packed, own->chunk, size))
			return stream_break(stream, own->last_offset, "a compressed chunk is damaged");
		own->nr_chunks_left--;
		own->chunk_size = size;
		own->chunk_offset = 0;
		if (size > 0)
			return 1;
	}
	if (own->cursor.is_over && !own->is_cut)
		return stream_break(stream, own->last_offset, "the compressed chunks are missing");
	own->is_cut = own->cursor.is_over;
	return stream_end(stream);
}

static ssize_t chunk_refill(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;
	size_t left = own->chunk_size - own->chunk_offset;
	int status;

	if (own->is_over)
		return 0;
	if (stream->page.is_damaged)
		return stream_break(stream, own->last_offset, "a sub-buffer in a compressed chunk is damaged");
	if (left == 0) {
		status = chunk_next(stream, error);
		if (status <= 0)
			return status;
		left = own->chunk_size;
	}
	if (left > own->sub_buffer_size)
		left = own->sub_buffer_size;
	stream->bytes = own->chunk + own->chunk_offset;
	own->chunk_offset += left;
	return left;
}

static void trace_stream_close(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	free(own->chunk);
	free(own);
}

static const struct stream_ops plain_ops = {
	.refill = plain_refill,
	.close = trace_stream_close,
};

static const struct stream_ops chunk_ops = {
	.refill = chunk_refill,
	.close = trace_stream_close,
};

/* What is wrong with what the file says of an area, NULL if nothing is. */
static const char *area_problem(const struct trace_area *area)
{
	if (area->cpu >= TRACE_CPUS_MAX)
		return "there is no cpu with this number";
	if (area->sub_buffer_size < SUB_BUFFER_SIZE_MIN || area->sub_buffer_size > SUB_BUFFER_SIZE_MAX)
		return "sub-buffers cannot have this size";
	return NULL;
}

/* How much of an area, which begins at @begin, is in the file, and no other stream: all of them together are no more than the file. */
static size_t area_size(struct trace_file *file, const struct trace_area *area, size_t begin)
{
	uint64_t claimed = area->size + (area->is_compressed ? CHUNK_COUNT_SIZE : 0);
	uint64_t size = file->mapping.size - begin;

	if (claimed >= area->size && claimed < size)
		size = claimed;
	if (size > file->mapping.size - file->claimed) {
		trace_file_damage(file, begin, "the records of several cpus overlap");
		size = file->mapping.size - file->claimed;
	}
	file->claimed += size;
	return size;
}

static struct trace_stream *trace_stream_new(struct trace_file *file, const struct trace_area *area)
{
	struct trace_stream *own = calloc(1, sizeof(*own));
	size_t begin = area->offset < file->mapping.size ? area->offset : file->mapping.size;

	if (!own)
		return NULL;
	own->file = file;
	own->sub_buffer_size = area->sub_buffer_size;
	own->is_cut = begin < area->offset || area->size > file->mapping.size - begin;
	own->last_offset = begin;
	own->forgotten = begin;
	own->cursor = (struct cursor){
		.data = file->mapping.bytes,
		.size = begin + area_size(file, area, begin),
		.offset = begin,
		.is_swapped = file->is_swapped,
	};
	if (area->is_compressed)
		own->nr_chunks_left = cursor_u32(&own->cursor);
	return own;
}

int trace_file_add_stream(struct trace_file *file, const struct trace_area *area, struct error *error)
{
	const char *problem = area_problem(area);
	struct stream *stream;
	struct trace_stream *own;

	if (area->size == 0)
		return 0;
	if (problem) {
		trace_file_damage(file, area->offset, problem);
		return 0;
	}
	stream = source_add_stream(&file->source, error);
	if (!stream)
		return -1;
	own = trace_stream_new(file, area);
	if (!own)
		return error_set(error, "out of memory");
	*stream = (struct stream){
		.ops = area->is_compressed ? &chunk_ops : &plain_ops,
		.cpu = area->cpu,
		.buffer = area->buffer,
		.own = own,
	};
	return 0;
}

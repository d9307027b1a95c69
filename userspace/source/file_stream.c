// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sub-buffers of one CPU in a trace.dat: where they are in the mapped file, or in chunks that
 * are inflated one by one.
 */
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
 * @cut: why less is there than the area should have, NULL where all is there
 * @is_over: nothing more comes
 * @last_offset: where in the file the sub-buffer, or its chunk, begins that was given last
 * @forgotten: everything of the area up to here was given back
 * @has_begun: @nr_chunks_left is known: how many chunks follow
 * @chunk: the inflated one, of which @chunk_size bytes are filled and @chunk_offset were given
 */
struct trace_stream {
	struct trace_file *file;
	struct cursor cursor;
	const char *cut;
	bool is_over;
	size_t sub_buffer_size;
	size_t last_offset;
	size_t forgotten;
	bool has_begun;
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
	if (!own->cut)
		return 0;
	return stream_break(stream, own->cursor.size, own->cut);
}

/*
 * Whether the last sub-buffer was damaged in itself, not just by the end of the area in its middle.
 */
static bool stream_is_damaged(const struct stream *stream)
{
	const struct trace_stream *own = stream->own;

	return stream->page.is_damaged && !(own->cut && cursor_left(&own->cursor) == 0);
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

/*
 * Inflates the next chunk that holds something; returns 1, 0 where the stream ends, -1 with @error.
 */
static int chunk_next(struct stream *stream, struct error *error)
{
	struct trace_stream *own = stream->own;

	if (!own->has_begun)
		own->nr_chunks_left = cursor_u32(&own->cursor);
	own->has_begun = true;
	while (own->nr_chunks_left > 0) {
		uint32_t packed_size, size;
		struct text packed;

		own->last_offset = own->cursor.offset;
		stream_forget(own);
		packed_size = cursor_u32(&own->cursor);
		size = cursor_u32(&own->cursor);
		packed = cursor_text(&own->cursor, packed_size);
		if (own->cursor.is_over && own->cut)
			return stream_end(stream);
		if (own->cursor.is_over || size > CHUNK_SIZE_MAX)
			return stream_break(stream, own->last_offset,
					    "a compressed chunk claims a size that cannot be");
		if (chunk_reserve(own, size) < 0)
			return error_set(error, "out of memory");
		if (!inflater_run(&own->file->inflater, packed, own->chunk, size))
			return stream_break(stream, own->last_offset,
					    "a compressed chunk is damaged");
		own->nr_chunks_left--;
		own->chunk_size = size;
		own->chunk_offset = 0;
		if (size > 0)
			return 1;
	}
	if (own->cursor.is_over && !own->cut)
		return stream_break(stream, own->last_offset, "the compressed chunks are missing");
	if (!own->cursor.is_over)
		own->cut = NULL;
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
		return stream_break(stream, own->last_offset,
				    "a sub-buffer in a compressed chunk is damaged");
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
	if (area->sub_buffer_size < SUB_BUFFER_SIZE_MIN ||
	    area->sub_buffer_size > SUB_BUFFER_SIZE_MAX)
		return "sub-buffers cannot have this size";
	return NULL;
}

/* Lets the stream's cursor walk what is in the file of an area. */
static void area_set(struct trace_stream *own, const struct trace_area *area)
{
	const struct mapping *mapping = &own->file->mapping;
	uint64_t claimed = area->size + (area->is_compressed ? CHUNK_COUNT_SIZE : 0);
	size_t begin = area->offset < mapping->size ? area->offset : mapping->size;
	size_t size = mapping->size - begin;

	if (claimed < area->size || claimed > size)
		own->cut = "it is cut short: records of a cpu are missing";
	else
		size = claimed;
	own->cursor = (struct cursor){
		.data = mapping->bytes,
		.size = begin + size,
		.offset = begin,
		.is_swapped = own->file->is_swapped,
	};
	own->last_offset = begin;
	own->forgotten = begin;
}

static struct trace_stream *trace_stream_new(struct trace_file *file, const struct trace_area *area)
{
	struct trace_stream *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->file = file;
	own->sub_buffer_size = area->sub_buffer_size;
	area_set(own, area);
	return own;
}

int trace_file_add_stream(struct trace_file *file, const struct trace_area *area,
			  struct error *error)
{
	const char *problem = area_problem(area);
	struct stream *stream;
	struct trace_stream *own;

	if (area->size == 0 && !trace_file_is_open(file, area->cpu, area->buffer))
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

static int area_compare(const void *a, const void *b)
{
	const struct stream *left = *(struct stream *const *)a, *right = *(struct stream *const *)b;
	size_t left_begin = ((struct trace_stream *)left->own)->cursor.offset;
	size_t right_begin = ((struct trace_stream *)right->own)->cursor.offset;

	if (left_begin != right_begin)
		return left_begin < right_begin ? -1 : 1;
	return left < right ? -1 : left > right;
}

/*
 * Where two areas overlap the first ends where the second begins; of two that begin at one place,
 * the second is empty.
 */
static void areas_part(struct trace_stream *first, struct trace_stream *second)
{
	struct trace_stream *shorter = first;
	size_t end = second->cursor.offset;

	if (first->cursor.size <= end)
		return;
	if (first->cursor.offset == end)
		shorter = second;
	shorter->cursor.size = end;
	shorter->cut = "the records of several cpus overlap";
}

int trace_file_part_streams(struct trace_file *file, struct error *error)
{
	size_t nr_streams = file->source.nr_streams;
	struct stream **streams = calloc(nr_streams + 1, sizeof(*streams));
	struct trace_stream *first = NULL;

	if (!streams)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < nr_streams; i++)
		streams[i] = &file->source.streams[i];
	qsort(streams, nr_streams, sizeof(*streams), area_compare);
	for (size_t i = 0; i < nr_streams; i++) {
		struct trace_stream *second = streams[i]->own;

		if (first)
			areas_part(first, second);
		if (!first || cursor_left(&second->cursor) > 0)
			first = second;
	}
	free(streams);
	return 0;
}

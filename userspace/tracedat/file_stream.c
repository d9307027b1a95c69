// SPDX-License-Identifier: GPL-2.0-only
/* Reads uncompressed sub-buffers, and ends streams of both kinds. */
#include "tracedat/file_stream.h"

#include <errno.h>
#include <stdlib.h>

/* Memory of all windows, unless STREAM_WINDOW_MIN for each stream is more. */
#define WINDOWS_SIZE (4 << 20)

#define STREAM_WINDOW_MIN 32768
#define STREAM_WINDOW_MAX 262144

uint64_t trace_stream_left(const struct trace_stream *own)
{
	return own->end - own->offset;
}

ssize_t trace_stream_break(struct stream *stream, uint64_t offset, const char *problem)
{
	struct trace_stream *own = stream->own;

	own->is_over = true;
	stream->is_behind_gap = true;
	stream->gap_count = LOSS_COUNT_UNKNOWN;
	stream->has_uncounted = true;
	trace_file_report(own->file, offset, problem);
	return 0;
}

ssize_t trace_stream_end(struct stream *stream)
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

void trace_stream_shorten(struct trace_stream *own, uint64_t offset)
{
	own->cut = errno ? "it cannot be read any more" : "it became shorter while it was read";
	own->end = offset;
}

/* A sub-buffer that is only cut by the end of the area is not damaged itself. */
static bool plain_is_damaged(const struct stream *stream)
{
	const struct trace_stream *own = stream->own;

	return stream->page.is_damaged && !(own->cut && trace_stream_left(own) == 0);
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
	if (plain_is_damaged(stream))
		return trace_stream_break(stream, own->last_offset, "a sub-buffer is damaged");
	size = plain_read(stream, error);
	return size == 0 ? trace_stream_end(stream) : size;
}

void trace_stream_close(struct stream *stream)
{
	struct trace_stream *own = stream->own;

	trace_chunk_free(own);
	window_release(&own->window);
	window_release(&own->table);
	free(own);
}

const struct stream_ops trace_plain_ops = {
	.refill = plain_refill,
	.close = trace_stream_close,
};

/* The size of all sub-buffers that fit into @size, at least of one. */
static size_t plain_window_size(const struct trace_stream *own, size_t size)
{
	size_t whole = size - size % own->sub_buffer_size;

	return whole > 0 ? whole : own->sub_buffer_size;
}

void trace_file_set_windows(struct trace_file *file)
{
	size_t size = WINDOWS_SIZE / (file->nr_streams + 1);

	if (size < STREAM_WINDOW_MIN)
		size = STREAM_WINDOW_MIN;
	if (size > STREAM_WINDOW_MAX)
		size = STREAM_WINDOW_MAX;
	for (size_t i = 0; i < file->nr_streams; i++) {
		struct trace_stream *own = file->streams[i].own;

		own->window = (struct window){ .input = &file->input,
					       .ahead = plain_window_size(own, size) };
		own->table = (struct window){ .input = &file->input, .ahead = CHECKSUMS_AHEAD };
	}
}

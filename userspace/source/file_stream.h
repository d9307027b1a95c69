/* SPDX-License-Identifier: GPL-2.0-only */
/* What the streams of a trace.dat keep, plain or compressed. */
#ifndef SOURCE_FILE_STREAM_H
#define SOURCE_FILE_STREAM_H

#include "source/file.h"

/**
 * struct trace_stream - what one CPU's stream keeps
 * @offset: of the next bytes in the file
 * @end: of the area
 * @cut: why less is there than the area should have, NULL if all is there
 * @is_over: nothing more comes
 * @last_offset: of the sub-buffer, or its chunk, that was given last
 * @window: for sub-buffers that are not compressed
 * @chunk: for those that are
 */
struct trace_stream {
	struct trace_file *file;
	uint64_t offset;
	uint64_t end;
	const char *cut;
	bool is_over;
	size_t sub_buffer_size;
	uint64_t last_offset;
	struct window window;
	struct trace_chunk *chunk;
};

/** trace_plain_ops, trace_chunk_ops - sub-buffers as they are, and in compressed chunks */
extern const struct stream_ops trace_plain_ops;
extern const struct stream_ops trace_chunk_ops;

/** trace_chunk_new, trace_chunk_free - what a stream of compressed chunks keeps; NULL is fine */
struct trace_chunk *trace_chunk_new(void);
void trace_chunk_free(struct trace_stream *own);

/** trace_stream_left - how many bytes of the area follow */
uint64_t trace_stream_left(const struct trace_stream *own);

/** trace_stream_break - end a stream: what is missing is a gap of unknown size; returns 0 */
ssize_t trace_stream_break(struct stream *stream, uint64_t offset, const char *what);

/** trace_stream_end - end a stream whose area is used up; returns 0 */
ssize_t trace_stream_end(struct stream *stream);

/** trace_stream_shorten - the file ends at @offset now, as errno says; the area with it */
void trace_stream_shorten(struct trace_stream *own, uint64_t offset);

void trace_stream_close(struct stream *stream);

#endif

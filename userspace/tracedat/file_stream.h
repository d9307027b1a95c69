/* SPDX-License-Identifier: GPL-2.0-only */
/* Areas of a trace.dat with the records of one CPU, and the streams that read them. */
#ifndef TRACEDAT_FILE_STREAM_H
#define TRACEDAT_FILE_STREAM_H

#include "tracedat/file.h"

/** TRACE_EMPTY_MAX - limit of streams without records in the file */
#define TRACE_EMPTY_MAX 16384

/**
 * struct trace_area - an area as the file describes it
 * @buffer: index of the buffer
 */
struct trace_area {
	unsigned int buffer;
	unsigned int cpu;
	uint64_t offset;
	uint64_t size;
	size_t sub_buffer_size;
	bool is_compressed;
};

/**
 * struct trace_stream - data of a stream, its struct stream.own
 * @offset: of the next bytes in the file
 * @end: of the area
 * @cut: why the area is shorter than the file states, NULL if it is not
 * @is_over: the stream has ended
 * @last_offset: of the last sub-buffer, or its chunk
 * @shift: from the guest's clock to the host's, NULL if there is none
 * @window: for sub-buffers that are not compressed
 * @table: for their checksums
 * @chunk: for those that are, NULL otherwise
 */
struct trace_stream {
	struct trace_file *file;
	uint64_t offset;
	uint64_t end;
	const char *cut;
	bool is_over;
	size_t sub_buffer_size;
	uint64_t last_offset;
	const struct shift *shift;
	struct window window;
	struct window table;
	struct trace_chunk *chunk;
};

/** trace_file_add_stream - add a CPU and report its problems; returns -1 with @error */
int trace_file_add_stream(struct trace_file *file, const struct trace_area *area,
			  struct error *error);

/** trace_file_add_empty - add a stream of a CPU without records; returns -1 with @error */
int trace_file_add_empty(struct trace_file *file, unsigned int buffer, unsigned int cpu,
			 struct error *error);

/** trace_file_check_areas - sort streams, end overlapping areas; returns -1 with @error */
int trace_file_check_areas(struct trace_file *file, struct error *error);

/** trace_file_find_stream - a stream among the first @nr_streams, NULL if there is none */
const struct stream *trace_file_find_stream(const struct trace_file *file, size_t nr_streams,
					    unsigned int buffer, unsigned int cpu);

/** trace_file_sort_streams - by buffer, then by CPU */
void trace_file_sort_streams(struct trace_file *file);

/** trace_file_set_windows - share memory among all streams */
void trace_file_set_windows(struct trace_file *file);

/** trace_plain_ops, trace_chunk_ops - sub-buffers as they are, and in compressed chunks */
extern const struct stream_ops trace_plain_ops;
extern const struct stream_ops trace_chunk_ops;

/** trace_chunk_new, trace_chunk_free - data of a stream of compressed chunks; NULL is fine */
struct trace_chunk *trace_chunk_new(void);
void trace_chunk_free(struct trace_stream *own);

/** trace_stream_left - remaining bytes of the area */
uint64_t trace_stream_left(const struct trace_stream *own);

/**
 * trace_stream_verify - compare the checksums of the next @size bytes
 *
 * Returns false if they differ: the damage is reported, and its records are a gap of unknown size.
 */
bool trace_stream_verify(struct stream *stream, size_t size);

/** trace_stream_break - end a damaged stream with a gap of unknown size; returns 0 */
ssize_t trace_stream_break(struct stream *stream, uint64_t offset, const char *problem);

/** trace_stream_end - end a stream at the end of its area; returns 0 */
ssize_t trace_stream_end(struct stream *stream);

/** trace_stream_shorten - reading failed at @offset with errno: the area ends there */
void trace_stream_shorten(struct trace_stream *own, uint64_t offset);

/** trace_stream_close - for struct stream_ops */
void trace_stream_close(struct stream *stream);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU's records in the order they were written, refilled a sub-buffer at a time, with the gaps between them. */
#ifndef SOURCE_STREAM_H
#define SOURCE_STREAM_H

#include <sys/types.h>

#include "source/page.h"

struct stream;

/**
 * struct stream_ops - where sub-buffers come from
 * @refill: make @stream->bytes hold the next sub-buffer; returns its size, 0 where there is none now, -1 with @error
 */
struct stream_ops {
	ssize_t (*refill)(struct stream *stream, struct error *error);
};

/**
 * struct stream - one CPU
 * @fd: what @ops read from, -1 for none
 * @bytes: the sub-buffer that @page walks
 * @next: the next record, where @has_next
 * @is_behind_gap: records were lost before the next one, and nobody was told yet
 * @gap_count: how many, or SOURCE_COUNT_UNKNOWN
 * @last_ns: time of the last record that was delivered
 * @settled_ns: everything up to here has been delivered
 * @counted: lost records of all gaps whose number is known
 * @has_uncounted: there was a gap whose number is not known
 */
struct stream {
	const struct stream_ops *ops;
	int cpu;
	int fd;
	unsigned char *bytes;
	size_t bytes_size;
	struct page page;
	struct record next;
	bool has_next;
	bool is_behind_gap;
	int64_t gap_count;
	int64_t last_ns;
	int64_t settled_ns;
	uint64_t counted;
	bool has_uncounted;
};

/**
 * stream_fill - make the next record known, where there is one, and tell of the gap before it
 *
 * What a damaged sub-buffer did not give is a gap of unknown size.
 *
 * Returns 0, whether or not there is a next record, or -1 with @error.
 */
int stream_fill(struct stream *stream, const struct source_handler *handler, struct error *error);

/**
 * stream_deliver - hand the next record on, and fill again
 *
 * To be called while @stream->has_next. Returns 0, or -1 with @error.
 */
int stream_deliver(struct stream *stream, const struct source_handler *handler, struct error *error);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's records in the order they were written, refilled a sub-buffer at a time, with the gaps
 * between them.
 */
#ifndef SOURCE_STREAM_H
#define SOURCE_STREAM_H

#include <sys/types.h>

#include "source/page.h"
#include "source/shift.h"

struct stream;

/**
 * struct stream_ops - where sub-buffers come from
 * @refill: let @stream->bytes point to the next sub-buffer, which stays until the next call;
 * returns its size, 0 where there is none now, -1 with @error
 * @close: give back @stream->own
 */
struct stream_ops {
	ssize_t (*refill)(struct stream *stream, struct error *error);
	void (*close)(struct stream *stream);
};

/**
 * struct stream_rate - how stamps become nanoseconds: times @multiplier, then shifted right
 * @multiplier: 0 where stamps are nanoseconds
 * @shift: below 64
 */
struct stream_rate {
	uint32_t multiplier;
	unsigned int shift;
};

/**
 * struct stream - one CPU of one buffer
 * @is_durable: its records are no track's, and what is lost of them is counted apart
 * @own: what @ops keep
 * @layout: of the sub-buffers
 * @shift: by how much time stamps are off, before they become nanoseconds; NULL where they are not
 * @rate: of the time stamps
 * @bytes: the sub-buffer that @page walks
 * @next: the next record, where @has_next
 * @is_behind_gap: records were lost before the next one, and nobody was told yet
 * @gap_count: how many, or SOURCE_COUNT_UNKNOWN
 * @first_ns: time of the first record, where that was asked for
 * @last_ns: time of the last record that was delivered
 * @nr_records: how many were delivered
 * @settled_ns: everything up to here has been delivered
 * @counted: lost records of all gaps whose number is known
 * @has_uncounted: there was a gap whose number is not known
 */
struct stream {
	const struct stream_ops *ops;
	int cpu;
	unsigned int buffer;
	bool is_durable;
	void *own;
	struct page_layout layout;
	const struct shift *shift;
	struct stream_rate rate;
	const unsigned char *bytes;
	struct page page;
	struct record next;
	bool has_next;
	bool is_behind_gap;
	int64_t gap_count;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t nr_records;
	int64_t settled_ns;
	uint64_t counted;
	bool has_uncounted;
};

/**
 * stream_fill - make the next record known, where there is one
 *
 * What a damaged sub-buffer did not give is a gap of unknown size.
 *
 * Returns 0, whether or not there is a next record, or -1 with @error.
 */
int stream_fill(struct stream *stream, struct error *error);

/**
 * stream_tell_gap - tell of the gap before the next record, where there are both; returns -1 with
 * @error
 */
int stream_tell_gap(struct stream *stream, const struct source_handler *handler,
		    struct error *error);

/** stream_convert - let the next record's stamp be the nanoseconds it stands for */
void stream_convert(struct stream *stream);

/** stream_take - take in what page_next() has found */
hot_inline void stream_take(struct stream *stream)
{
	if (stream->shift || stream->rate.multiplier)
		stream_convert(stream);
	stream->has_next = true;
}

/**
 * stream_deliver - hand the next record on, fill again, and tell of a gap
 *
 * To be called while @stream->has_next. Returns 0, or -1 with @error.
 */
hot_inline int stream_deliver(struct stream *stream, const struct source_handler *handler,
			      struct error *error)
{
	int status = handler->record(handler->context, &stream->next, error);

	stream->last_ns = stream->next.time_ns;
	stream->nr_records++;
	/* Within a sub-buffer there is no gap to tell of. */
	if (status == 0 && page_next(&stream->page, &stream->next)) {
		stream_take(stream);
		return 0;
	}
	stream->has_next = false;
	if (status < 0 || stream_fill(stream, error) < 0)
		return -1;
	return stream_tell_gap(stream, handler, error);
}

#endif

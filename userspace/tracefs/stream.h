/* SPDX-License-Identifier: GPL-2.0-only */
/* The sub-buffers of one CPU, read record by record; a part of page.h, which includes it last. */
#ifndef TRACEFS_STREAM_H
#define TRACEFS_STREAM_H

/** page_look - count the records of a sub-buffer of this machine; times of the first and last */
size_t page_look(const void *bytes, size_t size, int64_t *first_ns, int64_t *last_ns);

struct stream;

/**
 * struct stream_ops - where a stream's sub-buffers are read from
 * @refill: point @stream->bytes to the next sub-buffer, which is valid until the next call; returns
 * its size, 0 if there is none now, -1 with @error
 */
struct stream_ops {
	ssize_t (*refill)(struct stream *stream, struct error *error);
	void (*close)(struct stream *stream); /* free @stream->own */
};

/**
 * struct stream - the records of one CPU of one buffer, in the order of writing
 * @convert: from a timestamp to nanoseconds below RECORD_TIME_LIMIT; NULL if timestamps are
 * nanoseconds
 */
struct stream {
	const struct stream_ops *ops;
	int cpu;
	unsigned int buffer;
	/* its records are about threads and modules; its losses are counted separately */
	bool is_sideband;
	void *own;		   /* data of @ops */
	struct page_layout layout; /* of the sub-buffers */
	int64_t (*convert)(const struct stream *stream, int64_t timestamp);
	const unsigned char *bytes; /* the sub-buffer that @page walks */
	struct page page;
	struct record next; /* the next record, if @has_next */
	bool has_next;
	bool is_behind_gap;  /* records were lost before the next one, which is not reported yet */
	int64_t gap_count;   /* how many, or LOSS_COUNT_UNKNOWN */
	int64_t first_ns;    /* time of the first record, after source_first_time() */
	int64_t last_ns;     /* time of the last delivered record */
	uint64_t nr_records; /* number of delivered records */
	int64_t settled_ns;  /* all records up to this time are delivered */
	uint64_t counted;    /* lost records of all gaps of known size */
	bool has_uncounted;  /* there was a gap of unknown size */
};

/**
 * stream_fill - find the stream's next record, unless it has one
 *
 * What a damaged sub-buffer lacks is a gap of unknown size. Returns 0, with or without a next
 * record, or -1 with @error.
 */
int stream_fill(struct stream *stream, struct error *error);

/**
 * stream_take_gap - the unreported gap before the next record, which counts as reported then
 *
 * Returns false if there is no gap or no next record.
 */
bool stream_take_gap(struct stream *stream, struct loss *out);

/** stream_advance - step behind the next record; false if stream_fill() has to find another one */
hot_inline bool stream_advance(struct stream *stream)
{
	stream->last_ns = stream->next.time_ns;
	stream->nr_records++;
	stream->has_next = page_next(&stream->page, &stream->next);
	if (stream->has_next && stream->convert)
		stream->next.time_ns = stream->convert(stream, stream->next.time_ns);
	return stream->has_next;
}

/** streams_close - close all streams of an array, and free it */
void streams_close(struct stream *streams, size_t nr_streams);

#endif

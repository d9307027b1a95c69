// SPDX-License-Identifier: GPL-2.0-only
/* Reads the sub-buffers of one CPU, record by record. */
#include <stdlib.h>

#include "tracefs/page.h"

size_t page_look(const void *bytes, size_t size, int64_t *first_ns, int64_t *last_ns)
{
	struct record record;
	struct page page = { 0 };
	size_t nr_records = 0;

	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	while (page_next(&page, &record)) {
		if (nr_records++ == 0)
			*first_ns = record.time_ns;
		*last_ns = record.time_ns;
	}
	return nr_records;
}

/* The size of two gaps together; unknown if one of them is, or if the sum overflows. */
static int64_t gap_counts_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum))
		return LOSS_COUNT_UNKNOWN;
	return sum;
}

static void stream_add_gap(struct stream *stream, int64_t count)
{
	if (!stream->is_behind_gap)
		stream->gap_count = 0;
	stream->gap_count = gap_counts_add(stream->gap_count, count);
	stream->is_behind_gap = true;
}

int stream_fill(struct stream *stream, struct error *error)
{
	stream->next.cpu = stream->cpu;
	stream->next.buffer = stream->buffer;
	while (!stream->has_next) {
		ssize_t size;

		if (page_next(&stream->page, &stream->next)) {
			if (stream->convert)
				stream->next.time_ns = stream->convert(stream,
								       stream->next.time_ns);
			stream->has_next = true;
			break;
		}
		if (stream->page.is_damaged)
			stream_add_gap(stream, LOSS_COUNT_UNKNOWN);
		size = stream->ops->refill(stream, error);
		if (size <= 0)
			return size;
		page_load(&stream->page, stream->layout, stream->bytes, size);
		if (stream->page.has_gap)
			stream_add_gap(stream, stream->page.gap_count);
	}
	return 0;
}

bool stream_take_gap(struct stream *stream, struct loss *out)
{
	if (!stream->is_behind_gap || !stream->has_next)
		return false;
	*out = (struct loss){
		.cpu = stream->cpu,
		.buffer = stream->buffer,
		.from_ns = stream->last_ns > stream->settled_ns ? stream->last_ns
								: stream->settled_ns,
		.to_ns = stream->next.time_ns,
		.count = stream->gap_count,
	};
	stream->is_behind_gap = false;
	if (out->count < 0)
		stream->has_uncounted = true;
	else
		stream->counted = count_sum(stream->counted, out->count);
	return true;
}

void streams_close(struct stream *streams, size_t nr_streams)
{
	for (size_t i = 0; i < nr_streams; i++) {
		if (streams[i].ops)
			streams[i].ops->close(&streams[i]);
	}
	free(streams);
}

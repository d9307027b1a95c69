// SPDX-License-Identifier: GPL-2.0-only
/* Steps through one CPU's sub-buffers. */
#include "source/stream.h"

/* Both gaps in one: unknown where one of them is, or where no number holds the sum. */
static int64_t counts_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum))
		return SOURCE_COUNT_UNKNOWN;
	return sum;
}

static void gap_note(struct stream *stream, int64_t count)
{
	if (!stream->is_behind_gap)
		stream->gap_count = 0;
	stream->gap_count = counts_add(stream->gap_count, count);
	stream->is_behind_gap = true;
}

int stream_tell_gap(struct stream *stream, const struct source_handler *handler,
		    struct error *error)
{
	struct source_loss loss;

	if (!stream->is_behind_gap || !stream->has_next)
		return 0;
	loss = (struct source_loss){
		.cpu = stream->cpu,
		.buffer = stream->buffer,
		.from_ns = stream->last_ns > stream->settled_ns ? stream->last_ns
								: stream->settled_ns,
		.to_ns = stream->next.time_ns,
		.count = stream->gap_count,
	};
	stream->is_behind_gap = false;
	if (loss.count < 0)
		stream->has_uncounted = true;
	else
		stream->counted += loss.count;
	return stream->is_durable ? 0 : handler->loss(handler->context, &loss, error);
}

/* Where the product is no time, it is the last one there is. */
static int64_t rate_apply(struct stream_rate rate, int64_t stamp)
{
	unsigned __int128 time_ns = (unsigned __int128)stamp * rate.multiplier >> rate.shift;

	return time_ns < SOURCE_TIME_LIMIT ? (int64_t)time_ns : SOURCE_TIME_LIMIT - 1;
}

void stream_convert(struct stream *stream)
{
	if (stream->shift)
		stream->next.time_ns = shift_apply(stream->shift, stream->next.time_ns);
	if (stream->rate.multiplier)
		stream->next.time_ns = rate_apply(stream->rate, stream->next.time_ns);
}

int stream_fill(struct stream *stream, struct error *error)
{
	stream->next.cpu = stream->cpu;
	stream->next.buffer = stream->buffer;
	while (!stream->has_next) {
		ssize_t size;

		if (page_next(&stream->page, &stream->next)) {
			stream_take(stream);
			break;
		}
		if (stream->page.is_damaged)
			gap_note(stream, SOURCE_COUNT_UNKNOWN);
		size = stream->ops->refill(stream, error);
		if (size <= 0)
			return size;
		page_load(&stream->page, stream->layout, stream->bytes, size);
		if (stream->page.has_gap)
			gap_note(stream, stream->page.gap_count);
	}
	return 0;
}

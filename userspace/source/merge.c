// SPDX-License-Identifier: GPL-2.0-only
/* Merges CPUs by time; stays with one CPU until another's record is due. */
#include "source/merge.h"

/* Whether @a's next record comes before @b's; a stream without one comes last. */
static bool stream_is_before(const struct stream *a, const struct stream *b)
{
	if (!a || !a->has_next)
		return false;
	if (!b || !b->has_next)
		return true;
	if (a->next.time_ns != b->next.time_ns)
		return a->next.time_ns < b->next.time_ns;
	return a->cpu < b->cpu;
}

/* Finds the stream whose record is due, and the one that is due after it. */
static struct stream *streams_first(struct stream *streams, size_t nr_streams,
				    struct stream **second)
{
	struct stream *first = NULL;

	*second = NULL;
	for (size_t i = 0; i < nr_streams; i++) {
		struct stream *stream = &streams[i];

		if (stream_is_before(stream, first)) {
			*second = first;
			first = stream;
		} else if (stream_is_before(stream, *second)) {
			*second = stream;
		}
	}
	return first;
}

static bool stream_is_due(const struct stream *stream, int64_t until_ns)
{
	return stream && stream->has_next && stream->next.time_ns <= until_ns;
}

int merge_drain(struct stream *streams, size_t nr_streams, int64_t until_ns,
		const struct source_handler *handler, struct error *error)
{
	struct stream *first, *second;

	for (size_t i = 0; i < nr_streams; i++) {
		if (stream_fill(&streams[i], error) < 0 ||
		    stream_tell_gap(&streams[i], handler, error) < 0)
			return -1;
	}
	first = streams_first(streams, nr_streams, &second);
	while (stream_is_due(first, until_ns)) {
		do {
			if (stream_deliver(first, handler, error) < 0)
				return -1;
		} while (stream_is_due(first, until_ns) && stream_is_before(first, second));
		first = streams_first(streams, nr_streams, &second);
	}
	for (size_t i = 0; i < nr_streams; i++) {
		if (streams[i].settled_ns < until_ns)
			streams[i].settled_ns = until_ns;
	}
	return 0;
}

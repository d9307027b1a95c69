// SPDX-License-Identifier: GPL-2.0-only
/* Merges CPUs by time; stays with one CPU until another's record is due. */
#include "source/source_ops.h"

#include <stdlib.h>
#include <string.h>

/** struct line - the streams that have a next record, the earliest first */
struct line {
	struct stream **list;
	size_t size;
};

/* Whether @a's records come before those of @b that have the same time. */
static bool stream_comes_first(const struct stream *a, const struct stream *b)
{
	/* Two buffers have streams of one CPU. */
	return a->cpu != b->cpu ? a->cpu < b->cpu : a < b;
}

/* Whether @a's next record comes before @b's. */
static bool stream_is_before(const struct stream *a, const struct stream *b)
{
	if (a->next.time_ns != b->next.time_ns)
		return a->next.time_ns < b->next.time_ns;
	return stream_comes_first(a, b);
}

static int stream_compare(const void *a, const void *b)
{
	const struct stream *first = *(struct stream *const *)a;
	const struct stream *second = *(struct stream *const *)b;

	if (first == second)
		return 0;
	return stream_is_before(first, second) ? -1 : 1;
}

/* How many places are passed one by one before the right one is searched for. */
#define LINE_STEPS 4

/*
 * Lets those behind @place that come before @stream, of which there is one at least, move up by
 * one; returns the place that becomes free.
 */
static struct stream **line_pass(struct stream **place, struct stream **last,
				 const struct stream *stream)
{
	struct stream **passed = place + 1;

	while (passed < last) {
		struct stream **middle = passed + (last - passed + 1) / 2;

		if (stream_is_before(*middle, stream))
			passed = middle;
		else
			last = middle - 1;
	}
	memmove(place, place + 1, (passed - place) * sizeof(*place));
	return passed;
}

/* The first stream has a later record now, and goes back by a place or two, mostly. */
hot_inline void line_settle(struct line *line)
{
	struct stream **place = line->list, **last = place + line->size - 1, *stream = *place;

	for (int steps = 0; place < last && stream_is_before(place[1], stream); steps++) {
		if (steps == LINE_STEPS) {
			place = line_pass(place, last, stream);
			break;
		}
		place[0] = place[1];
		place++;
	}
	*place = stream;
}

/* The first stream has delivered: it has a later record, or none. */
hot_inline void line_update(struct line *line)
{
	if (line->list[0]->has_next)
		line_settle(line);
	else
		memmove(line->list, line->list + 1, --line->size * sizeof(*line->list));
}

/* Looks for changes after sub-buffers were read, and before their records are delivered. */
static int source_fill_stream(struct source *source, struct stream *stream,
			      const struct source_handler *handler, struct error *error)
{
	struct loss loss;

	if (stream_fill(stream, error) < 0)
		return -1;
	if (source->ops->look && source->ops->look(source, stream, handler, error) < 0)
		return -1;
	if (!stream_take_gap(stream, &loss) || stream->is_sideband)
		return 0;
	return handler->loss(handler->context, &loss, error);
}

static int line_fill(struct line *line, struct source *source, const struct source_handler *handler,
		     struct error *error)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct stream *stream = &source->streams[i];

		if (source_fill_stream(source, stream, handler, error) < 0)
			return -1;
		if (stream->has_next)
			line->list[line->size++] = stream;
	}
	qsort(line->list, line->size, sizeof(*line->list), stream_compare);
	return 0;
}

/* Delivers the next record of a stream that has one. */
hot_inline int stream_deliver(struct source *source, struct stream *stream,
			      const struct source_handler *handler, struct error *error)
{
	int status = handler->record(handler->context, &stream->next, error);

	if (stream_advance(stream) || status < 0)
		return status;
	return source_fill_stream(source, stream, handler, error);
}

static bool stream_is_due(const struct stream *stream, int64_t until_ns)
{
	return stream->has_next && stream->next.time_ns <= until_ns;
}

/* Up to when the first stream's records come before those of all others. */
hot_inline int64_t line_turn(const struct line *line, int64_t until_ns)
{
	const struct stream *first = line->list[0], *second = line->list[1];
	int64_t turn_ns;

	if (line->size == 1)
		return until_ns;
	turn_ns = second->next.time_ns - stream_comes_first(second, first);
	return turn_ns > until_ns ? until_ns : turn_ns;
}

static int line_drain(struct line *line, struct source *source, int64_t until_ns,
		      const struct source_handler *handler, struct error *error)
{
	while (line->size > 0 && stream_is_due(line->list[0], until_ns)) {
		struct stream *first = line->list[0];
		int64_t turn_ns = line_turn(line, until_ns);

		do {
			if (stream_deliver(source, first, handler, error) < 0)
				return -1;
		} while (stream_is_due(first, turn_ns));
		line_update(line);
	}
	return 0;
}

int merge_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		struct error *error)
{
	struct line line = { .list = calloc(source->nr_streams + 1, sizeof(*line.list)) };
	int status;

	if (!line.list)
		return error_set(error, "out of memory");
	status = line_fill(&line, source, handler, error);
	if (status == 0)
		status = line_drain(&line, source, until_ns, handler, error);
	free(line.list);
	for (size_t i = 0; i < source->nr_streams && status == 0; i++) {
		if (source->streams[i].settled_ns < until_ns)
			source->streams[i].settled_ns = until_ns;
	}
	return status;
}

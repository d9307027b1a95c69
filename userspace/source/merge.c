// SPDX-License-Identifier: GPL-2.0-only
/* Merges streams by time. One stream delivers until the next record of another is earlier. */
#include "source/source_ops.h"

#include <stdlib.h>
#include <string.h>

/** struct merge_queue - streams with a next record, sorted by its time */
struct merge_queue {
	struct stream **list;
	size_t size;
};

/* Whether records of @a precede records of @b with the same time. */
static bool stream_comes_first(const struct stream *a, const struct stream *b)
{
	/* Two buffers have streams of one CPU. */
	return a->cpu != b->cpu ? a->cpu < b->cpu : a < b;
}

/* Whether the next record of @a precedes that of @b. */
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

/* Steps of the linear search for the new place of a stream, before the binary search. */
#define MERGE_STEPS 4

/*
 * Moves the streams behind @place that precede @stream, at least one, forward by one place. Returns
 * the free place.
 */
static struct stream **merge_queue_pass(struct stream **place, struct stream **last,
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

/* Moves the first stream, whose next record is later now, back; mostly by one or two places. */
hot_inline void merge_queue_settle(struct merge_queue *queue)
{
	struct stream **place = queue->list, **last = place + queue->size - 1, *stream = *place;

	for (int steps = 0; place < last && stream_is_before(place[1], stream); steps++) {
		if (steps == MERGE_STEPS) {
			place = merge_queue_pass(place, last, stream);
			break;
		}
		place[0] = place[1];
		place++;
	}
	*place = stream;
}

/* Restores the order after the first stream delivered. */
hot_inline void merge_queue_update(struct merge_queue *queue)
{
	if (queue->list[0]->has_next)
		merge_queue_settle(queue);
	else
		memmove(queue->list, queue->list + 1, --queue->size * sizeof(*queue->list));
}

/* Checks for changes after sub-buffers were read and before their records are delivered. */
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

static int merge_queue_fill(struct merge_queue *queue, struct source *source,
			    const struct source_handler *handler, struct error *error)
{
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct stream *stream = &source->streams[i];

		if (source_fill_stream(source, stream, handler, error) < 0)
			return -1;
		if (stream->has_next)
			queue->list[queue->size++] = stream;
	}
	qsort(queue->list, queue->size, sizeof(*queue->list), stream_compare);
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

/* The time up to which records of the first stream precede those of all others. */
hot_inline int64_t merge_queue_turn(const struct merge_queue *queue, int64_t until_ns)
{
	const struct stream *first = queue->list[0], *second = queue->list[1];
	int64_t turn_ns;

	if (queue->size == 1)
		return until_ns;
	turn_ns = second->next.time_ns - stream_comes_first(second, first);
	return turn_ns > until_ns ? until_ns : turn_ns;
}

static int merge_queue_drain(struct merge_queue *queue, struct source *source, int64_t until_ns,
			     const struct source_handler *handler, struct error *error)
{
	while (queue->size > 0 && stream_is_due(queue->list[0], until_ns)) {
		struct stream *first = queue->list[0];
		int64_t turn_ns = merge_queue_turn(queue, until_ns);

		do {
			if (stream_deliver(source, first, handler, error) < 0)
				return -1;
		} while (stream_is_due(first, turn_ns));
		merge_queue_update(queue);
	}
	return 0;
}

int merge_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		struct error *error)
{
	struct merge_queue queue = { .list = calloc(source->nr_streams + 1, sizeof(*queue.list)) };
	int status;

	if (!queue.list)
		return error_set(error, "out of memory");
	status = merge_queue_fill(&queue, source, handler, error);
	if (status == 0)
		status = merge_queue_drain(&queue, source, until_ns, handler, error);
	free(queue.list);
	for (size_t i = 0; i < source->nr_streams && status == 0; i++) {
		if (source->streams[i].settled_ns < until_ns)
			source->streams[i].settled_ns = until_ns;
	}
	return status;
}

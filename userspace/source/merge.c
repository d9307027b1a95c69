// SPDX-License-Identifier: GPL-2.0-only
/* Merges CPUs by time; stays with one CPU until another's record is due. */
#include "source/merge.h"

#include <stdlib.h>

/**
 * struct heap - the streams that have a next record, the earliest first, each before its two
 * children at twice its place and one and two behind that
 */
struct heap {
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

/* The place of the earlier child, or of @parent where it has none. */
static size_t heap_child(const struct heap *heap, size_t parent)
{
	size_t child = 2 * parent + 1;

	if (child >= heap->size)
		return parent;
	if (child + 1 < heap->size && stream_is_before(heap->list[child + 1], heap->list[child]))
		child++;
	return child;
}

/* Lets the stream at @place sink to where it belongs, since its next record is a later one. */
static void heap_sink(struct heap *heap, size_t place)
{
	struct stream *stream = heap->list[place];

	for (size_t child; (child = heap_child(heap, place)) != place; place = child) {
		if (!stream_is_before(heap->list[child], stream))
			break;
		heap->list[place] = heap->list[child];
	}
	heap->list[place] = stream;
}

/* The first stream has delivered: it has a later record, or none. */
static void heap_update(struct heap *heap)
{
	if (!heap->list[0]->has_next)
		heap->list[0] = heap->list[--heap->size];
	if (heap->size > 0)
		heap_sink(heap, 0);
}

static int heap_fill(struct heap *heap, struct stream *streams, size_t nr_streams,
		     const struct source_handler *handler, struct error *error)
{
	for (size_t i = 0; i < nr_streams; i++) {
		if (stream_fill(&streams[i], error) < 0 ||
		    stream_tell_gap(&streams[i], handler, error) < 0)
			return -1;
		if (streams[i].has_next)
			heap->list[heap->size++] = &streams[i];
	}
	for (size_t place = heap->size / 2; place > 0; place--)
		heap_sink(heap, place - 1);
	return 0;
}

static bool stream_is_due(const struct stream *stream, int64_t until_ns)
{
	return stream->has_next && stream->next.time_ns <= until_ns;
}

/* Up to when the first stream's records come before those of all others. */
static int64_t heap_turn(const struct heap *heap, int64_t until_ns)
{
	const struct stream *first = heap->list[0], *second = heap->list[heap_child(heap, 0)];
	int64_t turn_ns = second->next.time_ns - stream_comes_first(second, first);

	return first == second || turn_ns > until_ns ? until_ns : turn_ns;
}

static int heap_drain(struct heap *heap, int64_t until_ns, const struct source_handler *handler,
		      struct error *error)
{
	while (heap->size > 0 && stream_is_due(heap->list[0], until_ns)) {
		struct stream *first = heap->list[0];
		int64_t turn_ns = heap_turn(heap, until_ns);

		do {
			if (stream_deliver(first, handler, error) < 0)
				return -1;
		} while (stream_is_due(first, turn_ns));
		heap_update(heap);
	}
	return 0;
}

int merge_drain(struct stream *streams, size_t nr_streams, int64_t until_ns,
		const struct source_handler *handler, struct error *error)
{
	struct heap heap = { .list = calloc(nr_streams + 1, sizeof(*heap.list)) };
	int status;

	if (!heap.list)
		return error_set(error, "out of memory");
	status = heap_fill(&heap, streams, nr_streams, handler, error);
	if (status == 0)
		status = heap_drain(&heap, until_ns, handler, error);
	free(heap.list);
	for (size_t i = 0; i < nr_streams && status == 0; i++) {
		if (streams[i].settled_ns < until_ns)
			streams[i].settled_ns = until_ns;
	}
	return status;
}

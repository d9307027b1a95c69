// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sub-buffers of one CPU, read ahead if delivery is slow: what was read cannot be overwritten.
 */
#include <stdlib.h>
#include <time.h>

#include "source/live_source.h"

/* While records are delivered, buffers are read this often. */
#define AHEAD_EVERY_NS (5 * NS_PER_MS)

static struct live_page *live_page_new(const struct live_stream *own)
{
	struct live_page *page =
		malloc(sizeof(*page) + own->buffer->sub_buffer_size + PAGE_COUNT_SIZE);

	if (page)
		page->next = NULL;
	return page;
}

/* Reads the next sub-buffer: returns 1, 0 if there is none now, or -1 with @error. */
static int live_page_read(struct live_stream *own, struct live_page *page, struct error *error)
{
	if (own->live->is_cut)
		return 0;
	page->size = cpu_buffer_read(own->buffer, page->bytes, error);
	own->live->is_unseen |= page->size > 0;
	return page->size < 0 ? -1 : page->size > 0;
}

/* Returns NULL if there is no sub-buffer now. Errors are met again when the queue is empty. */
static struct live_page *live_page_queue(struct live_stream *own)
{
	struct live_page *page = live_page_new(own);
	struct error ignored = { 0 };

	if (!page || live_page_read(own, page, &ignored) <= 0) {
		free(page);
		return NULL;
	}
	if (own->last)
		own->last->next = page;
	else
		own->first = page;
	own->last = page;
	own->live->ahead_size += own->buffer->sub_buffer_size;
	return page;
}

static bool live_page_has_gap(const struct live_page *page)
{
	struct page walk;

	page_load(&walk, (struct page_layout){ 0 }, page->bytes, page->size);
	return walk.has_gap;
}

/*
 * The kernel's count of overwritten records is that of all gaps up to @page, unless more records
 * are overwritten meanwhile: then the next sub-buffer has a gap, too. Returns that sub-buffer, or
 * NULL if there is none.
 */
static struct live_page *live_gap_measure(struct live_stream *own, struct live_page *page,
					  const struct page *walk)
{
	struct error ignored = { 0 };
	struct statistics now;
	int status = cpu_buffer_statistics(own->buffer, &now, &ignored);
	struct live_page *next = live_page_queue(own);
	bool is_exact = status == 0 && !(next && live_page_has_gap(next));

	if (is_exact && own->is_counted && now.overwritten > own->overwritten)
		page->size = page_store_count(walk, page->bytes,
					      now.overwritten - own->overwritten);
	own->is_counted = is_exact;
	own->overwritten = now.overwritten;
	return next;
}

/*
 * The kernel marks every gap, but stores its size only if the sub-buffer is not full. Finds the
 * size, which may read ahead.
 */
static void live_gap_count(struct live_stream *own, struct live_page *page)
{
	struct page walk;

	while (page) {
		page_load(&walk, (struct page_layout){ 0 }, page->bytes, page->size);
		if (!walk.has_gap || walk.gap_count >= 0)
			break;
		page = live_gap_measure(own, page, &walk);
	}
	if (page && walk.has_gap)
		own->overwritten += walk.gap_count;
}

static void live_stream_read_ahead(struct live_stream *own)
{
	struct live_page *page;

	while (own->live->ahead_size < own->live->ahead_max && (page = live_page_queue(own)))
		live_gap_count(own, page);
}

void live_streams_read_ahead(struct live_source *live)
{
	struct source *source = &live->source;

	if (!live->reads_ahead)
		return;
	for (size_t i = 0; i < live->reader->size; i++) {
		struct live_stream *own = source->streams[i].own;

		if (!buffer_reader_is_left(live->reader, own->buffer))
			live_stream_read_ahead(own);
	}
	live->ahead_ns = time_now_ns(CLOCK_MONOTONIC);
}

static struct live_page *live_page_take(struct live_stream *own)
{
	struct live_page *page = own->first;

	own->first = page->next;
	if (!own->first)
		own->last = NULL;
	own->live->ahead_size -= own->buffer->sub_buffer_size;
	return page;
}

void live_stream_clear(struct live_stream *own)
{
	while (own->first)
		free(live_page_take(own));
}

/* Reads as much at once as there is: one look for changes covers all of it. */
static void live_stream_refill_queue(struct live_stream *own)
{
	struct live_source *live = own->live;

	if (!live->reads_ahead)
		return;
	if (time_now_ns(CLOCK_MONOTONIC) - live->ahead_ns > AHEAD_EVERY_NS)
		live_streams_read_ahead(live);
	else if (!own->first && !live->reader->is_held)
		live_stream_read_ahead(own);
}

/* Records of other CPUs with the time of the last one may follow. */
static ssize_t live_page_pass(const struct stream *stream, struct error *error)
{
	const struct live_stream *own = stream->own;
	const struct source_tap *tap = &own->live->tap;
	const struct tapped_page page = { .cpu = own->buffer->cpu,
					  .is_sideband = own->buffer->is_sideband,
					  .bytes = own->page->bytes,
					  .size = own->page->size,
					  .delivered_ns = stream->last_ns - 1 };

	return tap->take && tap->take(tap->context, &page, error) < 0 ? -1 : own->page->size;
}

/* Returns as live_page_read(), with the next sub-buffer in @own. */
static int live_stream_next(struct stream *stream, struct live_stream *own, struct error *error)
{
	int status;

	live_stream_refill_queue(own);
	if (own->first) {
		free(own->page);
		own->page = live_page_take(own);
		stream->bytes = own->page->bytes;
		return 1;
	}
	status = live_page_read(own, own->page, error);
	if (status > 0)
		live_gap_count(own, own->page);
	return status;
}

static ssize_t live_stream_refill(struct stream *stream, struct error *error)
{
	struct live_stream *own = stream->own;
	int status = live_stream_next(stream, own, error);

	if (status <= 0)
		return status;
	byte_progress_add(own->live->progress, own->page->size, own->live->progress_total);
	return live_page_pass(stream, error);
}

static void live_stream_close(struct stream *stream)
{
	struct live_stream *own = stream->own;

	live_stream_clear(own);
	free(own->page);
	free(own);
}

static const struct stream_ops live_stream_ops = {
	.refill = live_stream_refill,
	.close = live_stream_close,
};

int live_stream_open(struct stream *stream, struct live_source *live, struct cpu_buffer *buffer,
		     struct error *error)
{
	struct live_stream *own = calloc(1, sizeof(*own));

	if (!own)
		return error_set(error, "out of memory");
	*own = (struct live_stream){ .live = live, .buffer = buffer, .is_counted = true };
	own->page = live_page_new(own);
	*stream = (struct stream){ .ops = &live_stream_ops,
				   .cpu = buffer->cpu,
				   .buffer = buffer->is_sideband,
				   .is_sideband = buffer->is_sideband,
				   .own = own };
	stream->bytes = own->page ? own->page->bytes : NULL;
	return own->page ? 0 : error_set(error, "out of memory");
}

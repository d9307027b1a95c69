// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads one CPU's ring buffer, ahead of the delivery where that takes its time: what has been read
 * cannot be overwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "source/live.h"

/* More than the kernel allows. */
#define SUB_BUFFER_KIB_MAX 65536

/* While records are delivered, buffers are looked after this often. */
#define AHEAD_EVERY_NS (5 * NS_PER_MS)

/* What is read ahead, over all CPUs. */
#define AHEAD_SIZE_MAX (64 * 1024 * 1024)

static struct live_page *page_new(struct live_stream *own)
{
	struct live_page *page = malloc(sizeof(*page) + own->size + PAGE_COUNT_SIZE);

	if (page)
		page->next = NULL;
	return page;
}

/*
 * Reads what comes next: 1 where there is something, 0 where there is nothing now, -1 with errno.
 * The buffer of a CPU that was not online yet does not exist.
 */
static int page_read(struct live_stream *own, struct live_page *page)
{
	if (own->sub_buffers_left == 0 || own->live->is_cut)
		return 0;
	do {
		page->size = read(own->fd, page->bytes, own->size);
	} while (page->size < 0 && errno == EINTR);
	own->is_absent = page->size < 0 && errno == ENODEV;
	if (page->size < 0)
		return errno == EAGAIN || errno == ENODEV ? 0 : -1;
	own->sub_buffers_left--;
	own->live->is_unseen |= page->size > 0;
	return page->size > 0;
}

/*
 * Reads a sub-buffer into the queue and returns it; NULL where there is none now. Errors come again
 * when its turn has come.
 */
static struct live_page *page_queue(struct live_stream *own)
{
	struct live_page *page = page_new(own);

	if (!page || page_read(own, page) <= 0) {
		free(page);
		return NULL;
	}
	if (own->last)
		own->last->next = page;
	else
		own->first = page;
	own->last = page;
	own->live->ahead_size += own->size;
	return page;
}

static bool page_has_gap(const struct live_page *page)
{
	struct page walk;

	page_load(&walk, (struct page_layout){ 0 }, page->bytes, page->size);
	return walk.has_gap;
}

/*
 * The number of all records that were overwritten is that of those before @page, if it is read
 * before any more are, which the next sub-buffer tells: there is no gap before it. Returns that,
 * or NULL where there is none.
 */
static struct live_page *gap_measure(struct live_stream *own, struct live_page *page,
				     const struct page *walk)
{
	struct error ignored = { 0 };
	struct statistics now;
	int status = live_statistics_now(own, &now, &ignored);
	struct live_page *next = page_queue(own);
	bool is_exact = status == 0 && !(next && page_has_gap(next));

	if (is_exact && own->is_counted && now.overwritten > own->overwritten)
		page->size = page_store_count(walk, page->bytes,
					      now.overwritten - own->overwritten);
	own->is_counted = is_exact;
	own->overwritten = now.overwritten;
	return next;
}

/*
 * The kernel marks every gap, but has room for its number only in a sub-buffer that is not full.
 * Finds that number, which may mean to read ahead.
 */
static void gap_count(struct live_stream *own, struct live_page *page)
{
	struct page walk;

	while (page) {
		page_load(&walk, (struct page_layout){ 0 }, page->bytes, page->size);
		if (!walk.has_gap || walk.gap_count >= 0)
			break;
		page = gap_measure(own, page, &walk);
	}
	if (page && walk.has_gap)
		own->overwritten += walk.gap_count;
}

/* Takes what one CPU has now. */
static void stream_read_ahead(struct live_stream *own)
{
	struct live_page *page;

	while (own->live->ahead_size < AHEAD_SIZE_MAX && (page = page_queue(own)))
		gap_count(own, page);
}

void live_read_ahead(struct source *source)
{
	struct live *live = (struct live *)source;

	if (!live->reads_ahead)
		return;
	for (size_t i = 0; i < source->nr_streams; i++) {
		if (!live_leaves(live, &source->streams[i]))
			stream_read_ahead(source->streams[i].own);
	}
	live->ahead_ns = time_now_ns(CLOCK_MONOTONIC);
}

static struct live_page *page_take(struct live_stream *own)
{
	struct live_page *page = own->first;

	own->first = page->next;
	if (!own->first)
		own->last = NULL;
	own->live->ahead_size -= own->size;
	return page;
}

/* As much at once as there is: who watches looks once for all of it. */
static void refill_ahead(struct live_stream *own)
{
	if (!own->live->reads_ahead)
		return;
	if (time_now_ns(CLOCK_MONOTONIC) - own->live->ahead_ns > AHEAD_EVERY_NS)
		live_read_ahead(&own->live->source);
	else if (!own->first && !own->live->is_held)
		stream_read_ahead(own);
}

static int live_let_look(struct live *live, struct error *error)
{
	const struct source_watcher *watcher = &live->source.watcher;

	if (!live->is_unseen)
		return 0;
	live->is_unseen = false;
	return watcher->look ? watcher->look(watcher->context, error) : 0;
}

/* The next sub-buffer into @own->page; returns its size, 0 where there is none, -1 with @error. */
static ssize_t page_get(struct live_stream *own, struct error *error)
{
	int status;

	if (own->first) {
		free(own->page);
		own->page = page_take(own);
		return own->page->size;
	}
	status = page_read(own, own->page);
	if (status < 0)
		return error_set_system(error, errno, "cannot read the ring buffer of cpu %d",
					own->cpu);
	if (status == 0)
		return 0;
	gap_count(own, own->page);
	return own->page->size;
}

static ssize_t live_refill(struct stream *stream, struct error *error)
{
	struct live_stream *own = stream->own;
	ssize_t size;

	refill_ahead(own);
	size = page_get(own, error);
	stream->bytes = own->page->bytes;
	if (size > 0 && live_let_look(own->live, error) < 0)
		return -1;
	return own->live->is_cut ? 0 : size;
}

void source_cut(struct source *source)
{
	struct live *live = (struct live *)source;

	live->is_cut = true;
	for (size_t i = 0; i < source->nr_streams; i++) {
		struct live_stream *own = source->streams[i].own;

		while (own->first)
			free(page_take(own));
	}
}

static void live_stream_close(struct stream *stream)
{
	struct live_stream *own = stream->own;

	while (own->first)
		free(page_take(own));
	if (own->fd >= 0)
		close(own->fd);
	if (own->statistics_fd >= 0)
		close(own->statistics_fd);
	free(own->page);
	free(own);
}

static const struct stream_ops live_stream_ops = {
	.refill = live_refill,
	.close = live_stream_close,
};

/* A sub-buffer is a page, unless somebody made it larger, which kernels can from 6.9 on. */
static size_t sub_buffer_size(const char *directory)
{
	uint64_t size_kib = live_number(directory, "buffer_subbuf_size_kb");

	return size_kib > 0 && size_kib <= SUB_BUFFER_KIB_MAX ? size_kib * 1024
							      : (size_t)sysconf(_SC_PAGESIZE);
}

static int files_open(struct live_stream *own, struct error *error)
{
	own->fd = cpu_file_open(own->directory, own->cpu, "trace_pipe_raw", O_RDONLY | O_NONBLOCK,
				error);
	if (own->fd < 0)
		return -1;
	own->statistics_fd = statistics_open(own->directory, own->cpu, error);
	return own->statistics_fd < 0 ? -1 : 0;
}

int live_stream_open(struct stream *stream, struct live *live, int cpu, bool is_durable,
		     struct error *error)
{
	struct live_stream *own = calloc(1, sizeof(*own));

	if (!own)
		return error_set(error, "out of memory");
	*own = (struct live_stream){
		.live = live,
		.directory = is_durable ? live->durable : live->directory,
		.cpu = cpu,
		.fd = -1,
		.statistics_fd = -1,
		.sub_buffers_left = SIZE_MAX,
		.is_counted = true,
	};
	own->size = sub_buffer_size(own->directory);
	own->page = page_new(own);
	*stream = (struct stream){ .ops = &live_stream_ops,
				   .cpu = cpu,
				   .buffer = is_durable,
				   .is_durable = is_durable,
				   .own = own };
	stream->bytes = own->page ? own->page->bytes : NULL;
	return own->page ? files_open(own, error) : error_set(error, "out of memory");
}

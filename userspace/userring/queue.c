// SPDX-License-Identifier: GPL-2.0-only
/*
 * Merges records by time and writes them to sub-buffers, as the kernel does: a time of 8 bytes, a
 * long with the committed size and two flags, then entries of a 32-bit head (5 bits of length, 27
 * bits of time since the last entry) and their data.
 */
#include "userring/queue.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_HEADER_SIZE 16
#define ENTRY_HEAD_SIZE 4

/* Records are missing before the sub-buffer; and their number follows its data. */
#define PAGE_MISSED (UINT64_C(1) << 31)
#define PAGE_MISSED_STORED (UINT64_C(1) << 30)
#define PAGE_COUNT_BYTES 8

#define ENTRY_TYPE_BITS 5
#define ENTRY_DELTA_BITS 27
#define ENTRY_DELTA_MAX ((INT64_C(1) << ENTRY_DELTA_BITS) - 1)
#define ENTRY_TIME_EXTEND 30
/* A time that is further from the last one needs a sub-buffer of its own. */
#define ENTRY_EXTEND_MAX (INT64_C(1) << 58)
#define ENTRY_LENGTH_MAX 28

/* Delivered records stay until there are so many, or more than of those that wait. */
#define DELIVERED_MAX 4096

/*
 * Memory of delivered records is used again: getting new pages from the kernel for each pass takes
 * as long as all else. More than so much is returned.
 */
#define SPARE_MAX ((size_t)32 << 20)

/* A program can lose records for days and write none: so many losses have a place of their own. */
#define LOSSES_MAX 4096

/* Merging needs a second list, whose pages take no memory before. */
static int queue_grow(struct record_queue *queue)
{
	size_t capacity = queue->capacity ? 2 * queue->capacity : 1024;
	struct queued_record *list = reallocarray(queue->list, capacity, sizeof(*list));
	struct queued_record *merged = list ? reallocarray(queue->merged, capacity, sizeof(*merged))
					    : NULL;

	if (list)
		queue->list = list;
	if (!merged)
		return -1;
	queue->merged = merged;
	queue->capacity = capacity;
	return 0;
}

int queue_add(struct record_queue *queue, int64_t time_ns, const void *data, size_t size)
{
	if (time_ns < queue->delivered_ns)
		return queue_lose(queue, queue->delivered_ns, 1);
	if (queue->is_closed)
		return queue_lose(queue, time_ns, 1);
	if (queue->size == queue->capacity && queue_grow(queue) < 0)
		return -1;
	queue->list[queue->size++] = (struct queued_record){ .time_ns = time_ns,
							     .offset = queue->bytes.size,
							     .size = size };
	if (time_ns > queue->added_ns)
		queue->added_ns = time_ns;
	buffer_append(&queue->bytes, data, size);
	return queue->bytes.failed ? -1 : 0;
}

/* Whether a loss becomes a part of the last one. Behind the last record of a closed queue is none.
 */
static bool loss_joins(const struct record_queue *queue, const struct queued_loss *last,
		       int64_t time_ns, int64_t count)
{
	bool is_behind = queue->is_closed && last->time_ns > queue->added_ns;

	/* Before each record that waits, one has a meaning. */
	if (queue->nr_losses >= LOSSES_MAX + (queue->size - queue->first))
		return true;
	return (is_behind || last->time_ns >= time_ns) && (count < 0) == (last->count < 0);
}

/* The sum of two numbers of lost records. */
static int64_t loss_counts_add(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? LOSS_COUNT_UNKNOWN : a + b;
}

int queue_lose(struct record_queue *queue, int64_t time_ns, int64_t count)
{
	struct queued_loss *last = queue->nr_losses > 0 ? &queue->losses[queue->nr_losses - 1]
							: NULL;

	if (count < 0)
		queue->counts.is_damaged = true;
	else
		queue->counts.lost += count;
	if (last && loss_joins(queue, last, time_ns, count)) {
		last->count = loss_counts_add(last->count, count);
		if (time_ns > last->time_ns)
			last->time_ns = time_ns;
		return 0;
	}
	if (!array_reserve(queue->losses, queue->nr_losses))
		return -1;
	queue->losses[queue->nr_losses++] = (struct queued_loss){ .time_ns = time_ns,
								  .count = count };
	return 0;
}

/* Those that are delivered still have their bytes, and their places in both lists. */
size_t queue_bytes(const struct record_queue *queue)
{
	return queue->first < queue->size ? queue->bytes.size + queue->size * QUEUED_PLACES_SIZE
					  : 0;
}

/* Behind the last record from @begin on that is not earlier than the one before it. */
static size_t run_end(const struct record_queue *queue, size_t begin)
{
	size_t end = begin < queue->size ? begin + 1 : begin;

	while (end < queue->size && queue->list[end].time_ns >= queue->list[end - 1].time_ns)
		end++;
	return end;
}

/* Merges two runs that are neighbors, the first of which was added first. */
static void runs_merge(struct record_queue *queue, size_t begin, size_t middle, size_t end)
{
	const struct queued_record *list = queue->list;
	size_t left = begin, right = middle;

	for (size_t i = begin; i < end; i++) {
		bool is_left = left < middle &&
			       (right == end || list[left].time_ns <= list[right].time_ns);

		queue->merged[i] = list[is_left ? left++ : right++];
	}
}

/* A ring's records are in order, but for those of signal handlers: few runs are merged in pairs. */
static void queue_merge(struct record_queue *queue)
{
	size_t first_end = queue->nr_sorted < queue->size ? run_end(queue, queue->first)
							  : queue->size;

	while (first_end < queue->size) {
		struct queued_record *list = queue->list;

		for (size_t begin = queue->first, middle, end; begin < queue->size; begin = end) {
			middle = run_end(queue, begin);
			end = run_end(queue, middle);
			runs_merge(queue, begin, middle, end);
			if (begin == queue->first)
				first_end = end;
		}
		queue->list = queue->merged;
		queue->merged = list;
	}
	queue->nr_sorted = queue->size;
}

/* Moves the records that are left, with their bytes, to the front; false if memory ran out. */
static bool bytes_compact(struct record_queue *queue)
{
	struct buffer *bytes = &queue->spare, before = queue->bytes;

	buffer_clear(bytes);
	for (size_t i = queue->first; i < queue->size; i++) {
		const struct queued_record *record = &queue->list[i];

		buffer_append(bytes, before.data + record->offset, record->size);
	}
	if (bytes->failed) {
		buffer_release(bytes);
		return false;
	}
	queue->bytes = *bytes;
	*bytes = before;
	if (bytes->capacity > SPARE_MAX)
		buffer_release(bytes);
	return true;
}

static void queue_compact(struct record_queue *queue)
{
	size_t offset = 0;

	if (queue->first == queue->size)
		buffer_clear(&queue->bytes);
	else if (!bytes_compact(queue))
		return;
	for (size_t i = queue->first; i < queue->size; i++) {
		struct queued_record *to = &queue->list[i - queue->first];

		*to = queue->list[i];
		to->offset = offset;
		offset += to->size;
	}
	queue->size -= queue->first;
	queue->nr_sorted = queue->size;
	queue->first = 0;
}

/* Takes all losses before a record. */
static bool losses_take(struct record_queue *queue, const struct queued_record *record,
			int64_t *count)
{
	size_t taken = 0;

	*count = 0;
	for (; taken < queue->nr_losses && queue->losses[taken].time_ns <= record->time_ns; taken++)
		*count = loss_counts_add(*count, queue->losses[taken].count);
	queue->nr_losses -= taken;
	if (taken > 0)
		memmove(queue->losses, queue->losses + taken,
			queue->nr_losses * sizeof(*queue->losses));
	return taken > 0;
}

/* Records up to @last are dropped: the losses before them become one, in the place of the first. */
static void losses_shrink(struct record_queue *queue, const struct queued_record *last, int64_t nr)
{
	int64_t count;

	if (!losses_take(queue, last, &count)) {
		queue_lose(queue, last->time_ns, nr);
		return;
	}
	queue->counts.lost += nr;
	memmove(queue->losses + 1, queue->losses, queue->nr_losses * sizeof(*queue->losses));
	queue->nr_losses++;
	queue->losses[0] = (struct queued_loss){ .time_ns = last->time_ns,
						 .count = loss_counts_add(count, nr) };
}

void queue_shrink(struct record_queue *queue, size_t size)
{
	size_t left, first;

	if (queue_bytes(queue) <= size)
		return;
	queue_merge(queue);
	/* Without what was delivered, all that wait may fit. */
	queue_compact(queue);
	left = queue_bytes(queue);
	first = queue->first;
	if (left <= size)
		return;
	while (left > size && queue->first < queue->size)
		left -= queue->list[queue->first++].size + QUEUED_PLACES_SIZE;
	losses_shrink(queue, &queue->list[queue->first - 1], queue->first - first);
	queue_compact(queue);
}

static unsigned char *put_u32(unsigned char *to, uint32_t number)
{
	memcpy(to, &number, sizeof(number));
	return to + sizeof(number);
}

static uint32_t entry_head(uint32_t type, uint32_t delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return type << ENTRY_DELTA_BITS | delta;
#else
	return delta << ENTRY_TYPE_BITS | type;
#endif
}

/* The entry of a record, and the time before it if that is far from the last one. */
static unsigned char *put_entry(unsigned char *to, const struct queued_record *record,
				const char *data, int64_t last_ns)
{
	uint64_t delta = record->time_ns - last_ns;
	uint32_t words = (record->size + 3) / 4;

	if (delta > ENTRY_DELTA_MAX) {
		to = put_u32(to, entry_head(ENTRY_TIME_EXTEND, delta & ENTRY_DELTA_MAX));
		to = put_u32(to, delta >> ENTRY_DELTA_BITS);
		delta = 0;
	}
	if (words <= ENTRY_LENGTH_MAX) {
		to = put_u32(to, entry_head(words, delta));
	} else {
		to = put_u32(to, entry_head(0, delta));
		to = put_u32(to, 4 * words + ENTRY_HEAD_SIZE);
	}
	memset(to + 4 * words - 4, 0, 4);
	memcpy(to, data, record->size);
	return to + 4 * words;
}

/* Puts records behind one of time @last_ns that is in the sub-buffer; the first of all has none. */
static unsigned char *put_records(struct record_queue *queue, int64_t until_ns, int64_t last_ns,
				  unsigned char *to, const unsigned char *end)
{
	for (; queue->first < queue->size; queue->first++) {
		const struct queued_record *record = &queue->list[queue->first];
		size_t size_max = 4 * ENTRY_HEAD_SIZE + record->size + 3;

		if (record->time_ns > until_ns || (size_t)(end - to) < size_max ||
		    record->time_ns - last_ns > ENTRY_EXTEND_MAX)
			break;
		/* Records are missing before this one: the next sub-buffer says so. */
		if (queue->nr_losses > 0 && queue->losses[0].time_ns <= record->time_ns)
			break;
		to = put_entry(to, record, queue->bytes.data + record->offset, last_ns);
		last_ns = record->time_ns;
		queue->delivered_ns = last_ns;
		queue->counts.read++;
	}
	if (queue->first == queue->size ||
	    (queue->first > DELIVERED_MAX && queue->first > queue->size / 2))
		queue_compact(queue);
	return to;
}

bool queue_has_record(struct record_queue *queue, int64_t until_ns)
{
	queue_merge(queue);
	return queue->first < queue->size && queue->list[queue->first].time_ns <= until_ns;
}

size_t queue_fill(struct record_queue *queue, int64_t until_ns, unsigned char *page)
{
	unsigned char *begin = page + PAGE_HEADER_SIZE, *end;
	int64_t first_ns, count;
	uint64_t commit;

	if (!queue_has_record(queue, until_ns))
		return 0;
	first_ns = queue->list[queue->first].time_ns;
	memcpy(page, &first_ns, sizeof(first_ns));
	commit = losses_take(queue, &queue->list[queue->first], &count) ? PAGE_MISSED : 0;
	if (commit && count >= 0)
		commit |= PAGE_MISSED_STORED;
	end = put_records(queue, until_ns, first_ns, begin,
			  page + PROGRAM_PAGE_SIZE - PAGE_COUNT_BYTES);
	if (commit & PAGE_MISSED_STORED)
		memcpy(end, &count, sizeof(count));
	commit |= end - begin;
	memcpy(page + sizeof(int64_t), &commit, sizeof(commit));
	return end - page + (commit & PAGE_MISSED_STORED ? PAGE_COUNT_BYTES : 0);
}

/* The count of a loss is behind the records: they cannot go on there. */
size_t queue_extend(struct record_queue *queue, int64_t until_ns, unsigned char *page)
{
	unsigned char *begin = page + PAGE_HEADER_SIZE, *end;
	uint64_t commit, size;

	queue_merge(queue);
	memcpy(&commit, page + sizeof(int64_t), sizeof(commit));
	size = commit & ~PAGE_MISSED;
	if (size > PROGRAM_PAGE_SIZE - PAGE_HEADER_SIZE - PAGE_COUNT_BYTES)
		return 0;
	end = put_records(queue, until_ns, queue->delivered_ns, begin + size,
			  page + PROGRAM_PAGE_SIZE - PAGE_COUNT_BYTES);
	if (end == begin + size)
		return 0;
	commit += end - begin - size;
	memcpy(page + sizeof(int64_t), &commit, sizeof(commit));
	return end - page;
}

void queue_release(struct record_queue *queue)
{
	free(queue->list);
	free(queue->merged);
	free(queue->losses);
	buffer_release(&queue->bytes);
	buffer_release(&queue->spare);
	*queue = (struct record_queue){ 0 };
}

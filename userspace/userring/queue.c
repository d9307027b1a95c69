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

/* Each record may be a run. */
static int queue_grow(struct record_queue *queue)
{
	size_t capacity = queue->capacity ? 2 * queue->capacity : 1024;
	struct queued_record *list = reallocarray(queue->list, capacity, sizeof(*list));
	size_t *runs = list ? reallocarray(queue->runs, capacity, sizeof(*runs)) : NULL;

	if (list)
		queue->list = list;
	if (!runs)
		return -1;
	queue->runs = runs;
	queue->capacity = capacity;
	return 0;
}

/* Whether the next record of run @a precedes that of run @b; those of one time keep their order. */
static bool run_is_before(const struct record_queue *queue, size_t a, size_t b)
{
	int64_t a_ns = queue->list[queue->runs[a]].time_ns;
	int64_t b_ns = queue->list[queue->runs[b]].time_ns;

	return a_ns != b_ns ? a_ns < b_ns : queue->runs[a] < queue->runs[b];
}

static void runs_swap(struct record_queue *queue, size_t a, size_t b)
{
	size_t run = queue->runs[a];

	queue->runs[a] = queue->runs[b];
	queue->runs[b] = run;
}

/* The runs are a heap: moves one whose next record is later now. */
static void runs_settle(struct record_queue *queue, size_t at)
{
	for (size_t next; (next = 2 * at + 1) < queue->nr_runs; at = next) {
		if (next + 1 < queue->nr_runs && run_is_before(queue, next + 1, next))
			next++;
		if (!run_is_before(queue, next, at))
			break;
		runs_swap(queue, at, next);
	}
}

static void runs_add(struct record_queue *queue, size_t run)
{
	size_t at = queue->nr_runs++;

	queue->runs[at] = run;
	for (; at > 0 && run_is_before(queue, at, (at - 1) / 2); at = (at - 1) / 2)
		runs_swap(queue, at, (at - 1) / 2);
}

/* The next record; NULL if none waits. */
static const struct queued_record *queue_next(const struct record_queue *queue)
{
	return queue->nr_runs > 0 ? &queue->list[queue->runs[0]] : NULL;
}

/* Passes the next record, which stays in the list. */
static struct queued_record *runs_pass(struct record_queue *queue)
{
	size_t next = queue->runs[0] + 1;

	if (next < queue->size && !queue->list[next].is_first)
		queue->runs[0] = next;
	else
		queue->runs[0] = queue->runs[--queue->nr_runs];
	runs_settle(queue, 0);
	return &queue->list[next - 1];
}

/* A record waits no more. It keeps its bytes. */
static void queue_record_take(struct record_queue *queue, struct queued_record *record)
{
	struct queued_user *user = &queue->users[record->user];

	user->nr_records--;
	user->nr_bytes -= record->size + QUEUED_PLACES_SIZE;
	record->is_taken = true;
	queue->nr_taken++;
}

int queue_add(struct record_queue *queue, unsigned int user, int64_t time_ns, const void *data,
	      size_t size)
{
	struct queued_record *record;

	if (!array_extend(queue->users, queue->nr_users, user))
		return -1;
	if (time_ns < queue->delivered_ns) {
		queue->users[user].nr_late++;
		return queue_lose(queue, queue->delivered_ns, 1);
	}
	if (queue->is_closed)
		return queue_lose(queue, time_ns, 1);
	if (queue->size == queue->capacity && queue_grow(queue) < 0)
		return -1;
	buffer_append(&queue->bytes, data, size);
	if (queue->bytes.failed)
		return -1;
	record = &queue->list[queue->size];
	*record = (struct queued_record){ .time_ns = time_ns,
					  .offset = queue->bytes.size - size,
					  .size = size,
					  .user = user,
					  .is_first = queue->size == 0 || record[-1].is_taken ||
						      time_ns < record[-1].time_ns };
	queue->size++;
	queue->users[user].nr_records++;
	queue->users[user].nr_bytes += size + QUEUED_PLACES_SIZE;
	if (record->is_first)
		runs_add(queue, queue->size - 1);
	if (time_ns > queue->added_ns)
		queue->added_ns = time_ns;
	return 0;
}

/* Whether a loss becomes a part of the last one. Behind the last record of a closed queue is none.
 */
static bool loss_joins(const struct record_queue *queue, const struct queued_loss *last,
		       int64_t time_ns, int64_t count)
{
	bool is_behind = queue->is_closed && last->time_ns > queue->added_ns;

	/* Before each record that waits, one has a meaning. */
	if (queue->nr_losses >= LOSSES_MAX + (queue->size - queue->nr_taken))
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

/* Those that are delivered still have their bytes and their places. */
size_t queue_bytes(const struct record_queue *queue)
{
	return queue->nr_runs > 0 ? queue->bytes.size + queue->size * QUEUED_PLACES_SIZE : 0;
}

size_t queue_user_bytes(const struct record_queue *queue, unsigned int user)
{
	return user < queue->nr_users ? queue->users[user].nr_bytes : 0;
}

/* Moves the records that wait to the front. */
static void list_compact(struct record_queue *queue)
{
	size_t end = queue->nr_taken < queue->size ? queue->size : 0, size = 0;
	bool is_first = true;

	queue->nr_runs = 0;
	for (size_t i = 0; i < end; i++) {
		struct queued_record record = queue->list[i];

		is_first |= record.is_first;
		if (record.is_taken)
			continue;
		if (is_first)
			queue->runs[queue->nr_runs++] = size;
		record.is_first = is_first;
		is_first = false;
		queue->list[size++] = record;
	}
	queue->size = size;
	queue->nr_taken = 0;
	for (size_t i = queue->nr_runs / 2; i > 0; i--)
		runs_settle(queue, i - 1);
}

/* Drops the bytes of records that are not in the list any more, unless memory ran out. */
static void bytes_compact(struct record_queue *queue)
{
	struct buffer *bytes = &queue->spare, before = queue->bytes;
	size_t offset = 0;

	if (queue->size == 0) {
		buffer_clear(&queue->bytes);
		return;
	}
	buffer_clear(bytes);
	for (size_t i = 0; i < queue->size; i++)
		buffer_append(bytes, before.data + queue->list[i].offset, queue->list[i].size);
	if (bytes->failed) {
		buffer_release(bytes);
		return;
	}
	for (size_t i = 0; i < queue->size; i++) {
		queue->list[i].offset = offset;
		offset += queue->list[i].size;
	}
	queue->bytes = *bytes;
	*bytes = before;
	if (bytes->capacity > SPARE_MAX)
		buffer_release(bytes);
}

static void queue_compact(struct record_queue *queue)
{
	list_compact(queue);
	bytes_compact(queue);
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
	const struct queued_record *last = NULL;
	size_t left;

	if (queue_bytes(queue) <= size)
		return;
	/* Without what was delivered, all that wait may fit. */
	queue_compact(queue);
	left = queue_bytes(queue);
	if (left <= size)
		return;
	while (left > size && queue->nr_runs > 0) {
		last = queue_next(queue);
		left -= last->size + QUEUED_PLACES_SIZE;
		queue_record_take(queue, runs_pass(queue));
	}
	losses_shrink(queue, last, queue->nr_taken);
	queue_compact(queue);
}

/* Behind those of the same time. */
static void losses_insert(struct record_queue *queue, int64_t time_ns, int64_t count)
{
	size_t place = queue->nr_losses;

	if (!array_reserve(queue->losses, queue->nr_losses)) {
		queue->counts.is_damaged = true;
		return;
	}
	for (; place > 0 && queue->losses[place - 1].time_ns > time_ns; place--)
		queue->losses[place] = queue->losses[place - 1];
	queue->losses[place] = (struct queued_loss){ .time_ns = time_ns, .count = count };
	queue->nr_losses++;
}

size_t queue_limit(struct record_queue *queue, size_t nr_max, size_t nr_again)
{
	size_t nr_lost = 0, nr_users = 0;

	for (size_t i = 0; i < queue->nr_users; i++) {
		struct queued_user *user = &queue->users[i];
		size_t most = user->was_cut ? nr_again : nr_max;

		user->nr_kept = most;
		user->nr_cut = user->nr_records > most ? user->nr_records - most : 0;
		user->was_cut |= user->nr_cut > 0;
		nr_users += user->nr_cut > 0;
		nr_lost += user->nr_cut;
	}
	if (nr_lost == 0)
		return 0;
	/* In their order, until the first one that is lost of each of these users is found. */
	while (nr_users > 0) {
		struct queued_record *record = runs_pass(queue);
		struct queued_user *user = &queue->users[record->user];
		int64_t nr_kept = user->nr_kept--;

		record->is_kept = nr_kept > 0;
		if (nr_kept != 0)
			continue;
		losses_insert(queue, record->time_ns, user->nr_cut);
		nr_users--;
	}
	for (size_t i = 0; i < queue->size; i++) {
		struct queued_record *record = &queue->list[i];

		if (!record->is_taken && !record->is_kept && queue->users[record->user].nr_kept < 0)
			queue_record_take(queue, record);
		record->is_kept = false;
	}
	queue_compact(queue);
	queue->counts.lost += nr_lost;
	return nr_lost;
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
	const struct queued_record *record;

	for (; (record = queue_next(queue)); queue_record_take(queue, runs_pass(queue))) {
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
	if (queue->nr_runs == 0 ||
	    (queue->nr_taken > DELIVERED_MAX && queue->nr_taken > queue->size / 2))
		queue_compact(queue);
	return to;
}

bool queue_has_record(const struct record_queue *queue, int64_t until_ns)
{
	return queue->nr_runs > 0 && queue_next(queue)->time_ns <= until_ns;
}

size_t queue_fill(struct record_queue *queue, int64_t until_ns, unsigned char *page)
{
	unsigned char *begin = page + PAGE_HEADER_SIZE, *end;
	int64_t first_ns, count;
	uint64_t commit;

	if (!queue_has_record(queue, until_ns))
		return 0;
	first_ns = queue_next(queue)->time_ns;
	memcpy(page, &first_ns, sizeof(first_ns));
	commit = losses_take(queue, queue_next(queue), &count) ? PAGE_MISSED : 0;
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
	free(queue->runs);
	free(queue->users);
	free(queue->losses);
	buffer_release(&queue->bytes);
	buffer_release(&queue->spare);
	*queue = (struct record_queue){ 0 };
}

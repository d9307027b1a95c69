/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that wait to be delivered in time order, and sub-buffers of them. */
#ifndef USERRING_QUEUE_H
#define USERRING_QUEUE_H

#include "userring/userring.h"

/**
 * struct queued_record - a record at @offset of the bytes of a queue
 * @user: to whom it counts
 * @is_first: it does not follow, in time, the one that was added before
 * @is_taken: it is delivered, or dropped
 * @is_kept: queue_limit() leaves it
 */
struct queued_record {
	int64_t time_ns;
	size_t offset;
	uint32_t size;
	uint16_t user;
	bool is_first : 1;
	bool is_taken : 1;
	bool is_kept : 1;
};

/** QUEUED_PLACES_SIZE - what a record takes of the lists of a queue */
#define QUEUED_PLACES_SIZE (sizeof(struct queued_record) + sizeof(size_t))

/**
 * struct queued_user - the records of a user that wait
 * @nr_bytes: with their places
 * @nr_late: so many came when later ones had been delivered
 * @nr_kept: so many more are left by queue_limit()
 * @nr_cut, @was_cut: so many were lost by its last call; whether any were lost by one
 */
struct queued_user {
	size_t nr_records;
	size_t nr_bytes;
	size_t nr_late;
	size_t nr_cut;
	int64_t nr_kept;
	bool was_cut;
};

/** struct queued_loss - lost records before @time_ns; LOSS_COUNT_UNKNOWN for an unknown number */
struct queued_loss {
	int64_t time_ns;
	int64_t count;
};

/**
 * struct record_queue - records of all rings
 * @list: @size records of @capacity, as they were added, of which @nr_taken wait no more
 * @runs: the next record of each sequence in time order, as a heap: a ring's records are in order,
 *	but for those of signal handlers
 * @users: of @nr_users
 * @bytes: their bytes
 * @spare: has the memory that @bytes had before the last delivery, and gets those that are left
 * @losses: @nr_losses of them, in time order
 * @is_closed: records that are added are lost
 * @added_ns: time of the last record
 * @delivered_ns: time of the last record of a sub-buffer
 */
struct record_queue {
	struct queued_record *list;
	size_t size;
	size_t capacity;
	size_t nr_taken;
	size_t *runs;
	size_t nr_runs;
	struct queued_user *users;
	size_t nr_users;
	struct buffer bytes;
	struct buffer spare;
	struct queued_loss *losses;
	size_t nr_losses;
	bool is_closed;
	int64_t added_ns;
	int64_t delivered_ns;
	struct programs_counts counts;
};

/**
 * queue_add - add a record; one that comes too late is lost; returns -1 if memory ran out
 * @user: a small number
 */
int queue_add(struct record_queue *queue, unsigned int user, int64_t time_ns, const void *data,
	      size_t size);

/** queue_lose - records were lost up to @time_ns; returns -1 if memory ran out */
int queue_lose(struct record_queue *queue, int64_t time_ns, int64_t count);

/** queue_bytes - memory of records; 0 if none waits */
size_t queue_bytes(const struct record_queue *queue);

/** queue_user_bytes - memory of records of a user that wait */
size_t queue_user_bytes(const struct record_queue *queue, unsigned int user);

/** queue_shrink - drop the oldest records until the rest has at most @size bytes */
void queue_shrink(struct record_queue *queue, size_t size);

/**
 * queue_limit - leave the first @nr_max records of each user; returns how many are lost
 * @nr_again: of users that lost records by an earlier call, so many are left
 */
size_t queue_limit(struct record_queue *queue, size_t nr_max, size_t nr_again);

/** queue_has_record - whether a record up to @until_ns waits */
bool queue_has_record(const struct record_queue *queue, int64_t until_ns);

/** queue_fill - as programs_fill() */
size_t queue_fill(struct record_queue *queue, int64_t until_ns, unsigned char *page);

/** queue_extend - as programs_extend() */
size_t queue_extend(struct record_queue *queue, int64_t until_ns, unsigned char *page);

void queue_release(struct record_queue *queue);

#endif

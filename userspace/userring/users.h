/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of each user may take, so that one user takes nothing from others. */
#ifndef USERRING_USERS_H
#define USERRING_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct program_user - the programs of a user
 * @number: its place in the table
 * @nr_programs: programs that are recorded now
 * @nr_events: events that they were the first to describe
 * @nr_bytes: bytes of records and padding that the current pass has read
 * @left: bytes of rings that the end still reads
 */
struct program_user {
	uid_t uid;
	unsigned int number;
	size_t nr_programs;
	size_t nr_events;
	size_t nr_bytes;
	uint64_t left;
};

/** struct user_table - users whose programs were recorded */
struct user_table {
	struct program_user **list;
	size_t size;
};

/** user_table_find - the user, who is new or not; NULL if memory ran out */
struct program_user *user_table_find(struct user_table *table, uid_t uid);

/** user_table_begin_pass - nothing is read; returns how many users have programs, at least 1 */
size_t user_table_begin_pass(struct user_table *table);

void user_table_release(struct user_table *table);

/** user_has_place - whether a user with @nr things gets one more if all users have @sum
 * @limit: of all users; a user who has none always gets one
 *
 * A user alone gets half of the limit.
 */
static inline bool user_has_place(size_t nr, size_t sum, size_t limit)
{
	return nr == 0 || (nr < limit / 2 && sum < limit);
}

#endif

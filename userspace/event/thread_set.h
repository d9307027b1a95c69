/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of threads, by number. */
#ifndef EVENT_THREAD_SET_H
#define EVENT_THREAD_SET_H

#include "base/base.h"

/** THREAD_SET_MAX - the kernel's limit of thread numbers */
#define THREAD_SET_MAX (1 << 22)

/** struct thread_set - a set; an empty one if zeroed; a bit for each number */
struct thread_set {
	unsigned char *bits;
};

/** thread_set_reserve - allocate memory for all threads; returns -1 if memory ran out */
int thread_set_reserve(struct thread_set *set);

void thread_set_release(struct thread_set *set);

/** thread_set_add - add a thread; returns whether it is new: a thread, and there is memory */
bool thread_set_add(struct thread_set *set, int tid);

/** thread_set_remove - remove a thread; returns whether it was in the set */
bool thread_set_remove(struct thread_set *set, int tid);

/** thread_set_append - append the numbers of its threads, "1,2,3" */
void thread_set_append(const struct thread_set *set, struct buffer *out);

/** thread_set_add_list - add threads, "1,2,3"; what is no thread is ignored */
void thread_set_add_list(struct thread_set *set, const char *list);

/** thread_set_has - whether a thread is in the set */
hot_inline bool thread_set_has(const struct thread_set *set, int tid)
{
	return set->bits && tid > 0 && tid < THREAD_SET_MAX &&
	       set->bits[tid / 8] & 1u << tid % 8;
}

#endif

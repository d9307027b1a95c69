// SPDX-License-Identifier: GPL-2.0-only
/* Sets of threads, by number. */
#include "event/thread_set.h"

#include <stdlib.h>
#include <string.h>

int thread_set_reserve(struct thread_set *set)
{
	if (!set->bits)
		set->bits = calloc(THREAD_SET_MAX / 8, 1);
	return set->bits ? 0 : -1;
}

void thread_set_release(struct thread_set *set)
{
	free(set->bits);
	set->bits = NULL;
}

bool thread_set_add(struct thread_set *set, int tid)
{
	if (tid <= 0 || tid >= THREAD_SET_MAX || thread_set_has(set, tid) ||
	    thread_set_reserve(set) < 0)
		return false;
	set->bits[tid / 8] |= 1u << tid % 8;
	return true;
}

bool thread_set_remove(struct thread_set *set, int tid)
{
	if (!thread_set_has(set, tid))
		return false;
	set->bits[tid / 8] &= ~(1u << tid % 8);
	return true;
}

void thread_set_append(const struct thread_set *set, struct buffer *out)
{
	for (int tid = 1; set->bits && tid < THREAD_SET_MAX; tid++) {
		if (thread_set_has(set, tid))
			buffer_printf(out, "%s%d", out->size > 0 ? "," : "", tid);
	}
}

void thread_set_add_list(struct thread_set *set, const char *list)
{
	while (*list) {
		thread_set_add(set, atoi(list));
		list += strcspn(list, ",");
		list += strspn(list, ",");
	}
}

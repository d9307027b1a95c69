/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own records about threads, and sets of threads. */
#ifndef EVENT_TASK_H
#define EVENT_TASK_H

#include "base/base.h"
#include "event/format.h"
#include "event/record.h"

/* Sets of threads, by number. */

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
	return set->bits && tid > 0 && tid < THREAD_SET_MAX && set->bits[tid / 8] & 1u << tid % 8;
}

/* Tracepoints of the kernel about threads: birth, name, cgroup, exit. */

/** enum task_change_kind - see struct task_change */
enum task_change_kind {
	TASK_CHANGE_BORN,
	TASK_CHANGE_NAMED,
	TASK_CHANGE_TOOK_OVER,
	TASK_CHANGE_MOVED,
	TASK_CHANGE_EXITED,
	TASK_CHANGE_GONE,
};

/**
 * struct task_change - a record of the scheduler about a thread
 * @kind: the thread is new (BORN), has this name (NAMED), took the tid from another thread of its
 * process as execve(2) does (TOOK_OVER), is in another cgroup with its process (MOVED), is about to
 * end but may still write (EXITED), or the tid is free (GONE)
 */
struct task_change {
	enum task_change_kind kind;
	int64_t time_ns;
	int tid;	/* its number */
	int tgid;	/* its process, 0 if the record does not contain it */
	int parent_tid; /* BORN: the thread that created it, of the same process if @is_thread */
	bool is_thread;
	int old_tid; /* TOOK_OVER: its number before */
	/* its name, empty if the record does not contain it; borrowed from the record */
	struct text comm;
	struct text cgroup; /* MOVED: the path, empty if it is of cgroup v1; borrowed, too */
};

/** MOVE_SYSTEM, MOVE_EVENT - the tracepoint of MOVED */
#define MOVE_SYSTEM "cgroup"
#define MOVE_EVENT "cgroup_attach_task"

struct task_rule;

/** struct task_descriptor - how the records of such a tracepoint are decoded */
struct task_descriptor {
	const struct task_rule *rule;
	/* thread that the record is about; the writing thread if there is no such field */
	struct field_ref tid;
	struct field_ref comm;	      /* name of that thread */
	struct field_ref detail;      /* a field whose meaning depends on the tracepoint */
	struct field_ref writer;      /* thread that wrote the record */
	struct field_ref writer_comm; /* name of that thread */
};

/** task_rule_find - the rule for a tracepoint, with @name NULL the first of a system; or NULL */
const struct task_rule *task_rule_find(const char *system, const char *name);
/** task_descriptor_of - the descriptor of an event to which @rule applies */
struct task_descriptor task_descriptor_of(const struct task_rule *rule, const struct format *format,
					  bool is_swapped);
/** task_read_writer - find the thread that wrote a record; returns false if it has no name of it */
bool task_read_writer(const struct task_descriptor *descriptor, const struct record *record,
		      int *tid, struct text *comm);
/** task_change_read - decode a record; returns false if that is not possible */
bool task_change_read(struct task_change *out, const struct task_descriptor *descriptor,
		      const struct record *record);

#endif

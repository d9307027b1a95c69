// SPDX-License-Identifier: GPL-2.0-only
/* Decodes the kernel's own records about threads; sets of threads. */
#include "event/task.h"

#include <stdlib.h>
#include <string.h>

/* Sets of threads, by number. */

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

/* Decodes the kernel's own records about threads. */

/* Maximum length of a name without its NUL: execve(2) cuts the name of a program to it. */
#define KERNEL_COMM_MAX 15
#define CLONE_THREAD 0x10000

/** struct task_rule - meaning of a tracepoint's records */
struct task_rule {
	const char *system;
	const char *name;
	enum task_change_kind kind;
	const char *tid;    /* field of the thread; NULL for the writing thread */
	const char *comm;   /* field of its name, or of its cgroup's path */
	const char *detail; /* field that is passed to @refine; may be NULL */
	/* completes a change by the detail; may be NULL */
	void (*refine)(struct task_change *change, int64_t detail);
	/* field of the name of the thread that wrote the record; may be NULL */
	const char *writer_comm;
};

static void newtask_refine(struct task_change *change, int64_t flags)
{
	change->is_thread = flags & CLONE_THREAD;
	if (!change->is_thread)
		change->tgid = change->tid;
}

/* The record contains the path of the program, the end of which is the name. */
static void exec_refine(struct task_change *change, int64_t old_tid)
{
	struct text path = change->comm;

	while (path.size > 0 && path.data[path.size - 1] != '/')
		path.size--;
	change->comm.data += path.size;
	change->comm.size -= path.size;
	if (change->comm.size > KERNEL_COMM_MAX)
		change->comm.size = KERNEL_COMM_MAX;
	change->tgid = change->tid;
	change->old_tid = old_tid;
}

/* The hierarchy of cgroup v2 has the number 0. */
static void move_refine(struct task_change *change, int64_t hierarchy)
{
	change->cgroup = hierarchy == 0 ? change->comm : text_of("");
	change->comm = text_of("");
}

static const struct task_rule rules[] = {
	{ "task", "task_newtask", TASK_CHANGE_BORN, "pid", "comm", "clone_flags", newtask_refine },
	{ "task", "task_rename", TASK_CHANGE_NAMED, "pid", "newcomm" },
	{ "sched", "sched_process_fork", TASK_CHANGE_BORN, "child_pid", "child_comm" },
	{ "sched", "sched_process_exec", TASK_CHANGE_TOOK_OVER, "pid", "filename", "old_pid",
	  exec_refine },
	{ MOVE_SYSTEM, MOVE_EVENT, TASK_CHANGE_MOVED, "pid", "dst_path", "dst_root", move_refine },
	{ "sched", "sched_process_exit", TASK_CHANGE_EXITED, "pid", "comm" },
	{ "sched", "sched_process_free", TASK_CHANGE_GONE, "pid", "comm" },
	{ "sched", "sched_switch", TASK_CHANGE_NAMED, "next_pid", "next_comm",
	  .writer_comm = "prev_comm" },
	{ "sched", "sched_wakeup", TASK_CHANGE_NAMED, "pid", "comm" },
	{ "sched", "sched_waking", TASK_CHANGE_NAMED, "pid", "comm" },
};

const struct task_rule *task_rule_find(const char *system, const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (strcmp(system, rules[i].system) == 0 &&
		    (!name || strcmp(name, rules[i].name) == 0))
			return &rules[i];
	}
	return NULL;
}

static struct field_ref field_ref_named(const struct format *format, const char *name,
					bool is_swapped)
{
	return field_ref_of(name ? format_find(format, text_of(name)) : NULL, is_swapped);
}

struct task_descriptor task_descriptor_of(const struct task_rule *rule, const struct format *format,
					  bool is_swapped)
{
	struct task_descriptor descriptor = {
		.rule = rule,
		.tid = field_ref_named(format, rule->tid, is_swapped),
		.comm = field_ref_named(format, rule->comm, is_swapped),
		.detail = field_ref_named(format, rule->detail, is_swapped),
		.writer = field_ref_named(format, "common_pid", is_swapped),
		.writer_comm = field_ref_named(format, rule->writer_comm, is_swapped),
	};

	if (descriptor.tid.kind == FIELD_ABSENT)
		descriptor.tid = descriptor.writer;
	return descriptor;
}

static bool number_read(const struct field_ref *ref, const struct record *record, int64_t *out)
{
	if (!field_ref_is_number(ref) || ref->end > record->size)
		return false;
	*out = field_integer(ref, record, ref->is_swapped);
	return true;
}

bool task_read_writer(const struct task_descriptor *descriptor, const struct record *record,
		      int *tid, struct text *comm)
{
	struct value value;
	int64_t writer;

	if (!field_ref_is_text(&descriptor->writer_comm) ||
	    !field_read(&descriptor->writer_comm, record, &value) ||
	    !number_read(&descriptor->writer, record, &writer))
		return false;
	*tid = writer;
	*comm = value.text;
	return true;
}

bool task_change_read(struct task_change *out, const struct task_descriptor *descriptor,
		      const struct record *record)
{
	const struct task_rule *rule = descriptor->rule;
	int64_t tid, writer = 0, detail;
	struct text comm;

	*out = (struct task_change){ .kind = rule->kind,
				     .time_ns = record->time_ns,
				     .comm = text_of("") };
	/* All idle tasks have the tid 0. */
	if (!number_read(&descriptor->tid, record, &tid) || tid <= 0 || tid > INT32_MAX)
		return false;
	number_read(&descriptor->writer, record, &writer);
	out->tid = tid;
	out->old_tid = tid;
	out->parent_tid = writer;
	if (field_ref_is_text(&descriptor->comm) &&
	    field_read_text(&descriptor->comm, record, &comm))
		out->comm = comm;
	if (rule->refine && number_read(&descriptor->detail, record, &detail))
		rule->refine(out, detail);
	return true;
}

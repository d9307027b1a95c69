// SPDX-License-Identifier: GPL-2.0-only
/* Reads who threads are from the records of the kernel's own tracepoints. */
#include "convention/task.h"

#include <string.h>

#include "convention/slot.h"

/* The kernel's room for a name, without its NUL: execve(2) cuts a program's name to it. */
#define KERNEL_COMM_MAX 15

#define CLONE_THREAD 0x10000

/**
 * struct task_rule - what a tracepoint's records tell
 * @comm: the field of the name
 * @detail: a field that means something to @refine
 * @refine: take in the detail, and whatever else is particular to this tracepoint; may be NULL
 */
struct task_rule {
	const char *system;
	const char *name;
	enum task_change_kind kind;
	const char *tid;
	const char *comm;
	const char *detail;
	void (*refine)(struct task_change *change, int64_t detail);
};

static void refine_newtask(struct task_change *change, int64_t flags)
{
	change->is_thread = flags & CLONE_THREAD;
	if (!change->is_thread)
		change->tgid = change->tid;
}

/* The record has the program's path, of which the name is the end. */
static void refine_exec(struct task_change *change, int64_t old_tid)
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

static const struct task_rule rules[] = {
	{ "task", "task_newtask", TASK_CHANGE_BORN, "pid", "comm", "clone_flags", refine_newtask },
	{ "task", "task_rename", TASK_CHANGE_NAMED, "pid", "newcomm" },
	{ "sched", "sched_process_fork", TASK_CHANGE_BORN, "child_pid", "child_comm" },
	{ "sched", "sched_process_exec", TASK_CHANGE_TOOK_OVER, "pid", "filename", "old_pid",
	  refine_exec },
	{ "sched", "sched_process_exit", TASK_CHANGE_EXITED, "pid", "comm" },
	{ "sched", "sched_process_free", TASK_CHANGE_GONE, "pid", "comm" },
	{ "sched", "sched_switch", TASK_CHANGE_NAMED, "next_pid", "next_comm" },
	{ "sched", "sched_wakeup", TASK_CHANGE_NAMED, "pid", "comm" },
	{ "sched", "sched_waking", TASK_CHANGE_NAMED, "pid", "comm" },
};

const struct task_rule *task_rule_find(const char *system, const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (strcmp(system, rules[i].system) == 0 && strcmp(name, rules[i].name) == 0)
			return &rules[i];
	}
	return NULL;
}

static struct slot slot_named(const struct format *format, const char *name, bool is_swapped)
{
	const struct format_field *field = name ? format_find(format, name) : NULL;

	return field ? slot_find(field, is_swapped) : (struct slot){ .kind = SLOT_ABSENT };
}

void task_template_fill(struct task_template *out, const struct task_rule *rule,
			const struct format *format, bool is_swapped)
{
	*out = (struct task_template){
		.rule = rule,
		.event_id = format->id,
		.tid = slot_named(format, rule->tid, is_swapped),
		.comm = slot_named(format, rule->comm, is_swapped),
		.detail = slot_named(format, rule->detail, is_swapped),
		.writer = slot_named(format, "common_pid", is_swapped),
	};
	if (out->tid.kind == SLOT_ABSENT)
		out->tid = out->writer;
}

static bool number_read(const struct slot *slot, const struct record *record, int64_t *out)
{
	struct value value;

	if (!slot_is_number(slot) || !slot_read(slot, record, &value))
		return false;
	*out = value.kind == VALUE_SIGNED ? value.signed_number : (int64_t)value.unsigned_number;
	return true;
}

bool task_template_read(const struct task_template *template, const struct record *record,
			struct task_change *out)
{
	const struct task_rule *rule = template->rule;
	int64_t tid, writer = 0, detail;
	struct value comm;

	*out = (struct task_change){ .kind = rule->kind,
				     .time_ns = record->time_ns,
				     .comm = text_of("") };
	/* The idle tasks have one number for all. */
	if (!number_read(&template->tid, record, &tid) || tid <= 0 || tid > INT32_MAX)
		return false;
	number_read(&template->writer, record, &writer);
	out->tid = tid;
	out->old_tid = tid;
	out->parent_tid = writer;
	if (slot_is_text(&template->comm) && slot_read(&template->comm, record, &comm))
		out->comm = comm.text;
	if (rule->refine && number_read(&template->detail, record, &detail))
		rule->refine(out, detail);
	return true;
}

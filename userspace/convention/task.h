/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the kernel about threads: birth, name, exit. */
#ifndef CONVENTION_TASK_H
#define CONVENTION_TASK_H

#include "event/event.h"

struct task_rule;

/**
 * struct task_descriptor - how the records of such a tracepoint are decoded
 * @tid: thread that the record is about; the writing thread if there is no such field
 * @comm: name of that thread
 * @detail: a field whose meaning depends on the tracepoint
 * @writer: thread that wrote the record
 * @writer_comm: name of that thread
 */
struct task_descriptor {
	const struct task_rule *rule;
	struct field_ref tid;
	struct field_ref comm;
	struct field_ref detail;
	struct field_ref writer;
	struct field_ref writer_comm;
};

/**
 * task_rule_find - the rule for a tracepoint, NULL if its records are not about threads
 * @name: NULL finds the first rule of @system
 */
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

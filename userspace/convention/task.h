/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints of the kernel that tell who threads are. */
#ifndef CONVENTION_TASK_H
#define CONVENTION_TASK_H

#include "convention/convention.h"
#include "convention/format.h"

struct task_rule;

/**
 * struct task_template - such a tracepoint, as its records are read
 * @event_id: the common_type of its records
 * @tid: of whom they tell; the writing thread where there is no such field
 * @writer: who wrote
 */
struct task_template {
	const struct task_rule *rule;
	unsigned int event_id;
	struct slot tid;
	struct slot comm;
	struct slot detail;
	struct slot writer;
};

/** task_rule_find - what records of a tracepoint tell, NULL where they tell nothing of threads */
const struct task_rule *task_rule_find(const char *system, const char *name);

/** task_template_fill - find the fields of an event that @rule is of */
void task_template_fill(struct task_template *out, const struct task_rule *rule,
			const struct format *format, bool is_swapped);

/** task_template_read - what a record says; false where it cannot be read */
bool task_template_read(const struct task_template *template, const struct record *record,
			struct task_change *out);

#endif

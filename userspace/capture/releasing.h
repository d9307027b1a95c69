/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that are released: drained, disabled, and then dropped. */
#ifndef CAPTURE_RELEASING_H
#define CAPTURE_RELEASING_H

#include <stddef.h>

#include "base/base.h"

struct descriptor;
struct rule_tracepoint;

/**
 * struct releasing - a tracepoint that was disabled, whose records are not all read yet
 * @category: "SYSTEM:NAME"
 * @descriptor: of the convention, NULL if @rule is set
 * @rule: the tracepoint as rules use it, or NULL
 */
struct releasing {
	const char *category;
	const struct descriptor *descriptor;
	const struct rule_tracepoint *rule;
};

/** struct releasing_list - a tracepoint that follows the convention and has rules is in it twice */
struct releasing_list {
	struct releasing *list;
	size_t size;
};

/** releasing_add - add a tracepoint; returns -1 with @error if memory ran out */
int releasing_add(struct releasing_list *list, struct releasing one, struct error *error);

/** releasing_remove - remove a tracepoint, if it is in the list */
void releasing_remove(struct releasing_list *list, struct releasing one);

#endif

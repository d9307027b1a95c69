/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers that record kernel stacks. The kernel counts the stacks of a trigger down and stops at
 * zero; the count is set again once in a while, which limits the rate.
 */
#ifndef TRACEFS_STACK_TRIGGER_H
#define TRACEFS_STACK_TRIGGER_H

#include "tracefs/control.h"

/**
 * struct stack_trigger - the trigger of a tracepoint
 * @fd: of its trigger file
 * @text: what is written to it
 * @limit: most stacks between two calls of stack_trigger_refill(); 0 for no limit
 */
struct stack_trigger {
	int fd;
	char *text;
	uint64_t limit;
};

/**
 * stack_trigger_set - set the trigger of a tracepoint
 * @filter: only for records that match; NULL for all
 * @out: for stack_trigger_close(), also on failure
 *
 * Returns -1 with @error.
 */
int stack_trigger_set(struct stack_trigger *out, const struct control *control, const char *system,
		      const char *event, const char *filter, uint64_t limit, struct error *error);

/**
 * stack_trigger_refill - set the count again if less than half of it is left
 *
 * Returns whether nothing was left, so that stacks may be missing.
 */
bool stack_trigger_refill(const struct stack_trigger *trigger);

void stack_trigger_close(struct stack_trigger *trigger);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel stacks of a source, with the names of their functions. */
#ifndef SESSION_STACKS_H
#define SESSION_STACKS_H

#include "event/event.h"
#include "rules/rules.h"
#include "source/source.h"
#include "track/track.h"

/**
 * struct stacks - what is needed to read stacks; zeroed, there are none
 * @functions: of the recorded kernel; NULL if unknown; borrowed
 * @frames: of the stack that was read last
 */
struct stacks {
	struct stack_layout layout;
	const struct kallsyms *functions;
	struct stack stack;
	struct field frames[STACK_FRAMES_MAX];
};

/**
 * stacks_open - find the format of stacks in a source
 * @rules: own the names of functions, which are read if there are stacks
 *
 * Returns -1 with @error.
 */
int stacks_open(struct stacks *stacks, struct source *source, struct rules *rules,
		const struct report *report, struct error *error);

/** stacks_read - read a record; returns false if it is no stack */
bool stacks_read(struct stacks *stacks, const struct record *record, struct tracks_stack *out);

#endif

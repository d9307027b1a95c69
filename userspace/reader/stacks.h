/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel stacks of a source, with the names of their functions, as instants of their threads. */
#ifndef READER_STACKS_H
#define READER_STACKS_H

#include "event/event.h"
#include "rules/rules.h"
#include "source/source.h"

/**
 * struct stacks - what is needed to read stacks; zeroed, there are none
 * @rules: may own the names of functions; NULL for none
 * @own: the names of functions, if @rules do not own them
 * @has_functions: stacks_read_functions() was called
 * @stack, @text, @field, @event: those of the stack that was read last
 */
struct stacks {
	struct stack_layout layout;
	struct source *source;
	const struct rules *rules;
	const struct report *report;
	struct kallsyms *own;
	bool has_functions;
	struct descriptor descriptor;
	struct stack stack;
	struct buffer text;
	struct field field;
	struct decoded_event event;
};

/**
 * stacks_open - find the format of stacks in a source
 * @rules: of the same run, NULL for none
 *
 * Returns -1 with @error.
 */
int stacks_open(struct stacks *stacks, struct source *source, const struct rules *rules,
		const struct report *report, struct error *error);

/**
 * stacks_read_functions - read the names of functions, if there can be stacks
 *
 * The first stack reads them otherwise, which may be too late for this kernel's: only root may.
 */
void stacks_read_functions(struct stacks *stacks);

/** stacks_index - the index of the descriptor of stacks, behind those of rules */
unsigned int stacks_index(const struct rules *rules);

/** stacks_read - the event of a record, NULL if it is no stack or memory ran out */
const struct decoded_event *stacks_read(struct stacks *stacks, const struct record *record);

void stacks_release(struct stacks *stacks);

#endif

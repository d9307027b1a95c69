/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of programs in a run: their names in outputs, and the rules that name them. */
#ifndef READER_PROGRAM_EVENTS_H
#define READER_PROGRAM_EVENTS_H

#include "convention/convention.h"
#include "rules/rules.h"
#include "source/source.h"

/**
 * tracepoint_describe - convention_add() under the name that outputs show
 *
 * An event of a program keeps the name that the program gives it, unless the kernel has it, or
 * packs have its system: then it is shown behind PROGRAM_PREFIX.
 */
int tracepoint_describe(struct convention *convention, const struct tracepoint *tracepoint,
			const struct descriptor **out, struct error *error);

/**
 * program_event_add - decode the records of an event of a program that was found while it runs
 * @rules: NULL for none
 *
 * Returns -1 with @error if memory ran out.
 */
int program_event_add(struct convention *convention, struct rules *rules,
		      const struct program_event *event, const struct report *report,
		      struct error *error);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses tracepoints: those that follow the convention, all or by pattern. */
#ifndef SESSION_TRACEPOINTS_H
#define SESSION_TRACEPOINTS_H

#include "convention/convention.h"
#include "session/settings.h"
#include "source/source.h"

/** selection_means - whether a tracepoint is selected */
bool selection_means(const struct selection *selection, const char *system, const char *name);

/** selection_filter - the event filter of a tracepoint: that of the last matching pattern, or NULL
 */
const char *selection_filter(const struct selection *selection, const char *system,
			     const char *name);

/**
 * tracepoints_find - add the selected tracepoints that follow the convention to @convention
 * @source: of the tracepoints; NULL for the running kernel
 * @report: for tracepoints that cannot be read
 *
 * Returns 0, or -1 with @error, for example if a pattern matches none.
 */
int tracepoints_find(struct convention *convention, struct source *source,
		     struct selection *selection, const struct report *report, struct error *error);

/** misfit_report - report the first tracepoint that a rule does not fit; rules_bind() set @problem
 */
void misfit_report(const struct rules *rules, const struct error *problem,
		   const struct report *report);

/**
 * selection_read_functions - read the names of functions, if the bound rules show or compare some
 * @source: of the records
 * @report: receives a line if there are none
 *
 * Returns 0, or -1 with @error if a condition compares a function that does not exist.
 */
int selection_read_functions(struct selection *selection, struct source *source,
			     const struct report *report, struct error *error);

/** descriptor_system - append the system of a descriptor to @out */
void descriptor_system(const struct descriptor *descriptor, struct buffer *out);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Events of programs in a run: their names in outputs, and the rules that name them. */
#include "reader/program_events.h"

#include <string.h>

#include "reader/selection.h"

/* Outputs, and what reads them, know tracks by these names: those of packs and of kernel stacks. */
static bool system_is_kernels(const char *system)
{
	return rule_pack_find(text_of(system)) || strcmp(system, STACK_SYSTEM) == 0;
}

int tracepoint_describe(struct convention *convention, const struct tracepoint *tracepoint,
			const struct descriptor **out, struct error *error)
{
	const char *system = program_system(tracepoint->system);

	if (!system)
		return convention_add(convention, tracepoint->system, tracepoint->format, out,
				      error);
	if (system_is_kernels(system) || convention_find_name(convention, system, tracepoint->name))
		system = tracepoint->system;
	return convention_add_program(convention, system, tracepoint->format, out, error);
}

static int program_event_bind(struct rules *rules, const struct tracepoint *tracepoint,
			      const struct report *report)
{
	struct error problem = { 0 };
	int status = rules_bind(rules, tracepoint->system, tracepoint->name, tracepoint->format,
				&problem);

	if (status == RULES_MISFIT)
		misfit_report(rules, &problem, report);
	return status < 0 ? -1 : rules_read_symbols(rules, false, report);
}

int program_event_add(struct convention *convention, struct rules *rules,
		      const struct program_event *event, const struct report *report,
		      struct error *error)
{
	struct buffer system = { 0 };
	struct tracepoint tracepoint = { .name = event->name, .format = event->text };
	const struct descriptor *descriptor;
	struct error ignored = { 0 };
	int status;

	buffer_append_string(&system, PROGRAM_PREFIX);
	buffer_append_string(&system, event->system);
	tracepoint.system = buffer_string(&system);
	status = system.failed
			 ? -1
			 : tracepoint_describe(convention, &tracepoint, &descriptor, &ignored);
	if (status >= 0)
		status = convention_read_symbols(convention, NULL);
	if (status >= 0 && rules && rules_want(rules, tracepoint.system, event->name))
		status = program_event_bind(rules, &tracepoint, report);
	buffer_release(&system);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

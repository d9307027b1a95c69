// SPDX-License-Identifier: GPL-2.0-only
/* Reads kernel stacks, and finds the names of their functions. */
#include "session/stacks.h"

#include <string.h>

/** struct stacks_search - parameters of stacks_open() */
struct stacks_search {
	struct stacks *stacks;
	bool is_swapped;
};

static bool stacks_want_system(void *context, const char *system)
{
	(void)context;
	return strcmp(system, STACK_SYSTEM) == 0;
}

static bool stacks_want(void *context, const char *system, const char *name)
{
	return stacks_want_system(context, system) && strcmp(name, STACK_NAME) == 0;
}

static int stacks_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct stacks_search *search = context;

	(void)error;
	/* A file has all its formats. */
	if (stacks_want(context, tracepoint->system, tracepoint->name))
		stack_layout_read(&search->stacks->layout, tracepoint->format, search->is_swapped);
	return 0;
}

int stacks_open(struct stacks *stacks, struct source *source, struct rules *rules,
		const struct report *report, struct error *error)
{
	struct stacks_search search = { .stacks = stacks,
					.is_swapped = source_describe(source)->is_swapped };
	const struct tracepoint_visitor visitor = { .context = &search,
						    .wants_system = stacks_want_system,
						    .wants = stacks_want,
						    .visit = stacks_visit };
	struct kallsyms *functions;
	struct error problem = { 0 };

	if (source_visit(source, &visitor, error) < 0)
		return -1;
	if (!stacks->layout.is_known)
		return 0;
	if (!rules->kallsyms && source_read_symbols(source, &functions, &problem) == 0)
		rules_set_kallsyms(rules, functions);
	else if (!rules->kallsyms)
		report_message(report, "stacks are shown as addresses: %s", problem.text);
	stacks->functions = rules->kallsyms;
	return 0;
}

static struct field frame_field(const struct stacks *stacks, uint64_t address)
{
	struct kallsyms_symbol symbol;
	struct field frame = { .name = { .data = "" } };

	/* Frames are return addresses, which may be behind the last instruction of a function. */
	if (stacks->functions && kallsyms_find(stacks->functions, address - 1, &symbol))
		frame.value = (struct value){ .kind = VALUE_TEXT, .text = symbol.name };
	else
		frame.value = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = address };
	return frame;
}

bool stacks_read(struct stacks *stacks, const struct record *record, struct tracks_stack *out)
{
	const struct stack *stack = &stacks->stack;

	if (!stack_read(&stacks->layout, record, &stacks->stack))
		return false;
	for (size_t i = 0; i < stack->nr_frames; i++)
		stacks->frames[i] = frame_field(stacks, stack->frames[i]);
	*out = (struct tracks_stack){ .time_ns = record->time_ns,
				      .tid = stack->tid,
				      .cpu = record->cpu,
				      .frames = stacks->frames,
				      .nr_frames = stack->nr_frames };
	return true;
}

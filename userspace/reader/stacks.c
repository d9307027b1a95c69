// SPDX-License-Identifier: GPL-2.0-only
/* Reads kernel stacks, and finds the names of their functions. */
#include "reader/stacks.h"

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

unsigned int stacks_index(const struct rules *rules)
{
	return rules ? rules_size(rules) : 0;
}

int stacks_open(struct stacks *stacks, struct source *source, const struct rules *rules,
		const struct report *report, struct error *error)
{
	struct stacks_search search = { .stacks = stacks,
					.is_swapped = source_describe(source)->is_swapped };
	const struct tracepoint_visitor visitor = { .context = &search,
						    .wants_system = stacks_want_system,
						    .wants = stacks_want,
						    .visit = stacks_visit };

	*stacks = (struct stacks){ .source = source, .rules = rules, .report = report };
	stacks->descriptor = (struct descriptor){ .index = stacks_index(rules),
						  .kind = DESCRIPTOR_SLICE,
						  .scope = DESCRIPTOR_SCOPE_THREAD,
						  .category = STACK_CATEGORY,
						  .name = STACK_NAME };
	stacks->descriptor.label = text_of(stacks->descriptor.name);
	stacks->descriptor.label_head = text_head(stacks->descriptor.label);
	return source_visit(source, &visitor, error);
}

void stacks_read_functions(struct stacks *stacks)
{
	struct error problem = { 0 };

	if (!stacks->layout.is_known || stacks->has_functions)
		return;
	stacks->has_functions = true;
	if (stacks->rules && stacks->rules->kallsyms)
		return;
	if (source_read_symbols(stacks->source, &stacks->own, &problem) < 0)
		report_message(stacks->report, "stacks are shown as addresses: %s", problem.text);
}

static void frame_append(struct stacks *stacks, uint64_t address)
{
	const struct kallsyms *functions = stacks->own ? stacks->own
				   : stacks->rules ? stacks->rules->kallsyms
						   : NULL;
	struct kallsyms_symbol symbol;

	if (stacks->text.size > 0)
		buffer_append_char(&stacks->text, ';');
	/* Frames are return addresses, which may be behind the last instruction of a function. */
	if (functions && kallsyms_find(functions, address - 1, &symbol))
		buffer_append(&stacks->text, symbol.name.data, symbol.name.size);
	else
		buffer_append_hex(&stacks->text, address);
}

const struct decoded_event *stacks_read(struct stacks *stacks, const struct record *record)
{
	const struct stack *stack = &stacks->stack;
	const struct text name = text_of("kernel stack"), track = text_of("kernel stacks");

	if (!stack_read(&stacks->layout, record, &stacks->stack))
		return NULL;
	stacks_read_functions(stacks);
	buffer_clear(&stacks->text);
	for (size_t i = 0; i < stack->nr_frames; i++)
		frame_append(stacks, stack->frames[i]);
	stacks->field = (struct field){ .name = text_of("stack"),
					.value = { .kind = VALUE_TEXT,
						   .text = buffer_text(&stacks->text) } };
	stacks->event = (struct decoded_event){
		.descriptor = &stacks->descriptor,
		.time_ns = record->time_ns,
		.cpu = record->cpu,
		.buffer = record->buffer,
		.kind = DECODED_INSTANT,
		.tid = stack->tid,
		.scope_id = { .kind = VALUE_SIGNED, .signed_number = stack->tid },
		.slice_name = name,
		.slice_head = text_head(name),
		.track_name = track,
		.track_head = text_head(track),
		.extras = &stacks->field,
		.nr_extras = 1,
	};
	return stacks->text.failed ? NULL : &stacks->event;
}

void stacks_release(struct stacks *stacks)
{
	kallsyms_free(stacks->own);
	buffer_release(&stacks->text);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the format of kernel stacks, then after a NUL records, each behind a byte that is its
 * size; and the text as kernel symbols, which name the functions.
 */
#include <stdlib.h>

#include "event/event.h"
#include "event/stack.h"
#include "fuzz.h"
#include "records.h"

static void frames_check(const struct kallsyms *functions, const struct stack *stack)
{
	struct kallsyms_symbol symbol;

	if (stack->nr_frames == 0 || stack->nr_frames > STACK_FRAMES_MAX)
		abort();
	for (size_t i = 0; i < stack->nr_frames; i++) {
		uint64_t address = stack->frames[i] - 1;

		if (functions && kallsyms_find(functions, address, &symbol) &&
		    (address < symbol.begin || address >= symbol.end))
			abort();
	}
}

/** struct stack_reader - what records of stacks are read with */
struct stack_reader {
	struct stack_layout layout;
	struct kallsyms *functions;
};

static void stack_record_read(void *context, const struct record *record)
{
	const struct stack_reader *reader = context;
	struct stack stack;
	uint16_t id;

	if (record_id(record, reader->layout.is_swapped, &id) &&
	    stack_read(&reader->layout, id, record, &stack))
		frames_check(reader->functions, &stack);
}

static void stacks_run(bool is_swapped, struct text format, struct text records)
{
	struct stack_reader reader;
	struct error error = { 0 };

	stack_layout_read(&reader.layout, format, is_swapped);
	if (kallsyms_new(&reader.functions, records, &error) < 0)
		reader.functions = NULL;
	records_read(records, stack_record_read, &reader);
	kallsyms_free(reader.functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text records, format = records_take_format(data, size, &records);

	stacks_run(false, format, records);
	stacks_run(true, format, records);
	return 0;
}

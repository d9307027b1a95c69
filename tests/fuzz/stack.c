// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the format of kernel stacks, then after a NUL records, each behind a byte that is its
 * size; and the text as kernel symbols, which name the functions.
 */
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "event/stack.h"
#include "fuzz.h"

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

/* The record's bytes are in a block of their own, so that nothing behind them is read unnoticed. */
static void stack_record_read(const struct stack_layout *layout, const struct kallsyms *functions,
			      const uint8_t *data, size_t size)
{
	unsigned char *bytes = malloc(size ? size : 1);
	struct record record = { .data = bytes, .size = size };
	struct stack stack;

	memcpy(bytes, data, size);
	if (stack_read(layout, &record, &stack))
		frames_check(functions, &stack);
	free(bytes);
}

static void stacks_run(bool is_swapped, struct text format, const uint8_t *records, size_t size)
{
	struct stack_layout layout;
	struct kallsyms *functions;
	struct error error = { 0 };

	stack_layout_read(&layout, format, is_swapped);
	if (kallsyms_new(&functions, (struct text){ (const char *)records, size }, &error) < 0)
		functions = NULL;
	while (size > 0) {
		size_t record_size = records[0] < size - 1 ? records[0] : size - 1;

		stack_record_read(&layout, functions, records + 1, record_size);
		records += 1 + record_size;
		size -= 1 + record_size;
	}
	kallsyms_free(functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t format_size = strnlen((const char *)data, size);
	size_t rest = size > format_size ? size - format_size - 1 : 0;
	struct text format = { .data = (const char *)data, .size = format_size };

	stacks_run(false, format, data + size - rest, rest);
	stacks_run(true, format, data + size - rest, rest);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a budget, a NUL, and durations of slices. */
#include <stdlib.h>
#include <string.h>

#include "analysis/internal.h"
#include "fuzz.h"

static void slices_add(struct budget *budget, const uint8_t *data, size_t size)
{
	for (; size >= sizeof(uint32_t) + 1; data += sizeof(uint32_t) + 1) {
		struct timeline_event end = { .kind = TIMELINE_SLICE_END,
					      .is_suspect = data[0] & 1,
					      .is_unfinished = data[0] & 2 };
		uint32_t ns;

		memcpy(&ns, data + 1, sizeof(ns));
		end.time_ns = ns;
		budget_add(budget, &end);
		size -= sizeof(uint32_t) + 1;
	}
}

/* More losses never decide a verdict that was undecided. */
static void budget_run(struct budget *budget, const uint8_t *data, size_t size)
{
	struct buffer out = { 0 };

	slices_add(budget, data, size);
	budget_append_json(&out, budget, size, size % 2);
	budget_append_reason(&out, budget, size, size % 2);
	if (budget_judge(budget, 1, true) == BUDGET_UNDECIDED &&
	    budget_judge(budget, 2, true) != BUDGET_UNDECIDED)
		abort();
	if (budget_judge(budget, size, true) == BUDGET_UNDECIDED &&
	    budget_judge(budget, 0, false) != BUDGET_UNDECIDED)
		abort();
	buffer_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length = strnlen((const char *)data, size);
	char *text = calloc(1, length + 1);
	struct error error = { 0 };
	struct budget budget;
	int status;

	memcpy(text, data, length);
	status = budget_parse(&budget, text, &error);
	if (status < 0 && !*error.text)
		abort();
	if (status == 0)
		budget_run(&budget, data + length, size - length);
	budget_release(&budget);
	free(text);
	return 0;
}

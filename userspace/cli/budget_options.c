// SPDX-License-Identifier: GPL-2.0-only
/* Options for budgets. */
#include "cli/option_parts.h"

static int apply_budget(void *settings, const char *value, struct error *error)
{
	struct budget_settings *budgets = settings;

	if (budgets->size == BUDGETS_MAX)
		return error_set(error, "--budget=%s: more than %d; leave out some", value,
				 BUDGETS_MAX);
	budgets->texts[budgets->size++] = value;
	return 0;
}

static const struct option_row budget_rows[] = {
	{ 0, "budget", "LIMIT",
	  "exit with 4 if slices exceed it: 'SLICE p99 < 2ms' (also count, total, min, mean, max)",
	  apply_budget, .is_repeatable = true, .is_rare = true },
};

const struct option_part budget_options = { budget_rows,
					    sizeof(budget_rows) / sizeof(budget_rows[0]), 0 };

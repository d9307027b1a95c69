// SPDX-License-Identifier: GPL-2.0-only
/* Options for kernel stacks. */
#include <string.h>

#include "cli/option.h"
#include "cli/option_parts.h"

static int apply_stack(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;
	size_t system_size = strcspn(value, ": ");

	if (system_size == 0 || value[system_size] != ':' ||
	    strcspn(value + system_size + 1, ": ") == 0)
		return error_set(error, "--stack=%s: not a tracepoint; write SYS:EVENT", value);
	if (capture->nr_stacks == STACKS_MAX)
		return error_set(error, "--stack is given more than %d times", STACKS_MAX);
	capture->setting = "--stack";
	capture->stacks[capture->nr_stacks++] = value;
	return 0;
}

static int apply_stack_limit(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return count_parse(value, "stacks", &capture->stacks_limit, error);
}

static const struct option_row stack_rows[] = {
	{ 0, "stack", "EVENT[ if FILTER]",
	  "record the kernel stack behind each record of this tracepoint that matches; SYS:EVENT",
	  apply_stack, .is_repeatable = true, .is_rare = true },
	{ 0, "stack-limit", "N",
	  "record at most N stacks of a tracepoint in a second (default: 5000)", apply_stack_limit,
	  .is_rare = true },
};

const struct option_part stack_options = {
	.rows = stack_rows,
	.nr_rows = sizeof(stack_rows) / sizeof(stack_rows[0]),
};

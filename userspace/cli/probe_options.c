// SPDX-License-Identifier: GPL-2.0-only
/* Options for probes. */
#include <string.h>

#include "cli/option.h"
#include "cli/option_parts.h"

static int probe_option_add(struct capture_settings *capture, enum probe_kind kind, const char *option,
			    const char *value, struct error *error)
{
	struct probe_setting *probe;

	if (capture->nr_probes == PROBES_MAX)
		return error_set(error, "%s: more than %d probes; write fewer", option, PROBES_MAX);
	capture->setting = option;
	probe = &capture->probes[capture->nr_probes++];
	*probe = (struct probe_setting){ .kind = kind, .option = option, .text = value };
	return probe_setting_check(probe, error);
}

static int apply_probe(void *settings, const char *value, struct error *error)
{
	return probe_option_add(settings, PROBE_KERNEL, "--probe", value, error);
}

static int apply_uprobe(void *settings, const char *value, struct error *error)
{
	return probe_option_add(settings, PROBE_PROGRAM, "--uprobe", value, error);
}

static int apply_usdt(void *settings, const char *value, struct error *error)
{
	return probe_option_add(settings, PROBE_USDT, "--usdt", value, error);
}

/* @list has @size patterns already. */
static int function_pattern_add(struct capture_settings *capture, const char **list, size_t *size,
		       const char *option, const char *value, struct error *error)
{
	if (*size == FUNCTIONS_MAX)
		return error_set(error, "%s: more than %d patterns; write fewer", option,
				 FUNCTIONS_MAX);
	if (strpbrk(value, " \t\n#"))
		return error_set(error, "%s '%s': not a pattern; write a name with wildcards, or "
					"NAME:mod:MODULE",
				 option, value);
	capture->setting = option;
	list[(*size)++] = value;
	return 0;
}

static int apply_function(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return function_pattern_add(capture, capture->functions, &capture->nr_functions, "--function", value,
			   error);
}

static int apply_notrace(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return function_pattern_add(capture, capture->unwanted_functions, &capture->nr_unwanted_functions,
			   "--notrace", value, error);
}

static int apply_call_depth(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return count_parse(value, "calls", &capture->depth, error);
}

static const struct option_row probe_rows[] = {
	{ 0, "function", "PATTERN", "calls of these kernel functions as nested slices",
	  apply_function, .is_repeatable = true, .needs_text = true },
	{ 0, "notrace", "PATTERN", "with --function: except these functions", apply_notrace,
	  .is_repeatable = true, .needs_text = true, .is_rare = true },
	{ 0, "depth", "N", "with --function: only N levels of nested calls", apply_call_depth,
	  .is_rare = true },
	{ 0, "probe", "TEXT", "calls of FUNCTION[ NAME=FETCHARG]... of the kernel", apply_probe,
	  .is_repeatable = true, .needs_text = true, .is_rare = true },
	{ 0, "uprobe", "TEXT", "calls of PATH:SYMBOL[ NAME=FETCHARG]... of programs",
	  apply_uprobe, .is_repeatable = true, .needs_text = true, .is_rare = true },
	OPTION_RARE_FLAG("entry-only", "with --probe and --uprobe: instants at calls, no returns",
			 capture_settings, entry_only),
	{ 0, "usdt", "TEXT", "from static tracepoint to another: PATH:PROVIDER:BEGIN..END",
	  apply_usdt, .is_repeatable = true, .needs_text = true, .is_rare = true },
};

const struct option_part probe_options = {
	.rows = probe_rows,
	.nr_rows = sizeof(probe_rows) / sizeof(probe_rows[0]),
};

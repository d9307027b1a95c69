// SPDX-License-Identifier: GPL-2.0-only
/* Options that select tracepoints, records and how much state is kept. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "cli/option.h"
#include "cli/option_parts.h"

static int apply_tracepoint(void *settings, const char *value, struct error *error)
{
	return selection_add(settings, value, error);
}

static int apply_rules(void *settings, const char *value, struct error *error)
{
	return selection_add_rules(settings, value, error);
}

static const struct option_row selection_rows[] = {
	{ 'e', "tracepoint", "SYS[:EVENT]", "select these tracepoints (list, wildcards)",
	  apply_tracepoint, .is_repeatable = true },
	{ 'r', "rule", "RULES", "packs or files (list), or one rule", apply_rules,
	  .is_repeatable = true },
	{ 'v', "verbose", NULL, "report writes to tracefs, and absent tracepoints", NULL,
	  .offset = offsetof(struct selection, is_verbose) },
	{ 0, "include-self", NULL, "with -r: include ktrack's own thread", NULL,
	  .offset = offsetof(struct selection, includes_self), .is_rare = true },
};

const struct option_part selection_options = {
	.rows = selection_rows,
	.nr_rows = sizeof(selection_rows) / sizeof(selection_rows[0]),
};

/* Without the last two rows: ktrack list records nothing, and lists what does not exist. */
const struct option_part listed_options = {
	.rows = selection_rows,
	.nr_rows = sizeof(selection_rows) / sizeof(selection_rows[0]) - 2,
};

static int filter_number_parse(const char *value, int *out, const char *kind, struct error *error)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end || errno || number < 0 || number > INT_MAX)
		return error_set(error, "'%s': not a %s; write a number from 0", value, kind);
	*out = number;
	return 0;
}

static int apply_cpu(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	filter->has_cpu = true;
	return filter_number_parse(value, &filter->cpu, "CPU", error);
}

static int apply_pid(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	filter->has_pid = true;
	return filter_number_parse(value, &filter->pid, "thread id", error);
}

static int apply_from(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	return time_duration_parse(value, &filter->from_ns, error);
}

static int apply_to(void *settings, const char *value, struct error *error)
{
	struct filter *filter = settings;

	return duration_parse(value, "--to", "no records", &filter->to_ns, error);
}

static const struct option_row filter_rows[] = {
	{ 0, "track", "PATTERN", "only tracks with this name (wildcards)", option_store_text,
	  offsetof(struct filter, track) },
	{ 0, "cpu", "N", "only records of CPU N", apply_cpu, .is_rare = true },
	{ 0, "pid", "N", "only records of the thread with this id", apply_pid },
	{ 0, "buffer", "NAME",
	  "select only records of this buffer (an instance name in a trace.dat)", option_store_text,
	  offsetof(struct filter, buffer), .is_rare = true },
	{ 0, "from", "SECONDS", "start this long after the first record", apply_from },
	{ 0, "to", "SECONDS", "end this long after the first record", apply_to },
};

const struct option_part filter_options = {
	.rows = filter_rows,
	.nr_rows = sizeof(filter_rows) / sizeof(filter_rows[0]),
};

static int apply_max_tracks(void *settings, const char *value, struct error *error)
{
	struct limits *limits = settings;

	return count_parse(value, "tracks", &limits->max_tracks, error);
}

static const struct option_row limits_rows[] = {
	{ 0, "max-tracks", "N", "keep at most N tracks; evict idle ones (default: 16384)",
	  apply_max_tracks, .is_rare = true },
};

const struct option_part limits_options = {
	.rows = limits_rows,
	.nr_rows = sizeof(limits_rows) / sizeof(limits_rows[0]),
};

// SPDX-License-Identifier: GPL-2.0-only
/* What the outputs of a command line ask for together, and which of them exclude each other. */
#include <string.h>

#include "session/outputs.h"
#include "session/session.h"

/* The number of targets of a use; with @is_shared, only of those on standard output. */
static unsigned int targets_count(const struct output_settings *settings, enum sink_use use,
				  bool is_shared)
{
	unsigned int count = 0;

	for (size_t i = 0; i < sink_kinds_count; i++) {
		const char *target = settings->targets[i];

		if (target && sink_kinds[i].use == use && (!is_shared || strcmp(target, "-") == 0))
			count++;
	}
	return count;
}

bool output_settings_have_file(const struct output_settings *settings)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const struct sink_kind *kind = &sink_kinds[i];

		if (settings->targets[i] && kind->use == SINK_USE_FILE && !kind->is_lines)
			return true;
	}
	return false;
}

bool output_settings_show_time(const struct output_settings *settings)
{
	return !settings->stat && !settings->query && !settings->why && !settings->comparison;
}

bool output_settings_create_files(const struct output_settings *settings)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (settings->targets[i] && sink_kinds[i].creates_files)
			return true;
	}
	return settings->stat && settings->stat->prometheus;
}

bool output_settings_show_explanations(const struct output_settings *settings)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (settings->targets[i] && sink_kinds[i].shows_explanations)
			return true;
	}
	return settings->serves || settings->query;
}

static int append_check(const struct output_settings *settings, struct error *error)
{
	for (size_t i = 0; settings->is_appending && i < sink_kinds_count; i++) {
		const struct sink_kind *kind = &sink_kinds[i];

		if (settings->targets[i] && kind->use == SINK_USE_FILE && !kind->can_append)
			return error_set(error,
					 "--append: files of --%s cannot be appended to; leave out "
					 "one of the two",
					 kind->name);
	}
	return 0;
}

static int compression_check(const struct output_settings *settings, struct error *error)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const char *target = settings->targets[i];

		if (target && output_is_compressed(target) && !sink_kinds[i].can_compress)
			return error_set(error, "%s: --%s does not compress; leave out '.zst'",
					 target, sink_kinds[i].name);
	}
	return 0;
}

/* Several trace2 outputs can share standard output, but a file for a viewer cannot. */
static int standard_output_check(const struct output_settings *settings, struct error *error)
{
	unsigned int nr_files = targets_count(settings, SINK_USE_FILE, true);
	unsigned int nr_lines = targets_count(settings, SINK_USE_TRACE2, true);

	if (settings->why && nr_files + nr_lines > 0)
		return error_set(error, "standard output: is that of --why; write the other to a "
					"file");
	if (nr_files == 0 || nr_files + nr_lines < 2)
		return 0;
	return error_set(error, "standard output: a file for a viewer cannot share it; write the "
				"others to files");
}

static int budgets_check(const struct output_settings *settings, struct error *error)
{
	struct budget_set *set;
	int status = budget_set_new(&set, settings->budgets.texts, settings->budgets.size, error);

	budget_set_free(set);
	return status;
}

int output_settings_check(const struct output_settings *settings, struct error *error)
{
	if (budgets_check(settings, error) < 0)
		return -1;
	if (append_check(settings, error) < 0 || compression_check(settings, error) < 0)
		return -1;
	return standard_output_check(settings, error);
}

bool output_settings_have_target(const struct output_settings *settings)
{
	return targets_count(settings, SINK_USE_FILE, false) +
			       targets_count(settings, SINK_USE_TRACE2, false) >
		       0 ||
	       settings->serves;
}

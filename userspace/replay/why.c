// SPDX-License-Identifier: GPL-2.0-only
/* ktrack why: exports a source to the analysis, with the rules that explain slices. */
#include "replay/replay.h"

#include <fnmatch.h>
#include <string.h>

#include "source/source.h"

/* A comparison of all slices does not use the priorities that the CPUs' rule shows. */
static void why_omit_rules(const struct why_settings *why, struct rules *rules)
{
	struct slice_selector selector;
	struct error error = { 0 };

	rules_omit(rules, WHY_WAKEUPS);
	if (!why->is_aggregate)
		return;
	if (slice_selector_parse(&selector, why->slice, &error) < 0 || !selector.category ||
	    fnmatch(selector.category, WHY_CPUS, 0) != 0)
		rules_omit(rules, WHY_CPUS);
	slice_selector_release(&selector);
}

int why_run(struct why_run_settings *settings, struct error *error)
{
	struct export_settings export = {
		.report = settings->report,
		.sources = { settings->source },
		.nr_sources = 1,
		.argv = settings->argv,
		.outputs = { .why = &settings->why, .fails_on_loss = settings->fails_on_loss },
		.limits = settings->limits,
	};

	if (why_settings_check(&settings->why, error) < 0)
		return STATUS_USAGE;
	if (selection_add_why(&settings->selection, error) < 0 ||
	    selection_add_rules(&settings->selection, WHY_FILE_PACKS, error) < 0)
		return STATUS_FAILED;
	why_omit_rules(&settings->why, settings->selection.rules);
	/* The buffers of an instance are those of this machine; a file may be of another. */
	settings->why.is_here = source_name_is_instance(settings->source);
	export.selection = settings->selection;
	return export_run(&export, error);
}

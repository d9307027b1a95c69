// SPDX-License-Identifier: GPL-2.0-only
/* ktrack why: exports a source to the analysis, with the rules that explain slices. */
#include "session/why.h"

#include <fnmatch.h>
#include <string.h>

#include "session/session.h"
#include "source/source.h"

int why_check(const struct why_settings *why, struct error *error)
{
	struct slice_selector selector;
	int status = slice_selector_parse(&selector, why->slice, error);

	slice_selector_release(&selector);
	if (status == 0 && why->is_aggregate && (why->slowest > 0 || why->has_at))
		return error_set(error, "--aggregate: covers all slices; leave out %s",
				 why->has_at ? "--at" : "--slowest");
	if (status == 0 && why->is_aggregate && why->folded)
		return error_set(error, "--folded: contains single slices; leave out --aggregate");
	if (status == 0 && why->folded && strcmp(why->folded, "-") == 0)
		return error_set(error, "--folded=-: standard output is that of the explanation; "
					"write a file");
	return status;
}

int why_select(struct selection *selection, struct error *error)
{
	selection->adds_rules = true;
	/* What ktrack did may explain a slice. */
	selection->includes_self = true;
	return selection_add_rules(selection, WHY_PACKS, error);
}

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

	if (why_check(&settings->why, error) < 0)
		return STATUS_USAGE;
	if (why_select(&settings->selection, error) < 0 ||
	    selection_add_rules(&settings->selection, WHY_FILE_PACKS, error) < 0)
		return STATUS_FAILED;
	why_omit_rules(&settings->why, settings->selection.rules);
	/* The buffers of an instance are those of this machine; a file may be of another. */
	settings->why.is_here = source_name_is_instance(settings->source);
	export.selection = settings->selection;
	return export_run(&export, error);
}

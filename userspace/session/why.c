// SPDX-License-Identifier: GPL-2.0-only
/* ktrack why: exports a source to the analysis, with the rules that explain slices. */
#include "session/session.h"

static int why_check(const struct why_run_settings *settings, struct error *error)
{
	const struct why_settings *why = &settings->why;
	struct slice_selector selector;
	int status = slice_selector_parse(&selector, why->slice, error);

	slice_selector_release(&selector);
	if (status == 0 && why->is_aggregate && (why->slowest > 0 || why->has_at))
		return error_set(error, "--aggregate: is about all slices; leave out %s",
				 why->has_at ? "--at" : "--slowest");
	return status;
}

int why_run(struct why_run_settings *settings, struct error *error)
{
	struct export_settings export = {
		.report = settings->report,
		.source = settings->source,
		.argv = settings->argv,
		.outputs = { .why = &settings->why, .fails_on_loss = settings->fails_on_loss },
		.limits = settings->limits,
	};
	struct selection *selection = &settings->selection;

	if (why_check(settings, error) < 0)
		return STATUS_USAGE;
	if (selection_add_rules(selection, WHY_PACKS, error) < 0)
		return STATUS_FAILED;
	selection->adds_rules = true;
	/* What ktrack did may explain a slice. */
	selection->includes_self = true;
	export.selection = *selection;
	return export_run(&export, error);
}

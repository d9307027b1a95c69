// SPDX-License-Identifier: GPL-2.0-only
/* One selection for several sources, each of which has formats of its own. */
#include <stdlib.h>

#include "session/tracepoints.h"

static int patterns_copy(struct selection *out, const struct selection *from, struct error *error)
{
	unsigned int option = 0;

	for (size_t i = 0; i < from->nr_patterns; i++) {
		const struct pattern *pattern = &from->patterns[i];

		if (selection_add(out, pattern->text, error) < 0)
			return -1;
		out->patterns[i].option = option = pattern->option;
		out->patterns[i].filter = pattern->filter;
	}
	out->nr_options = option;
	return 0;
}

int selection_copy(struct selection *out, const struct selection *from, struct error *error)
{
	if (patterns_copy(out, from, error) < 0)
		return -1;
	for (size_t i = 0; i < from->nr_rule_texts; i++) {
		if (selection_add_rules(out, from->rule_texts[i], error) < 0)
			return -1;
	}
	out->adds_rules = from->adds_rules;
	out->includes_self = from->includes_self;
	out->is_verbose = from->is_verbose;
	out->waits = true;
	return 0;
}

static int pattern_check(const struct selection *const *selections, size_t size, size_t index,
			 struct error *error)
{
	bool has_tracepoint = false;

	for (size_t i = 0; i < size; i++) {
		const struct pattern *pattern = &selections[i]->patterns[index];

		if (pattern->matches_descriptor)
			return 0;
		has_tracepoint |= pattern->matches_tracepoint;
	}
	return error_set(error,
			 has_tracepoint
				 ? "'%s': does not follow the track event convention; it needs "
				   "track_event_type and slice_name, or counter_value, or a rule (-r)"
				 : "'%s': no tracepoint of the sources matches; leave out -e to "
				   "export all",
			 selections[0]->patterns[index].text);
}

static int bound_check(const struct selection *const *selections, size_t size, struct error *error)
{
	for (size_t i = 0; i < size; i++) {
		if (!selections[i]->rules || rules_are_bound(selections[i]->rules))
			return 0;
	}
	return error_set(error, "-r: the sources have none of the tracepoints that the rules use; "
				"see 'ktrack list --rules'");
}

int selections_check(const struct selection *const *selections, size_t size, struct error *error)
{
	for (size_t i = 0; i < selections[0]->nr_patterns; i++) {
		if (pattern_check(selections, size, i, error) < 0)
			return -1;
	}
	return bound_check(selections, size, error);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reads the symbols of bound tracepoints. */
#include <stdlib.h>

#include "rules/action.h"
#include "rules/rules.h"

static size_t unread_count(const struct rules *rules)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->nr_tracepoints; i++)
		count += rules->tracepoints[i]->format != NULL;
	return count;
}

static void tracepoint_set_symbols(struct rule_tracepoint *tracepoint, struct symbols *symbols)
{
	free(tracepoint->format);
	tracepoint->format = NULL;
	tracepoint->names.symbols = symbols;
	for (size_t i = 0; symbols && i < tracepoint->nr_actions; i++)
		rule_action_set_symbols(&tracepoint->actions[i], symbols);
}

static void symbol_failures_report(const struct report *report, const struct rule_tracepoint *first,
				   size_t nr_failed)
{
	if (nr_failed > 1)
		report_message(report,
			       "%s:%s and %zu more: their print formats cannot be parsed; symbolic "
			       "fields are numbers",
			       first->system, first->name, nr_failed - 1);
	else if (nr_failed > 0)
		report_message(report,
			       "%s:%s: its print format cannot be parsed; symbolic fields are "
			       "numbers",
			       first->system, first->name);
}

static int action_resolve(const struct rule_action *action, const struct kallsyms *kallsyms,
			  const struct rule_tracepoint *tracepoint, struct error *error)
{
	const struct rule *rule = action->rule;
	struct error problem = { 0 };

	if (!action->where || !event_filter_needs_symbols(action->where) ||
	    event_filter_resolve(action->where, kallsyms, &problem) == 0)
		return 0;
	return error_set(error, "%s:%u: %s: %s: where: %s", rule->source, rule->line,
			 rule->descriptor.category, tracepoint->category, problem.text);
}

int rules_resolve(struct rules *rules, struct error *error)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		const struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		for (size_t j = 0; j < tracepoint->nr_actions; j++) {
			if (action_resolve(&tracepoint->actions[j], rules->kallsyms, tracepoint,
					   error) < 0)
				return -1;
		}
	}
	return 0;
}

bool rules_compare_functions(const struct rule_tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->nr_actions; i++) {
		const struct rule_action *action = &tracepoint->actions[i];

		if (action->where && event_filter_needs_symbols(action->where))
			return true;
	}
	return false;
}

static void requests_fill(struct rules *rules, struct symbols_request *requests)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		if (rules->tracepoints[i]->format)
			(requests++)->format = text_of(rules->tracepoints[i]->format);
	}
}

int rules_read_symbols(struct rules *rules, bool is_trusted, const struct report *report)
{
	struct symbols_reader reader = { .is_swapped = rules->is_swapped,
					 .is_trusted = is_trusted };
	size_t nr_requests = unread_count(rules), number = 0, nr_failed = 0;
	struct symbols_request *requests = calloc(nr_requests + 1, sizeof(*requests));
	const struct rule_tracepoint *first = NULL;

	if (!requests)
		return -1;
	requests_fill(rules, requests);
	symbols_read(&reader, requests, nr_requests);
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		if (!tracepoint->format)
			continue;
		if (requests[number].has_failed && nr_failed++ == 0)
			first = tracepoint;
		tracepoint_set_symbols(tracepoint, requests[number++].symbols);
	}
	symbol_failures_report(report, first, nr_failed);
	free(requests);
	return 0;
}

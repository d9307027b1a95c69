// SPDX-License-Identifier: GPL-2.0-only
/* Describes rules and the tracepoints that they use. */
#include <string.h>

#include "rules/marker.h"
#include "rules/rule.h"
#include "rules/rules.h"

static const char *const role_names[] = {
	[RULE_BEGIN] = "begin", [RULE_END] = "end",   [RULE_ON] = "on",
	[RULE_EVENT] = "event", [RULE_FROM] = "from", [RULE_TO] = "to",
};

_Static_assert(sizeof(role_names) / sizeof(role_names[0]) == RULE_ROLE_COUNT,
	       "each role has a name");

void rules_about(const struct rules *rules, size_t index, struct rule_about *out)
{
	const struct rule *rule = rules->rules[index];

	*out = (struct rule_about){
		.name = rule->descriptor.category,
		.source = rule->source,
		.kind = rule_kind_name(rule->kind),
		.of = rule->of,
		.nr_uses = rule->nr_uses,
	};
}

/* Begin and end may be the same tracepoint. */
static bool is_listed(const struct rule *rule, size_t use)
{
	for (size_t i = 0; i < use; i++) {
		if (strcmp(rule->uses[i].system, rule->uses[use].system) == 0 &&
		    strcmp(rule->uses[i].event, rule->uses[use].event) == 0)
			return true;
	}
	return false;
}

void rules_report_absent(const struct rules *rules, const struct report *report)
{
	struct buffer absent = { 0 };

	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		buffer_clear(&absent);
		for (size_t j = 0; j < rule->nr_uses; j++) {
			/* Those of programs exist when a program runs. */
			if (!rule->uses[j].is_bound && !is_listed(rule, j) &&
			    !program_system(rule->uses[j].system))
				buffer_printf(&absent, "%s%s:%s", absent.size > 0 ? ", " : "",
					      rule->uses[j].system, rule->uses[j].event);
		}
		if (absent.size > 0)
			report_message(report, "%s: skipped, does not exist: %s",
				       rule->descriptor.category, buffer_string(&absent));
	}
	buffer_release(&absent);
}

void rules_use(const struct rules *rules, size_t index, size_t use, struct rule_use_about *out)
{
	const struct rule_use *used = &rules->rules[index]->uses[use];

	*out = (struct rule_use_about){
		.system = used->system,
		.event = used->event,
		.role = role_names[used->role],
		.of_system = used->system,
		.of_event = used->event,
	};
	rule_marker_origin(&out->of_system, &out->of_event);
}

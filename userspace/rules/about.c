// SPDX-License-Identifier: GPL-2.0-only
/* Describes rules and the tracepoints that they use. */
#include "rules/rule.h"
#include "rules/rules.h"

static const char *const role_names[RULE_ROLE_COUNT] = {
	[RULE_BEGIN] = "begin", [RULE_END] = "end",   [RULE_ON] = "on",
	[RULE_EVENT] = "event", [RULE_FROM] = "from", [RULE_TO] = "to",
};

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

void rules_use(const struct rules *rules, size_t index, size_t use, struct rule_use_about *out)
{
	const struct rule_use *used = &rules->rules[index]->uses[use];

	*out = (struct rule_use_about){
		.system = used->system,
		.event = used->event,
		.role = role_names[used->role],
	};
}

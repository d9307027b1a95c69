// SPDX-License-Identifier: GPL-2.0-only
/* Leaves out rules: by name, and those that need the records of all tasks. */
#include "rules/rule.h"
#include "rules/rules.h"

#include <string.h>

static bool rule_is_of_cpus(const struct rule *rule)
{
	for (size_t i = 0; i < rule->nr_uses; i++) {
		if (rule_use_scope(rule, &rule->uses[i])->kind == DESCRIPTOR_SCOPE_CPU)
			return true;
	}
	return false;
}

/* A state of a CPU lasts until another task's record; what pairs by fields may end in any task. */
static bool rule_needs_all_tasks(const struct rule *rule)
{
	return (rule->kind == RULE_STATE && rule_is_of_cpus(rule)) ||
	       (rule->kind == RULE_SLICE && rule_matches(rule)) ||
	       (rule->kind == RULE_COUNTER && (rule->of || rule->sign != VALUE_LEVEL));
}

void rules_omit(struct rules *rules, const char *category)
{
	size_t size = 0;

	for (size_t i = 0; i < rules->nr_rules; i++) {
		struct rule *rule = rules->rules[i];

		if (strcmp(rule->descriptor.category, category) == 0)
			rule_free(rule);
		else
			rules->rules[size++] = rule;
	}
	rules->nr_rules = size;
}

bool rules_omit_of(struct rules *rules, const char *category, const char *source)
{
	size_t size = rules->nr_rules;

	for (size_t i = 0; i < size; i++) {
		const struct rule *rule = rules->rules[i];

		if (strcmp(rule->source, source) == 0 &&
		    strcmp(rule->descriptor.category, category) == 0) {
			rules_omit(rules, category);
			return true;
		}
	}
	return false;
}

bool rules_omit_shared(struct rules *rules, struct buffer *omitted)
{
	size_t size = 0;

	for (size_t i = 0; i < rules->nr_rules; i++) {
		struct rule *rule = rules->rules[i];

		if (!rule_needs_all_tasks(rule)) {
			rules->rules[size++] = rule;
			continue;
		}
		buffer_printf(omitted, "%s%s", omitted->size > 0 ? ", " : "",
			      rule->descriptor.category);
		rule_free(rule);
	}
	rules->nr_rules = size;
	return size > 0;
}

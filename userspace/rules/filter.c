// SPDX-License-Identifier: GPL-2.0-only
/* Event filters for the kernel, made of the conditions of all rules. */
#include <stdlib.h>
#include <string.h>

#include "rules/rule.h"
#include "rules/rules.h"

/* Who switched to whom, and who woke whom, is a chain: it breaks if one record is missing. */
static bool system_is_chained(const char *system)
{
	return strcmp(system, "sched") == 0 || strcmp(system, "task") == 0;
}

/* Records of these are made by the thread that they are about. */
static bool system_is_of_callers(const char *system)
{
	return strcmp(system, "raw_syscalls") == 0 || strcmp(system, "syscalls") == 0;
}

/*
 * The condition of a use, NULL if it needs all records: also those of begins on a stack that do not
 * match, because their ends must not end the slices below.
 */
static const char *use_condition(const struct rule *rule, const struct rule_use *use)
{
	bool is_on_stack = use->role == RULE_BEGIN && !rule_matches(rule);
	bool has_own = use->settings.where || use->role == RULE_END;

	if (is_on_stack)
		return NULL;
	return has_own ? use->settings.where : rule->settings.where;
}

/* Adds "(CONDITION)" to alternatives. */
static void condition_add(struct buffer *out, const char *condition)
{
	struct buffer part = { 0 };

	buffer_printf(&part, "(%s)", condition);
	if (out->size == 0)
		buffer_append_string(out, buffer_string(&part));
	else if (!strstr(buffer_string(out), buffer_string(&part)))
		buffer_printf(out, " || %s", buffer_string(&part));
	buffer_release(&part);
}

/* Returns whether all uses of a tracepoint have conditions. */
static bool conditions_collect(struct buffer *out, const struct rules *rules, const char *system,
			       const char *name)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses; j++) {
			const struct rule_use *use = &rule->uses[j];
			const char *condition = use_condition(rule, use);

			if (!rule_use_means(use, system, name))
				continue;
			if (!condition)
				return false;
			condition_add(out, condition);
		}
	}
	return true;
}

/* Leaves out records of the excluded thread, where that breaks no chain and hides no interrupt. */
static void excluded_add(struct buffer *out, const struct rules *rules, const char *system)
{
	struct buffer conditions = *out;

	if (!rules->excluded || !system_is_of_callers(system))
		return;
	*out = (struct buffer){ 0 };
	if (conditions.size > 0)
		buffer_printf(out, "(%s) && ", buffer_string(&conditions));
	buffer_printf(out, "common_pid != %d", rules->excluded);
	buffer_release(&conditions);
}

char *rules_filter(const struct rules *rules, const char *system, const char *name)
{
	struct buffer text = { 0 };
	char *filter = NULL;

	if (system_is_chained(system))
		return NULL;
	if (!conditions_collect(&text, rules, system, name))
		buffer_clear(&text);
	excluded_add(&text, rules, system);
	if (text.size > 0 && text.size <= EVENT_FILTER_SIZE_MAX && !text.failed)
		filter = strdup(buffer_string(&text));
	buffer_release(&text);
	return filter;
}

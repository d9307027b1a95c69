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
	return rule_use_hides(rule, use) ? NULL : rule_use_where(rule, use);
}

/** CONDITIONS_MAX - with more conditions a tracepoint gets no filter */
#define CONDITIONS_MAX 64

/** struct conditions - different conditions of one tracepoint */
struct conditions {
	const char *list[CONDITIONS_MAX];
	size_t size;
};

/* Returns false if there are too many. */
static bool condition_add(struct conditions *conditions, const char *condition)
{
	for (size_t i = 0; i < conditions->size; i++) {
		if (strcmp(conditions->list[i], condition) == 0)
			return true;
	}
	if (conditions->size == CONDITIONS_MAX)
		return false;
	conditions->list[conditions->size++] = condition;
	return true;
}

/* Returns false if some use of a tracepoint needs all records. */
static bool conditions_collect(struct conditions *conditions, const struct rules *rules,
			       const char *system, const char *name)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses; j++) {
			const struct rule_use *use = &rule->uses[j];
			const char *condition = use_condition(rule, use);

			if (!rule_use_means(use, system, name))
				continue;
			if (!condition || !condition_add(conditions, condition))
				return false;
		}
	}
	return true;
}

static void conditions_append(struct buffer *out, const struct conditions *conditions)
{
	for (size_t i = 0; i < conditions->size; i++)
		buffer_printf(out, "%s(%s)", i > 0 ? " || " : "", conditions->list[i]);
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
	struct conditions conditions = { 0 };
	struct buffer text = { 0 };
	char *filter = NULL;

	if (system_is_chained(system))
		return NULL;
	if (conditions_collect(&conditions, rules, system, name))
		conditions_append(&text, &conditions);
	excluded_add(&text, rules, system);
	if (text.size > 0 && text.size <= EVENT_FILTER_SIZE_MAX && !text.failed)
		filter = strdup(buffer_string(&text));
	buffer_release(&text);
	return filter;
}

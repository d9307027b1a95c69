// SPDX-License-Identifier: GPL-2.0-only
/* Frees rules. */
#include "rules/rule.h"

#include <stdlib.h>

static void field_names_free(struct field_names *names)
{
	for (size_t i = 0; i < names->size; i++)
		free(names->names[i]);
}

static void settings_free(struct rule_settings *settings)
{
	field_names_free(&settings->scope.fields);
	free(settings->name);
	free(settings->track);
	free(settings->args);
	free(settings->where);
	free(settings->unless);
}

void rule_free(struct rule *rule)
{
	if (!rule)
		return;
	settings_free(&rule->settings);
	field_names_free(&rule->match_begin);
	field_names_free(&rule->match_end);
	for (size_t i = 0; i < rule->nr_uses; i++) {
		free(rule->uses[i].system);
		free(rule->uses[i].event);
		settings_free(&rule->uses[i].settings);
	}
	free(rule->uses);
	free(rule->value);
	free(rule->unit);
	free(rule->label);
	free(rule->of);
	free(rule->descriptor.category);
	free(rule->descriptor.scope_field);
	free(rule);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules as they are written: how existing tracepoints become tracks. See ktrack-rules(5). */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "event/event.h"

enum rule_kind {
	RULE_SLICE,
	RULE_STATE,
	RULE_COUNTER,
	RULE_INSTANT,
	RULE_FLOW,
	RULE_KIND_COUNT
};

/** enum rule_role - what a rule uses a tracepoint for */
enum rule_role {
	RULE_BEGIN,
	RULE_END,
	RULE_ON,
	RULE_EVENT,
	RULE_FROM,
	RULE_TO,
	RULE_ROLE_COUNT
};

/** RULE_FIELDS_MAX - limit of fields of a scope; the last one is the scope, the others are outer */
#define RULE_FIELDS_MAX (KEYS_OUTER_MAX + 1)

/** struct field_names - a list of fields */
struct field_names {
	char *names[RULE_FIELDS_MAX];
	size_t size;
};

/**
 * struct rule_scope - to whom tracks belong
 * @is_set: the rule has this setting
 * @fields: whose values are the scope; none for the thread or CPU of the record, or if global
 */
struct rule_scope {
	bool is_set;
	enum descriptor_scope kind;
	struct field_names fields;
};

/**
 * struct rule_settings - settings of a rule, or of one use of a tracepoint; NULL if not set
 * @name: naming of names of slices, states and instants
 * @track: naming of names of tracks
 * @args: list of the fields that are passed on, or "*" for all
 * @where: an event filter
 * @unless: list of states in which the record is ignored
 */
struct rule_settings {
	struct rule_scope scope;
	char *name;
	char *track;
	char *args;
	char *where;
	char *unless;
};

/**
 * struct rule_use - a tracepoint that a rule uses
 * @is_bound: it was bound to a tracepoint that exists
 */
struct rule_use {
	enum rule_role role;
	bool is_bound;
	char *system;
	char *event;
	struct rule_settings settings;
};

/** enum value_sign - how a counter's value is used: as it is, or as a change of a sum */
enum value_sign {
	VALUE_LEVEL,
	VALUE_PLUS,
	VALUE_MINUS,
};

/** RULE_USES_MAX - limit of tracepoints of a rule */
#define RULE_USES_MAX 64

/**
 * struct rule - one rule
 * @pack: the part of the name before the colon, in @descriptor.category
 * @source, @line: position of the rule in a file
 * @match_begin, @match_end: fields that pair begin and end, or sums "FIELD+FIELD"; none for a stack
 * @value: field of a counter
 * @unit: of a counter; shown by @label, the name of its tracks, which is NULL without
 * @of: name of the rule whose open slices are counted; NULL if none
 * @bound_roles: a bit for each enum rule_role that a tracepoint was bound to
 * @is_usable: the tracepoints of all roles that the rule cannot do without exist
 * @descriptor: what its decoded events refer to
 */
struct rule {
	enum rule_kind kind;
	const char *source;
	unsigned int line;
	struct rule_settings settings;
	struct field_names match_begin;
	struct field_names match_end;
	enum value_sign sign;
	char *value;
	char *unit;
	char *label;
	char *of;
	struct rule_use *uses;
	size_t nr_uses;
	unsigned int bound_roles;
	bool is_usable;
	struct descriptor descriptor;
};

/**
 * rule_text_parse - parse rules
 * @text: rules, each of which begins in the first column and continues on indented lines
 * @source: name of the text in errors; outlives the rules
 * @add: takes ownership of each rule; returns -1 with @error
 *
 * Returns 0, or -1 with @error, which begins with "SOURCE:LINE:COLUMN: ".
 */
int rule_text_parse(struct text text, const char *source,
		    int (*add)(void *context, struct rule *rule, struct error *error),
		    void *context, struct error *error);

/** rule_kind_name - the kind as it is written */
const char *rule_kind_name(enum rule_kind kind);

/** rule_free - free a rule; NULL is allowed */
void rule_free(struct rule *rule);

/** rule_use_means - whether a use has this tracepoint; @name is NULL for any of @system */
bool rule_use_means(const struct rule_use *use, const char *system, const char *name);

/** rule_use_scope - the scope of a use: its own, or else the rule's */
static inline const struct rule_scope *rule_use_scope(const struct rule *rule,
						      const struct rule_use *use)
{
	return use->settings.scope.is_set ? &use->settings.scope : &rule->settings.scope;
}

/** rule_use_where - the condition of a use, NULL if none; the rule's is not for ends */
static inline const char *rule_use_where(const struct rule *rule, const struct rule_use *use)
{
	bool has_own = use->settings.where || use->role == RULE_END;

	return has_own ? use->settings.where : rule->settings.where;
}

/** rule_matches - whether begin and end pair by fields, so that slices may overlap */
static inline bool rule_matches(const struct rule *rule)
{
	return rule->match_begin.size > 0;
}

/**
 * rule_use_hides - whether an end belongs to each begin of a use, also to one that is not selected
 *
 * True for begins of slices on a stack, unless conditions of their own select the ends.
 */
bool rule_use_hides(const struct rule *rule, const struct rule_use *use);

#endif

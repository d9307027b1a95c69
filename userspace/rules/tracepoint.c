// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints that rules use: finds the rules of one, and the tracepoint of a record. */
#include "rules/rule.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rules.h"

/* Event filters for the kernel, made of the conditions of all rules. */

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

/*
 * Most names have another first character than a pattern. There are thousands of tracepoints, and
 * hundreds of uses.
 */
static bool pattern_meets(const char *pattern, const char *name)
{
	bool can_meet = *pattern == *name || *pattern == '*' || *pattern == '?' || *pattern == '[';

	return can_meet && fnmatch(pattern, name, 0) == 0;
}

/* Tracepoints of a rule may have wildcards, which are for the kernel's or for programs' events. */
static bool rule_use_names(const struct rule_use *use, const char *system, const char *name)
{
	return pattern_meets(use->system, system) &&
	       !program_system(use->system) == !program_system(system) &&
	       (!name || pattern_meets(use->event, name));
}

/* Whether the tracepoint is used for this. */
static bool rule_use_means(const struct rule_use *use, const char *system, const char *name)
{
	return !use->is_unused && rule_use_names(use, system, name);
}

bool rule_use_is_repeated(const struct rule *rule, size_t number)
{
	const struct rule_use *use = &rule->uses[number];

	return use->is_alternative && strcmp(use->system, use[-1].system) == 0 &&
	       strcmp(use->event, use[-1].event) == 0;
}

/* Whether a use is an alternative to the one before it, with another condition. */
static bool use_differs(const struct rule *rule, size_t number)
{
	const char *condition = rule_use_where(rule, &rule->uses[number]);
	const char *before = number > 0 ? rule_use_where(rule, &rule->uses[number - 1]) : NULL;

	return rule_use_is_repeated(rule, number) &&
	       (!condition || !before || strcmp(condition, before) != 0);
}

/*
 * Whether one of several uses of the tracepoint is chosen by its fields: the conditions of the
 * others may name fields that it does not have, which the kernel refuses.
 */
static bool use_depends_on_fields(const struct rule *rule, size_t number)
{
	return use_differs(rule, number) ||
	       (number + 1 < rule->nr_uses && use_differs(rule, number + 1));
}

/* Returns false if some use of a tracepoint needs all records. */
static bool conditions_collect(struct conditions *conditions, const struct rules *rules,
			       const char *system, const char *name)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses; j++) {
			const struct rule_use *use = &rule->uses[j];
			const char *condition = rule_use_where(rule, use);

			if (!rule_use_means(use, system, name))
				continue;
			/* Begins that do not match have ends, which must not end others. */
			if (rule_use_hides(rule, use) || !condition ||
			    use_depends_on_fields(rule, j) || !condition_add(conditions, condition))
				return false;
		}
	}
	return true;
}

/* Leaves out records of the excluded thread, where that breaks no chain and hides no interrupt. */
static void excluded_add(struct buffer *out, const struct rules *rules, const char *system)
{
	struct buffer conditions = *out;

	/* Records of these are made by the thread that they are about. */
	if (!rules->excluded ||
	    (strcmp(system, "raw_syscalls") != 0 && strcmp(system, "syscalls") != 0))
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
	SCOPED_BUFFER(text);
	char *filter = NULL;

	/* Who switched to whom, and who woke whom, is a chain: it breaks if a record is missing. */
	if (strcmp(system, "sched") == 0 || strcmp(system, "task") == 0)
		return NULL;
	if (!conditions_collect(&conditions, rules, system, name))
		conditions.size = 0;
	for (size_t i = 0; i < conditions.size; i++)
		/* The kernel takes all up to a blank for the name of a function. */
		buffer_printf(&text, "%s(%s%s)", i > 0 ? " || " : "", conditions.list[i],
			      strstr(conditions.list[i], ".function") ? " " : "");
	excluded_add(&text, rules, system);
	if (text.size > 0 && text.size <= EVENT_FILTER_SIZE_MAX && !text.failed)
		filter = strdup(buffer_string(&text));
	return filter;
}

static void rule_tracepoint_free(struct rule_tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	for (size_t i = 0; i < tracepoint->nr_actions; i++)
		rule_action_release(&tracepoint->actions[i]);
	free(tracepoint->actions);
	free(tracepoint->calls);
	for (int kind = 0; tracepoint->marker && kind < MARKER_KIND_COUNT; kind++)
		rule_tracepoint_free(tracepoint->marker->tracepoints[kind]);
	free(tracepoint->marker);
	free(tracepoint->events);
	symbols_free(tracepoint->names.symbols);
	free(tracepoint->system);
	free(tracepoint->name);
	free(tracepoint->category);
	free(tracepoint->format);
	free(tracepoint);
}

void rules_unbind(struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++)
		rule_tracepoint_free(rules->tracepoints[i]);
	free(rules->tracepoints);
	rules->tracepoints = NULL;
	rules->nr_tracepoints = 0;
	rules->pairs_size = rules->nr_compared = 0;
	memset(rules->by_id, 0, sizeof(rules->by_id));
}

/* @name is NULL for any of @system. */
static size_t rule_uses_count(const struct rules *rules, const char *system, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses; j++)
			count += rule_use_means(&rule->uses[j], system, name);
	}
	return count;
}

static size_t marker_uses_count(const struct rules *rules)
{
	size_t count = 0;

	for (int kind = 0; kind < MARKER_KIND_COUNT; kind++)
		count += rule_uses_count(rules, MARKER_SYSTEM, marker_events[kind]);
	return count;
}

/* Uses of the tracepoint, and those of what its texts mean. */
static size_t all_uses_count(const struct rules *rules, const char *system, const char *name)
{
	size_t count = rule_uses_count(rules, system, name);

	return rule_marker_is(system, name) ? count + marker_uses_count(rules) : count;
}

static bool rule_uses(const struct rule *rule, const char *system, const char *name)
{
	for (size_t i = 0; i < rule->nr_uses; i++) {
		const char *of_system = rule->uses[i].system, *of_event = rule->uses[i].event;

		rule_marker_origin(&of_system, &of_event);
		if (pattern_meets(of_system, system) && pattern_meets(of_event, name))
			return true;
	}
	return false;
}

void rules_feed(struct rules *rules, const char *system, const char *name, bool names_threads)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		const char *source = rules->rules[i]->source;

		if (rules->rules[i]->is_fed || !rule_uses(rules->rules[i], system, name))
			continue;
		/* That a thread is new is no state of it if nobody records its others. */
		for (size_t j = 0; j < rules->nr_rules; j++) {
			struct rule *rule = rules->rules[j];

			rule->is_fed |= rule->source == source &&
					(!names_threads || rule->kind != RULE_STATE);
		}
	}
}

void rules_keep_fed(struct rules *rules)
{
	size_t size = 0;

	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (rules->rules[i]->is_fed || rules->rules[i] == rules->rest)
			rules->rules[size++] = rules->rules[i];
		else
			rule_free(rules->rules[i]);
	}
	rules->nr_rules = size;
}

bool rules_want(const struct rules *rules, const char *system, const char *name)
{
	return all_uses_count(rules, system, name) > 0;
}

void rules_note(struct rules *rules, const char *system, const char *name)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses; j++)
			rule->uses[j].exists |= rule_use_names(&rule->uses[j], system, name);
	}
}

/*
 * Chooses among a tracepoint and the alternatives that follow it; those of the same tracepoint are
 * chosen by its fields, when they are bound. Returns the index behind them.
 */
static size_t alternatives_choose(struct rule *rule, size_t first)
{
	const struct rule_use *chosen = NULL;
	size_t end = first;

	do {
		if (!chosen && rule->uses[end].exists)
			chosen = &rule->uses[end];
	} while (++end < rule->nr_uses && rule->uses[end].is_alternative);
	for (size_t i = first; i < end && chosen; i++) {
		struct rule_use *use = &rule->uses[i];

		use->is_unused = strcmp(chosen->system, use->system) != 0 ||
				 strcmp(chosen->event, use->event) != 0;
	}
	return end;
}

/*
 * Takes some begins, and the ends that follow them, from index @at on; sets @roles to a bit for
 * each of both that exists. Returns the index behind them.
 */
static size_t pair_take(const struct rule *rule, size_t at, unsigned int *roles)
{
	size_t first = at;

	*roles = 0;
	for (; at < rule->nr_uses; at++) {
		const struct rule_use *use = &rule->uses[at];

		if (at > first && use->role == RULE_BEGIN && use[-1].role == RULE_END)
			break;
		*roles |= use->exists ? 1u << use->role : 0;
	}
	return at;
}

/* A rule without a pair makes no slices, and one of a module may come. */
static void pairs_choose(struct rule *rule)
{
	const unsigned int both = 1u << RULE_BEGIN | 1u << RULE_END;
	unsigned int roles = 0;
	bool has_pair = false;

	for (size_t i = 0; i < rule->nr_uses && !has_pair;) {
		i = pair_take(rule, i, &roles);
		has_pair = roles == both;
	}
	for (size_t i = 0, end; i < rule->nr_uses && has_pair; i = end) {
		end = pair_take(rule, i, &roles);
		for (; i < end && roles != both; i++)
			rule->uses[i].is_unused |= rule->uses[i].exists;
	}
}

void rules_choose(struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses;)
			j = alternatives_choose(rule, j);
		if (rule->kind == RULE_SLICE)
			pairs_choose(rule);
	}
}

static bool rules_have_use(const struct rules *rules, bool of_program)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses; j++) {
			if (!program_system(rule->uses[j].system) != of_program)
				return true;
		}
	}
	return false;
}

bool rules_want_programs(const struct rules *rules)
{
	return rules_have_use(rules, true);
}

bool rules_want_kernel(const struct rules *rules)
{
	return rules_have_use(rules, false);
}

static void rule_note_role(struct rule *rule, enum rule_role role)
{
	static const unsigned int needed[RULE_KIND_COUNT] = {
		[RULE_SLICE] = 1u << RULE_BEGIN | 1u << RULE_END,
		[RULE_FLOW] = 1u << RULE_FROM | 1u << RULE_TO,
	};

	rule->bound_roles |= 1u << role;
	rule->is_usable = (rule->bound_roles & needed[rule->kind]) == needed[rule->kind];
}

/* Whether the user wrote it: it is neither a pack's, nor a recording's own. */
static bool rule_is_own(const struct rule *rule)
{
	return !rule_pack_find(text_of(rule->source)) &&
	       strcmp(rule->source, RULES_OF_RECORDING) != 0 &&
	       strcmp(rule->source, RULES_OF_REST) != 0;
}

/* Returns 0, RULES_MISFIT with @error, or -1 with @error. */
static int action_add(struct rule_tracepoint *tracepoint, struct rule *rule, struct rule_use *use,
		      const struct format *format, bool is_swapped, bool is_strict,
		      struct error *error)
{
	struct rule_action *action = &tracepoint->actions[tracepoint->nr_actions];
	int status = rule_action_bind(action, rule, use, format, text_of(tracepoint->format),
				      is_swapped, is_strict || rule_is_own(rule), error);

	if (status == 0) {
		tracepoint->nr_actions++;
		use->is_bound = true;
		rule_note_role(rule, use->role);
		return 0;
	}
	rule_action_release(action);
	memset(action, 0, sizeof(*action));
	/*
	 * A rule may be left out where it does not fit: whoever wrote it may correct it, but not a
	 * pack, which was tried on other kernels, a recording's own rule, or the event of a
	 * program.
	 */
	return status > 0 && (program_system(tracepoint->system) || !rule_is_own(rule))
		       ? RULES_MISFIT
		       : -1;
}

/*
 * Binds the first alternative from index @at on that fits the tracepoint, and moves @at behind
 * them. Uses that no pair is left for are not bound. Returns as action_add(), of the last one that
 * was tried.
 */
static int alternatives_bind(struct rule_tracepoint *tracepoint, struct rule *rule, size_t *at,
			     const struct format *format, bool is_swapped, struct error *error)
{
	bool is_bound = false;
	int status = 0;

	do {
		struct rule_use *use = &rule->uses[(*at)++];
		bool is_last = *at == rule->nr_uses || !use[1].is_alternative ||
			       !rule_use_means(&use[1], tracepoint->system, tracepoint->name);

		if (is_bound || tracepoint->nr_actions == tracepoint->nr_pairs ||
		    !rule_use_means(use, tracepoint->system, tracepoint->name))
			continue;
		*error = (struct error){ 0 };
		status = action_add(tracepoint, rule, use, format, is_swapped, !is_last, error);
		is_bound = status == 0;
		if (status < 0 && error_is_memory(error))
			return -1;
	} while (*at < rule->nr_uses && rule->uses[*at].is_alternative);
	return status;
}

/* Returns as action_add(), with the first error. */
static int actions_bind(const struct rules *rules, struct rule_tracepoint *tracepoint,
			const struct format *format, bool is_swapped, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < rules->nr_rules; i++) {
		struct rule *rule = rules->rules[i];

		for (size_t j = 0; j < rule->nr_uses;) {
			struct error problem = { 0 };
			int added = alternatives_bind(tracepoint, rule, &j, format, is_swapped,
						      &problem);

			if (added != 0) {
				error_set(error, "%s", problem.text);
				status = added;
			}
			if (added < 0)
				return -1;
		}
	}
	return status;
}

static struct rule_tracepoint *tracepoint_new(const char *system, const char *name,
					      struct text format, size_t nr_actions,
					      size_t nr_events)
{
	struct rule_tracepoint *tracepoint = calloc(1, sizeof(*tracepoint));

	if (!tracepoint)
		return NULL;
	tracepoint->nr_pairs = nr_actions;
	tracepoint->system = strdup(system);
	tracepoint->name = strdup(name);
	if (asprintf(&tracepoint->category, "%s:%s", system, name) < 0)
		tracepoint->category = NULL;
	tracepoint->format = strndup(format.data, format.size);
	tracepoint->actions = calloc(nr_actions, sizeof(*tracepoint->actions));
	tracepoint->events = calloc(nr_events, sizeof(struct decoded_event *));
	if (tracepoint->system && tracepoint->name && tracepoint->category && tracepoint->format &&
	    tracepoint->actions && tracepoint->events)
		return tracepoint;
	rule_tracepoint_free(tracepoint);
	return NULL;
}

/* Few tracepoints have records of system calls. */
static int tracepoint_bind_calls(struct rule_tracepoint *tracepoint, const struct format *format,
				 bool is_swapped)
{
	struct rule_calls calls = { 0 };

	rule_calls_bind(&calls, tracepoint, format, is_swapped);
	if (calls.call == RULE_CALL_NONE)
		return 0;
	tracepoint->calls = malloc(sizeof(*tracepoint->calls));
	if (!tracepoint->calls)
		return -1;
	*tracepoint->calls = calls;
	return 0;
}

/* Returns as action_add(). */
static int rest_bind(struct rules *rules, struct rule_tracepoint *tracepoint,
		     const struct format *format, struct error *error)
{
	struct decoded_event *event = &tracepoint->actions[0].event;
	int status = action_add(tracepoint, rules->rest, &rules->rest->uses[0], format,
				rules->is_swapped, false, error);

	event->slice_name = text_of(tracepoint->category);
	event->slice_head = text_head(event->slice_name);
	event->name_number = ++rules->nr_rest_names;
	return status;
}

/* The only action of a tracepoint, if it needs only numbers but for the fields it passes on. */
static struct rule_action *plain_action(const struct rule_tracepoint *tracepoint)
{
	struct rule_action *action = tracepoint->actions;

	if (tracepoint->nr_actions != 1 || tracepoint->calls || tracepoint->marker ||
	    action->kind != DECODED_INSTANT || action->scope_ref || action->has_more ||
	    action->name.is_made || action->where || action->is_swapped)
		return NULL;
	return action->rule->descriptor.scope == DESCRIPTOR_SCOPE_THREAD ? action : NULL;
}

static int tracepoint_make(struct rule_tracepoint **out, struct rules *rules, const char *system,
			   const char *name, struct text text, bool is_swapped, bool is_rest,
			   struct error *error);

/*
 * Binds what texts of trace_marker mean to the tracepoint of these texts, which has their memory.
 * Returns as rules_bind().
 */
static int marker_bind(struct rule_tracepoint *tracepoint, struct rules *rules,
		       const struct format *format, struct error *error)
{
	const struct format_field *text = format_find(format, text_of("buf"));
	struct field_ref writer = field_ref_of(format_find(format, text_of("common_pid")),
					       rules->is_swapped);
	struct rule_marker *marker;
	SCOPED_BUFFER(made);
	int status = 0;

	if (marker_uses_count(rules) == 0)
		return 0;
	if (!text || text->offset > UINT16_MAX || !field_ref_is_number(&writer)) {
		error_set(error, "ftrace:print: its format has no field 'buf'");
		return RULES_MISFIT;
	}
	marker = tracepoint->marker = calloc(1, sizeof(*marker));
	if (!marker)
		return error_set(error, "out of memory");
	rules->pairs_size += sizeof(*marker);
	tracepoint->pairs_size += sizeof(*marker);
	marker->writer = writer;
	marker->text_offset = text->offset;
	marker->tasks = &rules->tasks;
	for (int kind = 0; kind < MARKER_KIND_COUNT && status >= 0; kind++) {
		int bound;

		buffer_clear(&made);
		marker_format_append(&made, kind);
		bound = made.failed ? error_set(error, "out of memory")
				    : tracepoint_make(&marker->tracepoints[kind], rules,
						      MARKER_SYSTEM, marker_events[kind],
						      buffer_text(&made), false, false, error);
		if (marker->tracepoints[kind])
			tracepoint->pairs_size += marker->tracepoints[kind]->pairs_size;
		status = bound ? bound : status;
	}
	return status;
}

/* Returns as rules_bind(). */
static int tracepoint_bind(struct rules *rules, struct rule_tracepoint *tracepoint,
			   const struct format *format, bool is_swapped, bool is_rest,
			   struct error *error)
{
	int status, of_marker = 0;

	tracepoint->id = format->id;
	tracepoint->is_rest = is_rest;
	tracepoint->names.kallsyms = rules->kallsyms;
	tracepoint->names.late = rules->late;
	tracepoint->names.syscalls = rules->syscalls;
	tracepoint->names.tasks = &rules->tasks;
	tracepoint->names.nr_addresses = &rules->nr_addresses;
	status = is_rest ? rest_bind(rules, tracepoint, format, error)
			 : actions_bind(rules, tracepoint, format, is_swapped, error);
	if (status >= 0 && rule_marker_is(tracepoint->system, tracepoint->name))
		of_marker = marker_bind(tracepoint, rules, format, error);
	if (status < 0 || of_marker < 0)
		return -1;
	if (tracepoint_bind_calls(tracepoint, format, is_swapped) < 0)
		return error_set(error, "out of memory");
	tracepoint->plain = plain_action(tracepoint);
	return status ? status : of_marker;
}

/* Memory of a pair, without that of the rule. */
static size_t pair_size(const struct format *format)
{
	size_t size = sizeof(struct rule_action) + sizeof(struct decoded_event *);

	for (size_t i = 0; i < format->nr_fields; i++)
		size += sizeof(struct extra) + sizeof(struct field) +
			sizeof(struct symbol_field *) + strlen(format->fields[i].name) + 1;
	return size;
}

/* Returns false if too many names were compared; tracepoints of a file are of any number. */
static bool names_may_be_compared(struct rules *rules)
{
	size_t nr_uses = 0;

	for (size_t i = 0; i < rules->nr_rules; i++)
		nr_uses += rules->rules[i]->nr_uses;
	if (rules->nr_compared + nr_uses > RULES_COMPARED_MAX) {
		rules->nr_unread++;
		return false;
	}
	rules->nr_compared += nr_uses;
	return true;
}

/* Creates a tracepoint for as many uses as there is memory left; none sets @out to NULL. */
static int tracepoint_reserve(struct rule_tracepoint **out, struct rules *rules, const char *system,
			      const char *name, size_t nr_uses, struct text text,
			      const struct format *format)
{
	size_t one = pair_size(format), fixed = sizeof(**out) + text.size;
	size_t left = RULES_PAIRS_SIZE_MAX - rules->pairs_size;
	size_t nr_pairs = left > fixed ? (left - fixed) / one : 0;

	if (nr_pairs > nr_uses)
		nr_pairs = nr_uses;
	rules->nr_left_out += nr_uses - nr_pairs;
	*out = nr_pairs > 0 ? tracepoint_new(system, name, text, nr_pairs, nr_uses) : NULL;
	if (!*out)
		return nr_pairs > 0 ? -1 : 0;
	(*out)->pairs_size = fixed + nr_pairs * one;
	rules->pairs_size += (*out)->pairs_size;
	return 0;
}

/* Sets @out to NULL if no rule takes it. Returns as rules_bind(); if some rules do not fit, @out
 * has the others. */
static int tracepoint_make(struct rule_tracepoint **out, struct rules *rules, const char *system,
			   const char *name, struct text text, bool is_swapped, bool is_rest,
			   struct error *error)
{
	size_t nr_uses = is_rest;
	struct format format = { 0 };
	int status;

	*out = NULL;
	if (!is_rest && names_may_be_compared(rules))
		nr_uses = all_uses_count(rules, system, name);
	if (nr_uses == 0)
		return 0;
	status = format_parse(&format, text);
	if (status == 0 && format.id >= RULES_IDS)
		status = 1;
	if (status == 0)
		status = tracepoint_reserve(out, rules, system, name, nr_uses, text, &format);
	if (status > 0)
		error_set(error, "%s:%s: cannot parse its format", system, name);
	else if (status < 0)
		error_set(error, "out of memory");
	else if (*out)
		status = tracepoint_bind(rules, *out, &format, is_swapped, is_rest, error);
	format_release(&format);
	if (status == 0 || (status == RULES_MISFIT && ((*out)->nr_actions > 0 || (*out)->marker)))
		return status;
	if (*out)
		rules->pairs_size -= (*out)->pairs_size;
	rule_tracepoint_free(*out);
	*out = NULL;
	return status;
}

static int rules_bind_to(struct rules *rules, const char *system, const char *name,
			 struct text text, bool is_rest, struct error *error)
{
	struct rule_tracepoint *tracepoint;
	int status = tracepoint_make(&tracepoint, rules, system, name, text, rules->is_swapped,
				     is_rest, error);

	rules->nr_misfits += status == RULES_MISFIT;
	if (!tracepoint)
		return status;
	if (!array_reserve(rules->tracepoints, rules->nr_tracepoints)) {
		rule_tracepoint_free(tracepoint);
		return error_set(error, "out of memory");
	}
	rules->tracepoints[rules->nr_tracepoints++] = tracepoint;
	rules->by_id[tracepoint->id] = tracepoint;
	return status;
}

int rules_bind(struct rules *rules, const char *system, const char *name, struct text text,
	       struct error *error)
{
	return rules_bind_to(rules, system, name, text, false, error);
}

int rules_bind_rest(struct rules *rules, const char *system, const char *name, struct text text,
		    struct error *error)
{
	return rules->rest ? rules_bind_to(rules, system, name, text, true, error) : 0;
}

void rule_tracepoint_append_takers(const struct rule_tracepoint *tracepoint, struct buffer *out)
{
	for (size_t i = 0; i < tracepoint->nr_actions; i++) {
		const char *category = tracepoint->actions[i].rule->descriptor.category;
		struct text pack = { category, strcspn(category, ":") };
		struct text rest = buffer_text(out), item;
		bool is_there = false;

		while (text_take_item(&rest, &item))
			is_there |= text_equals(item, pack);
		if (is_there)
			continue;
		buffer_append_string(out, out->size > 0 ? "," : "");
		buffer_append(out, pack.data, pack.size);
	}
	for (int kind = 0; tracepoint->marker && kind < MARKER_KIND_COUNT; kind++) {
		if (tracepoint->marker->tracepoints[kind])
			rule_tracepoint_append_takers(tracepoint->marker->tracepoints[kind], out);
	}
}

bool rules_are_bound(const struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (rules->rules[i]->is_usable && rules->rules[i] != rules->rest)
			return true;
	}
	return false;
}

bool rules_have_own(const struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (rule_is_own(rules->rules[i]))
			return true;
	}
	return false;
}

static struct rule_tracepoint *tracepoint_find(const struct rules *rules, const char *system,
					       const char *name)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		if (!tracepoint->is_dropped && strcmp(tracepoint->system, system) == 0 &&
		    strcmp(tracepoint->name, name) == 0)
			return tracepoint;
	}
	return NULL;
}

const struct rule_tracepoint *rules_find_name(const struct rules *rules, const char *system,
					      const char *name)
{
	return tracepoint_find(rules, system, name);
}

/* No record is decoded by the tracepoint any more. */
static void tracepoint_hide(struct rules *rules, const struct rule_tracepoint *tracepoint)
{
	if (rules->by_id[tracepoint->id] == tracepoint)
		rules->by_id[tracepoint->id] = NULL;
}

void rules_drop(struct rules *rules, const char *system, const char *name)
{
	struct rule_tracepoint *tracepoint = tracepoint_find(rules, system, name);

	if (!tracepoint)
		return;
	tracepoint->is_dropped = true;
	rules->pairs_size -= tracepoint->pairs_size;
	tracepoint_hide(rules, tracepoint);
}

void rules_hold_back(struct rules *rules, size_t first)
{
	for (size_t i = first; i < rules->nr_tracepoints; i++) {
		struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		tracepoint->is_held = true;
		tracepoint_hide(rules, tracepoint);
	}
}

void rules_trust(struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		if (tracepoint->is_held && !tracepoint->is_dropped)
			rules->by_id[tracepoint->id] = tracepoint;
		tracepoint->is_held = false;
	}
}

bool rules_need_kallsyms(const struct rules *rules, bool has_formats)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		const struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		for (size_t j = 0; j < tracepoint->nr_actions; j++) {
			const struct rule_action *action = &tracepoint->actions[j];

			if ((action->where && event_filter_needs_symbols(action->where)) ||
			    naming_needs(&action->name.naming, NAMING_FUNCTION) ||
			    naming_needs(&action->track.naming, NAMING_FUNCTION) ||
			    (has_formats && naming_needs(&action->name.naming, NAMING_PRINTK)))
				return true;
		}
	}
	return false;
}

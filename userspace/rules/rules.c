// SPDX-License-Identifier: GPL-2.0-only
/* The rules in use: packs, files of rules, and single rules of a command line. */
#include "rules/rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rule.h"

struct rules *rules_new(void)
{
	struct rules *rules = calloc(1, sizeof(*rules));

	if (!rules)
		return NULL;
	rules->syscalls = syscalls_new(NULL);
	if (rules->syscalls)
		return rules;
	free(rules);
	return NULL;
}

void rules_set_kallsyms(struct rules *rules, struct kallsyms *kallsyms)
{
	kallsyms_free(rules->kallsyms);
	rules->kallsyms = kallsyms;
	for (size_t i = 0; i < rules->nr_tracepoints; i++)
		rules->tracepoints[i]->names.kallsyms = kallsyms;
}

void rules_set_late_symbols(struct rules *rules, struct late_symbols *late)
{
	late_symbols_close(rules->late);
	rules->late = late;
	for (size_t i = 0; i < rules->nr_tracepoints; i++)
		rules->tracepoints[i]->names.late = late;
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	rules_unbind(rules);
	for (size_t i = 0; i < rules->nr_rules; i++)
		rule_free(rules->rules[i]);
	free(rules->rules);
	for (size_t i = 0; i < rules->nr_sources; i++)
		free(rules->sources[i]);
	free(rules->sources);
	buffer_release(&rules->own_text);
	kallsyms_free(rules->kallsyms);
	late_symbols_close(rules->late);
	syscalls_free(rules->syscalls);
	free(rules);
}

static struct rule *rule_find(const struct rules *rules, const char *category)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (strcmp(rules->rules[i]->descriptor.category, category) == 0)
			return rules->rules[i];
	}
	return NULL;
}

/* A pack that is given twice is used once. */
static int rule_add(void *context, struct rule *rule, struct error *error)
{
	struct rules *rules = context;
	struct rule *same = rule_find(rules, rule->descriptor.category);
	int status = 0;

	if (same && (same->source != rule->source || same->line != rule->line))
		status = error_set(error, "%s:%u:1: %s is also in %s:%u", rule->source, rule->line,
				   rule->descriptor.category, same->source, same->line);
	else if (!same && rules->nr_rules == RULES_MAX)
		status = error_set(error, "more than %d rules", RULES_MAX);
	else if (!same && !array_reserve(rules->rules, rules->nr_rules))
		status = error_set(error, "out of memory");
	else if (!same)
		rules->rules[rules->nr_rules++] = rule;
	if (same || status < 0)
		rule_free(rule);
	return status;
}

/* Keeps the name of a file for messages about its rules. */
static const char *source_keep(struct rules *rules, const char *path)
{
	char *copy = strdup(path);

	if (!copy || !array_reserve(rules->sources, rules->nr_sources)) {
		free(copy);
		return NULL;
	}
	rules->sources[rules->nr_sources++] = copy;
	return copy;
}

/* Rules of the user; their text is kept for recordings. */
static int rules_add_own(struct rules *rules, struct text text, const char *source,
			 struct error *error)
{
	size_t nr_before = rules->nr_rules;
	int status;

	buffer_append(&rules->own_text, text.data, text.size);
	buffer_append_char(&rules->own_text, '\n');
	status = rules_add_text(rules, text, source, error);
	rules->nr_own += rules->nr_rules - nr_before;
	return status;
}

static int rules_add_file(struct rules *rules, const char *path, struct error *error)
{
	SCOPED_BUFFER(text);
	const char *source = source_keep(rules, path);
	int status;

	if (file_read_up_to(path, RULES_TEXT_MAX, &text) < 0) {
		status = errno == EFBIG ? error_set(error, "%s: no file of rules: too large", path)
					: error_set_system(error, errno, "%s", path);
		return status;
	}
	status = source ? rules_add_own(rules, buffer_text(&text), source, error)
			: error_set(error, "out of memory");
	return status;
}

/* Packs are taken whole: PACK:NAME may mean the pack. */
static int rules_refuse_name(struct text name, struct error *error)
{
	const char *colon = memchr(name.data, ':', name.size);
	struct text pack = { .data = name.data,
			     .size = colon ? (size_t)(colon - name.data) : name.size };
	struct suggestion meant = { 0 };

	for (size_t i = 0; rule_packs[i].name; i++) {
		if (text_equals(pack, text_of(rule_packs[i].name)))
			suggestion_set(&meant, rule_packs[i].name);
		else
			suggestion_add(&meant, pack, rule_packs[i].name);
	}
	if (meant.word[0])
		return error_set(error, "'%.*s': no such pack; did you mean '%s'?", (int)name.size,
				 name.data, meant.word);
	return error_set(error,
			 "'%.*s': no such pack; see 'ktrack list --rules', write ./%.*s for a file",
			 (int)name.size, name.data, (int)name.size, name.data);
}

int rules_add_text(struct rules *rules, struct text text, const char *source, struct error *error)
{
	return rule_text_parse(text, source, rule_add, rules, error);
}

int rules_add_pack(struct rules *rules, struct text name, struct error *error)
{
	const struct rule_pack *pack = rule_pack_find(name);

	if (text_equals(name, text_of(RULES_NONE)))
		return 0;
	if (text_equals(name, text_of(RULES_DEFAULT)))
		return rules_add(rules, RULES_CONVENTION ",sched,irq,syscalls,block", error);
	if (text_equals(name, text_of(RULES_CONVENTION))) {
		rules->wants_convention = true;
		return 0;
	}
	if (!pack)
		return 1;
	if (rules_add_text(rules, text_of(pack->text), pack->name, error) < 0)
		return -1;
	/* Texts of the kernel and of programs are one stream. */
	return text_equals(name, text_of("printk"))
		       ? rules_add_pack(rules, text_of("marker"), error)
		       : 0;
}

/* A pack's name has no slash, a file's path has one. */
static int rules_add_one(struct rules *rules, struct text name, struct error *error)
{
	char *path;
	int status;

	if (text_equals(name, text_of(RULES_RECORDED))) {
		rules->wants_recorded = true;
		return 0;
	}
	status = rules_add_pack(rules, name, error);
	if (status <= 0)
		return status;
	if (!memchr(name.data, '/', name.size))
		return rules_refuse_name(name, error);
	path = strndup(name.data, name.size);
	status = path ? rules_add_file(rules, path, error) : error_set(error, "out of memory");
	free(path);
	return status;
}

/* A rule begins with its kind and a space; names of packs and files have no spaces. */
int rules_add(struct rules *rules, const char *text, struct error *error)
{
	struct text rest = text_of(text), name;

	if (strchr(text, ' '))
		return rules_add_own(rules, rest, "-r", error);
	while (text_take_item(&rest, &name)) {
		if (rules_add_one(rules, name, error) < 0)
			return -1;
	}
	return 0;
}

/* An event that no rule takes, on a track of the thread in which it happens. */
#define REST "instant events:other event = events:other track = events"

int rules_add_rest(struct rules *rules, struct error *error)
{
	if (rules->rest)
		return 0;
	if (rules_add_text(rules, text_of(REST), RULES_OF_REST, error) < 0)
		return -1;
	rules->rest = rules->rules[rules->nr_rules - 1];
	return 0;
}

int rules_add_all(struct rules *rules, struct error *error)
{
	for (const struct rule_pack *pack = rule_packs; pack->name; pack++) {
		if (!pack->is_detail && rules_add(rules, pack->name, error) < 0)
			return -1;
	}
	/* memory shows more of it */
	rules_omit(rules, "reclaim:direct");
	return rules_add_rest(rules, error);
}

int rules_set_realtime(struct rules *rules, struct error *error)
{
	for (const struct rule_pack *pack = rule_packs; pack->name; pack++) {
		if (pack->realtime && rules_omit_of(rules, "irq:cpu", pack->name) &&
		    rules_add_text(rules, text_of(pack->realtime), pack->name, error) < 0)
			return -1;
	}
	return 0;
}

static int rule_fail(const struct rule *rule, struct error *error, const char *problem)
{
	return error_set(error, "%s:%u:1: %s: %s", rule->source, rule->line,
			 rule->descriptor.category, problem);
}

/* All uses must have the same kind of scope, for they are on the same tracks. */
static int rule_close_scope(struct rule *rule, struct error *error)
{
	const struct rule_scope *first = rule->nr_uses > 0 ? rule_use_scope(rule, &rule->uses[0])
							   : &rule->settings.scope;
	size_t nr_fields = first->fields.size;

	for (size_t i = 1; i < rule->nr_uses; i++) {
		const struct rule_scope *scope = rule_use_scope(rule, &rule->uses[i]);

		if (scope->kind != first->kind)
			return rule_fail(rule, error, "its scopes are of different kinds");
		/* The process of a record's thread is found later, by the descriptor. */
		if ((scope->kind == DESCRIPTOR_SCOPE_CUSTOM ||
		     scope->kind == DESCRIPTOR_SCOPE_PROCESS) &&
		    scope->fields.size != nr_fields)
			return rule_fail(rule, error,
					 "its scopes have different numbers of fields");
	}
	rule->descriptor.scope = first->kind;
	if (nr_fields == 0)
		return 0;
	rule->descriptor.scope_field = strdup(first->fields.names[nr_fields - 1]);
	return rule->descriptor.scope_field ? 0 : error_set(error, "out of memory");
}

static int rule_refuse_of(const struct rules *rules, const struct rule *rule, struct error *error)
{
	struct suggestion meant = { 0 };

	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (rules->rules[i]->kind == RULE_SLICE)
			suggestion_add(&meant, text_of(rule->of),
				       rules->rules[i]->descriptor.category);
	}
	if (meant.word[0])
		return error_set(error, "%s:%u:1: %s: 'of' names no slice rule; did you mean '%s'?",
				 rule->source, rule->line, rule->descriptor.category, meant.word);
	return rule_fail(rule, error, "'of' names no slice rule");
}

/* A counter of open slices has the tracks of the slices' rule. */
static int rule_close_of(struct rules *rules, struct rule *rule, struct error *error)
{
	struct rule *counted = rule->of ? rule_find(rules, rule->of) : NULL;

	if (!rule->of)
		return 0;
	if (!counted || counted->kind != RULE_SLICE)
		return rule_refuse_of(rules, rule, error);
	counted->descriptor.counter = &rule->descriptor;
	rule->descriptor.scope = counted->descriptor.scope;
	if (counted->descriptor.scope_field)
		rule->descriptor.scope_field = strdup(counted->descriptor.scope_field);
	return !counted->descriptor.scope_field || rule->descriptor.scope_field
		       ? 0
		       : error_set(error, "out of memory");
}

/* Whether a condition selects some of the begins. */
static bool rule_is_selective(const struct rule *rule)
{
	for (size_t i = 0; i < rule->nr_uses; i++) {
		if (rule->uses[i].role == RULE_BEGIN && rule_use_where(rule, &rule->uses[i]))
			return true;
	}
	return false;
}

/* A counter's tracks show its unit. */
static int rule_close_label(struct rule *rule, struct error *error)
{
	struct descriptor *descriptor = &rule->descriptor;

	descriptor->name = strchr(descriptor->category, ':') + 1;
	descriptor->label = text_of(descriptor->name);
	if (rule->unit) {
		if (asprintf(&rule->label, "%s (%s)", descriptor->name, rule->unit) < 0)
			return error_set(error, "out of memory");
		descriptor->label = text_of(rule->label);
	}
	descriptor->label_head = text_head(descriptor->label);
	return 0;
}

static int rule_close(struct rules *rules, size_t index, struct error *error)
{
	struct rule *rule = rules->rules[index];
	struct descriptor *descriptor = &rule->descriptor;

	descriptor->index = index;
	descriptor->kind = rule->kind == RULE_COUNTER ? DESCRIPTOR_COUNTER : DESCRIPTOR_SLICE;
	descriptor->is_selective = rule_is_selective(rule);
	return rule_close_label(rule, error) < 0 ? -1 : rule_close_scope(rule, error);
}

int rules_close(struct rules *rules, bool is_swapped, struct error *error)
{
	rules->is_swapped = is_swapped;
	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (rule_close(rules, i, error) < 0)
			return -1;
	}
	for (size_t i = 0; i < rules->nr_rules; i++) {
		if (rule_close_of(rules, rules->rules[i], error) < 0)
			return -1;
	}
	return 0;
}

size_t rules_size(const struct rules *rules)
{
	return rules->nr_rules;
}

const struct descriptor *rules_descriptor(const struct rules *rules, size_t index)
{
	return &rules->rules[index]->descriptor;
}

/* Describes rules and the tracepoints that they use. */

static const char *const role_names[] = {
	[RULE_BEGIN] = "begin", [RULE_END] = "end",   [RULE_ON] = "on",
	[RULE_EVENT] = "event", [RULE_FROM] = "from", [RULE_TO] = "to",
};

_Static_assert(sizeof(role_names) / sizeof(role_names[0]) == RULE_ROLE_COUNT,
	       "each role has a name");

void rules_about(const struct rules *rules, size_t index, struct rule_about *out)
{
	const struct rule *rule = rules->rules[index];
	size_t nr_uses = 0;

	for (size_t i = 0; i < rule->nr_uses; i++)
		nr_uses += !rule_use_is_repeated(rule, i);
	*out = (struct rule_about){
		.name = rule->descriptor.category,
		.source = rule->source,
		.kind = rule_kind_name(rule->kind),
		.of = rule->of,
		.nr_uses = nr_uses,
	};
}

/* Also if it is not used: it exists, or what it stands for. */
static bool use_is_absent(const struct rule *rule, size_t number)
{
	const struct rule_use *use = &rule->uses[number];
	size_t first = number, end = number + 1;

	while (rule->uses[first].is_alternative)
		first--;
	while (end < rule->nr_uses && rule->uses[end].is_alternative)
		end++;
	for (; first < end; first++) {
		if (rule->uses[first].is_bound || rule->uses[first].exists)
			return false;
	}
	/* Those of programs exist when a program runs. */
	return !program_system(use->system);
}

/* Args that packs name, and that this kernel's tracepoints do not have. */
static void lacks_report(const struct rule *rule, const struct report *report)
{
	for (size_t i = 0; i < rule->nr_uses; i++) {
		struct rule_use *use = &rule->uses[i];

		if (use->is_bound && use->lacks.size > 0)
			report_message(report, "%s: args left out, %s:%s has none: %s",
				       rule->descriptor.category, use->system, use->event,
				       buffer_string(&use->lacks));
	}
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
	SCOPED_BUFFER(absent);

	for (size_t i = 0; i < rules->nr_rules; i++) {
		const struct rule *rule = rules->rules[i];

		buffer_clear(&absent);
		for (size_t j = 0; j < rule->nr_uses && rule != rules->rest; j++) {
			if (use_is_absent(rule, j) && !is_listed(rule, j))
				buffer_printf(&absent, "%s%s:%s", absent.size > 0 ? ", " : "",
					      rule->uses[j].system, rule->uses[j].event);
		}
		if (absent.size > 0)
			report_message(report, "%s: skipped, does not exist: %s",
				       rule->descriptor.category, buffer_string(&absent));
		lacks_report(rule, report);
	}
}

void rules_report_left_out(struct rules *rules, const struct report *report)
{
	if (rules->is_left_out_reported || rules->nr_left_out + rules->nr_unread == 0)
		return;
	rules->is_left_out_reported = true;
	if (rules->nr_left_out > 0)
		report_message(report,
			       "rules: left out %zu use%s of tracepoints: all take at most %zu "
			       "MiB; use fewer rules with wildcards",
			       rules->nr_left_out, rules->nr_left_out > 1 ? "s" : "",
			       RULES_PAIRS_SIZE_MAX >> 20);
	if (rules->nr_unread > 0)
		report_message(report,
			       "rules: left out %zu tracepoint%s: at most %" PRIu64 " names are "
			       "compared; use fewer rules",
			       rules->nr_unread, rules->nr_unread > 1 ? "s" : "",
			       RULES_COMPARED_MAX);
}

void rules_use(const struct rules *rules, size_t index, size_t use, struct rule_use_about *out)
{
	const struct rule *rule = rules->rules[index];
	const struct rule_use *used = rule->uses;

	for (size_t i = 0; i < rule->nr_uses; i++) {
		if (!rule_use_is_repeated(rule, i) && use-- == 0)
			used = &rule->uses[i];
	}
	*out = (struct rule_use_about){
		.system = used->system,
		.event = used->event,
		.role = used->is_alternative ? "or" : role_names[used->role],
		.of_system = used->system,
		.of_event = used->event,
	};
	rule_marker_origin(&out->of_system, &out->of_event);
}

/* Leaves out rules: by name, and those that need the records of all tasks. */

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

void rules_append_prefixes(const struct rules *rules, struct buffer *out)
{
	for (size_t i = 0; i < rules->nr_rules; i++) {
		const char *category = rules->rules[i]->descriptor.category;

		buffer_printf(out, "%.*s,", (int)strcspn(category, ":"), category);
	}
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

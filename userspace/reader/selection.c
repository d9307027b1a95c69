// SPDX-License-Identifier: GPL-2.0-only
/* The selection of tracepoints and rules. */
#include "reader/reader.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "tracedat/tracedat.h"
#include "tracefs/tracefs.h"
#include "userring/userring.h"

#define REALTIME_PATH "/sys/kernel/realtime"

bool release_is_realtime(const char *release)
{
	const char *at = release;

	while ((at = strstr(at, "-rt"))) {
		at += strlen("-rt");
		if (!isalpha((unsigned char)*at))
			return true;
	}
	return false;
}

/*
 * The lazy preemption of mainline has no count, and its migrate_disable is a part of
 * common_preempt_count: a kernel with one of these fields has the patches.
 */
bool format_is_realtime(struct text format)
{
	static const char *const fields[] = { " common_migrate_disable;",
					      " common_preempt_lazy_count;" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (memmem(format.data, format.size, fields[i], strlen(fields[i])))
			return true;
	}
	return false;
}

static bool softirqs_want(void *context, const char *system, const char *name)
{
	(void)context;
	return strcmp(system, "irq") == 0 && (!name || strcmp(name, "softirq_entry") == 0);
}

static int softirqs_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	bool *is_realtime = context;

	(void)error;
	/* A file has all its formats, also those of programs. */
	*is_realtime |= softirqs_want(context, tracepoint->system, tracepoint->name) &&
			format_is_realtime(tracepoint->format);
	return 0;
}

/* Whether the kernel that runs is real-time and has this release; NULL is any. */
static bool running_is_realtime(const char *release)
{
	struct utsname name;
	FILE *file;
	bool is_realtime;

	if (release && (uname(&name) < 0 || strcmp(name.release, release) != 0))
		return false;
	file = fopen(REALTIME_PATH, "re");
	if (!file)
		return false;
	is_realtime = fgetc(file) == '1';
	fclose(file);
	return is_realtime;
}

/* Whether records are of such a kernel; @source is NULL for the running one. */
static bool source_is_realtime(struct source *source)
{
	bool is_realtime = false;
	struct tracepoint_visitor visitor = { .context = &is_realtime,
					      .wants = softirqs_want,
					      .visit = softirqs_visit };
	struct error ignored = { 0 };
	const char *release;

	if (!source)
		return running_is_realtime(NULL);
	release = source_describe(source)->kernel;
	if (release && (release_is_realtime(release) || running_is_realtime(release)))
		return true;
	source_visit(source, &visitor, &ignored);
	return is_realtime;
}

static int pattern_add(struct selection *selection, struct text text, unsigned int option,
		       struct error *error)
{
	struct pattern pattern = { .text = strndup(text.data, text.size), .option = option };

	if (pattern.text)
		pattern.system = strndup(text.data, strcspn(pattern.text, ":"));
	if (!pattern.system || !array_reserve(selection->patterns, selection->nr_patterns)) {
		free(pattern.text);
		free(pattern.system);
		return error_set(error, "out of memory");
	}
	selection->patterns[selection->nr_patterns++] = pattern;
	return 0;
}

/* Names have no commas. */
int selection_add(struct selection *selection, const char *text, struct error *error)
{
	struct text rest = text_of(text), name;

	selection->nr_options++;
	while (text_take_item(&rest, &name)) {
		if (name.size == 0)
			return error_set(error, "'%s': empty tracepoint; write SYS[:EVENT]", text);
		if (pattern_add(selection, name, selection->nr_options, error) < 0)
			return -1;
	}
	return 0;
}

/* Returns NULL with @error if memory ran out. */
static struct rules *selection_rules(struct selection *selection, struct error *error)
{
	if (!selection->rules)
		selection->rules = rules_new();
	if (!selection->rules)
		error_set(error, "out of memory");
	return selection->rules;
}

int selection_add_rules(struct selection *selection, const char *text, struct error *error)
{
	/* Names of packs, which a list may have. */
	bool is_packs = text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-,")] == '\0';

	if (!array_reserve(selection->rule_texts, selection->nr_rule_texts))
		return error_set(error, "out of memory");
	selection->rule_texts[selection->nr_rule_texts++] = text;
	/* Lists of packs that follow each other are one. */
	buffer_append_string(&selection->rule_words,
			     is_packs && selection->ends_with_packs ? "," : " -r ");
	buffer_append_word(&selection->rule_words, text);
	if (selection->rule_words.failed)
		return error_set(error, "out of memory");
	selection->ends_with_packs = is_packs;
	if (!selection_rules(selection, error) || rules_add(selection->rules, text, error) < 0)
		return -1;
	selection->adds_rules |= selection->rules->wants_convention;
	return 0;
}

int selection_add_rule_text(struct selection *selection, struct text text, const char *source,
			    struct error *error)
{
	return selection_rules(selection, error)
		       ? rules_add_text(selection->rules, text, source, error)
		       : -1;
}

static bool selection_has_rule(const struct selection *selection, const char *category)
{
	const struct rules *rules = selection->rules;

	for (size_t i = 0; rules && i < rules_size(rules); i++) {
		if (strcmp(rules_descriptor(rules, i)->category, category) == 0)
			return true;
	}
	return false;
}

bool selection_has_states(const struct selection *selection)
{
	return selection_has_rule(selection, WHY_STATES);
}

bool selection_is_empty(const struct selection *selection)
{
	return selection->nr_patterns == 0 && (!selection->rules || selection->adds_rules);
}

unsigned int stacks_index(const struct rules *rules)
{
	return rules ? rules_size(rules) : 0;
}

void selection_release(struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		free(selection->patterns[i].text);
		free(selection->patterns[i].system);
	}
	free(selection->patterns);
	formats_free(selection->formats);
	rules_free(selection->rules);
	free(selection->rule_texts);
	buffer_release(&selection->rule_words);
	buffer_release(&selection->stored);
	buffer_release(&selection->program_events);
	*selection = (struct selection){ 0 };
}

void descriptor_system(const struct descriptor *descriptor, struct buffer *out)
{
	buffer_append(out, descriptor->category, descriptor->name - descriptor->category - 1);
}

/*
 * "SYS" means all of the system, "SYS:EVENT" what matches both; without @name, any tracepoint.
 * Events of programs are meant, too.
 */
static bool pattern_matches(const struct pattern *pattern, const char *system, const char *name)
{
	const char *colon = strchr(pattern->text, ':');

	if (program_system(system))
		system = program_system(system);
	else if (pattern->is_of_programs)
		return false;
	return fnmatch(pattern->system, system, 0) == 0 &&
	       (!name || !colon || fnmatch(colon + 1, name, 0) == 0);
}

int selection_set_filter(struct selection *selection, const char *filter, struct error *error)
{
	if (selection->nr_options == 0)
		return error_set(error, "--filter: no preceding -e; write -e SYS:EVENT before it");
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (selection->patterns[i].option == selection->nr_options)
			selection->patterns[i].filter = filter;
	}
	return 0;
}

/* With @name NULL: whether one matches a tracepoint of the system. */
static bool patterns_match(const struct selection *selection, const char *system, const char *name)
{
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (pattern_matches(&selection->patterns[i], system, name))
			return true;
	}
	return false;
}

bool selection_means(const struct selection *selection, const char *system, const char *name)
{
	return patterns_match(selection, system, name) || selection_is_empty(selection);
}

const char *selection_filter(const struct selection *selection, const char *system,
			     const char *name)
{
	const char *filter = NULL;

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];

		if (pattern->filter && pattern_matches(pattern, system, name))
			filter = pattern->filter;
	}
	return filter;
}

/** struct tracepoint_search - parameters of tracepoints_find() */
struct tracepoint_search {
	struct convention *convention;
	struct source *source;
	struct selection *selection;
	const struct report *report;
};

/* Marks every pattern that matches the tracepoint; returns whether it is selected. */
static bool selection_mark(struct selection *selection, const struct tracepoint *tracepoint,
			   bool has_descriptor)
{
	bool matches = selection_is_empty(selection) ||
		       (selection->has_programs && program_system(tracepoint->system));

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		struct pattern *pattern = &selection->patterns[i];

		if (!pattern_matches(pattern, tracepoint->system, tracepoint->name))
			continue;
		pattern->matches_tracepoint = true;
		pattern->matches_descriptor |= has_descriptor;
		matches = true;
	}
	return matches;
}

/* Skips a tracepoint whose format cannot be read; returns -1 with @error if memory ran out. */
static int tracepoint_check(struct tracepoint_search *search, const struct tracepoint *tracepoint,
			    int status, struct error *problem, struct error *error)
{
	if (status < 0)
		return error_set(error, "%s", problem->text);
	if (status > 0 && status != RULES_MISFIT) {
		search->selection->nr_unreadable++;
		report_message(search->report, "%s:%s: skipped: %s", tracepoint->system,
			       tracepoint->name, problem->text);
	}
	*problem = (struct error){ 0 };
	return 0;
}

bool selection_refuses(const struct selection *selection, const struct tracepoint *tracepoint,
		       const struct report *report)
{
	int64_t id = selection->is_with_programs ? format_read_id(tracepoint->format) : 0;

	if (id < PROGRAM_EVENT_ID)
		return false;
	report_message(report,
		       "%s:%s: not recorded: its number %lld may be that of a program's event; "
		       "record it without --programs",
		       tracepoint->system, tracepoint->name, (long long)id);
	return true;
}

bool selection_reports(const struct selection *selection)
{
	return selection->origin == SELECTION_GIVEN ||
	       (selection->is_verbose && selection->origin != SELECTION_ALL);
}

/* Reports the first tracepoint that a rule does not fit, after rules_bind(). */
static void misfit_report(const struct rules *rules, const struct error *problem,
			  const struct report *report)
{
	if (rules->nr_misfits == 1)
		report_message(report, "%s; the rule is not used there", problem->text);
}

/* Records that ktrack adds to name threads, to its own recordings, are none that anybody chose. */
static bool tracepoint_is_chosen(const struct source *source, const char *system, const char *name)
{
	return source_describe(source)->writer == 0 || !sideband_records(system, name);
}

/* Records of the tracers are not shown as they are. */
static int rest_add(struct tracepoint_search *search, const struct tracepoint *tracepoint,
		    struct error *error)
{
	struct rules *rules = search->selection->rules;
	struct error problem = { 0 };
	int status;

	/* Without patterns the source is one that is read. */
	if (!rules || !rules->rest || strcmp(tracepoint->system, "ftrace") == 0 ||
	    (search->selection->nr_patterns == 0 &&
	     !tracepoint_is_chosen(search->source, tracepoint->system, tracepoint->name)))
		return 0;
	status = rules_bind_rest(rules, tracepoint->system, tracepoint->name, tracepoint->format,
				 &problem);
	return tracepoint_check(search, tracepoint, status, &problem, error);
}

static int tracepoint_add(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct tracepoint_search *search = context;
	const struct descriptor *descriptor = NULL;
	struct rules *rules = search->selection->rules;
	size_t nr_bound = rules ? rules->nr_tracepoints : 0;
	size_t nr_unreadable = search->selection->nr_unreadable;
	struct error problem = { 0 };
	bool is_bound, is_selected;
	int status;

	if (selection_refuses(search->selection, tracepoint, search->report)) {
		selection_mark(search->selection, tracepoint, true);
		return 0;
	}
	status = convention_add_task(search->convention, tracepoint->system, tracepoint->name,
				     tracepoint->format, &problem);
	if (tracepoint_check(search, tracepoint, status, &problem, error) < 0)
		return -1;
	status = rules ? rules_bind(rules, tracepoint->system, tracepoint->name, tracepoint->format,
				    &problem)
		       : 0;
	if (status == RULES_MISFIT && selection_reports(search->selection))
		misfit_report(rules, &problem, search->report);
	if (tracepoint_check(search, tracepoint, status, &problem, error) < 0)
		return -1;
	/* Adds it to the convention if it is selected. */
	is_selected = selection_mark(search->selection, tracepoint, false);
	status = is_selected ? tracepoint_describe(search->convention, tracepoint, &descriptor,
						   &problem)
			     : 0;
	if (tracepoint_check(search, tracepoint, status, &problem, error) < 0)
		return -1;
	is_bound = rules && rules->nr_tracepoints > nr_bound;
	if (is_selected && !descriptor && !is_bound &&
	    search->selection->nr_unreadable == nr_unreadable &&
	    rest_add(search, tracepoint, error) < 0)
		return -1;
	is_bound = rules && rules->nr_tracepoints > nr_bound;
	if (descriptor || (is_bound && rules->rest))
		selection_mark(search->selection, tracepoint, true);
	/* Keeps the format of a tracepoint that is recorded. */
	return search->selection->formats && (descriptor || is_bound) &&
			       formats_keep(search->selection->formats, tracepoint->system,
					    tracepoint->name, tracepoint->format) < 0
		       ? error_set(error, "out of memory")
		       : 0;
}

/* With @name NULL: whether a tracepoint of the system is wanted. */
static bool search_wants_task(const struct tracepoint_search *search, const char *system,
			      const char *name)
{
	enum task_formats tasks = search->selection->tasks;

	if (tasks == TASK_FORMATS_NONE || !convention_needs_task(system, name))
		return false;
	return tasks == TASK_FORMATS_ALL || sideband_records(system, name);
}

/* Formats of other systems need not be read: there are thousands. */
static bool search_wants(void *context, const char *system, const char *name)
{
	const struct tracepoint_search *search = context;
	const struct rules *rules = search->selection->rules;

	return search_wants_task(search, system, name) ||
	       selection_means(search->selection, system, name) ||
	       (rules && rules_want(rules, system, name));
}

static int selection_visit(struct source *source, const struct tracepoint_visitor *visitor,
			   struct error *error)
{
	return source ? source_visit(source, visitor, error)
		      : events_visit(events_open(error), visitor, error);
}

/* No format is wanted. */
static bool patterns_note_name(void *context, const char *system, const char *name)
{
	const struct selection *selection = context;

	if (!name)
		return patterns_match(selection, system, NULL);
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		struct pattern *pattern = &selection->patterns[i];

		pattern->matches_tracepoint |= pattern_matches(pattern, system, name);
	}
	return false;
}

/* A pattern that waits for a module may mean its tracepoints, too. */
static int pattern_choose_programs(struct selection *selection, struct pattern *pattern,
				   struct error *error)
{
	const char *name = program_system(pattern->text);

	if (name) {
		memmove(pattern->text, name, strlen(name) + 1);
		free(pattern->system);
		pattern->system = strndup(pattern->text, strcspn(pattern->text, ":"));
		if (!pattern->system)
			return error_set(error, "out of memory");
	}
	if (pattern->filter)
		return error_set(error,
				 "--filter: '%s' matches no tracepoint, and events of programs "
				 "have no filters; leave it out",
				 pattern->text);
	pattern->is_of_programs = name || !selection->waits;
	buffer_printf(&selection->program_events, "%s%s",
		      selection->program_events.size > 0 ? "," : "", pattern->text);
	return selection->program_events.failed ? error_set(error, "out of memory") : 0;
}

static bool pattern_may_be_emitted(const struct pattern *pattern,
				   bool (*may_emit)(void *context, const char *system),
				   void *context)
{
	const char *name = program_system(pattern->text);
	SCOPED_BUFFER(system);

	name = name ? name : pattern->text;
	buffer_append(&system, name, strcspn(name, ":"));
	return may_emit(context, buffer_string(&system));
}

int selection_choose_programs(struct selection *selection,
			      bool (*may_emit)(void *context, const char *system), void *context,
			      const struct report *report, struct error *error)
{
	const struct tracepoint_visitor visitor = { .context = selection,
						    .wants = patterns_note_name };
	struct error problem = { 0 };
	bool has_tracefs = selection_visit(NULL, &visitor, &problem) == 0;
	bool may = true;
	int nr_chosen = 0, status = 0;

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];

		if (may && !pattern->matches_tracepoint) {
			may = !may_emit || pattern_may_be_emitted(pattern, may_emit, context);
			nr_chosen += may;
		}
	}
	/* Without tracefs, no pattern means a tracepoint. */
	if (may && !has_tracefs)
		report_message(report, "-e: means only events of programs: %s", problem.text);
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		struct pattern *pattern = &selection->patterns[i];

		if (may && status == 0 && !pattern->matches_tracepoint)
			status = pattern_choose_programs(selection, pattern, error);
		pattern->matches_tracepoint = false;
	}
	return status < 0 ? -1 : may ? nr_chosen : 0;
}

void selection_report_programs(const struct selection *selection, const struct programs *programs,
			       const struct report *report)
{
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		struct pattern pattern = selection->patterns[i];
		bool is_missing = pattern.is_of_programs;

		pattern.is_of_programs = false;
		for (size_t j = 0; is_missing && j < programs_nr_events(programs); j++) {
			const struct program_event *event = programs_event(programs, j);

			is_missing = !pattern_matches(&pattern, event->system, event->name);
		}
		if (is_missing)
			report_message(report,
				       "'%s': no tracepoint, and no program has emitted "
				       "such an event; see 'ktrack list' and 'ktrack list "
				       "--programs'",
				       pattern.text);
	}
}

/** struct near_search - the search for the tracepoint that a pattern may mean */
struct near_search {
	struct text typed;
	bool has_event;
	struct suggestion meant;
};

/* Compares with names of tracepoints, not of the tracers' own records; wants no format. */
static bool near_compare(void *context, const char *system, const char *name)
{
	struct near_search *search = context;
	char both[SUGGESTION_SIZE_MAX + 1];

	if (!name)
		return strcmp(system, "ftrace") != 0;
	snprintf(both, sizeof(both), "%s:%s", system, name);
	if (search->has_event)
		suggestion_add(&search->meant, search->typed, both);
	else if (text_equals(search->typed, text_of(name)))
		suggestion_set(&search->meant, both);
	else
		suggestion_add(&search->meant, search->typed, system);
	return false;
}

/* A file has the formats at hand, and visits all of them. */
static int near_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	(void)error;
	near_compare(context, tracepoint->system, tracepoint->name);
	return 0;
}

static struct suggestion pattern_suggest(const struct pattern *pattern, struct source *source)
{
	struct near_search search = { .typed = text_of(pattern->text),
				      .has_event = strchr(pattern->text, ':') };
	const struct tracepoint_visitor visitor = { .context = &search,
						    .wants = near_compare,
						    .visit = near_visit };
	struct error ignored = { 0 };

	if (!strpbrk(pattern->text, "*?["))
		selection_visit(source, &visitor, &ignored);
	return search.meant;
}

/** struct program_search - the search for the event of a program that a pattern means */
struct program_search {
	const struct pattern *pattern;
	struct buffer event;
};

static int program_search_visit(void *context, const struct program_found *program,
				struct error *error)
{
	struct program_search *search = context;

	(void)error;
	for (size_t i = 0; i < program->nr_events && search->event.size == 0; i++) {
		const char *colon = strchr(program->events[i], ':');
		char system[SUGGESTION_SIZE_MAX + 1];

		snprintf(system, sizeof(system), "%.*s", (int)(colon - program->events[i]),
			 program->events[i]);
		if (pattern_matches(search->pattern, system, colon + 1))
			buffer_append_string(&search->event, program->events[i]);
	}
	return 0;
}

/* Whether a pattern means an event of programs, by its name, or because one runs that has it;
 * returns -1 with @error then. */
static int pattern_refuse_program(const struct pattern *pattern, struct error *error)
{
	struct program_search search = { .pattern = pattern };
	const struct program_visitor visitor = { .context = &search,
						 .visit = program_search_visit };
	const char *name = program_system(pattern->text);
	struct error ignored = { 0 };
	int status = 0;

	if (!name) {
		programs_visit(&visitor, &ignored);
		name = buffer_string(&search.event);
	}
	if (*name)
		status = error_set(error,
				   "'%s': an event of programs, no tracepoint; --programs "
				   "records it, and rules (-r) name it '" PROGRAM_PREFIX "%s'",
				   pattern->text, name);
	buffer_release(&search.event);
	return status;
}

#define LACKS_CONVENTION                                                                   \
	"'%s': does not follow the track event convention; it needs track_event_type and " \
	"slice_name, or counter_value, or a rule (-r)"

static int pattern_refuse(const struct pattern *pattern, const struct selection *selection,
			  struct source *source, struct error *error)
{
	struct suggestion meant = { 0 };

	if (pattern->matches_tracepoint)
		return error_set(error, LACKS_CONVENTION, pattern->text);
	/* As the folders of tracefs have it. */
	if (strchr(pattern->text, '/') && !strchr(pattern->text, ':'))
		return error_set(error, "'%s': no tracepoint matches; did you mean '%.*s:%s'?",
				 pattern->text, (int)strcspn(pattern->text, "/"), pattern->text,
				 strchr(pattern->text, '/') + 1);
	if (!source && pattern_refuse_program(pattern, error) < 0)
		return -1;
	meant = pattern_suggest(pattern, source);
	if (meant.word[0])
		return error_set(error, "'%s': no tracepoint%s matches; did you mean '%s'?%s",
				 pattern->text, source ? " of the source" : "", meant.word,
				 selection->can_wait ? " --wait waits for it" : "");
	if (source)
		return error_set(error,
				 "'%s': no tracepoint of the source matches; leave out -e, or "
				 "see 'ktrack list SOURCE'",
				 pattern->text);
	return error_set(error,
			 "'%s': no tracepoint matches; load its module, or see 'ktrack list'%s%s",
			 pattern->text, selection->can_wait ? "; --wait waits for it" : "",
			 selection->has_command ? "; --programs records events of COMMAND" : "");
}

/* Rules but that for the tracepoints of patterns. */
static bool selection_has_rules(const struct selection *selection)
{
	return selection->rules && rules_size(selection->rules) > (selection->rules->rest ? 1 : 0);
}

static int rules_check(const struct selection *selection, bool is_of_source, struct error *error)
{
	bool has_rules = selection_has_rules(selection);

	if (!has_rules && selection->nr_patterns > 0)
		return 0;
	if (!selection->rules || selection->adds_rules || selection->waits ||
	    selection->origin == SELECTION_RECORDED || rules_are_bound(selection->rules) ||
	    (!is_of_source && rules_want_programs(selection->rules)))
		return 0;
	if (!has_rules)
		return error_set(error, "-r: selects nothing; add packs or rules, or tracepoints "
					"with -e");
	return error_set(error, "-r: %s; see 'ktrack list --rules'%s",
			 is_of_source ? "the source has none of the tracepoints that the rules use"
				      : "none of the tracepoints that the rules use exists",
			 rules_have_own(selection->rules)
				 ? ", and name events of programs program:SYSTEM:EVENT"
				 : "");
}

#define ADDRESSES "functions are shown as addresses: %s"

int selection_read_functions(struct selection *selection, struct source *source,
			     const struct report *report, struct error *error)
{
	struct kallsyms *functions;

	if (!selection->rules || (!rules_need_kallsyms(selection->rules, false) &&
				  (!rules_need_kallsyms(selection->rules, true) ||
				   !source_formats_name_functions(source))))
		return 0;
	if (source_read_symbols(source, &functions, &selection->no_functions) == 0)
		rules_set_kallsyms(selection->rules, functions);
	else if (report)
		report_message(report, ADDRESSES, selection->no_functions.text);
	return rules_resolve(selection->rules, error);
}

void selection_report_addresses(const struct selection *selection, const struct report *report)
{
	if (selection->rules && selection->rules->nr_addresses > 0)
		report_message(report, ADDRESSES, selection->no_functions.text);
}

/** struct feeding - the search for the packs that a source feeds */
struct feeding {
	struct source *source;
	struct rules *rules;
};

static int feeding_note(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	const struct feeding *feeding = context;

	(void)error;
	if (tracepoint_is_chosen(feeding->source, tracepoint->system, tracepoint->name))
		rules_feed(feeding->rules, tracepoint->system, tracepoint->name,
			   sideband_records(tracepoint->system, tracepoint->name));
	return 0;
}

/* Adds the packs that a source feeds, and a rule for what no other takes. */
static int selection_add_all(struct selection *selection, struct source *source,
			     struct error *error)
{
	struct feeding feeding = { .source = source };
	const struct tracepoint_visitor visitor = { .context = &feeding, .visit = feeding_note };

	selection->adds_rules = true;
	feeding.rules = selection_rules(selection, error);
	if (!feeding.rules)
		return -1;
	if (rules_add_all(selection->rules, error) < 0 || source_visit(source, &visitor, error) < 0)
		return -1;
	rules_keep_fed(selection->rules);
	return 0;
}

int selection_add_rest(struct selection *selection, struct error *error)
{
	bool is_wanted = false;

	for (size_t i = 0; i < selection->nr_patterns; i++)
		is_wanted |= !selection->patterns[i].is_of_programs;
	if (!is_wanted)
		return 0;
	return selection_rules(selection, error) ? rules_add_rest(selection->rules, error) : -1;
}

/* The selection that a recording keeps, as lines. */

/** STORED_SIZE_MAX, STORED_MAX - limits of its lines in bytes, of its patterns and of its rules */
#define STORED_SIZE_MAX 65536
#define STORED_MAX 256
/* More is not described. */
#define DESCRIBED_SIZE_MAX 200
#define STORED_PATTERNS "-e "
#define STORED_PACKS "-r "
#define STORED_PROGRAMS "--programs"

/* Lists of packs and files; a file is stored by its rules. */
static void packs_store(const char *words, struct buffer *out)
{
	struct text rest = text_of(words), name;
	bool is_first = true;

	while (!strchr(words, ' ') && text_take_item(&rest, &name)) {
		if (memchr(name.data, '/', name.size) || text_equals(name, text_of(RULES_RECORDED)))
			continue;
		buffer_printf(out, "%s%.*s", is_first ? STORED_PACKS : ",", (int)name.size,
			      name.data);
		is_first = false;
	}
	if (!is_first)
		buffer_append_char(out, '\n');
}

int selection_store(const struct selection *selection, bool has_programs, struct buffer *out)
{
	const struct rules *rules = selection->rules;
	struct text own;

	if (!selection_is_chosen(selection) || selection->origin == SELECTION_ALL)
		return 0;
	for (size_t i = 0; i < selection->nr_patterns; i++)
		buffer_printf(out, STORED_PATTERNS "%s\n", selection->patterns[i].text);
	for (size_t i = 0; i < selection->nr_rule_texts; i++)
		packs_store(selection->rule_texts[i], out);
	if (has_programs)
		buffer_append_string(out, STORED_PROGRAMS "\n");
	own = rules ? buffer_text(&rules->own_text) : (struct text){ 0 };
	while (own.size > 0) {
		struct text line = text_take_line(&own);

		if (line.size > 0 && line.data[0] != '#')
			buffer_printf(out, "%.*s\n", (int)line.size, line.data);
	}
	if (out->failed || (rules && rules->own_text.failed))
		return -1;
	if (out->size <= STORED_SIZE_MAX && selection->nr_patterns <= STORED_MAX &&
	    (!rules || rules->nr_own <= STORED_MAX))
		return 0;
	buffer_clear(out);
	return 1;
}

static void stored_describe(struct selection *selection, const char *option, struct text what)
{
	struct buffer *out = &selection->stored;
	int size = what.size < DESCRIBED_SIZE_MAX ? what.size : DESCRIBED_SIZE_MAX;

	if (out->size > DESCRIBED_SIZE_MAX)
		return;
	buffer_printf(out, "%s%s%.*s", out->size > 0 ? ", " : "", option, size, what.data);
	if (out->size > DESCRIBED_SIZE_MAX)
		buffer_append_string(out, ", ...");
}

static int stored_packs_add(struct selection *selection, struct text names,
			    const struct report *report, struct error *error)
{
	struct rules *rules = selection_rules(selection, error);
	struct text name;
	int status = rules ? 0 : -1;

	while (status >= 0 && text_take_item(&names, &name)) {
		if (selection->nr_stored_packs++ == STORED_MAX)
			return error_set(error, "more than %d packs", STORED_MAX);
		status = rules_add_pack(rules, name, error);
		if (status > 0)
			report_message(
				report,
				"the recording has a selection with an unknown pack, '%.*s'; "
				"a newer ktrack shows it",
				(int)name.size, name.data);
		if (status == 0)
			stored_describe(selection, "", name);
	}
	if (rules)
		selection->adds_rules |= rules->wants_convention;
	return status < 0 ? -1 : 0;
}

int selection_add_stored(struct selection *selection, struct text text, const struct report *report,
			 struct error *error)
{
	size_t nr_before, nr_patterns = selection->nr_patterns;
	SCOPED_BUFFER(rules);
	int status = 0;

	if (text.size > STORED_SIZE_MAX)
		return error_set(error, "more than %d bytes", STORED_SIZE_MAX);
	while (status == 0 && text.size > 0) {
		struct text line = text_take_line(&text);

		if (text_take_begin(&line, STORED_PATTERNS)) {
			if (selection->nr_patterns - nr_patterns == STORED_MAX)
				status = error_set(error, "more than %d patterns", STORED_MAX);
			else
				status = pattern_add(selection, line, 0, error);
			stored_describe(selection, STORED_PATTERNS, line);
		} else if (text_take_begin(&line, STORED_PACKS)) {
			status = stored_packs_add(selection, line, report, error);
		} else if (text_equals(line, text_of(STORED_PROGRAMS))) {
			selection->has_programs = true;
			stored_describe(selection, "", text_of("programs"));
		} else {
			buffer_append(&rules, line.data, line.size);
			buffer_append_char(&rules, '\n');
		}
	}
	/* A rule is no name of a file, and its errors have no name but this. */
	if (status == 0 && rules.size > 0) {
		stored_describe(selection, "", text_of("rules"));
		nr_before = stacks_index(selection->rules);
		status = rules.failed ? error_set(error, "out of memory")
				      : selection_add_rule_text(selection, buffer_text(&rules),
								RULES_OF_RECORDING, error);
		if (status == 0 && rules_size(selection->rules) - nr_before > STORED_MAX)
			status = error_set(error, "more than %d rules", STORED_MAX);
	}
	return status;
}

void selection_append_options(const struct selection *selection, struct buffer *out)
{
	SCOPED_BUFFER(list);

	for (size_t i = 0; i < selection->nr_patterns; i++) {
		if (selection->patterns[i].option > 0)
			buffer_printf(&list, "%s%s", list.size > 0 ? "," : "",
				      selection->patterns[i].text);
	}
	if (list.size > 0) {
		buffer_append_string(out, " -e ");
		buffer_append_word(out, buffer_string(&list));
	}
	buffer_append(out, selection->rule_words.data, selection->rule_words.size);
}

void selection_describe(struct selection *selection, struct buffer *out)
{
	SCOPED_BUFFER(options);

	selection_append_options(selection, &options);
	if (selection->origin == SELECTION_ALL)
		buffer_append_string(out, "all");
	else if (selection->origin == SELECTION_RECORDED)
		buffer_printf(out, "recorded (%s)", buffer_string(&selection->stored));
	else
		buffer_append_string(out, options.size > 0 ? buffer_string(&options) + 1
							   : RULES_CONVENTION);
}

/* No format is wanted: which tracepoints rules use depends on all that exist. */
static bool rules_note_name(void *context, const char *system, const char *name)
{
	struct tracepoint_search *search = context;

	if (!name)
		return search_wants(context, system, NULL);
	rules_note(search->selection->rules, system, name);
	return false;
}

int tracepoints_find(struct convention *convention, struct source *source,
		     struct selection *selection, const struct report *report, struct error *error)
{
	struct tracepoint_search search = {
		.convention = convention, .source = source, .selection = selection, .report = report
	};
	struct tracepoint_visitor visitor = { .context = &search,
					      .wants = search_wants,
					      .visit = tracepoint_add };
	struct tracepoint_visitor names = { .context = &search, .wants = rules_note_name };
	const char *recorded = source && !selection->ignores_stored ? source_describe(source)->rules
								    : NULL;

	/* Rules for probes are in the recording: their tracepoints have names of one run. */
	if (recorded) {
		selection->adds_rules |= selection_is_empty(selection);
		if (selection_add_rule_text(selection, text_of(recorded), RULES_OF_RECORDING,
					    error) < 0)
			return -1;
	}
	if (selection->rules) {
		/* The pack signal shows more of the same records. */
		if (!selection->explains && selection_has_rule(selection, "signal:signal"))
			rules_omit_of(selection->rules, "sched:signal", "sched");
		/* A run that records excludes itself, see capture_open(). */
		if (!selection->includes_self && source)
			rules_exclude(selection->rules, source_describe(source)->writer);
		if (source_is_realtime(source) && rules_set_realtime(selection->rules, error) < 0)
			return -1;
		if (rules_close(selection->rules, convention->is_swapped, error) < 0 ||
		    selection_visit(source, &names, error) < 0)
			return -1;
		rules_choose(selection->rules);
	}
	convention_reserve(convention, stacks_index(selection->rules) + 1);
	if (selection_visit(source, &visitor, error) < 0)
		return -1;
	if (convention_read_symbols(convention, report) < 0)
		return error_set(error, "out of memory");
	if (selection->rules && rules_read_symbols(selection->rules, !source, report) < 0)
		return error_set(error, "out of memory");
	if (selection->rules)
		rules_report_left_out(selection->rules, report);
	if (rules_check(selection, source, error) < 0)
		return -1;
	if (selection->rules && selection->rules->nr_misfits > 1 && selection_reports(selection))
		report_message(report, "rules: %zu tracepoints lack fields that they need",
			       selection->rules->nr_misfits);
	if (selection->rules && selection->is_verbose && selection->origin != SELECTION_ALL)
		rules_report_absent(selection->rules, report);
	for (size_t i = 0; i < selection->nr_patterns; i++) {
		const struct pattern *pattern = &selection->patterns[i];
		bool is_waiting = !pattern->matches_tracepoint &&
				  (selection->waits || pattern->is_of_programs);
		bool is_stored = pattern->option == 0;

		if (!pattern->matches_descriptor && !is_waiting && !is_stored)
			return pattern_refuse(pattern, selection, source, error);
	}
	return 0;
}

int selection_choose(struct selection *selection, struct source *source, const char *name,
		     const struct report *report, struct error *error)
{
	const char *stored = source_describe(source)->stored;
	struct error problem = { 0 };

	if (!selection_is_chosen(selection))
		selection->origin = SELECTION_ALL;
	if (selection->ignores_stored)
		stored = NULL;
	if (stored && (selection->origin == SELECTION_ALL ||
		       (selection->rules && selection->rules->wants_recorded))) {
		if (selection->origin == SELECTION_ALL)
			selection->origin = SELECTION_RECORDED;
		if (selection_add_stored(selection, text_of(stored), report, &problem) < 0)
			return error_set(error,
					 "%s: its selection: %s; --no-stored-rules ignores it",
					 name, problem.text);
	}
	return selection->origin == SELECTION_ALL ? selection_add_all(selection, source, error) : 0;
}

int selection_apply(struct selection *selection, struct source *source,
		    struct convention *convention, const struct report *report, struct error *error)
{
	const struct recording *recording = source_describe(source);

	/* System calls have other numbers on another machine, and in 32-bit programs. */
	if (selection->rules && rules_set_machine(selection->rules, recording->machine) < 0)
		return error_set(error, "out of memory");
	if (selection->rules && recording->narrow)
		rules_add_narrow(selection->rules, recording->narrow);
	selection->tasks = TASK_FORMATS_ALL;
	return selection_add_rest(selection, error) < 0
		       ? -1
		       : tracepoints_find(convention, source, selection, report, error);
}

int selection_add_why(struct selection *selection, struct error *error)
{
	if (!selection_is_chosen(selection))
		selection->origin = SELECTION_ALL;
	selection->adds_rules = true;
	selection->explains = true;
	/* What ktrack did may explain a slice. */
	selection->includes_self = true;
	/* Without patterns, all tracepoints that follow the convention are shown. */
	return selection_add_rules(
		selection, selection->nr_patterns > 0 ? WHY_PACKS : RULES_CONVENTION "," WHY_PACKS,
		error);
}

int selection_copy(struct selection *out, const struct selection *from, struct error *error)
{
	unsigned int option = 0;

	/* Several sources have a selection each, because formats are those of one source. */
	for (size_t i = 0; i < from->nr_patterns; i++) {
		const struct pattern *pattern = &from->patterns[i];

		if (selection_add(out, pattern->text, error) < 0)
			return -1;
		out->patterns[i].option = option = pattern->option;
		out->patterns[i].filter = pattern->filter;
	}
	out->nr_options = option;
	for (size_t i = 0; i < from->nr_rule_texts; i++) {
		if (selection_add_rules(out, from->rule_texts[i], error) < 0)
			return -1;
	}
	out->adds_rules = from->adds_rules;
	out->origin = from->origin;
	out->ignores_stored = from->ignores_stored;
	out->includes_self = from->includes_self;
	out->explains = from->explains;
	out->is_verbose = from->is_verbose;
	out->waits = true;
	return 0;
}

int selections_check(const struct selection *given, const struct selection *const *selections,
		     size_t size, struct error *error)
{
	for (size_t i = 0; i < given->nr_patterns; i++) {
		bool has_descriptor = false, has_tracepoint = false;

		for (size_t j = 0; j < size; j++) {
			has_descriptor |= selections[j]->patterns[i].matches_descriptor;
			has_tracepoint |= selections[j]->patterns[i].matches_tracepoint;
		}
		if (!has_descriptor)
			return error_set(error,
					 has_tracepoint ? LACKS_CONVENTION
							: "'%s': no tracepoint of the sources "
							  "matches; leave out -e, or see 'ktrack "
							  "list SOURCE'",
					 given->patterns[i].text);
	}
	for (size_t i = 0; i < size; i++) {
		if (!selection_has_rules(selections[i]) || selections[i]->adds_rules ||
		    selections[i]->origin != SELECTION_GIVEN ||
		    rules_are_bound(selections[i]->rules))
			return 0;
	}
	return error_set(error, "-r: the sources have none of the tracepoints that the rules use; "
				"see 'ktrack list --rules'");
}

/* Explaining slices adds rules. A recording writes to tracefs, which -v reports, too. */
int selection_check_options(const struct selection *selection, bool explains, bool records,
			    struct error *error)
{
	const char *option = selection->is_verbose && !records ? "-v"
			     : selection->includes_self	       ? "--include-self"
							       : NULL;

	if (!option || selection->rules || explains)
		return 0;
	return error_set(error,
			 "%s: has no effect without rules; add rules with -r, or leave it "
			 "out",
			 option);
}

/* Events of programs in a run: their names in outputs, and the rules that name them. */

int tracepoint_describe(struct convention *convention, const struct tracepoint *tracepoint,
			const struct descriptor **out, struct error *error)
{
	const char *system = program_system(tracepoint->system);

	if (!system)
		return convention_add(convention, tracepoint->system, tracepoint->format, out,
				      error);
	/* Outputs and their readers know tracks by the systems of packs and of stacks. */
	if (rule_pack_find(text_of(system)) || strcmp(system, STACK_SYSTEM) == 0 ||
	    convention_find_name(convention, system, tracepoint->name))
		system = tracepoint->system;
	return convention_add_program(convention, system, tracepoint->format,
				      tracepoint->is_of_many, out, error);
}

int program_event_add(struct convention *convention, struct rules *rules,
		      const struct program_event *event, const struct report *report,
		      struct error *error)
{
	SCOPED_BUFFER(system);
	struct tracepoint tracepoint = { .name = event->name,
					 .format = event->text,
					 .is_of_many = event->is_of_many };
	const struct descriptor *descriptor;
	struct error refusal = { 0 };
	int status;

	buffer_append_string(&system, PROGRAM_PREFIX);
	buffer_append_string(&system, event->system);
	tracepoint.system = buffer_string(&system);
	status = system.failed
			 ? -1
			 : tracepoint_describe(convention, &tracepoint, &descriptor, &refusal);
	if (status > 0)
		report_error(report, &refusal);
	if (status >= 0)
		status = convention_read_symbols(convention, NULL);
	if (status >= 0 && rules && rules_want(rules, tracepoint.system, event->name)) {
		struct error problem = { 0 };

		status = rules_bind(rules, tracepoint.system, tracepoint.name, tracepoint.format,
				    &problem);
		if (status == RULES_MISFIT)
			misfit_report(rules, &problem, report);
		rules_report_left_out(rules, report);
		if (status >= 0)
			status = rules_read_symbols(rules, false, report);
	}
	return status < 0 ? error_set(error, "out of memory") : 0;
}

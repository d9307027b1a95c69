/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tracepoints and rules a command line selects, and which of them a source has. */
#ifndef READER_SELECTION_H
#define READER_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "convention/convention.h"
#include "rules/rules.h"
#include "source/source.h"

struct formats;

/**
 * struct pattern - SYS[:EVENT], both with wildcards, and what it matched
 * @system: the part before the colon, or all
 * @option: the number of the -e that has it, from 1
 * @filter: the event filter of its tracepoints, NULL for none
 * @is_of_programs: it means events of programs only
 */
struct pattern {
	char *text;
	char *system;
	unsigned int option;
	const char *filter;
	bool matches_tracepoint;
	bool matches_descriptor;
	bool is_of_programs;
};

/** enum task_formats - the tracepoints about threads whose records are decoded */
enum task_formats {
	TASK_FORMATS_NONE,
	TASK_FORMATS_SIDEBAND,
	TASK_FORMATS_ALL,
};

/**
 * struct selection - the patterns of tracepoints that follow the convention, and rules for others;
 * without any, all that follow the convention
 * @rules: NULL for none
 * @rule_texts: WORDS of each -r WORDS, @nr_rule_texts of them
 * @rule_words: " -r WORDS" of each -r, as a shell reads it; lists of packs are joined
 * @ends_with_packs: the last ones in it are packs
 * @adds_rules: the rules are in addition to all tracepoints that follow the convention
 * @can_wait: the command has --wait
 * @waits: a pattern may match only later
 * @includes_self: ktrack's own thread gets tracks of rules, too
 * @is_verbose: report the tracepoints that rules use and that do not exist, and writes to tracefs
 * @tasks: about threads; the patterns do not name them
 * @program_events: patterns of the events of programs that are recorded, with commas; empty for all
 * @nr_unreadable: tracepoints that were skipped because their format cannot be read
 * @formats: receives the formats of tracepoints that are recorded, NULL if they are not needed
 */
struct selection {
	struct pattern *patterns;
	size_t nr_patterns;
	unsigned int nr_options;
	struct rules *rules;
	const char **rule_texts;
	size_t nr_rule_texts;
	struct buffer rule_words;
	bool ends_with_packs;
	bool adds_rules;
	bool can_wait;
	bool waits;
	bool includes_self;
	bool is_verbose;
	enum task_formats tasks;
	struct buffer program_events;
	size_t nr_unreadable;
	struct formats *formats;
};

/**
 * selection_add - add the patterns of one -e
 * @text: SYS[:EVENT], several with commas
 *
 * Returns 0, or -1 with @error.
 */
int selection_add(struct selection *selection, const char *text, struct error *error);

/** selection_add_rules - add the rules of one -r; returns -1 with @error */
int selection_add_rules(struct selection *selection, const char *text, struct error *error);

/**
 * selection_add_rule_text - add rules that another part of the run made
 * @text: a file of rules
 * @source: name of the text in errors; outlives the selection
 *
 * Returns 0, or -1 with @error.
 */
int selection_add_rule_text(struct selection *selection, struct text text, const char *source,
			    struct error *error);

/**
 * selection_copy - the same selection for another source
 * @out: zeroed; for selection_release()
 *
 * Patterns and rules that match nothing there are no error; see selections_check(). Returns 0, or
 * -1 with @error.
 */
int selection_copy(struct selection *out, const struct selection *from, struct error *error);

/**
 * selections_check - refuse a pattern that matches in no source, and rules that use nothing of any
 * @selections: the copies, @size of them, after tracepoints_find()
 *
 * Returns 0, or -1 with @error.
 */
int selections_check(const struct selection *const *selections, size_t size, struct error *error);

/** selection_add_why - add the rules that explain slices; returns -1 with @error */
int selection_add_why(struct selection *selection, struct error *error);

/** selection_has_states - whether rules make the states of threads, which explain slices */
bool selection_has_states(const struct selection *selection);

/** selection_is_empty - whether nothing is selected, which means all that follow the convention */
bool selection_is_empty(const struct selection *selection);

/** selection_set_filter - apply an event filter to the last -e; returns -1 with @error */
int selection_set_filter(struct selection *selection, const char *filter, struct error *error);

void selection_release(struct selection *selection);

/** selection_means - whether a tracepoint is selected */
bool selection_means(const struct selection *selection, const char *system, const char *name);

/** selection_filter - the event filter of a tracepoint: that of the last matching pattern, or NULL
 */
const char *selection_filter(const struct selection *selection, const char *system,
			     const char *name);

/**
 * tracepoints_find - add the selected tracepoints that follow the convention to @convention
 * @source: of the tracepoints; NULL for the running kernel
 * @report: for tracepoints that cannot be read
 *
 * Returns 0, or -1 with @error, for example if a pattern matches none.
 */
int tracepoints_find(struct convention *convention, struct source *source,
		     struct selection *selection, const struct report *report, struct error *error);

struct programs;

/**
 * selection_choose_programs - find the patterns that match no tracepoint: they mean events of
 * programs, of which only those are recorded then
 * @report: receives a line if there is no tracefs
 *
 * Returns 0, or -1 with @error.
 */
int selection_choose_programs(struct selection *selection, const struct report *report,
			      struct error *error);

/** selection_report_programs - report patterns that have matched no event of a program */
void selection_report_programs(const struct selection *selection, const struct programs *programs,
			       const struct report *report);

/**
 * selection_read_functions - read the names of functions, if the bound rules show or compare some
 * @source: of the records
 * @report: receives a line if there are none
 *
 * Returns 0, or -1 with @error if a condition compares a function that does not exist.
 */
int selection_read_functions(struct selection *selection, struct source *source,
			     const struct report *report, struct error *error);

/** descriptor_system - append the system of a descriptor to @out */
void descriptor_system(const struct descriptor *descriptor, struct buffer *out);

/**
 * selection_check_options - refuse options that need rules; explaining slices adds some
 * @records: -v also reports writes to tracefs
 *
 * Returns 0, or -1 with @error.
 */
int selection_check_options(const struct selection *selection, bool explains, bool records,
			    struct error *error);

/**
 * tracepoint_describe - convention_add() under the name that outputs show
 *
 * An event of a program keeps the name that the program gives it, unless the kernel has it, or
 * packs have its system: then it is shown behind PROGRAM_PREFIX.
 */
int tracepoint_describe(struct convention *convention, const struct tracepoint *tracepoint,
			const struct descriptor **out, struct error *error);

/**
 * program_event_add - decode the records of an event of a program that was found while it runs
 * @rules: NULL for none
 *
 * Returns -1 with @error if memory ran out.
 */
int program_event_add(struct convention *convention, struct rules *rules,
		      const struct program_event *event, const struct report *report,
		      struct error *error);

#endif

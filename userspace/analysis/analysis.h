/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of analysis/: questions over recorded tracks. An analysis is a sink of the timeline
 * that prints its answer when the recording ends.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "timeline/timeline.h"

/*
 * A selector of slices is "[CATEGORY/]NAME[@TRACK]", all three with wildcards as in glob(7).
 *
 * CATEGORY is "system:event" or "pack:rule"; a text before the first slash without a colon belongs
 * to the name. CATEGORY without a slash means all its slices. TRACK is behind the last @. A
 * backslash makes the next character ordinary.
 */

/**
 * struct slice_selector - patterns for fnmatch(3), NULL for any
 * @category: of "system:event"
 * @name: of the slice
 * @track: of the track's name, its thread's name, or its number
 */
struct slice_selector {
	char *category;
	char *name;
	char *track;
};

/** slice_selector_parse - parse a selector; for slice_selector_release(), also on failure */
int slice_selector_parse(struct slice_selector *out, struct text text, struct error *error);

void slice_selector_release(struct slice_selector *selector);

/** slice_selector_matches_track - whether slices of a track are selected, if their names are */
bool slice_selector_matches_track(const struct slice_selector *selector,
				  const struct timeline_track *track);

/** slice_selector_matches_name - whether a slice's name is selected; it is matched up to a NUL */
bool slice_selector_matches_name(const struct slice_selector *selector, struct text name);

/** enum budget_verdict - the worse one is larger */
enum budget_verdict {
	BUDGET_MET,
	BUDGET_UNDECIDED,
	BUDGET_EXCEEDED,
};

/*
 * Triggers: events of a recording that ktrack watch saves.
 *
 * A slice that is longer than its limit fires when it reaches the limit, while it is still open.
 */

/** TRIGGERS_MAX - most triggers of a run */
#define TRIGGERS_MAX 16

/** TRIGGER_SLICES_MAX - limit of open slices that wait for their limits, of all triggers */
#define TRIGGER_SLICES_MAX 65536

/** WHY_PACKS - the packs of rules whose tracks explain slices */
#define WHY_PACKS "sched,irq,locks,workqueue,block,timers,writeback,reclaim"

/** WHY_FILE_PACKS - those that explain slices of a file that has their records, too */
#define WHY_FILE_PACKS "memory,fs,syscalls"

/** WHY_STATES - the rule whose tracks are the states of threads; without it nothing is explained */
#define WHY_STATES "sched:thread"

/** WHY_CPUS, WHY_WAKEUPS - rules of what the states of threads show, too */
#define WHY_CPUS "sched:cpu"
#define WHY_WAKEUPS "sched:wakeup"

/** WHY_SLOWEST_MAX - limit of slices that are explained one by one */
#define WHY_SLOWEST_MAX 1000

/** WHY_DEPTH_MAX - limit of wakers that are followed one after the other */
#define WHY_DEPTH_MAX 16

/** struct evidence_record - a record that a part rests on; its texts are allocated */
struct evidence_record {
	int64_t time_ns;
	int cpu;
	char *buffer; /* name of its buffer, "" for the top level's and the only one */
	char *event;  /* "system:event" */
};

/** struct evidence - records in the order of time; a zeroed struct has none */
struct evidence {
	struct evidence_record *records;
	size_t nr_records;
	size_t capacity;
};

/** evidence_add - add a record; returns -1 if memory ran out */
int evidence_add(struct evidence *evidence, int64_t time_ns, int cpu, const char *buffer,
		 const char *event);

void evidence_release(struct evidence *evidence);

/** struct evidence_finder - finds all records at @nr times, which are in order; -1 with @error */
struct evidence_finder {
	void *context;
	int (*find)(void *context, const int64_t *times_ns, size_t nr, struct evidence *out,
		    struct error *error);
};

struct why_base;

/** why_base_new - what another recording is compared with, empty at first; NULL without memory */
struct why_base *why_base_new(const char *source);

/** why_base_free - NULL is fine */
void why_base_free(struct why_base *base);

/**
 * struct why_settings - which slices are explained, and how
 * @slice: the selector, see slice_selector_parse()
 * @slowest: number of slices that are explained, the slowest ones; 0 for 1
 * @depth: number of wakers that are followed one after the other
 * @has_at: only slices that are open at @at_ns after the recording's start, the shortest first
 * @is_aggregate: compare the slowest slices with the median instead
 * @is_overview: without @slice: the busiest processes and the slowest kinds of slices, @slowest of
 * them; 0 for WHY_KINDS
 * @base: with @is_aggregate: what is compared with instead: the first run fills it, and prints
 * nothing; the second one prints what is longer than in it; NULL for none
 * @is_json: print JSON instead of text
 * @shows_all: small parts are not summed up
 * @evidence: print the records at the begin and the end of the longest time of each part; or NULL
 * @folded: path of a file for folded stacks, which the caller opens; NULL for none
 * @subjects: of an overview: the packs that were asked for, with a comma before and behind each;
 * those that only explain are left out; NULL for no choice
 * @command: of an overview: the words before a SLICE that ask for it; NULL for none
 * @explanations: receives the answer instead, with an overview, for other outputs; of the other
 * members only @slice, @depth and @only_counts are not 0 then
 * @only_counts: with @explanations: there is only the overview, and nothing is explained
 * @is_live: a recording without such a slice is no error
 * @is_here: threads that still run are looked up in /proc
 */
struct why_settings {
	struct text slice;
	uint64_t slowest;
	uint64_t depth;
	bool has_at;
	int64_t at_ns;
	bool is_aggregate;
	struct why_base *base;
	bool is_overview;
	bool is_json;
	bool shows_all;
	const struct evidence_finder *evidence;
	bool is_live;
	bool is_here;
	const char *folded;
	const char *subjects;
	const char *command;
	struct explanations *explanations;
	bool only_counts;
};

/** WHY_KINDS - default of the number of kinds of slices in an overview */
#define WHY_KINDS 5

/** WHY_DEPTH - default of @depth in struct why_settings */
#define WHY_DEPTH 3

/** AGGREGATE_SUFFIX - behind a selector it means @is_aggregate, unless a backslash is before it */
#define AGGREGATE_SUFFIX " p99"

/** why_settings_set_slice - set the selector; " p99" behind it means @is_aggregate */
void why_settings_set_slice(struct why_settings *settings, const char *text);

/** why_settings_set_overview - without a slice: ask for an overview, or refuse what needs a slice
 */
int why_settings_set_overview(struct why_settings *why, struct error *error);

/** why_settings_check - refuse settings that exclude each other */
int why_settings_check(const struct why_settings *why, struct error *error);

/** BUDGETS_MAX - most budgets of a run */
#define BUDGETS_MAX 32

struct budget_set;

/**
 * budget_set_new - parse budgets, see budget_parse()
 * @out: for budget_set_free(), also on failure
 * @texts: outlive the set
 * @size: at most BUDGETS_MAX
 */
int budget_set_new(struct budget_set **out, const char *const *texts, size_t size,
		   struct error *error);

/** budget_set_free - NULL is fine */
void budget_set_free(struct budget_set *set);

/** budget_sink_new - a sink that counts slices for @set, which outlives it; NULL with @error */
struct sink *budget_sink_new(struct budget_set *set, struct error *error);

/**
 * budget_set_judge - the worst verdict of all budgets
 * @lost_records: number of lost records of the recording
 * @is_limited: no loss has an unknown number of records
 */
enum budget_verdict budget_set_judge(const struct budget_set *set, uint64_t lost_records,
				     bool is_limited);

/** budget_set_report - report a line for each budget */
void budget_set_report(const struct budget_set *set, uint64_t lost_records, bool is_limited,
		       const struct report *report);

/** budget_set_append_json - append one line: {"budgets":[...]} */
void budget_set_append_json(const struct budget_set *set, uint64_t lost_records, bool is_limited,
			    struct buffer *out);

struct trigger_set;

/**
 * struct trigger_firing - a trigger has fired
 * @trigger: its text
 * @detail: one line about what fired: a slice's name and track
 * @time_ns: when a slice reached its limit, or the time of the event
 * @end_ns: of a loss, where records go on; else the same time
 */
struct trigger_firing {
	const char *trigger;
	const char *detail;
	int64_t time_ns;
	int64_t end_ns;
};

/** struct trigger_handler - receives firings; @fire returns -1 if memory ran out */
struct trigger_handler {
	void *context;
	int (*fire)(void *context, const struct trigger_firing *firing);
};

/**
 * trigger_set_new - parse triggers, see trigger_parse()
 * @out: for trigger_set_free(), also on failure
 * @texts: outlive the set
 * @size: at most TRIGGERS_MAX
 */
int trigger_set_new(struct trigger_set **out, const char *const *texts, size_t size,
		    const struct trigger_handler *handler, struct error *error);

/** trigger_set_free - NULL is fine */
void trigger_set_free(struct trigger_set *set);

/** trigger_sink_new - a sink that tries all triggers of @set, which outlives it; or NULL */
struct sink *trigger_sink_new(struct trigger_set *set, struct error *error);

/**
 * trigger_set_advance - fire for open slices that have reached their limits
 * @now_ns: all events up to this time were delivered
 *
 * Returns -1 if memory ran out.
 */
int trigger_set_advance(struct trigger_set *set, int64_t now_ns);

/** trigger_set_due_ns - when the next open slice reaches its limit; INT64_MAX if there is none */
int64_t trigger_set_due_ns(const struct trigger_set *set);

/** trigger_set_unwatched - slices that were not watched, because too many were open */
uint64_t trigger_set_unwatched(const struct trigger_set *set);

struct comparison;

/**
 * comparison_new - a comparison of two sets of recordings
 * @has_blocks: of one recording on each side, whose seconds are resampled instead of recordings
 *
 * Returns NULL if memory ran out.
 */
struct comparison *comparison_new(bool has_blocks);

/** comparison_free - NULL is fine */
void comparison_free(struct comparison *comparison);

/** compare_sink_new - a sink that adds a recording to a comparison; NULL with @error */
struct sink *compare_sink_new(struct comparison *comparison, bool is_source, struct error *error);

/** comparison_check - refuse sets that cannot report a change */
int comparison_check(const struct comparison *comparison, struct error *error);

/**
 * comparison_print - append the changes
 * @min_change: smaller changes are not reported: 0.05 for 5 %
 */
int comparison_print(const struct comparison *comparison, double min_change, bool is_json,
		     struct buffer *out, struct error *error);

/**
 * why_sink_new - a sink that explains slices
 * @settings: outlive the sink
 * @fd: of the output, -1 for none; becomes the sink's, which closes it, also on failure
 * @folded_fd: likewise of the file for folded stacks, -1 for none
 * @source: name of the recording in messages
 *
 * Returns a sink for timeline_add(), or NULL with @error.
 */
struct sink *why_sink_new(const struct why_settings *settings, int fd, int folded_fd,
			  const char *source, struct error *error);

#endif

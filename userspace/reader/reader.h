/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of reader/: the records of a source as track events.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "convention/convention.h"
#include "event/event.h"
#include "rules/rules.h"
#include "source/source.h"
#include "timeline/timeline.h"
#include "track/track.h"
#include "userring/userring.h"

/* Kernel stacks of a source, with the names of their functions, as instants of their threads. */

/**
 * struct stacks - what is needed to read stacks; zeroed, there are none
 * @stack, @text, @field, @event: those of the stack that was read last
 */
struct stacks {
	struct stack_layout layout;
	struct source *source;
	const struct rules *rules; /* may own the names of functions; NULL for none */
	const struct report *report;
	struct kallsyms *own; /* the names of functions, if @rules do not own them */
	bool has_functions;   /* stacks_read_functions() was called */
	struct descriptor descriptor;
	struct stack stack;
	struct buffer text;
	struct field field;
	struct decoded_event event;
};

/** stacks_open - find the format of stacks in a source; @rules: of the same run, or NULL */
int stacks_open(struct stacks *stacks, struct source *source, const struct rules *rules,
		const struct report *report, struct error *error);
/** stacks_read_functions - read names of functions, before only root may; if there can be stacks */
void stacks_read_functions(struct stacks *stacks);
/** stacks_index - the index of the descriptor of stacks, behind those of rules */
unsigned int stacks_index(const struct rules *rules);

/* Which tracepoints and rules a command line selects, and which of them a source has. */

struct formats;

/** struct pattern - SYS[:EVENT], both with wildcards, and what it matched */
struct pattern {
	char *text;
	char *system;	     /* the part before the colon, or all */
	unsigned int option; /* the number of the -e that has it, from 1; 0 if a recording has it */
	const char *filter;  /* the event filter of its tracepoints, NULL for none */
	bool matches_tracepoint;
	bool matches_descriptor;
	bool is_of_programs; /* it means events of programs only */
};

/** enum task_formats - the tracepoints about threads whose records are decoded */
enum task_formats {
	TASK_FORMATS_NONE,
	TASK_FORMATS_SIDEBAND,
	TASK_FORMATS_ALL,
};

/** enum selection_origin - where a selection is from */
enum selection_origin {
	/* options, or the default of a command that records what follows the convention */
	SELECTION_GIVEN,
	SELECTION_DEFAULT,  /* nothing was chosen: RULES_DEFAULT */
	SELECTION_RECORDED, /* nothing was chosen: that of the recording */
	/* nothing was chosen: all that a source has, also what no rule of a pack takes */
	SELECTION_ALL,
};

/**
 * struct selection - the patterns of tracepoints, and rules for others; without any, all that
 * follow the convention
 */
struct selection {
	struct pattern *patterns;
	size_t nr_patterns;
	unsigned int nr_options;
	struct rules *rules;	 /* NULL for none */
	const char **rule_texts; /* WORDS of each -r WORDS, @nr_rule_texts of them */
	size_t nr_rule_texts;
	/* " -r WORDS" of each -r, as a shell reads it; lists of packs are joined */
	struct buffer rule_words;
	bool ends_with_packs; /* the last ones in it are packs */
	/* the rules are in addition to all tracepoints that follow the convention */
	bool adds_rules;
	bool has_programs;   /* all events of programs */
	bool ignores_stored; /* what a recording keeps of selections and rules is not used */
	enum selection_origin origin;
	struct buffer stored;	/* what is used of it, for people */
	size_t nr_stored_packs; /* names of packs in it */
	bool can_wait;		/* the command has --wait */
	bool waits;		/* a pattern may match only later */
	bool has_command;	/* a command is run, whose events a pattern may mean */
	bool includes_self;	/* ktrack's own thread gets tracks of rules, too */
	bool explains;		/* slices are explained, which uses rules that show nothing more */
	/* report the tracepoints that rules use and that do not exist, and writes to tracefs */
	bool is_verbose;
	enum task_formats tasks; /* about threads; the patterns do not name them */
	/* patterns of the events of programs that are recorded, with commas; empty for all */
	struct buffer program_events;
	/* beside programs, numbers from PROGRAM_EVENT_ID on are their events' */
	bool is_with_programs;
	/* tracepoints that were skipped because their format cannot be read */
	size_t nr_unreadable;
	/* why there are no names of functions, after selection_read_functions() */
	struct error no_functions;
	/* receives the formats of tracepoints that are recorded, NULL if they are not needed */
	struct formats *formats;
};

/** selection_add - add the patterns of one -e: SYS[:EVENT], several with commas */
int selection_add(struct selection *selection, const char *text, struct error *error);
/** selection_add_rules - add the rules of one -r */
int selection_add_rules(struct selection *selection, const char *text, struct error *error);

/**
 * selection_add_rule_text - add rules that another part of the run made
 * @text: a file of rules
 * @source: name of the text in errors; outlives the selection
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
 * @given: what was copied
 * @selections: the copies, @size of them, after tracepoints_find()
 */
int selections_check(const struct selection *given, const struct selection *const *selections,
		     size_t size, struct error *error);

/** selection_add_why - add the rules that explain slices */
int selection_add_why(struct selection *selection, struct error *error);

/** selection_is_chosen - whether the user chose something, before selection_add_why() */
static inline bool selection_is_chosen(const struct selection *selection)
{
	return selection->nr_options > 0 || selection->nr_rule_texts > 0;
}

/**
 * selection_add_rest - any tracepoint that a pattern matches is selected
 *
 * One that does not follow the convention, and that no rule uses, makes instants of its threads.
 * Before tracepoints_find(). Returns -1 with @error.
 */
int selection_add_rest(struct selection *selection, struct error *error);

/**
 * selection_store - append the lines of a selection for selection_add_stored()
 * @has_programs: the recording has all events of programs, too
 *
 * Returns 0, without lines if nothing was chosen; 1 without lines if they are too many; or -1 if
 * memory ran out.
 */
int selection_store(const struct selection *selection, bool has_programs, struct buffer *out);

/**
 * selection_add_stored - add the selection of a recording, which may be hostile
 * @text: lines "-e PATTERNS", "-r PACKS", "--programs" and those of rules
 * @report: for packs that are unknown
 */
int selection_add_stored(struct selection *selection, struct text text, const struct report *report,
			 struct error *error);

/** selection_append_options - append " -e PATTERNS -r WORDS", as a shell reads it */
void selection_append_options(const struct selection *selection, struct buffer *out);
/** selection_reports - whether to report what cannot be used: what the user named */
bool selection_reports(const struct selection *selection);
/** selection_describe - append what is selected, and why, for the header of an output */
void selection_describe(struct selection *selection, struct buffer *out);
/** selection_has_states - whether rules make the states of threads, which explain slices */
bool selection_has_states(const struct selection *selection);
/** selection_is_empty - whether nothing is selected, which means all that follow the convention */
bool selection_is_empty(const struct selection *selection);
/**
 * selection_refuses - whether a tracepoint of the kernel has the number of a program's event
 *
 * Its records would be taken for that one's, or that one's for the kernel's. Kernels up to 6.1
 * number all that is ever registered. Reports it.
 */
bool selection_refuses(const struct selection *selection, const struct tracepoint *tracepoint,
		       const struct report *report);
/** selection_set_filter - apply an event filter to the last -e */
int selection_set_filter(struct selection *selection, const char *filter, struct error *error);

void selection_release(struct selection *selection);

/** selection_means - whether a tracepoint is selected */
bool selection_means(const struct selection *selection, const char *system, const char *name);
/** selection_filter - the event filter of the last pattern that matches a tracepoint, or NULL */
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

/**
 * selection_choose - what a recording shows: what was chosen, else what it keeps, else all
 * @name: of the recording, for @error
 * @report: for packs that are unknown
 *
 * "-r recorded" adds what the recording keeps. Returns -1 with @error.
 */
int selection_choose(struct selection *selection, struct source *source, const char *name,
		     const struct report *report, struct error *error);

/** selection_apply - tracepoints_find() of a source, with the system calls of its machine */
int selection_apply(struct selection *selection, struct source *source,
		    struct convention *convention, const struct report *report,
		    struct error *error);

struct programs;

/**
 * selection_choose_programs - find the patterns that match no tracepoint: they mean events of
 * programs, of which only those are recorded then
 * @may_emit: of a system; unless it is true for all these patterns, none means programs. NULL: it is
 * @report: receives a line if there is no tracefs
 *
 * Returns the number of patterns that mean programs, or -1 with @error.
 */
int selection_choose_programs(struct selection *selection,
			      bool (*may_emit)(void *context, const char *system), void *context,
			      const struct report *report, struct error *error);

/** selection_report_programs - report patterns that have matched no event of a program */
void selection_report_programs(const struct selection *selection, const struct programs *programs,
			       const struct report *report);

/**
 * selection_read_functions - read the names of functions, if the bound rules show or compare some
 * @source: of the records
 * @report: receives a line if there are none; NULL if selection_report_addresses() will report that
 *
 * Returns 0, or -1 with @error if a condition compares a function that does not exist.
 */
int selection_read_functions(struct selection *selection, struct source *source,
			     const struct report *report, struct error *error);

/** selection_report_addresses - report why functions were shown as addresses, if some were */
void selection_report_addresses(const struct selection *selection, const struct report *report);
/** descriptor_system - append the system of a descriptor to @out */
void descriptor_system(const struct descriptor *descriptor, struct buffer *out);

/**
 * selection_check_options - refuse options that need rules; explaining slices adds some
 * @records: -v also reports writes to tracefs
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

/** program_event_add - decode the records of an event of a program that was found while it runs */
int program_event_add(struct convention *convention, struct rules *rules,
		      const struct program_event *event, const struct report *report,
		      struct error *error);

/* Selects the records of a source. */

/**
 * struct filter - which records are exported; a zeroed one exports all
 * @cgroup: of the track's process, or of the thread that wrote the record if the track is none of a
 * process, with those below it; NULL for all
 * @cpu, @pid: if @has_cpu, @has_pid; pid is the thread that wrote the record
 * @from_ns, @to_ns: since the recording's start; 0 for no limit
 */
struct filter {
	const char *track;  /* a pattern for track names, NULL for all */
	const char *buffer; /* the name of a buffer, NULL for all */
	const char *cgroup;
	bool has_cpu;
	int cpu;
	bool has_pid;
	int pid;
	int64_t from_ns;
	int64_t to_ns;
};

/** filter_is_open - whether the filter matches all records */
bool filter_is_open(const struct filter *filter);
/** filter_wants_record - whether to decode a record; @buffers as in struct recording */
bool filter_wants_record(const struct filter *filter, const struct record *record,
			 const char *const *buffers);
/** filter_check - refuse a filter that matches nothing of a source */
int filter_check(const struct filter *filter, const struct recording *recording,
		 struct error *error);
/** filter_has_all_threads - whether all records of a time match, so that they show states */
bool filter_has_all_threads(const struct filter *filter);
/** filter_wants_event - whether a decoded record matches */
bool filter_wants_event(const struct filter *filter, const struct decoded_event *decoded);
/** filter_name - append the options of the filter, with commas */
void filter_name(const struct filter *filter, struct buffer *out);

/* Lists the tracepoints of the running kernel that follow the convention, and rules. */

struct listing;

/** listing_new - find the running kernel's tracepoints that follow the convention */
int listing_new(struct listing **out, struct selection *selection, const struct report *report,
		struct error *error);
/** listing_size - number of tracepoints */
size_t listing_size(const struct listing *listing);
/** listing_get - the descriptor with a number below listing_size() */
const struct descriptor *listing_get(const struct listing *listing, size_t number);
/** listing_is_enabled - whether the tracepoint of a descriptor is recorded by the top level */
bool listing_is_enabled(const struct listing *listing, const struct descriptor *descriptor);
/** listing_free - NULL is fine */
void listing_free(struct listing *listing);

struct rule_listing;

/** enum listed_presence - whether the running kernel has a tracepoint */
enum listed_presence {
	LISTED_ABSENT,
	LISTED_PRESENT,
	LISTED_UNKNOWN,
};

/**
 * rule_listing_new - list the rules of a selection, or of all packs if it has no rules
 * @out: for rule_listing_free()
 * @selection: loses its rules
 * @report: receives a line if the tracepoints of the running kernel cannot be read
 */
int rule_listing_new(struct rule_listing **out, struct selection *selection,
		     const struct report *report, struct error *error);

/** rule_listing_rules - the rules */
const struct rules *rule_listing_rules(const struct rule_listing *listing);
/** rule_listing_find - whether the running kernel has a tracepoint of a rule */
enum listed_presence rule_listing_find(const struct rule_listing *listing,
				       const struct rule_use_about *use);
/** rule_listing_free - NULL is fine */
void rule_listing_free(struct rule_listing *listing);

/* The workload: the threads whose records are recorded, and their children. */

/** struct workload_settings - record only existing threads and their children; by one of these */
struct workload_settings {
	const char *option; /* the option that was given, NULL for none */
	int pid;
	const char *cgroup;
	const char *unit;
};

/** workload_new - an empty one with all memory, for workload_free(); NULL without memory */
struct thread_set *workload_new(void);
/** workload_free - free a workload; NULL is fine */
void workload_free(struct thread_set *workload);

/**
 * workload_limit_rules - leave out the rules that need the records of all tasks
 * @remedy: for an error
 *
 * Returns 0 with a report, or -1 with @error if no rule is left.
 */
int workload_limit_rules(struct rules *rules, const char *remedy, const struct report *report,
			 struct error *error);

/** workload_learn - children of the workload's threads belong to it, too */
void workload_learn(struct thread_set *workload, const struct task_change *change);

/**
 * workload_find - find the threads that exist now
 * @add: receives each one, repeatedly if it is called again; returns -1 with @error
 *
 * Returns 0, or -1 with @error if there is no such process, cgroup or unit.
 */
int workload_find(const struct workload_settings *settings,
		  int (*add)(void *context, int tid, struct error *error), void *context,
		  struct error *error);

/** record_is_sideband - whether a record is of the sideband buffer; @source NULL has none */
static inline bool record_is_sideband(const struct record *record, const struct source *source)
{
	return record->buffer > 0 && record->buffer >= source_describe(source)->nr_buffers;
}

/* Counts records that are not exported, by system: of other tracepoints, or without their -e. */

/** struct other_records - the records by the id of their tracepoint; none if zeroed */
struct other_records {
	uint64_t *counts; /* one for each id, NULL before the first record */
	uint64_t total;
};

/** struct other_source - the source of the records */
struct other_source {
	struct source *source;
	/* its tracepoints that name threads count only if there are no track events */
	const struct convention *convention;
	const char *name;      /* of the source */
	const char *directory; /* of its instance, NULL for a file */
	bool leaves_out;       /* the records are those that -r without -e does not select */
};

/**
 * other_records_report - report how many such records a source has, of which systems, and the
 * remedy if it has no track events, or if -r leaves some out; to be called once
 * @is_empty: it has no track events
 *
 * Records of tracepoints that the source does not describe are not counted: source_damage() reports
 * them.
 */
void other_records_report(struct other_records *others, const struct other_source *source,
			  bool is_empty, const struct report *report);

/** struct unknown_count - records of one CPU that were not reported yet */
struct unknown_count {
	int cpu;
	unsigned int buffer;
	int64_t first_ns;
	int64_t last_ns;
	int64_t count;
};

/** struct unknown_events - records of all CPUs; none if zeroed */
struct unknown_events {
	struct unknown_count *list;
	size_t size;
};

/* Recognizes kernels with PREEMPT_RT, which run soft interrupts in threads. */

/** release_is_realtime - whether a kernel's release names PREEMPT_RT: "6.6-rt15" */
bool release_is_realtime(const char *release);
/** format_is_realtime - whether a tracepoint has a field that only the patches of PREEMPT_RT add */
bool format_is_realtime(struct text format);

/* The pipeline: records of a source become track events of a timeline. */

/**
 * struct pipeline_follower - follows tracepoints that come and go while a recording runs
 * @find: search the tracepoint of an event id that the pipeline does not have; sets @is_known if it
 * has it now; returns 1 if the record is lost unless @is_known, 0 if it is of no interest, or -1
 */
struct pipeline_follower {
	void *context;
	int (*find)(void *context, uint16_t id, bool *is_known, struct error *error);
	/* as in struct source_handler */
	int (*change)(void *context, const struct instance_change *change, struct error *error);
};

/** struct limits - how much state a run keeps */
struct limits {
	uint64_t max_tracks;	/* idle tracks above this number are closed; 0 for the default */
	uint64_t max_input_kib; /* as in struct input_settings */
};

/**
 * struct pipeline - from records to track events
 *
 * A zeroed struct can be released. The owner sets the convention, the rules, the filter, the limits
 * and the timeline's sinks.
 */
struct pipeline {
	struct source *source; /* of the records; NULL in tests */
	struct filter filter;  /* which records are exported */
	struct limits limits;
	struct window *window; /* only records of a time are exported; NULL if all are */
	size_t copies_size;    /* of its copies of records */
	/* saves them, and what belongs to them; NULL for nothing; the owner frees it */
	struct part_writer *part_writer;
	bool is_open;		    /* the filter exports all records of the window */
	const char *const *buffers; /* names of the source's buffers, as in struct recording */
	/* as in struct recording */
	unsigned int convention_buffer;
	bool has_lost;		  /* there were losses */
	uint64_t lost;		  /* number of lost records that were counted */
	uint64_t lost_convention; /* those of them in @convention_buffer */
	uint64_t nr_gaps; /* number of gaps; @nr_gaps_unknown of them have an unknown size */
	uint64_t nr_gaps_unknown;
	uint64_t nr_events;    /* track events */
	int64_t lost_until_ns; /* latest end of a gap */
	/* finds the tracepoints of loaded modules; zeroed if no module is followed */
	struct pipeline_follower follower;
	/* records without a known tracepoint, until pipeline_report_unknown() */
	struct unknown_events unknown;
	uint64_t nr_unknown; /* their number in all */
	bool counts_others;
	struct other_records others; /* records that are not exported, if @counts_others */
	struct convention *convention;
	/* for tracepoints that do not follow the convention; NULL for none; the selection's */
	struct rules *rules;
	/* for events of programs that rules do not fit; NULL for none */
	const struct report *report;
	struct thread_set *workload; /* only these threads get tracks of rules; NULL for all */
	const struct record *record; /* the record that rules are applied to; NULL otherwise */
	struct tracks *tracks;
	struct timeline timeline;
	struct stacks stacks; /* of threads, if the output shows them */
	/* the record that was decoded last; not on a stack, see struct tracks */
	struct decoded_event decoded;
};

/** struct output_losses - what a recording lost */
struct output_losses {
	bool has_lost;
	uint64_t records; /* number of records, as far as it is known */
	bool has_unknown; /* there are gaps of unknown size */
};

/**
 * pipeline_open - open the timeline for a recording
 * @source: of the records, and of thread names
 * @with: a set of 1 << enum timeline_emitter, to be written with each record
 */
int pipeline_open(struct pipeline *pipeline, struct source *source,
		  const struct recording *recording, unsigned int with, struct error *error);

/** pipeline_handler - the handler for a source */
struct source_handler pipeline_handler(struct pipeline *pipeline);
/** recording_set_origin - a part begins when the whole began */
void recording_set_origin(struct recording *recording);
/** recording_set_window - describe the time that is exported; the start is set */
void recording_set_window(struct recording *recording, const struct filter *filter);

/**
 * pipeline_save_part - finish the part that was saved, after pipeline_end_window()
 * @complete: what is complete of its time
 * @nr_records: becomes the number of its records
 *
 * Returns 0, or -1 with @error, also if the recording has no such time.
 */
int pipeline_save_part(struct pipeline *pipeline, const struct recording *recording,
		       const struct source_span *complete, uint64_t *nr_records,
		       struct error *error);

/**
 * pipeline_enter_window - of several sources, all records before the window were delivered
 * @next_ns: time of the next one
 *
 * A single source enters its window with that record; several show what is open at their begins in
 * its order, by pipeline_show_open(). Returns -1 with @error.
 */
int pipeline_enter_window(struct pipeline *pipeline, int64_t next_ns, struct error *error);

/** pipeline_next_open - time of the next event of pipeline_show_open(); false if there is none */
bool pipeline_next_open(const struct pipeline *pipeline, int64_t *time_ns);

/** pipeline_show_open - begin what is open at the begin of the window, as far as it began up to
 * @until_ns; returns -1 with @error
 */
int pipeline_show_open(struct pipeline *pipeline, int64_t until_ns, struct error *error);

/** pipeline_end_window - all records were delivered; before tracks_finish(); -1 with @error */
int pipeline_end_window(struct pipeline *pipeline, struct error *error);

/**
 * struct pipeline_counts - sums of pipelines
 * @has_lost, @lost, @nr_gaps, @nr_gaps_unknown: as in struct pipeline
 */
struct pipeline_counts {
	uint64_t nr_events; /* track events */
	bool has_lost;
	uint64_t lost;
	uint64_t nr_gaps;
	uint64_t nr_gaps_unknown;
};

/** pipeline_add_counts - add those of a pipeline until now */
void pipeline_add_counts(const struct pipeline *pipeline, struct pipeline_counts *sums);
/** pipeline_counts_losses - what was lost */
struct output_losses pipeline_counts_losses(const struct pipeline_counts *counts);
/** pipeline_losses - what was lost so far */
struct output_losses pipeline_losses(const struct pipeline *pipeline);
/** pipeline_report_unknown - deliver unknown events as losses */
int pipeline_report_unknown(struct pipeline *pipeline, struct error *error);

void pipeline_release(struct pipeline *pipeline);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of analysis/ share. */
#ifndef ANALYSIS_INTERNAL_H
#define ANALYSIS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/history.h"
#include "base/base.h"
#include "timeline/timeline.h"

/** slice_selector_append - append a selector of the slices of a category that have a name */
void slice_selector_append(struct buffer *out, const char *category, struct text name);

/* Limits in words: "SUBJECT < VALUE". */

/** struct limit_words - the parts of a limit */
struct limit_words {
	struct text subject; /* before the comparison, without blanks at its ends */
	struct text value;   /* behind it, likewise */
	bool is_below;
	bool allows_equal;
};

/** limit_split - split a text at its last "<", "<=", ">" or ">="; false if it has none */
bool limit_split(struct text text, struct limit_words *out);

/** limit_time_parse - parse a time, which has a unit; false if it is malformed, or has none */
bool limit_time_parse(struct text text, int64_t *out_ns);

/*
 * Budgets: limits of statistics of slices, "SLICE WHAT < VALUE", and whether a recording keeps
 * them.
 *
 * A verdict is decided only if it is the same for everything that suspect slices and lost records
 * may have been. Percentiles are decided exactly: the slices within the limit are counted.
 */

/** enum budget_what - the statistic that is limited */
enum budget_what {
	BUDGET_COUNT,
	BUDGET_TOTAL,
	BUDGET_MIN,
	BUDGET_MEAN,
	BUDGET_MAX,
	BUDGET_PERCENTILE,
};

/** struct budget - one limit, and what it is compared with */
struct budget {
	const char *text; /* as it was given */
	struct slice_selector selector;
	enum budget_what what;
	unsigned int permille; /* of BUDGET_PERCENTILE */
	bool is_below;	       /* the statistic must be less, not more */
	bool allows_equal;     /* "<=" or ">=" */
	int64_t limit;	       /* nanoseconds, or a number of slices */
	uint64_t nr_slices;    /* complete slices that match */
	/* Those that are shorter than the limit, or as long. */
	uint64_t nr_less;
	uint64_t nr_equal;
	uint64_t nr_doubtful; /* slices that match and whose duration may be wrong */
	/* Slices without an end that are longer than the limit already; in the sums, too. */
	uint64_t nr_unfinished;
	int64_t total_ns;
	int64_t min_ns;
	int64_t max_ns;
};

/**
 * budget_parse - parse "[CATEGORY/]NAME[@TRACK] WHAT < VALUE"
 * @out: for budget_release(), also on failure
 * @text: outlives it
 *
 * WHAT is count, total, min, mean, max or a percentile such as p99.9; the comparison is <, <=, > or
 * >=; VALUE has a unit of time, unless WHAT is count. Returns 0, or -1 with @error.
 */
int budget_parse(struct budget *out, const char *text, struct error *error);

void budget_release(struct budget *budget);

/** budget_add - add the end of a slice that matches */
void budget_add(struct budget *budget, const struct timeline_event *end);

/**
 * budget_judge - the verdict
 * @lost_records: number of lost records, each of which may have been a slice that matches
 * @is_limited: no number of lost records is unknown
 */
enum budget_verdict budget_judge(const struct budget *budget, uint64_t lost_records,
				 bool is_limited);

/** budget_append_reason - append what the verdict is made of, for people */
void budget_append_reason(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			  bool is_limited);

/** budget_append_json - append an object */
void budget_append_json(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			bool is_limited);

/** struct budget_set - the budgets */
struct budget_set {
	struct budget *list;
	size_t size;
};

/** TRIGGER_CONDITIONS_MAX - most conditions of a trigger */
#define TRIGGER_CONDITIONS_MAX 8

/** enum trigger_kind - what fires */
enum trigger_kind {
	TRIGGER_SLICE,
	TRIGGER_COUNTER,
	TRIGGER_EVENT,
	TRIGGER_LOSS,
};

/** struct threshold - a number that values are compared with; @floating if @is_floating */
struct threshold {
	bool is_floating;
	int64_t number;
	double floating;
};

/** struct trigger_condition - a comparison of a field */
struct trigger_condition {
	struct text field;
	enum filter_operator op;
	char *text; /* what it is compared with */
	bool is_number;
	struct threshold number; /* the same, if is_number */
};

/** struct trigger - one trigger */
struct trigger {
	const char *text; /* as it was given */
	enum trigger_kind kind;
	struct slice_selector selector;
	/* The comparison with it. */
	bool is_below;
	bool allows_equal;
	int64_t limit;		    /* of a slice in nanoseconds */
	struct threshold threshold; /* of a counter */
	struct trigger_condition conditions[TRIGGER_CONDITIONS_MAX];
	size_t nr_conditions;
};

/**
 * trigger_parse - parse a trigger
 * @out: for trigger_release(), also on failure
 * @text: outlives it
 *
 * "SLICE > 50ms" fires when a slice has been open for this time; "COUNTER > 100" when a counter
 * exceeds a number (also <, <=, >=); "NAME" at each instant, and each begin of a slice; "loss" when
 * records were lost. " if FIELD == VALUE" behind them (also !=, <, <=, >, >=, & of bits, ~ with
 * wildcards; several with &&) adds conditions; for "NAME", ends of slices are tried, too. Returns
 * 0, or -1 with
 * @error.
 */
int trigger_parse(struct trigger *out, const char *text, struct error *error);

void trigger_release(struct trigger *trigger);

/** trigger_accepts - whether all conditions are true for the fields of an event */
bool trigger_accepts(const struct trigger *trigger, const struct timeline_event *event);

/** trigger_exceeds - whether a counter's value is beyond the threshold */
bool trigger_exceeds(const struct trigger *trigger, const struct value *value);

/*
 * Compares the durations of slices in two sets of recordings.
 *
 * Each unit, a recording or a second of one, gives one value of each statistic of each name: the
 * logarithm of its mean, median and 99th percentile. Units are resampled: they are assigned to the
 * two sets at random, thousands of times. The largest t statistic of all names and statistics in
 * each assignment is what chance makes; a change is reported if its own is larger than those of all
 * but 5 % of them. So at most 5 % of comparisons of equal recordings report any change, whatever
 * the distribution of durations and the number of names.
 */

/** enum compare_side - the two sets */
enum compare_side {
	COMPARE_BASE,
	COMPARE_SOURCE,
	COMPARE_SIDES
};

/** enum compare_statistic - what is compared of each name */
enum compare_statistic {
	COMPARE_MEAN,
	COMPARE_P50,
	COMPARE_P99,
	COMPARE_STATISTICS
};

/** struct compare_value - the logarithms of one unit */
struct compare_value {
	uint32_t unit;
	double logs[COMPARE_STATISTICS];
};

/** struct compare_values - those of all units of a side that have such slices, by their number */
struct compare_values {
	struct compare_value *list;
	size_t size;
};

/** struct compare_name - the slices of one name */
struct compare_name {
	char *category;
	struct buffer name;
	struct compare_values sides[COMPARE_SIDES];
	/* The unit that is being read. */
	uint32_t unit;
	struct quantiles quantiles;
	int64_t total_ns;
};

/** COMPARE_NAMES_MAX - limit of names; slices of others are counted only */
#define COMPARE_NAMES_MAX 4096

/** struct comparison - both sets */
struct comparison {
	struct map map;
	struct compare_name **names;
	size_t nr_names;
	bool has_blocks;		  /* units are seconds of one recording on each side */
	uint32_t nr_units[COMPARE_SIDES]; /* of each side */
	uint64_t nr_left_out; /* slices that are doubtful, or have a name beyond the limit */
};

/** struct compare_result - one statistic of one name */
struct compare_result {
	const struct compare_name *name;
	enum compare_statistic statistic;
	/* Geometric means over the units. */
	double base_ns;
	double source_ns;
	/* source_ns / base_ns - 1, and its interval, which holds for all results together with a
	 * confidence of 95 %. */
	double change;
	double low;
	double high;
	bool is_significant; /* chance alone does not explain the change */
};

/**
 * comparison_value_add - add the values of a unit
 * @unit: larger than all before on its side
 *
 * Returns -1 if memory ran out.
 */
int comparison_value_add(struct compare_name *name, enum compare_side side,
			 const struct compare_value *value);

/** comparison_name_get - find or make a name; NULL if there are too many, or memory ran out */
struct compare_name *comparison_name_get(struct comparison *comparison, const char *category,
					 struct text name);

/**
 * comparison_judge - compare all names that at least two units of each side have
 * @out: an array that the caller frees
 * @size: of the array
 *
 * Returns -1 if memory ran out.
 */
int comparison_judge(const struct comparison *comparison, struct compare_result **out,
		     size_t *size);

/** comparison_can_decide - whether there are enough units to report a change at all */
bool comparison_can_decide(const struct comparison *comparison);

/* Splits spans of time of a thread into parts, whose sum is the spans' to the nanosecond. */

enum part_kind {
	PART_RUNNING,
	PART_RUNNABLE,
	PART_BLOCKED,
	PART_STOPPED,
	PART_HARD,
	PART_SOFT,
	PART_WAITING,
	PART_LATE,
	PART_UNDECIDED,
	PART_STAGE,
	PART_KIND_COUNT
};

/** enum undecided_reason - why a time cannot be attributed */
enum undecided_reason {
	UNDECIDED_NO_SCHED,
	UNDECIDED_NO_STATES, /* of a thread's slice, without any records of the scheduler */
	UNDECIDED_LOSS,
	UNDECIDED_UNSEEN,
	UNDECIDED_HISTORY,
	UNDECIDED_ABSENT,
	UNDECIDED_NO_END,
	UNDECIDED_LIMIT,
	UNDECIDED_BEFORE,
	UNDECIDED_BEHIND,
	UNDECIDED_NOT_FOLLOWED,
	UNDECIDED_COUNT
};

/** enum runnable_reason - why a thread that was runnable did not run, if more is known */
enum runnable_reason {
	RUNNABLE_OTHER,
	RUNNABLE_WAKING,       /* it was woken, and its CPU was idle */
	RUNNABLE_THROTTLED,    /* its cgroup had used its time, until the period's timer */
	RUNNABLE_TAKEN,	       /* it was taken off an idle CPU: the records do not say why */
	RUNNABLE_MOVED,	       /* likewise, and ran on another CPU next */
	RUNNABLE_RT_THROTTLED, /* a real-time thread that was taken off an idle CPU */
	RUNNABLE_DEADLINE,     /* likewise, a thread with deadline scheduling */
	RUNNABLE_SERVED,       /* a real-time thread was taken off for one that is none */
	RUNNABLE_RT_SERVED,    /* likewise, before Linux 6.12 */
	RUNNABLE_FAIR_SERVED,  /* likewise, since Linux 6.12 */
	RUNNABLE_LIGHT,	       /* the other one has the same priority, but more weight */
	RUNNABLE_KERNEL,       /* it was woken, and a less urgent thread kept the CPU */
	RUNNABLE_INVERSION, /* another thread that is more urgent than the other one waits for it */
};

/** enum late_reason - why time passed since an operation was due */
enum late_reason {
	LATE_CPU,   /* the CPU did something else */
	LATE_SLACK, /* whoever armed the timer allowed it, or the timer wheel has such steps */
};

/** BLOCKED_HERE - as a reason of blocked parts: their slice is that which is explained */
#define BLOCKED_HERE 1

/** enum stage_kind - what a stage of an asynchronous slice is, by the records of its flow */
enum stage_kind {
	STAGE_BETWEEN, /* from one record to another one */
	STAGE_SLICE,   /* a slice of the flow */
	STAGE_QUEUED,  /* up to the begin of a slice, while no other one of the flow was open */
};

/** struct part_key - what distinguishes parts; names are numbers of a struct name_table */
struct part_key {
	uint8_t kind; /* an enum part_kind */
	/* Of blocked parts: where the waker was; of runnable ones: where the CPU was; of stages: an
	 * enum stage_kind. */
	uint8_t context;
	/* Of undecided parts: an enum undecided_reason; of runnable and late ones: an enum
	 * runnable_reason or late_reason. */
	uint8_t reason;
	/* Of blocked and stopped parts: their end was recorded. */
	uint8_t is_woken;
	int32_t cpu; /* of running, runnable and late parts and interrupts; -1 for none */
	/* Of runnable and late parts: the thread that ran instead; of blocked ones: the waker; of
	 * waiting ones: the thread that began the operation; -1 for none. */
	int32_t tid;
	/* The thread, if the split is of several threads; otherwise -1 and none. */
	int32_t owner;
	uint16_t owner_name;
	uint16_t name; /* the name of that thread */
	/* The innermost open slice of the thread; of waiting parts: the interrupt that began the
	 * operation; of stages: the name of their first record, or none. */
	uint16_t label;
	/* Of blocked and stopped parts: "D", ... */
	uint16_t state;
	/* Of blocked and stopped parts: frames, with semicolons, the innermost first. */
	uint16_t stack;
	/* The interrupt; of blocked parts the one that woke the thread, or the innermost slice of
	 * the thread that did; of waiting ones the one that ended the wait. */
	uint16_t interrupt;
	/* Of blocked parts: the operation whose end woke the thread; of waiting ones: that is
	 * waited for; of late ones: that was due; of stages: the name of their last record, or
	 * none. */
	uint16_t object;
	uint16_t instant; /* as in struct segment */
	/* Of runnable parts: as in struct thread_history, of the thread that ran instead and of the
	 * thread; otherwise PRIO_UNKNOWN or 0. */
	int16_t prio;
	int16_t own_prio;
	/* Of blocked parts: the soft interrupt in which the work of tid, or of interrupt, woke the
	 * thread. Of waiting ones: the thread whose request the device also had for most of it. */
	uint16_t via;
	uint16_t is_probable; /* tid is a guess */
};
_Static_assert(sizeof(struct part_key) == 40, "keys have no padding: they are compared as bytes");

struct split;

/** struct span - a time */
struct span {
	int64_t from_ns;
	int64_t to_ns;
};

/** struct part - one part of a split */
struct part {
	struct part_key key;
	int64_t total_ns;
	int64_t longest_ns;    /* the longest of them */
	int64_t longest_at_ns; /* when that one begins */
	uint64_t count;	       /* number of segments */
	uint64_t nr_instants;  /* of the instant of its key */
	/* What the waker or the operation did meanwhile, NULL if it was not followed. */
	struct split *waker;
	/* Of the longest runnable part of a slice: the CPU that was idle longest in the longest
	 * segment, and for how long. */
	int idle_cpu;
	int64_t idle_ns;
	/* Of a sum of parts: their number, and that of the threads that they are about. */
	uint32_t nr_members;
	uint32_t nr_threads;
	/* What these threads have in common: an enum family_kind, and the number and the name. */
	uint8_t family_kind;
	bool is_rest;	  /* it sums up what is left of its kind */
	bool is_at_least; /* there may be more threads */
	uint16_t family;
	int32_t family_id;
};

/** enum family_kind - what threads have in common */
enum family_kind {
	FAMILY_NONE,
	FAMILY_PROCESS,
	FAMILY_PARENT,
	FAMILY_CGROUP,
};

/** SPLIT_PARTS_MAX - default limit of parts; further ones are merged by kind */
#define SPLIT_PARTS_MAX 128

/** SPLIT_PARTS_SINGLE - that of slices that are explained one by one: small ones are summed up */
#define SPLIT_PARTS_SINGLE 16384

/** struct companion - another thread than a slice's, and what it did in its time */
struct companion {
	int tid; /* 0 for none */
	uint16_t name;
	uint16_t label; /* the system call in which it was, or none: it waited for cpu */
	int cpu;
	/* If both waited for a thread: that one. */
	int waker;
	uint16_t waker_name;
	/* If it waited for cpu: who had it, and both priorities. */
	int behind;
	uint16_t behind_name;
	int prio;
	int behind_prio;
	int64_t ns; /* for how long */
};

/** struct split - the parts of a time */
struct split {
	struct part *parts;
	size_t nr_parts;
	size_t capacity;
	size_t limit;		  /* of parts; 0 for SPLIT_PARTS_MAX */
	struct name_table *names; /* with a limit: those of the parts */
	struct map index;	  /* of many parts: their places, from 1, by their keys */
	int64_t total_ns;
	bool failed;
	struct companion companion; /* of a slice that is explained by itself */
};

/** split_spins - whether a slice's thread yielded its CPU again and again, to wait for another one */
bool split_spins(const struct split *split, const struct name_table *names);

/** split_add_undecided - add a time that cannot be attributed to a part without an owner */
void split_add_undecided(struct split *split, enum undecided_reason reason, struct span span);

/** split_add_sum - add all segments of another split's part to the part of @key */
void split_add_sum(struct split *split, const struct part_key *key, const struct part *sum);

/** split_sort - the longest parts first; what sums up the rest comes last */
void split_sort(struct split *split);

/** enum sum_level - how much of keys is ignored when parts are summed up */
enum sum_level {
	SUM_THREAD,  /* on which CPU another thread ran */
	SUM_THREADS, /* which of the threads that have a name */
	SUM_CPUS,    /* and any CPU */
	SUM_PLACES,  /* and in which slice, at which stack */
	SUM_KINDS,   /* all but the kind */
};

/** part_key_generalize - remove from a key what sums of a level ignore */
void part_key_generalize(struct part_key *key, enum sum_level level);

/** part_merge - add the times of a part to another one, and release what it refers to */
void part_merge(struct part *part, struct part *other);

/* What a person reads of a split: few parts, and the causes at the ends of chains of waits. */

/** SUMMARY_PARTS, SUMMARY_WAKER_PARTS - parts that are left of a slice, and of a wait in it */
#define SUMMARY_PARTS 12
#define SUMMARY_WAKER_PARTS 6

/**
 * split_summarize - sum up the small parts of a sorted split and of its wakers
 * @slice_ns: time of the whole slice
 * @parts_max: larger parts may be more
 *
 * Parts of more than 5 % of the slice stay as they are, and those of more than half of what they
 * would be summed up with. Returns -1 if memory ran out.
 */
int split_summarize(struct split *split, const struct history *history, struct name_table *names,
		    int64_t slice_ns, size_t parts_max);

/** CAUSE_PATH_MAX - waits that lead to a cause; CAUSE_PARTS - parts that describe one */
#define CAUSE_PATH_MAX 16
#define CAUSE_PARTS 3

/**
 * struct cause - what a slice's time went to in the end, over all waits for it
 *
 * Of a thread that was waited for all that it did, of the slice's own thread all of a kind.
 */
struct cause {
	int64_t total_ns;
	/* The longest parts; their keys have the thread, and they have no wakers. */
	struct part parts[CAUSE_PARTS];
	size_t nr_parts;
	/* The waits of its longest time, the slice's own first, and that time. */
	int64_t path_ns;
	const struct part *path[CAUSE_PATH_MAX];
	size_t nr_path;
	bool is_first; /* the longest of all */
};

/** CAUSES_MAX - causes of a slice: a second one if it is large, or if the first is not */
#define CAUSES_MAX 2

/** split_find_causes - the main causes of a split; returns their number, or -1 without memory */
int split_find_causes(const struct split *split, const struct name_table *names, struct cause *out);

/** frame_take - take the innermost function of a kernel stack from its text */
struct text frame_take(struct text *frames);

/** stack_find_wait - what a thread waits for with these innermost functions; NULL if unknown */
const char *stack_find_wait(struct text frames);

/**
 * interrupt_find_meaning - what it means that a soft interrupt, or a timer in one, ends a wait
 * @label: the system call of the wait, or another slice
 */
const char *interrupt_find_meaning(struct text interrupt, struct text label);

/** call_is_futex - whether a system call waits for a lock of programs */
bool call_is_futex(struct text name);

/** call_flushes - whether a system call waits until data is on a disk */
bool call_flushes(struct text name);

/** call_sets_clock - whether a system call sets the clock on the wall, not only its speed */
bool call_sets_clock(struct text name);

/**
 * part_waits_for_room - whether a wait ended because another thread reads, or when TCP confirmed
 * what its peer had not read
 *
 * Without a kernel stack the system calls of both threads decide.
 */
bool part_waits_for_room(const struct name_table *names, const struct part_key *key);

/** part_is_timeout - whether nobody woke the thread until the timeout of its wait */
bool part_is_timeout(const struct name_table *names, const struct part_key *key);

/** part_find_wait - what a part waits for, by its kernel stack or for room; NULL if unknown */
const char *part_find_wait(const struct name_table *names, const struct part_key *key);

/** part_has_priorities - whether a runnable part has the priorities of both threads */
bool part_has_priorities(const struct part_key *key);

/** split_clear - remove the parts, and keep their memory */
void split_clear(struct split *split);

/** split_release - free what a split refers to */
void split_release(struct split *split);

/** struct splitter - what splits share */
struct splitter {
	struct history *history;
	const struct name_table *names;
	unsigned int walk; /* number of the last walk */
	/* What visited segments have left, which may be less than none. If it is limited, no more are
	 * visited: many slices that overlap for long would need time that is not linear. */
	bool is_limited;
	int64_t nr_steps;
	int64_t slice_ns; /* time of the slice: a wait of more than half of it is always followed */
	/* What gives a CPU of real-time threads to others; RUNNABLE_OTHER if that is unknown. */
	enum runnable_reason served;
	/* The kernel's thread that ends grace periods of RCU, of one slice; 0 if there is none. */
	bool is_rcu_known;
	int rcu_tid;
	/* When and by which thread the clock on the wall was set last; 0 if it was not. */
	int64_t clock_ns;
	int clock_tid;
	uint16_t clock_call;
};

/** SPLITTER_STEPS, SPLITTER_STEPS_MAX - steps that an event adds, and their limit */
#define SPLITTER_STEPS 64
#define SPLITTER_STEPS_MAX (INT64_C(2) << 20)

/**
 * SPLITTER_STEPS_BEGIN - those of a splitter without limit at its begin; SPLITTER_VISIT - what a
 * segment takes of them; SPLITTER_WALK - what a walk does
 */
#define SPLITTER_STEPS_BEGIN (INT64_C(16) << 20)
#define SPLITTER_VISIT 512
#define SPLITTER_WALK (128 * SPLITTER_VISIT)

/** splitter_seek_cpu - a CPU's segment just before a time; NULL if it is unknown */
const struct segment *splitter_seek_cpu(struct splitter *splitter, int cpu, int64_t time_ns);

/** history_thread_name - the number of a thread's name; NAMES_NONE if it is unknown */
uint32_t history_thread_name(const struct history *history, int tid, int cpu);

/** time_within - a time, or the begin of a span if that is later */
static inline int64_t time_within(struct span span, int64_t time_ns)
{
	return time_ns > span.from_ns ? time_ns : span.from_ns;
}

/**
 * split_find_companion - find another thread that explains a slice, by what it did meanwhile
 * @split: of the slice, whose companion is set
 */
void split_find_companion(struct splitter *splitter, const struct thread_history *thread,
			  struct span span, struct split *split);

/**
 * split_slice - split the time of a synchronous slice, and follow those that woke its thread
 * @depth: number of wakers that are followed one after the other
 *
 * Returns -1 if memory ran out.
 */
int split_slice(struct splitter *splitter, struct thread_history *thread, struct span span,
		unsigned int depth, struct split *out);

/**
 * split_chain - split the time of an asynchronous slice backwards from the record that ended it
 * @end: who wrote that record, and where
 *
 * The time belongs to the thread that wrote it; before that thread was woken to its waker, and so
 * on. The time before an interrupt is the wait for it. Returns -1 if memory ran out.
 */
int split_chain(struct splitter *splitter, const struct waker *end, struct span span,
		struct split *out);

/** split_stage - add a stage of an asynchronous slice, in which its time is split likewise */
int split_stage(struct splitter *splitter, const struct part_key *stage, const struct waker *end,
		struct span span, struct split *out);

/* Walks backwards over the segments of a thread and of the CPUs that it used. */

/** struct wake - a time in which a thread was blocked, until a thread or an operation woke it */
struct wake {
	struct part_key key;
	struct span span;
	uint32_t operation; /* number of the operation, 0 for none; it ended on cpu */
	int cpu;
};

/** struct rival - a thread of the same priority that has a CPU while another one waits for it */
struct rival {
	int tid; /* 0 for none */
	uint32_t count;
	int64_t ns; /* less what others ran meanwhile */
};

/** struct walk - the walk over one thread */
struct walk {
	struct splitter *splitter;
	struct thread_history *thread;
	struct split *out; /* receives the parts */
	/* As in struct part_key. */
	int owner;
	uint32_t owner_name;
	bool follows;
	uint64_t nr_instants; /* in the segment, if they were not attributed yet */
	uint16_t late_object; /* what is late, of late parts */
	struct rival rival;   /* of the last wait for a CPU */
	int heavy_tid;	      /* a rival that has more weight, 0 for none */
	struct waker reader;  /* who read last what the thread had written; tid is 0 if unknown */
	/* Times in which the thread waited for another one, the latest first, if follows. */
	struct wake *wakes;
	size_t nr_wakes;
	size_t wakes_capacity;
};

/* Sums the splits of many slices, apart by their duration, to compare slow ones with the median. */

/** AGGREGATE_CELLS - cells in each power of two of durations */
#define AGGREGATE_CELLS 16

/** struct aggregate_cell - slices of similar durations */
struct aggregate_cell {
	unsigned int number; /* of its durations */
	uint64_t count;
	int64_t min_ns;
	int64_t max_ns;
	struct split split;
};

/** struct aggregate - slices by their duration */
struct aggregate {
	struct aggregate_cell *cells; /* those that are not empty, in the order of durations */
	size_t nr_cells;
	uint64_t count;
};

/** aggregate_add - add a split, whose CPUs and thread numbers are merged; -1 if memory ran out */
int aggregate_add(struct aggregate *aggregate, int64_t duration_ns, const struct split *split);

void aggregate_release(struct aggregate *aggregate);

/*
 * The explained slices of an output that shows them: all of them, or if their texts take too much
 * memory the slowest ones of each name.
 */

/** KEPT_SIZE_MAX - limit of the bytes of all texts */
#define KEPT_SIZE_MAX ((size_t)8 << 20)

/** struct kept_name - the slices of one name and tracepoint */
struct kept_name {
	const char *category;
	uint32_t name;
	size_t order;	  /* number of the name, in the order of appearance */
	int64_t least_ns; /* longer slices are kept */
};

/** struct kept_slice - an explained slice, whose text is allocated */
struct kept_slice {
	struct kept_name *name;
	struct explanation explanation;
};

/** struct kept - all of them; a zeroed struct is empty */
struct kept {
	struct map names;
	struct kept_name **list; /* the names in the order of their appearance */
	size_t list_capacity;
	struct kept_slice *slices;
	size_t nr_slices;
	size_t capacity;
	size_t size;	 /* bytes of the texts */
	size_t size_max; /* their limit, 0 for KEPT_SIZE_MAX */
	/* Number of slices of each name that are certainly kept, the slowest; 0 for all. */
	size_t limit;
	int64_t floor_ns;	   /* shorter slices are not kept, whatever their name */
	struct explanation *items; /* for the output */
};

/**
 * kept_name_get - the name of slices, a new one if needed
 * @category: a text whose address is that of no other category
 * @name: number of the name
 *
 * Returns NULL if memory ran out.
 */
struct kept_name *kept_name_get(struct kept *kept, const char *category, uint32_t name);

/** kept_wants - whether a slice is kept */
static inline bool kept_wants(const struct kept *kept, const struct kept_name *name,
			      int64_t duration_ns)
{
	return duration_ns > name->least_ns && duration_ns > kept->floor_ns;
}

/** kept_add - keep a slice and a copy of its text; returns -1 if memory ran out */
int kept_add(struct kept *kept, struct kept_name *name, const struct explanation *explanation);

/** kept_finish - fill @out, whose items are valid until kept_release(); returns -1 likewise */
int kept_finish(struct kept *kept, struct explanations *out);

void kept_release(struct kept *kept);

/*
 * An overview, the answer without a selector: the slowest slice of each kind, and the busiest
 * processes. A kind is a name of one tracepoint.
 */

/** OVERVIEW_MAX - limits of kinds and of processes */
#define OVERVIEW_MAX 16384

/** INSTANTS_SHOWN - names of instants in an overview of a recording without slices */
#define INSTANTS_SHOWN 10

/** PROCESS_OTHER - the number of those beyond it, which are counted as one */
#define PROCESS_OTHER (-1)

/** PROCESSES_SHOWN - processes in an overview; PROCESSES_KEPT - in that of other outputs */
#define PROCESSES_SHOWN 5
#define PROCESSES_KEPT 256

/** enum kind_rank - what is shown first: kinds of a lower rank only fill the rest of the list */
enum kind_rank {
	KIND_WORK, /* what drivers, programs and the kernel do */
	/* System calls that wait for an event or a time, or that have not ended; what is suspect.
	 */
	KIND_EVENT,
	KIND_STATE, /* waits for a CPU, uninterruptible sleeps and interrupts */
	KIND_NONE,  /* no kind: states that last while nothing happens */
};

/** struct slice_kind - the slices of a kind, or the instants, which have only a count */
struct slice_kind {
	const char *category;
	uint32_t name; /* a number of a name */
	enum kind_rank rank;
	uint64_t count;
	int64_t total_ns;
	int64_t max_ns;
};

/** struct process_times - what the threads of a process did, or one whose process is unknown */
struct process_times {
	int id;
	uint32_t name;
	int64_t running_ns;
	int64_t runnable_ns;
	int64_t uninterruptible_ns;
	uint64_t nr_instants; /* in a recording without slices */
};

/** struct overview - what an overview counts; a zeroed struct is empty */
struct overview {
	struct map kinds;     /* struct slice_kind */
	struct map instants;  /* struct slice_kind; until there are slices */
	struct map processes; /* struct process_times */
	int64_t running_ns;   /* of all processes */
	uint64_t nr_instants; /* as in @instants */
	bool has_counters;
	bool failed; /* memory for a kind or a process ran out */
};

/**
 * overview_kind - the kind of slices or instants, a new one if needed
 * @kinds: that of @overview for these
 *
 * Returns NULL if memory ran out.
 */
struct slice_kind *overview_kind(struct overview *overview, struct map *kinds,
				 const struct slice_kind *key);

/**
 * overview_frequent - the most frequent instants
 * @out: room for @max
 *
 * Returns their number.
 */
size_t overview_frequent(const struct overview *overview, const struct slice_kind **out,
			 size_t max);

/** overview_kind_has_name - whether all slices of its name and category are of this kind */
bool overview_kind_has_name(const struct overview *overview, const struct slice_kind *kind);

/** overview_process - the times of a process, likewise */
struct process_times *overview_process(struct overview *overview, int id, uint32_t name);

/**
 * overview_busiest - the processes that ran longest or, if none ran, that have most instants
 * @out: room for @max
 *
 * Returns their number.
 */
size_t overview_busiest(const struct overview *overview, const struct process_times **out,
			size_t max);

/** call_waits - whether a system call waits for an event or a time by its purpose */
bool call_waits(struct text name);

void overview_release(struct overview *overview);

/* The state of ktrack why: the history, and what was found about the selected slices. */

/** enum why_role - the meaning of a track of the rules in WHY_PACKS */
enum why_role {
	WHY_ROLE_NONE,
	WHY_ROLE_CPU,
	WHY_ROLE_THREAD,
	WHY_ROLE_INTERRUPT,
	WHY_ROLE_WAKEUP,
	WHY_ROLE_ARMED,
	WHY_ROLE_EXPIRED,
	WHY_ROLE_STACK,
	WHY_ROLE_RAISED,
	WHY_ROLE_BOOST,
	WHY_ROLE_FREEZE,
	WHY_ROLE_SIGNAL,
	WHY_ROLE_SIGNAL_FLOW,
	WHY_ROLE_FORK,
	WHY_ROLE_COUNT
};

/** struct why_begin - the begin of a slice */
struct why_begin {
	struct waker writer;
	uint64_t flow; /* key of its flow, 0 for none */
};

/** struct why_track - a track that has not ended */
struct why_track {
	struct why_track *next;
	struct why_track **before;
	enum why_role role;
	bool is_of_calls;	       /* its slices are system calls */
	bool is_of_program;	       /* a program wrote them */
	bool is_of_locks;	       /* they are waits for locks */
	struct thread_history *thread; /* of threads' tracks, NULL for others */
	bool is_selected;	       /* slices are selected, if their names are */
	/* In an overview: the rank of slices, the kind of the last one, and the thread's process.
	 */
	enum kind_rank rank;
	struct slice_kind *kind;
	struct process_times *process;
	/* Begins of open slices, by depth, if it is selected and no thread's, or async. */
	struct why_begin *begins;
	size_t nr_begins;
	/* The name of the last operation on it, and of its slice. */
	uint32_t object;
	uint32_t object_name;
};

/** struct why_slice - a slice that is explained */
struct why_slice {
	const char *category; /* its tracepoint */
	uint32_t name;	      /* a number of a name */
	struct buffer track;  /* label of its track */
	/* The thread that did the work, or that ended an asynchronous slice; -1 if unknown. */
	int tid;
	uint32_t comm;
	int64_t begin_ns;
	int64_t end_ns;
	bool is_async; /* it is explained backwards from its end */
	/* As in struct timeline_event. */
	bool is_suspect;
	bool is_unfinished;
	/* That did the work, NULL if it is explained backwards from writer along flow. */
	struct thread_history *thread;
	struct waker writer;
	uint64_t flow;		       /* key of its flow, 0 for none */
	bool is_pending;	       /* it is not split yet */
	bool is_own; /* mainly what ktrack did that recorded it, or a wait for that */
	const struct slice_kind *kind; /* in an overview */
	unsigned long track_number;
	unsigned int depth; /* 1 for the outermost */
	int killer; /* of one without an end: who sent SIGKILL to its thread, 0 for nobody */
	uint32_t killer_name;
	struct split split;
};

/** struct why_end - the end of a selected slice */
struct why_end {
	const struct timeline_track *track; /* of the slice, NULL for none */
	unsigned int depth;		    /* of the slice, 1 for the outermost */
	struct kept_name *kept;		    /* if its text is kept for other outputs: its name */
	bool is_best;			    /* it is kept in @slices of the sink */
	struct why_slice slice;
};

/** PERIOD_NS - limit of the time between the timer of a period and the run of a thread */
#define PERIOD_NS 500000

/** ACT_NS - limit of the time between a wake-up and the record that tells its reason */
#define ACT_NS 100000

/** FROZEN_MAX - limit of frozen cgroups that are known */
#define FROZEN_MAX 16

/** struct why_sink - the answer so far */
struct why_sink {
	struct sink sink;
	const struct why_settings *settings;
	const char *source;
	int fd;
	int folded_fd;
	int64_t start_ns;
	int64_t from_ns; /* the window that is shown; nothing is known of other times */
	int64_t to_ns;
	bool counts_ticks;
	bool only_slowest;  /* a slice that is no longer than the kept ones is no answer */
	const char *stored; /* with which selection it was recorded; NULL if that is unknown */
	int writer;	    /* the thread of ktrack that recorded a file, 0 if unknown */
	bool has_one_cpu;   /* the machine */
	bool has_programs;  /* there are records of programs */
	const char *limits; /* as in struct recording */
	struct slice_selector selector; /* of slices */
	struct name_table names;
	struct history history;
	struct hop_flows flows; /* of the convention's tracepoints */
	struct timers timers;	/* that were armed */
	/* The interrupt that gave cgroups their time again, and when. */
	uint32_t period;
	int64_t period_ns;
	struct operation frozen[FROZEN_MAX]; /* cgroups, from their freezing on; by any place */
	int64_t thawed_ns;		     /* when the last one was thawed */
	struct operation thawed;
	struct splitter splitter;
	struct why_track *tracks;
	struct why_slice *slices; /* the best ones so far, the best first */
	size_t nr_slices;
	/* Number of the last segment and operation when the first pending one of them ended. */
	bool has_pending;
	uint32_t pending_segment;
	uint32_t pending_operation;
	struct aggregate aggregate;
	struct overview overview;
	struct kept kept;    /* the answer for other outputs */
	struct kept others;  /* the names of slices until one matches */
	uint64_t nr_matched; /* selected slices */
	/* Begin and end of slices that match, but are not open at the time that is asked for;
	 * named_to_ns is 0 if there are none. */
	int64_t named_from_ns;
	int64_t named_to_ns;
	uint64_t nr_left_out; /* suspect or incomplete slices that the aggregate excludes */
	/* Slices that the aggregate excludes because there were no steps left. */
	uint64_t nr_unexplained;
	bool is_resting; /* there are not enough steps */
	/* The longest slice of ktrack itself in whose place another one is explained. */
	int64_t own_at_ns;
	int64_t own_ns;
	/* There are tracks of these packs; the begins of timers are only in the pack, their ends
	 * also among interrupts. */
	bool has_block;
	bool has_timers;
	bool has_power;
	bool has_memory; /* page faults were recorded */
	/* Losses. */
	uint64_t lost_records;
	uint64_t nr_gaps;
	uint64_t nr_gaps_unknown;
	/* A slice that is explained after the next event, if it has a track. */
	struct why_end deferred;
	/* The thread whose state ended last, 0 if another one followed at once, and when. */
	int ended_tid;
	int64_t ended_ns;
	struct evidence evidence; /* of the answer */
	struct split scratch;	  /* the split of a slice that is added to the aggregate */
	struct buffer out;
	struct buffer folded;
};

/** why_has_only_instants - whether an overview has nothing else that it could show */
static inline bool why_has_only_instants(const struct why_sink *why)
{
	return why->nr_matched == 0 && why->overview.running_ns == 0 &&
	       why->overview.nr_instants > 0;
}

/** why_name_find - the number of a name of the timeline, which is looked up and kept there */
uint32_t why_name_find(struct why_sink *why, struct timeline_name *name);

/** why_name - the number of a name of the timeline */
static inline uint32_t why_name(struct why_sink *why, struct timeline_name *name)
{
	uintptr_t number = name->is_counted ? (uintptr_t)name->sink_data[why->sink.index] : 0;

	return number > 0 ? number : why_name_find(why, name);
}

/** why_see_writer - the writer of a record runs on its CPU */
void why_see_writer(struct why_sink *why, const struct why_track *track,
		    const struct timeline_event *event);

/** why_count_instant - count an instant of an overview, until there are slices */
void why_count_instant(struct why_sink *why, const struct timeline_event *event);

/** why_learn_instant - take an instant into the history; returns -1 if memory ran out */
int why_learn_instant(struct why_sink *why, const struct timeline_event *event);

/** why_track_of - the struct of an event's track */
static inline struct why_track *why_track_of(const struct why_sink *why,
					     const struct timeline_event *event)
{
	return event->track->sink_data[why->sink.index];
}

/** why_is_of_thread - whether a slice is on its thread's own track: all of it is that thread's */
static inline bool why_is_of_thread(const struct why_track *track,
				    const struct timeline_event *event)
{
	return track->thread && event->track->lane == 0;
}

/**
 * struct aggregate_groups - the slowest 1 % and the slices around the median; of two recordings the
 * slices of this one and those of the base
 */
struct aggregate_groups {
	struct aggregate_cell slowest;
	struct aggregate_cell median;
};

/** struct why_base - the slices of another recording */
struct why_base {
	const char *source;
	bool is_filled;
	struct aggregate aggregate;
	struct name_table names; /* of its parts, until the second recording takes them */
};

/** struct group_row - a part in both groups */
struct group_row {
	struct part_key key;
	/* Its time in all slices of the group. */
	int64_t slowest_ns;
	int64_t median_ns;
	int64_t excess_ns; /* how much longer it is in a slice of the slowest, on average */
};

/**
 * aggregate_groups_find - both groups, whose splits the caller releases; -1 if memory ran out
 * @base: all slices of another recording, NULL for the median
 */
int aggregate_groups_find(const struct aggregate *aggregate, const struct aggregate *base,
			  struct aggregate_groups *out);

/** aggregate_mean_ns - a time in all slices of a group, for one of them */
int64_t aggregate_mean_ns(const struct aggregate_cell *group, int64_t total_ns);

/** aggregate_rows - the parts of both groups, the largest excess first; NULL without memory */
struct group_row *aggregate_rows(const struct aggregate_groups *groups, size_t *nr_rows);

/** list_has_pack - whether a list has the part of a category before its colon, between two commas */
bool list_has_pack(const char *list, const char *category);

/** why_category_explains - whether a category is of one of the packs that explain slices */
bool why_category_explains(const char *category);

/** why_refuse_unmatched - set @error to what may be meant instead of the selector; returns -1 */
int why_refuse_unmatched(struct why_sink *why, struct error *error);

/** why_print_text, why_print_json - append the answer to @why->out; return -1 if memory ran out */
int why_print_text(struct why_sink *why);
int why_print_json(struct why_sink *why);

/** why_find_evidence - fill @why->evidence; returns -1 with @error */
int why_find_evidence(struct why_sink *why, struct error *error);

/** EVIDENCE_SHOWN - records of one time that are shown */
#define EVIDENCE_SHOWN 16

/** evidence_at - the records at a time, at most EVIDENCE_SHOWN, and their number */
const struct evidence_record *evidence_at(const struct evidence *evidence, int64_t time_ns,
					  size_t *nr);

/** why_put_left_out - append the time of a longer slice of the recorder, as JSON, if one is left out */
void why_put_left_out(struct why_sink *why, bool *first);

/** why_print_hints - append what a recording lacks that would explain more to @why->out */
void why_print_hints(struct why_sink *why);

/** stored_has_pack - whether the selection of a recording, NULL for none, has a pack */
bool stored_has_pack(const char *stored, const char *pack);

/** why_put_overview - append an overview for other outputs as JSON to @why->out */
void why_put_overview(struct why_sink *why);

/** why_put_slice - append an explained slice as JSON to @why->out */
void why_put_slice(struct why_sink *why, const struct why_slice *slice);

/** part_append_text - append a part for people: "running on CPU 1 in mydrv_io" */
void part_append_text(struct buffer *out, const struct name_table *names,
		      const struct part_key *key);

/** part_kind_word, part_find_reason - a part's kind and reason, NULL for no reason */
const char *part_kind_word(const struct part_key *key);
const char *part_find_reason(const struct name_table *names, const struct part *part);

/** append_sum_text - append a part likewise, also one that sums up others of @slice */
void append_sum_text(struct buffer *out, const struct name_table *names, const struct part *part,
		     const struct why_slice *slice);

/** slice_find_causes - the causes of a slice; returns their number */
int slice_find_causes(struct why_sink *why, const struct why_slice *slice, struct cause *causes);

/** append_cause - append a cause with its shares and the waits for it, as behind "mainly" */
void append_cause(struct buffer *out, const struct why_sink *why, const struct why_slice *slice,
		  const struct cause *cause);

/** path_size - the waits for a cause that are shown; append_path - append one of them */
size_t path_size(const struct why_sink *why, const struct cause *cause);
void append_path(struct buffer *out, const struct name_table *names, const struct part *wait);

/** why_print_folded - append folded stacks to @why->folded; returns -1 if memory ran out */
int why_print_folded(struct why_sink *why);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of rules/: turns the records of existing tracepoints into track events.
 *
 * Rules are read from packs, which are built in, from files and from the command line. They are
 * bound to the formats of tracepoints; then each record of such a tracepoint is decoded into the
 * events of all rules that use it.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "event/event.h"
#include "rules/naming.h"

/** RULES_MAX - limit of rules in use */
#define RULES_MAX 1024

/**
 * RULES_PAIRS_SIZE_MAX - limit of the memory of tracepoints with the rules that use them, in bytes
 *
 * A pair of both takes 2 to 4 KB. A kernel with all modules has 3,000 tracepoints, and packs use
 * 200: a rule for all tracepoints fits beside all packs.
 */
#define RULES_PAIRS_SIZE_MAX ((size_t)16 << 20)

/** RULES_COMPARED_MAX - limit of comparisons of a tracepoint's name with that of a use */
#define RULES_COMPARED_MAX ((uint64_t)1 << 25)

/** RULES_RECORDED - in place of a pack: the rules that a recording contains */
#define RULES_RECORDED "recorded"

/** RULES_CONVENTION - in place of a pack: the tracepoints that follow the convention */
#define RULES_CONVENTION "convention"

/** RULES_DEFAULT - in place of a pack: RULES_CONVENTION, and the packs that are recorded by default
 */
#define RULES_DEFAULT "default"

/** RULES_NONE - in place of a pack: nothing */
#define RULES_NONE "none"

/** RULES_OF_RECORDING - name of the text of these rules, in errors */
#define RULES_OF_RECORDING "rules of the recording"

/** RULES_OF_REST - name of the text of the rule for what no other rule takes */
#define RULES_OF_REST "events"

/** RULES_MISFIT - a rule of a pack or a recording does not fit a tracepoint, see rules_bind() */
#define RULES_MISFIT 2

/** RULES_TEXT_MAX - limit of a file of rules, in bytes */
#define RULES_TEXT_MAX (1024 * 1024)

/** RULES_IDS - number of event ids: the first two bytes of each record */
#define RULES_IDS 65536

struct rule;
struct rule_action;
struct rule_calls;
struct rule_marker;

/**
 * struct rule_pack - rules that are built in
 * @about: one line for people
 * @text: the rules
 * @tried: kernels on which the pack was tried, NULL if its tracepoints never fired
 * @realtime: rules that replace its rule "irq:cpu" on kernels with PREEMPT_RT, NULL for none
 * @is_detail: it shows details of what others show, and is left out by rules_add_all()
 */
struct rule_pack {
	const char *name;
	const char *about;
	const char *text;
	const char *tried;
	const char *realtime;
	bool is_detail;
};

/** rule_packs - all packs; the last one has no name */
extern const struct rule_pack rule_packs[];

/**
 * struct rule_tracepoint - a tracepoint that rules use
 * @category: "SYSTEM:NAME"
 * @format: text of its format, until its symbols were read
 * @names: names of its fields' values
 * @actions: what its records mean
 * @plain: the only action, if its events are instants of threads and have the same name, for
 * rule_decode_plain(); NULL for others
 * @calls: what they say of system calls, NULL for nothing
 * @marker: what the texts of its records mean, NULL for nothing
 * @events: those of the last record, at most one for each action, also of @marker
 * @nr_pairs: of the tracepoint and uses by rules; more than @nr_actions if some do not fit
 * @pairs_size: their memory, in bytes
 * @is_dropped: it was removed, and its id may be another's
 * @is_held: its id may be another's until rules_trust()
 * @is_rest: no rule but that of rules_add_rest() takes it
 */
struct rule_tracepoint {
	uint16_t id;
	char *system;
	char *name;
	char *category;
	char *format;
	struct naming_names names;
	struct rule_action *actions;
	size_t nr_actions;
	struct rule_action *plain;
	struct rule_calls *calls;
	struct rule_marker *marker;
	struct decoded_event **events;
	size_t nr_pairs;
	size_t pairs_size;
	bool is_dropped;
	bool is_held;
	bool is_rest;
};

/**
 * struct rules - rules in use; its members are private
 * @is_swapped: the records' byte order is not this machine's
 * @wants_recorded: RULES_RECORDED was added; the caller adds these rules by rules_add_text()
 * @sources: names of files
 * @tasks: names of threads, for conditions
 * @excluded: number of a thread that gets no tracks, 0 for none
 * @nr_misfits: tracepoints that some rule does not fit, see rules_bind()
 * @wants_convention: RULES_CONVENTION was added
 * @rest: the rule of rules_add_rest() for tracepoints that no other takes, NULL for none
 * @nr_rest_names: number of names that its instants had, see struct decoded_event
 * @own_text: the text of rules that are no packs, @nr_own of them
 * @pairs_size: memory of tracepoints that were not dropped, in bytes
 * @nr_addresses: functions that were rendered as addresses, because there is no table of them
 * @nr_compared: comparisons of names
 * @nr_left_out: uses of tracepoints for which no memory was left
 * @nr_unread: tracepoints whose names were not compared, because there are too many
 * @is_left_out_reported: rules_report_left_out() has reported such pairs or tracepoints
 */
struct rules {
	bool is_swapped;
	bool wants_recorded;
	bool wants_convention;
	struct rule *rest;
	unsigned int nr_rest_names;
	struct buffer own_text;
	size_t nr_own;
	struct rule **rules;
	size_t nr_rules;
	char **sources;
	size_t nr_sources;
	int excluded;
	size_t nr_misfits;
	size_t pairs_size;
	uint64_t nr_addresses;
	uint64_t nr_compared;
	size_t nr_left_out;
	size_t nr_unread;
	bool is_left_out_reported;
	struct kallsyms *kallsyms;
	struct late_symbols *late;
	struct syscalls *syscalls;
	struct naming_tasks tasks;
	struct rule_tracepoint **tracepoints;
	size_t nr_tracepoints;
	struct rule_tracepoint *by_id[RULES_IDS];
};

/** rules_new - no rules; returns rules for rules_free(), or NULL if memory ran out */
struct rules *rules_new(void);

/**
 * rules_set_machine - names of system calls are those of another machine, before rules_bind()
 * @machine: as uname(2) names it; NULL for this machine
 *
 * Returns -1 if memory ran out.
 */
int rules_set_machine(struct rules *rules, const char *machine);

/** rules_name_calls - whether names of system calls are rendered */
bool rules_name_calls(const struct rules *rules);

/** rules_append_narrow - append the threads that run 32-bit programs now: "1,2,3" */
void rules_append_narrow(const struct rules *rules, struct buffer *out);

/** rules_add_narrow - these threads run 32-bit programs: "1,2,3" */
void rules_add_narrow(struct rules *rules, const char *threads);

/** rules_free - free rules and their tracepoints; NULL is allowed */
void rules_free(struct rules *rules);

/**
 * rules_add - add rules
 * @text: the name of a pack, a path (with a slash) of a file of rules, or one rule, which begins
 * with its kind and has spaces; several names and paths with commas
 *
 * Returns 0, or -1 with @error.
 */
int rules_add(struct rules *rules, const char *text, struct error *error);

/**
 * rules_add_pack - add a pack, or what stands in place of one, but RULES_RECORDED
 *
 * Returns 0, 1 if there is no such pack, or -1 with @error.
 */
int rules_add_pack(struct rules *rules, struct text name, struct error *error);

/** rules_add_rest - add a rule for rules_bind_rest(), if there is none; returns -1 with @error */
int rules_add_rest(struct rules *rules, struct error *error);

/**
 * rules_add_all - add the packs that show all there is, and rules_add_rest()
 *
 * Those that the source does not feed are removed by rules_feed() and rules_keep_fed(). Packs of
 * details, which show more of what these show, are left out. Returns 0, or -1 with @error.
 */
int rules_add_all(struct rules *rules, struct error *error);

/**
 * rules_feed - the source has a tracepoint: the packs that use it are kept by rules_keep_fed()
 * @names_threads: its records name threads, of which they make no states without others
 */
void rules_feed(struct rules *rules, const char *system, const char *name, bool names_threads);

/** rules_keep_fed - remove the rules of all packs that no tracepoint was noted for */
void rules_keep_fed(struct rules *rules);

/**
 * rules_add_text - add the rules of a text
 * @source: name of the text in errors; outlives the rules
 *
 * Returns 0, or -1 with @error.
 */
int rules_add_text(struct rules *rules, struct text text, const char *source, struct error *error);

/**
 * rules_close - check rules against each other, after the last rules_add()
 * @is_swapped: the records' byte order is not this machine's
 *
 * Returns 0, or -1 with @error.
 */
int rules_close(struct rules *rules, bool is_swapped, struct error *error);

/** rules_size - number of rules, and of the indexes of their descriptors, from 0 */
size_t rules_size(const struct rules *rules);

/** rules_descriptor - the descriptor of the rule at @index, below rules_size() */
const struct descriptor *rules_descriptor(const struct rules *rules, size_t index);

/**
 * struct rule_about - a rule for people
 * @name: PACK:NAME
 * @source: name of its pack or path of its file
 * @kind: "slice", "state", "counter", "instant" or "flow"
 * @of: name of the rule whose open slices are counted, NULL if none
 * @nr_uses: number of tracepoints, see rules_use()
 */
struct rule_about {
	const char *name;
	const char *source;
	const char *kind;
	const char *of;
	size_t nr_uses;
};

/** rules_about - describe the rule at @index, below rules_size() */
void rules_about(const struct rules *rules, size_t index, struct rule_about *out);

/**
 * struct rule_use_about - a tracepoint that a rule uses; names may have wildcards
 * @role: the setting that names it: "begin", "end", "on", ...
 * @of_system, @of_event: the tracepoint whose records have it: mostly itself
 */
struct rule_use_about {
	const char *system;
	const char *event;
	const char *role;
	const char *of_system;
	const char *of_event;
};

/** rules_use - describe a tracepoint of a rule; @use is below @nr_uses of its struct rule_about */
void rules_use(const struct rules *rules, size_t index, size_t use, struct rule_use_about *out);

/** rule_pack_find - the pack with a name, NULL if there is none */
const struct rule_pack *rule_pack_find(struct text name);

/** rules_want - whether a rule uses a tracepoint; @name is NULL for any tracepoint of @system */
bool rules_want(const struct rules *rules, const char *system, const char *name);

/** rules_note - a tracepoint exists, before rules_choose() */
void rules_note(struct rules *rules, const char *system, const char *name);

/**
 * rules_choose - choose among the tracepoints that exist, before rules_want() and rules_bind()
 *
 * Of alternatives, the first one that exists. Begins of a slice without an end, and ends without a
 * begin, are left out, because they would break the nesting of others. Tracepoints that come later,
 * such as those of a module, are used as if nothing had been chosen, except alternatives of one
 * that exists. Without this all are used.
 */
void rules_choose(struct rules *rules);

/** rules_want_programs - whether a rule uses events of programs */
bool rules_want_programs(const struct rules *rules);

/** rules_want_kernel - whether a rule uses tracepoints of the kernel */
bool rules_want_kernel(const struct rules *rules);

/**
 * rules_bind - bind rules to a tracepoint
 * @system: behind PROGRAM_PREFIX if it is an event of a program
 * @format: its format file
 *
 * Rules beyond the limits above are not used there, see rules_report_left_out(). Returns 0, 1 with
 * @error if the format cannot be parsed, RULES_MISFIT with @error if a rule names
 * fields that it does not have and is not used there, or -1 with @error: a rule that the user wrote
 * does not fit a tracepoint of the kernel, or memory ran out.
 */
int rules_bind(struct rules *rules, const char *system, const char *name, struct text format,
	       struct error *error);

/**
 * rules_bind_rest - bind the rule of rules_add_rest() to a tracepoint that nothing else takes
 *
 * Does nothing if there is no such rule. Returns as rules_bind().
 */
int rules_bind_rest(struct rules *rules, const char *system, const char *name, struct text format,
		    struct error *error);

/** rules_are_bound - whether a rule has the tracepoints that it needs; others make no events */
bool rules_are_bound(const struct rules *rules);

/** rules_have_own - whether a rule is the user's, who may name any tracepoint */
bool rules_have_own(const struct rules *rules);

/**
 * rules_report_absent - report the tracepoints that do not exist, one line for each rule, and the
 * args of packs that a tracepoint does not have
 */
void rules_report_absent(const struct rules *rules, const struct report *report);

/** rules_report_left_out - report once that rules_bind() has met a limit, and what it left out */
void rules_report_left_out(struct rules *rules, const struct report *report);

/** rules_unbind - unbind rules from all tracepoints */
void rules_unbind(struct rules *rules);

/** rules_drop - decode no more records of a tracepoint, which was removed */
void rules_drop(struct rules *rules, const char *system, const char *name);

/** rules_append_prefixes - append what precedes the colon of each category: "sched,sched,irq," */
void rules_append_prefixes(const struct rules *rules, struct buffer *out);

/** rules_omit - remove the rule "PACK:RULE", if there is one, before rules_close() */
void rules_omit(struct rules *rules, const char *category);

/** rules_omit_of - rules_omit() if @source has the rule; returns whether it had */
bool rules_omit_of(struct rules *rules, const char *category, const char *source);

/**
 * rules_set_realtime - the records are of a kernel with PREEMPT_RT, once and before rules_close()
 *
 * The pack irq, if it is in use, has soft interrupts on the tracks of the threads that run them.
 * Returns 0, or -1 with @error.
 */
int rules_set_realtime(struct rules *rules, struct error *error);

/**
 * rules_omit_shared - remove the rules that need the records of all tasks, before rules_close()
 * @omitted: receives a list of their names
 *
 * Returns whether rules are left.
 */
bool rules_omit_shared(struct rules *rules, struct buffer *omitted);

/** rules_hold_back - decode no records of tracepoints from index @first on until rules_trust() */
void rules_hold_back(struct rules *rules, size_t first);

/** rules_trust - decode records of all tracepoints that were held back */
void rules_trust(struct rules *rules);

/** rules_find_name - the bound tracepoint of this name; NULL if there is none */
const struct rule_tracepoint *rules_find_name(const struct rules *rules, const char *system,
					      const char *name);

/** rules_exclude - tracks of a thread, the recorder's own, are left out; 0 leaves out none */
static inline void rules_exclude(struct rules *rules, int tid)
{
	rules->excluded = tid;
}

/** rules_learn - a thread is new, has another number or ended */
static inline void rules_learn(struct rules *rules, const struct task_change *change)
{
	if (syscalls_have_threads(rules->syscalls))
		syscalls_learn(rules->syscalls, change);
}

/**
 * rules_read_symbols - read the symbols of the tracepoints that were bound since the last call
 * @is_trusted: their formats are the running kernel's
 * @report: receives a line if that failed for some
 *
 * Returns -1 if memory ran out.
 */
int rules_read_symbols(struct rules *rules, bool is_trusted, const struct report *report);

/**
 * rules_need_kallsyms - whether names of functions are rendered, or compared by conditions
 * @has_formats: texts of trace_printk() may have such names
 */
bool rules_need_kallsyms(const struct rules *rules, bool has_formats);

/** rules_set_kallsyms - take ownership of a table of the recorded kernel's functions */
void rules_set_kallsyms(struct rules *rules, struct kallsyms *kallsyms);

/**
 * rules_resolve - look up the functions that conditions compare, after rules_set_kallsyms()
 *
 * Without this their comparisons are false. Returns 0, or -1 with @error: there is no such
 * function, or the table is missing.
 */
int rules_resolve(struct rules *rules, struct error *error);

/** rules_compare_functions - whether a condition of a tracepoint compares functions */
bool rules_compare_functions(const struct rule_tracepoint *tracepoint);

/** rules_set_tasks - conditions compare COMM with these names */
static inline void rules_set_tasks(struct rules *rules, const struct naming_tasks *tasks)
{
	rules->tasks = *tasks;
}

/** rules_set_late_symbols - take ownership of symbols of modules that are loaded from now on */
void rules_set_late_symbols(struct rules *rules, struct late_symbols *late);

/** rules_expire_symbols - modules were loaded or unloaded */
static inline void rules_expire_symbols(struct rules *rules)
{
	if (rules->late)
		late_symbols_expire(rules->late);
}

/**
 * rule_tracepoint_append_takers - append the names of packs, and of files' prefixes, whose rules
 * use a tracepoint, with commas: "irq,sched"
 *
 * Names that @out has already are not appended again.
 */
void rule_tracepoint_append_takers(const struct rule_tracepoint *tracepoint, struct buffer *out);

/** rules_find_id - the tracepoint of records with event id @id, NULL if no rule uses it */
hot_inline struct rule_tracepoint *rules_find_id(const struct rules *rules, uint16_t id)
{
	return rules->by_id[id];
}

/**
 * rules_decode - decode a record for all rules that use its tracepoint
 *
 * Sets @tracepoint->events and returns their number. The caller may change an event; it is valid
 * until the next call. If it has a problem, only what struct decoded_event says is valid.
 */
size_t rules_decode(const struct rules *rules, struct rule_tracepoint *tracepoint,
		    const struct record *record);

/**
 * rule_decode_plain - rules_decode() of a tracepoint by its only action, if that is a plain one and
 * no thread is excluded; NULL if something of the record is missing or no number
 */
struct decoded_event *rule_decode_plain(struct rule_action *action, const struct record *record);

/**
 * rules_filter - the kernel's event filter that keeps all records that rules need
 *
 * Returns a filter for free(), or NULL if all records are needed or memory ran out.
 */
char *rules_filter(const struct rules *rules, const char *system, const char *name);

#endif

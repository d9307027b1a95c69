/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of rules/: rules as they are written, their lines, what is bound to tracepoints,
 * and texts of trace_marker.
 */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "event/event.h"
#include "rules/rules.h"

/* Lines of rules: words, and settings KEY = VALUE, several on one line. */

/** enum rule_key - the keys of settings */
enum rule_key {
	KEY_BEGIN,
	KEY_END,
	KEY_ON,
	KEY_OR,
	KEY_EVENT,
	KEY_FROM,
	KEY_TO,
	KEY_MATCH,
	KEY_SCOPE,
	KEY_TRACK,
	KEY_NAME,
	KEY_ARGS,
	KEY_WHERE,
	KEY_UNLESS,
	KEY_VALUE,
	KEY_UNIT,
	KEY_OF,
	KEY_COUNT
};

/**
 * struct line_place - a position in a text of rules, for errors
 * @begin: first byte of the line
 */
struct line_place {
	const char *source;
	unsigned int line;
	const char *begin;
};

/* Rules as they are written: how existing tracepoints become tracks. See ktrack-rules(5). */

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
 * @unless: list of states, or names of the innermost slice, for which the record is ignored
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
 * @is_alternative: it is used if those before it, from the last one that is none, are absent
 * @exists: there is such a tracepoint, see rules_note()
 * @is_unused: it stands back for another one, or what it pairs with is absent, see rules_choose()
 * @is_bound: it was bound to a tracepoint that exists
 * @lacks: args that its format does not have
 */
struct rule_use {
	enum rule_role role;
	bool is_alternative;
	bool exists;
	bool is_unused;
	bool is_bound;
	struct buffer lacks;
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
 * @is_fed: its text has a rule that uses a tracepoint of the source, see rules_feed()
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
	bool is_fed;
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

/** rule_use_is_repeated - whether a use is an alternative for other fields of the same tracepoint
 */
bool rule_use_is_repeated(const struct rule *rule, size_t number);

/**
 * rule_use_hides - whether an end belongs to each begin of a use, also to one that is not selected
 *
 * True for begins of slices on a stack, unless conditions of their own select the ends.
 */
bool rule_use_hides(const struct rule *rule, const struct rule_use *use);

/* Records of system calls: which thread's, and which programs they execute. */

/**
 * enum rule_call - what a record of a tracepoint says of system calls
 * @RULE_CALL_NAMED: a rule names a system call of its thread
 * @RULE_CALL_BEGIN, @RULE_CALL_END: the thread begins or ends one
 */
enum rule_call {
	RULE_CALL_NONE,
	RULE_CALL_NAMED,
	RULE_CALL_BEGIN,
	RULE_CALL_END,
};

/**
 * struct rule_calls - a tracepoint with records of system calls
 * @number, @result: of the call; @result at its end only
 * @record_size: minimum size of a record that contains these fields
 */
struct rule_calls {
	enum rule_call call;
	bool is_swapped;
	struct field_ref writer;
	struct field_ref number;
	struct field_ref result;
	size_t record_size;
};

/** rule_calls_bind - find the fields; @out has no call if the tracepoint has no such records */
void rule_calls_bind(struct rule_calls *out, const struct rule_tracepoint *tracepoint,
		     const struct format *format, bool is_swapped);

/** rule_calls_learn - rule_calls_read() of any record that contains the fields */
void rule_calls_learn(const struct rule_calls *calls, const struct record *record,
		      struct syscalls *syscalls);

/** rule_calls_read - read a record; most machines have no 32-bit programs, and few calls execute
 * one */
hot_inline void rule_calls_read(const struct rule_calls *calls, const struct record *record,
				struct syscalls *syscalls)
{
	int64_t number;

	if (unlikely(record->size < calls->record_size))
		return;
	if (likely(!syscalls_have_threads(syscalls))) {
		if (calls->call != RULE_CALL_BEGIN)
			return;
		number = field_integer(&calls->number, record, calls->is_swapped);
		if (likely(!syscalls_may_execute(syscalls, number)))
			return;
	}
	rule_calls_learn(calls, record, syscalls);
}

/* Actions: what one use of a tracepoint by a rule does with each record. */

/**
 * struct action_name - a name that an action makes
 * @is_made: it depends on the record
 * @naming: how it is made then
 * @space: for the name
 */
struct action_name {
	bool is_made;
	struct naming naming;
	struct buffer space;
};

/**
 * struct rule_action - a use of a tracepoint, bound to its format
 * @rule: the rule
 * @event: the event of the last record; members that are the same for all records are set once
 * @kind: kind of event if @where matches; otherwise it is hidden if @has_hidden
 * @wants_comm: @where compares the name of the thread that wrote the record
 * @unless: memory of the event's
 * @writer: thread that wrote the record
 * @scope: fields of the scope, the last one by itself; none for the thread or CPU of the record
 * @scope_ref: the last one of them, NULL if there is none
 * @ids: fields that pair begin and end
 * @added_ids: what is added to them, absent if nothing is
 * @value: of a counter
 * @record_size: minimum size of a record that contains these numbers
 * @names_call: the name or the track is that of a system call
 * @has_more: there are keys, a name of the track that is made, or a value
 * @keys: outer scopes and ids of the last record; used if @has_keys
 * @extras: fields that are passed on; @fields are their values in the last record
 * @numbers_size: if all extras are numbers without symbols, and their names and kinds are set once:
 * minimum size of a record that contains them and @record_size; SIZE_MAX otherwise
 * @flow: follows the fields of the event if that has a flow
 * @extra_symbols: texts of their values, NULL for fields without
 * @name: of a slice, state or instant, empty otherwise
 * @track: of the track
 */
struct rule_action {
	const struct rule *rule;
	struct decoded_event event;
	enum decoded_kind kind;
	bool has_hidden;
	bool is_swapped;
	enum value_sign sign;
	struct event_filter *where;
	bool wants_comm;
	struct decoded_names *unless;
	struct field_ref writer;
	struct field_ref scope[RULE_FIELDS_MAX];
	size_t nr_scope;
	const struct field_ref *scope_ref;
	struct field_ref ids[KEYS_IDS_MAX];
	struct field_ref added_ids[KEYS_IDS_MAX];
	size_t nr_ids;
	struct field_ref value;
	size_t record_size;
	bool names_call;
	size_t numbers_size;
	bool has_more;
	bool has_keys;
	struct decoded_keys keys;
	struct action_name name;
	struct action_name track;
	struct extra *extras;
	const struct symbol_field **extra_symbols;
	struct field *fields;
	struct field flow;
	size_t nr_extras;
};

/**
 * rule_action_bind - bind a use of a tracepoint to its format
 * @out: zeroed; for rule_action_release(), also on failure
 * @format_text: the format file
 * @is_strict: the format must have all args; otherwise @use notes those that it lacks
 *
 * Returns 0, 1 with @error: the format lacks what the rule needs, or -1 with @error: memory ran
 * out.
 */
int rule_action_bind(struct rule_action *out, const struct rule *rule, struct rule_use *use,
		     const struct format *format, struct text format_text, bool is_swapped,
		     bool is_strict, struct error *error);

void rule_action_release(struct rule_action *action);

/*
 * Tracepoints "atrace:KIND", which no kernel has: the texts that programs write to trace_marker, by
 * their meaning. Rules use them like any other.
 */

/**
 * enum marker_kind - meaning of a text
 * @MARKER_BEGIN, @MARKER_END: a slice on the stack of the thread that wrote it
 * @MARKER_ASYNC_BEGIN, @MARKER_ASYNC_END: a slice of a process, by name and cookie
 * @MARKER_TRACK_BEGIN, @MARKER_TRACK_END: a slice of a named track of a process, by cookie
 * @MARKER_TRACK_INSTANT: an instant on a named track of a process
 * @MARKER_TEXT: any other text
 */
enum marker_kind {
	MARKER_BEGIN,
	MARKER_END,
	MARKER_COUNTER,
	MARKER_ASYNC_BEGIN,
	MARKER_ASYNC_END,
	MARKER_TRACK_BEGIN,
	MARKER_TRACK_END,
	MARKER_INSTANT,
	MARKER_TRACK_INSTANT,
	MARKER_TEXT,
	MARKER_KIND_COUNT
};

#define MARKER_SYSTEM "atrace"
/* Longer texts, which no kernel writes today, are truncated. */
#define MARKER_TEXT_MAX 8192

/** struct marker_record - a record of "atrace:KIND"; a kind has some of the fields */
struct marker_record {
	uint16_t common_type;
	uint16_t unused;
	int32_t common_pid;
	int32_t pid;
	uint32_t name;
	uint32_t track;
	int64_t value;
	uint64_t name_hash;
	uint64_t track_hash;
	char text[MARKER_TEXT_MAX];
};

/**
 * struct rule_marker - what texts of trace_marker mean
 * @writer: thread that wrote a text
 * @text_offset: of the text in records of trace_marker
 * @tasks: the threads that write
 * @tracepoints: by kind, NULL if no rule uses it
 */
struct rule_marker {
	struct field_ref writer;
	size_t text_offset;
	const struct naming_tasks *tasks;
	struct rule_tracepoint *tracepoints[MARKER_KIND_COUNT];
	struct marker_record made;
};

/** rule_marker_is - whether this tracepoint has the records of trace_marker */
bool rule_marker_is(const char *system, const char *name);

/** rule_marker_origin - replace one of these tracepoints by that of trace_marker */
void rule_marker_origin(const char **system, const char **event);

/** marker_events - the names of these tracepoints, by enum marker_kind */
extern const char *const marker_events[MARKER_KIND_COUNT];

/** marker_format_append - append the format of one of them */
void marker_format_append(struct buffer *out, enum marker_kind kind);

/**
 * rule_marker_make - make a record of one of these tracepoints
 * @record: of trace_marker
 * @out: the record, valid until the next call
 *
 * Returns its tracepoint, or NULL if no rule uses it, or there is no text.
 */
struct rule_tracepoint *rule_marker_make(struct rule_marker *marker, const struct record *record,
					 struct record *out);

/**
 * struct marker_text - a parsed text
 * @pid: the process that it names, 0 if none
 * @name: of the slice, instant or counter; all of a MARKER_TEXT; borrowed, like @track
 * @track: of the tracks that have a name
 * @value: of a counter; the cookie of a slice that has one
 */
struct marker_text {
	enum marker_kind kind;
	int32_t pid;
	struct text name;
	struct text track;
	int64_t value;
};

/** marker_text_parse - parse a text, which may be hostile; newlines at its end are removed */
void marker_text_parse(struct text text, struct marker_text *out);

#endif

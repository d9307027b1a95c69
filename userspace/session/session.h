/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of session/: the runs behind ktrack's commands.
 *
 * Each function performs one command with its settings, reports through struct report, and returns
 * an exit status, with @error if it failed.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "session/filter.h"
#include "session/settings.h"
#include "userring/userring.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_LOST = 3,
	STATUS_UNDECIDED = 3,
	STATUS_EXCEEDED = 4,
	STATUS_TRACING_FAILED = 125,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

/** BUFFER_KIB_MAX - largest ring buffer of a CPU, 64 GiB */
#define BUFFER_KIB_MAX (64 * 1024 * 1024)

/** record_run - record into a trace.dat until the command, the duration or a signal ends it */
int record_run(struct record_settings *settings, struct error *error);

/** stream_run - record and export until the command, the duration or a signal ends it */
int stream_run(struct stream_settings *settings, struct error *error);

/** watch_run - keep the newest records, and save those around triggers, until a signal ends it */
int watch_run(struct watch_settings *settings, struct error *error);

/** export_run - export the records of a source */
int export_run(struct export_settings *settings, struct error *error);

/** query_run - query the records of a source, or a database */
int query_run(const struct query_settings *settings, struct error *error);

/** why_run - explain slices of a source; @settings->selection is changed */
int why_run(struct why_run_settings *settings, struct error *error);

/**
 * recover_persistent_run - make a trace.dat of what ktrack watch recorded before the machine was
 * restarted
 * @name: of the tracing instance that survived
 * @directory: of recordings
 * @writes, @path: as for recover_run()
 */
int recover_persistent_run(const char *name, const char *directory, char **path,
			   const struct report *report, const struct report *writes,
			   struct error *error);

/**
 * recover_run - make a trace.dat of the files of a killed recording
 * @name: of the trace.dat, or of its folder FILE.spool
 * @writes: receives a line for each write to tracefs, NULL for none
 * @path: of the trace.dat, if the status is STATUS_DONE; the caller frees it
 */
int recover_run(const char *name, char **path, const struct report *report,
		const struct report *writes, struct error *error);

/**
 * clean_run - remove the tracing instances and the dynamic events of killed runs
 * @removed: called for each instance and each group of events; one that cannot be removed is
 * reported, and the others follow
 */
int clean_run(void (*removed)(void *context, const char *name), void *context,
	      const struct report *report, const struct report *writes, struct error *error);

/**
 * release_run - drain and disable tracepoints in all running ktracks
 * @patterns: SYS[:EVENT], both with wildcards
 * @nr_released: how many there were
 */
int release_run(const char *const *patterns, size_t nr_patterns, size_t *nr_released,
		const struct report *report, const struct report *writes, struct error *error);

/** enum doctor_state - the result of a check */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED,
	DOCTOR_FAILED,
	DOCTOR_UNKNOWN,
};

/**
 * struct doctor_finding - the result of a check of this machine
 * @check: what was examined: "tracefs", "pack sched"
 * @remedy: NULL if none is needed
 */
struct doctor_finding {
	const char *check;
	enum doctor_state state;
	const char *text;
	const char *remedy;
};

/**
 * sudo_prefix - what to print before a command that records
 *
 * Returns "sudo " if ktrack was started by sudo(8), otherwise "".
 */
const char *sudo_prefix(void);

/**
 * doctor_run - examine whether this machine can record, and which mechanisms work; changes nothing
 * @root: put before the paths of procfs, sysfs and tracefs; "" for this machine
 * @found: called for each finding, whose texts are borrowed
 *
 * Returns whether recording is possible.
 */
bool doctor_run(const char *root,
		void (*found)(void *context, const struct doctor_finding *finding), void *context);

struct listing;

/**
 * struct listed - a tracepoint that follows the convention
 * @name: SYS:EVENT
 * @scope: what its tracks belong to: "thread", "process", "cpu", "custom" or "global"
 * @field: the field with the scope's value, NULL for none
 * @nr_outer: outer scopes, see listing_outer()
 * @nr_fields: extra fields, see listing_field()
 * @nr_flows: fields of flows, see listing_flow()
 * @is_async: its slices are asynchronous
 */
struct listed {
	const char *name;
	const char *scope;
	const char *field;
	size_t nr_outer;
	size_t nr_fields;
	size_t nr_flows;
	bool is_async;
	bool is_counter;
	bool has_track_name;
	bool is_enabled;
};

/**
 * listing_new - find the tracepoints of the running kernel that follow the convention
 * @out: for listing_free()
 *
 * Returns 0, or -1 with @error.
 */
int listing_new(struct listing **out, struct selection *selection, const struct report *report,
		struct error *error);

/** listing_size - number of tracepoints */
size_t listing_size(const struct listing *listing);

/** listing_get - the tracepoint with a number below listing_size() */
void listing_get(const struct listing *listing, size_t number, struct listed *out);

/** listing_outer - the field of an outer scope of a tracepoint */
const char *listing_outer(const struct listing *listing, size_t number, size_t outer);

/** listing_field - the name of an extra field of a tracepoint */
const char *listing_field(const struct listing *listing, size_t number, size_t field);

/** listing_flow - the name of a flow of a tracepoint */
const char *listing_flow(const struct listing *listing, size_t number, size_t flow);

/** listing_free - NULL is fine */
void listing_free(struct listing *listing);

struct rule_listing;

/**
 * struct listed_rule - a rule
 * @name: PACK:NAME
 * @kind: "slice", "state", "counter", "instant" or "flow"
 * @of: the rule whose open slices are counted, NULL if none
 * @source: name of its pack, path of its file, or "-r"
 * @about: one line about its pack, NULL without a pack
 * @tried: kernels on which the pack was tried, NULL if none
 */
struct listed_rule {
	const char *name;
	const char *kind;
	const char *of;
	const char *source;
	bool is_pack;
	const char *about;
	const char *tried;
	size_t nr_tracepoints;
};

/** enum listed_presence - whether the running kernel has a tracepoint */
enum listed_presence {
	LISTED_ABSENT,
	LISTED_PRESENT,
	LISTED_UNKNOWN,
};

/**
 * struct listed_use - a tracepoint of a rule; its names may have wildcards
 * @of_system, @of_event: the tracepoint whose records have it: mostly itself
 * @role: the setting of the rule that names it
 */
struct listed_use {
	const char *system;
	const char *event;
	const char *of_system;
	const char *of_event;
	const char *role;
	enum listed_presence presence;
};

/**
 * rule_listing_new - list the rules of a selection, or of all packs if it has no rules
 * @out: for rule_listing_free()
 * @selection: loses its rules
 * @report: receives a line if the tracepoints of the running kernel cannot be read
 *
 * Returns 0, or -1 with @error.
 */
int rule_listing_new(struct rule_listing **out, struct selection *selection,
		     const struct report *report, struct error *error);

/** rule_listing_size - number of rules */
size_t rule_listing_size(const struct rule_listing *listing);

/** rule_listing_get - the rule with a number below rule_listing_size() */
void rule_listing_get(const struct rule_listing *listing, size_t number, struct listed_rule *out);

/** rule_listing_tracepoint - a tracepoint of a rule */
void rule_listing_tracepoint(const struct rule_listing *listing, size_t number, size_t index,
			     struct listed_use *out);

/** rule_listing_free - NULL is fine */
void rule_listing_free(struct rule_listing *listing);

#endif

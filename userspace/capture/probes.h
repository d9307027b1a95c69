/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of a run that records: from their definition to their removal. */
#ifndef CAPTURE_PROBES_H
#define CAPTURE_PROBES_H

#include "base/base.h"
#include "capture/capture.h"
#include "tracefs/tracefs.h"

/**
 * struct probes - the probes of a run; a zeroed struct has none
 * @events: their dynamic events
 * @rules: the rules that make tracks of their records
 * @has_tracer: calls of functions are recorded by a tracer
 */
struct probes {
	struct dynamic_events events;
	struct buffer rules;
	bool has_tracer;
};

/**
 * probes_define - define the probes of @settings
 *
 * Returns 0, or -1 with @error; probes_remove() works in both cases.
 */
int probes_define(struct probes *probes, struct capture_settings *settings, struct error *error);

/**
 * functions_define - prepare to record the calls of functions
 *
 * If the kernel has no tracer for them in an instance, each function gets a probe.
 *
 * Returns 0, or -1 with @error; probes_remove() works in both cases.
 */
int functions_define(struct probes *probes, struct capture_settings *settings,
		     const struct report *report, struct error *error);

/** functions_trace - let an instance record these calls; returns -1 with @error */
int functions_trace(const struct probes *probes, struct instance *recorder,
		    const struct capture_settings *settings, struct error *error);

/** probes_add_rules - add the rules of all probes to the selection; returns -1 with @error */
int probes_add_rules(struct probes *probes, struct capture_settings *settings,
		     struct error *error);

/** probes_report_missed - report calls that the kernel could not record */
void probes_report_missed(const struct probes *probes, const struct report *report);

/** probes_remove - remove the events, which no instance has enabled; returns -1 with @error */
int probes_remove(struct probes *probes, struct error *error);

/** PROBE_SITES_MAX - limit of places of one probe: of copies of a function that was inlined */
#define PROBE_SITES_MAX 64

/** enum probe_role - what an event of a probe means */
enum probe_role {
	PROBE_BEGIN,
	PROBE_END,
	PROBE_INSTANT,
};

/**
 * struct probe_site - one event of a probe
 * @kind: of the dynamic event, see dynamic_define()
 * @name: of the event
 * @place: where the kernel sets it
 * @arguments: for the kernel: " NAME=FETCHARG NAME=FETCHARG"
 * @names: of these arguments: "NAME,NAME"
 */
struct probe_site {
	enum probe_role role;
	const char *kind;
	char name[DYNAMIC_NAME_SIZE];
	struct buffer place;
	struct buffer arguments;
	struct buffer names;
};

/**
 * struct probe - a parsed probe
 * @is_checked_only: files of programs are not read, so that the places are unknown
 * @is_entry_only: no returns are recorded
 * @option: "--probe", "--uprobe" or "--usdt"
 * @text: of the command line
 * @number: of the setting, which makes the names of its events unique
 * @pack: the first part of the name of its rule
 * @title: the last part, and the name of its slices
 * @part: a symbol with the part of the function that is not inlined; empty for none
 */
struct probe {
	bool is_checked_only;
	bool is_entry_only;
	const char *option;
	const char *text;
	unsigned int number;
	const char *pack;
	struct buffer title;
	struct buffer part;
	struct probe_site sites[PROBE_SITES_MAX];
	size_t nr_sites;
};

/**
 * probe_parse - parse a setting
 * @out: for probe_release(), in any case
 * @number: of the setting
 *
 * Returns 0, or -1 with @error.
 */
int probe_parse(struct probe *out, const struct probe_setting *setting, unsigned int number,
		struct error *error);

/** probe_parse_usdt - parse "PATH:PROVIDER:NAME" or "PATH:PROVIDER:BEGIN..END"
 *
 * Returns -1 with @error.
 */
int probe_parse_usdt(struct probe *probe, struct error *error);

/** probe_define - define its events; returns -1 with @error */
int probe_define(const struct probe *probe, struct dynamic_events *events, struct error *error);

/** PROBE_PACK_KERNEL - the pack of probes in the kernel */
#define PROBE_PACK_KERNEL "probe"

/**
 * probe_check_module - refuse a probe in a module that is not loaded
 * @waits: it may be loaded later
 *
 * The kernel accepts such a probe, and never says that it records nothing. Returns -1 with @error.
 */
int probe_check_module(const struct probe *probe, bool waits, struct error *error);

/**
 * probe_explain - add to the @error of a refused probe whether its function exists, or which is near
 *
 * Returns -1.
 */
int probe_explain(const struct probe *probe, struct error *error);

/** probe_append_rule - append its rule, whose name differs from those in @out */
void probe_append_rule(const struct probe *probe, const char *group, struct buffer *out);

void probe_release(struct probe *probe);

/**
 * usdt_argument_take - take the next argument of a note
 * @rest: what is left of "8@%rdi -4@[sp, 12]"
 *
 * Returns it without spaces around it; empty if there is none left.
 */
struct text usdt_argument_take(struct text *rest);

/**
 * usdt_argument_fetch - append how the kernel fetches an argument: "%x0:u64"
 * @machine: of the program: EM_X86_64 or EM_AARCH64
 *
 * Returns false if the kernel cannot fetch it, as floats, sums of registers, and operands of other
 * machines; @out is then undefined.
 */
bool usdt_argument_fetch(struct buffer *out, unsigned int machine, struct text argument);

#endif

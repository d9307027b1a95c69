// SPDX-License-Identifier: GPL-2.0-only
/* Examines which mechanisms of tracefs and which packs of rules work. */
#include "check/doctor.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

/**
 * struct mechanism - a feature of tracefs
 * @file: that exists if the kernel has it
 * @text: that @file then has, NULL for any
 * @option: of the kernel
 * @remedy: if the kernel does not have it
 */
struct mechanism {
	const char *name;
	const char *file;
	const char *text;
	const char *option;
	const char *remedy;
};

#define MECHANISM(name, file, text, option)                                        \
	{                                                                          \
		"mechanism " name, file, text, option, "use a kernel with " option \
	}

static const struct mechanism mechanisms[] = {
	MECHANISM("kprobes", "kprobe_events", NULL, "CONFIG_KPROBE_EVENTS"),
	MECHANISM("fprobe", "README", "f[:[<group>", "CONFIG_FPROBE_EVENTS"),
	MECHANISM("function_graph", "available_tracers", "function_graph",
		  "CONFIG_FUNCTION_GRAPH_TRACER"),
	MECHANISM("uprobes", "uprobe_events", NULL, "CONFIG_UPROBE_EVENTS"),
	MECHANISM("synthetic events", "synthetic_events", NULL, "CONFIG_SYNTH_EVENTS"),
	MECHANISM("stacktrace triggers", "README", "stacktrace", "CONFIG_STACKTRACE"),
	MECHANISM("osnoise", "available_tracers", "osnoise", "CONFIG_OSNOISE_TRACER"),
};

/* DOCTOR_OK, DOCTOR_LIMITED or DOCTOR_UNKNOWN; tracefs has precedence over the kernel's options. */
static enum doctor_state mechanism_find(const struct doctor *doctor,
					const struct mechanism *mechanism)
{
	if (!doctor->can_read) {
		if (doctor->options.size == 0)
			return DOCTOR_UNKNOWN;
		return doctor_has_option(doctor, mechanism->option) ? DOCTOR_OK : DOCTOR_LIMITED;
	}
	return doctor_tracefs_has(doctor, mechanism->file, mechanism->text) ? DOCTOR_OK
									    : DOCTOR_LIMITED;
}

void doctor_check_mechanisms(struct doctor *doctor)
{
	static const char *const texts[] = {
		[DOCTOR_OK] = "the kernel has it",
		[DOCTOR_LIMITED] = "the kernel lacks it",
		[DOCTOR_UNKNOWN] = "neither tracefs nor the kernel's options can be read",
	};

	for (size_t i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++) {
		const struct mechanism *mechanism = &mechanisms[i];
		enum doctor_state state = mechanism_find(doctor, mechanism);
		const char *remedy = state == DOCTOR_LIMITED ? mechanism->remedy : NULL;

		doctor_report(doctor, mechanism->name, state,
			      state == DOCTOR_UNKNOWN ? doctor_access_remedy(doctor) : remedy, "%s",
			      texts[state]);
	}
}

static bool tracepoint_exists(const struct doctor *doctor, const struct listed_use *use)
{
	struct buffer pattern = { 0 };
	glob_t found = { 0 };
	bool exists;

	buffer_printf(&pattern, "%s/events/%s/%s", doctor->tracefs.data, use->of_system,
		      use->of_event);
	exists = glob(buffer_string(&pattern), GLOB_NOSORT, NULL, &found) == 0;
	globfree(&found);
	buffer_release(&pattern);
	return exists;
}

/** struct pack_count - tracepoints that the rules of a pack name, and those that exist */
struct pack_count {
	size_t nr_named;
	size_t nr_found;
};

static void rule_count(const struct doctor *doctor, const struct rule_listing *listing,
		       size_t number, struct pack_count *count)
{
	struct listed_rule rule;

	rule_listing_get(listing, number, &rule);
	for (size_t i = 0; i < rule.nr_tracepoints; i++) {
		struct listed_use use;

		rule_listing_tracepoint(listing, number, i, &use);
		count->nr_named++;
		count->nr_found += tracepoint_exists(doctor, &use);
	}
}

static void pack_report(struct doctor *doctor, const char *pack, const struct pack_count *count)
{
	bool is_whole = count->nr_found == count->nr_named;
	char check[64];

	snprintf(check, sizeof(check), "pack %s", pack);
	if (!doctor->can_read)
		doctor_report(doctor, check, DOCTOR_UNKNOWN, doctor_access_remedy(doctor),
			      "tracefs cannot be read");
	else
		doctor_report(doctor, check, is_whole ? DOCTOR_OK : DOCTOR_LIMITED,
			      is_whole ? NULL : "ktrack list --rules lists the missing tracepoints",
			      "%zu of %zu tracepoints exist", count->nr_found, count->nr_named);
}

/* The rules of a pack follow each other. */
static void packs_report(struct doctor *doctor, const struct rule_listing *listing)
{
	struct pack_count count = { 0 };

	for (size_t i = 0; i < rule_listing_size(listing); i++) {
		struct listed_rule rule, next = { 0 };

		rule_listing_get(listing, i, &rule);
		if (doctor->can_read)
			rule_count(doctor, listing, i, &count);
		if (i + 1 < rule_listing_size(listing))
			rule_listing_get(listing, i + 1, &next);
		if (next.source && strcmp(next.source, rule.source) == 0)
			continue;
		pack_report(doctor, rule.source, &count);
		count = (struct pack_count){ 0 };
	}
}

void doctor_check_packs(struct doctor *doctor)
{
	struct selection selection = { 0 };
	struct rule_listing *listing;
	struct error error = { 0 };

	if (rule_listing_new(&listing, &selection, NULL, &error) == 0) {
		packs_report(doctor, listing);
		rule_listing_free(listing);
	} else {
		doctor_report(doctor, "packs", DOCTOR_UNKNOWN, NULL, "%s", error.text);
	}
	selection_release(&selection);
}

/* A message is "OBJECT: PROBLEM; REMEDY". */
static void format_report(void *context, const char *line)
{
	struct doctor *doctor = context;
	const char *remedy = strstr(line, "; ");

	doctor_report(doctor, "tracepoints", DOCTOR_LIMITED, remedy ? remedy + 2 : NULL, "%.*s",
		      (int)(remedy ? remedy - line : (int)strlen(line)), line);
}

void doctor_check_formats(struct doctor *doctor)
{
	const struct report report = { .context = doctor, .message = format_report };
	struct selection selection = { 0 };
	struct listing *listing;
	struct error error = { 0 };

	if (doctor->can_read && listing_new(&listing, &selection, &report, &error) == 0)
		listing_free(listing);
	selection_release(&selection);
}

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

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints "atrace:KIND", which no kernel has: the texts that programs write to trace_marker, by
 * their meaning. Rules use them like any other.
 */
#ifndef RULES_MARKER_H
#define RULES_MARKER_H

#include "rules/rules.h"

struct rule_marker;

/** rule_marker_is - whether this tracepoint has the records of trace_marker */
bool rule_marker_is(const char *system, const char *name);

/** rule_marker_origin - replace one of these tracepoints by that of trace_marker */
void rule_marker_origin(const char **system, const char **event);

/** rule_marker_uses - number of uses of these tracepoints by rules */
size_t rule_marker_uses(const struct rules *rules);

/**
 * rule_marker_new - bind rules to these tracepoints
 * @out: for rule_marker_free(), also on failure; NULL if no rule uses them
 * @format: of the records of trace_marker
 *
 * Returns as rules_bind().
 */
int rule_marker_new(struct rule_marker **out, struct rules *rules, const struct format *format,
		    struct error *error);

/** rule_marker_free - free it; NULL is allowed */
void rule_marker_free(struct rule_marker *marker);

/**
 * rule_marker_make - make a record of one of these tracepoints
 * @record: of trace_marker
 * @out: the record, valid until the next call
 *
 * Returns its tracepoint, or NULL if no rule uses it, or there is no text.
 */
struct rule_tracepoint *rule_marker_make(struct rule_marker *marker, const struct record *record,
					 struct record *out);

#endif

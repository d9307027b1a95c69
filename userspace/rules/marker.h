/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints "atrace:KIND", which no kernel has: the texts that programs write to trace_marker, by
 * their meaning. Rules use them like any other.
 */
#ifndef RULES_MARKER_H
#define RULES_MARKER_H

#include <stdint.h>

#include "base/base.h"
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

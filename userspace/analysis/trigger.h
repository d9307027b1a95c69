/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: events of a recording that ktrack watch saves.
 *
 * A slice that is longer than its limit fires when it reaches the limit, while it is still open.
 */
#ifndef ANALYSIS_TRIGGER_H
#define ANALYSIS_TRIGGER_H

#include "analysis/selector.h"

/** TRIGGERS_MAX - most triggers of a run */
#define TRIGGERS_MAX 16

/** TRIGGER_CONDITIONS_MAX - most conditions of a trigger */
#define TRIGGER_CONDITIONS_MAX 8

/** TRIGGER_SLICES_MAX - limit of open slices that wait for their limits, of all triggers */
#define TRIGGER_SLICES_MAX 65536

/** enum trigger_kind - what fires */
enum trigger_kind {
	TRIGGER_SLICE,
	TRIGGER_COUNTER,
	TRIGGER_EVENT,
	TRIGGER_LOSS,
};

/** enum condition_what - how a field is compared */
enum condition_what {
	CONDITION_EQUAL,
	CONDITION_UNEQUAL,
	CONDITION_BELOW,
	CONDITION_BELOW_EQUAL,
	CONDITION_ABOVE,
	CONDITION_ABOVE_EQUAL,
	CONDITION_LIKE,
};

/** struct threshold - a number that values are compared with; @floating if @is_floating */
struct threshold {
	bool is_floating;
	int64_t number;
	double floating;
};

/**
 * struct trigger_condition - a comparison of a field
 * @text: what it is compared with
 * @number: the same, if @is_number
 */
struct trigger_condition {
	struct text field;
	enum condition_what what;
	char *text;
	bool is_number;
	struct threshold number;
};

/**
 * struct trigger - one trigger
 * @text: as it was given
 * @limit: of a slice in nanoseconds
 * @threshold: of a counter
 * @is_below, @allows_equal: the comparison with it
 */
struct trigger {
	const char *text;
	enum trigger_kind kind;
	struct slice_selector selector;
	bool is_below;
	bool allows_equal;
	int64_t limit;
	struct threshold threshold;
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
 * records were lost. " if FIELD == VALUE" behind them (also !=, <, <=, >, >=, ~ with wildcards;
 * several with &&) adds conditions; for "NAME", ends of slices are tried, too. Returns 0, or -1
 * with
 * @error.
 */
int trigger_parse(struct trigger *out, const char *text, struct error *error);

void trigger_release(struct trigger *trigger);

/** trigger_accepts - whether all conditions are true for the fields of an event */
bool trigger_accepts(const struct trigger *trigger, const struct timeline_event *event);

/** trigger_exceeds - whether a counter's value is beyond the threshold */
bool trigger_exceeds(const struct trigger *trigger, const struct value *value);

#endif

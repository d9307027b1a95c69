/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the tracepoints of the running kernel that follow the convention, and rules. */
#ifndef READER_LISTING_H
#define READER_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "reader/selection.h"
#include "userring/userring.h"

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

/** listing_field - the name of an extra field of a tracepoint, or of a flow, which follow these */
const char *listing_field(const struct listing *listing, size_t number, size_t field);

/** listing_mark - the role of such a field in a word, NULL if it has none */
const char *listing_mark(const struct listing *listing, size_t number, size_t field);

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

/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that rules are bound to. */
#ifndef RULES_TRACEPOINT_H
#define RULES_TRACEPOINT_H

#include "rules/rules.h"

/**
 * rule_tracepoint_new - bind all rules that use a tracepoint
 * @out: for rule_tracepoint_free(); NULL if no rule uses it, and on failure
 * @is_swapped: the byte order of its records is not this machine's
 *
 * Returns as rules_bind(); if some rules do not fit, @out has the others.
 */
int rule_tracepoint_new(struct rule_tracepoint **out, struct rules *rules, const char *system,
			const char *name, struct text format, bool is_swapped,
			struct error *error);

/** rule_tracepoint_free - free a tracepoint; NULL is allowed */
void rule_tracepoint_free(struct rule_tracepoint *tracepoint);

/** rule_uses_count - number of uses of a tracepoint by rules; @name is NULL for any of @system */
size_t rule_uses_count(const struct rules *rules, const char *system, const char *name);

#endif

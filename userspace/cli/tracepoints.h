/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choosing tracepoints of the running kernel: those that follow the convention, all or by pattern.
 */
#ifndef CLI_TRACEPOINTS_H
#define CLI_TRACEPOINTS_H

#include "base/base.h"
#include "cli/option.h"
#include "convention/convention.h"
#include "source/source.h"

/**
 * struct pattern - SYS[:EVENT], both with wildcards, and what it met
 * @option: which option it stood in, counted from the first
 * @filter: what records are to meet, NULL for nothing; borrowed from the command line
 */
struct pattern {
	char *text;
	unsigned int option;
	const char *filter;
	bool met_tracepoint;
	bool met_template;
};

/**
 * struct selection - the patterns of a command line; without any, every tracepoint that follows is
 * meant
 * @can_wait: --wait could have been said
 * @waits: it was: what meets nothing may come later
 * @nr_unreadable: how many tracepoints are left out because their format cannot be read
 */
struct selection {
	struct pattern *patterns;
	size_t nr_patterns;
	unsigned int nr_options;
	bool can_wait;
	bool waits;
	size_t nr_unreadable;
};

/** selection_options - the options that fill a struct selection */
extern const struct option_part selection_options;

void selection_release(struct selection *selection);

/** selection_set_filter - a filter for the last option's patterns; returns -1 with @error */
int selection_set_filter(struct selection *selection, const char *filter, struct error *error);

/** selection_means - whether a tracepoint is meant */
bool selection_means(const struct selection *selection, const char *system, const char *name);

/** selection_filter - the filter for a tracepoint, that of the last pattern which has one; or NULL
 */
const char *selection_filter(const struct selection *selection, const char *system,
			     const char *name);

/**
 * tracepoints_find - add to @convention what is meant and follows it
 * @source: whose tracepoints; NULL for those of the running kernel
 *
 * Returns 0, or -1 with @error: they cannot be read, or a pattern meets nothing that follows the
 * convention.
 */
int tracepoints_find(struct convention *convention, struct source *source,
		     struct selection *selection, struct error *error);

/** template_system - the system of a template, in @out */
void template_system(const struct template *template, struct buffer *out);

#endif

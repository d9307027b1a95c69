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

/** struct pattern - SYS[:EVENT], both with wildcards, and what it met */
struct pattern {
	char *text;
	bool met_tracepoint;
	bool met_template;
};

/**
 * struct selection - the patterns of a command line; without any, every tracepoint that follows is
 * meant
 */
struct selection {
	struct pattern *patterns;
	size_t nr_patterns;
};

/** selection_options - the options that fill a struct selection */
extern const struct option_part selection_options;

void selection_release(struct selection *selection);

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

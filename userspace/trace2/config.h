/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The inside of a configuration: values in the order in which they were read. */
#ifndef TRACE2_CONFIG_H
#define TRACE2_CONFIG_H

#include "base/base.h"
#include "trace2/trace2.h"

/**
 * struct config_entry - a value of a file
 * @scope: "system" or "global", as git calls the two files
 * @key: "section.name", the section in lower case
 * @value: NULL where there is none, which counts for nothing but is a parameter
 */
struct config_entry {
	const char *scope;
	char *key;
	char *value;
};

/**
 * struct trace2_config - all that was read
 * @entries: the later ones count
 * @names: of the variables
 * @variables: their values, NULL for none
 * @scope: of the file that is just being read
 * @is_too_deep: files included one another without an end, so that no more are read
 * @has_failed: memory ran out
 * @warnings: lines about what could not be read
 */
struct trace2_config {
	struct config_entry *entries;
	size_t nr_entries;
	char *names[TRACE2_KEY_COUNT];
	char *variables[TRACE2_KEY_COUNT];
	const char *scope;
	bool is_too_deep;
	bool has_failed;
	struct buffer warnings;
};

/** config_warn - remember what could not be read, for a session that reports all */
void config_warn(struct trace2_config *config, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * config_file_read - add the values of an INI file, and of those that it includes; returns -1 where
 * memory ran out
 */
int config_file_read(struct trace2_config *config, const char *path, const char *scope);

/** config_visit_params, config_visit_variables - the two halves of trace2_config_visit() */
int config_visit_params(const struct trace2_config *config,
			int (*visit)(void *context, const char *scope, const char *param,
				     const char *value),
			void *context);
int config_visit_variables(const struct trace2_config *config,
			   int (*visit)(void *context, const char *scope, const char *param,
					const char *value),
			   void *context);

/** boolean_parse - read what git takes for a truth; returns -1 where it is none */
int boolean_parse(const char *value, bool *out);

#endif

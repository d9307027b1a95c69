/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The private structures of settings. */
#ifndef TRACE2_CONFIG_H
#define TRACE2_CONFIG_H

#include "base/base.h"
#include "trace2/trace2.h"

/**
 * struct config_entry - a setting of a file
 * @scope: "system" or "global", git's names of the two files
 * @key: "section.name" or "section.subsection.name"; only a subsection may have upper case
 * @value: NULL if it has none; it is no setting then, but a parameter
 */
struct config_entry {
	const char *scope;
	char *key;
	char *value;
};

/**
 * struct trace2_config - the settings that were read
 * @entries: in the order of reading; later ones override earlier ones
 * @capacity: of @entries; doubled as they grow
 * @names: the names of the variables
 * @variables: their values, NULL for none
 * @scope: of the file that is being read
 * @nr_files: number of files read
 * @is_too_deep: too many files were included; no more are read
 * @has_failed: memory ran out
 * @warnings: about malformed lines, each NUL-terminated
 */
struct trace2_config {
	struct config_entry *entries;
	size_t nr_entries;
	size_t capacity;
	char *names[TRACE2_KEY_COUNT];
	char *variables[TRACE2_KEY_COUNT];
	const char *scope;
	unsigned int nr_files;
	bool is_too_deep;
	bool has_failed;
	struct buffer warnings;
};

/** config_warn - keep a warning, for a session that reports all failures */
void config_warn(struct trace2_config *config, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * config_file_read - read a file, and those that it includes; returns -1 if memory ran out
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

/** boolean_parse - parse a boolean of git's: a word or a number; returns -1 if it is malformed */
int boolean_parse(const char *value, bool *out);

#endif

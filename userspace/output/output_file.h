/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a run's outputs. */
#ifndef OUTPUT_OUTPUT_FILE_H
#define OUTPUT_OUTPUT_FILE_H

#include "base/base.h"

/** OUTPUTS_MAX - most files of a command line */
#define OUTPUTS_MAX 16

/**
 * struct output_set - the files of a command line
 * @is_appending: files keep their content
 * @has_terminal: standard output is a terminal, and one of the outputs
 * @sources: paths that are read meanwhile, or "-"; they cannot be outputs; @nr_sources of them
 * @wait: waits for a blocked output
 * @names, @fds: of open files
 */
struct output_set {
	bool is_appending;
	bool has_terminal;
	const char *const *sources;
	size_t nr_sources;
	struct file_wait wait;
	const char *names[OUTPUTS_MAX];
	int fds[OUTPUTS_MAX];
	size_t size;
};

/**
 * output_open - open a target of the command line
 * @target: "-" for standard output, otherwise a path
 * @name: its name in errors; lives as long as @target
 *
 * An existing file keeps its content until output_set_begin(). Only its owner can read a new file,
 * since traces contain kernel data; under sudo, the owner is the user of sudo. Waits for a reader
 * of a FIFO.
 *
 * Returns a new descriptor, non-blocking if possible, or -1 with @error.
 */
int output_open(struct output_set *set, const char *target, const char **name, struct error *error);

/**
 * output_check_path - refuse a file that is read meanwhile, and that something else opens
 * @name: what names it in errors
 *
 * Returns 0, or -1 with @error.
 */
int output_check_path(const struct output_set *set, const char *path, const char *name,
		      struct error *error);

/** output_is_compressed - whether a target's name asks for a compressed file */
bool output_is_compressed(const char *target);

/** output_check_alone - refuse the last opened file if it was opened before; returns -1 with @error
 */
int output_check_alone(const struct output_set *set, struct error *error);

/**
 * output_set_begin - truncate files that are not appended to; to be called after all are open, and
 * before anything is written; returns -1 with @error
 */
int output_set_begin(const struct output_set *set, struct error *error);

/** output_owner - the user of sudo, who owns new files; returns false if there is none */
bool output_owner(unsigned int *user, unsigned int *group);

#endif

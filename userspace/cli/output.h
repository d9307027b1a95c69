/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that ktrack writes. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/base.h"

/** OUTPUTS_MAX - how many targets of a command line can be open at once */
#define OUTPUTS_MAX 16

/**
 * struct output_set - the targets of a command line
 * @is_appending: files keep what they hold
 * @has_terminal: one of them is the terminal that standard output is
 * @source: a path that is read meanwhile, or "-", and so cannot be written to; NULL for none
 * @wait: what to do where one takes nothing now
 * @names, @fds: of those that are open
 */
struct output_set {
	bool is_appending;
	bool has_terminal;
	const char *source;
	struct file_wait wait;
	const char *names[OUTPUTS_MAX];
	int fds[OUTPUTS_MAX];
	size_t size;
};

/**
 * output_open - open a target named on the command line
 * @target: "-" for standard output, otherwise a path
 * @name: what errors are to call it; lives as long as @target
 *
 * What an existing file holds stays until output_set_begin(). A new file can be read by its owner
 * only, since traces hold kernel data; under sudo its owner is the user who called sudo. Where
 * nobody reads a FIFO yet, this waits for a reader.
 *
 * Returns a file descriptor of the caller's own, which does not block where that can be had, or -1
 * with @error.
 */
int output_open(struct output_set *set, const char *target, const char **name, struct error *error);

/**
 * output_check_alone - see whether the file that was opened last is none of those before it, so
 * that what needs a file of its own has one; returns -1 with @error where it is not
 */
int output_check_alone(const struct output_set *set, struct error *error);

/**
 * output_set_begin - empty the files whose content is to be replaced, now that there is something
 * to replace it; while all of @set are open, before anything is written; returns -1 with @error
 */
int output_set_begin(const struct output_set *set, struct error *error);

/**
 * output_owner - to whom new files are given: the user who called sudo
 *
 * Returns false where they stay this process' own.
 */
bool output_owner(unsigned int *user, unsigned int *group);

#endif

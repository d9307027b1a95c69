/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of check/: examines what ktrack can do on this machine, and repairs what killed
 * runs left.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "output/output.h"

/**
 * recover_persistent_run - make a trace.dat of what ktrack watch recorded before the machine was
 * restarted
 * @name: of the tracing instance that survived
 * @directory: of recordings
 * @writes, @path: as for recover_run()
 */
int recover_persistent_run(const char *name, const char *directory, char **path,
			   const struct report *report, const struct report *writes,
			   struct error *error);

/**
 * recover_run - make a trace.dat of the files of a killed recording
 * @name: of the trace.dat, or of its folder FILE.spool
 * @writes: receives a line for each write to tracefs, NULL for none
 * @path: of the trace.dat, if the status is STATUS_DONE; the caller frees it
 */
int recover_run(const char *name, char **path, const struct report *report,
		const struct report *writes, struct error *error);

/**
 * clean_run - remove the tracing instances and the dynamic events of killed runs
 * @removed: called for each instance and each group of events; one that cannot be removed is
 * reported, and the others follow
 */
int clean_run(void (*removed)(void *context, const char *name), void *context,
	      const struct report *report, const struct report *writes, struct error *error);

/**
 * release_run - drain and disable tracepoints in all running ktracks
 * @patterns: SYS[:EVENT], both with wildcards
 * @nr_released: how many there were
 */
int release_run(const char *const *patterns, size_t nr_patterns, size_t *nr_released,
		const struct report *report, const struct report *writes, struct error *error);

/** enum doctor_state - the result of a check */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED,
	DOCTOR_FAILED,
	DOCTOR_UNKNOWN,
};

/**
 * struct doctor_finding - the result of a check of this machine
 * @check: what was examined: "tracefs", "pack sched"
 * @remedy: NULL if none is needed
 */
struct doctor_finding {
	const char *check;
	enum doctor_state state;
	const char *text;
	const char *remedy;
};

/**
 * doctor_run - examine whether this machine can record, and which mechanisms work; changes nothing
 * @root: put before the paths of procfs, sysfs and tracefs; "" for this machine
 * @found: called for each finding, whose texts are borrowed
 *
 * Returns whether recording is possible.
 */
bool doctor_run(const char *root,
		void (*found)(void *context, const struct doctor_finding *finding), void *context);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What ktrack watch records a second time, in a buffer that survives a restart of the machine. */
#ifndef CAPTURE_PERSISTENT_H
#define CAPTURE_PERSISTENT_H

#include "base/base.h"
#include "capture/run.h"
#include "tracedat/tracedat.h"
#include "tracefs/tracefs.h"

/**
 * struct persistent - state; zeroed but for @boot it is off
 * @name: of the instance, NULL if it is off
 * @saved_ns: when names of threads were saved, on the monotonic clock
 * @is_taken: the instance may have tracepoints of ours
 * @is_behind: tracepoints of a loaded module are recorded, but not yet here
 * @has_failed: a message reported that something could not be saved
 */
struct persistent {
	struct boot_instance boot;
	struct spool *spool;
	const char *name;
	int64_t saved_ns;
	bool is_taken;
	bool is_behind;
	bool has_failed;
};

/**
 * persistent_start - record the tracepoints of @capture's instance, too
 * @name: of the instance; NULL for none
 * @directory: of recordings, which is locked
 *
 * Refuses an instance with records. Returns -1 with @error.
 */
int persistent_start(struct persistent *persistent, const char *name, const char *directory,
		     const struct capture *capture, struct error *error);

/**
 * persistent_serve - record tracepoints of loaded modules, and save names of threads now and then
 *
 * A problem is reported once, and the watch continues.
 */
void persistent_serve(struct persistent *persistent, const struct instance *recorder,
		      const struct report *report);

/** persistent_stop - the run ends in order: remove the records, and what decodes them */
void persistent_stop(struct persistent *persistent, const struct report *report);

#endif

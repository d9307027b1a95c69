/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of ktrack record: its settings, a run of it, and what ktrack recover shares with it.
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/capture.h"

/**
 * struct record_settings - what the command line asks for
 * @path: of the trace.dat
 * @max_kib: end once there are so many records, 0 for no such end
 * @fails_on_loss: losses are a failure
 */
struct record_settings {
	struct capture_settings capture;
	const char *path;
	uint64_t max_kib;
	bool fails_on_loss;
};

/** RECORD_PATH - where records go unless told otherwise */
#define RECORD_PATH "trace.dat"

/** record_run - record until the command, the duration or a signal ends it; returns the exit status
 */
int record_run(struct record_settings *settings, struct error *error);

/** record_owner - whom files belong to */
struct parts_owner record_owner(void);

/** record_report_span - print what of a recording is complete, if that is not all of it */
void record_report_span(const struct parts_summary *summary, const char *path);

#endif

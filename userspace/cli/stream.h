/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of ktrack stream: its settings, and a run of it. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "cli/bounds.h"
#include "cli/capture.h"
#include "cli/outputs.h"

/**
 * struct stream_settings - what the command line asks for
 * @session_ns: how long a session lasts; 0 for one that is as long as the recording
 * @argv: ktrack's own words, as the stream tells them
 */
struct stream_settings {
	struct capture_settings capture;
	struct outputs outputs;
	struct bounds bounds;
	int64_t session_ns;
	char *const *argv;
};

/**
 * stream_run - record and export until the command, the duration or a signal ends it; returns the
 * exit status
 */
int stream_run(struct stream_settings *settings, struct error *error);

#endif

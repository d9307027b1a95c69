/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of ktrack stream: its settings, and a run of it. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "cli/outputs.h"
#include "cli/tracepoints.h"
#include "recorder/recorder.h"

/** STREAM_BUFFER_KIB - the size of each CPU's ring buffer, unless told otherwise */
#define STREAM_BUFFER_KIB 1024

/**
 * struct stream_settings - what the command line asks for
 * @duration_ns: 0 for no end
 * @cpus: only these, where @has_cpus
 * @follows_command: only what the command and its children write
 * @user: whose process the command is to be
 * @argv: ktrack's own words, as the stream tells them
 * @command: the traced command's words, NULL for none
 */
struct stream_settings {
	struct selection selection;
	int64_t duration_ns;
	uint64_t buffer_kib;
	bool has_cpus;
	cpu_set_t cpus;
	bool follows_command;
	struct command_user user;
	struct outputs outputs;
	char *const *argv;
	char *const *command;
};

/** stream_apply_duration, stream_apply_buffer - of options that fill a struct stream_settings */
int stream_apply_duration(void *settings, const char *value, struct error *error);
int stream_apply_buffer(void *settings, const char *value, struct error *error);

/**
 * stream_run - record and export until the command, the duration or a signal ends it; returns the
 * exit status
 */
int stream_run(struct stream_settings *settings, struct error *error);

#endif

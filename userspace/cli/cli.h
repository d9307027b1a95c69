/* SPDX-License-Identifier: GPL-2.0-only */
/* The cli room's public header: what a command is. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/base.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_LOST = 3,
	STATUS_TRACING_FAILED = 125,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

/**
 * struct cli_command - one of ktrack's commands
 * @name: the word that selects it
 * @summary: one line for the list of commands
 * @run: does it; argv[0] is ktrack, argv[1] the name; returns the exit status, with @error where
 * there is something to say
 */
struct cli_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv, struct error *error);
};

extern const struct cli_command clean_command;
extern const struct cli_command release_command;
extern const struct cli_command export_command;
extern const struct cli_command list_command;
extern const struct cli_command record_command;
extern const struct cli_command recover_command;
extern const struct cli_command stat_command;
extern const struct cli_command stream_command;

#endif

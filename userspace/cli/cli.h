/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of cli/ share: commands, messages, the terminal. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

#include "base/base.h"
#include "check/check.h"
#include "output/output.h"

/**
 * struct cli_command - a command
 * @run: performs it; argv[0] is ktrack, argv[1] the name; returns the exit status, with @error if
 * there is a message to print
 */
struct cli_command {
	const char *name;    /* the word that selects it */
	const char *summary; /* its line in the list of commands */
	int (*run)(int argc, char **argv, struct error *error);
};

extern const struct cli_command clean_command;
extern const struct cli_command release_command;
extern const struct cli_command doctor_command;
extern const struct cli_command export_command;
extern const struct cli_command list_command;
extern const struct cli_command query_command;
extern const struct cli_command record_command;
extern const struct cli_command recover_command;
extern const struct cli_command stat_command;
extern const struct cli_command stream_command;
extern const struct cli_command watch_command;
extern const struct cli_command why_command;

/** message_report - prints messages; on a terminal also progress and the last line of a run */
const struct report *message_report(void);
/** message_report_quiet - the same without progress, hints and last line */
const struct report *message_report_quiet(void);

/* The terminal on standard output. */

/**
 * struct terminal - standard output
 * @width, @height: of a terminal; 0 if unknown, or for a file
 */
struct terminal {
	bool is_terminal;
	unsigned int width;
	unsigned int height;
	bool has_colour; /* escape sequences are fine */
	bool is_utf8;
};

/** terminal_find - examine standard output; sets the locale's character set */
struct terminal terminal_find(void);
/** terminal_is_interactive - whether input and output are one terminal, ktrack its foreground */
bool terminal_is_interactive(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Option tables that several commands share, each for one part of their settings; outputs. */
#ifndef CLI_OPTION_PARTS_H
#define CLI_OPTION_PARTS_H

#include "cli/option.h"
#include "capture/capture.h"
#include "replay/replay.h"

/** CAPTURE_STATUS_NOTES - exit statuses of traced commands, and @more before them, for help */
#define CAPTURE_STATUS_NOTES(more)                                                                 \
	"Exit status with COMMAND: its status, or 128+N if signal N ended it; 125 ktrack failed; " \
	"126 COMMAND cannot be executed; 127 COMMAND is not found. Without COMMAND: 0 success; 1 " \
	"ktrack failed. In both cases: 2 wrong usage; " more " (only if COMMAND succeeded)."

/* Each part is for a member of the settings of this type. */

extern const struct option_part selection_options;   /* struct selection */
extern const struct option_part listed_options;	     /* those that ktrack list has */
extern const struct option_part stored_options;	     /* struct selection, of recordings */
extern const struct option_part report_options;	     /* const struct report * */
extern const struct option_part filter_options;	     /* struct filter */
extern const struct option_part window_options;	     /* only --from and --to of it */
extern const struct option_part stat_filter_options; /* the same without --cgroup */
extern const struct option_part limits_options;	     /* struct limits */
extern const struct option_part input_options;	/* struct limits: of inputs that are compressed */
extern const struct option_part budget_options; /* struct budget_settings */
extern const struct option_part probe_options;	/* struct capture_settings, as the next ones */
extern const struct option_part stack_options;
extern const struct option_part capture_options;	     /* without those of its selection */
extern const struct option_part capture_live_options;	     /* those that ktrack stat --live has */
extern const struct option_part watch_capture_options;	     /* those that ktrack watch has */
extern const struct option_part label_options;		     /* struct buffer of labels */
extern const struct option_part recording_retention_options; /* struct retention, of recordings */
extern const struct option_part session_retention_options;   /* struct retention, of sessions */

/** VERBOSE_HELP - the help of -v for commands without rules */
#define VERBOSE_HELP "report each write to tracefs"

/** capture_apply_mode - the apply function of --mode, for a struct capture_settings */
int capture_apply_mode(void *settings, const char *value, struct error *error);

/** capture_options_read - options_read(), and take the words after the options as the command */
bool capture_options_read(const struct option_table *table, int argc, char **argv, void *settings,
			  struct capture_settings *capture, int *status, struct error *error);

/** OUTPUT_SHARED_ROWS - number of options that all outputs share */
#define OUTPUT_SHARED_ROWS 5
/** OUTPUT_OWN_ROWS_MAX - most options that belong to one output each */
#define OUTPUT_OWN_ROWS_MAX 32

/** struct output_rows - memory for the rows of output_options() */
struct output_rows {
	struct option_row rows[SINK_KINDS_MAX + OUTPUT_OWN_ROWS_MAX + OUTPUT_SHARED_ROWS];
	size_t size;
};

/**
 * output_options - the options for a struct output_settings, from the list of outputs
 * @rows: filled; outlives the part
 * @offset: of the struct output_settings in the command's settings
 * @can_serve: also those of SINK_USE_SERVER
 */
struct option_part output_options(struct output_rows *rows, size_t offset, bool can_serve);

/** command_output_options - the options of the output of a command, for its settings at @offset */
struct option_part command_output_options(const char *name, size_t offset);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* ktrack record: its options. */
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

static int apply_output(void *settings, const char *value, struct error *error)
{
	struct record_settings *record = settings;

	record->path = value;
	if (strcmp(value, "-") != 0)
		return 0;
	return error_set(error, "--output=-: a trace.dat cannot be written to standard output; use "
				"'ktrack stream', or 'ktrack export' of a file");
}

static const struct option_row record_rows[] = {
	{ 0, "mode", "MODE",
	  "streaming (read continuously), circular (keep the newest records), oneshot (the oldest)",
	  capture_apply_mode, offsetof(struct record_settings, capture) },
	{ 'o', "output", "FILE", "write this file (default: trace.dat)", apply_output,
	  .needs_text = true },
	{ 0, "max-size", "SIZE", "stop at this size in KiB, or with k, M, G", NULL,
	  offsetof(struct record_settings, max_kib), .is_size = true },
	OPTION_RARE_FLAG("all", "record every tracepoint that exists", record_settings, takes_all),
	OPTION_RARE_FLAG("fail-on-loss", "exit with status 3 if records were lost", record_settings,
			 fails_on_loss),
};

static int record_main(int argc, char **argv, struct error *error)
{
	struct record_settings settings = { .path = RECORD_PATH };
	/* Parts of other files have no constant address, so the table is no constant. */
	struct option_table table = {
		.usage = "record [OPTION]... [-- COMMAND [ARGUMENT]...]",
		.about =
			"Records raw track events to a trace.dat without parsing them. 'ktrack "
			"export', trace-cmd and KernelShark open it. Stops when COMMAND ends, when "
			"the duration is over, or when Ctrl-C is pressed. Without -e and -r it "
			"records what 'export', 'stat' and 'why' need most: -r default; with "
			"--programs and without these, programs only.",
		.notes = CAPTURE_STATUS_NOTES("3 records were lost and --fail-on-loss is given"),
		.parts = { OPTION_ROWS(record_rows),
			   OPTION_PART(selection_options, struct record_settings,
				       capture.selection),
			   OPTION_PART(capture_options, struct record_settings, capture),
			   OPTION_PART(stack_options, struct record_settings, capture),
			   OPTION_PART(label_options, struct record_settings, capture.labels),
			   OPTION_PART(probe_options, struct record_settings, capture),
			   OPTION_PART(report_options, struct record_settings, capture.report) },
	};
	int status;

	capture_settings_init(&settings.capture, message_report());
	if (capture_options_read(&table, argc, argv, &settings, &settings.capture, &status, error))
		status = record_run(&settings, error);
	capture_settings_release(&settings.capture);
	return status;
}

const struct cli_command record_command = { "record", "record raw track events to a trace.dat",
					    record_main };

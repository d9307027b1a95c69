// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stream: its options. */
#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

#include <string.h>

static int apply_why(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	(void)error;
	why_settings_set_slice(&stream->why, value);
	stream->why.depth = WHY_DEPTH;
	stream->why.is_live = true;
	stream->why.is_here = true;
	stream->outputs.why = &stream->why;
	return 0;
}

static const struct option_row stream_rows[] = {
	{ 0, "mode", "MODE", "streaming (read continuously) or circular (keep the newest records)",
	  capture_apply_mode, offsetof(struct stream_settings, capture), .is_rare = true },
	{ 0, "session-every", "SECONDS",
	  "start a new session at this interval in seconds, or with a unit; not with COMMAND", NULL,
	  offsetof(struct stream_settings, session_ns), .time_problem = "an empty session",
	  .is_rare = true },
	{ 0, "why", "SLICE", "explain the slowest of these slices at the end", apply_why },
	{ 0, "folded", "FILE", "with --why: also write the parts of the slice for flame graphs",
	  option_store_text, offsetof(struct stream_settings, why.folded), .needs_text = true,
	  .is_rare = true },
};

static int stream_main(int argc, char **argv, struct error *error)
{
	struct stream_settings settings = { .outputs.suits_terminal = true, .argv = argv };
	struct output_rows rows;
	struct option_table table = {
		.usage = "stream [OPTION]... [-- COMMAND [ARGUMENT]...]",
		.about = "Exports track events live until COMMAND ends, the duration is over, or "
			 "Ctrl-C. Without -e and -r, all tracepoints of the track event convention "
			 "are recorded.",
		.notes = CAPTURE_STATUS_NOTES("3 records were lost and --fail-on-loss is given, or "
					      "a budget is undecided; 4 a budget is exceeded"),
		.parts = { OPTION_PART(selection_options, struct stream_settings,
				       capture.selection),
			   OPTION_PART(capture_options, struct stream_settings, capture),
			   OPTION_PART(stack_options, struct stream_settings, capture),
			   OPTION_PART(label_options, struct stream_settings, capture.labels),
			   OPTION_PART(probe_options, struct stream_settings, capture),
			   OPTION_ROWS(stream_rows),
			   output_options(&rows, offsetof(struct stream_settings, outputs), true),
			   OPTION_PART(session_retention_options, struct stream_settings,
				       outputs.retention),
			   OPTION_PART(budget_options, struct stream_settings, outputs.budgets),
			   OPTION_PART(limits_options, struct stream_settings, limits),
			   OPTION_PART(report_options, struct stream_settings, capture.report) },
	};
	int status;

	capture_settings_init(&settings.capture, message_report());
	if (capture_options_read(&table, argc, argv, &settings, &settings.capture, &status, error))
		status = stream_run(&settings, error);
	capture_settings_release(&settings.capture);
	return status;
}

const struct cli_command stream_command = { "stream", "record track events and export them live",
					    stream_main };

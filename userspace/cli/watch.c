// SPDX-License-Identifier: GPL-2.0-only
/* ktrack watch: its options. */
#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

static int apply_when(void *settings, const char *value, struct error *error)
{
	struct watch_settings *watch = settings;

	if (watch->nr_triggers == TRIGGERS_MAX)
		return error_set(error, "--when=%s: more than %d; leave out some", value,
				 TRIGGERS_MAX);
	watch->triggers[watch->nr_triggers++] = value;
	return 0;
}

static int apply_max_rate(void *settings, const char *value, struct error *error)
{
	struct watch_settings *watch = settings;

	if (count_parse(value, "recordings", &watch->max_rate, error) < 0)
		return -1;
	return watch->max_rate <= WATCH_RATE_MAX
		       ? 0
		       : error_set(error, "--max-rate=%s: more than %d in an hour", value,
				   WATCH_RATE_MAX);
}

static const struct option_row watch_rows[] = {
	{ 0, "when", "TRIGGER",
	  "save the time around it: 'SLICE > 50ms', 'COUNTER > 9', 'NAME if FIELD < 0', loss",
	  apply_when, .is_repeatable = true },
	{ 0, "keep", "SIZE", "memory for records in KiB, or with k, M, G (default: 64M)", NULL,
	  offsetof(struct watch_settings, keep_kib), .is_size = true },
	{ 0, "before", "TIME", "begin this long before the trigger (default: all in memory)", NULL,
	  offsetof(struct watch_settings, before_ns),
	  .time_problem = "leave it out to write all that is in memory" },
	{ 0, "after", "TIME", "end this long after the trigger (default: 5s)", NULL,
	  offsetof(struct watch_settings, after_ns), .time_problem = "" },
	{ 0, "dir", "DIRECTORY", "write recordings there (default: /var/lib/ktrack)",
	  option_store_text, offsetof(struct watch_settings, directory), .needs_text = true },
	{ 0, "max-rate", "N", "write at most this many in an hour (default: 60)", apply_max_rate,
	  .is_rare = true },
	{ 0, "hook", "PROGRAM", "run this with the path of each new recording", option_store_text,
	  offsetof(struct watch_settings, hook), .needs_text = true },
	{ 0, "persistent", "NAME", "also record into this instance, which survives a restart",
	  option_store_text, offsetof(struct watch_settings, persistent), .needs_text = true,
	  .is_rare = true },
};

static int watch_main(int argc, char **argv, struct error *error)
{
	struct watch_settings settings = { .keep_kib = WATCH_KEEP_KIB,
					   .after_ns = WATCH_AFTER_NS,
					   .directory = WATCH_DIRECTORY,
					   .retention = { .max_files = WATCH_FILES,
							  .max_kib = WATCH_SIZE_KIB,
							  .max_age_ns = WATCH_AGE_NS },
					   .max_rate = WATCH_RATE,
					   .argv = argv };
	struct option_table table = {
		.usage = "watch [OPTION]...",
		.about = "Keeps the newest records in memory, and writes a trace.dat of the time "
			 "around each trigger. Writes nothing while nothing fires. A slice fires "
			 "while it is still open. SIGUSR1 writes what is in memory now. Stops when "
			 "Ctrl-C is pressed.",
		.notes = "Exit status: 0 success; 1 ktrack failed; 2 wrong usage.",
		.operand = option_refuse_operand,
		.parts = { OPTION_ROWS(watch_rows),
			   OPTION_PART(recording_retention_options, struct watch_settings,
				       retention),
			   OPTION_PART(selection_options, struct watch_settings, capture.selection),
			   OPTION_PART(watch_capture_options, struct watch_settings, capture),
			   OPTION_PART(stack_options, struct watch_settings, capture),
			   OPTION_PART(label_options, struct watch_settings, capture.labels),
			   OPTION_PART(probe_options, struct watch_settings, capture),
			   OPTION_PART(limits_options, struct watch_settings, limits),
			   OPTION_PART(report_options, struct watch_settings, capture.report) },
	};
	int operand, status;

	capture_settings_init(&settings.capture, message_report());
	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = watch_run(&settings, error);
	capture_settings_release(&settings.capture);
	return status;
}

const struct cli_command watch_command = {
	"watch", "keep the newest records, and save those around triggers", watch_main
};

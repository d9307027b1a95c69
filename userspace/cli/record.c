// SPDX-License-Identifier: GPL-2.0-only
/* ktrack record: its options. */
#include "cli/record.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/quantity.h"

static int apply_output(void *settings, const char *value, struct error *error)
{
	struct record_settings *record = settings;

	record->path = value;
	if (strcmp(value, "-") == 0)
		return error_set(error, "a trace.dat is put together in a folder, not on standard "
					"output; 'ktrack stream' writes there, or 'ktrack export' "
					"of the file");
	return *value ? 0 : error_set(error, "--output= names no file");
}

static int apply_max_size(void *settings, const char *value, struct error *error)
{
	struct record_settings *record = settings;

	return size_kib_parse(value, &record->max_kib, error);
}

static int apply_mode(void *settings, const char *value, struct error *error)
{
	struct record_settings *record = settings;

	return capture_apply_mode(&record->capture, value, error);
}

static const struct option_row record_rows[] = {
	{ 0, "mode", "MODE",
	  "streaming (read all the time), circular (keep the last), oneshot (keep the first)",
	  apply_mode },
	{ 'o', "output", "FILE", "the file to make (trace.dat)", apply_output },
	{ 0, "max-size", "SIZE", "end once there is so much; a number of KiB, or with k, M, G",
	  apply_max_size },
	OPTION_FLAG("fail-on-loss", "exit with 3 where records were lost", record_settings,
		    fails_on_loss),
};

static const struct option_part record_options = {
	.rows = record_rows,
	.nr_rows = sizeof(record_rows) / sizeof(record_rows[0]),
};

/* The parts are in other files, so that the table cannot be a constant. */
static struct option_table record_table(void)
{
	struct option_table table = {
		.usage = "record [OPTION]... [-- COMMAND [ARGUMENT]...]",
		.about = "Records track events at the lowest cost, into a trace.dat for 'ktrack "
			 "export', trace-cmd and KernelShark,\n"
			 "until the command ends, the duration is over, or Ctrl-C. Without -e it "
			 "records every tracepoint that\n"
			 "follows the track event convention.",
		.notes = "The exit status is the command's; 125 where ktrack fails, 126 or 127 "
			 "where the command cannot run.\n"
			 "Without a command it is 0, or 1 where ktrack fails. 2 stands for wrong "
			 "usage.",
		.parts = { record_options, selection_options, capture_options },
	};

	table.parts[1].offset = offsetof(struct record_settings, capture.selection);
	table.parts[2].offset = offsetof(struct record_settings, capture);
	return table;
}

static int record_check(const struct record_settings *settings, struct error *error)
{
	const struct capture_settings *capture = &settings->capture;

	if (settings->max_kib > 0 && capture->recorder.mode->is_read_at_end)
		return error_set(error,
				 "--max-size bounds a file that is written all the time; with "
				 "--mode=%s it is as large as the buffers at most, which -b says",
				 capture->recorder.mode->name);
	if (capture->instance && capture->selection.nr_options > 0)
		return error_set(error,
				 "-e chooses what is recorded, and --instance leaves that as it "
				 "is; 'ktrack export -e' chooses of the file");
	return capture_check_instance(capture, error);
}

static int record_start(struct record_settings *settings, const struct option_table *table,
			int argc, char **argv, int operand, struct error *error)
{
	if (capture_take_command(&settings->capture, table, argc, argv, operand, error) < 0 ||
	    record_check(settings, error) < 0)
		return STATUS_USAGE;
	return record_run(settings, error);
}

static int record_main(int argc, char **argv, struct error *error)
{
	struct record_settings settings = { .capture = CAPTURE_DEFAULTS, .path = RECORD_PATH };
	struct option_table table = record_table();
	int operand, status;

	settings.capture.recorder.keeps_modules = true;
	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = record_start(&settings, &table, argc, argv, operand, error);
	capture_settings_release(&settings.capture);
	return status;
}

const struct cli_command record_command = {
	.name = "record",
	.summary = "record track events into a file, raw",
	.run = record_main,
};

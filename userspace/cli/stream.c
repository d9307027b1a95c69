// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stream: its options. */
#include "cli/stream.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "source/source.h"

static int apply_session_every(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	if (time_duration_parse(value, &stream->session_ns, error) < 0)
		return -1;
	return stream->session_ns > 0 ? 0 : error_set(error, "a session of 0 holds nothing");
}

static int apply_mode(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	return capture_apply_mode(&stream->capture, value, error);
}

static const struct option_row stream_rows[] = {
	{ 0, "mode", "MODE", "streaming (read all the time) or circular (keep the last)",
	  apply_mode },
	{ 0, "session-every", "SECONDS", "end the session so often, and begin the next one",
	  apply_session_every },
};

static const struct option_part stream_options = {
	.rows = stream_rows,
	.nr_rows = sizeof(stream_rows) / sizeof(stream_rows[0]),
};

/* The parts are in other files, so that the table cannot be a constant. */
static struct option_table stream_table(void)
{
	struct option_table table = {
		.usage = "stream [OPTION]... [-- COMMAND [ARGUMENT]...]",
		.about = "Records track events and exports them while they happen, until the "
			 "command ends, the duration is over,\n"
			 "or Ctrl-C. Without -e it records every tracepoint that follows the track "
			 "event convention.",
		.notes = "The exit status is the command's; 125 where ktrack fails, 126 or 127 "
			 "where the command cannot run.\n"
			 "Without a command it is 0, or 1 where ktrack fails. 2 stands for wrong "
			 "usage.",
		.parts = { selection_options, capture_options, stream_options, outputs_options,
			   pictures_options, bounds_options },
	};

	table.parts[0].offset = offsetof(struct stream_settings, capture.selection);
	table.parts[1].offset = offsetof(struct stream_settings, capture);
	table.parts[3].offset = offsetof(struct stream_settings, outputs);
	table.parts[4].offset = offsetof(struct stream_settings, outputs.pictures);
	table.parts[5].offset = offsetof(struct stream_settings, bounds);
	return table;
}

/*
 * Records are put into the order of time while they come, by a clock that tells when all up to a
 * moment are there.
 */
static int capture_check(const struct capture_settings *settings, struct error *error)
{
	clockid_t clock;

	if (!source_clock_find(settings->recorder.clock, &clock))
		return error_set(error,
				 "'%s' is no clock that can be streamed; write boot, mono, "
				 "mono_raw or tai",
				 settings->recorder.clock);
	if (!settings->recorder.mode->overwrites)
		return error_set(error,
				 "a stream has the youngest records; %s is for ktrack record",
				 settings->recorder.mode->name);
	return 0;
}

static int outputs_check(const struct outputs *outputs, struct error *error)
{
	if (outputs->sid && strcmp(outputs->sid, "recording") == 0)
		return error_set(
			error,
			"--sid=recording is for ktrack export: a live recording happens only once");
	return 0;
}

/* What there can be only one of. */
static int sessions_check(const struct stream_settings *settings, struct error *error)
{
	if (settings->session_ns == 0)
		return 0;
	if (settings->outputs.sid)
		return error_set(error, "--sid names one session, --session-every makes several");
	if (pictures_are_named(&settings->outputs.pictures))
		return error_set(error, "--session-every is for lines; a file for a viewer holds "
					"one session");
	if (settings->capture.recorder.mode->is_read_at_end)
		return error_set(error, "--session-every is for what is read all the time");
	if (settings->capture.command)
		return error_set(error, "--session-every is for recordings without a command, "
					"which runs in one session");
	return 0;
}

static int stream_start(struct stream_settings *settings, const struct option_table *table,
			int argc, char **argv, int operand, struct error *error)
{
	if (capture_take_command(&settings->capture, table, argc, argv, operand, error) < 0 ||
	    capture_check_instance(&settings->capture, error) < 0 ||
	    capture_check(&settings->capture, error) < 0 ||
	    outputs_check(&settings->outputs, error) < 0 || sessions_check(settings, error) < 0)
		return STATUS_USAGE;
	return stream_run(settings, error);
}

static int stream_main(int argc, char **argv, struct error *error)
{
	struct stream_settings settings = {
		.capture = CAPTURE_DEFAULTS,
		.argv = argv,
	};
	struct option_table table = stream_table();
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = stream_start(&settings, &table, argc, argv, operand, error);
	capture_settings_release(&settings.capture);
	outputs_release(&settings.outputs);
	return status;
}

const struct cli_command stream_command = {
	.name = "stream",
	.summary = "record track events and export them while they happen",
	.run = stream_main,
};

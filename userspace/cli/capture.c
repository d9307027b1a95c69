// SPDX-License-Identifier: GPL-2.0-only
/* The options of what is recorded and until when. */
#include "cli/capture.h"

#include <string.h>

#include "cli/quantity.h"
#include "cli/ready.h"

int capture_apply_duration(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	if (time_duration_parse(value, &capture->duration_ns, error) < 0)
		return -1;
	return capture->duration_ns > 0 ? 0 : error_set(error, "a duration of 0 records nothing");
}

int capture_apply_buffer(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--buffer-size";
	return size_kib_parse(value, &capture->recorder.buffer_kib, error);
}

int capture_apply_ready(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	return ready_fd_parse(value, &capture->ready_fd, error);
}

int capture_apply_mode(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--mode";
	capture->recorder.mode = recorder_mode_find(value);
	if (capture->recorder.mode)
		return 0;
	return error_set(error, "'%s' is no mode; write streaming, circular or oneshot", value);
}

static int apply_clock(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	(void)error;
	capture->setting = "--clock";
	capture->recorder.clock = value;
	return 0;
}

static int apply_filter(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--filter";
	return selection_set_filter(&capture->selection, value, error);
}

static int apply_cpus(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->setting = "--cpu";
	capture->has_cpus = true;
	return cpu_list_parse(value, &capture->cpus, error);
}

static int apply_user(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	command_user_release(&capture->user);
	return command_user_find(&capture->user, value, error);
}

static int apply_instance(void *settings, const char *value, struct error *error)
{
	struct capture_settings *capture = settings;

	capture->instance = value;
	if (*value && *value != '.' && !strchr(value, '/'))
		return 0;
	return error_set(error, "'%s' is no name of a tracing instance", value);
}

static const struct option_row rows[] = {
	{ 0, "instance", "NAME", "read this tracing instance, and leave it as it is set up",
	  apply_instance },
	{ 0, "filter", "EXPRESSION", "of what the -e before it names only records that meet this",
	  apply_filter, .is_repeatable = true },
	OPTION_FLAG("wait", "also with -e for what is not there yet: it is recorded once it comes",
		    capture_settings, selection.waits),
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, s, m, h",
	  capture_apply_duration },
	{ 'b', "buffer-size", "SIZE", "ring buffer for each CPU (1024); also with k, M, G",
	  capture_apply_buffer },
	{ 0, "clock", "CLOCK", "what records are stamped with (boot); mono, mono_raw, tai",
	  apply_clock },
	{ 0, "cpu", "LIST", "only what is written on these CPUs, as in 0,2-3", apply_cpus },
	OPTION_FLAG("pid", "only what the command and its children write", capture_settings,
		    follows_command),
	{ 0, "ready-fd", "N", "write a line to this descriptor once recording is on",
	  capture_apply_ready },
	{ 0, "user", "[=NAME]", "run the command as this user, or as the one behind sudo",
	  apply_user },
};

const struct option_part capture_options = {
	.rows = rows,
	.nr_rows = sizeof(rows) / sizeof(rows[0]),
};

int capture_take_command(struct capture_settings *settings, const struct option_table *table,
			 int argc, char **argv, int operand, struct error *error)
{
	const char *before = argv[operand - 1];

	if (operand == argc && strcmp(before, "--") == 0)
		return error_set(error, "no command behind --");
	if (operand == argc && (settings->follows_command || settings->user.name))
		return error_set(error, "--pid and --user are about a command, and there is none");
	if (operand == argc)
		return 0;
	if (option_may_have_value(table, before))
		return error_set(error,
				 "is '%s' a value or a command? Write %s=%s, or -- before it",
				 argv[operand], before, argv[operand]);
	settings->command = argv + operand;
	return 0;
}

int capture_check_instance(const struct capture_settings *settings, struct error *error)
{
	const char *setting = settings->follows_command	  ? "--pid"
			      : settings->selection.waits ? "--wait"
							  : settings->setting;

	if (!settings->instance || !setting)
		return 0;
	return error_set(error,
			 "%s says how an instance is to be, and --instance leaves one as it is",
			 setting);
}

void capture_settings_release(struct capture_settings *settings)
{
	selection_release(&settings->selection);
	command_user_release(&settings->user);
}

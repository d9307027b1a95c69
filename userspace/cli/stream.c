// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stream: its options. */
#include "cli/stream.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/quantity.h"

int stream_apply_duration(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	if (time_duration_parse(value, &stream->duration_ns, error) < 0)
		return -1;
	return stream->duration_ns > 0 ? 0 : error_set(error, "a duration of 0 records nothing");
}

int stream_apply_buffer(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	return size_kib_parse(value, &stream->buffer_kib, error);
}

static int apply_cpus(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	stream->has_cpus = true;
	return cpu_list_parse(value, &stream->cpus, error);
}

static int apply_user(void *settings, const char *value, struct error *error)
{
	struct stream_settings *stream = settings;

	command_user_release(&stream->user);
	return command_user_find(&stream->user, value, error);
}

static const struct option_row stream_rows[] = {
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, s, m, h",
	  stream_apply_duration },
	{ 'b', "buffer", "SIZE", "ring buffer for each CPU (1024); also with k, M, G",
	  stream_apply_buffer },
	{ 0, "cpu", "LIST", "only what is written on these CPUs, as in 0,2-3", apply_cpus },
	OPTION_FLAG("pid", "only what the command and its children write", stream_settings,
		    follows_command),
	{ 0, "user", "[=NAME]", "run the command as this user, or as the one behind sudo",
	  apply_user },
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
		.parts = { selection_options, stream_options, outputs_options, pictures_options },
	};

	table.parts[0].offset = offsetof(struct stream_settings, selection);
	table.parts[2].offset = offsetof(struct stream_settings, outputs);
	table.parts[3].offset = offsetof(struct stream_settings, outputs.pictures);
	return table;
}

/* The command's words; a word that may be meant for an option is none. */
static int command_take(struct stream_settings *settings, const struct option_table *table,
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

static int outputs_check(const struct outputs *outputs, struct error *error)
{
	if (outputs->sid && strcmp(outputs->sid, "recording") == 0)
		return error_set(
			error,
			"--sid=recording is for ktrack export: a live recording happens only once");
	return 0;
}

static int stream_start(struct stream_settings *settings, const struct option_table *table,
			int argc, char **argv, int operand, struct error *error)
{
	if (command_take(settings, table, argc, argv, operand, error) < 0 ||
	    outputs_check(&settings->outputs, error) < 0)
		return STATUS_USAGE;
	return stream_run(settings, error);
}

static int stream_main(int argc, char **argv, struct error *error)
{
	struct stream_settings settings = {
		.buffer_kib = STREAM_BUFFER_KIB,
		.argv = argv,
	};
	struct option_table table = stream_table();
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = stream_start(&settings, &table, argc, argv, operand, error);
	selection_release(&settings.selection);
	command_user_release(&settings.user);
	outputs_release(&settings.outputs);
	return status;
}

const struct cli_command stream_command = {
	.name = "stream",
	.summary = "record track events and export them while they happen",
	.run = stream_main,
};

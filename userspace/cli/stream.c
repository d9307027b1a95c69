// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stream: its options. */
#include "cli/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"

#define BUFFER_KIB_MAX (64 * 1024 * 1024)

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
	bool is_number = *value && !value[strspn(value, "0123456789")];

	errno = 0;
	stream->buffer_kib = strtoull(value, NULL, 10);
	if (!is_number || errno || stream->buffer_kib == 0 || stream->buffer_kib > BUFFER_KIB_MAX)
		return error_set(
			error, "'%s' is no buffer size; write a number of KiB for each CPU", value);
	return 0;
}

static const struct option_row stream_rows[] = {
	{ 'd', "duration", "SECONDS", "stop after this time; also with ms, s, m, h",
	  stream_apply_duration },
	{ 'b', "buffer", "KIB", "ring buffer for each CPU (1024)", stream_apply_buffer },
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

static int stream_main(int argc, char **argv, struct error *error)
{
	struct stream_settings settings = {
		.buffer_kib = STREAM_BUFFER_KIB,
		.argv = argv,
	};
	struct option_table table = stream_table();
	int operand, status;

	switch (options_parse(&table, argc, argv, &settings, &operand, error)) {
	case OPTIONS_HELPED:
		status = STATUS_DONE;
		break;
	case OPTIONS_READ:
		if (operand < argc)
			settings.command = argv + operand;
		status = stream_run(&settings, error);
		break;
	default:
		status = STATUS_USAGE;
	}
	selection_release(&settings.selection);
	outputs_release(&settings.outputs);
	return status;
}

const struct cli_command stream_command = {
	.name = "stream",
	.summary = "record track events and export them while they happen",
	.run = stream_main,
};

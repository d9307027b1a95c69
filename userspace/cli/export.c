// SPDX-License-Identifier: GPL-2.0-only
/* ktrack export: its options. */
#include "cli/export.h"

#include "cli/cli.h"
#include "cli/option.h"

/* What every row of the table does: give the value to the part of the settings that it is about. */
#define APPLY(name, part, function)                                                           \
	static int apply_##name(void *settings, const char *value, struct error *error)       \
	{                                                                                     \
		struct export_settings *export = settings;                                    \
											      \
		return function(&export->part, value, error);                                 \
	}

APPLY(tracepoint, selection, selection_add)
APPLY(event, outputs, outputs_apply_event)
APPLY(with, outputs, outputs_apply_with)
APPLY(sid, outputs, outputs_apply_sid)
APPLY(track, filter, filter_apply_track)
APPLY(buffer, filter, filter_apply_buffer)
APPLY(cpu, filter, filter_apply_cpu)
APPLY(pid, filter, filter_apply_pid)
APPLY(from, filter, filter_apply_from)
APPLY(to, filter, filter_apply_to)
APPLY(append, outputs, outputs_apply_append)

static int apply_wall_clock(void *settings, const char *value, struct error *error)
{
	struct export_settings *export = settings;

	export->has_wall_clock = true;
	return time_wall_parse(value, &export->wall_clock_ns, error);
}

static int apply_fail_on_loss(void *settings, const char *value, struct error *error)
{
	struct export_settings *export = settings;

	(void)value;
	(void)error;
	export->fails_on_loss = true;
	return 0;
}

static const struct option_row export_rows[] = {
	{ 'e', "tracepoint", "SYS[:EVENT]", "only these; wildcards allowed, may be repeated", apply_tracepoint },
	{ 0, "event", "[=TARGET]", "write trace2 EVENT lines to - (standard output, the default) or a path",
	  apply_event },
	{ 0, "append", NULL, "add to what the file holds", apply_append },
	{ 0, "with", "WHAT", "tell with each record who wrote it: tid, cpu, comm, or several with commas", apply_with },
	{ 0, "track", "PATTERN", "only tracks of this name; wildcards allowed", apply_track },
	{ 0, "cpu", "N", "only records of this CPU", apply_cpu },
	{ 0, "pid", "N", "only records that this thread wrote", apply_pid },
	{ 0, "buffer", "NAME", "only records of this buffer", apply_buffer },
	{ 0, "from", "SECONDS", "only from this time on, since the first record; also with ms, s, m, h", apply_from },
	{ 0, "to", "SECONDS", "only up to this time", apply_to },
	{ 0, "sid", "TEXT", "the session's id; 'recording' makes one of the recording", apply_sid },
	{ 0, "wall-clock", "TIME", "when the first record was written: YYYY-MM-DDThh:mm:ssZ, or seconds since 1970",
	  apply_wall_clock },
	{ 0, "fail-on-loss", NULL, "exit with 3 where records were lost", apply_fail_on_loss },
};

static const struct option_table export_table = {
	.usage = "export [OPTION]... SOURCE",
	.about = "Exports recorded track events. SOURCE is a trace.dat as trace-cmd writes it, - for one on standard input, or\n"
		 "tracefs[:INSTANCE] for what that instance's buffers hold now, which is consumed by that.",
	.rows = export_rows,
	.nr_rows = sizeof(export_rows) / sizeof(export_rows[0]),
};

static int export_start(struct export_settings *settings, int argc, char **argv, int operand, struct error *error)
{
	if (operand + 1 == argc) {
		settings->source = argv[operand];
		return export_run(settings, error);
	}
	if (operand == argc)
		error_set(error, "a source is missing; see 'ktrack export --help'");
	else
		error_set(error, "'%s' is one word too many; see 'ktrack export --help'", argv[operand + 1]);
	return STATUS_USAGE;
}

static int export_main(int argc, char **argv, struct error *error)
{
	struct export_settings settings = { .outputs.event_target = "-", .argv = argv };
	int operand, status;

	switch (options_parse(&export_table, argc, argv, &settings, &operand, error)) {
	case OPTIONS_HELPED:
		status = STATUS_DONE;
		break;
	case OPTIONS_READ:
		status = export_start(&settings, argc, argv, operand, error);
		break;
	default:
		status = STATUS_USAGE;
	}
	selection_release(&settings.selection);
	return status;
}

const struct cli_command export_command = {
	.name = "export",
	.summary = "export recorded track events",
	.run = export_main,
};

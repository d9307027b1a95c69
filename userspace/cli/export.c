// SPDX-License-Identifier: GPL-2.0-only
/* ktrack export: its options. */
#include "cli/export.h"

#include "cli/cli.h"
#include "cli/option.h"

static int apply_wall_clock(void *settings, const char *value, struct error *error)
{
	struct export_settings *export = settings;

	export->has_wall_clock = true;
	return time_wall_parse(value, &export->wall_clock_ns, error);
}

static struct option_table export_table(void);

/* Returns the option before the source where that may have been meant for the option's value. */
static const char *option_before_source(const struct export_settings *export)
{
	struct option_table table = export_table();

	for (char *const *word = export->argv; word[0] && word[1]; word++) {
		if (word[1] == export->source && option_may_have_value(&table, word[0]))
			return word[0];
	}
	return NULL;
}

static int apply_save(void *settings, const char *value, struct error *error)
{
	struct export_settings *export = settings;

	export->save = value;
	return *value ? 0 : error_set(error, "--save= names no file");
}

static int apply_source(void *settings, const char *word, struct error *error)
{
	struct export_settings *export = settings;
	const char *option = export->source ? option_before_source(export) : NULL;

	if (option)
		return error_set(error, "'%s' stands for the source; as a value it is %s=%s",
				 export->source, option, export->source);
	if (export->source)
		return error_set(error, "unexpected argument '%s'; see 'ktrack export --help'",
				 word);
	export->source = word;
	return 0;
}

static const struct option_row export_rows[] = {
	{ 0, "wall-clock", "TIME",
	  "when the first record was written: YYYY-MM-DDThh:mm:ssZ, or seconds since 1970",
	  apply_wall_clock },
	{ 0, "save", "FILE", "of tracefs: first keep the raw records, as a trace.dat", apply_save },
};

static const struct option_part export_options = {
	.rows = export_rows,
	.nr_rows = sizeof(export_rows) / sizeof(export_rows[0]),
};

/* The parts are in other files, so that the table cannot be a constant. */
static struct option_table export_table(void)
{
	struct option_table table = {
		.usage = "export [OPTION]... SOURCE",
		.about = "Exports recorded track events. SOURCE is a trace.dat as trace-cmd writes "
			 "it, - for one on standard\n"
			 "input, or tracefs[:INSTANCE] for what that instance's buffers hold now, "
			 "which is consumed by that.",
		.operand = apply_source,
		.parts = { selection_options, filter_options, outputs_options, pictures_options,
			   bounds_options, export_options },
	};

	table.parts[0].offset = offsetof(struct export_settings, selection);
	table.parts[1].offset = offsetof(struct export_settings, filter);
	table.parts[2].offset = offsetof(struct export_settings, outputs);
	table.parts[3].offset = offsetof(struct export_settings, outputs.pictures);
	table.parts[4].offset = offsetof(struct export_settings, bounds);
	return table;
}

static int export_start(struct export_settings *settings, struct error *error)
{
	if (settings->source)
		return export_run(settings, error);
	error_set(error, "a source is missing; see 'ktrack export --help'");
	return STATUS_USAGE;
}

static int export_main(int argc, char **argv, struct error *error)
{
	struct export_settings settings = { .argv = argv };
	struct option_table table = export_table();
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = export_start(&settings, error);
	selection_release(&settings.selection);
	outputs_release(&settings.outputs);
	return status;
}

const struct cli_command export_command = {
	.name = "export",
	.summary = "export recorded track events",
	.run = export_main,
};

// SPDX-License-Identifier: GPL-2.0-only
/* ktrack export: its options. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option_parts.h"

static int apply_wall_clock(void *settings, const char *value, struct error *error)
{
	struct export_settings *export = settings;

	export->has_wall_clock = true;
	return time_wall_parse(value, &export->wall_clock_ns, error);
}

static struct option_table export_table(struct output_rows *rows);

/* Of several sources, a word that may be the value of the option before it has to be a file. */
static int source_check(const struct export_settings *export, const char *source,
			struct error *error)
{
	struct output_rows rows;
	struct option_table table = export_table(&rows);

	for (char *const *word = export->argv; word[0] && word[1]; word++) {
		if (word[1] == source && option_may_have_value(&table, word[0]) &&
		    access(source, F_OK) < 0)
			return error_set(error,
					 "'%s': taken as the source; as a value, write %s=%s",
					 source, word[0], source);
	}
	return 0;
}

static int apply_source(void *settings, const char *word, struct error *error)
{
	struct export_settings *export = settings;

	for (size_t i = 0; i < export->nr_sources; i++) {
		if (source_check(export, export->sources[i], error) < 0)
			return -1;
		if (strcmp(export->sources[i], word) == 0)
			return error_set(error, "'%s': the source is given twice", word);
	}
	if (export->nr_sources == TIMELINE_MACHINES_MAX)
		return error_set(error, "'%s': more than %d sources; leave out some", word,
				 TIMELINE_MACHINES_MAX);
	export->sources[export->nr_sources++] = word;
	return export->nr_sources > 1 ? source_check(export, word, error) : 0;
}

static const struct option_row export_rows[] = {
	{ 0, "wall-clock", "TIME",
	  "time of the first record: YYYY-MM-DDThh:mm:ssZ, or seconds since 1970", apply_wall_clock,
	  .is_rare = true },
	{ 0, "save", "FILE",
	  "save the raw records of tracefs, or of --from and --to, to this trace.dat",
	  option_store_text, offsetof(struct export_settings, save), .needs_text = true,
	  .is_rare = true },
};

static struct option_table export_table(struct output_rows *rows)
{
	return (struct option_table){
		.usage = "export [OPTION]... SOURCE...",
		.about = "Exports recorded track events. SOURCE is a trace.dat (from ktrack or "
			 "trace-cmd), text of ftrace, '-' (one of these on standard input), or "
			 "tracefs[:INSTANCE] (the buffers of a tracing instance; reading empties "
			 "them). Several files are merged by wall-clock time, each as a machine. "
			 "Without -e and -r, what ktrack selected for the file is shown, and of "
			 "other files all that they have.",
		.notes =
			"Exit status: 0 success; 1 ktrack failed or the source is damaged; 2 wrong "
			"usage; 3 records were lost (only with --fail-on-loss).",
		.operand = apply_source,
		.parts = { OPTION_PART(selection_options, struct export_settings, selection),
			   OPTION_PART(stored_options, struct export_settings, selection),
			   OPTION_PART(filter_options, struct export_settings, filter),
			   output_options(rows, offsetof(struct export_settings, outputs), false),
			   OPTION_PART(session_retention_options, struct export_settings,
				       outputs.retention),
			   OPTION_PART(limits_options, struct export_settings, limits),
			   OPTION_PART(input_options, struct export_settings, limits),
			   OPTION_PART(label_options, struct export_settings, labels),
			   OPTION_ROWS(export_rows),
			   OPTION_PART(report_options, struct export_settings, report) },
	};
}

/* A source may have been taken for the file of an output. */
static void export_refuse_nothing(const struct output_settings *outputs, struct error *error)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const char *target = outputs->targets[i];
		size_t size = target ? strlen(target) : 0;

		if (size >= 4 && strcmp(target + size - 4, ".dat") == 0) {
			error_set(error,
				  "a source is missing: %s is the file that --%s writes; name the "
				  "source behind it",
				  target, sink_kinds[i]->name);
			return;
		}
	}
	error_set(error, "a source is missing, for example trace.dat; see 'ktrack export --help'");
}

static int export_main(int argc, char **argv, struct error *error)
{
	struct export_settings settings = { .argv = argv, .report = message_report() };
	struct output_rows rows;
	struct option_table table = export_table(&rows);
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error)) {
		status = STATUS_USAGE;
		if (settings.nr_sources > 0)
			status = export_run(&settings, error);
		else
			export_refuse_nothing(&settings.outputs, error);
	}
	selection_release(&settings.selection);
	buffer_release(&settings.labels);
	return status;
}

const struct cli_command export_command = { "export", "export recorded track events", export_main };

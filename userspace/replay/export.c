// SPDX-License-Identifier: GPL-2.0-only
/* ktrack export: delivers the records of one source, or of several machines, to the outputs. */
#include <stdlib.h>

#include "output/output.h"
#include "reader/reader.h"
#include "replay/machines.h"
#include "replay/replay.h"

/**
 * struct export_run - state of a run
 * @parts: its sources, @size of them are opened or failed to
 * @files: those that are read
 * @machines: merges several; NULL for one
 */
struct export_run {
	struct export_settings *settings;
	const struct report *report;
	struct outputs outputs;
	struct export_part *parts;
	size_t size;
	const char *files[TIMELINE_MACHINES_MAX];
	struct machines *machines;
	struct identity identity;
};

static struct timeline *export_run_timeline(struct export_run *run)
{
	return run->machines ? &run->machines->join.timeline : &run->parts[0].pipeline.timeline;
}

static int export_run_identify(struct export_run *run, struct error *error)
{
	const char *sid = run->settings->outputs.sid;

	if (sid && strcmp(sid, "recording") == 0)
		sid = run->machines ? run->machines->id : run->parts[0].recording.id;
	return identity_init(&run->identity, "export", sid, error);
}

static struct pipeline_counts export_run_counts(const struct export_run *run)
{
	struct pipeline_counts sums = { 0 };

	for (size_t i = 0; i < run->size; i++)
		pipeline_add_counts(&run->parts[i].pipeline, &sums);
	return sums;
}

static struct output_losses export_run_losses(const struct export_run *run)
{
	const struct pipeline_counts counts = export_run_counts(run);

	return pipeline_counts_losses(&counts);
}

static const char *export_run_damage(const struct export_run *run)
{
	for (size_t i = 0; i < run->size; i++) {
		if (source_damage(run->parts[i].source))
			return source_damage(run->parts[i].source);
	}
	return NULL;
}

static int export_run_status(const struct export_run *run)
{
	const struct output_losses losses = export_run_losses(run);

	for (size_t i = 0; i < run->size; i++) {
		if (export_part_is_damaged(&run->parts[i]))
			return STATUS_FAILED;
	}
	return outputs_status(&run->outputs, &losses);
}

/* Tables, explanations and results of queries are printed at the end, all other lines at once. */
static bool export_run_prints_at_end(const struct export_run *run)
{
	const struct output_settings *outputs = &run->settings->outputs;

	return outputs->stat || outputs->why || outputs->query;
}

static void export_run_append_next(const struct export_run *run, struct buffer *out)
{
	const struct export_settings *settings = run->settings;

	if (closing_append_view(out, &settings->outputs))
		return;
	if (!export_part_is_of_file(&run->parts[0]))
		buffer_append_string(out, "'ktrack record' keeps records in a file");
	else if (export_run_prints_at_end(run))
		closing_append_command(out, "export --html=page.html", &settings->selection,
				       settings->sources[0]);
	else
		closing_append_command(out, "stat", &settings->selection, settings->sources[0]);
}

static void export_run_report_end(const struct export_run *run)
{
	const struct pipeline_counts counts = export_run_counts(run);
	const char *title = run->machines ? run->machines->recording.source
					  : export_part_title(&run->parts[0]);
	struct buffer next = { 0 };

	export_run_append_next(run, &next);
	pipeline_report_end(&counts, &run->settings->outputs, title, buffer_string(&next),
			    run->report);
	buffer_release(&next);
}

static void export_run_begin_progress(struct export_run *run)
{
	const struct report *report = run->report;

	if (run->outputs.set.has_terminal && !export_run_prints_at_end(run))
		report = NULL;
	for (size_t i = 0; i < run->size; i++) {
		struct export_part *part = &run->parts[i];

		source_set_progress(part->source,
				    transfer_begin(&part->transfer, report, export_part_title(part),
						   &part->pipeline.nr_events));
	}
}

static void export_run_end_progress(struct export_run *run)
{
	for (size_t i = 0; i < run->size; i++) {
		source_set_progress(run->parts[i].source, NULL);
		transfer_end(&run->parts[i].transfer);
	}
}

/* Delivers all records, also those before damage. */
static int export_run_read(struct export_run *run, struct error *error)
{
	export_run_begin_progress(run);
	if ((run->machines ? machines_read(run->machines, error)
			   : export_part_read_rest(&run->parts[0], error)) < 0)
		return -1;
	if (export_run_prints_at_end(run))
		export_run_end_progress(run);
	else
		transfer_note(&run->parts[0].transfer, "writing the rest");
	return 0;
}

static void export_run_report(struct export_run *run)
{
	const struct output_settings *outputs = &run->settings->outputs;
	bool is_failure = outputs->fails_on_loss && export_run_status(run) == STATUS_LOST;

	/* Damage is reported instead, because it is worse. */
	if (!run->machines && output_settings_show_time(outputs) && !export_run_damage(run))
		wall_clock_check(&run->parts[0].recording, false, run->report);
	for (size_t i = 0; i < run->size; i++) {
		clock_order_check(&run->parts[i].recording, run->report);
		export_part_report_loss(&run->parts[i], is_failure);
		export_part_report_empty(&run->parts[i]);
	}
	if (run->machines)
		machines_report(run->machines, run->report);
}

static int export_run_finish(struct export_run *run, struct error *error)
{
	const struct output_losses losses = export_run_losses(run);
	int status = export_run_status(run);

	if (run->machines)
		status = join_finish(&run->machines->join, status, error);
	else
		status = export_part_finish(&run->parts[0], status, error);
	if (status < 0 || timeline_flush(export_run_timeline(run), error) < 0)
		return -1;
	export_run_end_progress(run);
	export_run_report(run);
	return outputs_report_budgets(&run->outputs, &losses, error);
}

/* Of several sources, one may have what another does not have. */
static int export_run_check_selection(const struct export_run *run, struct error *error)
{
	const struct selection **selections = calloc(run->size, sizeof(*selections));
	int status;

	if (!selections)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < run->size; i++)
		selections[i] = run->parts[i].selection;
	status = selections_check(selections, run->size, error);
	free(selections);
	return status;
}

static int export_run_merge(struct export_run *run, struct error *error)
{
	if (run->settings->nr_sources == 1)
		return 0;
	run->machines = calloc(1, sizeof(*run->machines));
	if (!run->machines)
		return error_set(error, "out of memory");
	return export_run_check_selection(run, error) < 0
		       ? -1
		       : machines_prepare(run->machines, run->parts, run->size, error);
}

static int export_run_open(struct export_run *run, struct error *error)
{
	run->parts = calloc(run->settings->nr_sources, sizeof(*run->parts));
	if (!run->parts)
		return error_set(error, "out of memory");
	while (run->size < run->settings->nr_sources) {
		struct export_part *part = &run->parts[run->size];

		if (export_part_open(part, run->settings, run->size++, error) < 0)
			return -1;
	}
	return export_run_merge(run, error);
}

static int export_run_begin(struct export_run *run, struct error *error)
{
	if (run->machines)
		return machines_begin(run->machines, error);
	if (export_part_find_start(&run->parts[0], error) < 0)
		return -1;
	return export_part_begin(&run->parts[0], error);
}

static int export_run_all(struct export_run *run, struct error *error)
{
	if (export_run_open(run, error) < 0 || export_run_identify(run, error) < 0)
		return -1;
	for (size_t i = 0; i < run->size; i++)
		run->files[i] = export_part_file(&run->parts[i]);
	run->outputs.set.sources = run->files;
	run->outputs.set.nr_sources = run->size;
	if (outputs_open(&run->outputs, export_run_timeline(run), &run->identity, error) < 0 ||
	    output_set_begin(&run->outputs.set, error) < 0 || export_run_begin(run, error) < 0)
		return -1;
	return export_run_read(run, error) < 0 ? -1 : export_run_finish(run, error);
}

/* Sinks of the common timeline use names of the parts. */
static void export_run_release(struct export_run *run)
{
	for (size_t i = 0; i < run->size; i++)
		export_part_release(&run->parts[i]);
	if (run->machines)
		machines_release(run->machines);
	free(run->machines);
	free(run->parts);
	outputs_release(&run->outputs);
	identity_release(&run->identity);
}

/* Files can be read in any order, and state their wall clocks. */
static int merge_check(const struct export_settings *settings, struct error *error)
{
	if (settings->nr_sources == 1)
		return 0;
	if (settings->save)
		return error_set(error, "--save: only for a single source; leave it out");
	if (settings->has_wall_clock)
		return error_set(error,
				 "--wall-clock: only for a single source; several are merged "
				 "by the wall clocks that they state");
	for (size_t i = 0; i < settings->nr_sources; i++) {
		const char *name = settings->sources[i];

		if (strcmp(name, "-") == 0 || source_name_is_instance(name))
			return error_set(error,
					 "'%s': cannot be merged with others; export it to a "
					 "file, or alone",
					 name);
	}
	return 0;
}

static int export_settings_check(const struct export_settings *settings, struct error *error)
{
	const struct filter *filter = &settings->filter;

	if (merge_check(settings, error) < 0)
		return -1;
	if (filter->to_ns > 0 && filter->from_ns > filter->to_ns)
		return error_set(error, "--from: later than --to; write an earlier time");
	if (selection_check_options(&settings->selection, settings->outputs.why, false, error) < 0)
		return -1;
	return output_settings_check(&settings->outputs, error);
}

int export_run(struct export_settings *settings, struct error *error)
{
	struct export_run run = { .settings = settings, .report = settings->report };
	int status = STATUS_FAILED;

	if (export_settings_check(settings, error) < 0)
		return STATUS_USAGE;
	settings->outputs.explains = settings->nr_sources == 1 &&
				     output_settings_show_explanations(&settings->outputs) &&
				     selection_has_states(&settings->selection) &&
				     filter_has_all_threads(&settings->filter);
	outputs_init(&run.outputs, &settings->outputs, settings->report);
	if (export_run_all(&run, error) == 0) {
		status = export_run_status(&run);
		if (export_run_damage(&run))
			error_set(error, "%s", export_run_damage(&run));
		else if (status != STATUS_FAILED)
			export_run_report_end(&run);
	}
	export_run_release(&run);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-only
/* ktrack export: delivers the records of one source, or of several machines, to the outputs. */
#include "replay/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "reader/reader.h"
#include "replay/replay.h"

/** struct export_run - state of a run */
struct export_run {
	struct export_settings *settings;
	const struct report *report;
	struct outputs outputs;
	struct export_part *parts; /* its sources, size of them are opened or failed to */
	size_t size;
	const char *files[TIMELINE_MACHINES_MAX]; /* those that are read */
	struct machines *machines;		  /* merges several; NULL for one */
	struct identity identity;
	struct large_watch large;
};

static struct timeline *export_run_timeline(struct export_run *run)
{
	return run->machines ? &run->machines->join.timeline : &run->parts[0].pipeline.timeline;
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
		if (source_damage(run->parts[i].source) ||
		    (run->parts[i].selection->nr_unreadable > 0 &&
		     run->parts[i].directory.size == 0))
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
	/* The packs that explanations add need no name if the recording has its selection. */
	bool is_kept = settings->outputs.why && source_describe(run->parts[0].source)->stored;
	const struct selection none = { 0 };

	if (closing_append_view(out, &settings->outputs))
		return;
	if (!(run->parts[0].directory.size == 0 && strcmp(run->parts[0].name, "-") != 0))
		buffer_append_string(out, "'ktrack record' keeps records in a file");
	else if (export_run_prints_at_end(run))
		closing_append_command(out, "export --html=page.html",
				       is_kept ? &none : &settings->selection,
				       settings->sources[0]);
	else
		closing_append_command(out, "stat", &settings->selection, settings->sources[0]);
}

static void export_run_end_progress(struct export_run *run)
{
	for (size_t i = 0; i < run->size; i++) {
		source_set_progress(run->parts[i].source, NULL);
		transfer_end(&run->parts[i].transfer);
	}
}

/* What was read is shown, and shows how large outputs become. */
static void export_part_advance(void *context, uint64_t done, uint64_t total)
{
	struct export_part *part = context;

	if (part->shown_bytes)
		part->shown_bytes->advanced(part->shown_bytes->context, done, total);
	if (part->large)
		large_watch_check(part->large, done, total);
}

/* Delivers all records, also those before damage. */
static int export_run_read(struct export_run *run, struct error *error)
{
	const struct report *report = run->report;

	if (run->outputs.set.has_terminal && !export_run_prints_at_end(run))
		report = NULL;
	for (size_t i = 0; i < run->size; i++) {
		struct export_part *part = &run->parts[i];

		part->bytes = (struct byte_progress){ .advanced = export_part_advance,
						      .context = part };
		part->shown_bytes = transfer_begin(&part->transfer, report, export_part_title(part),
						   &part->pipeline.nr_events);
		part->large = run->size == 1 ? &run->large : NULL;
		source_set_progress(part->source, &part->bytes);
	}
	if ((run->machines ? machines_read(run->machines, error)
			   : export_part_read_rest(&run->parts[0], error)) < 0)
		return -1;
	if (export_run_prints_at_end(run))
		export_run_end_progress(run);
	else
		transfer_note(&run->parts[0].transfer, "writing the rest");
	return 0;
}

static int export_run_finish(struct export_run *run, struct error *error)
{
	const struct output_losses losses = export_run_losses(run);
	int status = export_run_status(run);
	const struct output_settings *outputs;
	bool is_failure;

	if (run->machines)
		status = join_finish(&run->machines->join, status, error);
	else
		status = export_part_finish(&run->parts[0], status, error);
	if (status < 0 || timeline_flush(export_run_timeline(run), error) < 0)
		return -1;
	export_run_end_progress(run);
	outputs = &run->settings->outputs;
	is_failure = outputs->fails_on_loss && export_run_status(run) == STATUS_LOST;
	/* Damage is reported instead, because it is worse. */
	if (!run->machines && run->outputs.shows_dates && !export_run_damage(run))
		wall_clock_check(&run->parts[0].recording, false, run->report);
	for (size_t i = 0; i < run->size; i++) {
		const struct export_settings *settings = run->settings;
		struct export_part *part = &run->parts[i];
		struct pipeline *pipeline = &part->pipeline;
		bool is_empty = !pipeline->has_lost && !source_damage(part->source) &&
				tracks_are_unused(pipeline->tracks);
		struct buffer options = { 0 };

		selection_report_addresses(part->selection, run->report);
		clock_order_check(&part->recording, run->report);
		export_part_report_loss(part, is_failure);
		if (settings->selection.nr_options > 0)
			buffer_append_string(&options, "-e");
		filter_name(&settings->filter, &options);
		if (options.size > 0 && is_empty) {
			buffer_append_string(&options, "; ktrack stat ");
			buffer_append_word(&options, part->name);
			report_message(settings->report,
				       "%s: no track events match %s lists all of them", part->name,
				       buffer_string(&options));
		} else {
			other_records_report(
				&pipeline->others,
				&(struct other_source){
					.source = part->source,
					.convention = pipeline->convention,
					.name = part->name,
					.leaves_out = export_part_leaves_out(part),
					.directory = part->directory.size > 0
							     ? buffer_string(&part->directory)
							     : NULL },
				is_empty, settings->report);
		}
		buffer_release(&options);
	}
	if (run->machines)
		machines_report(run->machines, run->report);
	return outputs_report_budgets(&run->outputs, &losses, error);
}

static int export_run_open(struct export_run *run, struct error *error)
{
	const struct selection **selections;
	int status;

	run->parts = calloc(run->settings->nr_sources, sizeof(*run->parts));
	if (!run->parts)
		return error_set(error, "out of memory");
	while (run->size < run->settings->nr_sources) {
		struct export_part *part = &run->parts[run->size];

		if (export_part_open(part, run->settings, run->size++, error) < 0)
			return -1;
	}
	if (run->size == 1)
		return 0;
	run->machines = calloc(1, sizeof(*run->machines));
	selections = calloc(run->size, sizeof(*selections));
	if (!run->machines || !selections) {
		free(selections);
		return error_set(error, "out of memory");
	}
	/* Of several sources, one may have what another does not have. */
	for (size_t i = 0; i < run->size; i++)
		selections[i] = run->parts[i].selection;
	status = selections_check(&run->settings->selection, selections, run->size, error);
	free(selections);
	return status < 0 ? -1 : machines_prepare(run->machines, run->parts, run->size, error);
}

static int export_run_all(struct export_run *run, struct error *error)
{
	struct export_settings *settings = run->settings;
	const char *sid = settings->outputs.sid;

	if (export_run_open(run, error) < 0)
		return -1;
	/* Rules may be those of the recording. */
	settings->outputs.counts = settings->nr_sources == 1 &&
				   output_settings_show_overview(&settings->outputs);
	settings->outputs.explains = settings->nr_sources == 1 &&
				     output_settings_show_explanations(&settings->outputs) &&
				     selection_has_states(&settings->selection) &&
				     filter_has_all_threads(&settings->filter);
	if (sid && strcmp(sid, "recording") == 0)
		sid = run->machines ? run->machines->id : run->parts[0].recording.id;
	if (identity_init(&run->identity, "export", sid, error) < 0)
		return -1;
	for (size_t i = 0; i < run->size; i++)
		run->files[i] = export_part_file(&run->parts[i]);
	run->outputs.set.sources = run->files;
	run->outputs.set.nr_sources = run->size;
	large_watch_begin(&run->large, &settings->outputs, run->report);
	if (outputs_open(&run->outputs, export_run_timeline(run), &run->identity, error) < 0 ||
	    output_set_begin(&run->outputs.set, error) < 0)
		return -1;
	if (run->machines ? machines_begin(run->machines, error) < 0
			  : export_part_find_start(&run->parts[0], error) < 0 ||
				    export_part_begin(&run->parts[0], error) < 0)
		return -1;
	return export_run_read(run, error) < 0 ? -1 : export_run_finish(run, error);
}

/* Files can be read in any order, and state their wall clocks. */
static int merge_check(const struct export_settings *settings, struct error *error)
{
	if (settings->nr_sources == 1)
		return 0;
	if (settings->save)
		return error_set(error,
				 "--save: only for a single source; save a part of each, and "
				 "export these together");
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

/* A file is a recording already; a part of it is complete, so that it shows what the file shows. */
static int save_check(const struct export_settings *settings, struct error *error)
{
	const struct filter *filter = &settings->filter;
	struct filter other = *filter;
	SCOPED_BUFFER(options);

	if (!settings->save || source_name_is_instance(settings->sources[0]))
		return 0;
	other.from_ns = other.to_ns = 0;
	filter_name(&other, &options);
	if (options.size > 0)
		error_set(error, "%s: --save keeps all records of a time; leave it out",
			  buffer_string(&options));
	else if (filter->from_ns == 0 && filter->to_ns == 0)
		error_set(
			error,
			"--save: %s is a recording already; give --from or --to to save a part of "
			"it",
			settings->sources[0]);
	return *error->text ? -1 : 0;
}

static int export_settings_check(const struct export_settings *settings, struct error *error)
{
	const struct filter *filter = &settings->filter;

	if (merge_check(settings, error) < 0)
		return -1;
	if (filter->to_ns > 0 && filter->from_ns > filter->to_ns)
		return error_set(error, "--from: later than --to; write an earlier time");
	if (save_check(settings, error) < 0)
		return -1;
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
	settings->outputs.needs_target = settings->save &&
					 !source_name_is_instance(settings->sources[0]);
	outputs_init(&run.outputs, &settings->outputs, settings->report);
	if (export_run_all(&run, error) == 0) {
		status = export_run_status(&run);
		if (export_run_damage(&run))
			error_set(error, "%s", export_run_damage(&run));
		else if (status != STATUS_FAILED) {
			const struct pipeline_counts counts = export_run_counts(&run);
			const char *title = run.machines ? run.machines->recording.source
							 : export_part_title(&run.parts[0]);
			struct buffer next = { 0 };

			export_part_report_saved(&run.parts[0]);
			export_run_append_next(&run, &next);
			/* Otherwise a message has reported why there are none. */
			if (counts.nr_events > 0 || counts.has_lost)
				pipeline_report_end(&counts, &run.settings->outputs, title,
						    buffer_string(&next), NULL, run.report);
			buffer_release(&next);
		}
	}
	/* What could be written elsewhere is complete. */
	if (run.size > 0 && export_run_timeline(&run)->nr_unread > 0)
		error_set(error, "%s", UNREAD_OUTPUT);
	/* Sinks of the common timeline use names of the parts. */
	for (size_t i = 0; i < run.size; i++) {
		transfer_end(&run.parts[i].transfer);
		workload_free(run.parts[i].pipeline.workload);
		part_writer_free(run.parts[i].pipeline.part_writer);
		pipeline_release(&run.parts[i].pipeline);
		source_close(run.parts[i].source);
		selection_release(&run.parts[i].own);
		buffer_release(&run.parts[i].directory);
		buffer_release(&run.parts[i].shown);
		buffer_release(&run.parts[i].labels);
		if (run.parts[i].lock_fd >= 0)
			close(run.parts[i].lock_fd);
	}
	if (run.machines)
		machines_release(run.machines);
	free(run.machines);
	free(run.parts);
	outputs_release(&run.outputs);
	identity_release(&run.identity);
	return status;
}

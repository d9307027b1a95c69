// SPDX-License-Identifier: GPL-2.0-only
/* ktrack export: opens a source, delivers its records, and finishes. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "session/capture.h"
#include "session/closing.h"
#include "session/labels.h"
#include "session/outputs.h"
#include "session/pipeline.h"
#include "session/read_loop.h"
#include "session/session.h"
#include "session/spool.h"
#include "session/tracepoints.h"
#include "session/transfer.h"
#include "session/warning.h"
#include "session/workload.h"

/**
 * struct export_run - state of a run
 * @directory: of the instance that is read; empty for a file
 * @lock_fd: keeps other ktracks from reading the instance; -1 for a file
 */
struct export_run {
	struct export_settings *settings;
	const struct report *report;
	struct outputs outputs;
	struct buffer directory;
	int lock_fd;
	struct source *source;
	struct identity identity;
	struct pipeline pipeline;
	struct recording recording;
	struct transfer transfer;
	char id[IDENTITY_ID_SIZE];
};

/* Children are followed only if threads are selected. Those that have ended are in no list. */
static bool export_run_follows(struct export_run *run)
{
	return run->directory.size > 0 &&
	       instance_number(buffer_string(&run->directory), "options/event-fork") == 1;
}

/* Other threads have records, too: of their switches to and from those that were selected. */
static int export_run_limit(struct export_run *run, struct error *error)
{
	const char *threads = source_describe(run->source)->workload;
	bool follows = export_run_follows(run);

	if ((!threads && !follows) || !run->settings->selection.rules)
		return 0;
	if (follows)
		report_message(run->report,
			       "%s: recorded only selected threads (-p, --cgroup, --unit or "
			       "--pid); the tracks of all others are incomplete",
			       run->settings->source);
	if (!threads)
		return workload_limit_rules(run->settings->selection.rules,
					    "record without -p, --cgroup, --unit and --pid",
					    run->report, error);
	run->pipeline.workload = workload_new();
	if (!run->pipeline.workload)
		return error_set(error, "out of memory");
	workload_add_list(run->pipeline.workload, threads);
	return workload_limit_rules(run->settings->selection.rules,
				    "record without -p, --cgroup, --unit and --pid", run->report,
				    error);
}

/* System calls have other numbers on another machine, and in 32-bit programs. */
static int export_run_describe_calls(struct export_run *run, struct error *error)
{
	const struct source_description *description = source_describe(run->source);
	struct rules *rules = run->settings->selection.rules;

	if (!rules)
		return 0;
	if (rules_set_machine(rules, description->machine) < 0)
		return error_set(error, "out of memory");
	if (description->narrow)
		rules_add_narrow(rules, description->narrow);
	return 0;
}

static int export_run_open_stacks(struct export_run *run, struct error *error)
{
	struct pipeline *pipeline = &run->pipeline;

	if (run->settings->outputs.stat)
		return 0;
	if (stacks_open(&pipeline->stacks, run->source, pipeline->rules, run->report, error) < 0)
		return -1;
	/* Most files have the format, but no stacks: symbols of a file are read when they are needed. */
	if (run->directory.size > 0)
		stacks_read_functions(&pipeline->stacks);
	return 0;
}

/* The source may have records that follow the convention. */
static bool export_run_leaves_out(const struct export_run *run)
{
	const struct selection *selection = &run->settings->selection;

	return !selection_is_empty(selection) && selection->nr_options == 0 &&
	       !run->pipeline.filter.track;
}

static int export_run_choose(struct export_run *run, struct error *error)
{
	struct pipeline *pipeline = &run->pipeline;

	pipeline->filter = run->settings->filter;
	pipeline->limits = run->settings->limits;
	if (filter_check(&pipeline->filter, source_describe(run->source), error) < 0)
		return -1;
	pipeline->convention = convention_new(source_describe(run->source)->is_swapped);
	if (!pipeline->convention)
		return error_set(error, "out of memory");
	if (!run->settings->outputs.stat && !run->settings->outputs.why &&
	    !run->settings->outputs.comparison)
		convention_want_symbols(pipeline->convention, run->directory.size > 0);
	if (export_run_limit(run, error) < 0 || export_run_describe_calls(run, error) < 0)
		return -1;
	run->settings->selection.tasks = TASK_FORMATS_ALL;
	if (tracepoints_find(pipeline->convention, run->source, &run->settings->selection,
			     run->report, error) < 0)
		return -1;
	selection_read_functions(&run->settings->selection, run->source, run->report);
	pipeline->rules = run->settings->selection.rules;
	if (export_run_open_stacks(run, error) < 0)
		return -1;
	/* An explanation uses the records of packs, whatever else there is. */
	pipeline->counts_others = (selection_is_empty(&run->settings->selection) &&
				   !run->settings->outputs.why) ||
				  export_run_leaves_out(run);
	return 0;
}

static int export_run_identify(struct export_run *run, struct error *error)
{
	const char *sid = run->settings->outputs.sid;

	snprintf(run->id, sizeof(run->id), "%016llx",
		 (unsigned long long)source_describe(run->source)->id);
	if (sid && strcmp(sid, "recording") == 0)
		sid = run->id;
	return identity_init(&run->identity, "export", sid, error);
}

static int export_run_describe(struct export_run *run, struct error *error)
{
	const struct source_description *description = source_describe(run->source);
	struct buffer *labels = &run->settings->labels;

	if (labels_merge(labels, text_of(description->labels ? description->labels : "")) < 0)
		return error_set(error, "out of memory");

	run->recording = (struct recording){
		.command = "export",
		.argv = run->settings->argv,
		.source = run->settings->source,
		.id = run->id,
		.clock = description->clock ? description->clock : "unknown",
		.counts_ticks = description->counts_ticks,
		.time_source = description->time_source,
		.kernel = description->kernel ? description->kernel : "unknown",
		.nr_cpus = description->nr_cpus,
		.buffer_kib = description->buffer_kib,
		.triggers = description->triggers,
		.host = description->host,
		.labels = labels->size > 0 ? buffer_string(labels) : NULL,
		.has_one_buffer = run->pipeline.filter.buffer || source_has_one_buffer(run->source),
		.read_before = description->read_before,
		.wall_offset_ns = description->wall_offset_ns,
	};
	return 0;
}

static int export_run_begin(struct export_run *run, struct error *error)
{
	struct recording *recording = &run->recording;

	if (export_run_describe(run, error) < 0)
		return -1;
	if (recording->read_before > 0)
		report_message(run->report,
			       "%s: %llu records were read before and are not exported",
			       recording->source, (unsigned long long)recording->read_before);
	if (source_first_time(run->source, &recording->start_ns, error) < 0)
		return -1;
	if (run->settings->has_wall_clock) {
		recording->time_source = "given";
		recording->wall_offset_ns = run->settings->wall_clock_ns - recording->start_ns;
	}
	return pipeline_open(&run->pipeline, run->source, recording, run->settings->outputs.with,
			     error);
}

/* An unreadable format damages a file, but the running kernel's may be newer than ktrack. */
static int export_run_status(const struct export_run *run)
{
	const struct output_losses losses = pipeline_losses(&run->pipeline);

	if (source_damage(run->source))
		return STATUS_FAILED;
	if (run->settings->selection.nr_unreadable > 0 && run->directory.size == 0)
		return STATUS_FAILED;
	return outputs_status(&run->outputs, &losses);
}

static const char *export_run_file(const struct export_run *run)
{
	return run->settings->save ? run->settings->save : run->settings->source;
}

/* An empty stream is no failure, but probably not intended. */
static void export_run_report_empty(struct export_run *run)
{
	const struct export_settings *settings = run->settings;
	struct pipeline *pipeline = &run->pipeline;
	bool is_empty = !pipeline->has_lost && !source_damage(run->source) &&
			tracks_are_unused(pipeline->tracks);
	struct buffer options = { 0 };

	if (settings->selection.nr_options > 0)
		buffer_append_string(&options, "-e");
	filter_name(&settings->filter, &options);
	if (options.size > 0 && is_empty)
		report_message(run->report, "%s: no track events match %s", settings->source,
			       buffer_string(&options));
	else
		other_records_report(&pipeline->others,
				     &(struct other_source){
					     .source = run->source,
					     .convention = pipeline->convention,
					     .name = settings->source,
					     .leaves_out = export_run_leaves_out(run),
					     .directory = run->directory.size > 0
								  ? buffer_string(&run->directory)
								  : NULL },
				     is_empty, run->report);
	buffer_release(&options);
}

static void export_run_report_loss(const struct export_run *run)
{
	const struct output_settings *outputs = &run->settings->outputs;
	const struct loss_summary loss = {
		.object = run->settings->source,
		.has_lost = run->pipeline.has_lost,
		.records = run->pipeline.lost,
		.gaps = run->pipeline.nr_gaps,
		.gaps_unknown = run->pipeline.nr_gaps_unknown,
		.is_failure = outputs->fails_on_loss && export_run_status(run) == STATUS_LOST,
	};

	loss_summary_report(&loss, run->report);
}

/* Tables, explanations and results of queries are printed at the end, all other lines at once. */
static bool export_run_prints_at_end(const struct export_run *run)
{
	const struct output_settings *outputs = &run->settings->outputs;

	return outputs->stat || outputs->why || outputs->query;
}

/* An instance was emptied, and a pipe ends; a file can be read again. */
static bool export_run_is_of_file(const struct export_run *run)
{
	return run->directory.size == 0 && strcmp(run->settings->source, "-") != 0;
}

/* The source, in messages. */
static const char *export_run_title(const struct export_run *run)
{
	const char *source = run->settings->source;

	return strcmp(source, "-") == 0 ? "standard input" : source;
}

static void export_run_append_next(const struct export_run *run, struct buffer *out)
{
	const struct export_settings *settings = run->settings;
	const struct output_settings *outputs = &settings->outputs;

	if (closing_append_view(out, outputs))
		return;
	if (!export_run_is_of_file(run))
		buffer_append_string(out, "'ktrack record' keeps records in a file");
	else if (export_run_prints_at_end(run))
		closing_append_command(out, "export --html=page.html", &settings->selection,
				       settings->source);
	else
		closing_append_command(out, "stat", &settings->selection, settings->source);
}

static void export_run_report_end(const struct export_run *run)
{
	struct buffer next = { 0 };

	export_run_append_next(run, &next);
	pipeline_report_end(&run->pipeline, &run->settings->outputs, export_run_title(run),
			    buffer_string(&next), run->report);
	buffer_release(&next);
}

static void export_run_report_span(struct export_run *run)
{
	const struct source_span *span = source_span(run->source);
	int64_t start_ns = run->recording.start_ns;

	if (span->has_from)
		tracks_complete_from(run->pipeline.tracks,
				     span->from_ns > start_ns ? span->from_ns : start_ns);
	if (span->has_until)
		tracks_complete_until(run->pipeline.tracks, span->until_ns);
}

/* Delivers all records, also those before damage. The recording ends with the last record. */
static int export_run_read(void *context, struct error *error)
{
	struct export_run *run = context;
	struct source_handler handler = pipeline_handler(&run->pipeline);
	uint64_t lost;

	return source_finish(run->source, INT64_MAX, &handler, &lost, error);
}

static void export_run_begin_progress(struct export_run *run)
{
	const struct report *report = run->report;

	if (run->outputs.set.has_terminal && !export_run_prints_at_end(run))
		report = NULL;
	source_set_progress(run->source,
			    transfer_begin(&run->transfer, report, export_run_title(run),
					   &run->pipeline.nr_events));
}

static void export_run_end_progress(struct export_run *run)
{
	source_set_progress(run->source, NULL);
	transfer_end(&run->transfer);
}

/* The source is complete: one round of the loop reads all of it. */
static int export_run_loop(struct export_run *run, struct error *error)
{
	struct stop_condition stop = { .signals.fd = -1 };
	struct progress progress = { .report = NULL };
	const struct read_loop loop = {
		.context = run,
		.stop = &stop,
		.progress = &progress,
		.read = export_run_read,
	};

	stop_now(&stop);
	export_run_begin_progress(run);
	if (read_loop_run(&loop, error) < 0)
		return -1;
	if (export_run_prints_at_end(run))
		export_run_end_progress(run);
	else
		transfer_note(&run->transfer, "writing the rest");
	return 0;
}

static int export_run_report_budgets(const struct export_run *run, struct error *error)
{
	const struct output_losses losses = pipeline_losses(&run->pipeline);

	return outputs_report_budgets(&run->outputs, &losses, error);
}

static int export_run_finish(struct export_run *run, struct error *error)
{
	struct tracks *tracks = run->pipeline.tracks;

	export_run_report_span(run);
	tracks_lose_tasks(tracks, source_lost_sideband(run->source));
	if (tracks_finish(tracks, run->recording.start_ns, run->pipeline.lost,
			  export_run_status(run), error) < 0 ||
	    timeline_flush(&run->pipeline.timeline, error) < 0)
		return -1;
	export_run_end_progress(run);
	/* Damage is reported instead, because it is worse. */
	if (output_settings_show_time(&run->settings->outputs) && !source_damage(run->source))
		wall_clock_check(&run->recording, false, run->report);
	export_run_report_loss(run);
	export_run_report_empty(run);
	return export_run_report_budgets(run, error);
}

/* Finds the directory of an instance and locks it; a file needs no lock. */
static int export_run_lock(struct export_run *run, struct error *error)
{
	const char *name = run->settings->source;
	struct error ignored = { 0 };

	if (source_name_find(&run->directory, name, &ignored) < 0) {
		buffer_clear(&run->directory);
		return 0;
	}
	run->lock_fd = instance_lock(buffer_string(&run->directory), name, error);
	return run->lock_fd < 0 ? -1 : 0;
}

static int export_run_save(struct export_run *run, struct error *error)
{
	const struct spool_owner owner = spool_owner_find();

	/* Reports why the source is no instance. */
	if (run->directory.size == 0 &&
	    source_name_find(&run->directory, run->settings->source, error) < 0)
		return -1;
	/* Rules may show functions by name. */
	return spool_save(run->settings->save, &owner, buffer_string(&run->directory),
			  run->settings->selection.rules, error);
}

/* A pipe is copied. */
static int export_run_open_source(struct export_run *run, struct error *error)
{
	struct byte_progress *progress =
		transfer_begin(&run->transfer, run->report, export_run_title(run), NULL);
	int status = source_open(&run->source, export_run_file(run), progress, error);

	transfer_end(&run->transfer);
	return status;
}

static int export_run_open(struct export_run *run, struct error *error)
{
	if (export_run_lock(run, error) < 0)
		return -1;
	if (run->settings->save && export_run_save(run, error) < 0)
		return -1;
	if (spool_refuse_killed(export_run_file(run), error) < 0)
		return -1;
	return export_run_open_source(run, error);
}

static int export_run_all(struct export_run *run, struct error *error)
{
	if (export_run_open(run, error) < 0 || export_run_choose(run, error) < 0 ||
	    export_run_identify(run, error) < 0)
		return -1;
	run->outputs.set.source = export_run_file(run);
	if (outputs_open(&run->outputs, &run->pipeline.timeline, &run->identity, error) < 0 ||
	    output_set_begin(&run->outputs.set, error) < 0 || export_run_begin(run, error) < 0)
		return -1;
	return export_run_loop(run, error) < 0 ? -1 : export_run_finish(run, error);
}

static void export_run_release(struct export_run *run)
{
	transfer_end(&run->transfer);
	workload_free(run->pipeline.workload);
	pipeline_release(&run->pipeline);
	outputs_release(&run->outputs);
	identity_release(&run->identity);
	source_close(run->source);
	buffer_release(&run->directory);
	if (run->lock_fd >= 0)
		close(run->lock_fd);
}

int export_run(struct export_settings *settings, struct error *error)
{
	struct export_run run = { .settings = settings, .report = settings->report, .lock_fd = -1 };
	int status = STATUS_FAILED;

	if (export_settings_check(settings, error) < 0)
		return STATUS_USAGE;
	/* Writing fails instead, with a message. */
	signal(SIGXFSZ, SIG_IGN);
	settings->outputs.explains = output_settings_show_explanations(&settings->outputs) &&
				     selection_has_states(&settings->selection) &&
				     filter_has_all_threads(&settings->filter);
	outputs_init(&run.outputs, &settings->outputs, settings->report);
	if (export_run_all(&run, error) == 0) {
		status = export_run_status(&run);
		if (source_damage(run.source))
			error_set(error, "%s", source_damage(run.source));
		else if (status != STATUS_FAILED)
			export_run_report_end(&run);
	}
	export_run_release(&run);
	return status;
}

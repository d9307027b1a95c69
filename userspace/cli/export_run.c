// SPDX-License-Identifier: GPL-2.0-only
/* One run of ktrack export: open, describe, deliver, finish. */
#include "cli/export.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/loss.h"
#include "cli/note.h"
#include "cli/pipeline.h"
#include "cli/record.h"
#include "cli/unfinished.h"
#include "cli/wall_clock.h"

/**
 * struct export - all that a run holds
 * @lock_fd: of an instance, whose records nobody else is to take; -1 for none
 */
struct export
{
	struct export_settings *settings;
	int lock_fd;
	struct source *source;
	struct identity identity;
	struct pipeline pipeline;
	struct recording recording;
	char id[IDENTITY_ID_SIZE];
};

static int export_choose(struct export *export, struct error *error)
{
	struct pipeline *pipeline = &export->pipeline;

	pipeline->filter = export->settings->filter;
	pipeline->bounds = export->settings->bounds;
	if (filter_check(&pipeline->filter, source_describe(export->source), error) < 0)
		return -1;
	pipeline->convention = convention_new(source_describe(export->source)->is_swapped);
	if (!pipeline->convention)
		return error_set(error, "out of memory");
	if (tracepoints_find(pipeline->convention, export->source, &export->settings->selection,
			     error) < 0)
		return -1;
	pipeline->counts_untaken = export->settings->selection.nr_options == 0;
	return 0;
}

static int export_identify(struct export *export, struct error *error)
{
	const char *sid = export->settings->outputs.sid;

	snprintf(export->id, sizeof(export->id), "%016llx",
		 (unsigned long long)source_describe(export->source)->id);
	if (sid && strcmp(sid, "recording") == 0)
		sid = export->id;
	return identity_init(&export->identity, "export", sid, error);
}

static int export_begin(struct export *export, struct error *error)
{
	const struct source_description *description = source_describe(export->source);
	struct recording *recording = &export->recording;

	*recording = (struct recording){
		.command = "export",
		.argv = export->settings->argv,
		.source = export->settings->source,
		.id = export->id,
		.clock = description->clock ? description->clock : "unknown",
		.counts_ticks = description->counts_ticks,
		.time_source = description->time_source,
		.kernel = description->kernel ? description->kernel : "unknown",
		.nr_cpus = description->nr_cpus,
		.buffer_kib = description->buffer_kib,
		.has_one_buffer = export->pipeline.filter.buffer ||
				  source_has_one_buffer(export->source),
		.read_before = description->read_before,
		.wall_offset_ns = description->wall_offset_ns,
	};
	if (recording->read_before > 0)
		note_say("%llu records were taken out of %s before, and are not in this export",
			 (unsigned long long)recording->read_before, recording->source);
	if (source_first_time(export->source, &recording->start_ns, error) < 0)
		return -1;
	if (export->settings->has_wall_clock) {
		recording->time_source = "given";
		recording->wall_offset_ns = export->settings->wall_clock_ns - recording->start_ns;
	}
	return pipeline_open(&export->pipeline, export->source, recording,
			     outputs_have_comm(&export->settings->outputs), error);
}

static bool export_is_of_file(const struct export *export)
{
	struct buffer directory = { 0 };
	struct error ignored = { 0 };
	bool is_file = source_name_find(&directory, export->settings->source, &ignored) < 0;

	buffer_release(&directory);
	return is_file;
}

/* A file whose formats cannot be read is damaged; the running kernel's may be too new for us. */
static int export_status(const struct export *export)
{
	if (source_damage(export->source))
		return STATUS_FAILED;
	if (export->settings->selection.nr_unreadable > 0 && export_is_of_file(export))
		return STATUS_FAILED;
	return outputs_status(&export->settings->outputs, export->pipeline.has_lost);
}

/* Whether nothing is enabled in the instance that is read. */
static bool export_is_disabled(const struct export *export)
{
	struct buffer directory = { 0 };
	struct error ignored = { 0 };
	bool is_disabled = source_name_find(&directory, export->settings->source, &ignored) == 0 &&
			   source_is_disabled(buffer_string(&directory));

	buffer_release(&directory);
	return is_disabled;
}

/* An empty stream is no failure, but seldom what somebody wanted. */
static void export_report_empty(struct export *export)
{
	const struct export_settings *settings = export->settings;
	struct pipeline *pipeline = &export->pipeline;
	bool is_empty = !pipeline->has_lost && tracks_are_unused(pipeline->tracks);
	struct buffer options = { 0 };

	if (settings->selection.nr_options > 0)
		buffer_append_string(&options, "-e");
	filter_name(&settings->filter, &options);
	if (options.size > 0 && is_empty)
		note_say("nothing in %s matches %s", settings->source, buffer_string(&options));
	else if (is_empty && pipeline->untaken.total == 0 && export_is_disabled(export))
		note_say("%s: no track events (no tracepoint is enabled); " UNTAKEN_REMEDY,
			 settings->source);
	else
		untaken_print(&pipeline->untaken, export->source, pipeline->convention,
			      settings->source, is_empty);
	buffer_release(&options);
}

static void export_report_loss(const struct export *export)
{
	const struct outputs *outputs = &export->settings->outputs;
	const struct loss_report report = {
		.object = export->settings->source,
		.has_lost = export->pipeline.has_lost,
		.records = export->pipeline.lost,
		.gaps = export->pipeline.nr_gaps,
		.gaps_unknown = export->pipeline.nr_gaps_unknown,
		.is_failure = outputs->fails_on_loss && export_status(export) == STATUS_LOST,
	};

	loss_print(&report);
}

static void export_tell_span(struct export *export)
{
	const struct source_span *span = source_span(export->source);
	int64_t start_ns = export->recording.start_ns;

	if (span->has_from)
		tracks_complete_from(export->pipeline.tracks,
				     span->from_ns > start_ns ? span->from_ns : start_ns);
	if (span->has_until)
		tracks_complete_until(export->pipeline.tracks, span->until_ns);
}

/*
 * Everything before the damage was exported; now the damage is told. The end is that of the last
 * record.
 */
static int export_deliver(struct export *export, struct error *error)
{
	struct source_handler handler = pipeline_handler(&export->pipeline);
	uint64_t lost;

	if (source_finish(export->source, INT64_MAX, &handler, &lost, error) < 0)
		return -1;
	export_tell_span(export);
	tracks_lose_tasks(export->pipeline.tracks, source_lost_durable(export->source));
	if (tracks_finish(export->pipeline.tracks, export->recording.start_ns,
			  export->pipeline.lost, export_status(export), error) < 0)
		return -1;
	if (timeline_flush(&export->pipeline.timeline, error) < 0)
		return -1;
	/* Of a damaged file the damage is reported, which is worse. */
	if (!export->settings->outputs.stat && !source_damage(export->source))
		wall_clock_check(&export->recording, false);
	export_report_loss(export);
	export_report_empty(export);
	return 0;
}

static const char *export_file(const struct export *export)
{
	const struct export_settings *settings = export->settings;

	return settings->save ? settings->save : settings->source;
}

static int export_save(const struct export *export, struct error *error)
{
	const struct parts_owner owner = record_owner();
	struct buffer directory = { 0 };
	int status = source_name_find(&directory, export->settings->source, error);

	if (status == 0)
		status = parts_save(export->settings->save, &owner, buffer_string(&directory),
				    error);
	buffer_release(&directory);
	return status;
}

/* What is no instance needs no lock, and what is nothing at all will be told. */
static int export_lock(struct export *export, struct error *error)
{
	const char *name = export->settings->source;
	struct buffer directory = { 0 };
	struct error ignored = { 0 };
	int status = 0;

	if (source_name_find(&directory, name, &ignored) == 0) {
		export->lock_fd = instance_lock(buffer_string(&directory), name, error);
		status = export->lock_fd < 0 ? -1 : 0;
	}
	buffer_release(&directory);
	return status;
}

static int export_open(struct export *export, struct error *error)
{
	if (export_lock(export, error) < 0)
		return -1;
	if (export->settings->save && export_save(export, error) < 0)
		return -1;
	if (unfinished_check(export_file(export), error) < 0)
		return -1;
	return source_open(&export->source, export_file(export), error);
}

static int export_all(struct export *export, struct error *error)
{
	if (export_open(export, error) < 0 || export_choose(export, error) < 0)
		return -1;
	if (export_identify(export, error) < 0)
		return -1;
	export->settings->outputs.set.source = export_file(export);
	if (outputs_open(&export->settings->outputs, &export->pipeline.timeline, &export->identity,
			 error) < 0)
		return -1;
	if (output_set_begin(&export->settings->outputs.set, error) < 0)
		return -1;
	if (export_begin(export, error) < 0)
		return -1;
	return export_deliver(export, error);
}

int export_run(struct export_settings *settings, struct error *error)
{
	struct export export = { .settings = settings, .lock_fd = -1 };
	int status = STATUS_FAILED;

	/* Writing fails instead, and reports so. */
	signal(SIGXFSZ, SIG_IGN);
	if (export_all(&export, error) == 0) {
		status = export_status(&export);
		if (source_damage(export.source))
			error_set(error, "%s", source_damage(export.source));
	}
	pipeline_release(&export.pipeline);
	identity_release(&export.identity);
	source_close(export.source);
	if (export.lock_fd >= 0)
		close(export.lock_fd);
	return status;
}

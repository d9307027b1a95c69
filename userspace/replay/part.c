// SPDX-License-Identifier: GPL-2.0-only
/* One of the sources of an export: its selection, its window, its records, its totals. */
#include "replay/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "reader/reader.h"
#include "replay/replay.h"

/* Other threads have records, too: of their switches to and from those that were selected. */
static int part_limit(struct export_part *part, struct error *error)
{
	const char *threads = source_describe(part->source)->workload;
	/* Children are followed only if threads are selected. Ended ones are in no list. */
	bool follows = part->directory.size > 0 &&
		       instance_number(buffer_string(&part->directory), "options/event-fork") == 1;

	if ((!threads && !follows) || !part->selection->rules)
		return 0;
	if (follows)
		report_message(part->settings->report,
			       "%s: recorded only selected threads (-p, --cgroup, --unit or "
			       "--pid); the tracks of all others are incomplete",
			       part->name);
	if (threads) {
		part->pipeline.workload = workload_new();
		if (!part->pipeline.workload)
			return error_set(error, "out of memory");
		thread_set_add_list(part->pipeline.workload, threads);
	}
	return workload_limit_rules(
		part->selection->rules, "record without -p, --cgroup, --unit and --pid",
		selection_reports(part->selection) ? part->settings->report : NULL, error);
}

/* The source may have records that follow the convention. */
bool export_part_leaves_out(const struct export_part *part)
{
	const struct selection *selection = part->selection;

	return selection->origin == SELECTION_GIVEN && !selection_is_empty(selection) &&
	       selection->nr_patterns == 0 && !part->pipeline.filter.track;
}

static int part_select(struct export_part *part, struct error *error)
{
	/* Formats of all tracepoints of a running kernel need not be read: there are thousands. */
	if (part->directory.size > 0)
		part->selection->origin = SELECTION_GIVEN;
	else if (selection_choose(part->selection, part->source, part->name, part->settings->report,
				  error) < 0)
		return -1;
	selection_describe(part->selection, &part->shown);
	return part->shown.failed ? error_set(error, "out of memory") : 0;
}

static int part_choose(struct export_part *part, struct error *error)
{
	const struct recording *recording = source_describe(part->source);
	const struct output_settings *outputs = &part->settings->outputs;
	const struct report *report = part->settings->report;
	struct pipeline *pipeline = &part->pipeline;
	struct rules *rules;

	pipeline->filter = part->settings->filter;
	pipeline->limits = part->settings->limits;
	if (filter_check(&pipeline->filter, recording, error) < 0)
		return -1;
	pipeline->convention = convention_new(recording->is_swapped);
	if (!pipeline->convention)
		return error_set(error, "out of memory");
	if (!outputs->stat && !outputs->why && !outputs->comparison)
		convention_want_symbols(pipeline->convention, part->directory.size > 0);
	if (part_select(part, error) < 0 || part_limit(part, error) < 0 ||
	    selection_apply(part->selection, part->source, pipeline->convention, report, error) <
		    0 ||
	    selection_read_functions(part->selection, part->source, NULL, error) < 0)
		return -1;
	/* Records need not be looked up among rules of which none has a tracepoint. */
	rules = part->selection->rules;
	if (rules && rules->nr_tracepoints > 0)
		pipeline->rules = rules;
	if (!outputs->stat &&
	    stacks_open(&pipeline->stacks, part->source, pipeline->rules, report, error) < 0)
		return -1;
	/* Most files have the format, but no stacks: symbols of a file are read when they are
	 * needed. */
	if (!outputs->stat && part->directory.size > 0)
		stacks_read_functions(&pipeline->stacks);
	/* An explanation uses the records of packs, whatever else there is. */
	pipeline->counts_others = (selection_is_empty(part->selection) && !outputs->why) ||
				  export_part_leaves_out(part);
	return 0;
}

/* The file that is read: the source, or what was saved of it. */
const char *export_part_file(const struct export_part *part)
{
	return part->settings->save && part->directory.size > 0 ? part->settings->save : part->name;
}

/* The source, in messages. */
const char *export_part_title(const struct export_part *part)
{
	return strcmp(part->name, "-") == 0 ? "standard input" : part->name;
}

/* Open a source, find its track events, and describe it. */
int export_part_open(struct export_part *part, struct export_settings *settings,
			    size_t index, struct error *error)
{
	const struct spool_owner owner = spool_owner_find();
	struct input_settings input = { .max_kib = settings->limits.max_input_kib };
	struct recording *recording;
	const struct buffer *given;
	struct error problem = { 0 };
	int status;

	*part = (struct export_part){ .settings = settings,
				      .name = settings->sources[index],
				      .lock_fd = -1 };
	part->selection = settings->nr_sources == 1 ? &settings->selection : &part->own;
	if (settings->nr_sources > 1 && selection_copy(&part->own, &settings->selection, error) < 0)
		return -1;
	/* Finds the directory of an instance and locks it; a file needs no lock. */
	if (source_name_find(&part->directory, part->name, &problem) < 0) {
		if (settings->save && source_name_is_instance(part->name))
			return error_set(error, "%s", problem.text);
		buffer_clear(&part->directory);
	} else {
		part->lock_fd = instance_lock(buffer_string(&part->directory), part->name, error);
		if (part->lock_fd < 0)
			return -1;
	}
	/* Rules may show functions by name; if nothing is chosen, so do the rules of all packs. */
	if (settings->save && part->directory.size > 0 &&
	    spool_save(settings->save, &owner, buffer_string(&part->directory),
		       part->selection->rules || !selection_is_chosen(part->selection), error) < 0)
		return -1;
	if (spool_refuse_killed(export_part_file(part), error) < 0)
		return -1;
	/* A pipe is copied. */
	input.progress = transfer_begin(&part->transfer, settings->report, export_part_title(part),
					NULL);
	status = source_open(&part->source, export_part_file(part), &input, error);
	transfer_end(&part->transfer);
	if (status < 0)
		return -1;
	if (source_lack(part->source))
		report_message(settings->report, "%s: %s", export_part_title(part),
			       source_lack(part->source));
	if (part_choose(part, error) < 0)
		return -1;
	if (settings->save && part->directory.size == 0 &&
	    source_part_begin(part->source, settings->save, &owner, &part->pipeline.part_writer,
			      error) < 0)
		return -1;
	recording = &part->recording;
	given = &part->settings->labels;
	/* A file of several may be of another machine: labels of the command line are those of the
	 * stream.
	 */
	*recording = *source_describe(part->source);
	if (part->settings->nr_sources == 1)
		buffer_append(&part->labels, given->data, given->size);
	if (labels_merge(&part->labels, text_of(recording->labels ? recording->labels : "")) < 0)
		return error_set(error, "out of memory");
	recording->command = "export";
	recording->argv = part->settings->argv;
	recording->source = part->name;
	if (!recording->clock)
		recording->clock = "unknown";
	if (!recording->kernel)
		recording->kernel = "unknown";
	recording->selection = buffer_string(&part->shown);
	recording->labels = part->labels.size > 0 ? buffer_string(&part->labels) : NULL;
	recording->has_one_buffer = part->pipeline.filter.buffer ||
				    source_has_one_buffer(part->source);
	return 0;
}

int export_part_find_start(struct export_part *part, struct error *error)
{
	struct recording *recording = &part->recording;

	if (recording->read_before > 0)
		report_message(part->settings->report,
			       "%s: %llu records were read before and are not exported",
			       recording->source, (unsigned long long)recording->read_before);
	if (source_first_time(part->source, &recording->start_ns, error) < 0)
		return -1;
	recording_set_origin(recording);
	if (part->settings->has_wall_clock) {
		recording->time_source = "given";
		recording->wall_offset_ns = part->settings->wall_clock_ns - recording->start_ns;
	}
	return 0;
}

int export_part_begin(struct export_part *part, struct error *error)
{
	recording_set_window(&part->recording, &part->settings->filter);
	return pipeline_open(&part->pipeline, part->source, &part->recording,
			     part->settings->outputs.with, error);
}

int export_part_find_next(struct export_part *part, struct error *error)
{
	int status = source_next_time(part->source, &part->next_ns, error);

	part->has_next = status > 0;
	return status < 0 ? -1 : 0;
}

int export_part_read(struct export_part *part, int64_t until_ns, struct error *error)
{
	const struct source_handler handler = pipeline_handler(&part->pipeline);

	return source_drain(part->source, until_ns, &handler, error);
}

int export_part_read_rest(struct export_part *part, struct error *error)
{
	const struct source_handler handler = pipeline_handler(&part->pipeline);
	uint64_t lost;

	return source_finish(part->source, INT64_MAX, &handler, &lost, error);
}

/* What is complete of the time that is shown. */
static struct source_span export_part_span(const struct export_part *part)
{
	const struct recording *recording = &part->recording;
	struct source_span span = *source_span(part->source);

	if (recording->has_window) {
		span.has_from &= span.from_ns > recording->from_ns;
		span.has_until &= span.until_ns < recording->to_ns;
	}
	if (span.from_ns < recording->start_ns)
		span.from_ns = recording->start_ns;
	return span;
}

int export_part_finish(struct export_part *part, int status, struct error *error)
{
	struct pipeline *pipeline = &part->pipeline;
	const struct recording *recording = &part->recording;
	const struct source_span span = export_part_span(part);
	uint64_t lost_tasks = source_lost_sideband(part->source);

	if (pipeline_end_window(pipeline, error) < 0)
		return -1;
	if (pipeline->part_writer &&
	    pipeline_save_part(pipeline, recording, &span, &part->nr_saved, error) < 0)
		return -1;
	if (span.has_from)
		tracks_complete_from(pipeline->tracks, span.from_ns);
	if (span.has_until)
		tracks_complete_until(pipeline->tracks, span.until_ns);
	if (lost_tasks > 0)
		tracks_lose_tasks(pipeline->tracks, lost_tasks);
	return tracks_finish(pipeline->tracks, recording->start_ns, pipeline->lost, status, error);
}

/* Report lost records, and begins without an end. */
void export_part_report_loss(const struct export_part *part, bool is_failure)
{
	const struct loss_summary loss = {
		.object = part->name,
		.has_lost = part->pipeline.has_lost,
		.records = part->pipeline.lost,
		.gaps = part->pipeline.nr_gaps,
		.gaps_unknown = part->pipeline.nr_gaps_unknown,
		.has_convention = part->recording.convention_buffer > 0,
		.convention_lost = part->pipeline.lost_convention,
		.is_failure = is_failure,
	};

	loss_summary_report(&loss, part->settings->report);
	tracks_report_endless(part->pipeline.tracks, part->name, part->settings->report);
}

void export_part_report_saved(const struct export_part *part)
{
	const struct closing closing = { .object = part->settings->save,
					 .count = part->nr_saved,
					 .things = "record" };
	SCOPED_BUFFER(next);

	if (!part->pipeline.part_writer)
		return;
	buffer_append_string(&next, "ktrack stat ");
	buffer_append_word(&next, part->settings->save);
	closing_report(&closing, buffer_string(&next), part->settings->report);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The rows of each event. */
#include <stdlib.h>

#include "sink/args.h"
#include "sink/remark.h"
#include "sink/sqlite/state.h"

struct database_row sqlite_row_begin(struct sqlite_sink *sink, enum schema_statement statement)
{
	sink->nr_pending++;
	return row_begin(&sink->database, sink->statements[statement]);
}

static int64_t time_of(const struct sqlite_sink *sink, int64_t time_ns)
{
	return time_ns - sink->file.start_ns;
}

static void row_add_time(struct database_row *row, const struct sqlite_sink *sink, bool is_there,
			 int64_t time_ns)
{
	if (is_there)
		row_add_number(row, time_of(sink, time_ns));
	else
		row_add_null(row);
}

static struct sqlite_track *sqlite_track_of(const struct sqlite_sink *sink,
					    const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

/* Records of begin and end have args; those of the end follow. */
static int args_add(struct sqlite_sink *sink, const struct timeline_event *event, int64_t id,
		    unsigned int nr_before, struct error *error)
{
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		struct database_row row = sqlite_row_begin(sink, STATEMENT_ARG);

		row_add_number(&row, id);
		row_add_number(&row, nr_before + i);
		row_add_text(&row, event->fields[i].name);
		row_add_value(&row, &event->fields[i].value);
		row_add_number(&row, event->kind == TIMELINE_SLICE_END);
		if (row_end(&row, error) < 0)
			return -1;
	}
	return 0;
}

static int sqlite_flows_add(struct sqlite_sink *sink, const struct timeline_event *event,
			    int64_t id, struct error *error)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		struct database_row row = sqlite_row_begin(sink, STATEMENT_FLOW);

		row_add_text(&row, flow->name);
		row_add_value(&row, &flow->value);
		row_add_number(&row, id);
		row_add_number(&row, time_of(sink, event->time_ns));
		row_add_number(&row, event->kind == TIMELINE_SLICE_END);
		if (row_end(&row, error) < 0)
			return -1;
	}
	return 0;
}

static int event_fields_add(struct sqlite_sink *sink, const struct timeline_event *event,
			    int64_t id, unsigned int nr_before, struct error *error)
{
	if (event->nr_any == 0)
		return 0;
	return args_add(sink, event, id, nr_before, error) < 0
		       ? -1
		       : sqlite_flows_add(sink, event, id, error);
}

static const char *const scope_texts[] = {
	[SCOPE_THREAD] = "thread", [SCOPE_PROCESS] = "process", [SCOPE_CPU] = "cpu",
	[SCOPE_CUSTOM] = "custom", [SCOPE_GLOBAL] = "global",
};
_Static_assert(sizeof(scope_texts) / sizeof(scope_texts[0]) == SCOPE_KIND_COUNT, "all scopes");

static int64_t track_process(const struct timeline_track *track)
{
	if (track->scope == SCOPE_PROCESS)
		return track->id.signed_number;
	return track->tgid > 0 ? track->tgid : -1;
}

/* An idle task has a CPU, too. */
static int64_t track_cpu(const struct timeline_track *track)
{
	return track->scope == SCOPE_CPU ? track->id.signed_number : track->cpu;
}

static void row_add_track(struct database_row *row, const struct timeline_track *track,
			  struct buffer *label)
{
	row_add_number(row, track->number);
	row_add_string(row, track->category->text);
	row_add_string(row, track->kind == TRACK_COUNTER ? "counter" : "slice");
	row_add_string(row, scope_texts[track->scope]);
	row_add_text(row, track->name);
	track_append_label(label, track);
	row_add_text(row, buffer_text(label));
	row_add_string(row, track->field);
	if (track->scope == SCOPE_GLOBAL)
		row_add_null(row);
	else
		row_add_value(row, &track->id);
	row_add_known(row, track->scope == SCOPE_THREAD ? track->id.signed_number : -1);
	row_add_known(row, track_process(track));
	row_add_string(row, track->comm[0] ? track->comm : NULL);
	row_add_known(row, track_cpu(track));
	row_add_known(row, track->lane > 0 ? (int64_t)track->lane : -1);
	row_add_string(row, track->buffer);
}

static int sqlite_track_begin(struct sqlite_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_TRACK);
	struct buffer label = { 0 }, *identity = &sink->file.text;
	struct sqlite_track *track = sink_file_track_new(&sink->file, event->track, sizeof(*track),
							 error);
	int status = -1;

	if (!track)
		return -1;
	if (rows_take_track(event->track) &&
	    rows_track_begin(&sink->rows, &track->row, event->track, error) < 0)
		return -1;
	buffer_clear(identity);
	track_append_identity(identity, event->track);
	row_add_track(&row, event->track, &label);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_text(&row, buffer_text(identity));
	row_add_string(&row, event->track->machine ? event->track->machine->name : NULL);
	row.failed |= label.failed || identity->failed;
	status = row_end(&row, error);
	buffer_release(&label);
	return status;
}

static int sqlite_track_end(struct sqlite_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_TRACK_END);
	struct sqlite_track *track = sqlite_track_of(sink, event->track);

	if (track->row.row)
		rows_track_end(&sink->rows, &track->row);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_number(&row, event->track->number);
	return row_end(&row, error);
}

static int open_grow(struct sqlite_track *track, unsigned int nr_open, struct error *error)
{
	void *open = track->open;
	int status = sink_array_grow(&open, &track->nr_open, nr_open, sizeof(*track->open), error);

	track->open = open;
	return status;
}

/* Sets @number to the row of an event among those of its thread, 0 for none. */
static int thread_row(struct sqlite_sink *sink, struct sqlite_track *track,
		      const struct timeline_event *event, unsigned int *number, struct error *error)
{
	struct row_place place;

	*number = 0;
	if (!track->row.row)
		return 0;
	if (rows_event(&sink->rows, &track->row, event, &place, error) < 0)
		return -1;
	*number = place.row->number;
	return 0;
}

static int sqlite_slice_begin(struct sqlite_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	struct sqlite_track *track = sqlite_track_of(sink, event->track);
	struct open_slice *open;
	unsigned int number;

	if (thread_row(sink, track, event, &number, error) < 0)
		return -1;
	if (event->depth > track->nr_open && open_grow(track, event->depth, error) < 0)
		return -1;
	open = &track->open[event->depth - 1];
	*open = (struct open_slice){
		.id = ++sink->last_id,
		.tid = event->tid,
		.cpu = event->cpu,
		.nr_args = event->nr_fields,
	};
	return event_fields_add(sink, event, open->id, 0, error);
}

static void row_add_slice(struct database_row *row, const struct sqlite_sink *sink,
			  const struct timeline_event *event, const struct open_slice *open)
{
	int64_t duration_ns = event->time_ns - event->begin_ns;

	row_add_number(row, event->depth);
	row_add_text(row, event->name->text);
	row_add_number(row, time_of(sink, event->begin_ns));
	row_add_number(row, duration_ns);
	row_add_number(row, duration_ns - open->inner_ns);
	row_add_known(row, open->tid);
	row_add_known(row, open->cpu);
	row_add_known(row, event->tid);
	row_add_known(row, event->cpu);
	row_add_number(row, event->is_suspect);
	row_add_number(row, event->is_unfinished);
	row_add_number(row, event->is_continued);
	row_add_number(row, event->is_foreign);
}

static int sqlite_slice_end(struct sqlite_sink *sink, const struct timeline_event *event,
			    struct error *error)
{
	struct sqlite_track *track = sqlite_track_of(sink, event->track);
	struct open_slice *open = &track->open[event->depth - 1];
	struct open_slice *outer = event->depth > 1 ? open - 1 : NULL;
	struct database_row row = sqlite_row_begin(sink, STATEMENT_SLICE);
	unsigned int number;

	if (thread_row(sink, track, event, &number, error) < 0)
		return -1;
	row_add_number(&row, open->id);
	row_add_number(&row, event->track->number);
	row_add_known(&row, outer ? outer->id : -1);
	row_add_slice(&row, sink, event, open);
	row_add_known(&row, number > 0 ? (int64_t)number : -1);
	if (outer)
		outer->inner_ns += event->time_ns - event->begin_ns;
	return row_end(&row, error) < 0
		       ? -1
		       : event_fields_add(sink, event, open->id, open->nr_args, error);
}

static int sqlite_instant(struct sqlite_sink *sink, const struct timeline_event *event,
			  struct error *error)
{
	struct sqlite_track *track = sqlite_track_of(sink, event->track);
	struct database_row row = sqlite_row_begin(sink, STATEMENT_INSTANT);
	bool is_inside = event->depth > 0 && event->depth <= track->nr_open;
	unsigned int number;

	if (thread_row(sink, track, event, &number, error) < 0)
		return -1;
	row_add_number(&row, ++sink->last_id);
	row_add_number(&row, event->track->number);
	row_add_known(&row, is_inside ? track->open[event->depth - 1].id : -1);
	row_add_text(&row, event->name->text);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_known(&row, event->tid);
	row_add_known(&row, event->cpu);
	return row_end(&row, error) < 0 ? -1
					: event_fields_add(sink, event, sink->last_id, 0, error);
}

static int sqlite_sample(struct sqlite_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_COUNTER);

	row_add_number(&row, ++sink->last_id);
	row_add_number(&row, event->track->number);
	row_add_number(&row, time_of(sink, event->time_ns));
	row_add_value(&row, &event->value);
	row_add_known(&row, event->tid);
	row_add_known(&row, event->cpu);
	return row_end(&row, error) < 0 ? -1
					: event_fields_add(sink, event, sink->last_id, 0, error);
}

/* A sum is about a CPU's gaps of unknown size, and has no time. */
static int sqlite_loss(struct sqlite_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_LOSS);
	bool has_time = event->kind == TIMELINE_LOSS;

	row_add_number(&row, event->loss_cpu);
	row_add_time(&row, sink, has_time, event->begin_ns);
	row_add_time(&row, sink, has_time, event->loss_end_ns);
	row_add_known(&row, event->loss_count);
	row_add_string(&row, event->loss_buffer);
	row_add_string(&row, event->loss_machine ? event->loss_machine->name : NULL);
	return row_end(&row, error);
}

static int message_add(struct sqlite_sink *sink, int64_t time_ns, struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_MESSAGE);

	row_add_number(&row, time_of(sink, time_ns));
	row_add_text(&row, buffer_text(&sink->file.text));
	row.failed |= sink->file.text.failed;
	return row_end(&row, error);
}

static int sqlite_remark(struct sqlite_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	remark_set(&sink->file.text, event);
	return message_add(sink, event->time_ns, error);
}

static int sqlite_command_begin(struct sqlite_sink *sink, const struct timeline_event *event,
				struct error *error)
{
	buffer_clear(&sink->file.text);
	buffer_append_string(&sink->file.text, "begin of: ");
	remark_append(&sink->file.text, event);
	return message_add(sink, event->time_ns, error);
}

static int sqlite_command_end(struct sqlite_sink *sink, const struct timeline_event *event,
			      struct error *error)
{
	buffer_clear(&sink->file.text);
	buffer_printf(&sink->file.text, "end of process %d with status %d", event->pid,
		      event->status);
	return message_add(sink, event->time_ns, error);
}

static int machine_add(struct sqlite_sink *sink, const struct timeline_machine *machine,
		       struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_MACHINE);
	const struct recording *recording = machine->recording;
	struct buffer labels = { 0 };
	int status;

	labels_append(&labels, recording->labels);
	row_add_number(&row, machine->number);
	row_add_string(&row, machine->name);
	row_add_string(&row, recording->source);
	row_add_string(&row, recording->id);
	row_add_string(&row, recording->clock);
	row_add_string(&row, recording->kernel);
	row_add_number(&row, recording->nr_cpus);
	row_add_string(&row, recording->labels ? buffer_string(&labels) : NULL);
	row_add_number(&row, machine->shift_ns);
	row_add_known(&row, machine->recording->wall_error_ns);
	row.failed |= labels.failed;
	status = row_end(&row, error);
	buffer_release(&labels);
	return status;
}

int sqlite_recording_add(struct sqlite_sink *sink, const struct recording *recording,
			 struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_RECORDING);
	const struct recording_property *property = NULL;
	struct value value;
	struct buffer labels = { 0 };
	int status;

	labels_append(&labels, recording->labels);
	row_add_string(&row, KTRACK_VERSION);
	row_add_string(&row, recording->command);
	row_add_string(&row, recording->labels ? buffer_string(&labels) : NULL);
	row_add_number(&row, recording->start_ns);
	row_add_number(&row, recording->start_ns + recording->wall_offset_ns);
	while (recording_next(recording, RECORDING_SQLITE, &property, &value)) {
		if (value.kind == VALUE_TEXT && !value.text.data)
			row_add_string(&row, NULL);
		else
			row_add_value(&row, &value);
	}
	status = row_end(&row, error);
	buffer_release(&labels);
	for (size_t i = 0; i < recording->nr_machines && status == 0; i++)
		status = machine_add(sink, &recording->machines[i], error);
	return status;
}

static int sqlite_faults_add(struct sqlite_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	for (size_t i = 0; i < fault_limit(event->totals); i++) {
		if (fault_set(&sink->file.text, event->totals, sink->file.counts_ticks, i) &&
		    message_add(sink, event->time_ns, error) < 0)
			return -1;
	}
	return 0;
}

static int sqlite_finish(struct sqlite_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct database_row row = sqlite_row_begin(sink, STATEMENT_COMPLETE);
	const struct timeline_totals *totals = event->totals;
	const uint64_t counts[] = {
		totals->lost_records,	   totals->lost_gaps,	   totals->lost_gaps_unknown,
		totals->lost_task_records, totals->late_records,   totals->unmatched_ends,
		totals->filtered_ends,	   totals->foreign_ends,   totals->malformed,
		totals->unfinished,	   totals->suspect,	   totals->retired_tracks,
		totals->renamed_threads,   totals->evicted_slices,
	};

	row_add_number(&row, time_of(sink, event->time_ns));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		row_add_unsigned(&row, counts[i]);
	row_add_time(&row, sink, totals->has_complete_from, totals->complete_from_ns);
	row_add_time(&row, sink, totals->has_complete_until, totals->complete_until_ns);
	if (totals->has_wall_drift)
		row_add_number(&row, totals->wall_drift_ns);
	else
		row_add_null(&row);
	return row_end(&row, error) < 0 ? -1 : sqlite_faults_add(sink, event, error);
}

static int (*const writers[TIMELINE_KIND_COUNT])(struct sqlite_sink *sink,
						 const struct timeline_event *event,
						 struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = sqlite_track_begin,
	[TIMELINE_TRACK_END] = sqlite_track_end,
	[TIMELINE_SLICE_BEGIN] = sqlite_slice_begin,
	[TIMELINE_SLICE_END] = sqlite_slice_end,
	[TIMELINE_INSTANT] = sqlite_instant,
	[TIMELINE_COUNTER] = sqlite_sample,
	[TIMELINE_LOSS] = sqlite_loss,
	[TIMELINE_LOSS_SUM] = sqlite_loss,
	[TIMELINE_MALFORMED] = sqlite_remark,
	[TIMELINE_FOREIGN_END] = sqlite_remark,
	[TIMELINE_TRACEPOINT] = sqlite_remark,
	[TIMELINE_COMMAND_BEGIN] = sqlite_command_begin,
	[TIMELINE_COMMAND_END] = sqlite_command_end,
	[TIMELINE_FINISH] = sqlite_finish,
};

int sqlite_rows_add(struct sqlite_sink *sink, const struct timeline_event *event,
		    struct error *error)
{
	return writers[event->kind] ? writers[event->kind](sink, event, error) : 0;
}

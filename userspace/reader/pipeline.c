// SPDX-License-Identifier: GPL-2.0-only
/* Decodes and filters records, and passes them to the tracks. */
#include "reader/pipeline.h"

#include <string.h>

#include "reader/selection.h"
#include "reader/workload.h"

/* A thread without a saved name may be the one that is switched out just now. */
static void pipeline_find_writer(const struct pipeline *pipeline, int tid,
				 struct thread_identity *out)
{
	struct text comm;
	int writer;

	if (!convention_read_writer(pipeline->convention, pipeline->record, &writer, &comm) ||
	    writer != tid)
		return;
	if (comm.size >= sizeof(out->comm))
		comm.size = sizeof(out->comm) - 1;
	memcpy(out->comm, comm.data, comm.size);
	out->comm[comm.size] = '\0';
}

static void task_find(void *context, int tid, struct thread_identity *out)
{
	const struct pipeline *pipeline = context;

	if (pipeline->source)
		source_find_task(pipeline->source, tid, out);
	if (!out->comm[0] && pipeline->record)
		pipeline_find_writer(pipeline, tid, out);
}

static int task_process(void *context, int tid, int named)
{
	struct pipeline *pipeline = context;

	return tracks_named_process(pipeline->tracks, tid, named);
}

static const char *task_comm(void *context, int tid)
{
	const struct pipeline *pipeline = context;

	return tracks_comm(pipeline->tracks, tid);
}

int pipeline_open(struct pipeline *pipeline, struct source *source,
		  const struct recording *recording, unsigned int with, struct error *error)
{
	struct tracks_settings settings = {
		.idle_max = pipeline->limits.max_tracks,
		.has_comm = with & 1u << TIMELINE_EMITTER_COMM,
		.buffers = source_describe(source)->buffers,
		.programs = PROGRAMS_BUFFER,
		.find_task = task_find,
		.context = pipeline,
	};

	pipeline->source = source;
	pipeline->filter.start_ns = recording->start_ns;
	pipeline->is_open = filter_is_open(&pipeline->filter);
	pipeline->buffers = settings.buffers;
	pipeline->tracks = tracks_new(&settings, &pipeline->timeline, recording->start_ns);
	if (!pipeline->tracks)
		return error_set(error, "out of memory");
	if (pipeline->rules)
		rules_set_tasks(pipeline->rules, &(struct naming_tasks){ .find = task_comm,
									 .process = task_process,
									 .context = pipeline });
	return timeline_open(&pipeline->timeline, recording, error);
}

static int pipeline_record(void *context, const struct record *record, struct error *error);

/* The sideband buffer only has records about threads. */
static bool record_is_sideband(const struct pipeline *pipeline, const struct record *record)
{
	return record->buffer > 0 &&
	       record->buffer >= source_describe(pipeline->source)->nr_buffers;
}

/* Counts a record that is no track event. */
static int pipeline_count_other(struct pipeline *pipeline, const struct record *record,
				struct error *error)
{
	uint16_t id;

	if (!pipeline->counts_others || record_is_sideband(pipeline, record) ||
	    !filter_wants_record(&pipeline->filter, record, pipeline->buffers))
		return 0;
	if (!convention_id(pipeline->convention, record, &id) ||
	    convention_has_id(pipeline->convention, id))
		return 0;
	return other_records_add(&pipeline->others, id, error);
}

static int pipeline_stack(struct pipeline *pipeline, const struct record *record,
			  const struct decoded_event *stack, struct error *error)
{
	const struct filter *filter = &pipeline->filter;

	if (!filter_wants_record(filter, record, pipeline->buffers) ||
	    !filter_wants_event(filter, stack))
		return 0;
	return tracks_observe(pipeline->tracks, stack, error);
}

/* Handles a record of a tracepoint that was just loaded, or unloaded before the record was read. */
static int pipeline_unknown(struct pipeline *pipeline, const struct record *record,
			    struct error *error)
{
	const struct decoded_event *stack = stacks_read(&pipeline->stacks, record);
	bool is_known = false;
	int status;

	if (stack)
		return pipeline_stack(pipeline, record, stack, error);
	if (!pipeline->follower.find) {
		if (pipeline->source)
			source_note_unknown(pipeline->source, record);
		return pipeline_count_other(pipeline, record, error);
	}
	status = pipeline->follower.find(pipeline->follower.context, record, &is_known, error);
	if (is_known)
		return pipeline_handler(pipeline).record(pipeline, record, error);
	if (status <= 0)
		return status;
	pipeline->nr_unknown++;
	return unknown_events_add(&pipeline->unknown, record, error);
}

/* Records about tasks are no track events, but name the tasks of tracks. */
static out_of_line int pipeline_task(struct pipeline *pipeline, const struct record *record,
				     struct error *error)
{
	struct task_change change;

	if (!convention_read_task(pipeline->convention, record, &change))
		return pipeline_unknown(pipeline, record, error);
	if (pipeline_count_other(pipeline, record, error) < 0)
		return -1;
	if (pipeline->workload)
		workload_learn(pipeline->workload, &change);
	if (pipeline->rules)
		rules_learn(pipeline->rules, &change);
	if (filter_is_past(&pipeline->filter, record->time_ns))
		return 0;
	return tracks_learn(pipeline->tracks, &change, error);
}

hot_inline int pipeline_observe(struct pipeline *pipeline, struct error *error)
{
	const struct decoded_event *decoded = &pipeline->decoded;

	pipeline->nr_events++;
	return unlikely(decoded->problem) ? tracks_reject(pipeline->tracks, decoded, error)
					  : tracks_observe(pipeline->tracks, decoded, error);
}

/* Passes a record if the filter matches. */
static out_of_line int record_filter(struct pipeline *pipeline, const struct descriptor *descriptor,
				     const struct record *record, struct error *error)
{
	const struct filter *filter = &pipeline->filter;

	if (!filter_wants_record(filter, record, pipeline->buffers))
		return 0;
	if (!convention_decode(&pipeline->decoded, descriptor, record) &&
	    !filter_wants_event(filter, &pipeline->decoded))
		return 0;
	return pipeline_observe(pipeline, error);
}

/* A switch is also recorded for the other thread, whose chain of states is incomplete. */
static bool workload_wants(const struct workload *workload, const struct decoded_event *event)
{
	return event->descriptor->scope != DESCRIPTOR_SCOPE_THREAD ||
	       workload_has(workload, event->scope_id.signed_number);
}

/* Without a field, the scope is the thread that wrote the record. */
static bool is_of_own_process(const struct descriptor *descriptor)
{
	return descriptor->scope == DESCRIPTOR_SCOPE_PROCESS && !descriptor->scope_field;
}

/* Whether the event is selected; the filter and the workload are those of a part of the events. */
static bool pipeline_selects(const struct pipeline *pipeline, const struct decoded_event *decoded)
{
	if (!pipeline->is_open && !filter_wants_event(&pipeline->filter, decoded))
		return false;
	return !pipeline->workload || workload_wants(pipeline->workload, decoded);
}

static int pipeline_set_process(const struct pipeline *pipeline, struct decoded_event *decoded,
				struct error *error)
{
	int process = tracks_process(pipeline->tracks, decoded->tid);

	if (process < 0)
		return error_set(error, "out of memory");
	decoded->scope_id.signed_number = process;
	return 0;
}

/* @is_partial: some events are not selected */
hot_inline int pipeline_observe_rule(struct pipeline *pipeline, struct decoded_event *decoded,
				     bool is_partial, struct error *error)
{
	if (unlikely(decoded->problem))
		return tracks_reject(pipeline->tracks, decoded, error);
	if (unlikely(is_of_own_process(decoded->descriptor)) &&
	    pipeline_set_process(pipeline, decoded, error) < 0)
		return -1;
	if (unlikely(is_partial) && !pipeline_selects(pipeline, decoded))
		return 0;
	pipeline->nr_events++;
	return tracks_observe_rule(pipeline->tracks, decoded, error);
}

/* The events of all rules that use the record's tracepoint. */
hot_inline int record_apply_rules(struct pipeline *pipeline, struct rule_tracepoint *tracepoint,
				  const struct record *record, struct error *error)
{
	bool is_partial = !pipeline->is_open || pipeline->workload;
	size_t nr_events;

	if (!pipeline->is_open &&
	    !filter_wants_record(&pipeline->filter, record, pipeline->buffers))
		return 0;
	nr_events = rules_decode(pipeline->rules, tracepoint, record);
	for (size_t i = 0; i < nr_events; i++) {
		if (pipeline_observe_rule(pipeline, tracepoint->events[i], is_partial, error) < 0)
			return -1;
	}
	return 0;
}

static int pipeline_learn(struct pipeline *pipeline, const struct task_change *change,
			  struct error *error)
{
	if (pipeline->workload)
		workload_learn(pipeline->workload, change);
	rules_learn(pipeline->rules, change);
	return tracks_learn(pipeline->tracks, change, error);
}

/*
 * A record that may be about a thread, too. What it says comes first, so that a new thread gets no
 * state of an older one with its number; but the end of a thread comes last.
 */
static out_of_line int pipeline_task_rules(struct pipeline *pipeline,
					   struct rule_tracepoint *tracepoint,
					   const struct record *record, struct error *error)
{
	struct task_change change;
	bool is_about_task = convention_read_task(pipeline->convention, record, &change) &&
			     !filter_is_past(&pipeline->filter, record->time_ns);
	bool is_last = is_about_task && change.kind == TASK_CHANGE_GONE;

	if (is_about_task && !is_last && pipeline_learn(pipeline, &change, error) < 0)
		return -1;
	if (record_apply_rules(pipeline, tracepoint, record, error) < 0)
		return -1;
	return is_last ? pipeline_learn(pipeline, &change, error) : 0;
}

static int pipeline_record(void *context, const struct record *record, struct error *error)
{
	struct pipeline *pipeline = context;
	const struct descriptor *descriptor = convention_find(pipeline->convention, record);

	if (!descriptor)
		return pipeline_task(pipeline, record, error);
	if (unlikely(!pipeline->is_open))
		return record_filter(pipeline, descriptor, record, error);
	convention_decode(&pipeline->decoded, descriptor, record);
	return pipeline_observe(pipeline, error);
}

/*
 * Handles a record by rules and by the convention; a tracepoint may have both. The sideband buffer
 * has its own records of some tracepoints.
 */
static int pipeline_record_by_rules(void *context, const struct record *record, struct error *error)
{
	struct pipeline *pipeline = context;
	const struct convention *convention = pipeline->convention;
	struct rule_tracepoint *tracepoint = NULL;
	uint16_t id = 0;
	int status;

	if (likely(convention_id(convention, record, &id)))
		tracepoint = rules_find_id(pipeline->rules, id);
	if (!tracepoint || record_is_sideband(pipeline, record))
		return pipeline_record(pipeline, record, error);
	pipeline->record = record;
	status = convention_has_task_id(convention, id)
			 ? pipeline_task_rules(pipeline, tracepoint, record, error)
			 : record_apply_rules(pipeline, tracepoint, record, error);
	pipeline->record = NULL;
	if (status < 0 || likely(!convention_find_id(convention, id)))
		return status;
	return pipeline_record(pipeline, record, error);
}

static int pipeline_loss(void *context, const struct loss *loss, struct error *error)
{
	struct pipeline *pipeline = context;

	/* The kernel's sums cover the whole recording. */
	if (loss->is_sum && filter_has_times(&pipeline->filter))
		return 0;
	if (!filter_wants_loss(&pipeline->filter, loss, pipeline->buffers))
		return 0;
	pipeline->has_lost = true;
	if (loss->count > 0)
		pipeline->lost = count_sum(pipeline->lost, loss->count);
	pipeline->nr_gaps += !loss->is_sum;
	pipeline->nr_gaps_unknown += loss->count == LOSS_COUNT_UNKNOWN;
	if (loss->to_ns > pipeline->lost_until_ns)
		pipeline->lost_until_ns = loss->to_ns;
	return tracks_lose(pipeline->tracks, loss, error);
}

static bool pipeline_wants(void *context, int cpu, unsigned int buffer)
{
	const struct pipeline *pipeline = context;

	return filter_wants_stream(&pipeline->filter, cpu, buffer, pipeline->buffers);
}

static int pipeline_change(void *context, const struct instance_change *change, struct error *error)
{
	const struct pipeline_follower *follower = &((const struct pipeline *)context)->follower;

	return follower->change ? follower->change(follower->context, change, error) : 0;
}

static int pipeline_add_event(void *context, const struct program_event *event, struct error *error)
{
	struct pipeline *pipeline = context;

	return program_event_add(pipeline->convention, pipeline->rules, event, pipeline->report,
				 error);
}

struct source_handler pipeline_handler(struct pipeline *pipeline)
{
	return (struct source_handler){ .context = pipeline,
					.record = pipeline->rules ? pipeline_record_by_rules
								  : pipeline_record,
					.loss = pipeline_loss,
					.wants = pipeline_wants,
					.change = pipeline_change,
					.event = pipeline_add_event };
}

int pipeline_report_unknown(struct pipeline *pipeline, struct error *error)
{
	struct source_handler handler = pipeline_handler(pipeline);

	return unknown_events_report(&pipeline->unknown, &handler, error);
}

void pipeline_add_counts(const struct pipeline *pipeline, struct pipeline_counts *sums)
{
	sums->nr_events += pipeline->nr_events;
	sums->has_lost |= pipeline->has_lost;
	sums->lost = count_sum(sums->lost, pipeline->lost);
	sums->nr_gaps += pipeline->nr_gaps;
	sums->nr_gaps_unknown += pipeline->nr_gaps_unknown;
}

struct output_losses pipeline_counts_losses(const struct pipeline_counts *counts)
{
	return (struct output_losses){
		.has_lost = counts->has_lost,
		.records = counts->lost,
		.has_unknown = counts->nr_gaps_unknown > 0,
	};
}

struct output_losses pipeline_losses(const struct pipeline *pipeline)
{
	struct pipeline_counts counts = { 0 };

	pipeline_add_counts(pipeline, &counts);
	return pipeline_counts_losses(&counts);
}

void pipeline_release(struct pipeline *pipeline)
{
	tracks_free(pipeline->tracks);
	unknown_events_release(&pipeline->unknown);
	other_records_release(&pipeline->others);
	timeline_release(&pipeline->timeline);
	convention_free(pipeline->convention);
	stacks_release(&pipeline->stacks);
}

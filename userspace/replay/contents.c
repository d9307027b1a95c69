// SPDX-License-Identifier: GPL-2.0-only
/* Counts the records of a file by their events. */
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "reader/reader.h"
#include "replay/replay.h"
#include "source/source.h"

/** struct contents_run - the counts of all ids, and what takes their records */
struct contents_run {
	struct contents *contents;
	struct convention *convention;
	const struct rules *rules;
	struct stacks stacks;
	struct contents_event *by_id;
};

/* Of two tracepoints with one id, which only a damaged file has, the first one counts. */
static int contents_visit(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	const struct contents_run *run = context;
	const char *of_program = program_system(tracepoint->system);
	int64_t id = format_read_id(tracepoint->format);
	struct buffer name = { 0 };

	if (id < 0 || id >= RULES_IDS || run->by_id[id].name)
		return 0;
	/* As -e names it. */
	buffer_printf(&name, "%s:%s", of_program ? of_program : tracepoint->system,
		      tracepoint->name);
	run->by_id[id].name = strdup(buffer_string(&name));
	buffer_release(&name);
	return run->by_id[id].name ? 0 : error_set(error, "out of memory");
}

static int contents_record(void *context, const struct record *record, struct error *error)
{
	struct contents_run *run = context;
	struct contents *contents = run->contents;
	struct contents_event *event;
	uint16_t id;

	if (record_is_sideband(record, contents->source)) {
		contents->nr_sideband++;
		return 0;
	}
	/* One that is too short for an id is of no event. */
	if (!record_id(record, contents->recording.is_swapped, &id))
		return 0;
	event = &run->by_id[id];
	if (!event->name)
		source_note_unknown(contents->source, id, record);
	if (event->count++ == 0)
		event->first_ns = record->time_ns;
	event->last_ns = record->time_ns;
	contents->end_ns = record->time_ns;
	contents->nr_records++;
	if (!array_extend(contents->has_cpu, contents->nr_cpus, record->cpu))
		return error_set(error, "out of memory");
	contents->has_cpu[record->cpu] = true;
	return 0;
}

static int contents_loss(void *context, const struct loss *loss, struct error *error)
{
	struct pipeline_counts *counts = &((struct contents_run *)context)->contents->counts;

	(void)error;
	counts->has_lost = true;
	if (loss->count > 0)
		counts->lost = count_sum(counts->lost, loss->count);
	counts->nr_gaps += !loss->is_sum;
	counts->nr_gaps_unknown += loss->count == LOSS_COUNT_UNKNOWN;
	return 0;
}

static void takers_append(const struct contents_run *run, uint16_t id, struct buffer *out)
{
	const struct rule_tracepoint *tracepoint = run->rules ? rules_find_id(run->rules, id)
							      : NULL;

	if (tracepoint)
		rule_tracepoint_append_takers(tracepoint, out);
	if (convention_find_id(run->convention, id))
		buffer_append_string(out, out->size > 0 ? "," RULES_CONVENTION : RULES_CONVENTION);
	if (run->stacks.layout.is_known && run->stacks.layout.id == id)
		buffer_append_string(out, "stacks");
	if (out->size == 0 && convention_has_task_id(run->convention, id))
		buffer_append_string(out, "threads");
}

static int events_compare(const void *a, const void *b)
{
	const struct contents_event *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* Moves the events that have records to the list. */
static int events_keep(struct contents_run *run, struct error *error)
{
	struct contents *contents = run->contents;
	struct buffer takers = { 0 };

	for (size_t id = 0; id < RULES_IDS; id++) {
		struct contents_event *event = &run->by_id[id];

		if (event->count == 0)
			continue;
		event->id = id;
		buffer_clear(&takers);
		takers_append(run, id, &takers);
		event->takers = strdup(buffer_string(&takers));
		if (takers.failed || !event->takers ||
		    !array_reserve(contents->events, contents->nr_events)) {
			buffer_release(&takers);
			return error_set(error, "out of memory");
		}
		contents->events[contents->nr_events++] = *event;
		*event = (struct contents_event){ 0 };
	}
	buffer_release(&takers);
	if (contents->nr_events > 0)
		qsort(contents->events, contents->nr_events, sizeof(*contents->events),
		      events_compare);
	return 0;
}

static int contents_run_all(struct contents_run *run, struct selection *selection,
			    const struct report *report, struct error *error)
{
	const struct tracepoint_visitor visitor = { .context = run, .visit = contents_visit };
	const struct source_handler handler = { .context = run,
						.record = contents_record,
						.loss = contents_loss };
	struct contents *contents = run->contents;
	struct transfer transfer;
	uint64_t lost;
	int status;

	if (!run->by_id || !run->convention)
		return error_set(error, "out of memory");
	if (selection_choose(selection, contents->source, contents->recording.source, report,
			     error) < 0 ||
	    selection_apply(selection, contents->source, run->convention, report, error) < 0)
		return -1;
	run->rules = selection->rules;
	if (stacks_open(&run->stacks, contents->source, run->rules, report, error) < 0 ||
	    source_visit(contents->source, &visitor, error) < 0 ||
	    source_first_time(contents->source, &contents->start_ns, error) < 0)
		return -1;
	/* Times of a part count from the begin of the whole. */
	contents->recording.start_ns = contents->start_ns;
	recording_set_origin(&contents->recording);
	source_set_progress(contents->source,
			    transfer_begin(&transfer, report, contents->recording.source,
					   &contents->nr_records));
	status = source_finish(contents->source, INT64_MAX, &handler, &lost, error);
	source_set_progress(contents->source, NULL);
	transfer_end(&transfer);
	return status < 0 ? -1 : events_keep(run, error);
}

int contents_read(struct contents *out, const char *name, struct selection *selection,
		  const struct limits *limits, const struct report *report, struct error *error)
{
	struct input_settings input = { .max_kib = limits->max_input_kib };
	struct contents_run run = { .contents = out };
	struct transfer transfer;
	int status;

	*out = (struct contents){ 0 };
	if (source_name_is_instance(name))
		return error_set(error,
				 "%s: reading empties an instance; save it with 'ktrack export "
				 "--save=FILE %s', and list FILE",
				 name, name);
	if (spool_refuse_killed(name, error) < 0)
		return -1;
	input.progress = transfer_begin(&transfer, report, name, NULL);
	status = source_open(&out->source, name, &input, error);
	transfer_end(&transfer);
	if (status < 0)
		return -1;
	out->recording = *source_describe(out->source);
	out->recording.source = name;
	if (!out->recording.clock)
		out->recording.clock = "unknown";
	if (!out->recording.kernel)
		out->recording.kernel = "unknown";
	run.by_id = calloc(RULES_IDS, sizeof(*run.by_id));
	run.convention = convention_new(out->recording.is_swapped);
	status = contents_run_all(&run, selection, report, error);
	for (size_t id = 0; run.by_id && id < RULES_IDS; id++) {
		free(run.by_id[id].name);
		free(run.by_id[id].takers);
	}
	free(run.by_id);
	convention_free(run.convention);
	return status;
}

const char *contents_damage(const struct contents *contents)
{
	return source_damage(contents->source);
}

void contents_release(struct contents *contents)
{
	for (size_t i = 0; i < contents->nr_events; i++) {
		free(contents->events[i].name);
		free(contents->events[i].takers);
	}
	free(contents->events);
	free(contents->has_cpu);
	source_close(contents->source);
}

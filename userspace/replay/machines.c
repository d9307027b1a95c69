// SPDX-License-Identifier: GPL-2.0-only
/* Several recordings as one: tracks of each, in the order of the wall clock. */
#include "replay/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"

static int64_t time_move(const struct join_member *member, int64_t time_ns)
{
	return time_ns + member->machine->shift_ns;
}

/* A machine's end and its losses may be reported after later events of others. */
static void event_move(const struct join_member *member, struct timeline_event *event)
{
	int64_t last_ns = member->join->timeline.last_ns;

	event->time_ns = time_move(member, event->time_ns);
	if (event->time_ns < last_ns)
		event->time_ns = last_ns;
	switch (event->kind) {
	case TIMELINE_SLICE_END:
		event->begin_ns = time_move(member, event->begin_ns);
		break;
	case TIMELINE_INSTANT:
	case TIMELINE_COUNTER:
		event->outer_ns = time_move(member, event->outer_ns);
		break;
	case TIMELINE_LOSS:
	case TIMELINE_LOSS_SUM:
		event->begin_ns = time_move(member, event->begin_ns);
		if (event->loss_end_ns != INT64_MAX)
			event->loss_end_ns = time_move(member, event->loss_end_ns);
		event->loss_machine = member->machine;
		break;
	default:
		break;
	}
}

/* Names of flows live as long as their tracepoint, so that addresses identify them. */
static const char *flow_name(struct join_member *member, struct text from)
{
	struct buffer name = { 0 };

	for (size_t i = 0; i < member->nr_flows; i++) {
		const struct join_flow *flow = &member->flows[i];

		if (flow->from.data == from.data && flow->from.size == from.size)
			return flow->to;
	}
	if (!array_reserve(member->flows, member->nr_flows))
		return NULL;
	buffer_printf(&name, "%s/%.*s", member->machine->name, (int)from.size, from.data);
	buffer_string(&name);
	if (name.failed) {
		buffer_release(&name);
		return NULL;
	}
	member->flows[member->nr_flows++] = (struct join_flow){ .from = from, .to = name.data };
	return name.data;
}

/* The fields, with the machine's name before those of flows. */
static int flows_rename(struct join_member *member, struct timeline_event *event)
{
	size_t size = (size_t)event->nr_fields + event->nr_flows;

	if (!array_extend(member->fields, member->nr_fields, size - 1))
		return -1;
	memcpy(member->fields, event->fields, size * sizeof(*event->fields));
	for (size_t i = event->nr_fields; i < size; i++) {
		const char *name = flow_name(member, event->fields[i].name);

		if (!name)
			return -1;
		member->fields[i].name = text_of(name);
	}
	event->fields = member->fields;
	return 0;
}

static const char *tracepoint_name(struct join_member *member, const char *tracepoint)
{
	buffer_clear(&member->tracepoint);
	buffer_printf(&member->tracepoint, "%s/%s", member->machine->name, tracepoint);
	return buffer_string(&member->tracepoint);
}

static int malformed_append(struct join_member *member, const struct timeline_totals *totals)
{
	struct join *join = member->join;
	size_t *nr = &join->totals.nr_malformed_of;

	for (size_t i = 0; i < totals->nr_malformed_of; i++) {
		const struct timeline_count *from = &totals->malformed_of[i];
		char *name = strdup(tracepoint_name(member, from->tracepoint));

		if (!name || !array_reserve(join->malformed_of, *nr)) {
			free(name);
			return -1;
		}
		join->malformed_of[(*nr)++] = (struct timeline_count){ name, from->count };
	}
	join->totals.malformed_of = join->malformed_of;
	return 0;
}

static void counts_add(struct timeline_totals *sums, const struct timeline_totals *totals)
{
	sums->lost_records = count_sum(sums->lost_records, totals->lost_records);
	sums->lost_gaps += totals->lost_gaps;
	sums->lost_gaps_unknown += totals->lost_gaps_unknown;
	sums->lost_task_records += totals->lost_task_records;
	sums->late_records += totals->late_records;
	sums->unmatched_ends += totals->unmatched_ends;
	sums->filtered_ends += totals->filtered_ends;
	sums->foreign_ends += totals->foreign_ends;
	sums->malformed += totals->malformed;
	sums->unfinished += totals->unfinished;
	sums->suspect += totals->suspect;
	sums->retired_tracks += totals->retired_tracks;
	sums->renamed_threads += totals->renamed_threads;
	sums->evicted_slices += totals->evicted_slices;
	sums->other_names += totals->other_names;
}

static int join_event(struct sink *head, const struct timeline_event *event, struct error *error)
{
	struct join_member *member = container_of(head, struct join_member, sink);
	struct timeline_event moved = *event;

	if (event->kind == TIMELINE_FINISH) {
		struct timeline_totals *sums = &member->join->totals;
		int64_t from_ns;
		int64_t until_ns;

		counts_add(&member->join->totals, event->totals);
		from_ns = time_move(member, event->totals->complete_from_ns);
		until_ns = time_move(member, event->totals->complete_until_ns);
		/* The stream is complete where the recordings of all machines are. */
		if (event->totals->has_complete_from &&
		    (!sums->has_complete_from || from_ns > sums->complete_from_ns))
			sums->complete_from_ns = from_ns;
		if (event->totals->has_complete_until &&
		    (!sums->has_complete_until || until_ns < sums->complete_until_ns))
			sums->complete_until_ns = until_ns;
		sums->has_complete_from |= event->totals->has_complete_from;
		sums->has_complete_until |= event->totals->has_complete_until;
		return malformed_append(member, event->totals) < 0
			       ? error_set(error, "out of memory")
			       : 0;
	}
	event_move(member, &moved);
	if (event->kind == TIMELINE_TRACK_BEGIN) {
		event->track->number = ++member->join->nr_tracks;
		event->track->machine = member->machine;
	}
	if (event->nr_flows > 0 && flows_rename(member, &moved) < 0)
		return error_set(error, "out of memory");
	if (event->kind == TIMELINE_MALFORMED || event->kind == TIMELINE_FOREIGN_END ||
	    event->kind == TIMELINE_TRACEPOINT)
		moved.tracepoint = tracepoint_name(member, event->tracepoint);
	return timeline_push(&member->join->timeline, &moved, error);
}

static void join_member_free(struct sink *head)
{
	struct join_member *member = container_of(head, struct join_member, sink);

	for (size_t i = 0; i < member->nr_flows; i++)
		free(member->flows[i].to);
	free(member->flows);
	free(member->fields);
	buffer_release(&member->tracepoint);
	free(member);
}

static const struct sink_ops join_ops = {
	.event = join_event,
	.free = join_member_free,
};

int join_finish(struct join *join, int status, struct error *error)
{
	const struct timeline_event event = {
		.kind = TIMELINE_FINISH,
		.time_ns = join->timeline.last_ns,
		.totals = &join->totals,
		.status = status,
	};

	return timeline_push(&join->timeline, &event, error);
}

/* Merges recordings of several machines by the offsets of their clocks to the wall clock. */

/* Half the limit of times, about 73 years: the sum of shifts and times stays a number then. */
#define SHIFT_LIMIT_NS (RECORD_TIME_LIMIT / 2)

static char *machine_name(const struct machines *machines, const struct export_part *part)
{
	const char *host = part->recording.host;
	char *name = NULL;
	size_t nr = 0;

	/* There may be another recording of a machine with this name. */
	for (size_t i = 0; host && i < machines->size; i++) {
		const char *other = machines->parts[i].recording.host;

		nr += other && strcmp(other, host) == 0;
	}
	if (host && *host && nr == 1)
		return strdup(host);
	return asprintf(&name, "%s (%s)", host && *host ? host : "unknown host", part->name) < 0
		       ? NULL
		       : name;
}

static int machine_describe(struct machines *machines, size_t index, struct error *error)
{
	const struct export_part *first = &machines->parts[0], *part = &machines->parts[index];
	const struct recording *recording = &part->recording;
	/* Offsets are below the limit of times. */
	int64_t shift_ns = recording->wall_offset_ns - first->recording.wall_offset_ns;

	if (recording->counts_ticks || strcmp(recording->time_source, "none") == 0)
		return error_set(error,
				 "%s: the wall clock is unknown (clock %s), so that it cannot be "
				 "merged; export it alone, or record with %s",
				 part->name, recording->clock,
				 recording->counts_ticks ? "--clock=boot" : "'ktrack record'");
	if (shift_ns <= -SHIFT_LIMIT_NS || shift_ns >= SHIFT_LIMIT_NS)
		return error_set(error,
				 "%s: its wall clock is more than 73 years from that of %s, so "
				 "that they cannot be merged; export it alone",
				 part->name, first->name);
	machines->names[index] = machine_name(machines, part);
	if (!machines->names[index])
		return error_set(error, "out of memory");
	machines->list[index] = (struct timeline_machine){
		.number = index + 1,
		.name = machines->names[index],
		.recording = recording,
		.shift_ns = shift_ns,
	};
	buffer_printf(&machines->sources, "%s%s", index > 0 ? " " : "", part->name);
	return 0;
}

/* The text of a part's property. */
static const char *text_at(const struct machines *machines, size_t index, size_t offset)
{
	const struct recording *recording = &machines->parts[index].recording;

	return *(const char *const *)((const char *)recording + offset);
}

/* What all recordings have in common, or "several". @offset: of a property that all have */
static const char *common_text(const struct machines *machines, size_t offset)
{
	for (size_t i = 1; i < machines->size; i++) {
		if (strcmp(text_at(machines, i, offset), text_at(machines, 0, offset)) != 0)
			return "several";
	}
	return text_at(machines, 0, offset);
}

int machines_prepare(struct machines *machines, struct export_part *parts, size_t size,
		     struct error *error)
{
	struct export_settings *settings = parts[0].settings;
	struct buffer ids = { 0 };
	bool has_one_buffer = true;

	machines->parts = parts;
	machines->size = size;
	for (size_t i = 0; i < size; i++) {
		if (machine_describe(machines, i, error) < 0)
			return -1;
	}
	for (size_t i = 0; i < size; i++) {
		buffer_append_string(&ids, parts[i].recording.id);
		has_one_buffer &= parts[i].recording.has_one_buffer;
	}
	snprintf(machines->id, sizeof(machines->id), "%016llx",
		 (unsigned long long)text_hash(buffer_text(&ids)));
	machines->sources.failed |= ids.failed;
	buffer_release(&ids);
	machines->recording = (struct recording){
		.command = "export",
		.argv = settings->argv,
		.source = buffer_string(&machines->sources),
		.id = machines->id,
		.clock = common_text(machines, offsetof(struct recording, clock)),
		.time_source = common_text(machines, offsetof(struct recording, time_source)),
		.kernel = common_text(machines, offsetof(struct recording, kernel)),
		.selection = common_text(machines, offsetof(struct recording, selection)),
		.labels = settings->labels.size > 0 ? buffer_string(&settings->labels) : NULL,
		.wall_offset_ns = parts[0].recording.wall_offset_ns,
		.has_one_buffer = has_one_buffer,
		.machines = machines->list,
		.nr_machines = size,
	};
	return machines->sources.failed ? error_set(error, "out of memory") : 0;
}

/* All recordings begin with the first record of any. */
static int machines_find_start(struct machines *machines, struct error *error)
{
	int64_t start_ns = INT64_MAX;

	for (size_t i = 0; i < machines->size; i++) {
		struct export_part *part = &machines->parts[i];
		int64_t first_ns;

		if (export_part_find_start(part, error) < 0 ||
		    export_part_find_next(part, error) < 0)
			return -1;
		first_ns = part->recording.start_ns + machines->list[i].shift_ns;
		if (part->has_next && first_ns < start_ns)
			start_ns = first_ns;
		machines->recording.nr_cpus += part->recording.nr_cpus;
	}
	machines->recording.start_ns = start_ns == INT64_MAX ? 0 : start_ns;
	for (size_t i = 0; i < machines->size; i++)
		machines->parts[i].recording.start_ns = machines->recording.start_ns -
							machines->list[i].shift_ns;
	return 0;
}

int machines_begin(struct machines *machines, struct error *error)
{
	if (machines_find_start(machines, error) < 0)
		return -1;
	recording_set_window(&machines->recording, &machines->parts[0].settings->filter);
	if (timeline_open(&machines->join.timeline, &machines->recording, error) < 0)
		return -1;
	for (size_t i = 0; i < machines->size; i++) {
		struct export_part *part = &machines->parts[i];
		struct sink *sink = sink_new(&join_ops, sizeof(struct join_member), error);
		struct join_member *member = container_of(sink, struct join_member, sink);

		if (!sink)
			return -1;
		member->join = &machines->join;
		member->machine = &machines->list[i];
		if (timeline_add(&part->pipeline.timeline, sink, error) < 0 ||
		    export_part_begin(part, error) < 0)
			return -1;
	}
	return 0;
}

/* Common time of the next record of a part that has one, or of what is open at its window's begin.
 */
static int64_t next_time(const struct machines *machines, size_t index)
{
	int64_t time_ns = machines->parts[index].next_ns;

	pipeline_next_open(&machines->parts[index].pipeline, &time_ns);
	return time_ns + machines->list[index].shift_ns;
}

/* The part with the earliest next record but for @other; machines->size if there is none. */
static size_t machines_find_first(const struct machines *machines, size_t other)
{
	size_t found = machines->size;

	for (size_t i = 0; i < machines->size; i++) {
		if (i == other || !machines->parts[i].has_next)
			continue;
		if (found == machines->size || next_time(machines, i) < next_time(machines, found))
			found = i;
	}
	return found;
}

static int part_end(struct export_part *part, struct error *error)
{
	if (export_part_read_rest(part, error) < 0)
		return -1;
	return export_part_finish(part, STATUS_DONE, error);
}

/*
 * Records before the window have no events: they are read at once, so that what is open at its
 * begin is known before the first event of any machine.
 */
static int part_enter_window(struct export_part *part, struct error *error)
{
	if (!part->recording.has_window)
		return 0;
	if (export_part_read(part, part->recording.from_ns - 1, error) < 0 ||
	    export_part_find_next(part, error) < 0)
		return -1;
	return part->has_next ? pipeline_enter_window(&part->pipeline, part->next_ns, error) : 0;
}

static int part_read_until(struct export_part *part, int64_t until_ns, struct error *error)
{
	int64_t ignored_ns;

	if (pipeline_next_open(&part->pipeline, &ignored_ns))
		return pipeline_show_open(&part->pipeline, until_ns, error);
	if (export_part_read(part, until_ns, error) < 0 || export_part_find_next(part, error) < 0)
		return -1;
	return part->has_next ? 0 : part_end(part, error);
}

/* Reads a part up to the next event of another; with equal times, the first part is first. */
static int part_turn(struct machines *machines, size_t first, struct error *error)
{
	struct export_part *part = &machines->parts[first];
	size_t second = machines_find_first(machines, first);
	int64_t until_ns = INT64_MAX;

	if (second < machines->size)
		until_ns = next_time(machines, second) - (second < first) -
			   machines->list[first].shift_ns;
	return part_read_until(part, until_ns, error);
}

int machines_read(struct machines *machines, struct error *error)
{
	size_t first;

	for (size_t i = 0; i < machines->size; i++) {
		struct export_part *part = &machines->parts[i];

		if (part_enter_window(part, error) < 0 ||
		    (!part->has_next && part_end(part, error) < 0))
			return -1;
	}
	while ((first = machines_find_first(machines, machines->size)) < machines->size) {
		if (part_turn(machines, first, error) < 0)
			return -1;
	}
	return 0;
}

static const char *host_of(const struct machines *machines, size_t index)
{
	const char *host = machines->parts[index].recording.host;

	return host ? host : machines->list[index].name;
}

/* Clocks of two recordings of one machine have the same error. */
static bool machines_differ(const struct machines *machines)
{
	for (size_t i = 1; i < machines->size; i++) {
		if (strcmp(host_of(machines, i), host_of(machines, 0)) != 0)
			return true;
	}
	return false;
}

/* The two largest limits of different machines; returns the name of one without, or NULL. */
static const char *errors_find(const struct machines *machines, int64_t largest[2])
{
	size_t worst = 0;

	largest[0] = largest[1] = 0;
	for (size_t i = 0; i < machines->size; i++) {
		int64_t error_ns = machines->parts[i].recording.wall_error_ns;

		if (error_ns < 0)
			return machines->list[i].name;
		if (error_ns > largest[0])
			worst = i;
		if (error_ns > largest[0])
			largest[0] = error_ns;
	}
	for (size_t i = 0; i < machines->size; i++) {
		if (strcmp(host_of(machines, i), host_of(machines, worst)) != 0 &&
		    machines->parts[i].recording.wall_error_ns > largest[1])
			largest[1] = machines->parts[i].recording.wall_error_ns;
	}
	return NULL;
}

void machines_report(const struct machines *machines, const struct report *report)
{
	SCOPED_BUFFER(limit);
	const char *unknown;
	int64_t largest[2];

	if (!machines_differ(machines))
		return;
	unknown = errors_find(machines, largest);
	if (unknown) {
		report_message(report,
			       "%s: the error of its wall clock is unknown, and with it the order "
			       "of its records and those of other machines",
			       unknown);
		return;
	}
	buffer_append_duration(&limit, largest[0] + largest[1]);
	report_message(report,
		       "%s: times of different machines may be wrong by %s, by what their kernels "
		       "report of the errors of their clocks",
		       machines->recording.source, buffer_string(&limit));
}

void machines_release(struct machines *machines)
{
	/* Free the common timeline, after those of the machines. */
	timeline_release(&machines->join.timeline);
	for (size_t i = 0; i < machines->join.totals.nr_malformed_of; i++)
		free((char *)machines->join.malformed_of[i].tracepoint);
	free(machines->join.malformed_of);
	machines->join = (struct join){ 0 };
	for (size_t i = 0; i < machines->size; i++)
		free(machines->names[i]);
	buffer_release(&machines->sources);
}

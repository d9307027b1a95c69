// SPDX-License-Identifier: GPL-2.0-only
/* Moves the events of several machines to one timeline. */
#include "replay/join.h"

#include <stdlib.h>
#include <string.h>

static struct join_member *member_of(struct sink *head)
{
	return container_of(head, struct join_member, sink);
}

/* The outputs of the common timeline are opened by its owner. */
static int join_open(struct sink *head, const struct recording *recording, unsigned int sink_index,
		     struct error *error)
{
	(void)head;
	(void)recording;
	(void)sink_index;
	(void)error;
	return 0;
}

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
	struct join_flow *flows;
	struct buffer name = { 0 };

	for (size_t i = 0; i < member->nr_flows; i++) {
		const struct join_flow *flow = &member->flows[i];

		if (flow->from.data == from.data && flow->from.size == from.size)
			return flow->to;
	}
	flows = reallocarray(member->flows, member->nr_flows + 1, sizeof(*flows));
	if (!flows)
		return NULL;
	member->flows = flows;
	buffer_printf(&name, "%s/%.*s", member->machine->name, (int)from.size, from.data);
	buffer_string(&name);
	if (name.failed) {
		buffer_release(&name);
		return NULL;
	}
	flows[member->nr_flows] = (struct join_flow){ .from = from, .to = name.data };
	return flows[member->nr_flows++].to;
}

static int fields_grow(struct join_member *member, size_t size)
{
	struct field *fields = member->fields;

	if (size <= member->nr_fields)
		return 0;
	fields = reallocarray(fields, size, sizeof(*fields));
	if (!fields)
		return -1;
	member->fields = fields;
	member->nr_fields = size;
	return 0;
}

/* The fields, with the machine's name before those of flows. */
static int flows_rename(struct join_member *member, struct timeline_event *event)
{
	size_t size = (size_t)event->nr_fields + event->nr_flows;

	if (fields_grow(member, size) < 0)
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

static void track_take(const struct join_member *member, struct timeline_track *track)
{
	track->number = ++member->join->nr_tracks;
	track->machine = member->machine;
}

/* @out has space. */
static int malformed_add(struct join_member *member, const struct timeline_count *from,
			 struct timeline_count *out)
{
	char *name = strdup(tracepoint_name(member, from->tracepoint));

	*out = (struct timeline_count){ .tracepoint = name, .count = from->count };
	return name ? 0 : -1;
}

static int malformed_append(struct join_member *member, const struct timeline_totals *totals)
{
	struct join *join = member->join;
	size_t nr = join->totals.nr_malformed_of;
	struct timeline_count *list = reallocarray(join->malformed_of,
						   nr + totals->nr_malformed_of + 1, sizeof(*list));

	if (!list)
		return -1;
	join->malformed_of = list;
	join->totals.malformed_of = list;
	for (size_t i = 0; i < totals->nr_malformed_of; i++) {
		if (malformed_add(member, &totals->malformed_of[i], &list[nr + i]) < 0)
			return -1;
		join->totals.nr_malformed_of++;
	}
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

/* The stream is complete where the recordings of all machines are. */
static void spans_add(const struct join_member *member, const struct timeline_totals *totals)
{
	struct timeline_totals *sums = &member->join->totals;
	int64_t from_ns = time_move(member, totals->complete_from_ns);
	int64_t until_ns = time_move(member, totals->complete_until_ns);

	if (totals->has_complete_from &&
	    (!sums->has_complete_from || from_ns > sums->complete_from_ns))
		sums->complete_from_ns = from_ns;
	if (totals->has_complete_until &&
	    (!sums->has_complete_until || until_ns < sums->complete_until_ns))
		sums->complete_until_ns = until_ns;
	sums->has_complete_from |= totals->has_complete_from;
	sums->has_complete_until |= totals->has_complete_until;
}

static int member_finish(struct join_member *member, const struct timeline_event *event,
			 struct error *error)
{
	counts_add(&member->join->totals, event->totals);
	spans_add(member, event->totals);
	return malformed_append(member, event->totals) < 0 ? error_set(error, "out of memory") : 0;
}

static int join_event(struct sink *head, const struct timeline_event *event, struct error *error)
{
	struct join_member *member = member_of(head);
	struct timeline_event moved = *event;

	if (event->kind == TIMELINE_FINISH)
		return member_finish(member, event, error);
	event_move(member, &moved);
	if (event->kind == TIMELINE_TRACK_BEGIN)
		track_take(member, event->track);
	if (event->nr_flows > 0 && flows_rename(member, &moved) < 0)
		return error_set(error, "out of memory");
	if (event->kind == TIMELINE_MALFORMED || event->kind == TIMELINE_FOREIGN_END ||
	    event->kind == TIMELINE_TRACEPOINT)
		moved.tracepoint = tracepoint_name(member, event->tracepoint);
	return timeline_push(&member->join->timeline, &moved, error);
}

static void join_member_free(struct sink *head)
{
	struct join_member *member = member_of(head);

	for (size_t i = 0; i < member->nr_flows; i++)
		free(member->flows[i].to);
	free(member->flows);
	free(member->fields);
	buffer_release(&member->tracepoint);
	free(member);
}

static const struct sink_ops join_ops = {
	.open = join_open,
	.event = join_event,
	.free = join_member_free,
};

int join_add(struct join *join, struct timeline *timeline, const struct timeline_machine *machine,
	     struct error *error)
{
	struct join_member *member = calloc(1, sizeof(*member));

	if (!member)
		return error_set(error, "out of memory");
	member->sink.ops = &join_ops;
	member->join = join;
	member->machine = machine;
	return timeline_add(timeline, &member->sink, error);
}

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

void join_release(struct join *join)
{
	timeline_release(&join->timeline);
	for (size_t i = 0; i < join->totals.nr_malformed_of; i++)
		free((char *)join->malformed_of[i].tracepoint);
	free(join->malformed_of);
	*join = (struct join){ 0 };
}

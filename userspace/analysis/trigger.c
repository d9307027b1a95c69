// SPDX-License-Identifier: GPL-2.0-only
/*
 * The triggers of a run, and the sink that tries them. Open slices wait for their limits in one
 * queue for each trigger: slices begin in the order of time, so the first one is due first.
 */
#include <stdlib.h>
#include <sys/queue.h>

#include "analysis/analysis.h"

/**
 * struct waiting_slice - an open slice that matches a trigger
 * @has_fired: it has reached its limit
 */
struct waiting_slice {
	TAILQ_ENTRY(waiting_slice) link;
	const struct timeline_track *track;
	const struct timeline_name *name;
	unsigned int depth;
	unsigned int trigger;
	int64_t begin_ns;
	bool has_fired;
};

TAILQ_HEAD(waiting_queue, waiting_slice);

/**
 * struct trigger_set - the triggers
 * @slices: open slices by track, depth and trigger
 * @nr_unwatched: slices for which there was no space
 * @lost_ns: slices that began before are doubtful
 */
struct trigger_set {
	struct trigger *list;
	size_t size;
	struct waiting_queue queues[TRIGGERS_MAX];
	struct map slices;
	struct trigger_handler handler;
	uint64_t nr_unwatched;
	int64_t lost_ns;
};

/**
 * struct trigger_sink - the events of a timeline
 *
 * The data of tracks are sets of triggers as bits: those that match, and, shifted by ABOVE, those
 * whose threshold the counter exceeds. BIT_IS_KNOWN is set in those that were computed.
 */
struct trigger_sink {
	struct sink sink;
	struct trigger_set *set;
	unsigned int sink_index;
};

#define ABOVE TRIGGERS_MAX
#define BIT_IS_KNOWN ((uintptr_t)1 << (2 * TRIGGERS_MAX))
#define MATCH_MASK (((uintptr_t)1 << TRIGGERS_MAX) - 1)

int trigger_set_new(struct trigger_set **out, const char *const *texts, size_t size,
		    const struct trigger_handler *handler, struct error *error)
{
	struct trigger_set *set = calloc(1, sizeof(*set));

	*out = set;
	if (set)
		set->list = calloc(size + 1, sizeof(*set->list));
	if (!set || !set->list)
		return error_set(error, "out of memory");
	set->handler = *handler;
	for (size_t i = 0; i < TRIGGERS_MAX; i++)
		TAILQ_INIT(&set->queues[i]);
	for (size_t i = 0; i < size; i++) {
		set->size++;
		if (trigger_parse(&set->list[i], texts[i], error) < 0)
			return -1;
	}
	return 0;
}

void trigger_set_free(struct trigger_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->slices.capacity; i++)
		free(set->slices.slots[i].value);
	map_release(&set->slices);
	for (size_t i = 0; i < set->size; i++)
		trigger_release(&set->list[i]);
	free(set->list);
	free(set);
}

uint64_t trigger_set_unwatched(const struct trigger_set *set)
{
	return set->nr_unwatched;
}

/* One line, whatever the names contain. */
static int trigger_fire(const struct trigger_set *set, unsigned int number, int64_t time_ns,
			int64_t end_ns, struct buffer *detail)
{
	struct trigger_firing firing = { .trigger = set->list[number].text,
					 .time_ns = time_ns,
					 .end_ns = end_ns };
	int status;

	for (size_t i = 0; i < detail->size; i++) {
		if ((unsigned char)detail->data[i] < ' ')
			detail->data[i] = '?';
	}
	firing.detail = buffer_string(detail);
	status = set->handler.fire(set->handler.context, &firing);
	buffer_release(detail);
	return status;
}

static void detail_append(struct buffer *out, const struct timeline_track *track,
			  const struct timeline_name *name)
{
	if (name)
		buffer_printf(out, "%.*s on ", (int)name->text.size, name->text.data);
	track_append_label(out, track);
}

static int64_t slice_due_ns(const struct trigger *trigger, const struct waiting_slice *slice)
{
	int64_t due_ns;

	if (__builtin_add_overflow(slice->begin_ns, trigger->limit + !trigger->allows_equal,
				   &due_ns))
		return INT64_MAX;
	return due_ns;
}

static int slice_fire(struct trigger_set *set, struct waiting_slice *slice, int64_t due_ns)
{
	struct buffer detail = { 0 };

	TAILQ_REMOVE(&set->queues[slice->trigger], slice, link);
	slice->has_fired = true;
	detail_append(&detail, slice->track, slice->name);
	if (slice->begin_ns < set->lost_ns)
		buffer_append_string(&detail, ", unless its end was lost");
	return trigger_fire(set, slice->trigger, due_ns, due_ns, &detail);
}

int trigger_set_advance(struct trigger_set *set, int64_t now_ns)
{
	for (size_t i = 0; i < set->size; i++) {
		struct waiting_slice *slice;

		while ((slice = TAILQ_FIRST(&set->queues[i]))) {
			int64_t due_ns = slice_due_ns(&set->list[i], slice);

			if (due_ns > now_ns)
				break;
			if (slice_fire(set, slice, due_ns) < 0)
				return -1;
		}
	}
	return 0;
}

int64_t trigger_set_due_ns(const struct trigger_set *set)
{
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < set->size; i++) {
		const struct waiting_slice *slice = TAILQ_FIRST(&set->queues[i]);

		if (slice && slice_due_ns(&set->list[i], slice) < first_ns)
			first_ns = slice_due_ns(&set->list[i], slice);
	}
	return first_ns;
}

static uint64_t slice_hash(const struct waiting_slice *slice)
{
	return hash_number((uintptr_t)slice->track +
			   hash_number((uint64_t)slice->depth * TRIGGERS_MAX + slice->trigger));
}

static bool slice_equals(const void *value, const void *key)
{
	const struct waiting_slice *a = value, *b = key;

	return a->track == b->track && a->depth == b->depth && a->trigger == b->trigger;
}

static int slice_wait(struct trigger_set *set, const struct waiting_slice *begun)
{
	struct waiting_slice *slice;

	if (set->slices.size >= TRIGGER_SLICES_MAX) {
		set->nr_unwatched++;
		return 0;
	}
	slice = malloc(sizeof(*slice));
	if (!slice)
		return -1;
	*slice = *begun;
	if (map_insert(&set->slices, slice_hash(slice), slice) < 0) {
		free(slice);
		return -1;
	}
	TAILQ_INSERT_TAIL(&set->queues[slice->trigger], slice, link);
	return 0;
}

static void slice_wait_end(struct trigger_set *set, const struct waiting_slice *key)
{
	uint64_t hash = slice_hash(key);
	struct waiting_slice *slice = map_find(&set->slices, hash, slice_equals, key);

	if (!slice)
		return;
	map_remove(&set->slices, hash, slice);
	if (!slice->has_fired)
		TAILQ_REMOVE(&set->queues[slice->trigger], slice, link);
	free(slice);
}

static int event_fire(struct trigger_set *set, unsigned int number,
		      const struct timeline_event *event)
{
	struct buffer detail = { 0 };

	detail_append(&detail, event->track, event->name);
	return trigger_fire(set, number, event->time_ns, event->time_ns, &detail);
}

static int slice_try(struct trigger_set *set, unsigned int number,
		     const struct timeline_event *event)
{
	const struct trigger *trigger = &set->list[number];
	const struct waiting_slice slice = { .track = event->track,
					     .name = event->name,
					     .depth = event->depth,
					     .trigger = number,
					     .begin_ns = event->time_ns };

	if (event->kind == TIMELINE_SLICE_END) {
		slice_wait_end(set, &slice);
		return 0;
	}
	if (event->kind != TIMELINE_SLICE_BEGIN ||
	    !slice_selector_matches_name(&trigger->selector, event->name->text) ||
	    !trigger_accepts(trigger, event))
		return 0;
	return slice_wait(set, &slice);
}

static int counter_try(struct trigger_set *set, unsigned int number,
		       const struct timeline_event *event, uintptr_t *bits)
{
	const struct trigger *trigger = &set->list[number];
	uintptr_t bit = (uintptr_t)1 << (number + ABOVE);
	bool was_above = *bits & bit;
	struct buffer detail = { 0 };

	if (event->kind != TIMELINE_COUNTER ||
	    !slice_selector_matches_name(&trigger->selector, event->track->name))
		return 0;
	*bits &= ~bit;
	if (!trigger_exceeds(trigger, &event->value))
		return 0;
	*bits |= bit;
	if (was_above || !trigger_accepts(trigger, event))
		return 0;
	detail_append(&detail, event->track, NULL);
	buffer_append_string(&detail, " is ");
	value_append_text(&detail, &event->value);
	return trigger_fire(set, number, event->time_ns, event->time_ns, &detail);
}

/* Without conditions, an end says no more than its begin. */
static int event_try(struct trigger_set *set, unsigned int number,
		     const struct timeline_event *event)
{
	const struct trigger *trigger = &set->list[number];
	bool is_end = event->kind == TIMELINE_SLICE_END;

	if ((is_end && trigger->nr_conditions == 0) || event->kind == TIMELINE_COUNTER)
		return 0;
	if (!slice_selector_matches_name(&trigger->selector, event->name->text) ||
	    !trigger_accepts(trigger, event))
		return 0;
	return event_fire(set, number, event);
}

static int loss_try(struct trigger_set *set, const struct timeline_event *event)
{
	set->lost_ns = event->time_ns;
	if (event->loss_end_ns != INT64_MAX && event->loss_end_ns > set->lost_ns)
		set->lost_ns = event->loss_end_ns;
	for (size_t i = 0; i < set->size; i++) {
		struct buffer detail = { 0 };

		if (set->list[i].kind != TRIGGER_LOSS)
			continue;
		buffer_printf(&detail, "cpu %d lost ", event->loss_cpu);
		if (event->loss_count >= 0)
			buffer_append_signed(&detail, event->loss_count);
		else
			buffer_append_string(&detail, "an unknown number of");
		buffer_append_string(&detail, " records");
		if (trigger_fire(set, i, event->time_ns, set->lost_ns, &detail) < 0)
			return -1;
	}
	return 0;
}

static uintptr_t track_triggers(const struct trigger_set *set, const struct timeline_track *track)
{
	uintptr_t bits = BIT_IS_KNOWN;

	for (size_t i = 0; i < set->size; i++) {
		if (set->list[i].kind != TRIGGER_LOSS &&
		    slice_selector_matches_track(&set->list[i].selector, track))
			bits |= (uintptr_t)1 << i;
	}
	return bits;
}

static int track_try(const struct trigger_sink *sink, const struct timeline_event *event)
{
	uintptr_t *bits = (uintptr_t *)&event->track->sink_data[sink->sink_index];
	struct trigger_set *set = sink->set;
	int status = 0;

	if (!*bits)
		*bits = track_triggers(set, event->track);
	for (uintptr_t left = *bits & MATCH_MASK; left && status == 0; left &= left - 1) {
		unsigned int number = __builtin_ctzl(left);

		switch (set->list[number].kind) {
		case TRIGGER_SLICE:
			status = slice_try(set, number, event);
			break;
		case TRIGGER_COUNTER:
			status = counter_try(set, number, event, bits);
			break;
		default:
			status = event_try(set, number, event);
			break;
		}
	}
	return status;
}

static int trigger_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	const struct trigger_sink *own = container_of(sink, struct trigger_sink, sink);
	int status = trigger_set_advance(own->set, event->time_ns);

	if (status == 0 && event->kind == TIMELINE_LOSS)
		status = loss_try(own->set, event);
	else if (status == 0 &&
		 (event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_SLICE_END ||
		  event->kind == TIMELINE_INSTANT || event->kind == TIMELINE_COUNTER))
		status = track_try(own, event);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

static int trigger_open(struct sink *sink, const struct recording *recording,
			unsigned int sink_index, struct error *error)
{
	(void)recording, (void)error;
	container_of(sink, struct trigger_sink, sink)->sink_index = sink_index;
	return 0;
}

static void trigger_sink_free(struct sink *sink)
{
	free(container_of(sink, struct trigger_sink, sink));
}

static const struct sink_ops trigger_ops = {
	.open = trigger_open,
	.event = trigger_event,
	.free = trigger_sink_free,
};

struct sink *trigger_sink_new(struct trigger_set *set, struct error *error)
{
	struct trigger_sink *sink = calloc(1, sizeof(*sink));

	if (!sink) {
		error_set(error, "out of memory");
		return NULL;
	}
	sink->sink.ops = &trigger_ops;
	sink->set = set;
	return &sink->sink;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies each track event, of the convention and of rules, to its track, and delivers the result
 * to the timeline.
 */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

/* Processes between the one that writes a text and the one that it names. */
#define ANCESTORS_MAX 8

hot_inline struct name *record_name(struct tracks *tracks, const struct decoded_event *decoded,
				    struct error *error)
{
	struct name *name = names_get(&tracks->names, decoded->descriptor->index,
				      decoded->slice_name, decoded->slice_head);

	if (!name)
		error_set(error, "out of memory");
	else if (!name->shown.is_counted)
		tracks->totals.other_names++;
	return name;
}

/* Ends suspect slices on which the next one would be too deep: their ends must have been lost. */
static int track_trim(struct tracks *tracks, struct track *track, struct error *error)
{
	size_t deepest = track->category->deepest > 0 ? track->category->deepest : 1;

	while (track->nr_slices >= deepest &&
	       track_is_suspect(tracks, track, &track->slices[track->nr_slices - 1])) {
		if (tracks_pop(tracks, track, error) < 0)
			return -1;
	}
	return 0;
}

static uint8_t flow_bit(const struct descriptor *descriptor, const struct field *flow)
{
	size_t i = 0;

	while (descriptor->flows[i].name != flow->name.data)
		i++;
	return 1 << i;
}

/* A slice has one id of each flow: that of its begin, or else that of its end. */
static unsigned int slice_keep_flows(const struct slice *slice, const struct decoded_event *decoded)
{
	struct field *flows = &decoded->extras[decoded->nr_extras];
	unsigned int nr_kept = 0;

	for (unsigned int i = 0; i < decoded->nr_flows; i++) {
		if (!(slice->flows & flow_bit(decoded->descriptor, &flows[i])))
			flows[nr_kept++] = flows[i];
	}
	return nr_kept;
}

/*
 * Slices that cross. Coroutines of one thread have slices of which one ends before another that
 * began later. That one keeps its place, so that outputs know it by its depth, and the place of the
 * one that has ended is free for the next slice.
 */

/* The lowest free place of a track: behind the last slice if none below is free. */
static size_t track_free_place(const struct track *track)
{
	size_t place = track->has_crossed ? 0 : track->nr_slices;

	while (place < track->nr_slices && track->slices[place].name)
		place++;
	return place;
}

unsigned int track_innermost(const struct track *track, int64_t until_ns, size_t place)
{
	const struct slice *last = NULL;

	for (size_t i = 0; i < track->nr_slices; i++) {
		const struct slice *slice = &track->slices[i];

		if (slice->name && i != place && slice->record_ns <= until_ns &&
		    (!last || slice->record_ns >= last->record_ns))
			last = slice;
	}
	return last ? last - track->slices + 1 : 0;
}

/* The depth of the slice that an end without a name ends, and that instants are in; 0 for none. */
static unsigned int track_depth(const struct track *track)
{
	return unlikely(track->has_crossed) ? track_innermost(track, INT64_MAX, track->nr_slices)
					    : track->nr_slices;
}

static int slice_fill(struct tracks *tracks, struct track *track, size_t place,
		      const struct decoded_event *decoded, struct name *name, struct error *error)
{
	record_event_init(&tracks->event, tracks, TIMELINE_SLICE_BEGIN, track, decoded);
	tracks->event.outer = track_depth(track);
	tracks->event.depth = place + 1;
	slice_open(tracks, &track->slices[place], decoded, name);
	if (place == track->nr_slices)
		track->nr_slices++;
	track_learn_depth(tracks, track);
	return timeline_push(tracks->timeline, &tracks->event, error);
}

/* Sets tracks->event to the end of the slice at @place, and frees the place. */
static void slice_take(struct tracks *tracks, struct track *track, size_t place,
		       const struct decoded_event *decoded)
{
	struct slice *slice = &track->slices[place];

	slice_close(tracks, track, slice, decoded);
	tracks->event.depth = place + 1;
	track->has_crossed |= place + 1 < track->nr_slices;
	if (track->has_crossed)
		tracks->event.outer = track_innermost(track, slice->record_ns, place);
	slice->name = NULL;
	while (track->nr_slices > 0 && !track->slices[track->nr_slices - 1].name)
		track->nr_slices--;
	if (track->nr_slices > 0)
		return;
	track->has_crossed = false;
	track_idle_add(tracks, track);
}

int slice_begin_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		    struct error *error)
{
	struct name *name;
	size_t place;

	if (track->nr_slices > 0 && track_trim(tracks, track, error) < 0)
		return -1;
	if (track->nr_slices == TRACK_SLICES_MAX || tracks->open_size > OPEN_SIZE_MAX)
		track = tracks_make_space(tracks, track, decoded, error);
	if (!track || (track->lanes && track->nr_slices == 0 &&
		       lanes_occupy(tracks, track, decoded->keys->ids, error) < 0))
		return -1;
	name = record_name(tracks, decoded, error);
	if (!name)
		return -1;
	if (track->nr_slices == track->slices_capacity && track_grow(tracks, track) < 0) {
		name_put(name);
		return error_set(error, "out of memory");
	}
	tracks->open_size += name_own_size(name);
	place = track_free_place(track);
	if ((track->has_crossed ? slice_fill(tracks, track, place, decoded, name, error)
				: slice_push(tracks, track, decoded, name, error)) < 0)
		return -1;
	for (unsigned int i = 0; i < decoded->nr_flows; i++)
		track->slices[place].flows |= flow_bit(decoded->descriptor,
						       &decoded->extras[decoded->nr_extras + i]);
	return 0;
}

static int counter_change(struct tracks *tracks, struct track *track,
			  const struct decoded_event *decoded, int64_t change, struct error *error)
{
	struct timeline_event event;

	track->sum += change;
	if (unlikely(tracks->copies_records && decoded)) {
		record_copy_put(track->changed_by);
		track->changed_by = tracks_copy_record(tracks);
	}
	track_event_init(&event, tracks, TIMELINE_COUNTER, track);
	event.outer_ns = track->begin_ns;
	event.value.kind = VALUE_SIGNED;
	event.value.unsigned_number = track->sum;
	if (decoded) {
		event.tid = decoded->tid;
		event.cpu = track->has_cpu ? decoded->cpu : -1;
		event.fields = decoded->extras;
		event.nr_fields = decoded->nr_extras;
	}
	return timeline_push(tracks->timeline, &event, error);
}

/*
 * Adds @change to the counter of open slices of @track's rule and scope, and delivers the sum if it
 * is shown. The track of the counter is made by the first begin, and not evicted while slices are
 * open: so an end never adds a track, which may evict the one that it works on.
 */
static int tracks_count_open(struct tracks *tracks, struct track *track, int change, bool is_shown,
			     struct error *error)
{
	struct decoded_keys keys;
	struct decoded_event counted = { .descriptor = track->counter,
					 .time_ns = tracks->now_ns,
					 .buffer = track->buffer,
					 .scope_id = track->shown.id,
					 .track_name = track->counter->label,
					 .track_head = track->counter->label_head };
	struct track *counter;

	keys.is_async = false;
	keys.nr_outer = track->shown.nr_outer;
	for (size_t i = 0; i < keys.nr_outer; i++)
		keys.outer[i] = track->outer[i];
	counted.keys = keys.nr_outer > 0 ? &keys : NULL;
	counter = change > 0 ? tracks_get(tracks, &counted, error) : tracks_look(tracks, &counted);
	if (!counter)
		return change < 0 ? 0 : -1;
	track_idle_remove(counter);
	if (counter->sum + change == 0)
		track_idle_add(tracks, counter);
	if (is_shown)
		return counter_change(tracks, counter, NULL, change, error);
	counter->sum += change;
	return 0;
}

/* Delivers tracks->event, the end of a slice whose name may be its own. */
static int slice_end_deliver(struct tracks *tracks, struct track *track, struct name *name,
			     struct error *error)
{
	int status;

	if (track->lanes && track->nr_slices == 0)
		lanes_vacate(tracks, track);
	status = timeline_push(tracks->timeline, &tracks->event, error);
	tracks->open_size -= name_own_size(name);
	name_put(name);
	return status < 0 || !track->counter ? status
					     : tracks_count_open(tracks, track, -1, true, error);
}

/* Ends the slice at @place by a record, or as unfinished if it is NULL. */
static int tracks_pop_by(struct tracks *tracks, struct track *track, size_t place,
			 const struct decoded_event *decoded, struct error *error)
{
	struct name *name = track->slices[place].name;

	slice_take(tracks, track, place, decoded);
	if (decoded && decoded->nr_flows > 0)
		tracks->event.nr_flows = slice_keep_flows(&track->slices[place], decoded);
	return slice_end_deliver(tracks, track, name, error);
}

int tracks_pop(struct tracks *tracks, struct track *track, struct error *error)
{
	return tracks_pop_by(tracks, track, track_depth(track) - 1, NULL, error);
}

/* Ends all slices of @track now: their key begins again without an end. */
static int tracks_pop_restarted(struct tracks *tracks, struct track *track, struct error *error)
{
	while (track->nr_slices > 0) {
		struct name *name = track->slices[track->nr_slices - 1].name;

		slice_pop(tracks, track, NULL);
		tracks->event.is_restarted = true;
		/* After a loss its end may be lost, not missing. */
		track->category->endless += !tracks->event.is_suspect;
		if (slice_end_deliver(tracks, track, name, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * Threads that end each other's slices on one track. The slice that an end closes is certain only
 * if one thread writes all records, or if one slice at a time is open.
 */

/* Counts a foreign end of the innermost slice; the first one of each tracepoint is reported. */
static int tracks_mark_foreign(struct tracks *tracks, struct track *track, struct error *error)
{
	struct category *category = track->category;
	struct timeline_event event = { .kind = TIMELINE_FOREIGN_END,
					.tracepoint = category->shown.text };

	tracks->totals.foreign_ends++;
	/* All slices below a marked one are marked already. */
	for (size_t i = track->nr_slices; i > 0 && !track->slices[i - 1].is_foreign; i--)
		track->slices[i - 1].is_foreign = true;
	if (category->has_foreign_ends)
		return 0;
	category->has_foreign_ends = true;
	return tracks_pass(tracks, &event, tracks->now_ns, error);
}

/* Ends the slice at @place of a track that may end with it. */
static int slice_end_at(struct tracks *tracks, struct track *track, size_t place,
			const struct decoded_event *decoded, struct error *error)
{
	if (tracks_pop_by(tracks, track, place, decoded, error) < 0)
		return -1;
	return track->is_outdated && track->nr_slices == 0 ? tracks_end(tracks, track, error) : 0;
}

int slice_end_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		  struct error *error)
{
	size_t place;

	if (track->nr_slices == 0)
		return slice_end_unmatched(tracks, track);
	place = track_depth(track) - 1;
	/* A slice that is not shown does not count. */
	if (end_is_foreign(tracks, track, &track->slices[place], decoded) &&
	    (!tracks->is_behind || track->slices[place].is_crossing) &&
	    tracks_mark_foreign(tracks, track, error) < 0)
		return -1;
	return slice_end_at(tracks, track, place, decoded, error);
}

/*
 * Ends the slice of @track that @decoded names; counts the end if it is not open. The writer knows
 * which slice it ends: no other end can be meant, whichever thread ends it.
 */
static int slice_end_of(struct tracks *tracks, struct track *track,
			const struct decoded_event *decoded, struct error *error)
{
	for (size_t place = track->nr_slices; place > 0; place--) {
		const struct slice *slice = &track->slices[place - 1];

		if (slice->name && slice->record_ns == decoded->begin_ns)
			return slice_end_at(tracks, track, place - 1, decoded, error);
	}
	return slice_end_unmatched(tracks, track);
}

/* A track without open slices becomes the most recently used one. */
static void track_touch(struct tracks *tracks, struct track *track)
{
	if (track->nr_slices > 0 || track->idle_after == &tracks->idle)
		return;
	track_idle_remove(track);
	track_idle_add(tracks, track);
}

/* Sets what instants and samples have of the slices around them. */
static void event_set_outer(struct timeline_event *event, const struct track *track)
{
	event->depth = track_depth(track);
	event->outer_ns = event->depth > 0 ? track->slices[event->depth - 1].begin_ns
					   : track->begin_ns;
}

hot_inline int instant_push(struct tracks *tracks, struct track *track,
			    const struct decoded_event *decoded, struct name *name,
			    struct error *error)
{
	struct timeline_event *event = &tracks->event;

	track_touch(tracks, track);
	record_event_init(event, tracks, TIMELINE_INSTANT, track, decoded);
	event->name = &name->shown;
	event_set_outer(event, track);
	return timeline_push(tracks->timeline, event, error);
}

hot_inline int tracks_instant(struct tracks *tracks, struct track *track,
			      const struct decoded_event *decoded, struct error *error)
{
	struct name *name = record_name(tracks, decoded, error);
	int status;

	if (!name)
		return -1;
	if (likely(name->shown.is_counted))
		return instant_push(tracks, track, decoded, name, error);
	status = instant_push(tracks, track, decoded, name, error);
	name_put(name);
	return status;
}

static int tracks_sample(struct tracks *tracks, struct track *track,
			 const struct decoded_event *decoded, struct error *error)
{
	struct timeline_event *event = &tracks->event;

	record_event_init(event, tracks, TIMELINE_COUNTER, track, decoded);
	track_touch(tracks, track);
	event_set_outer(event, track);
	event->value = decoded->counter_value;
	return timeline_push(tracks->timeline, event, error);
}

/* In the place of a third case of ends: most events are of slices. */
static int tracks_observe_other(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, struct error *error)
{
	return unlikely(decoded->kind == DECODED_END_OF)
		       ? slice_end_of(tracks, track, decoded, error)
		       : tracks_sample(tracks, track, decoded, error);
}

/* The number 1 is a container's first process: the machine's own is everybody's ancestor. */
static bool is_ancestor(struct tracks *tracks, int tid, int process)
{
	const struct task *task = tasks_find(&tracks->tasks, tid);

	for (int i = 0; i < ANCESTORS_MAX && task && task->parent_tid > 0 && process > 1; i++) {
		if (task->parent_tid == process)
			return true;
		task = tasks_find(&tracks->tasks, task->parent_tid);
		if (task && task->tgid == process)
			return true;
	}
	return false;
}

int tracks_named_process(struct tracks *tracks, int tid, int named)
{
	struct task *task = tasks_get(&tracks->tasks, &tracks->settings, tid);
	int process = task ? task->tgid : 0;
	const struct task *other;

	if (process == named)
		task = tasks_get(&tracks->tasks, &tracks->settings, named);
	if (process == named && task)
		task->names_itself = true;
	if (process == named || process == 0)
		return named;
	other = tasks_find(&tracks->tasks, named);
	return (other && other->names_itself) || is_ancestor(tracks, tid, named) ? named : process;
}

const char *tracks_comm(struct tracks *tracks, int tid)
{
	const struct task *task = tasks_get(&tracks->tasks, &tracks->settings, tid);

	return task ? task->comm : "";
}

/* Observes a record whose track or writer must be looked up, or that has flows. */
static out_of_line int tracks_observe_any(struct tracks *tracks,
					  const struct decoded_event *decoded, struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);

	if (!track)
		return -1;
	if (tracks->settings.has_comm)
		tracks->comm = tracks_comm(tracks, decoded->tid);
	switch (decoded->kind) {
	case DECODED_BEGIN:
		return tracks_begin_slice(tracks, track, decoded, error);
	case DECODED_END:
		return tracks_end_slice(tracks, track, decoded, error);
	case DECODED_INSTANT:
		return tracks_instant(tracks, track, decoded, error);
	default:
		return tracks_observe_other(tracks, track, decoded, error);
	}
}

int tracks_observe(struct tracks *tracks, const struct decoded_event *decoded, struct error *error)
{
	struct track *track;

	tracks_come_to(tracks, decoded);
	track = likely(!decoded->keys) ? tracks_recent(tracks, decoded) : NULL;
	if (unlikely(!track))
		return tracks_observe_any(tracks, decoded, error);
	switch (decoded->kind) {
	case DECODED_BEGIN:
		return slice_begin(tracks, track, decoded, error);
	case DECODED_END:
		return slice_end(tracks, track, decoded, error);
	case DECODED_INSTANT:
		return tracks_instant(tracks, track, decoded, error);
	default:
		return tracks_observe_other(tracks, track, decoded, error);
	}
}

/* Events that rules make: also states, changes of counters, hidden slices. */

/* Fields of a record belong to the state that it begins. */
static int state_pop(struct tracks *tracks, struct track *track,
		     const struct decoded_event *decoded, struct error *error)
{
	while (track->nr_slices > 0) {
		struct name *name = track->slices[track->nr_slices - 1].name;

		slice_pop(tracks, track, decoded);
		tracks->event.nr_any = 0;
		if (slice_end_deliver(tracks, track, name, error) < 0)
			return -1;
	}
	return 0;
}

static bool state_is_in(const struct track *track, const struct decoded_names *list)
{
	const struct name *name;

	if (track->nr_slices == 0)
		return false;
	name = track->slices[track->nr_slices - 1].name;
	for (size_t i = 0; i < list->size; i++) {
		if (text_equals(list->names[i], name->shown.text))
			return true;
	}
	return false;
}

/* Begins any state: the first one, of a new name, of a renamed thread. */
static out_of_line int state_begin_any(struct tracks *tracks, struct track *track,
				       const struct decoded_event *decoded, struct error *error)
{
	if (state_pop(tracks, track, decoded, error) < 0)
		return -1;
	/* The thread was renamed in this state. */
	if (track->is_outdated) {
		if (tracks_end(tracks, track, error) < 0)
			return -1;
		track = tracks_find(tracks, decoded, error);
	}
	return track ? tracks_begin_slice(tracks, track, decoded, error) : -1;
}

/* Whether the state is the only slice of its track, and nothing but the next one is to be done. */
hot_inline bool state_is_plain(const struct track *track, const struct decoded_event *decoded)
{
	return track->nr_slices == 1 && !track->is_outdated && !track->lanes && !track->counter &&
	       !decoded->keys && track->slices[0].name->shown.is_counted;
}

static int state_begin(struct tracks *tracks, const struct decoded_event *decoded,
		       struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);
	struct name *name;

	if (!track)
		return -1;
	if (decoded->unless && state_is_in(track, decoded->unless))
		return 0;
	name = names_recent(&tracks->names, decoded->descriptor->index, decoded->slice_name,
			    decoded->slice_head);
	return likely(name && state_is_plain(track, decoded))
		       ? slice_replace(tracks, track, decoded, name, error)
		       : state_begin_any(tracks, track, decoded, error);
}

static int state_end(struct tracks *tracks, const struct decoded_event *decoded,
		     struct error *error)
{
	struct track *track = tracks_look(tracks, decoded);

	/* The kernel frees a thread late: its number may be another's, which has not exited. */
	if (!track || (decoded->descriptor->scope == DESCRIPTOR_SCOPE_THREAD &&
		       tasks_lives(&tracks->tasks, decoded->scope_id.signed_number)))
		return 0;
	return state_pop(tracks, track, decoded, error);
}

static out_of_line int counted_begin_slice(struct tracks *tracks, struct track *track,
					   const struct decoded_event *decoded, struct error *error)
{
	bool is_counted = track->counter;

	/* The id is in use: it was requeued, or its end is missing. Nothing else would end that
	 * slice, but this record does not say when it ended. */
	if (track->lanes && tracks_pop_restarted(tracks, track, error) < 0)
		return -1;
	if (tracks_begin_slice(tracks, track, decoded, error) < 0)
		return -1;
	return is_counted ? tracks_count_open(tracks, track, 1, true, error) : 0;
}

static int slice_begin_observe(struct tracks *tracks, const struct decoded_event *decoded,
			       struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);

	if (unlikely(!track))
		return -1;
	if (unlikely(decoded->unless) && state_is_in(track, decoded->unless))
		return 0;
	if (track->lanes || track->counter)
		return counted_begin_slice(tracks, track, decoded, error);
	return tracks_begin_slice(tracks, track, decoded, error);
}

/* @track is NULL if the end is of a hidden slice. */
hot_inline int rule_end_slice(struct tracks *tracks, struct track *track,
			      const struct decoded_event *decoded, struct error *error)
{
	if (track && (track->nr_slices == 0 || *track_hidden(track) == 0))
		return tracks_end_slice(tracks, track, decoded, error);
	if (track)
		--*track_hidden(track);
	tracks->totals.filtered_ends++;
	return 0;
}

/* The track of the event, if it has open slices; hidden slices alone make no track. */
static struct track *open_track_look(struct tracks *tracks, const struct decoded_event *decoded)
{
	bool is_async = decoded->keys && decoded->keys->is_async;
	struct track *track = is_async ? lanes_look(tracks, decoded) : tracks_look(tracks, decoded);

	return track && track->nr_slices > 0 ? track : NULL;
}

static bool event_is_of_task(const struct decoded_event *decoded)
{
	return decoded->descriptor->scope == DESCRIPTOR_SCOPE_THREAD ||
	       decoded->descriptor->scope == DESCRIPTOR_SCOPE_PROCESS;
}

bool tracks_continue(struct tracks *tracks, const struct decoded_event *decoded)
{
	const struct track *track = decoded->kind != DECODED_STATE
					    ? open_track_look(tracks, decoded)
					    : NULL;
	int process;

	if (!track || event_is_of_task(decoded))
		return track;
	process = tracks_process(tracks, decoded->tid);
	for (size_t i = 0; i < track->nr_slices; i++) {
		if (track->slices[i].name &&
		    tracks_process(tracks, track->slices[i].begin_tid) == process)
			return true;
	}
	return false;
}

bool tracks_find_cgroup(struct tracks *tracks, const struct decoded_event *decoded,
			struct buffer *out)
{
	int64_t tid = event_is_of_task(decoded) ? decoded->scope_id.signed_number : decoded->tid;
	bool is_end = decoded->kind == DECODED_END || decoded->kind == DECODED_END_OF;
	struct task *task = tid > 0 && tid <= INT32_MAX
				    ? tasks_get(&tracks->tasks, &tracks->settings, tid)
				    : NULL;

	if (!task)
		return true;
	task_find_cgroup(tracks, task, out);
	task = is_end && !open_track_look(tracks, decoded) ? task_leader(&tracks->tasks, task)
							   : NULL;
	return !task || !task->cgroup;
}

int tracks_leave_state(struct tracks *tracks, const struct decoded_event *decoded,
		       struct error *error)
{
	struct track *track = open_track_look(tracks, decoded);

	if (decoded->kind != DECODED_STATE || !track || !track->is_moved)
		return 0;
	tracks_come_to(tracks, decoded);
	return state_pop(tracks, track, decoded, error) < 0 ? -1 : tracks_end(tracks, track, error);
}

static int slice_end_observe(struct tracks *tracks, const struct decoded_event *decoded,
			     struct error *error)
{
	struct track *track;

	if (decoded->descriptor->is_selective)
		return rule_end_slice(tracks, open_track_look(tracks, decoded), decoded, error);
	track = tracks_get(tracks, decoded, error);
	return likely(track) ? rule_end_slice(tracks, track, decoded, error) : -1;
}

static int hidden_begin(struct tracks *tracks, const struct decoded_event *decoded,
			__attribute__((unused)) struct error *error)
{
	struct track *track = open_track_look(tracks, decoded);

	if (track)
		++*track_hidden(track);
	return 0;
}

static int instant_observe(struct tracks *tracks, const struct decoded_event *decoded,
			   struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);

	return likely(track) ? tracks_instant(tracks, track, decoded, error) : -1;
}

static int counter_observe(struct tracks *tracks, const struct decoded_event *decoded,
			   struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);

	if (!track)
		return -1;
	return decoded->kind == DECODED_COUNTER
		       ? tracks_sample(tracks, track, decoded, error)
		       : counter_change(tracks, track, decoded,
					decoded->counter_value.signed_number, error);
}

static uint64_t flow_hash(const struct decoded_event *decoded)
{
	return hash_numbers(decoded->descriptor->index, decoded->keys->ids, KEYS_IDS_MAX);
}

static bool flow_is_of(const void *value, const void *key)
{
	const struct flow *flow = value;
	const struct decoded_event *decoded = key;

	return flow->index == decoded->descriptor->index &&
	       memcmp(flow->ids, decoded->keys->ids, sizeof(flow->ids)) == 0;
}

static void flow_release(struct flows *flows, struct flow *flow)
{
	record_copy_put(flow->begun_by);
	flow->begun_by = NULL;
	flow->next_unused = flows->unused;
	flows->unused = flow;
}

static struct flow *flow_add(struct flows *flows, const struct decoded_event *decoded,
			     uint64_t hash)
{
	struct flow *flow;

	if (flows->pending.size >= FLOWS_PENDING_MAX)
		flows_release(flows);
	flow = flows->unused;
	if (flow)
		flows->unused = flow->next_unused;
	else
		flow = malloc(sizeof(*flow));
	if (!flow)
		return NULL;
	*flow = (struct flow){ .index = decoded->descriptor->index };
	memcpy(flow->ids, decoded->keys->ids, sizeof(flow->ids));
	if (map_insert(&flows->pending, hash, flow) == 0)
		return flow;
	flow_release(flows, flow);
	return NULL;
}

/* A flow begins; one with the same numbers is dropped; NULL if memory ran out. */
static struct flow *flows_keep(struct flows *flows, const struct decoded_event *decoded,
			       struct record_copy *begun_by)
{
	uint64_t hash = flow_hash(decoded);
	struct flow *flow = map_find(&flows->pending, hash, flow_is_of, decoded);

	if (!flow)
		flow = flow_add(flows, decoded, hash);
	if (!flow) {
		record_copy_put(begun_by);
		return NULL;
	}
	record_copy_put(flow->begun_by);
	flow->id = 0;
	flow->scope_id = decoded->scope_id.unsigned_number;
	flow->begun_by = begun_by;
	return flow;
}

/* Ends a flow; returns its id, 0 if there is none with these numbers. */
static uint64_t flows_end(struct flows *flows, const struct decoded_event *decoded)
{
	uint64_t hash;
	struct flow *flow;

	if (flows->pending.size == 0)
		return 0;
	hash = flow_hash(decoded);
	flow = map_find(&flows->pending, hash, flow_is_of, decoded);
	if (!flow)
		return 0;
	map_remove(&flows->pending, hash, flow);
	flow_release(flows, flow);
	/* One that began before the window has no id yet. */
	return flow->id ? flow->id : ++flows->nr_begun;
}

/*
 * The begin and the end of a flow are instants. Most ends have no begin: any thread may be switched
 * to, also without being woken.
 */
static int flow_observe(struct tracks *tracks, const struct decoded_event *decoded,
			struct error *error)
{
	struct flow *flow = NULL;
	struct track *track;
	uint64_t id = 0;

	if (decoded->kind == DECODED_FLOW_BEGIN)
		flow = flows_keep(&tracks->flows, decoded, tracks_copy_record(tracks));
	else
		id = flows_end(&tracks->flows, decoded);
	if (flow)
		id = flow->id = ++tracks->flows.nr_begun;
	/* Without memory, there is no flow. */
	if (id == 0)
		return 0;
	decoded->extras[decoded->nr_extras].value.unsigned_number = id;
	track = tracks_get(tracks, decoded, error);
	return track ? tracks_instant(tracks, track, decoded, error) : -1;
}

static int (*const observers[])(struct tracks *tracks, const struct decoded_event *decoded,
				struct error *error) = {
	[DECODED_BEGIN] = slice_begin_observe, [DECODED_END] = slice_end_observe,
	[DECODED_INSTANT] = instant_observe,   [DECODED_COUNTER] = counter_observe,
	[DECODED_HIDDEN_BEGIN] = hidden_begin, [DECODED_STATE] = state_begin,
	[DECODED_STATE_END] = state_end,       [DECODED_CHANGE] = counter_observe,
	[DECODED_FLOW_BEGIN] = flow_observe,   [DECODED_FLOW_END] = flow_observe,
};

/* Observes a record whose writer must be looked up. */
static out_of_line int rule_observe_by(struct tracks *tracks, const struct decoded_event *decoded,
				       struct error *error)
{
	tracks->comm = tracks_comm(tracks, decoded->tid);
	return observers[decoded->kind](tracks, decoded, error);
}

/* Observes an instant whose name has a number, and keeps the name for the next ones. */
static out_of_line int numbered_observe_any(struct tracks *tracks,
					    const struct decoded_event *decoded,
					    struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);
	struct names *names = &tracks->names;
	unsigned int number = decoded->name_number;
	struct name *name;

	if (!track || tracks_instant(tracks, track, decoded, error) < 0)
		return -1;
	name = names_recent(names, decoded->descriptor->index, decoded->slice_name,
			    decoded->slice_head);
	/* Without memory, it is found by its text. */
	if (name && array_extend(names->by_number, names->nr_numbers, number))
		names->by_number[number] = name;
	return 0;
}

static out_of_line int numbered_observe(struct tracks *tracks,
					const struct decoded_event *decoded, struct error *error)
{
	const struct names *names = &tracks->names;
	unsigned int number = decoded->name_number;
	struct name *name = number < names->nr_numbers ? names->by_number[number] : NULL;
	struct track *track = tracks_recent(tracks, decoded);

	return likely(name && track) ? instant_push(tracks, track, decoded, name, error)
				     : numbered_observe_any(tracks, decoded, error);
}

int tracks_observe_rule(struct tracks *tracks, const struct decoded_event *decoded,
			struct error *error)
{
	tracks_come_to(tracks, decoded);
	if (unlikely(tracks->settings.has_comm))
		return rule_observe_by(tracks, decoded, error);
	return decoded->name_number > 0 ? numbered_observe(tracks, decoded, error)
					: observers[decoded->kind](tracks, decoded, error);
}

/* A window of time: restores what was open at its begin, and ends what crosses its end. */

/* Without losses: the slices were all open together, so that none of them is trimmed. */
static int slice_restore(struct tracks *tracks, const struct decoded_event *decoded,
			 const struct window_use *use, struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);
	size_t nr_suspicions = tracks->nr_suspicions;
	struct slice *slice;
	int status;

	if (!track)
		return -1;
	tracks->nr_suspicions = 0;
	status = slice_begin_any(tracks, track, decoded, error);
	tracks->nr_suspicions = nr_suspicions;
	/* There may have been no space on the first one. */
	track = status == 0 ? tracks_get(tracks, decoded, error) : NULL;
	if (!track || track->nr_slices == 0)
		return status;
	slice = &track->slices[track->nr_slices - 1];
	slice->is_crossing = true;
	if (use->owner != use->id) {
		slice->is_continued = true;
		track->begun_id = use->id;
	}
	slice->nr_hidden = use->value < UINT32_MAX ? use->value : UINT32_MAX;
	return track->counter ? tracks_count_open(tracks, track, 1, false, error) : 0;
}

static int event_restore(struct tracks *tracks, const struct decoded_event *decoded,
			 const struct window_use *use, struct error *error)
{
	struct track *track;

	switch (decoded->kind) {
	case DECODED_BEGIN:
	case DECODED_STATE:
		return slice_restore(tracks, decoded, use, error);
	case DECODED_CHANGE:
		track = tracks_get(tracks, decoded, error);
		if (!track)
			return -1;
		track->sum = use->value;
		record_copy_put(track->changed_by);
		track->changed_by = tracks_copy_record(tracks);
		return 0;
	case DECODED_FLOW_BEGIN:
		/* Its category names the flow when it is visited. */
		return tracks_category(tracks, decoded->descriptor) &&
				       flows_keep(&tracks->flows, decoded,
						  tracks_copy_record(tracks))
			       ? 0
			       : error_set(error, "out of memory");
	default:
		return 0;
	}
}

int tracks_restore(struct tracks *tracks, const struct decoded_event *decoded,
		   const struct window_use *use, struct error *error)
{
	struct decoded_event owned = *decoded;
	int status;

	owned.scope_id.unsigned_number = use->owner;
	tracks_come_to(tracks, decoded);
	if (tracks->settings.has_comm)
		tracks->comm = tracks_comm(tracks, decoded->tid);
	tracks->is_restoring = true;
	status = event_restore(tracks, &owned, use, error);
	tracks->is_restoring = false;
	return status;
}

/* A counter begins with the window. */
static int sum_show(struct tracks *tracks, struct track *track, struct error *error)
{
	if (track->shown.kind != TRACK_COUNTER)
		return 0;
	if (tracks_announce(tracks, track, error) < 0)
		return -1;
	return counter_change(tracks, track, NULL, 0, error);
}

int tracks_enter(struct tracks *tracks, int64_t time_ns, struct error *error)
{
	tracks_advance(tracks, time_ns);
	return tracks_apply(tracks, sum_show, error);
}

static bool track_crosses(const struct track *track)
{
	bool crosses = false;

	for (size_t i = 0; i < track->nr_slices; i++)
		crosses |= track->slices[i].name && track->slices[i].is_crossing;
	return crosses;
}

static int track_leave(struct tracks *tracks, struct track *track, struct error *error)
{
	if (track->nr_slices == 0)
		return tracks_end(tracks, track, error);
	for (size_t i = 0; i < track->nr_slices; i++)
		track->slices[i].is_crossing = true;
	/* Its track has ended. */
	track->counter = NULL;
	return 0;
}

int tracks_leave(struct tracks *tracks, struct timeline_totals *totals, int64_t *now_ns,
		 struct error *error)
{
	*now_ns = tracks->now_ns;
	*totals = tracks->totals;
	tracks->totals = (struct timeline_totals){ 0 };
	tracks->is_behind = true;
	return tracks_apply(tracks, track_leave, error);
}

static struct track *open_track_find(struct tracks *tracks, const struct decoded_event *decoded)
{
	bool is_of_slices = decoded->kind != DECODED_INSTANT && decoded->kind != DECODED_COUNTER &&
			    decoded->kind != DECODED_CHANGE && decoded->kind < DECODED_FLOW_BEGIN;

	return is_of_slices ? open_track_look(tracks, decoded) : NULL;
}

/* A slice that begins here is not shown, but the next end may be its end. */
static int slice_observe_behind(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, bool is_rule,
				struct error *error)
{
	if (decoded->kind == DECODED_STATE) {
		if (decoded->unless && state_is_in(track, decoded->unless))
			return 0;
		return state_pop(tracks, track, decoded, error);
	}
	/* There is no space, and no new track for it. */
	if (decoded->kind == DECODED_BEGIN &&
	    (track->nr_slices == TRACK_SLICES_MAX || tracks->open_size > OPEN_SIZE_MAX))
		return tracks_close(tracks, track, error);
	return is_rule ? tracks_observe_rule(tracks, decoded, error)
		       : tracks_observe(tracks, decoded, error);
}

int tracks_observe_behind(struct tracks *tracks, const struct decoded_event *decoded, bool is_rule,
			  bool is_apart, struct error *error)
{
	struct track *track = open_track_find(tracks, decoded);
	bool is_async = decoded->keys && decoded->keys->is_async;
	struct slice last;
	size_t nr_slices;

	if (!track)
		return 0;
	nr_slices = track->nr_slices;
	last = track->slices[nr_slices - 1];
	tracks_come_to(tracks, decoded);
	if (slice_observe_behind(tracks, track, decoded, is_rule, error) < 0)
		return -1;
	/* It may have ended with its last slice. */
	track = is_async ? lanes_look(tracks, decoded) : tracks_look(tracks, decoded);
	if (track && !track_crosses(track))
		return tracks_close(tracks, track, error);
	if (track && is_apart && decoded->kind == DECODED_BEGIN &&
	    !track->slices[track->nr_slices - 1].is_crossing)
		return tracks_pop(tracks, track, error);
	return track && track->nr_slices == nr_slices && last.is_crossing &&
	       *track_hidden(track) != last.nr_hidden;
}

void flows_release(struct flows *flows)
{
	struct flow *flow;

	map_for_each(&flows->pending, flow)
		record_copy_put(flow->begun_by);
	map_free(&flows->pending);
	while ((flow = flows->unused)) {
		flows->unused = flow->next_unused;
		free(flow);
	}
}

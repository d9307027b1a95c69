// SPDX-License-Identifier: GPL-2.0-only
/* Applies each track event to its track, and delivers the result to the timeline. */
#include "track/slice.h"

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

static void slice_set_flows(struct slice *slice, const struct decoded_event *decoded)
{
	for (unsigned int i = 0; i < decoded->nr_flows; i++)
		slice->flows |= flow_bit(decoded->descriptor,
					 &decoded->extras[decoded->nr_extras + i]);
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

/* Begins any slice: of a new name, on a lane, with flows, on a track that may have no space for it.
 */
int slice_begin_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		    struct error *error)
{
	struct name *name;

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
	if (slice_push(tracks, track, decoded, name, error) < 0)
		return -1;
	slice_set_flows(&track->slices[track->nr_slices - 1], decoded);
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
	return status < 0 || !track->counter ? status : tracks_count_open(tracks, track, -1, error);
}

int tracks_pop(struct tracks *tracks, struct track *track, struct error *error)
{
	return tracks_pop_by(tracks, track, NULL, error);
}

int tracks_pop_by(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		  struct error *error)
{
	struct name *name = track->slices[track->nr_slices - 1].name;

	if (decoded)
		slice_pop(tracks, track, decoded);
	else
		slice_pop(tracks, track, NULL);
	if (decoded && decoded->nr_flows > 0)
		tracks->event.nr_flows = slice_keep_flows(&track->slices[track->nr_slices],
							  decoded);
	return slice_end_deliver(tracks, track, name, error);
}

int tracks_pop_restarted(struct tracks *tracks, struct track *track, struct error *error)
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

int tracks_pop_bare(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		    struct error *error)
{
	struct name *name = track->slices[track->nr_slices - 1].name;

	slice_pop(tracks, track, decoded);
	tracks->event.nr_any = 0;
	return slice_end_deliver(tracks, track, name, error);
}

/* Ends any slice: on a lane, with flows, on a track that may end with it, of a name of its own. */
int slice_end_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		  struct error *error)
{
	if (track->nr_slices == 0)
		return slice_end_unmatched(tracks, track);
	if (end_is_foreign(tracks, track, decoded) && tracks_mark_foreign(tracks, track, error) < 0)
		return -1;
	if (tracks_pop_by(tracks, track, decoded, error) < 0)
		return -1;
	return track->is_outdated && track->nr_slices == 0 ? tracks_end(tracks, track, error) : 0;
}

/* A track without open slices becomes the most recently used one. */
static void track_touch(struct tracks *tracks, struct track *track)
{
	if (track->nr_slices > 0)
		return;
	track_idle_remove(track);
	track_idle_add(tracks, track);
}

static int64_t track_outer_ns(const struct track *track)
{
	return track->nr_slices > 0 ? track->slices[track->nr_slices - 1].begin_ns
				    : track->begin_ns;
}

int tracks_instant(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		   struct error *error)
{
	struct name *name = record_name(tracks, decoded, error);
	struct timeline_event *event = &tracks->event;
	int status;

	if (!name)
		return -1;
	track_touch(tracks, track);
	record_event_init(event, tracks, TIMELINE_INSTANT, track, decoded);
	event->name = &name->shown;
	event->outer_ns = track_outer_ns(track);
	status = timeline_push(tracks->timeline, event, error);
	name_put(name);
	return status;
}

int tracks_sample(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		  struct error *error)
{
	struct timeline_event *event = &tracks->event;

	record_event_init(event, tracks, TIMELINE_COUNTER, track, decoded);
	track_touch(tracks, track);
	event->outer_ns = track_outer_ns(track);
	event->value = decoded->counter_value;
	return timeline_push(tracks->timeline, event, error);
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

void tracks_find_writer(struct tracks *tracks, const struct decoded_event *decoded)
{
	tracks->comm = tracks_comm(tracks, decoded->tid);
}

/* Observes a record whose track or writer must be looked up, or that has flows. */
static out_of_line int tracks_observe_any(struct tracks *tracks,
					  const struct decoded_event *decoded, struct error *error)
{
	struct track *track = tracks_get(tracks, decoded, error);

	if (!track)
		return -1;
	if (tracks->settings.has_comm)
		tracks_find_writer(tracks, decoded);
	switch (decoded->kind) {
	case DECODED_BEGIN:
		return tracks_begin_slice(tracks, track, decoded, error);
	case DECODED_END:
		return tracks_end_slice(tracks, track, decoded, error);
	case DECODED_INSTANT:
		return tracks_instant(tracks, track, decoded, error);
	default:
		return tracks_sample(tracks, track, decoded, error);
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
		return tracks_sample(tracks, track, decoded, error);
	}
}

/*
 * Threads that end each other's slices on one track. The slice that an end closes is certain only
 * if one thread writes all records, or if one slice at a time is open.
 */

/* All slices below a marked one are marked already. */
static void slices_mark_foreign(struct track *track)
{
	for (size_t i = track->nr_slices; i > 0 && !track->slices[i - 1].is_foreign; i--)
		track->slices[i - 1].is_foreign = true;
}

int tracks_mark_foreign(struct tracks *tracks, struct track *track, struct error *error)
{
	struct category *category = track->category;
	struct timeline_event event = { .kind = TIMELINE_FOREIGN_END,
					.tracepoint = category->shown.text };

	tracks->totals.foreign_ends++;
	slices_mark_foreign(track);
	if (category->has_foreign_ends)
		return 0;
	category->has_foreign_ends = true;
	return tracks_pass(tracks, &event, tracks->now_ns, error);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The set of tracks: finds, adds, evicts and ends them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

/* One track and its stack of open slices. */

#define FIRST_SLICES 2

static const enum scope_kind scopes[] = {
	[DESCRIPTOR_SCOPE_THREAD] = SCOPE_THREAD, [DESCRIPTOR_SCOPE_PROCESS] = SCOPE_PROCESS,
	[DESCRIPTOR_SCOPE_CPU] = SCOPE_CPU,	  [DESCRIPTOR_SCOPE_CUSTOM] = SCOPE_CUSTOM,
	[DESCRIPTOR_SCOPE_GLOBAL] = SCOPE_GLOBAL,
};

struct track *track_new(const struct decoded_event *decoded, uint64_t hash,
			struct category *category)
{
	const struct descriptor *descriptor = decoded->descriptor;
	const struct decoded_keys *keys = decoded->keys;
	struct text name = decoded->track_name;
	struct track *track = calloc(1, sizeof(*track) + name.size);

	if (!track)
		return NULL;
	if (name.size > 0)
		memcpy(track->name, name.data, name.size);
	track->category = category;
	track->descriptor_index = descriptor->index;
	track->buffer = decoded->buffer;
	track->hash = hash;
	track->head = text_head(name);
	track->counter = descriptor->counter;
	track->shown = (struct timeline_track){
		.category = &category->shown,
		.kind = descriptor->kind == DESCRIPTOR_COUNTER ? TRACK_COUNTER : TRACK_SLICES,
		.scope = scopes[descriptor->scope],
		.is_state = decoded->kind == DECODED_STATE || decoded->kind == DECODED_STATE_END,
		.may_cross = descriptor->is_of_program && descriptor->kind == DESCRIPTOR_SLICE,
		.name = { .data = track->name, .size = name.size },
		.field = descriptor->scope_field,
		.id = decoded->scope_id,
		.cpu = track_idle_cpu(decoded),
		.comm = track->comm,
		.process_comm = track->process_comm,
	};
	if (!keys || keys->nr_outer == 0)
		return track;
	track->outer = calloc(keys->nr_outer, sizeof(*track->outer));
	if (!track->outer)
		return free(track), NULL;
	memcpy(track->outer, keys->outer, keys->nr_outer * sizeof(*track->outer));
	track->shown.outer = track->outer;
	track->shown.nr_outer = keys->nr_outer;
	return track;
}

void track_delete(struct track *track)
{
	for (size_t i = 0; i < track->nr_slices; i++) {
		if (!track->slices[i].name)
			continue;
		name_put(track->slices[i].name);
		record_copy_put(track->slices[i].begun_by);
	}
	record_copy_put(track->changed_by);
	free(track->slices);
	free(track->outer);
	free(track->cgroup);
	free(track);
}

int track_grow(struct tracks *tracks, struct track *track)
{
	size_t capacity = track->slices_capacity ? track->slices_capacity * 2 : FIRST_SLICES;
	struct slice *slices = reallocarray(track->slices, capacity, sizeof(*slices));

	if (!slices)
		return -1;
	tracks->open_size += (capacity - track->slices_capacity) * sizeof(*slices);
	track->slices = slices;
	track->slices_capacity = capacity;
	return 0;
}

/* Frees the stack of a track without open slices; the next slice makes a new one. */
static void track_shrink(struct tracks *tracks, struct track *track)
{
	tracks->open_size -= track->slices_capacity * sizeof(*track->slices);
	free(track->slices);
	track->slices = NULL;
	track->slices_capacity = 0;
}

struct tracks *tracks_new(const struct tracks_settings *settings, struct timeline *timeline,
			  int64_t start_ns)
{
	struct tracks *tracks = calloc(1, sizeof(*tracks));

	if (!tracks)
		return NULL;
	tracks->settings = *settings;
	if (tracks->settings.idle_max == 0)
		tracks->settings.idle_max = TRACKS_IDLE_MAX;
	tracks->names.max = settings->names_max ? settings->names_max : TRACKS_NAMES_MAX;
	tracks->timeline = timeline;
	tracks->comm = "";
	tracks->start_ns = start_ns;
	tracks->now_ns = start_ns;
	tracks->idle.idle_before = &tracks->idle;
	tracks->idle.idle_after = &tracks->idle;
	return tracks;
}

void tracks_free(struct tracks *tracks)
{
	struct track *track;

	if (!tracks)
		return;
	map_for_each(&tracks->map, track)
		track_delete(track);
	map_release(&tracks->map);
	lanes_release(tracks);
	flows_release(&tracks->flows);
	names_release(&tracks->names);
	tasks_release(&tracks->tasks);
	for (size_t i = 0; i < tracks->nr_suspicions; i++)
		suspicion_release(&tracks->suspicions[i]);
	free(tracks->suspicions);
	for (size_t i = 0; i < tracks->nr_categories; i++)
		free(tracks->categories[i]);
	free(tracks->categories);
	for (size_t i = 0; i < tracks->nr_depths; i++)
		free(tracks->depths[i].text);
	free(tracks->depths);
	free(tracks->malformed_of);
	free(tracks);
}

struct category *tracks_category(struct tracks *tracks, const struct descriptor *descriptor)
{
	struct category **category;

	if (!array_extend(tracks->categories, tracks->nr_categories, descriptor->index))
		return NULL;
	category = &tracks->categories[descriptor->index];
	if (!*category) {
		*category = calloc(1, sizeof(struct category));
		if (*category) {
			(*category)->shown.text = descriptor->category;
			(*category)->deepest = category_depth_find(tracks, descriptor->category);
		}
	}
	if (*category)
		(*category)->is_dropped = false;
	return *category;
}

/*
 * The first thread of a process need not have records; adding it could remove a task without
 * tracks. Its name is asked for once for all tracks of a thread.
 */
static void track_set_process_comm(struct track *track, const struct tracks_settings *settings,
				   const struct task *task, const struct task *process)
{
	struct thread_identity found = { 0 };
	const char *comm = found.comm;

	if (process && process->comm[0])
		comm = process->comm;
	else if (task->tracks)
		comm = task->tracks->process_comm;
	else if (settings->find_task && task->tgid > 0)
		settings->find_task(settings->context, task->tgid, &found);
	snprintf(track->process_comm, sizeof(track->process_comm), "%.*s",
		 (int)sizeof(track->process_comm) - 1, comm);
}

/* A process that is not known any more was in the cgroup of the one that created it. */
#define CGROUP_ANCESTORS_MAX 8

void tracks_look_up_cgroup(const struct tracks *tracks, int tid, struct buffer *out)
{
	const struct tracks_settings *settings = &tracks->settings;

	/* The parent of a task need not be known. */
	for (int i = 0; tid > 0 && out->size == 0 && i < CGROUP_ANCESTORS_MAX; i++) {
		const struct task *task = tasks_find(&tracks->tasks, tid);

		if (settings->find_cgroup)
			settings->find_cgroup(settings->context,
					      task && task->tgid > 0 ? task->tgid : tid, out);
		tid = task ? task->parent_tid : 0;
	}
}

void task_find_cgroup(const struct tracks *tracks, struct task *task, struct buffer *out)
{
	const struct task *process = task_leader(&tracks->tasks, task);

	if (process && process->cgroup)
		buffer_append_string(out, process->cgroup);
	else if (task->tracks && task->tracks->cgroup)
		buffer_append_string(out, task->tracks->cgroup);
	else
		tracks_look_up_cgroup(tracks, task->tid, out);
	if (out->size == 1)
		buffer_clear(out);
}

/* Returns -1 if @task is NULL because memory ran out. */
static int track_set_task(struct tracks *tracks, struct track *track, struct task *task)
{
	struct task *process;
	SCOPED_BUFFER(path);
	bool has_failed;

	if (!task)
		return -1;
	process = task->tgid > 0 ? task_leader(&tracks->tasks, task) : NULL;
	track->shown.tgid = task->tgid;
	track->shown.born_ns = task->born_ns;
	track->shown.process_born_ns = process ? process->born_ns : 0;
	memcpy(track->comm, task->comm, sizeof(track->comm));
	track_set_process_comm(track, &tracks->settings, task, process);
	task_find_cgroup(tracks, task, &path);
	free(track->cgroup);
	track->cgroup = path.size > 0 ? strdup(buffer_string(&path)) : NULL;
	track->shown.cgroup = track->cgroup;
	has_failed = path.failed || (path.size > 0 && !track->cgroup);
	if (has_failed)
		return -1;
	track_join(track, task);
	/* Now it is not freed if the first thread is added. */
	process = task_leader(&tracks->tasks, task);
	if (!process)
		process = tasks_add(&tracks->tasks, task->tgid);
	if (!process)
		return -1;
	track_join_crew(track, process);
	return 0;
}

int tracks_process(struct tracks *tracks, int tid)
{
	const struct task *task;

	if (tid <= 0)
		return tid;
	task = tasks_get(&tracks->tasks, &tracks->settings, tid);
	return !task ? -1 : task->tgid > 0 ? task->tgid : tid;
}

int tracks_identify(struct tracks *tracks, struct track *track, struct error *error)
{
	bool is_task = track->shown.scope == SCOPE_THREAD || track->shown.scope == SCOPE_PROCESS;
	int64_t id = track->shown.id.signed_number;
	int status = 0;

	if (track->shown.scope == SCOPE_CUSTOM && strcmp(track->shown.field, "dev") == 0)
		track->shown.device = recording_device(tracks->settings.devices, id);
	if (track->shown.cpu >= 0)
		snprintf(track->comm, sizeof(track->comm), "swapper/%d", track->shown.cpu);
	else if (is_task && id > 0 && id <= INT32_MAX)
		status = track_set_task(tracks, track,
					tasks_get(&tracks->tasks, &tracks->settings, id));
	return status < 0 ? error_set(error, "out of memory") : 0;
}

/*
 * Limits of open slices. Tracks with open slices are kept up to a limit; above it those that are
 * open longest are closed, and their slices end as unfinished.
 *
 * Each eviction closes a fifth of the tracks or frees half of the memory, so that the cost of
 * sorting them is small per slice.
 */

static int track_compare(const void *a, const void *b)
{
	const struct track *first = *(struct track *const *)a;
	const struct track *second = *(struct track *const *)b;

	return (first->shown.number > second->shown.number) -
	       (first->shown.number < second->shown.number);
}

/* The oldest open slice first. The number decides ties, so that output does not depend on hashes.
 */
static int track_age_compare(const void *a, const void *b)
{
	const struct track *first = *(struct track *const *)a;
	const struct track *second = *(struct track *const *)b;

	if (first->slices[0].begin_ns != second->slices[0].begin_ns)
		return first->slices[0].begin_ns < second->slices[0].begin_ns ? -1 : 1;
	return track_compare(a, b);
}

/* Lists all tracks in the order of their numbers, or those with open slices by their age. */
static struct track **tracks_list(const struct tracks *tracks, bool are_open, size_t *size)
{
	struct track **list = calloc(tracks->map.size + 1, sizeof(*list)), *track;

	*size = 0;
	if (!list)
		return NULL;
	map_for_each(&tracks->map, track) {
		if (!are_open || track->nr_slices > 0)
			list[(*size)++] = track;
	}
	qsort(list, *size, sizeof(*list), are_open ? track_age_compare : track_compare);
	return list;
}

static int track_evict(struct tracks *tracks, struct track *track, struct error *error)
{
	tracks->totals.retired_tracks++;
	for (size_t i = 0; i < track->nr_slices; i++)
		tracks->totals.evicted_slices += track->slices[i].name != NULL;
	return tracks_close(tracks, track, error);
}

/* Closes the oldest tracks until at most @nr_tracks are left, and @size bytes of open slices. */
static int tracks_evict_to(struct tracks *tracks, size_t nr_tracks, size_t size,
			   struct error *error)
{
	size_t names_size = nr_tracks < SIZE_MAX ? nr_tracks * TRACK_NAME_SIZE : SIZE_MAX;
	size_t nr_open;
	struct track **list = tracks_list(tracks, true, &nr_open);
	int status = 0;

	if (!list)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < nr_open && status == 0; i++) {
		if (tracks->map.size <= nr_tracks && tracks->names_size <= names_size &&
		    tracks->open_size <= size)
			break;
		status = track_evict(tracks, list[i], error);
	}
	free(list);
	return status;
}

/*
 * Makes space for one track: closes idle ones, more than one if many had open slices at once, and
 * if there are still too many, those with the oldest open slice. The limit of names is that of
 * TRACKS_IDLE_MAX names with an average size, or of more.
 */
static int tracks_evict(struct tracks *tracks, struct error *error)
{
	const struct track *head = &tracks->idle;
	size_t idle_max = tracks->settings.idle_max;
	size_t max = idle_max > TRACKS_IDLE_MAX ? idle_max : TRACKS_IDLE_MAX;

	while ((tracks->map.size >= idle_max || tracks->names_size >= max * TRACK_NAME_SIZE) &&
	       head->idle_after != head) {
		tracks->totals.retired_tracks++;
		if (tracks_end(tracks, head->idle_after, error) < 0)
			return -1;
	}
	if (tracks->map.size < max + max / 4 &&
	    tracks->names_size < (max + max / 4) * TRACK_NAME_SIZE)
		return 0;
	return tracks_evict_to(tracks, max, SIZE_MAX, error);
}

int tracks_announce(struct tracks *tracks, struct track *track, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_TRACK_BEGIN,
					.time_ns = tracks->now_ns,
					.track = &track->shown };

	track->begin_ns = tracks->now_ns;
	if (tracks->is_restoring && track->shown.kind == TRACK_COUNTER) {
		/* It has the last place until then. */
		track->shown.number = ULONG_MAX / 2 + tracks->map.size;
		return 0;
	}
	track->shown.number = ++tracks->nr_seen;
	return timeline_push(tracks->timeline, &event, error);
}

struct track *tracks_add(struct tracks *tracks, const struct decoded_event *decoded, uint64_t hash,
			 unsigned int lane, struct error *error)
{
	const struct tracks_settings *settings = &tracks->settings;
	unsigned int buffer = decoded->buffer == settings->convention_buffer ? 0 : decoded->buffer;
	const char *name = settings->buffers ? settings->buffers[buffer] : NULL;
	bool is_of_programs = name && settings->programs && strcmp(name, settings->programs) == 0;
	struct category *category = tracks_category(tracks, decoded->descriptor);
	struct track *track;

	if (tracks_evict(tracks, error) < 0)
		return NULL;
	track = category ? track_new(decoded, hash, category) : NULL;
	if (!track || map_insert(&tracks->map, hash, track) < 0) {
		error_set(error, "out of memory");
		if (track)
			track_delete(track);
		return NULL;
	}
	track->shown.lane = lane;
	tracks->names_size += track->shown.name.size;
	/* Processes identify the tracks of programs, whose buffer is that of no CPU. */
	track->has_cpu = !is_of_programs;
	track->shown.buffer = is_of_programs || settings->hides_buffers ? NULL : name;
	track_idle_add(tracks, track);
	if (tracks_identify(tracks, track, error) < 0 || tracks_announce(tracks, track, error) < 0)
		return NULL;
	return track;
}

static bool track_is_of(const void *value, const void *key)
{
	const struct track *track = value;
	const struct decoded_event *decoded = key;

	return track_has_numbers(track, decoded) && track_has_outer(track, decoded) &&
	       text_equals(track->shown.name, decoded->track_name);
}

bool track_has_outer(const struct track *track, const struct decoded_event *decoded)
{
	for (size_t i = 0; i < track->shown.nr_outer; i++) {
		if (track->outer[i].value.unsigned_number !=
		    decoded->keys->outer[i].value.unsigned_number)
			return false;
	}
	return true;
}

uint64_t track_hash(const struct decoded_event *decoded)
{
	uint64_t rest = decoded->descriptor->index + ((uint64_t)decoded->buffer << 20) +
			((uint64_t)(uint32_t)track_idle_cpu(decoded) << 32);
	uint64_t numbers = hash_number(decoded->scope_id.unsigned_number + hash_number(rest));
	const struct decoded_keys *keys = decoded->keys;
	uint64_t outer = 0;

	for (size_t i = 0; keys && i < keys->nr_outer; i++)
		outer = hash_number(outer + keys->outer[i].value.unsigned_number + i);
	return hash_text(decoded->track_name) ^ numbers ^ outer;
}

static struct recent_tracks *track_recent(struct tracks *tracks, const struct track *track)
{
	return &tracks->recent[track_recent_index(track->descriptor_index,
						  track->shown.id.unsigned_number, track->head,
						  track->shown.cpu)];
}

void tracks_keep_recent(struct tracks *tracks, struct track *track)
{
	struct recent_tracks *recent = track_recent(tracks, track);

	if (tracks->settings.has_comm || track->shown.nr_outer > 0)
		return;
	recent->older = recent->newer;
	recent->newer = track;
}

struct track *tracks_look(struct tracks *tracks, const struct decoded_event *decoded)
{
	struct track *track = keys_are_more(decoded->keys) ? NULL : tracks_recent(tracks, decoded);

	return track ? track : map_find(&tracks->map, track_hash(decoded), track_is_of, decoded);
}

struct track *tracks_find(struct tracks *tracks, const struct decoded_event *decoded,
			  struct error *error)
{
	uint64_t hash;
	struct track *track;

	if (decoded->keys && decoded->keys->is_async)
		return lanes_find(tracks, decoded, error);
	hash = track_hash(decoded);
	track = map_find(&tracks->map, hash, track_is_of, decoded);
	if (!track)
		track = tracks_add(tracks, decoded, hash, 0, error);
	if (track)
		tracks_keep_recent(tracks, track);
	return track;
}

static int tracks_push_end(struct tracks *tracks, struct track *track, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_TRACK_END,
					.time_ns = tracks->now_ns,
					.track = &track->shown,
					.unmatched_ends = track->unmatched_ends };

	return timeline_push(tracks->timeline, &event, error);
}

void tracks_forget(struct tracks *tracks, struct track *track)
{
	struct recent_tracks *recent = track_recent(tracks, track);

	if (recent->newer == track)
		recent->newer = NULL;
	if (recent->older == track)
		recent->older = NULL;
	map_remove(&tracks->map, track->hash, track);
	track_part(track);
}

int tracks_end(struct tracks *tracks, struct track *track, struct error *error)
{
	int status = tracks_push_end(tracks, track, error);

	tracks_forget(tracks, track);
	tracks->names_size -= track->shown.name.size;
	track_idle_remove(track);
	if (track->lanes)
		lanes_remove(tracks, track);
	track_shrink(tracks, track);
	track_delete(track);
	return status;
}

int tracks_close(struct tracks *tracks, struct track *track, struct error *error)
{
	if (track->nr_slices > NESTING_MAX && !track_is_suspect(tracks, track, &track->slices[0]))
		track->category->endless += track->nr_slices - NESTING_MAX;
	while (track->nr_slices > 0) {
		if (tracks_pop(tracks, track, error) < 0)
			return -1;
	}
	return tracks_end(tracks, track, error);
}

void tracks_lose_tasks(struct tracks *tracks, uint64_t lost_records)
{
	tracks->totals.lost_task_records = lost_records;
}

void tracks_complete_from(struct tracks *tracks, int64_t time_ns)
{
	tracks->totals.has_complete_from = true;
	tracks->totals.complete_from_ns = time_ns;
}

void tracks_complete_until(struct tracks *tracks, int64_t time_ns)
{
	tracks->totals.has_complete_until = true;
	tracks->totals.complete_until_ns = time_ns;
}

void tracks_drift(struct tracks *tracks, int64_t wall_drift_ns)
{
	tracks->totals.has_wall_drift = true;
	tracks->totals.wall_drift_ns = wall_drift_ns;
}

int tracks_apply(struct tracks *tracks,
		 int (*act)(struct tracks *tracks, struct track *track, struct error *error),
		 struct error *error)
{
	size_t nr_tracks;
	struct track **list = tracks_list(tracks, false, &nr_tracks);
	int status = 0;

	if (!list)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < nr_tracks && status == 0; i++)
		status = act(tracks, list[i], error);
	free(list);
	return status;
}

int tracks_end_all(struct tracks *tracks, int64_t end_ns, struct error *error)
{
	tracks_advance(tracks, end_ns);
	return tracks_apply(tracks, tracks_close, error);
}

int tracks_drop(struct tracks *tracks, const struct descriptor *descriptor, struct error *error)
{
	struct category *category = tracks_category(tracks, descriptor);

	if (!category)
		return error_set(error, "out of memory");
	category->is_dropped = true;
	return 0;
}

static int track_close_dropped(struct tracks *tracks, struct track *track, struct error *error)
{
	return track->category->is_dropped ? tracks_close(tracks, track, error) : 0;
}

int tracks_close_dropped(struct tracks *tracks, int64_t time_ns, struct error *error)
{
	tracks_advance(tracks, time_ns);
	return tracks_apply(tracks, track_close_dropped, error);
}

void tracks_report_endless(const struct tracks *tracks, const char *source,
			   const struct report *report)
{
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		const struct category *category = tracks->categories[i];

		if (!category || category->endless == 0)
			continue;
		report_message(report,
			       "%s: %llu begin%s of %s without an end, incomplete slices; record "
			       "the ends, or pair by fields that both have",
			       source, (unsigned long long)category->endless,
			       category->endless == 1 ? "" : "s", category->shown.text);
	}
}

static int tracks_push_totals(struct tracks *tracks, int64_t end_ns, uint64_t lost_records,
			      int status, struct error *error)
{
	struct timeline_totals *totals = &tracks->totals;
	struct timeline_count *counts = calloc(tracks->nr_categories + 1, sizeof(*counts));
	struct timeline_event event = { .kind = TIMELINE_FINISH,
					.totals = totals,
					.status = status };

	if (!counts)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		const struct category *category = tracks->categories[i];

		if (category && category->malformed > 0)
			counts[totals->nr_malformed_of++] = (struct timeline_count){
				.tracepoint = category->shown.text, .count = category->malformed
			};
	}
	totals->malformed_of = tracks->malformed_of = counts;
	totals->lost_records = lost_records;
	return tracks_pass(tracks, &event, end_ns, error);
}

int tracks_finish(struct tracks *tracks, int64_t end_ns, uint64_t lost_records, int status,
		  struct error *error)
{
	return tracks_end_all(tracks, end_ns, error) < 0
		       ? -1
		       : tracks_push_totals(tracks, end_ns, lost_records, status, error);
}

bool tracks_are_unused(const struct tracks *tracks)
{
	return tracks->nr_seen == 0 && tracks->totals.unmatched_ends == 0 &&
	       tracks->totals.malformed == 0;
}

struct track *tracks_make_space(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, struct error *error)
{
	if (tracks->open_size > OPEN_SIZE_MAX) {
		/* Tracks without open slices keep their stacks for the next one until then. */
		for (struct track *idle = tracks->idle.idle_after; idle != &tracks->idle;
		     idle = idle->idle_after)
			track_shrink(tracks, idle);
		if (tracks_evict_to(tracks, SIZE_MAX, OPEN_SIZE_MAX / 2, error) < 0)
			return NULL;
	} else if (track_evict(tracks, track, error) < 0) {
		return NULL;
	}
	return tracks_find(tracks, decoded, error);
}

/* Ends one session and begins the next one, in which tracks with open slices continue. */

int track_suspend(struct tracks *tracks, struct track *track, struct error *error)
{
	if (track->nr_slices == 0)
		return tracks_end(tracks, track, error);
	for (size_t depth = track->nr_slices; depth > 0; depth--) {
		struct slice *slice = &track->slices[depth - 1];
		struct timeline_event event;

		if (!slice->name)
			continue;
		track_event_init(&event, tracks, TIMELINE_SLICE_END, track);
		slice->is_continued = true;
		slice->was_suspect = track_is_suspect(tracks, track, slice);
		event.name = &slice->name->shown;
		event.depth = depth;
		event.outer = track->has_crossed
				      ? track_innermost(track, slice->record_ns, depth - 1)
				      : depth - 1;
		event.begin_ns = slice->begin_ns;
		event.is_continued = true;
		event.is_suspect = slice->was_suspect;
		event.is_crossing = slice->is_crossing;
		tracks->totals.suspect += event.is_suspect;
		if (timeline_push(tracks->timeline, &event, error) < 0)
			return -1;
	}
	return tracks_push_end(tracks, track, error);
}

int tracks_suspend(struct tracks *tracks, int64_t end_ns, uint64_t lost_records,
		   struct error *error)
{
	tracks_advance(tracks, end_ns);
	if (tracks_apply(tracks, track_suspend, error) < 0)
		return -1;
	return tracks_push_totals(tracks, end_ns, lost_records, 0, error);
}

/* The sinks were freed with their data, and the totals are those of one session. */
static void tracks_reset(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		struct category *category = tracks->categories[i];

		if (!category)
			continue;
		memset(category->shown.sink_data, 0, sizeof(category->shown.sink_data));
		memset(category->problems, 0, sizeof(category->problems));
		category->malformed = 0;
		category->endless = 0;
		category->has_foreign_ends = false;
	}
	names_clear_sink_data(&tracks->names);
	free(tracks->malformed_of);
	tracks->malformed_of = NULL;
	tracks->totals = (struct timeline_totals){ 0 };
	tracks->nr_seen = 0;
}

/* Gives slices that have crossed the places that they would have without those that have ended. */
static void track_sort(struct track *track)
{
	size_t nr_open = 0;

	for (size_t i = 0; i < track->nr_slices && track->has_crossed; i++) {
		struct slice slice = track->slices[i];
		size_t place = nr_open;

		if (!slice.name)
			continue;
		for (; place > 0 && track->slices[place - 1].record_ns > slice.record_ns; place--)
			track->slices[place] = track->slices[place - 1];
		track->slices[place] = slice;
		nr_open++;
	}
	if (track->has_crossed)
		track->nr_slices = nr_open;
	track->has_crossed = false;
}

int track_resume(struct tracks *tracks, struct track *track, struct error *error)
{
	track_sort(track);
	memset(track->shown.sink_data, 0, sizeof(track->shown.sink_data));
	track->unmatched_ends = 0;
	if (tracks_announce(tracks, track, error) < 0)
		return -1;
	for (size_t index = 0; index < track->nr_slices; index++) {
		struct slice *slice = &track->slices[index];
		struct timeline_event event;

		track_event_init(&event, tracks, TIMELINE_SLICE_BEGIN, track);
		slice->begin_ns = tracks->now_ns;
		slice->is_crossing = event.is_crossing = slice->is_crossing && tracks->is_behind;
		event.name = &slice->name->shown;
		event.depth = index + 1;
		event.outer = index;
		event.is_continued = true;
		if (timeline_push(tracks->timeline, &event, error) < 0)
			return -1;
	}
	return 0;
}

int tracks_resume(struct tracks *tracks, struct error *error)
{
	tracks_reset(tracks);
	return tracks_apply(tracks, track_resume, error);
}

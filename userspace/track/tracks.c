// SPDX-License-Identifier: GPL-2.0-only
/* The set of tracks: found, announced, retired, and all ended when the recording is. */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

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
	tracks->start_ns = start_ns;
	tracks->now_ns = start_ns;
	tracks->generation = 1;
	tracks->idle.idle_before = &tracks->idle;
	tracks->idle.idle_after = &tracks->idle;
	return tracks;
}

void tracks_free(struct tracks *tracks)
{
	if (!tracks)
		return;
	for (size_t i = 0; i < tracks->map.capacity; i++) {
		if (tracks->map.slots[i].value)
			track_free(tracks->map.slots[i].value);
	}
	map_release(&tracks->map);
	names_release(&tracks->names);
	tasks_release(&tracks->tasks);
	for (size_t i = 0; i < tracks->nr_suspicions; i++)
		suspicion_release(&tracks->suspicions[i]);
	free(tracks->suspicions);
	for (size_t i = 0; i < tracks->nr_categories; i++)
		free(tracks->categories[i]);
	free(tracks->categories);
	free(tracks->malformed_of);
	free(tracks);
}

static int categories_grow(struct tracks *tracks, size_t size)
{
	struct category **categories = reallocarray(tracks->categories, size,
						    sizeof(struct category *));

	if (!categories)
		return -1;
	memset(categories + tracks->nr_categories, 0,
	       (size - tracks->nr_categories) * sizeof(struct category *));
	tracks->categories = categories;
	tracks->nr_categories = size;
	return 0;
}

struct category *tracks_category(struct tracks *tracks, const struct template *template)
{
	struct category **category;

	if (template->index >= tracks->nr_categories &&
	    categories_grow(tracks, template->index + 1) < 0)
		return NULL;
	category = &tracks->categories[template->index];
	if (!*category) {
		*category = calloc(1, sizeof(struct category));
		if (*category)
			(*category)->shown.text = template->category;
	}
	if (*category)
		(*category)->is_gone = false;
	return *category;
}

static void track_set_task(struct tracks *tracks, struct track *track, struct task *task)
{
	const struct task *process;

	if (!task)
		return;
	process = task->tgid > 0 ? tasks_find(&tracks->tasks, task->tgid) : NULL;
	track->shown.tgid = task->tgid;
	track->shown.born_ns = task->born_ns;
	track->shown.process_born_ns = process ? process->born_ns : 0;
	memcpy(track->comm, task->comm, sizeof(track->comm));
	track_join(track, task);
}

/* Asks who the task is, where the scope is one. */
static void track_find_task(struct tracks *tracks, struct track *track)
{
	bool is_task = track->shown.scope == SCOPE_THREAD || track->shown.scope == SCOPE_PROCESS;
	int64_t id = track->shown.id.signed_number;

	if (track->shown.cpu >= 0)
		strcpy(track->comm, "idle");
	else if (is_task && id > 0 && id <= INT32_MAX)
		track_set_task(tracks, track, tasks_get(&tracks->tasks, &tracks->settings, id));
}

/* The names may take what names of ordinary length take of as many tracks as are always kept. */
static bool tracks_are_full(const struct tracks *tracks)
{
	size_t max = tracks->settings.idle_max;

	return tracks->map.size >= max ||
	       tracks->names_size >=
		       (max > TRACKS_IDLE_MAX ? max : TRACKS_IDLE_MAX) * TRACK_NAME_SIZE;
}

/* Makes room for one track more. More than one goes where many had open slices at once. */
static int tracks_retire(struct tracks *tracks, struct error *error)
{
	const struct track *head = &tracks->idle;

	while (tracks_are_full(tracks) && head->idle_after != head) {
		tracks->totals.retired_tracks++;
		if (tracks_end(tracks, head->idle_after, error) < 0)
			return -1;
	}
	return tracks_evict(tracks, error);
}

int tracks_announce(struct tracks *tracks, struct track *track, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_TRACK_BEGIN,
					.time_ns = tracks->now_ns,
					.track = &track->shown };

	track->begin_ns = tracks->now_ns;
	track->shown.number = ++tracks->nr_seen;
	return timeline_push(tracks->timeline, &event, error);
}

static struct track *tracks_add(struct tracks *tracks, const struct track_key *key, uint64_t hash,
				struct error *error)
{
	struct category *category = tracks_category(tracks, key->template);
	struct track *track;

	if (tracks_retire(tracks, error) < 0)
		return NULL;
	track = category ? track_new(key, hash, &category->shown) : NULL;
	if (!track || map_insert(&tracks->map, hash, track) < 0) {
		error_set(error, "out of memory");
		free(track);
		return NULL;
	}
	tracks->names_size += key->name.size;
	if (tracks->settings.buffers)
		track->shown.buffer = tracks->settings.buffers[track->buffer];
	track_find_task(tracks, track);
	track_idle_add(track, &tracks->idle);
	return tracks_announce(tracks, track, error) < 0 ? NULL : track;
}

static bool track_matches(const void *track_pointer, const void *key_pointer)
{
	const struct track *track = track_pointer;
	const struct track_key *key = key_pointer;

	return track_has_numbers(track, key) && text_equals(track->shown.name, key->name);
}

/* All of a key but its name. */
static uint64_t key_numbers(const struct track_key *key)
{
	uint64_t rest = key->template->index + ((uint64_t)key->buffer << 20) +
			((uint64_t)(uint32_t)key->cpu << 32);

	return hash_number(key->scope_id.unsigned_number + hash_number(rest));
}

static struct track **tracks_place(struct tracks *tracks, const struct track *track)
{
	return &tracks->recent[track_place(track->template_index, track->shown.id.unsigned_number,
					   track->head, track->shown.cpu, track->buffer)];
}

struct track *tracks_find(struct tracks *tracks, const struct observation *observation,
			  struct error *error)
{
	struct track_key key = track_key_of(observation);
	uint64_t hash = hash_text(key.name) ^ key_numbers(&key);
	struct track *track = map_find(&tracks->map, hash, track_matches, &key);

	if (!track)
		track = tracks_add(tracks, &key, hash, error);
	if (track)
		*tracks_place(tracks, track) = track;
	return track;
}

/* Nobody is to find a track that ends. */
static void tracks_forget(struct tracks *tracks, const struct track *track)
{
	struct track **place = tracks_place(tracks, track);

	if (*place == track)
		*place = NULL;
	tracks->generation++;
}

int tracks_leave(struct tracks *tracks, struct track *track, struct error *error)
{
	struct timeline_event event = {
		.kind = TIMELINE_TRACK_END,
		.time_ns = tracks->now_ns,
		.track = &track->shown,
		.unmatched_ends = track->unmatched_ends,
	};

	return timeline_push(tracks->timeline, &event, error);
}

int tracks_end(struct tracks *tracks, struct track *track, struct error *error)
{
	int status = tracks_leave(tracks, track, error);

	tracks_forget(tracks, track);
	map_remove(&tracks->map, track->hash, track);
	tracks->names_size -= track->shown.name.size;
	track_idle_remove(track);
	track_part(track);
	track_shrink(tracks, track);
	track_free(track);
	return status;
}

static int track_compare(const void *a, const void *b)
{
	const struct track *first = *(struct track *const *)a;
	const struct track *second = *(struct track *const *)b;

	return first->shown.number < second->shown.number
		       ? -1
		       : first->shown.number > second->shown.number;
}

static struct track **tracks_list(const struct tracks *tracks)
{
	struct track **list = calloc(tracks->map.size + 1, sizeof(*list));
	size_t size = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < tracks->map.capacity; i++) {
		if (tracks->map.slots[i].value)
			list[size++] = tracks->map.slots[i].value;
	}
	qsort(list, size, sizeof(*list), track_compare);
	return list;
}

int tracks_close(struct tracks *tracks, struct track *track, struct error *error)
{
	while (track->nr_slices > 0) {
		if (tracks_pop(tracks, track, NULL, error) < 0)
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
	struct track **list = tracks_list(tracks);
	size_t nr_tracks = tracks->map.size;
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
	if (end_ns > tracks->now_ns)
		tracks->now_ns = end_ns;
	return tracks_apply(tracks, tracks_close, error);
}

int tracks_drop(struct tracks *tracks, const struct template *template, struct error *error)
{
	struct category *category = tracks_category(tracks, template);

	if (!category)
		return error_set(error, "out of memory");
	category->is_gone = true;
	return 0;
}

static int track_close_gone(struct tracks *tracks, struct track *track, struct error *error)
{
	const struct category *category = (const struct category *)track->shown.category;

	return category->is_gone ? tracks_close(tracks, track, error) : 0;
}

int tracks_close_dropped(struct tracks *tracks, int64_t time_ns, struct error *error)
{
	if (time_ns > tracks->now_ns)
		tracks->now_ns = time_ns;
	return tracks_apply(tracks, track_close_gone, error);
}

/* Counts malformed records by tracepoint. */
static int tracks_count_malformed(struct tracks *tracks)
{
	struct timeline_totals *totals = &tracks->totals;
	struct timeline_count *counts = calloc(tracks->nr_categories + 1, sizeof(*counts));

	if (!counts)
		return -1;
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		const struct category *category = tracks->categories[i];

		if (category && category->malformed > 0)
			counts[totals->nr_malformed_of++] = (struct timeline_count){
				.tracepoint = category->shown.text, .count = category->malformed
			};
	}
	tracks->malformed_of = counts;
	totals->malformed_of = counts;
	return 0;
}

int tracks_tell_end(struct tracks *tracks, int64_t end_ns, uint64_t lost_records, int status,
		    struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_FINISH,
					.totals = &tracks->totals,
					.status = status };

	if (tracks_count_malformed(tracks) < 0)
		return error_set(error, "out of memory");
	tracks->totals.lost_records = lost_records;
	return tracks_pass(tracks, &event, end_ns, error);
}

int tracks_finish(struct tracks *tracks, int64_t end_ns, uint64_t lost_records, int status,
		  struct error *error)
{
	if (tracks_end_all(tracks, end_ns, error) < 0)
		return -1;
	return tracks_tell_end(tracks, end_ns, lost_records, status, error);
}

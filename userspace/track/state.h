/* SPDX-License-Identifier: GPL-2.0-only */
/* The room's inside: one track with its stack of open slices, and the set of all tracks. */
#ifndef TRACK_STATE_H
#define TRACK_STATE_H

#include "track/name.h"
#include "track/suspicion.h"
#include "track/task.h"
#include "track/track.h"

/**
 * struct slice - an open slice
 * @begin_ns: when it began, or the session did where that was later
 * @begin_cpu: which CPU wrote so
 * @begin_tid: the thread that wrote so
 * @is_continued: it began in an earlier session
 * @was_suspect: it was suspect there already
 * @is_foreign: threads ended each other's slices on its track since it began
 */
struct slice {
	int64_t begin_ns;
	int begin_cpu;
	int begin_tid;
	bool is_continued;
	bool was_suspect;
	bool is_foreign;
	struct name *name;
};

/**
 * struct track - one track
 * @shown: what sinks see
 * @template_index: of its tracepoint
 * @buffer: of its records, as an index
 * @hash: of its key
 * @head: the text_head() of its name
 * @begin_ns: when it appeared
 * @unmatched_ends: how many came when no slice was open
 * @slices: the open ones, outermost first
 * @idle_before, @idle_after: neighbours in the list of tracks without open slices
 * @peer_before, @peer_after: neighbours in the list of those that are about the same task
 * @is_outdated: its task has another name now, under which it is to come back
 * @name: bytes of @shown.name
 */
struct track {
	struct timeline_track shown;
	unsigned int template_index;
	unsigned int buffer;
	uint64_t hash;
	uint64_t head;
	int64_t begin_ns;
	uint64_t unmatched_ends;
	struct slice *slices;
	size_t nr_slices;
	size_t slices_capacity;
	struct track *idle_before;
	struct track *idle_after;
	struct track **peer_before;
	struct track *peer_after;
	bool is_outdated;
	char comm[TASK_COMM_SIZE];
	char name[];
};

/** struct track_key - what makes a track; @head is the text_head() of @name */
struct track_key {
	const struct template *template;
	struct text name;
	uint64_t head;
	struct value scope_id;
	int cpu;
	unsigned int buffer;
};

/** track_key_of - the key of the track that an observation belongs to; its name is borrowed */
hot_inline struct track_key track_key_of(const struct observation *observation)
{
	bool is_idle_task = observation->template->scope == TEMPLATE_SCOPE_THREAD &&
			    observation->tid == 0;

	return (struct track_key){
		.template = observation->template,
		.name = observation->track_name,
		.head = observation->track_head,
		.scope_id = observation->scope_id,
		.cpu = is_idle_task ? observation->cpu : -1,
		.buffer = observation->buffer,
	};
}

/** OPEN_SIZE_MAX - how many bytes open slices may take on all tracks */
#define OPEN_SIZE_MAX ((size_t)8 * 1024 * 1024)

/** TRACK_NAME_SIZE - how many bytes the names of as many tracks as are kept have on average, at most */
#define TRACK_NAME_SIZE 128

/** TRACKS_RECENT_BITS, TRACKS_RECENT - how many tracks are found without a hash of their names */
#define TRACKS_RECENT_BITS 10
#define TRACKS_RECENT (1 << TRACKS_RECENT_BITS)

/** track_place - where a track is among the recent ones, by all that makes it but its name's end */
hot_inline size_t track_place(unsigned int template_index, uint64_t scope_id, uint64_t head,
			      int cpu, unsigned int buffer)
{
	uint64_t mix = scope_id + head + ((uint64_t)template_index << 40) +
		       ((uint64_t)buffer << 30) + ((uint64_t)(unsigned int)cpu << 20);

	return mix * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TRACKS_RECENT_BITS);
}

/** track_has_numbers - whether it is a track with this key, but for the name */
hot_inline bool track_has_numbers(const struct track *track, const struct track_key *key)
{
	return track->template_index == key->template->index && track->shown.cpu == key->cpu &&
	       track->buffer == key->buffer &&
	       track->shown.id.unsigned_number == key->scope_id.unsigned_number;
}

/** track_has_key - whether it is the track with this key */
hot_inline bool track_has_key(const struct track *track, const struct track_key *key)
{
	return track_has_numbers(track, key) && track->head == key->head &&
	       text_equals_behind(track->shown.name, key->name);
}

/**
 * PROBLEMS_MAX - how many kinds of malformed records are told of a tracepoint; the convention has
 * fewer
 */
#define PROBLEMS_MAX 8

/**
 * struct category - what is kept for each tracepoint
 * @deepest: how deep its tracks were seen to be without suspect slices
 * @malformed: how many of its records could not be read
 * @problems: what was told of its malformed records already, each a constant text
 * @has_foreign_ends: that is reported already
 * @is_gone: no record of it comes any more
 */
struct category {
	struct timeline_category shown;
	size_t deepest;
	uint64_t malformed;
	const char *problems[PROBLEMS_MAX];
	bool has_foreign_ends;
	bool is_gone;
};

/**
 * struct seen - what was found for observations that are alike
 * @likeness: of them
 * @generation: of the tracks at that time
 * @name: of the slice or instant where it is a counted one, or NULL
 */
struct seen {
	uint64_t likeness;
	uint64_t generation;
	struct track *track;
	struct name *name;
};

/**
 * struct tracks - all of them
 * @now_ns: time of the newest event
 * @event: the newest that stands for a record
 * @recent: those that were used last, by the numbers of their keys: what comes next is mostly one
 * of them
 * @seen: by the place of the observation
 * @generation: another one when a track has gone; not 0
 * @open_size: bytes in all stacks, and in the names of open slices that are nowhere else
 * @names_size: bytes in the names of all tracks; sinks have several copies of them
 * @idle: head of the ring of tracks without open slices, least recently used first
 * @suspicions: by the buffer
 * @malformed_of: what @totals point to
 * @categories: by the template's index; each is allocated by itself, since tracks point to it
 */
struct tracks {
	struct tracks_settings settings;
	struct timeline *timeline;
	int64_t start_ns;
	int64_t now_ns;
	struct timeline_event event;
	struct map map;
	struct track *recent[TRACKS_RECENT];
	struct seen seen[OBSERVATION_PLACES];
	uint64_t generation;
	size_t open_size;
	size_t names_size;
	struct track idle;
	struct names names;
	struct tasks tasks;
	struct suspicion *suspicions;
	size_t nr_suspicions;
	struct category **categories;
	size_t nr_categories;
	unsigned long nr_seen;
	struct timeline_totals totals;
	struct timeline_count *malformed_of;
};

/** track_new - a track with @key and no slices, or NULL where memory ran out */
struct track *track_new(const struct track_key *key, uint64_t hash,
			struct timeline_category *category);

void track_free(struct track *track);

/** track_grow - room for more slices; returns -1 where memory ran out */
int track_grow(struct tracks *tracks, struct track *track);

/** track_shrink - free the stack of a track without open slices; the next slice makes another */
void track_shrink(struct tracks *tracks, struct track *track);

/**
 * track_push - open a slice, to be filled
 * @name: becomes the stack's
 *
 * Returns NULL where memory ran out.
 */
static inline struct slice *track_push(struct tracks *tracks, struct track *track,
				       const struct name *name)
{
	if (track->nr_slices == track->slices_capacity && track_grow(tracks, track) < 0)
		return NULL;
	tracks->open_size += name_own_size(name);
	return &track->slices[track->nr_slices++];
}

/** track_idle_add - as the most recently used one */
hot_inline void track_idle_add(struct track *track, struct track *idle)
{
	track->idle_after = idle;
	track->idle_before = idle->idle_before;
	idle->idle_before->idle_after = track;
	idle->idle_before = track;
}

/** track_idle_remove - nothing where it is in no list */
hot_inline void track_idle_remove(struct track *track)
{
	if (!track->idle_after)
		return;
	track->idle_before->idle_after = track->idle_after;
	track->idle_after->idle_before = track->idle_before;
	track->idle_before = NULL;
	track->idle_after = NULL;
}

/** track_join - put @track into the list of those that are about @task */
void track_join(struct track *track, struct task *task);

/** track_part - take it out; nothing where it is in no list */
void track_part(struct track *track);

/** tracks_category - what is kept for a tracepoint, or NULL where memory ran out */
struct category *tracks_category(struct tracks *tracks, const struct template *template);

/** track_is_suspect - whether a slice that ends now overlaps a loss in its track's buffer */
bool track_is_suspect(const struct tracks *tracks, const struct track *track,
		      const struct slice *slice);

/** tracks_event - an event of now on @track that no record stands behind; borrowed */
struct timeline_event *tracks_event(struct tracks *tracks, enum timeline_kind kind,
				    struct track *track);

/** tracks_announce - tell the timeline of a track, which gets its number by that */
int tracks_announce(struct tracks *tracks, struct track *track, struct error *error);

/** tracks_leave - tell the timeline that a track ends */
int tracks_leave(struct tracks *tracks, struct track *track, struct error *error);

/**
 * tracks_apply - call @act for all tracks, which it may free, in the order of their numbers: output
 * is not to depend on hashes
 *
 * Returns what @act does, up to the first failure.
 */
int tracks_apply(struct tracks *tracks,
		 int (*act)(struct tracks *tracks, struct track *track, struct error *error),
		 struct error *error);

/** tracks_tell_end - finish the timeline with what was counted */
int tracks_tell_end(struct tracks *tracks, int64_t end_ns, uint64_t lost_records, int status,
		    struct error *error);

/**
 * tracks_recent - the track of an observation, where it is one of those that were used last, or
 * NULL
 */
hot_inline struct track *tracks_recent(const struct tracks *tracks,
				       const struct observation *observation)
{
	struct track_key key = track_key_of(observation);
	struct track *track = tracks->recent[track_place(
		key.template->index, key.scope_id.unsigned_number, key.head, key.cpu, key.buffer)];

	return track && track_has_key(track, &key) ? track : NULL;
}

/**
 * tracks_find - the track of an observation; a new one is announced
 *
 * Returns NULL with @error where memory ran out or the timeline failed.
 */
struct track *tracks_find(struct tracks *tracks, const struct observation *observation,
			  struct error *error);

/** tracks_end - take leave of a track without open slices, and free it */
int tracks_end(struct tracks *tracks, struct track *track, struct error *error);

/**
 * tracks_evict - if there are too many tracks for one more, close those that have been open longest
 */
int tracks_evict(struct tracks *tracks, struct error *error);

/**
 * tracks_make_room - close tracks before another slice begins by @observation on @track, which has
 * TRACK_SLICES_MAX open ones or makes tracks->open_size exceed OPEN_SIZE_MAX
 *
 * Returns the track on which the slice begins, NULL with @error.
 */
struct track *tracks_make_room(struct tracks *tracks, struct track *track,
			       const struct observation *observation, struct error *error);

/** tracks_close - end all slices of a track as unfinished, then the track */
int tracks_close(struct tracks *tracks, struct track *track, struct error *error);

/**
 * tracks_pop - end the innermost slice of @track now
 * @observation: what its end's record says; NULL where there is none, and the slice is unfinished
 */
int tracks_pop(struct tracks *tracks, struct track *track, const struct observation *observation,
	       struct error *error);

/**
 * tracks_check_end - look for foreign ends before @observation ends the innermost slice of @track
 *
 * They are counted, marked, and reported once for each tracepoint.
 */
int tracks_check_end(struct tracks *tracks, struct track *track,
		     const struct observation *observation, struct error *error);

#endif

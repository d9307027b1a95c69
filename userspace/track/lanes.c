// SPDX-License-Identifier: GPL-2.0-only
/* Lanes of asynchronous slices: finds the first free one, and the one of an id. */
#include "track/state.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64
#define FIRST_LANES 2

/** struct lanes - the lanes of a track */
struct lanes {
	uint64_t hash; /* track_hash() of its key */
	/* by number of the lane, from 0; NULL if the lane has no track now */
	struct track **tracks;
	uint64_t *is_busy; /* a bit for each lane: it has open slices */
	size_t capacity;   /* size of @tracks */
	size_t nr_tracks;  /* number of lanes that have a track */
	size_t first_word; /* all lanes of the words before this one are busy */
};

/** struct flight - key of a lane with open slices */
struct flight {
	const struct lanes *lanes;
	const uint64_t *ids;
};

static void lanes_free(struct lanes *lanes)
{
	free(lanes->tracks);
	free(lanes->is_busy);
	free(lanes);
}

void lanes_release(struct tracks *tracks)
{
	struct lanes *lanes;

	map_for_each(&tracks->lanes, lanes)
		lanes_free(lanes);
	map_release(&tracks->lanes);
	map_release(&tracks->in_flight);
}

static uint64_t flight_hash(const struct lanes *lanes, const uint64_t *ids)
{
	return hash_numbers(lanes->hash, ids, KEYS_IDS_MAX);
}

static bool track_is_flight(const void *value, const void *key)
{
	const struct track *track = value;
	const struct flight *flight = key;

	return track->lanes == flight->lanes &&
	       memcmp(track->ids, flight->ids, sizeof(track->ids)) == 0;
}

/* All lanes have the same key, and there is at least one. */
static bool lanes_are_of(const void *value, const void *key)
{
	const struct lanes *lanes = value;
	const struct decoded_event *decoded = key;
	size_t i = 0;

	while (!lanes->tracks[i])
		i++;
	return track_has_numbers(lanes->tracks[i], decoded) &&
	       track_has_outer(lanes->tracks[i], decoded) &&
	       text_equals(lanes->tracks[i]->shown.name, decoded->track_name);
}

static size_t nr_words_of(size_t capacity)
{
	return (capacity + WORD_BITS - 1) / WORD_BITS;
}

static size_t lanes_search(struct lanes *lanes)
{
	size_t nr_words = nr_words_of(lanes->capacity);

	while (lanes->first_word < nr_words && !~lanes->is_busy[lanes->first_word])
		lanes->first_word++;
	if (lanes->first_word == nr_words)
		return lanes->capacity;
	return lanes->first_word * WORD_BITS + __builtin_ctzll(~lanes->is_busy[lanes->first_word]);
}

static struct track *lane_get(struct tracks *tracks, struct lanes *lanes,
			      const struct decoded_event *decoded, struct error *error)
{
	size_t index = lanes_search(lanes), nr_words = nr_words_of(lanes->capacity);
	size_t capacity = lanes->capacity ? lanes->capacity * 2 : FIRST_LANES;
	struct track *track;

	if (index >= lanes->capacity &&
	    (!array_extend(lanes->is_busy, nr_words, nr_words_of(capacity) - 1) ||
	     !array_extend(lanes->tracks, lanes->capacity, capacity - 1)))
		return error_set(error, "out of memory"), NULL;
	if (lanes->tracks[index])
		return lanes->tracks[index];
	/* Eviction, which a new track may cause, must not free the lanes. */
	lanes->nr_tracks++;
	track = tracks_add(tracks, decoded, lanes->hash ^ hash_number(index), index + 1, error);
	lanes->nr_tracks -= !track;
	if (track)
		track->lanes = lanes;
	return lanes->tracks[index] = track;
}

static struct track *lanes_new(struct tracks *tracks, const struct decoded_event *decoded,
			       uint64_t hash, struct error *error)
{
	struct lanes *lanes = calloc(1, sizeof(*lanes));
	struct track *track;

	if (!lanes)
		return error_set(error, "out of memory"), NULL;
	lanes->hash = hash;
	track = lane_get(tracks, lanes, decoded, error);
	if (track && map_insert(&tracks->lanes, hash, lanes) == 0)
		return track;
	if (track) {
		track->lanes = NULL;
		error_set(error, "out of memory");
	}
	lanes_free(lanes);
	return NULL;
}

static struct track *flight_find(struct tracks *tracks, const struct lanes *lanes,
				 const struct decoded_event *decoded)
{
	struct flight flight = { .lanes = lanes, .ids = decoded->keys->ids };

	return map_find(&tracks->in_flight, flight_hash(lanes, flight.ids), track_is_flight,
			&flight);
}

/* The lanes of @decoded's track, if one of them is among the recent tracks. */
static struct lanes *lanes_recent(const struct tracks *tracks, const struct decoded_event *decoded)
{
	const struct track *track = decoded->keys->nr_outer == 0 ? tracks_recent(tracks, decoded)
								 : NULL;

	return track ? track->lanes : NULL;
}

struct track *lanes_look(struct tracks *tracks, const struct decoded_event *decoded)
{
	struct lanes *lanes = lanes_recent(tracks, decoded);
	struct track *track;

	if (lanes)
		return flight_find(tracks, lanes, decoded);
	lanes = map_find(&tracks->lanes, track_hash(decoded), lanes_are_of, decoded);
	track = lanes ? flight_find(tracks, lanes, decoded) : NULL;
	if (track)
		tracks_keep_recent(tracks, track);
	return track;
}

/* The lane of an id, or a free one. */
static struct track *lanes_get(struct tracks *tracks, struct lanes *lanes,
			       const struct decoded_event *decoded, struct error *error)
{
	struct track *track = flight_find(tracks, lanes, decoded);

	return track ? track : lane_get(tracks, lanes, decoded, error);
}

struct track *lanes_find(struct tracks *tracks, const struct decoded_event *decoded,
			 struct error *error)
{
	struct lanes *lanes = lanes_recent(tracks, decoded);
	struct track *track;
	uint64_t hash;

	if (lanes)
		return lanes_get(tracks, lanes, decoded, error);
	hash = track_hash(decoded);
	lanes = map_find(&tracks->lanes, hash, lanes_are_of, decoded);
	track = lanes ? lanes_get(tracks, lanes, decoded, error)
		      : lanes_new(tracks, decoded, hash, error);
	if (track)
		tracks_keep_recent(tracks, track);
	return track;
}

static void lane_set_busy(struct track *track, bool is_busy)
{
	size_t index = track->shown.lane - 1, word = index / WORD_BITS;
	uint64_t bit = UINT64_C(1) << index % WORD_BITS;
	struct lanes *lanes = track->lanes;

	if (is_busy) {
		lanes->is_busy[word] |= bit;
		return;
	}
	lanes->is_busy[word] &= ~bit;
	if (word < lanes->first_word)
		lanes->first_word = word;
}

int lanes_occupy(struct tracks *tracks, struct track *track, const uint64_t *ids,
		 struct error *error)
{
	track->flight_hash = flight_hash(track->lanes, ids);
	if (map_insert(&tracks->in_flight, track->flight_hash, track) < 0)
		return error_set(error, "out of memory");
	memcpy(track->ids, ids, sizeof(track->ids));
	lane_set_busy(track, true);
	return 0;
}

void lanes_vacate(struct tracks *tracks, struct track *track)
{
	map_remove(&tracks->in_flight, track->flight_hash, track);
	lane_set_busy(track, false);
}

void lanes_remove(struct tracks *tracks, struct track *track)
{
	struct lanes *lanes = track->lanes;

	lanes->tracks[track->shown.lane - 1] = NULL;
	if (--lanes->nr_tracks > 0)
		return;
	map_remove(&tracks->lanes, lanes->hash, lanes);
	lanes_free(lanes);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lanes: tracks of asynchronous slices, which may overlap. A slice goes to the first lane that is
 * free, and its id finds the lane again. The slices of one id nest on one lane.
 */
#ifndef TRACK_LANES_H
#define TRACK_LANES_H

#include "base/base.h"
#include "event/event.h"

struct track;
struct tracks;

/** lanes_release - free what lanes share, after all tracks were freed */
void lanes_release(struct tracks *tracks);

/**
 * lanes_find - the lane of @decoded's id, the first free lane if the id has no open slice
 *
 * Returns NULL with @error if memory ran out or the timeline failed.
 */
struct track *lanes_find(struct tracks *tracks, const struct decoded_event *decoded,
			 struct error *error);

/** lanes_look - the lane on which @decoded's id has open slices, NULL if there is none */
struct track *lanes_look(struct tracks *tracks, const struct decoded_event *decoded);

/**
 * lanes_occupy - let lanes_find() find @track by @ids; its first slice began
 *
 * Returns 0, or -1 with @error if memory ran out.
 */
int lanes_occupy(struct tracks *tracks, struct track *track, const uint64_t *ids,
		 struct error *error);

/** lanes_vacate - make @track a free lane; its last slice ended */
void lanes_vacate(struct tracks *tracks, struct track *track);

/** lanes_remove - forget @track, which ends without open slices */
void lanes_remove(struct tracks *tracks, struct track *track);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of several machines, merged by wall-clock time. */
#ifndef REPLAY_MACHINES_H
#define REPLAY_MACHINES_H

#include "replay/export_part.h"
#include "replay/join.h"

/**
 * struct machines - the merge
 * @parts: the recordings, @size of them
 * @list, @names: each part's machine
 * @recording: describes the common stream, in the clock of the first part
 * @sources, @id: of the common stream
 */
struct machines {
	struct export_part *parts;
	size_t size;
	struct timeline_machine list[TIMELINE_MACHINES_MAX];
	char *names[TIMELINE_MACHINES_MAX];
	struct join join;
	struct recording recording;
	struct buffer sources;
	char id[IDENTITY_ID_SIZE];
};

/**
 * machines_prepare - compare the wall clocks of opened parts
 * @parts: opened; they outlive @machines
 *
 * Returns 0, or -1 with @error, if one has no wall clock.
 */
int machines_prepare(struct machines *machines, struct export_part *parts, size_t size,
		     struct error *error);

/** machines_begin - open all timelines, after outputs were added; returns -1 with @error */
int machines_begin(struct machines *machines, struct error *error);

/** machines_read - deliver all records by time, and finish each part after its last one */
int machines_read(struct machines *machines, struct error *error);

/** machines_report - report by how much times of different machines may differ */
void machines_report(const struct machines *machines, const struct report *report);

/** machines_release - after the parts were released */
void machines_release(struct machines *machines);

#endif

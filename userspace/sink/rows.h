/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of threads: outputs for people draw all synchronous slices and the instants of a thread on
 * one row, whichever tracepoint they belong to, as far as the slices nest.
 *
 * A row has a stack of open slices. Each track of a thread has a row, at first the thread's first.
 * If a slice ends while later ones of its row are open, these cross it: each moves to the next row
 * into which it fits, which is a new one if need be, and its track stays there. Hence a track is
 * moved at most ROWS_MAX times, and tracks that cross are on different rows after a few slices.
 *
 * Slices of one track cross if coroutines of a thread take turns. Once they have, each of them
 * begins on a row where none of them is open: then no other one is cut, and none nests any more.
 * A track with a row of its own has that one only: what crosses is cut, and goes on there.
 *
 * Outputs that write a slice at its end draw it on the row on which it ends. Those that write its
 * begin have a function write() that gets all events of the rows, in an order in which every end is
 * that of the innermost slice: at a crossing, slices that move end (is_cut), and begin again on
 * their new row (is_cut, with the time of their begin).
 *
 * Slices that no record ends (the recording ends, the thread executes a program) end in the order
 * of their tracks, all at one time, which is no crossing: an end that is not the innermost slice's
 * is held until those inside have ended, or the thread goes on.
 *
 * States, counters, lanes of asynchronous slices and other scopes take no part.
 */
#ifndef SINK_ROWS_H
#define SINK_ROWS_H

#include "timeline/timeline.h"

/**
 * ROWS_MAX - most rows of a thread
 *
 * A slice that crosses on the last one is cut for good: so much is written for each slice at most.
 * Outputs that write ends get a row with the next number for all of these.
 */
#define ROWS_MAX 32

struct row_thread;
struct row_slice;

struct row {
	struct row_thread *thread;
	unsigned int number; /* among those of the thread, from 1 */
	unsigned int nr_open;
	unsigned int size;
	struct row_slice *open; /* slices, the innermost is the last one */
	int64_t last_end_ns;	/* time of the last end */
	void *data;		/* the output's, freed with the row */
};

/** struct row_track - a member of an output's struct of a track */
struct row_track {
	struct row *row;  /* for what begins next; NULL if the track takes no part */
	bool has_crossed; /* its slices have crossed each other, and may be on any row */
	struct timeline_track *shown;
};

/** struct row_place - where an event is drawn */
struct row_place {
	struct row *row;
	unsigned int depth; /* of slices: from 1; of instants: number of slices open on the row */
};

struct rows {
	struct map threads; /* those that have tracks, or tracks with one row each */
	bool has_one_row;   /* of a track of its own; slices are written at their begin then */
	/*
	 * Writes an event of a row, NULL in outputs that write slices at their ends. The track of
	 * an end that was held has no sink data, and only its category, kind, scope and machine
	 * are valid.
	 */
	void (*write)(void *context, const struct row_place *place,
		      const struct timeline_event *event);
	void *context;
	struct row_place place; /* of the last event; a slice that ends was on it */
	bool has_failed;	/* memory ran out, or a slice ended that had not begun */
};

/** rows_take_track - whether a track's slices and instants are on its thread's rows */
bool rows_take_track(const struct timeline_track *track);
/** rows_track_begin - add a track to its thread, or with a row of its own */
void rows_track_begin(struct rows *rows, struct row_track *track, struct timeline_track *shown);
/** rows_track_end - remove a track, whose slices have ended; frees a thread without tracks */
void rows_track_end(struct rows *rows, struct row_track *track);
/** rows_event - find an event's place, @rows->place, and write it; false if @rows has failed */
bool rows_event(struct rows *rows, struct row_track *track, const struct timeline_event *event);

const struct row *row_first(const struct row *row);

/** row_track_is_named - whether a track has a name of its own, which the name of a row lacks */
bool row_track_is_named(const struct timeline_track *track);
/** thread_append_name - append the name of a track's thread: "reader 537", "swapper/1" */
void thread_append_name(struct buffer *out, const struct timeline_track *track);

/**
 * rows_append_key - append what a track shares with those that continue it when its thread is
 * renamed
 * @is_row: also with all other tracks of the rows of its thread
 */
void rows_append_key(struct buffer *out, const struct timeline_track *track, bool is_row);

/** rows_append_name - append a row's name: "reader 537", of a second row "reader 537 (2)" */
void rows_append_name(struct buffer *out, const struct row *row,
		      const struct timeline_track *track);

void rows_release(struct rows *rows);

#endif

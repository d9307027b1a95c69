/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The track room's public header: state over time. It turns observations into the timeline's
 * events: groups them into tracks, keeps each track's stack of open slices, and says which slices a
 * loss may have falsified.
 *
 * A track is {system:event} x {scope} x {track name}; Perfetto forgets the system, we do not.
 * Records of the idle tasks, which are one thread id on all CPUs, are kept apart by CPU.
 *
 * Where the trace has the records of the scheduler that tell so, the tracks of a thread, or of a
 * process, end when its number passes on to another, and what is open on them ends there, as
 * unfinished. A thread that gets another name gets other tracks, from where no slice is open.
 * Without such records a number stands for one thread, with the name that was asked for first.
 *
 * How a stack goes on after a gap: every slice that was open at any moment of the gap is suspect,
 * whichever of its records may be missing. Suspect slices stay open, and an end closes the
 * innermost one; but a gap swallows ends too, and what they should have closed must not pile up. So
 * before a slice begins directly on a suspect one, and would lie deeper than tracks of its
 * tracepoint were ever seen to be without suspect slices (one deep, where none was seen), the
 * suspect one is ended, as unfinished. Since slices are strictly nested, one that began after the
 * gap is always closed by its own end, so that nothing else needs a mark.
 *
 * An end without an open slice is counted and touches nothing. Slices that are open when the
 * recording ends are ended there, as unfinished.
 */
#ifndef TRACK_TRACK_H
#define TRACK_TRACK_H

#include "base/base.h"
#include "convention/convention.h"
#include "timeline/timeline.h"

/**
 * TRACKS_IDLE_MAX - how many tracks without open slices are kept, unless the settings say otherwise
 *
 * A track with its thread, names and timers takes about a kilobyte and a half: so many fit into the
 * 32 MB that an export may take.
 */
#define TRACKS_IDLE_MAX 16384

/**
 * TRACKS_NAMES_MAX - how many names are told apart for each tracepoint, unless the settings say
 * otherwise
 */
#define TRACKS_NAMES_MAX 1000

/**
 * TRACK_SLICES_MAX - how many slices can be open on a track; one more closes the track
 *
 * The open slices of all tracks may take 8 MiB, and there may be a quarter more tracks with open
 * slices than without, before the oldest are closed.
 */
#define TRACK_SLICES_MAX 16384

/**
 * struct tracks_settings - bounds, and where to ask for names of tasks
 * @idle_max: tracks above this number are retired when no slice is open on them, least recently
 * used first, and come back as new ones; 0 stands for TRACKS_IDLE_MAX. Earlier if their names have
 * more than 128 bytes on average
 * @names_max: slice names counted separately for each tracepoint, up to 4 MiB or 256 bytes for each
 * of so many; 0 stands for TRACKS_NAMES_MAX
 * @has_comm: events are to say the name of the thread that wrote the record
 * @buffers: names of the source's buffers, where it has several: they keep tracks apart; NULL where
 * it has one
 * @find_task: fills @tgid and @comm (of @comm_size bytes) where it knows them; may be NULL
 * @context: for @find_task
 */
struct tracks_settings {
	size_t idle_max;
	size_t names_max;
	bool has_comm;
	const char *const *buffers;
	void (*find_task)(void *context, int tid, int *tgid, char *comm, size_t comm_size);
	void *context;
};

struct tracks;

/**
 * tracks_new - no tracks yet
 * @timeline: where events go; stays the caller's
 * @start_ns: trace time at which the recording starts; nothing is older
 *
 * Returns NULL where memory ran out.
 */
struct tracks *tracks_new(const struct tracks_settings *settings, struct timeline *timeline,
			  int64_t start_ns);

void tracks_free(struct tracks *tracks);

/**
 * tracks_observe - take in what a record says
 *
 * Observations come in time order; one that is older than its predecessor counts as simultaneous.
 * Returns 0, or -1 with @error.
 */
int tracks_observe(struct tracks *tracks, const struct observation *observation,
		   struct error *error);

/**
 * tracks_learn - take in what the trace says of a task; in time order with the observations
 *
 * Returns 0, or -1 with @error.
 */
int tracks_learn(struct tracks *tracks, const struct task_change *change, struct error *error);

/**
 * tracks_reject - take in a record that cannot be read
 * @observation: with its problem, a constant text; told once of each tracepoint, counted always
 */
int tracks_reject(struct tracks *tracks, const struct observation *observation,
		  struct error *error);

/**
 * struct tracks_gap - records of one CPU of one buffer that were lost between two moments
 * @count: how many, or TIMELINE_COUNT_UNKNOWN
 * @is_sum: no gap, but how many records the gaps of unknown size on that CPU have together
 */
struct tracks_gap {
	unsigned int buffer;
	int cpu;
	int64_t from_ns;
	int64_t to_ns;
	int64_t count;
	bool is_sum;
};

/**
 * tracks_lose - take in that records were lost; before any observation that is later than the
 * gap's beginning
 */
int tracks_lose(struct tracks *tracks, const struct tracks_gap *gap, struct error *error);

/**
 * tracks_pass - take in that time has come to @time_ns, and hand @event on at that time
 * @event: one that has no track, whose time is set here
 */
int tracks_pass(struct tracks *tracks, struct timeline_event *event, int64_t time_ns,
		struct error *error);

/** tracks_lose_tasks - so many records were lost that tell who threads are */
void tracks_lose_tasks(struct tracks *tracks, uint64_t lost_records);

/** tracks_are_unused - whether nothing was observed, not even what had to be rejected */
bool tracks_are_unused(const struct tracks *tracks);

/** tracks_drop - take in that a tracepoint has gone; tracks_close_dropped() does what follows */
int tracks_drop(struct tracks *tracks, const struct template *template, struct error *error);

/**
 * tracks_close_dropped - end what is open on tracks of tracepoints that have gone, as unfinished,
 * at @time_ns, and the tracks with it
 */
int tracks_close_dropped(struct tracks *tracks, int64_t time_ns, struct error *error);

/** tracks_complete_from - from @time_ns on nothing was lost, as far as older records matter */
void tracks_complete_from(struct tracks *tracks, int64_t time_ns);

/** tracks_complete_until - up to @time_ns nothing was lost, as far as younger records matter */
void tracks_complete_until(struct tracks *tracks, int64_t time_ns);

/** tracks_drift - the wall clock has moved by so much against the trace clock in the recording */
void tracks_drift(struct tracks *tracks, int64_t wall_drift_ns);

/**
 * tracks_end_all - end what is open at @end_ns, and take leave of all tracks; no observation
 * follows
 */
int tracks_end_all(struct tracks *tracks, int64_t end_ns, struct error *error);

/**
 * tracks_suspend - end a session, not the recording: end what is open at @end_ns as continued, take
 * leave of all tracks, and finish the timeline
 * @lost_records: how many were lost in this session
 */
int tracks_suspend(struct tracks *tracks, int64_t end_ns, uint64_t lost_records,
		   struct error *error);

/**
 * tracks_resume - go on after tracks_suspend(), on the same timeline, that other sinks listen to
 * and that was opened for a recording that starts at the same moment
 *
 * Tracks with open slices are there at once, and their slices begin as continued; the others come
 * with their next record.
 */
int tracks_resume(struct tracks *tracks, struct error *error);

/**
 * tracks_finish - like tracks_end_all(), where that was not done, and finish the timeline
 * @end_ns: when the recording ended
 * @lost_records: what the source says was lost in all
 * @status: ktrack's exit status as far as it is known
 */
int tracks_finish(struct tracks *tracks, int64_t end_ns, uint64_t lost_records, int status,
		  struct error *error);

#endif

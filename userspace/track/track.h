/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of track/: state over time. It turns decoded events into timeline events: assigns
 * them to tracks, keeps each track's stack of open slices, and marks slices that a loss may have
 * falsified.
 *
 * A track is {system:event} x {scope} x {track name}; Perfetto ignores the system. The idle tasks,
 * which have one tid on all CPUs, have separate tracks for each CPU.
 *
 * If the trace contains the scheduler's records about threads, the tracks of a thread or process
 * end when its tid passes to another one, and open slices end there as unfinished. A renamed thread
 * gets new tracks, each as soon as no slice is open; so do the threads of a process that is moved
 * to another cgroup. Without these records a tid is one thread, with the name that was found first.
 *
 * Stacks after a loss: every slice that was open during the loss is suspect, whichever of its
 * records may be missing. Suspect slices stay open, and an end closes the innermost slice. Since
 * lost ends would leave slices open forever, a suspect slice ends as unfinished when another one
 * begins directly on it, if that would be deeper than tracks of the tracepoint were without suspect
 * slices (at least one). Slices without named ends are strictly nested, so one that began after the
 * loss is always closed by its own end.
 *
 * An end may name its slice by the time of the begin's record: coroutines of one thread end slices
 * in any order. It ends that slice, wherever it is on the stack, and other slices keep their
 * places. An end without a name ends the slice that began last.
 *
 * An end without an open slice is counted and has no effect. Slices that are open at the end of the
 * recording end there as unfinished.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef TRACK_TRACK_H
#define TRACK_TRACK_H

#include "base/base.h"
#include "event/event.h"
#include "timeline/timeline.h"

/**
 * TRACKS_IDLE_MAX - default limit of tracks without open slices
 *
 * A track with its thread, names and timers takes about 1.5 KiB: this number fits into the 32 MB
 * that an export may use.
 */
#define TRACKS_IDLE_MAX 16384

/** TRACKS_NAMES_MAX - default limit of slice names that are counted for each tracepoint */
#define TRACKS_NAMES_MAX 1000

/**
 * TRACK_SLICES_MAX - limit of open slices on a track; one more closes the track
 *
 * Open slices of all tracks are limited to 8 MiB, and tracks with open slices to a quarter more
 * than those without; above that the oldest are closed.
 */
#define TRACK_SLICES_MAX 16384

/**
 * struct tracks_settings - limits, and a function for the identity of threads
 * @idle_max: limit of tracks, above which the least recently used ones without open slices are
 * evicted and continue as new ones; 0 for TRACKS_IDLE_MAX. The limit is lower if their names have
 * more than 128 bytes on average
 * @names_max: limit of slice names that are counted for each tracepoint; 0 for TRACKS_NAMES_MAX.
 * All names are limited to 4 MiB, or 256 bytes for each of this number
 * @hides_buffers: tracks do not show their buffer, nor do losses in the first one
 * @copy_record: copies the record that is observed, with one user more, or returns NULL; needed by
 * tracks_copy_records()
 */
struct tracks_settings {
	size_t idle_max;
	size_t names_max;
	bool has_comm; /* events contain the name of the thread that wrote the record */
	/* names of the source's buffers, each of which has its own tracks; NULL if it has one */
	const char *const *buffers;
	bool hides_buffers;
	/* number of a buffer whose tracks are shown as those of the first; 0 for none */
	unsigned int convention_buffer;
	const char *devices; /* names of block devices, as in struct recording */
	/* the name of the buffer of programs, whose tracks do not show it; NULL for none */
	const char *programs;
	/* looks up a thread; @out is zeroed and stays so if it is unknown; may be NULL */
	void (*find_task)(void *context, int tid, struct thread_identity *out);
	/* appends the path of a process's cgroup, or nothing; may be NULL */
	void (*find_cgroup)(void *context, int pid, struct buffer *out);
	struct record_copy *(*copy_record)(void *context);
	void *context; /* for these functions */
};

struct tracks;

/**
 * tracks_new - an empty set of tracks
 * @timeline: receives the events; owned by the caller
 * @start_ns: trace time at which the recording starts; no event is older
 *
 * Returns a set for tracks_free(), or NULL if memory ran out.
 */
struct tracks *tracks_new(const struct tracks_settings *settings, struct timeline *timeline,
			  int64_t start_ns);

/** tracks_free - free all tracks without ending them; NULL is allowed */
void tracks_free(struct tracks *tracks);
/** tracks_observe - apply an event without a problem; an older one gets the time of the last one */
int tracks_observe(struct tracks *tracks, const struct decoded_event *decoded, struct error *error);
/** tracks_observe_rule - tracks_observe() of an event of a rule, which may be of any kind */
int tracks_observe_rule(struct tracks *tracks, const struct decoded_event *decoded,
			struct error *error);
/** tracks_learn - apply a change of a thread, in time order with the decoded events */
int tracks_learn(struct tracks *tracks, const struct task_change *change, struct error *error);
/** tracks_reject - count a record with a problem, which is reported once for each tracepoint */
int tracks_reject(struct tracks *tracks, const struct decoded_event *decoded, struct error *error);
/** tracks_lose - apply a loss, before any decoded event later than its begin */
int tracks_lose(struct tracks *tracks, const struct loss *loss, struct error *error);
/** tracks_pass - advance to @time_ns, and deliver @event, which has no track, at that time */
int tracks_pass(struct tracks *tracks, struct timeline_event *event, int64_t time_ns,
		struct error *error);

/**
 * tracks_named_process - the process that a thread means by a number
 *
 * Programs in a container write the numbers that they have there, and some write those of a parent:
 * it is the thread's own process, unless that process, or one that has used its own number, has it.
 */
int tracks_named_process(struct tracks *tracks, int tid, int named);

/** tracks_comm - the name of a thread now, "" if it is unknown; valid until the next call */
const char *tracks_comm(struct tracks *tracks, int tid);
/**
 * tracks_continue - whether an event is in, or ends, an open slice of its cgroup: on the track of a
 * thread or process any, on another one of the process that wrote the event
 */
bool tracks_continue(struct tracks *tracks, const struct decoded_event *decoded);
/**
 * tracks_find_cgroup - append the path of an event's cgroup; nothing if it is the root or unknown
 *
 * For events that do not continue anything: that of the thread or process of the track, or, if the
 * track is of none, of the thread that wrote the record. Returns false if the event ends what may
 * have begun before the process was moved, in another cgroup.
 */
bool tracks_find_cgroup(struct tracks *tracks, const struct decoded_event *decoded,
			struct buffer *out);

/**
 * tracks_leave_state - end the state that an event ends which is not observed, because its process
 * was moved to another cgroup
 */
int tracks_leave_state(struct tracks *tracks, const struct decoded_event *decoded,
		       struct error *error);

/** tracks_process - the process of a thread, its own number if unknown; -1 without memory */
int tracks_process(struct tracks *tracks, int tid);
/** tracks_lose_tasks - set the number of lost records about threads */
void tracks_lose_tasks(struct tracks *tracks, uint64_t lost_records);
/** tracks_are_unused - whether no event was applied or rejected */
bool tracks_are_unused(const struct tracks *tracks);
/** tracks_drop - mark a tracepoint as removed, for tracks_close_dropped() */
int tracks_drop(struct tracks *tracks, const struct descriptor *descriptor, struct error *error);
/** tracks_close_dropped - close the tracks of removed tracepoints; open slices are unfinished */
int tracks_close_dropped(struct tracks *tracks, int64_t time_ns, struct error *error);
/** tracks_complete_from - set the time after which no record was lost */
void tracks_complete_from(struct tracks *tracks, int64_t time_ns);
/** tracks_complete_until - set the time before which no record was lost */
void tracks_complete_until(struct tracks *tracks, int64_t time_ns);

/**
 * tracks_report_endless - report begins without an end, one line for each tracepoint or rule: those
 * whose key began again, and those that other slices nest in without limit
 * @source: what is recorded, for the message
 */
void tracks_report_endless(const struct tracks *tracks, const char *source,
			   const struct report *report);

/** tracks_drift - set the drift of the wall clock against the trace clock over the recording */
void tracks_drift(struct tracks *tracks, int64_t wall_drift_ns);
/** tracks_end_all - end all slices and tracks at @end_ns; no event may follow */
int tracks_end_all(struct tracks *tracks, int64_t end_ns, struct error *error);

/**
 * tracks_suspend - end a session but not the recording: end open slices at @end_ns as continued,
 * then all tracks, and finish the timeline
 * @lost_records: number of lost records in this session
 */
int tracks_suspend(struct tracks *tracks, int64_t end_ns, uint64_t lost_records,
		   struct error *error);

/**
 * tracks_resume - continue after tracks_suspend(), on the same timeline, which has other sinks and
 * was opened for a recording that starts at the same time
 *
 * Tracks with open slices begin at once, and their slices as continued; the others begin with their
 * next record.
 */
int tracks_resume(struct tracks *tracks, struct error *error);

/**
 * tracks_finish - tracks_end_all(), unless that was done, then finish the timeline
 * @end_ns: end of the recording
 * @lost_records: number of lost records, from the source
 * @status: exit status of ktrack as far as it is known
 */
int tracks_finish(struct tracks *tracks, int64_t end_ns, uint64_t lost_records, int status,
		  struct error *error);

/*
 * A window of time. Before it, records are observed on a timeline without sinks, and those that
 * begin something are copied. At its begin the tracks are cleared, and what is open is restored by
 * these records. Behind it, only slices that cross its end are observed.
 */

/** struct window_use - what a record outside of the window is for */
struct window_use {
	const char *category; /* of the slice, the flow or the counter */
	uint64_t id;	      /* the value of its scope in the record */
	/* the value of its track's scope, which differs if execve(2) gave the thread another id */
	uint64_t owner;
	uint64_t value; /* of a slice, the number of hidden slices in it; of a counter its sum */
};

/** tracks_copy_records - copy records from now on, or not */
void tracks_copy_records(struct tracks *tracks, bool is_on);
/** tracks_set_timeline - deliver to another timeline from now on */
void tracks_set_timeline(struct tracks *tracks, struct timeline *timeline);

/**
 * tracks_visit_open - visit the slices, flows and sums that are open, in any order
 * @visit: receives the copied record, which it may keep as a user; returns -1 to end the visit
 */
int tracks_visit_open(const struct tracks *tracks,
		      int (*visit)(void *context, struct record_copy *begun_by,
				   const struct window_use *use),
		      void *context);

/** tracks_clear - forget tracks, flows, names and totals, not threads and how far losses reach */
void tracks_clear(struct tracks *tracks);
/** tracks_restore - begin what was open, in the order of its records; @decoded: of such a record */
int tracks_restore(struct tracks *tracks, const struct decoded_event *decoded,
		   const struct window_use *use, struct error *error);
/** tracks_enter - the window begins; deliver the sums of counters */
int tracks_enter(struct tracks *tracks, int64_t time_ns, struct error *error);

/**
 * tracks_leave - the window ends; end all tracks but those with open slices
 * @totals: becomes those of the window; others count from zero
 * @now_ns: becomes the time of the last event
 */
int tracks_leave(struct tracks *tracks, struct timeline_totals *totals, int64_t *now_ns,
		 struct error *error);

/**
 * tracks_observe_behind - observe an event behind the window
 * @is_apart: of a part: the end of the slice that it begins is not observed
 *
 * Returns 1 if it is about hidden slices in one that crosses the window's end, else 0; -1 with
 * @error.
 */
int tracks_observe_behind(struct tracks *tracks, const struct decoded_event *decoded, bool is_rule,
			  bool is_apart, struct error *error);

/** tracks_first_begins - the begin of each buffer's oldest open slice; INT64_MAX if none is open */
void tracks_first_begins(const struct tracks *tracks, int64_t *first_ns, size_t nr_buffers);
/** tracks_number - how many tracks there are */
size_t tracks_number(const struct tracks *tracks);
/** tracks_needs - whether a change of a thread may matter to the tracks that there are */
bool tracks_needs(const struct tracks *tracks, const struct task_change *change);
/** tracks_show_loss - deliver a loss that tracks_lose() had before */
int tracks_show_loss(struct tracks *tracks, const struct loss *loss, struct error *error);
/** tracks_save_state - append lines with the threads, and how far losses reach */
void tracks_save_state(const struct tracks *tracks, struct buffer *out);
/** tracks_load_state - take such a line; other lines are ignored; returns -1 if memory ran out */
int tracks_load_state(struct tracks *tracks, struct text line);

#endif

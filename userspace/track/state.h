/* SPDX-License-Identifier: GPL-2.0-only */
/* Private state of track/: a track with its stack of open slices, and the set of all tracks. */
#ifndef TRACK_STATE_H
#define TRACK_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"
#include "event/event.h"
#include "timeline/timeline.h"
#include "track/track.h"

/* Slices that a loss may have falsified. */

/**
 * struct suspicion - how far the losses of a buffer reach
 *
 * A loss is delivered before any event later than its begin. So a slice that ends now overlaps a
 * loss exactly if it began before the end of one: one time is sufficient. Lost records of a CPU
 * precede the record that ends the loss, and so the slice that begins with it; records of other
 * CPUs with the same time may precede them.
 */
struct suspicion {
	int64_t until_ns;      /* latest end of a loss on any CPU */
	int until_cpu;	       /* CPU of that loss, -1 if several end then */
	int64_t *cpu_until_ns; /* the same for each CPU */
	size_t nr_cpus;	       /* size of that array */
};

/** suspicion_release - free the array, and zero @suspicion */
void suspicion_release(struct suspicion *suspicion);
/** suspicion_add - add a loss on @cpu that ends at @to_ns; returns -1 if memory ran out */
int suspicion_add(struct suspicion *suspicion, int cpu, int64_t to_ns);

/**
 * suspicion_covers - whether an open slice overlaps a loss
 * @cpu: the only CPU that may have written its records, or -1 for any: threads migrate, and a
 * record's scope may be another CPU than the writer's
 * @begin_ns: begin of the slice
 * @begin_cpu: CPU that wrote the begin
 */
hot_inline bool suspicion_covers(const struct suspicion *suspicion, int cpu, int64_t begin_ns,
				 int begin_cpu)
{
	/* Most slices began after the latest loss. */
	if (begin_ns > suspicion->until_ns || suspicion->nr_cpus == 0)
		return false;
	if (cpu < 0)
		return begin_ns < suspicion->until_ns ||
		       (begin_ns == suspicion->until_ns && begin_cpu != suspicion->until_cpu);
	return (size_t)cpu < suspicion->nr_cpus && begin_ns < suspicion->cpu_until_ns[cpu];
}

/* Identity of threads: looked up once for each, then updated by records. */

/** TASK_COMM_SIZE - size of a name with its NUL; kernel workers have the longest */
#define TASK_COMM_SIZE 48

struct track;
struct tracks;
struct task_block;

/**
 * struct task - the thread or process with a tid
 * @crew: of the first thread of a process: the first track of the process and its threads
 * @cgroup: the same: the path of its cgroup, if it is moved, or was created by one that was; the
 * root's is "/". NULL if it is not known from records
 */
struct task {
	int tid;
	int tgid;	      /* its process, 0 if unknown */
	int parent_tid;	      /* its creator, 0 if unknown */
	int64_t born_ns;      /* time of its creation, 0 if unknown */
	bool is_looked_up;    /* settings.find_task() was called for it */
	bool is_new;	      /* only its creation is recorded */
	bool awaits_fork;     /* its creation was recorded by the first of two tracepoints */
	bool names_itself;    /* it has used its own number */
	bool has_exited;      /* it may still write records, but not change its name */
	bool is_kept;	      /* of tasks_prune() */
	struct track *tracks; /* the first track of the thread or process */
	struct track *crew;
	char *cgroup;
	struct task *next_free;	   /* next unused task */
	char comm[TASK_COMM_SIZE]; /* its name, "" if unknown */
};

/**
 * struct tasks - known threads, up to a limit at which those without tracks are freed
 * @blocks: memory of all tasks; separate allocations among the short-lived tracks would fragment
 * the heap
 */
struct tasks {
	struct map map;
	size_t limit; /* that limit, 0 for the minimum */
	struct task_block *blocks;
	struct task *free; /* first unused task */
	bool sees_exits;   /* exits of threads are recorded */
};

/** tasks_release - free all tasks, and zero @tasks */
void tasks_release(struct tasks *tasks);
/** tasks_find - the task with @tid, NULL if there is none; does not look it up */
struct task *tasks_find(const struct tasks *tasks, int tid);

/** TASKS_MAX - so many tasks more are kept than have tracks; those whose cgroup is known last */
#define TASKS_MAX 4096

/** tasks_add - add a task that tasks_find() does not find; returns NULL if memory ran out */
struct task *tasks_add(struct tasks *tasks, int tid);
/** tasks_lives - whether the thread with @tid certainly has not exited */
bool tasks_lives(const struct tasks *tasks, int tid);

/**
 * tasks_get - the task with @tid, looked up if it is new
 *
 * Returns a task that is valid until the next tasks_add() or tasks_get(), or as long as it has
 * tracks; NULL if memory ran out.
 */
struct task *tasks_get(struct tasks *tasks, const struct tracks_settings *settings, int tid);

/** task_leader - the first thread of a task's process, NULL if it is not known */
struct task *task_leader(const struct tasks *tasks, struct task *task);
/** tracks_look_up_cgroup - append the path that a task or one of its ancestors is said to have */
void tracks_look_up_cgroup(const struct tracks *tracks, int tid, struct buffer *out);
/** task_find_cgroup - append the path of a thread's cgroup, but for the root's */
void task_find_cgroup(const struct tracks *tracks, struct task *task, struct buffer *out);
/** task_set_comm - set the name, cut to TASK_COMM_SIZE */
void task_set_comm(struct task *task, struct text comm);

/* Names of slices and instants, interned by tracepoint. */

/** struct name - a name in use */
struct name {
	struct timeline_name shown; /* the part that sinks see */
	unsigned int owner;	    /* index of the tracepoint */
	uint64_t head;		    /* text_head() of the text */
	char bytes[];
};

/** NAMES_RECENT_BITS, NAMES_RECENT - size of the table of recent names */
#define NAMES_RECENT_BITS 10
#define NAMES_RECENT (1 << NAMES_RECENT_BITS)

/** struct names - the names of all tracepoints */
struct names {
	struct map map; /* all interned names */
	/* recently used ones, found without a hash of the whole text */
	struct name *recent[NAMES_RECENT];
	/* limit of interned names for each tracepoint; more are made for one slice each */
	size_t max;
	size_t *nr_of_owner; /* number of interned names, by the tracepoint's index */
	size_t nr_owners;
	struct name **by_number; /* by an event's name_number; NULL if it had no event yet */
	size_t nr_numbers;
	size_t size; /* bytes of all interned names, which are limited too */
};

/** names_release - free all interned names, and zero @names */
void names_release(struct names *names);

/** name_recent_index - index into the recent names; @head is the text_head() of @text */
hot_inline size_t name_recent_index(unsigned int owner, struct text text, uint64_t head)
{
	uint64_t glance = text_glance(text, head) + owner;

	return glance * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_RECENT_BITS);
}

/** names_find - intern a name that is not among the recent ones; see names_get() */
struct name *names_find(struct names *names, unsigned int owner, struct text text);

/**
 * names_recent - the name with this text, an interned one, if it is among the recent ones
 * @owner: index of the tracepoint
 * @head: text_head() of @text
 */
hot_inline struct name *names_recent(const struct names *names, unsigned int owner,
				     struct text text, uint64_t head)
{
	struct name *name = names->recent[name_recent_index(owner, text, head)];
	bool is_found = name && name->owner == owner && name->head == head &&
			text_equals_behind(name->shown.text, text);

	return likely(is_found) ? name : NULL;
}

/** names_get - the name with this text, for name_put(), or NULL if memory ran out */
hot_inline struct name *names_get(struct names *names, unsigned int owner, struct text text,
				  uint64_t head)
{
	struct name *name = names_recent(names, owner, text, head);

	return name ? name : names_find(names, owner, text);
}

/** names_clear_sink_data - set the sink data of all names to NULL, after the sinks were freed */
void names_clear_sink_data(struct names *names);

/** name_own_size - bytes that are freed with the slice of this name */
hot_inline size_t name_own_size(const struct name *name)
{
	return name->shown.is_counted ? 0 : sizeof(*name) + name->shown.text.size;
}

/** name_put - release a name; it is freed unless it is interned */
hot_inline void name_put(struct name *name)
{
	if (!name->shown.is_counted)
		free(name);
}

/*
 * Lanes: tracks of asynchronous slices, which may overlap. A slice goes to the first lane that is
 * free, and its id finds the lane again. The slices of one id nest on one lane.
 */

struct track;
struct tracks;

/** lanes_release - free what lanes share, after all tracks were freed */
void lanes_release(struct tracks *tracks);
/** lanes_find - the lane of @decoded's id, the first free one if it has none; NULL with @error */
struct track *lanes_find(struct tracks *tracks, const struct decoded_event *decoded,
			 struct error *error);
/** lanes_look - the lane on which @decoded's id has open slices, NULL if there is none */
struct track *lanes_look(struct tracks *tracks, const struct decoded_event *decoded);
/** lanes_occupy - let lanes_find() find @track by @ids; its first slice began */
int lanes_occupy(struct tracks *tracks, struct track *track, const uint64_t *ids,
		 struct error *error);
/** lanes_vacate - make @track a free lane; its last slice ended */
void lanes_vacate(struct tracks *tracks, struct track *track);
/** lanes_remove - forget @track, which ends without open slices */
void lanes_remove(struct tracks *tracks, struct track *track);

/* Flows of rules: pairs of instants on any tracks, found by the numbers of their records. */

/** FLOWS_PENDING_MAX - limit of flows that have begun and not ended; then all are dropped */
#define FLOWS_PENDING_MAX 65536

/** struct flow - a flow that has begun, or unused memory of one */
struct flow {
	unsigned int index;
	uint64_t ids[KEYS_IDS_MAX];
	uint64_t id;		      /* 0 until it is shown */
	uint64_t scope_id;	      /* of the event that began it */
	struct record_copy *begun_by; /* its record, if it was copied */
	struct flow *next_unused;     /* of unused memory */
};

/** struct flows - flows that have begun */
struct flows {
	struct map pending;  /* by rule and numbers */
	struct flow *unused; /* memory of flows that have ended */
	uint64_t nr_begun;   /* number of flows so far; each has the next number as its id */
};

/** flows_release - drop all flows */
void flows_release(struct flows *flows);

/** struct slice - an open slice, or a place that is free since its slice ended before later ones */
struct slice {
	int64_t begin_ns;      /* its begin, or that of the session if that is later */
	int64_t record_ns;     /* time of the record of its begin */
	int begin_cpu;	       /* CPU that wrote the begin */
	int begin_tid;	       /* thread that wrote the begin */
	bool is_continued : 1; /* it began in an earlier session */
	bool was_suspect : 1;  /* it was suspect at the end of that session */
	bool is_foreign : 1;   /* threads ended each other's slices on its track since it began */
	bool is_crossing : 1;  /* it began before the window, or was open at the window's end */
	uint8_t flows;	    /* a bit for each flow of its tracepoint: the begin had an id of it */
	uint32_t nr_hidden; /* hidden slices that began directly on it and are open */
	struct record_copy *begun_by; /* the record of its begin, if it was copied */
	struct name *name;	      /* NULL of a free place */
};

/** NESTING_MAX - limit of the depth of slices that are deep by themselves, not for lack of ends */
#define NESTING_MAX 32
/** PROBLEMS_MAX - limit of reported problems for each tracepoint; decoding has fewer */
#define PROBLEMS_MAX 8

/**
 * struct category - state of a tracepoint
 * @endless: number of begins that certainly have no end: of a key that began again, or far below
 * the innermost slice
 */
struct category {
	struct timeline_category shown;
	size_t deepest;	    /* largest depth of its tracks without suspect slices */
	uint64_t malformed; /* number of records that could not be decoded */
	uint64_t endless;
	/* reported problems of these records, each a constant text */
	const char *problems[PROBLEMS_MAX];
	bool has_foreign_ends; /* a foreign end was reported */
	bool is_dropped;       /* the tracepoint was removed */
};

/**
 * struct track - one track
 * @has_crossed: slices have ended before later ones: there may be free places, and slices are in no
 * order. False without open slices
 * @idle_before, @idle_after: neighbors in the list of tracks without open slices
 * @peer_before, @peer_after: neighbors in the list of tracks of the same task
 * @crew_before, @crew_after: the same of its process
 * @comm, @process_comm: bytes of @shown.comm and @shown.process_comm
 */
struct track {
	struct timeline_track shown;   /* the part that sinks see */
	struct category *category;     /* its tracepoint */
	unsigned int descriptor_index; /* of its tracepoint */
	unsigned int buffer;	       /* index of its records' buffer */
	/* the records were written on the CPU whose buffer contained them: not those of programs */
	bool has_cpu;
	uint64_t hash;		 /* of its key */
	uint64_t head;		 /* text_head() of its name */
	int64_t begin_ns;	 /* time of its announcement */
	uint64_t unmatched_ends; /* number of ends without an open slice */
	struct slice *slices;	 /* open slices, the outermost first; the last one is open */
	size_t nr_slices;
	size_t slices_capacity;
	bool has_crossed;
	struct track *idle_before;
	struct track *idle_after;
	struct track **peer_before;
	struct track *peer_after;
	struct track **crew_before;
	struct track *crew_after;
	bool is_outdated; /* its task was renamed or moved; it ends with its last open slice */
	bool is_moved;	  /* its process is in another cgroup now */
	const struct descriptor *counter; /* counts the open slices, NULL if nothing does */
	uint64_t sum;			  /* of a counter: its value */
	struct record_copy *changed_by;	  /* the record that changed @sum last, if it was copied */
	uint64_t begun_id; /* the scope value of the begins of slices that are continued */
	/* the track of asynchronous slices that this is a lane of; NULL for other tracks */
	struct lanes *lanes;
	uint64_t ids[KEYS_IDS_MAX]; /* of the open slices of a lane; @flight_hash is theirs */
	uint64_t flight_hash;
	struct field *outer; /* the outer scopes of @shown */
	char comm[TASK_COMM_SIZE];
	char process_comm[TASK_COMM_SIZE];
	char *cgroup; /* bytes of @shown.cgroup; NULL for none */
	char name[];  /* bytes of @shown.name */
};

/** OPEN_SIZE_MAX - limit of open slices on all tracks, in bytes */
#define OPEN_SIZE_MAX ((size_t)8 * 1024 * 1024)
/** TRACK_NAME_SIZE - limit of the average size of track names, in bytes */
#define TRACK_NAME_SIZE 128
/** TRACKS_RECENT_BITS, TRACKS_RECENT - number of pairs of recent tracks */
#define TRACKS_RECENT_BITS 9
#define TRACKS_RECENT (1 << TRACKS_RECENT_BITS)

/**
 * struct recent_tracks - recent tracks with the same index
 *
 * They are two, because tracks with the same index are often used in turn.
 */
struct recent_tracks {
	/* the one that was found last of those that were not among the recent ones */
	struct track *newer;
	struct track *older; /* the one that was found before it */
};

/** struct category_depth - the largest depth of a tracepoint before a part of a recording */
struct category_depth {
	char *text;
	size_t deepest;
};

/**
 * struct tracks - all tracks
 * @comm: name of the thread that wrote the record that is observed, "" unless the settings ask for
 * it
 * @event: of the record that is observed; not on a stack, so that the call that delivers it can be
 * the last of its function, which saves a stack frame
 */
struct tracks {
	struct tracks_settings settings;
	struct timeline *timeline;
	int64_t start_ns;
	int64_t now_ns;	      /* time of the newest event */
	struct map map;	      /* all tracks */
	struct map lanes;     /* tracks of asynchronous slices */
	struct map in_flight; /* lanes with open slices */
	struct flows flows;   /* flows of rules that have begun */
	bool copies_records;  /* records that begin slices, flows or sums are copied */
	bool is_restoring;    /* counters are announced when the window begins */
	bool is_behind;	      /* the window has ended */
	/* recently used ones, found without a hash of the whole name */
	struct recent_tracks recent[TRACKS_RECENT];
	/* bytes of all stacks, and of the names that are freed with their slice */
	size_t open_size;
	size_t names_size; /* bytes of all track names; sinks have several copies of them */
	/* head of the list of tracks without open slices, the least recently used first */
	struct track idle;
	struct names names;
	struct tasks tasks;
	struct suspicion *suspicions; /* by the buffer */
	size_t nr_suspicions;
	size_t nr_suspect; /* CPUs that lines of a part added to them */
	/* of tracepoints that have no category yet, of a part of a recording */
	struct category_depth *depths;
	size_t nr_depths;
	/* by the descriptor's index; each allocated separately, since tracks point to it */
	struct category **categories;
	size_t nr_categories;
	unsigned long nr_seen; /* number of tracks announced so far */
	struct timeline_totals totals;
	struct timeline_count *malformed_of; /* the array in @totals */
	const char *comm;
	struct timeline_event event;
};

/** tracks_advance - move the current time to @time_ns, unless that is in the past */
static inline void tracks_advance(struct tracks *tracks, int64_t time_ns)
{
	if (time_ns > tracks->now_ns)
		tracks->now_ns = time_ns;
}

/** tracks_come_to - move the current time to an event's, or count that as late */
hot_inline void tracks_come_to(struct tracks *tracks, const struct decoded_event *decoded)
{
	if (unlikely(decoded->time_ns < tracks->now_ns))
		tracks->totals.late_records++;
	else
		tracks->now_ns = decoded->time_ns;
}

/** track_new - a track for @decoded without slices, or NULL if memory ran out */
struct track *track_new(const struct decoded_event *decoded, uint64_t hash,
			struct category *category);
/** track_delete - free a track and its slices */
void track_delete(struct track *track);
/** track_grow - make the stack larger; returns -1 if memory ran out */
int track_grow(struct tracks *tracks, struct track *track);

/** track_idle_cpu - the CPU of a thread track of an idle task, -1 for any other track */
hot_inline int track_idle_cpu(const struct decoded_event *decoded)
{
	bool is_idle_task = decoded->scope_id.unsigned_number == 0 &&
			    decoded->descriptor->scope == DESCRIPTOR_SCOPE_THREAD;

	return unlikely(is_idle_task) ? decoded->cpu : -1;
}

/** track_has_numbers - track_matches() but for the name; idle tasks are on tracks of their own */
hot_inline bool track_has_numbers(const struct track *track, const struct decoded_event *decoded)
{
	return track->descriptor_index == decoded->descriptor->index &&
	       track->shown.id.unsigned_number == decoded->scope_id.unsigned_number &&
	       track->buffer == decoded->buffer &&
	       (track->shown.cpu < 0 || track->shown.cpu == decoded->cpu);
}

/** track_matches - whether @decoded belongs on @track */
hot_inline bool track_matches(const struct track *track, const struct decoded_event *decoded)
{
	return track_has_numbers(track, decoded) && track->head == decoded->track_head &&
	       text_equals_behind(track->shown.name, decoded->track_name);
}

/** track_recent_index - index into the recent tracks; @cpu: as in struct timeline_track */
hot_inline size_t track_recent_index(unsigned int descriptor_index, uint64_t scope_id,
				     uint64_t head, int cpu)
{
	uint64_t mix = scope_id + head + ((uint64_t)descriptor_index << 40) +
		       ((uint64_t)(unsigned int)cpu << 20);

	return mix * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TRACKS_RECENT_BITS);
}

/** track_idle_add - append to the list of tracks without open slices */
hot_inline void track_idle_add(struct tracks *tracks, struct track *track)
{
	struct track *idle = &tracks->idle;

	track->idle_after = idle;
	track->idle_before = idle->idle_before;
	idle->idle_before->idle_after = track;
	idle->idle_before = track;
}

/** track_idle_remove - remove from that list; nothing if it is not in it */
hot_inline void track_idle_remove(struct track *track)
{
	if (!track->idle_after)
		return;
	track->idle_before->idle_after = track->idle_after;
	track->idle_after->idle_before = track->idle_before;
	track->idle_after = NULL;
}

/** track_join - add @track to the tracks of @task */
void track_join(struct track *track, struct task *task);
/** track_join_crew - add it to those of the process, too, whose first thread is @process */
void track_join_crew(struct track *track, struct task *process);
/** track_part - remove it from all of them; nothing if it is in no list */
void track_part(struct track *track);
/** category_depth_find - the largest depth of a tracepoint in an earlier part; 0 if unknown */
size_t category_depth_find(const struct tracks *tracks, const char *text);
/** tracks_category - state of a tracepoint, or NULL if memory ran out */
struct category *tracks_category(struct tracks *tracks, const struct descriptor *descriptor);

/** track_is_suspect - whether a slice that ends now overlaps a loss in its track's buffer */
hot_inline bool track_is_suspect(const struct tracks *tracks, const struct track *track,
				 const struct slice *slice)
{
	if (slice->was_suspect)
		return true;
	return track->buffer < tracks->nr_suspicions &&
	       suspicion_covers(&tracks->suspicions[track->buffer], track->shown.cpu,
				slice->begin_ns, slice->begin_cpu);
}

/** track_event_init - set an event of now on @track, without a record; faster than zeroing */
hot_inline void track_event_init(struct timeline_event *event, const struct tracks *tracks,
				 enum timeline_kind kind, struct track *track)
{
	event->kind = kind;
	event->depth = track->nr_slices;
	event->outer = 0;
	event->time_ns = tracks->now_ns;
	event->track = &track->shown;
	event->name = NULL;
	event->tid = -1;
	event->cpu = -1;
	event->comm = "";
	event->fields = NULL;
	event->nr_any = 0;
	event->begin_ns = 0;
	event->outer_ns = 0;
	event->flags = 0;
}

/** track_hash - hash of the key of @decoded's track; all lanes of a track have the same */
uint64_t track_hash(const struct decoded_event *decoded);
/** track_has_outer - whether the outer scopes of @track are those of @decoded */
bool track_has_outer(const struct track *track, const struct decoded_event *decoded);
/** tracks_add - add and announce a track, or lane number @lane if not 0; NULL with @error */
struct track *tracks_add(struct tracks *tracks, const struct decoded_event *decoded, uint64_t hash,
			 unsigned int lane, struct error *error);
/** tracks_find - the track of @decoded if it is not a recent one, or a new one; NULL with @error */
struct track *tracks_find(struct tracks *tracks, const struct decoded_event *decoded,
			  struct error *error);

/** keys_are_more - whether scope and name do not distinguish all tracks and slices */
hot_inline bool keys_are_more(const struct decoded_keys *keys)
{
	return keys && (keys->is_async || keys->nr_outer > 0);
}

/**
 * tracks_recent - the track of @decoded, which has no further keys, if it is among the recent ones
 *
 * None is if writers must be looked up.
 */
hot_inline struct track *tracks_recent(const struct tracks *tracks,
				       const struct decoded_event *decoded)
{
	size_t index = track_recent_index(decoded->descriptor->index,
					  decoded->scope_id.unsigned_number, decoded->track_head,
					  track_idle_cpu(decoded));
	const struct recent_tracks *recent = &tracks->recent[index];

	if (likely(recent->newer && track_matches(recent->newer, decoded)))
		return recent->newer;
	return recent->older && track_matches(recent->older, decoded) ? recent->older : NULL;
}

/** tracks_keep_recent - let tracks_recent() find @track, which it does not find */
void tracks_keep_recent(struct tracks *tracks, struct track *track);

/** tracks_get - tracks_find() for any track */
hot_inline struct track *tracks_get(struct tracks *tracks, const struct decoded_event *decoded,
				    struct error *error)
{
	struct track *track = NULL;

	if (likely(!keys_are_more(decoded->keys)))
		track = tracks_recent(tracks, decoded);
	return likely(track) ? track : tracks_find(tracks, decoded, error);
}

/** track_suspend - end slices and their track as continued, and keep them; or end an idle track */
int track_suspend(struct tracks *tracks, struct track *track, struct error *error);

/**
 * track_innermost - the depth of the open slice that began last; 0 for none
 * @until_ns: not later than this
 * @place: and is not at this place
 */
unsigned int track_innermost(const struct track *track, int64_t until_ns, size_t place);

/** track_resume - announce a track and begin its slices as continued, after track_suspend() */
int track_resume(struct tracks *tracks, struct track *track, struct error *error);
/** tracks_identify - set the thread or process of @track by its id; returns -1 with @error */
int tracks_identify(struct tracks *tracks, struct track *track, struct error *error);
/** tracks_forget - let no look-up find @track; its key is about to change, or it ends */
void tracks_forget(struct tracks *tracks, struct track *track);
/** tracks_end - end and free a track without open slices */
int tracks_end(struct tracks *tracks, struct track *track, struct error *error);

/**
 * tracks_make_space - close tracks before another slice begins by @decoded on @track, which has
 * TRACK_SLICES_MAX open slices or makes tracks->open_size exceed OPEN_SIZE_MAX
 *
 * Returns the track on which the slice begins, NULL with @error.
 */
struct track *tracks_make_space(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, struct error *error);

/** tracks_close - end all slices of a track as unfinished, then the track */
int tracks_close(struct tracks *tracks, struct track *track, struct error *error);

/**
 * tracks_apply - call @act, which may free its track, for all tracks in the order of their numbers:
 * output must not depend on hashes
 *
 * Returns the first failure of @act.
 */
int tracks_apply(struct tracks *tracks,
		 int (*act)(struct tracks *tracks, struct track *track, struct error *error),
		 struct error *error);

/** tracks_announce - deliver the begin of a track, and number it */
int tracks_announce(struct tracks *tracks, struct track *track, struct error *error);

/** track_hidden - number of hidden slices on the innermost slice of @track, which has one */
hot_inline uint32_t *track_hidden(struct track *track)
{
	return &track->slices[track->nr_slices - 1].nr_hidden;
}

/** tracks_look - the track of @decoded, NULL if there is none; not for asynchronous slices */
struct track *tracks_look(struct tracks *tracks, const struct decoded_event *decoded);
/** tracks_pop - end the innermost slice of @track now, as unfinished */
int tracks_pop(struct tracks *tracks, struct track *track, struct error *error);

/*
 * Begins and ends of most slices, inline in the functions that observe records: of names that are
 * interned, without keys, on tracks that have space. The others are left to calls.
 */

/* Sets all members of an event on @track by the record of @decoded. */
hot_inline void record_event_init(struct timeline_event *event, const struct tracks *tracks,
				  enum timeline_kind kind, struct track *track,
				  const struct decoded_event *decoded)
{
	track_event_init(event, tracks, kind, track);
	event->comm = tracks->comm;
	event->tid = decoded->tid;
	event->cpu = track->has_cpu ? decoded->cpu : -1;
	event->fields = decoded->extras;
	event->nr_any = decoded->nr_any;
}

/* If the outermost slice, which is the oldest, is not suspect, none is. */
hot_inline void track_learn_depth(const struct tracks *tracks, const struct track *track)
{
	if (track->nr_slices > track->category->deepest &&
	    !track_is_suspect(tracks, track, &track->slices[0]))
		track->category->deepest = track->nr_slices;
}

/** tracks_copy_record - a copy of the record that is observed, for record_copy_put(); or NULL */
static inline struct record_copy *tracks_copy_record(const struct tracks *tracks)
{
	return tracks->copies_records ? tracks->settings.copy_record(tracks->settings.context)
				      : NULL;
}

/* Sets a place of a track to a slice that begins, and lets tracks->event be the begin. */
hot_inline void slice_open(struct tracks *tracks, struct slice *slice,
			   const struct decoded_event *decoded, struct name *name)
{
	*slice = (struct slice){ .begin_ns = tracks->now_ns,
				 .record_ns = decoded->time_ns,
				 .begin_cpu = decoded->cpu,
				 .begin_tid = decoded->tid,
				 .name = name };
	if (unlikely(tracks->copies_records))
		slice->begun_by = tracks_copy_record(tracks);
	tracks->event.name = &name->shown;
}

hot_inline int slice_push(struct tracks *tracks, struct track *track,
			  const struct decoded_event *decoded, struct name *name,
			  struct error *error)
{
	track_idle_remove(track);
	record_event_init(&tracks->event, tracks, TIMELINE_SLICE_BEGIN, track, decoded);
	tracks->event.outer = track->nr_slices;
	tracks->event.depth++;
	slice_open(tracks, &track->slices[track->nr_slices++], decoded, name);
	track_learn_depth(tracks, track);
	return timeline_push(tracks->timeline, &tracks->event, error);
}

/* Begins any slice: of a new name, on a lane, with flows, on a track that may have no space for it.
 */
int slice_begin_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		    struct error *error);

/* Whether another slice fits onto a track without slice_begin_any(). */
hot_inline bool track_has_space(const struct tracks *tracks, const struct track *track)
{
	return track->nr_slices < track->slices_capacity && !track->has_crossed &&
	       (track->nr_slices == 0 || track->nr_slices < track->category->deepest) &&
	       tracks->open_size <= OPEN_SIZE_MAX;
}

/* Begins a slice without keys. */
hot_inline int slice_begin(struct tracks *tracks, struct track *track,
			   const struct decoded_event *decoded, struct error *error)
{
	struct name *name = names_recent(&tracks->names, decoded->descriptor->index,
					 decoded->slice_name, decoded->slice_head);

	if (unlikely(!name || !track_has_space(tracks, track)))
		return slice_begin_any(tracks, track, decoded, error);
	return slice_push(tracks, track, decoded, name, error);
}

/** tracks_begin_slice - begin a slice on @track */
hot_inline int tracks_begin_slice(struct tracks *tracks, struct track *track,
				  const struct decoded_event *decoded, struct error *error)
{
	return decoded->keys ? slice_begin_any(tracks, track, decoded, error)
			     : slice_begin(tracks, track, decoded, error);
}

/* Sets tracks->event to the end of a slice, which the caller removes. See tracks_pop(). */
hot_inline void slice_close(struct tracks *tracks, struct track *track, const struct slice *slice,
			    const struct decoded_event *decoded)
{
	bool is_suspect = track_is_suspect(tracks, track, slice);
	struct timeline_event *event = &tracks->event;

	if (decoded)
		record_event_init(event, tracks, TIMELINE_SLICE_END, track, decoded);
	else
		track_event_init(event, tracks, TIMELINE_SLICE_END, track);
	event->outer = track->nr_slices - 1;
	event->name = &slice->name->shown;
	event->begin_ns = slice->begin_ns;
	event->is_continued = slice->is_continued;
	event->is_suspect = is_suspect;
	event->is_unfinished = !decoded;
	event->is_foreign = slice->is_foreign;
	event->is_crossing = slice->is_crossing;
	record_copy_put(slice->begun_by);
	tracks->totals.suspect += is_suspect;
	tracks->totals.unfinished += !decoded;
}

/* Ends the innermost slice of a track, whose slices have not crossed. */
hot_inline void slice_pop(struct tracks *tracks, struct track *track,
			  const struct decoded_event *decoded)
{
	slice_close(tracks, track, &track->slices[track->nr_slices - 1], decoded);
	if (--track->nr_slices == 0)
		track_idle_add(tracks, track);
}

/*
 * Whether an end is by another thread than the begin while slices overlap on the track. A request
 * that one thread begins and another one ends is fine if nothing overlaps it.
 */
hot_inline bool end_is_foreign(const struct tracks *tracks, const struct track *track,
			       const struct slice *slice, const struct decoded_event *decoded)
{
	if (slice->begin_tid == decoded->tid || track->lanes ||
	    (track->nr_slices == 1 && !slice->is_foreign))
		return false;
	/* After a loss, the end may belong to another slice anyway. */
	return !track_is_suspect(tracks, track, slice);
}

hot_inline int slice_end_unmatched(struct tracks *tracks, struct track *track)
{
	/* Behind a window, not all that ends is known. */
	if (tracks->is_behind)
		return 0;
	tracks->totals.unmatched_ends++;
	track->unmatched_ends++;
	return 0;
}

/* Ends any slice: on a lane, with flows, on a track that may end with it, of a name of its own. */
int slice_end_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		  struct error *error);

/* Ends a slice without keys, which nothing counts. */
hot_inline int slice_end(struct tracks *tracks, struct track *track,
			 const struct decoded_event *decoded, struct error *error)
{
	const struct slice *slice;

	if (track->nr_slices == 0)
		return slice_end_unmatched(tracks, track);
	slice = &track->slices[track->nr_slices - 1];
	if (unlikely(track->is_outdated || track->has_crossed ||
		     end_is_foreign(tracks, track, slice, decoded) ||
		     !slice->name->shown.is_counted))
		return slice_end_any(tracks, track, decoded, error);
	slice_pop(tracks, track, decoded);
	return timeline_push(tracks->timeline, &tracks->event, error);
}

/** tracks_end_slice - end the innermost slice of @track; count the end if there is none */
hot_inline int tracks_end_slice(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, struct error *error)
{
	return decoded->keys || track->counter ? slice_end_any(tracks, track, decoded, error)
					       : slice_end(tracks, track, decoded, error);
}

/*
 * Replaces the only slice of a track by another one, whose name is interned. The fields of the
 * record belong to the new one. Both events have most members in common.
 */
hot_inline int slice_replace(struct tracks *tracks, struct track *track,
			     const struct decoded_event *decoded, struct name *name,
			     struct error *error)
{
	struct timeline_event *event = &tracks->event;

	slice_close(tracks, track, &track->slices[0], decoded);
	event->nr_any = 0;
	if (timeline_push(tracks->timeline, event, error) < 0)
		return -1;
	event->kind = TIMELINE_SLICE_BEGIN;
	event->nr_any = decoded->nr_any;
	event->begin_ns = 0;
	event->flags = 0;
	slice_open(tracks, &track->slices[0], decoded, name);
	return timeline_push(tracks->timeline, event, error);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of the perfetto sink: the packet sequence, and what it keeps of tracks and names. */
#ifndef SINK_PERFETTO_STATE_H
#define SINK_PERFETTO_STATE_H

#include <stdio.h>

#include "sink/file.h"

/** PERFETTO_HEAD_SIZE - room for a sequence's number and flags as fields of a packet */
#define PERFETTO_HEAD_SIZE 32

/** PERFETTO_IDS_MAX - the kernel gives processes and threads no numbers above this */
#define PERFETTO_IDS_MAX (4 * 1024 * 1024)

#define PERFETTO_LIVES_PAGE 4096
#define PERFETTO_LIVES_PAGES (PERFETTO_IDS_MAX / PERFETTO_LIVES_PAGE)

/**
 * struct perfetto_sink - one packet sequence, and the next one for threads
 * @events: the first tracepoint of each name, whatever its system
 * @names: tracks by their name below a process or thread
 * @lives: pages of what is known of processes and threads by their number, see perfetto_life()
 * @has_one_buffer: all records are of one buffer, which need not be named
 * @clock_id: Perfetto's number of the trace clock
 * @wall_offset_ns: what makes a time of day of a time; where there is a wall clock
 * @event_head: the fields that are the same in all packets with events
 * @sequence_id: tells our packets from those of others in the same file
 * @seed: what makes our tracks' ids others than those of other sequences
 * @next_iid: the next string's number, over all kinds of strings
 * @target_fd: the trace that is added to, with its size before; while @is_spooled, the writer's
 * file is a temporary one
 * @nr_deep: slices and instants that are left out, since Perfetto cannot show any so deep
 */
struct perfetto_sink {
	struct sink_file file;
	struct perfetto_category *categories;
	struct map events;
	struct map names;
	uint64_t *lives[PERFETTO_LIVES_PAGES];
	bool is_appending;
	bool has_one_buffer;
	bool has_wall_clock;
	unsigned int clock_id;
	int64_t wall_offset_ns;
	char event_head[PERFETTO_HEAD_SIZE + PUT_SLACK];
	unsigned int event_head_size;
	uint32_t sequence_id;
	uint64_t seed;
	uint64_t next_iid;
	bool is_spooled;
	int target_fd;
	off_t target_size;
	uint64_t nr_deep;
	void (*report)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/**
 * struct perfetto_field_name - the name of an extra field, and its numbers
 * @name: the timeline's
 * @iid: for all records but those that end a slice
 * @end_iid: for those, under which the name is end:NAME: Perfetto has one set of arguments for a
 * slice, in which the fields of the end would replace those of the begin
 */
struct perfetto_field_name {
	struct text name;
	uint64_t iid;
	uint64_t end_iid;
};

/**
 * struct perfetto_waiting - a track of slices that is the only one of its tracepoint so far, and
 * may become one of a group
 * @is_there: else all others say nothing
 * @rank: its place in the group
 * @in_group: its name there
 * @alone: its name without a group
 */
struct perfetto_waiting {
	bool is_there;
	int32_t rank;
	uint64_t uuid;
	struct buffer in_group;
	struct buffer alone;
	struct buffer description;
};

/**
 * struct perfetto_category - a tracepoint
 * @is_namesake: a tracepoint of another system that came before has its name
 * @has_group: the track @group_uuid was described, the parent of those that belong to no process
 * @waiting: the track that may come to be in the group
 * @fields: its extra fields, in the order of its records
 */
struct perfetto_category {
	struct perfetto_category *after;
	const struct timeline_category *shown;
	bool is_namesake;
	bool has_group;
	uint64_t iid;
	uint64_t group_uuid;
	struct perfetto_waiting waiting;
	struct perfetto_field_name *fields;
	size_t nr_fields;
};

/** PERFETTO_PLACE_SIZE - room for a track's number and a category's as fields of an event */
#define PERFETTO_PLACE_SIZE 24

/**
 * struct perfetto_track - one track
 * @parent_uuid, @name_hash: where it is below a process or thread, and what it is called there
 * @place: the fields that are the same in all its events
 * @nr_open: slices that are left open because the recording ended
 */
struct perfetto_track {
	struct note note;
	const struct perfetto_category *category;
	uint64_t parent_uuid;
	uint64_t name_hash;
	unsigned int nr_open;
	unsigned int place_size;
	char place[PERFETTO_PLACE_SIZE + PUT_SLACK];
};

/** enum perfetto_own_name - names of ours for what ktrack adds; their values are their numbers */
enum perfetto_own_name {
	OWN_SUSPECT = 1,
	OWN_UNFINISHED,
	OWN_FOREIGN,
	OWN_EXACT,
	OWN_TID,
	OWN_CPU,
	OWN_COMM,
	OWN_END_TID,
	OWN_END_CPU,
	OWN_END_COMM,
	OWN_COUNT_LOST,
	OWN_PID,
	OWN_STATUS,
	OWN_NAME_END
};

/** enum perfetto_uuid - what a track's id is made of, beside a number */
enum perfetto_uuid {
	UUID_TRACK,
	UUID_PROCESS,
	UUID_THREAD,
	UUID_GROUP,
	UUID_LOSS,
	UUID_OWN,
};

/**
 * perfetto_uuid_of_seed - the id of a track; the same for the same words
 *
 * A process or thread is the same one for all recordings in a file: they share a boot, and its
 * seed is its life.
 */
uint64_t perfetto_uuid_of_seed(uint64_t seed, enum perfetto_uuid kind, uint64_t number);

/** perfetto_uuid_of - the same with the seed of this sequence */
uint64_t perfetto_uuid_of(const struct perfetto_sink *sink, enum perfetto_uuid kind,
			  uint64_t number);

/** perfetto_packet_begin - a packet of our sequence; returns what perfetto_packet_end() wants */
size_t perfetto_packet_begin(struct perfetto_sink *sink);

/**
 * perfetto_thread_packet_begin - likewise one that describes a thread
 *
 * Those are a sequence of their own: Perfetto takes a thread that a sequence describes for the one
 * that writes the sequence, and says so with events that are on no thread.
 */
size_t perfetto_thread_packet_begin(struct perfetto_sink *sink);

/** perfetto_packet_end - end any of them */
int perfetto_packet_end(struct perfetto_sink *sink, size_t packet, struct error *error);

/** perfetto_category_get - the category of a track, made at its first use; NULL with @error */
struct perfetto_category *perfetto_category_get(struct perfetto_sink *sink,
						struct timeline_category *category,
						struct error *error);

/**
 * perfetto_name_iid - the number of a name that is counted, made at its first use
 *
 * Returns 0 with @error where that failed.
 */
uint64_t perfetto_name_iid(struct perfetto_sink *sink, struct timeline_name *name,
			   struct error *error);

/** perfetto_fields_know - see to it that the names of all extra fields of @event have numbers */
int perfetto_fields_know(struct perfetto_sink *sink, const struct timeline_event *event,
			 struct error *error);

/** perfetto_categories_free - with all their names */
void perfetto_categories_free(struct perfetto_sink *sink);

/** perfetto_append_annotations - all that an event says beyond its name */
void perfetto_append_annotations(struct perfetto_sink *sink, const struct timeline_event *event);

/** perfetto_annotate_number, perfetto_annotate_true, perfetto_annotate_text - under a name of ours
 */
void perfetto_annotate_number(struct perfetto_sink *sink, enum perfetto_own_name name,
			      int64_t number);
void perfetto_annotate_true(struct perfetto_sink *sink, enum perfetto_own_name name);
void perfetto_annotate_text(struct perfetto_sink *sink, enum perfetto_own_name name,
			    struct text text);

/** perfetto_track_begin - a track's descriptor */
int perfetto_track_begin(struct perfetto_sink *sink, const struct timeline_event *event,
			 struct error *error);

/** perfetto_track_end - its name is free for others */
int perfetto_track_end(struct perfetto_sink *sink, const struct timeline_event *event,
		       struct error *error);

/**
 * struct perfetto_descriptor - a track that is neither a process nor a thread
 * @parent_uuid: 0 for none
 * @description: empty for none
 * @is_ordered: its children are sorted by their rank, and by their name else
 * @rank: where @has_rank
 */
struct perfetto_descriptor {
	uint64_t uuid;
	uint64_t parent_uuid;
	struct text name;
	struct text description;
	bool is_counter;
	bool is_ordered;
	bool has_rank;
	int32_t rank;
};

/** perfetto_descriptor_write - what Perfetto keeps of a track is the first one's, but its name */
int perfetto_descriptor_write(struct perfetto_sink *sink,
			      const struct perfetto_descriptor *descriptor, struct error *error);

/** perfetto_group_add - describe a track that belongs to no process, or let it wait for others */
int perfetto_group_add(struct perfetto_sink *sink, struct perfetto_category *category,
		       const struct timeline_track *shown, uint64_t uuid, struct error *error);

/** perfetto_groups_open - describe all tracks that wait, each in its group; others may come */
int perfetto_groups_open(struct perfetto_sink *sink, struct error *error);

/** perfetto_groups_end - describe all tracks that wait, without a group; no others come */
int perfetto_groups_end(struct perfetto_sink *sink, struct error *error);

void perfetto_waiting_release(struct perfetto_waiting *waiting);

/**
 * perfetto_category_compare - see whether the name of a new tracepoint is that of one before
 *
 * Returns 0, or -1 with @error.
 */
int perfetto_category_compare(struct perfetto_sink *sink, struct perfetto_category *category,
			      struct error *error);

/**
 * perfetto_label_below_task - put into the scratch what @shown is called below its @parent_uuid
 *
 * Returns 0, or -1 with @error.
 */
int perfetto_label_below_task(struct perfetto_sink *sink, const struct timeline_track *shown,
			      struct perfetto_track *track, struct error *error);

/** perfetto_label_forget - the name of a track is free for others */
void perfetto_label_forget(struct perfetto_sink *sink, const struct perfetto_track *track);

/** perfetto_label_in_group, perfetto_label_alone - append what it is called below its tracepoint,
 * or without that
 */
void perfetto_label_in_group(const struct perfetto_sink *sink, struct buffer *out,
			     const struct timeline_track *shown);
void perfetto_label_alone(const struct perfetto_sink *sink, struct buffer *out,
			  const struct timeline_track *shown);

/**
 * perfetto_life - which process or thread of a number it is
 * @born_ns: when it was born, 0 where that is unknown: it is the last one then
 * @life: 0 for the first one of the number, else when it was born
 *
 * Returns 0, or -1 with @error.
 */
int perfetto_life(struct perfetto_sink *sink, int id, int64_t born_ns, uint64_t *life,
		  struct error *error);

void perfetto_lives_free(struct perfetto_sink *sink);

/** perfetto_frame_open - the sequence begins */
int perfetto_frame_open(struct perfetto_sink *sink, const struct recording *recording,
			struct error *error);

/** perfetto_frame_event - what happens to the recording, not on a track of it */
int perfetto_frame_event(struct perfetto_sink *sink, const struct timeline_event *event,
			 struct error *error);

/**
 * perfetto_examine - read the file that is to be added to
 *
 * Chooses the number of our sequence. Returns -1 with @error where the file is no trace, or was
 * not recorded by the same boot clock as @recording.
 */
int perfetto_examine(struct perfetto_sink *sink, const struct recording *recording,
		     struct error *error);

/**
 * perfetto_target_take - lock the trace that is to be added to, and write to a temporary file
 *
 * What is no regular file holds nothing, and is written to as if nothing were to be added to it.
 * Returns 0, or -1 with @error.
 */
int perfetto_target_take(struct perfetto_sink *sink, struct error *error);

/** perfetto_target_read - open such a trace for reading; returns NULL with @error */
FILE *perfetto_target_read(struct perfetto_sink *sink, struct error *error);

/**
 * perfetto_target_complete - copy all packets to the end of the trace; the recording has ended
 *
 * Returns 0, or -1 with @error; the trace is as it was then.
 */
int perfetto_target_complete(struct perfetto_sink *sink, struct error *error);

#endif

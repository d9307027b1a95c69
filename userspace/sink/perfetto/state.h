/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the perfetto sink: its packet sequence, tracks and names. */
#ifndef SINK_PERFETTO_STATE_H
#define SINK_PERFETTO_STATE_H

#include <stdio.h>

#include "sink/file.h"
#include "sink/text.h"

/* Numbers of fields and values in messages of perfetto_trace.proto. */
enum perfetto_field {
	/* Trace */
	TRACE_PACKET = 1,
	/* TracePacket */
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_ZLIB_PACKETS = 50,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_IS_FIRST = 87,
	PACKET_MACHINE_ID = 98,
	PACKET_TRACE_ATTRIBUTES = 126,
	PACKET_ZSTD_PACKETS = 133,
	/* TracePacket.SequenceFlags */
	SEQUENCE_STATE_CLEARED = 1,
	SEQUENCE_NEEDS_STATE = 2,
	/* TracePacketDefaults */
	DEFAULTS_CLOCK_ID = 58,
	/* SystemInfo */
	SYSTEM_INFO_UTSNAME = 1,
	SYSTEM_INFO_MACHINE_NAME = 17,
	/* Utsname */
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
	/* TraceAttributes */
	ATTRIBUTES_ATTRIBUTE = 1,
	/* TraceAttributes.Attribute */
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_INTEGER = 2,
	ATTRIBUTE_STRING = 3,
	/* ClockSnapshot */
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY_CLOCK = 2,
	/* ClockSnapshot.Clock */
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	/* EventCategory, EventName, DebugAnnotationName */
	ENTRY_IID = 1,
	ENTRY_NAME = 2,
	/* TrackDescriptor */
	TRACK_DESCRIPTOR_UUID = 1,
	TRACK_DESCRIPTOR_NAME = 2,
	TRACK_DESCRIPTOR_PROCESS = 3,
	TRACK_DESCRIPTOR_THREAD = 4,
	TRACK_DESCRIPTOR_PARENT_UUID = 5,
	TRACK_DESCRIPTOR_COUNTER = 8,
	TRACK_DESCRIPTOR_CHILD_ORDERING = 11,
	TRACK_DESCRIPTOR_ORDER_RANK = 12,
	TRACK_DESCRIPTOR_DESCRIPTION = 14,
	TRACK_DESCRIPTOR_MERGE_BEHAVIOR = 15,
	TRACK_DESCRIPTOR_MERGE_KEY = 16,
	/* TrackDescriptor.ChildTracksOrdering: by the ranks of the children */
	ORDERING_EXPLICIT = 3,
	/* TrackDescriptor.SiblingMergeBehavior */
	MERGE_NONE = 2,
	MERGE_BY_KEY = 3,
	/* ProcessDescriptor */
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	PROCESS_START_NS = 7,
	PROCESS_LABELS = 8,
	/* ThreadDescriptor */
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	/* TrackEvent */
	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_DOUBLE_COUNTER_VALUE = 44,
	EVENT_FLOW_IDS = 47,
};

enum perfetto_clock {
	CLOCK_REALTIME_ID = 1,
	CLOCK_MONOTONIC_ID = 3,
	CLOCK_MONOTONIC_RAW_ID = 5,
	CLOCK_BOOTTIME_ID = 6,
};

enum perfetto_interned_field {
	INTERNED_CATEGORIES = 1,
	INTERNED_EVENT_NAMES = 2,
	INTERNED_ANNOTATION_NAMES = 3,
};

enum perfetto_event_type {
	TYPE_SLICE_BEGIN = 1,
	TYPE_SLICE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
};

enum perfetto_annotation_field {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

/** PERFETTO_HEAD_SIZE - limit of a sequence's number and flags as fields of a packet */
#define PERFETTO_HEAD_SIZE 32
/** PERFETTO_IDS_MAX - the kernel's limit of process and thread numbers */
#define PERFETTO_IDS_MAX (4 * 1024 * 1024)
#define PERFETTO_LIVES_PAGE 4096
#define PERFETTO_LIVES_PAGES (PERFETTO_IDS_MAX / PERFETTO_LIVES_PAGE)

/** struct perfetto_sequence - a packet sequence, and the next one for threads */
struct perfetto_sequence {
	uint32_t id; /* in the file */
	/* Of the machine if there are several, else 0: Perfetto distinguishes processes by it. */
	uint32_t machine_id;
	char event_head[PERFETTO_HEAD_SIZE + PUT_SLACK]; /* constant fields of all packets */
	unsigned int event_head_size;
	uint64_t *lives[PERFETTO_LIVES_PAGES]; /* pages of cells, see perfetto_life() */
};

/** PERFETTO_PLACE_SIZE - limit of a track's id and a category's number as fields of an event */
#define PERFETTO_PLACE_SIZE 24

struct perfetto_track {
	struct sink_track link;
	const struct row *place_row; /* for which @place was made */
	bool has_name;		     /* its name is an argument, as the row's name lacks it */
	const struct perfetto_category *category;
	uint64_t parent_uuid; /* process or thread, and name below that; 0 if there is none */
	uint64_t name_hash;
	unsigned int nr_open; /* incomplete slices, which stay open */
	unsigned int place_size;
	char place[PERFETTO_PLACE_SIZE + PUT_SLACK]; /* constant fields of all its events */
};

/** struct perfetto_row - what is written of a row */
struct perfetto_row {
	/*
	 * The process or thread that it is below, 0 for none; of further rows that of the first
	 * one: a thread whose process becomes known late remains where it is.
	 */
	uint64_t parent_uuid;
	uint64_t thread_uuid; /* of its thread; if its process is unknown, of its first row */
	uint64_t uuid;
};

/** struct perfetto_incomplete - a slice of a row that no record ended */
struct perfetto_incomplete {
	struct perfetto_sequence *sequence;
	uint64_t uuid;
	int64_t time_ns; /* its end, unless it is the recording's */
};

/**
 * struct perfetto_field_name - the name of an extra field in the timeline, and its numbers
 *
 * Perfetto merges the arguments of begin and end, and fields of the end would replace those of the
 * begin: the names of the end's begin with "end:".
 */
struct perfetto_field_name {
	struct text name;
	uint64_t iid;
	uint64_t end_iid;
};

/** struct perfetto_fields - extra fields of a tracepoint, in the order of its records */
struct perfetto_fields {
	struct field_set set;
	struct perfetto_field_name *list;
	size_t size;
};

struct perfetto_sink {
	struct sink_file file;
	struct perfetto_category *categories;
	struct field_sets fields;	      /* struct perfetto_fields of all tracepoints */
	size_t nr_field_names;		      /* that were numbered */
	struct perfetto_fields own_fields;    /* of an event whose names are not kept */
	struct perfetto_fields *event_fields; /* of the event that is written */
	struct map events;		     /* by event name: its first tracepoint of any system */
	struct map names;		     /* tracks by their name below a process or thread */
	struct perfetto_sequence *sequences; /* by machine; the first is of what is on none */
	size_t nr_sequences;
	struct perfetto_sequence *sequence; /* of the event that is written */
	bool is_appending;
	bool has_one_buffer; /* names need not have the buffer */
	bool has_wall_clock;
	unsigned int clock_id;	/* Perfetto's number of the trace clock */
	int64_t wall_offset_ns; /* wall-clock time minus trace time, if there is a wall clock */
	uint32_t sequence_id;	/* of the first sequence */
	uint64_t seed;		/* makes the ids of tracks differ from those of other sequences */
	uint64_t next_iid;	/* number of the next interned string of any kind */
	unsigned int depth;	/* of the event that is written, on its row */
	struct perfetto_track held; /* of an end whose track has ended */
	/* Slices of rows, the inner ones first, which stay open if nothing follows. */
	struct perfetto_incomplete *incomplete;
	unsigned int nr_incomplete;
	bool is_spooled; /* packets go to a temporary file first */
	int target_fd;	 /* the trace that is appended to, and its size before */
	off_t target_size;
};

/**
 * struct perfetto_waiting - the first track of slices of a tracepoint; a second one makes a group
 */
struct perfetto_waiting {
	bool is_there;	      /* the other members are valid */
	uint64_t parent_uuid; /* without a group; 0 for none */
	int32_t rank;	      /* sort key in the group */
	uint64_t uuid;
	struct buffer in_group; /* name in the group */
	struct buffer alone;	/* name without a group */
	struct buffer description;
	uint64_t merge_key; /* see struct perfetto_descriptor */
};

struct perfetto_category {
	struct perfetto_category *after;
	const struct timeline_category *shown;
	struct perfetto_sequence *sequence; /* of its tracks */
	bool is_namesake; /* an earlier tracepoint of another system has the same event name */
	bool has_group;	  /* the group track @group_uuid was written */
	uint64_t iid;
	uint64_t parent_uuid; /* of the group: the track of its machine, 0 for none */
	uint64_t group_uuid;
	struct perfetto_waiting waiting; /* the first track, until the group is written */
};

/** perfetto_track_of, perfetto_category_of - the sink data of each */
static inline struct perfetto_track *perfetto_track_of(const struct perfetto_sink *sink,
						       const struct timeline_track *track)
{
	return track->sink_data[sink->file.sink_index];
}

static inline struct perfetto_category *perfetto_category_of(
	const struct perfetto_sink *sink, const struct timeline_category *category)
{
	return category->sink_data[sink->file.sink_index];
}

/** enum perfetto_own_name - numbers of the names that ktrack adds */
enum perfetto_own_name {
	OWN_SUSPECT = 1,
	OWN_UNFINISHED,
	OWN_FOREIGN,
	OWN_FLOW,
	OWN_EXACT,
	OWN_TID,
	OWN_CPU,
	OWN_COMM,
	OWN_END_FLOW,
	OWN_END_TID,
	OWN_END_CPU,
	OWN_END_COMM,
	OWN_COUNT_LOST,
	OWN_PID,
	OWN_STATUS,
	OWN_CUT,
	OWN_BEGIN,
	OWN_TRACK,
	OWN_CROSSING,
	OWN_NAME_END
};

/** enum perfetto_uuid - kinds of tracks, and flows; input of their ids, with a number */
enum perfetto_uuid {
	UUID_TRACK,
	UUID_PROCESS,
	UUID_THREAD,
	UUID_GROUP,
	UUID_LOSS,
	UUID_OWN,
	UUID_FLOW,
	UUID_MACHINE,
	UUID_COUNTER,
	UUID_COMMAND,
	UUID_BEFORE,
	UUID_ROW,
};

/**
 * perfetto_uuid_of_seed - the id of a track
 *
 * All recordings in a file share a boot, and so their processes and threads: the seed is the life.
 * They also share groups and counters, whose seed is the parent.
 */
uint64_t perfetto_uuid_of_seed(uint64_t seed, enum perfetto_uuid kind, uint64_t number);

/** perfetto_uuid_of - the same with the seed of this recording */
uint64_t perfetto_uuid_of(const struct perfetto_sink *sink, enum perfetto_uuid kind,
			  uint64_t number);

/** perfetto_sequence_append - append which sequence a packet belongs to, and its machine */
void perfetto_sequence_append(struct buffer *out, const struct perfetto_sequence *sequence,
			      bool is_of_threads);

/**
 * perfetto_packet_begin - begin a packet; returns the argument for proto_end()
 * @is_of_threads: it describes a thread. These are a separate sequence: Perfetto assumes that the
 * described thread writes the sequence, and would show it with events that are on no thread
 */
size_t perfetto_packet_begin(struct perfetto_sink *sink, bool is_of_threads);

/** struct perfetto_message - a packet that is being written, and the message in it */
struct perfetto_message {
	size_t packet;
	size_t message;
};

struct perfetto_message perfetto_message_begin(struct perfetto_sink *sink, unsigned int field);
void perfetto_message_end(struct perfetto_sink *sink, struct perfetto_message begun);

/** perfetto_string_append - append a string with its number to interned data */
void perfetto_string_append(struct buffer *out, enum perfetto_interned_field kind, uint64_t iid,
			    struct text string);
/** perfetto_string_intern - write a string; returns its number */
uint64_t perfetto_string_intern(struct perfetto_sink *sink, enum perfetto_interned_field kind,
				struct text string);
/** perfetto_track_begin - write a track's descriptor */
void perfetto_track_begin(struct perfetto_sink *sink, const struct timeline_event *event);
/** perfetto_track_end - release the track's name */
void perfetto_track_end(struct perfetto_sink *sink, const struct timeline_event *event);
/** perfetto_row_place - set the place of a track to a row, which is described at its first use */
void perfetto_row_place(struct perfetto_sink *sink, struct perfetto_track *track,
			const struct timeline_track *shown, struct row *row);

/** struct perfetto_descriptor - a track that is neither a process nor a thread */
struct perfetto_descriptor {
	uint64_t uuid;
	uint64_t parent_uuid; /* 0 for none */
	struct text name;
	const struct timeline_track *shown; /* its identity is the description, unless NULL */
	struct text description;	    /* empty for none */
	uint64_t merge_key; /* Perfetto draws siblings with one key as one track; 0: never */
	bool is_counter;
	bool is_ordered; /* its children are sorted by rank, otherwise by name */
	bool has_rank;
	int32_t rank;
};

/** perfetto_descriptor_write - write a descriptor; of later ones Perfetto takes only the name */
void perfetto_descriptor_write(struct perfetto_sink *sink,
			       const struct perfetto_descriptor *descriptor);
/** perfetto_machine_uuid - the track of a machine; 0 for NULL */
uint64_t perfetto_machine_uuid(const struct timeline_machine *machine);
/** perfetto_groups_open - write all waiting tracks, each in its group; others may follow */
void perfetto_groups_open(struct perfetto_sink *sink);
/** perfetto_groups_end - write all waiting tracks without a group; no others follow */
void perfetto_groups_end(struct perfetto_sink *sink);
/** perfetto_tracks_release - free all categories, and what is known about names and numbers */
void perfetto_tracks_release(struct perfetto_sink *sink);

/**
 * perfetto_examine - read the trace that is appended to, and choose the sequence's number
 *
 * Returns -1 with @error if the file is no trace, or has another boot clock than @recording.
 */
int perfetto_examine(struct perfetto_sink *sink, const struct recording *recording,
		     struct error *error);

/** perfetto_target_take - lock a regular file, and write to a temporary one; -1 with @error */
int perfetto_target_take(struct perfetto_sink *sink, struct error *error);
/** perfetto_target_complete - append all packets to the trace at the end, which a failure leaves */
void perfetto_target_complete(struct sink_file *file);

#endif

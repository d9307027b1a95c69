/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of the fields that are written or read, by message, from Perfetto's published protos
 * (protos/perfetto/trace/ in its source).
 */
#ifndef SINK_PERFETTO_FIELDS_H
#define SINK_PERFETTO_FIELDS_H

enum perfetto_trace_field {
	TRACE_PACKET = 1,
};

enum perfetto_packet_field {
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
};

enum perfetto_sequence_flag {
	SEQUENCE_STATE_CLEARED = 1,
	SEQUENCE_NEEDS_STATE = 2,
};

enum perfetto_defaults_field {
	DEFAULTS_CLOCK_ID = 58,
};

enum perfetto_system_info_field {
	SYSTEM_INFO_UTSNAME = 1,
	SYSTEM_INFO_MACHINE_NAME = 17,
};

enum perfetto_utsname_field {
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
};

enum perfetto_attributes_field {
	ATTRIBUTES_ATTRIBUTE = 1,
};

enum perfetto_attribute_field {
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_INTEGER = 2,
	ATTRIBUTE_STRING = 3,
};

enum perfetto_snapshot_field {
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY_CLOCK = 2,
};

enum perfetto_clock_field {
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
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

enum perfetto_interned_entry_field {
	ENTRY_IID = 1,
	ENTRY_NAME = 2,
};

enum perfetto_descriptor_field {
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
};

/* A value of TrackDescriptor.ChildTracksOrdering: by the children's ranks. */
enum perfetto_child_ordering {
	ORDERING_EXPLICIT = 3,
};

/* Values of TrackDescriptor.SiblingMergeBehavior. */
enum perfetto_merge_behavior {
	MERGE_NONE = 2,
	MERGE_BY_KEY = 3,
};

enum perfetto_process_field {
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	PROCESS_START_NS = 7,
};

enum perfetto_thread_field {
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

enum perfetto_event_field {
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

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline in Perfetto's native format: a packet for each event; the clocks of the trace, and
 * ktrack's own tracks: the traced command, losses and malformed records.
 */
#include "sink/perfetto/state.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/flow.h"
#include "sink/proto.h"

static const char *const own_names[] = {
	[OWN_SUSPECT] = "ktrack:suspect",   [OWN_UNFINISHED] = "ktrack:unfinished",
	[OWN_FOREIGN] = "ktrack:foreign",   [OWN_FLOW] = "ktrack:flow",
	[OWN_EXACT] = "ktrack:exact",	    [OWN_TID] = "ktrack:tid",
	[OWN_CPU] = "ktrack:cpu",	    [OWN_COMM] = "ktrack:comm",
	[OWN_END_TID] = "end:ktrack:tid",   [OWN_END_CPU] = "end:ktrack:cpu",
	[OWN_END_COMM] = "end:ktrack:comm", [OWN_END_FLOW] = "end:ktrack:flow",
	[OWN_COUNT_LOST] = "ktrack:lost",   [OWN_PID] = "ktrack:pid",
	[OWN_STATUS] = "ktrack:status",	    [OWN_CUT] = "ktrack:cut",
	[OWN_BEGIN] = "ktrack:begin_ns",    [OWN_TRACK] = "ktrack:track",
	[OWN_CROSSING] = "ktrack:crossing",
};
_Static_assert(sizeof(own_names) / sizeof(own_names[0]) == OWN_NAME_END, "a text for each");

/* Clocks without a number in Perfetto become boot time, its default. */
static enum perfetto_clock clock_id(const struct recording *recording)
{
	if (strcmp(recording->clock, "mono") == 0)
		return CLOCK_MONOTONIC_ID;
	return strcmp(recording->clock, "mono_raw") == 0 ? CLOCK_MONOTONIC_RAW_ID
							 : CLOCK_BOOTTIME_ID;
}

static void append_clock(struct buffer *out, enum perfetto_clock id, int64_t time_ns)
{
	size_t clock = proto_begin(out, SNAPSHOT_CLOCKS);

	proto_number(out, CLOCK_ID, id);
	proto_number(out, CLOCK_TIMESTAMP, time_ns);
	proto_end(out, clock);
}

/* The times of all machines are those of the trace's clock, which is a machine's default. */
static void sequence_begin(struct perfetto_sink *sink)
{
	struct buffer *out = &sink->file.out;
	size_t packet = perfetto_packet_begin(sink, false), data;

	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
	proto_number(out, PACKET_IS_FIRST, true);
	if (sink->sequence->machine_id == 0) {
		size_t defaults = proto_begin(out, PACKET_DEFAULTS);

		proto_number(out, DEFAULTS_CLOCK_ID, sink->clock_id);
		proto_end(out, defaults);
	}
	data = proto_begin(out, PACKET_INTERNED_DATA);
	for (int i = OWN_SUSPECT; i < OWN_NAME_END; i++)
		perfetto_string_append(out, INTERNED_ANNOTATION_NAMES, i, text_of(own_names[i]));
	proto_end(out, data);
	proto_end(out, packet);
}

/*
 * Perfetto relates every clock to boot time, and reports an error for a trace without it. The
 * offset of the trace clock to boot time is not recorded; this assumes 0. A trace that is appended
 * to has its own snapshots.
 */
static void snapshot_write(struct perfetto_sink *sink, int64_t time_ns, int64_t wall_offset_ns)
{
	struct buffer *out = &sink->file.out;
	struct perfetto_message begun;

	if (sink->is_appending)
		return;
	begun = perfetto_message_begin(sink, PACKET_CLOCK_SNAPSHOT);
	append_clock(out, sink->clock_id, time_ns);
	if (sink->clock_id != CLOCK_BOOTTIME_ID)
		append_clock(out, CLOCK_BOOTTIME_ID, time_ns);
	if (sink->has_wall_clock)
		append_clock(out, CLOCK_REALTIME_ID, time_ns + wall_offset_ns);
	proto_number(out, SNAPSHOT_PRIMARY_CLOCK, sink->clock_id);
	perfetto_message_end(sink, begun);
}

/* Begins an event that is on a track of ktrack's own. */
static struct perfetto_message own_begin(struct perfetto_sink *sink, int64_t time_ns, uint64_t uuid,
					 enum perfetto_event_type type)
{
	struct perfetto_message begun = { .packet = perfetto_packet_begin(sink, false) };
	struct buffer *out = &sink->file.out;

	proto_number(out, PACKET_TIMESTAMP, time_ns);
	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	begun.message = proto_begin(out, PACKET_TRACK_EVENT);
	proto_number(out, EVENT_TYPE, type);
	proto_number(out, EVENT_TRACK_UUID, uuid);
	return begun;
}

static struct perfetto_message own_begin_named(struct perfetto_sink *sink, int64_t time_ns,
					       uint64_t uuid, enum perfetto_event_type type,
					       struct text name)
{
	struct perfetto_message begun = own_begin(sink, time_ns, uuid, type);

	proto_text(&sink->file.out, EVENT_CATEGORIES, text_of("ktrack"));
	if (name.size > 0)
		proto_text(&sink->file.out, EVENT_NAME, name);
	return begun;
}

static uint64_t own_uuid(void)
{
	return perfetto_uuid_of_seed(0, UUID_OWN, 0);
}

/* The release of the kernel, and the name of one of several machines. */
static void system_write(struct perfetto_sink *sink, const struct recording *recording,
			 const struct timeline_machine *machine)
{
	struct buffer *out = &sink->file.out;
	struct perfetto_message begun = perfetto_message_begin(sink, PACKET_SYSTEM_INFO);
	size_t name = proto_begin(out, SYSTEM_INFO_UTSNAME);

	proto_text(out, UTSNAME_SYSNAME, text_of("Linux"));
	proto_text(out, UTSNAME_RELEASE, text_of(recording->kernel));
	proto_end(out, name);
	if (machine)
		proto_text(out, SYSTEM_INFO_MACHINE_NAME, text_of(machine->name));
	perfetto_message_end(sink, begun);
}

static void attribute_append(struct buffer *out, struct text key, struct text value)
{
	size_t attribute = proto_begin(out, ATTRIBUTES_ATTRIBUTE);

	proto_text(out, ATTRIBUTE_KEY, key);
	proto_text(out, ATTRIBUTE_STRING, value);
	proto_end(out, attribute);
}

static void attribute_append_number(struct buffer *out, const char *key, int64_t value)
{
	size_t attribute = proto_begin(out, ATTRIBUTES_ATTRIBUTE);

	proto_text(out, ATTRIBUTE_KEY, text_of(key));
	proto_signed(out, ATTRIBUTE_INTEGER, value);
	proto_end(out, attribute);
}

/* What Perfetto has no field for. @machine is NULL for the recording as a whole. */
static void attributes_write(struct perfetto_sink *sink, const struct recording *recording,
			     const struct timeline_machine *machine)
{
	struct perfetto_message begun = perfetto_message_begin(sink, PACKET_TRACE_ATTRIBUTES);
	struct text rest = text_of(recording->labels ? recording->labels : ""), key, label;
	struct buffer *out = &sink->file.out, *text = &sink->file.text;
	const struct recording_property *property = NULL;
	struct value value;

	attribute_append(out, text_of("recording_id"), text_of(recording->id));
	while (recording_next(recording, RECORDING_PERFETTO, &property, &value)) {
		buffer_clear(text);
		value_append_text(text, &value);
		attribute_append(out, text_of(property->name), buffer_text(text));
	}
	while (recording_take_label(&rest, &key, &label)) {
		buffer_clear(text);
		buffer_append_string(text, "label.");
		buffer_append(text, key.data, key.size);
		attribute_append(out, buffer_text(text), label);
	}
	if (machine)
		attribute_append_number(out, "shift_ns", machine->shift_ns);
	if (machine && recording->wall_error_ns >= 0)
		attribute_append_number(out, "wall_error_ns", recording->wall_error_ns);
	perfetto_message_end(sink, begun);
}

/* Tracks of a machine that are below no process or thread are below a track with its name. */
static void perfetto_frame_open(struct perfetto_sink *sink, const struct recording *recording)
{
	const struct perfetto_descriptor own = { .uuid = own_uuid(),
						 .name = text_of("ktrack"),
						 .is_ordered = true };

	sink->clock_id = clock_id(recording);
	sink->has_wall_clock = strcmp(recording->time_source, "none") != 0;
	sink->wall_offset_ns = recording->wall_offset_ns;
	sink->sequence = &sink->sequences[0];
	snapshot_write(sink, recording->start_ns, sink->wall_offset_ns);
	sequence_begin(sink);
	attributes_write(sink, recording, NULL);
	perfetto_descriptor_write(sink, &own);
	if (recording->nr_machines == 0)
		system_write(sink, recording, NULL);
	for (size_t i = 0; i < recording->nr_machines; i++) {
		const struct timeline_machine *machine = &recording->machines[i];
		const struct perfetto_descriptor track = { .uuid = perfetto_machine_uuid(machine),
							   .name = text_of(machine->name),
							   .has_rank = true,
							   .rank = (int32_t)machine->number };

		sink->sequence = &sink->sequences[machine->number];
		sequence_begin(sink);
		system_write(sink, machine->recording, machine);
		attributes_write(sink, machine->recording, machine);
		perfetto_descriptor_write(sink, &track);
	}
}

#define END_PREFIX "end:"
/* Names of fields that are kept, of all tracepoints: the kernel's have some ten thousand. */
#define FIELD_NAMES_MAX 65536

/* Records have the same fields in the same order, unless a field cannot be read. */
static const struct perfetto_field_name *field_name_find(const struct perfetto_fields *fields,
							 size_t place, struct text name)
{
	if (place < fields->size && fields->list[place].name.data == name.data)
		return &fields->list[place];
	for (size_t i = 0; i < fields->size; i++) {
		if (text_equals(fields->list[i].name, name))
			return &fields->list[i];
	}
	return NULL;
}

/*
 * The fields of an event's tracepoint. In each record of a hostile recording others may be the
 * first that can be read: when too many names are kept, those of an event are for itself alone.
 */
static struct perfetto_fields *event_fields_get(struct perfetto_sink *sink,
						const struct timeline_event *event)
{
	if (likely(sink->nr_field_names < FIELD_NAMES_MAX))
		return field_sets_get(&sink->fields, event, sizeof(struct perfetto_fields));
	sink->own_fields.size = 0;
	return &sink->own_fields;
}

/*
 * Gives the fields of an event numbers, which has one at least, for append_fields(); returns false
 * if memory ran out.
 */
static bool fields_intern(struct perfetto_sink *sink, const struct timeline_event *event)
{
	struct perfetto_fields *fields = event_fields_get(sink, event);
	struct buffer *text = &sink->file.text;

	sink->event_fields = fields;
	sink->file.out.failed |= !fields;
	if (!fields)
		return false;
	for (size_t i = 0; i < event->nr_fields; i++) {
		struct perfetto_field_name field = { .name = event->fields[i].name };

		if (fields != &sink->own_fields && field_name_find(fields, i, field.name))
			continue;
		if (!array_reserve(fields->list, fields->size)) {
			sink->file.out.failed = true;
			return false;
		}
		field.iid = perfetto_string_intern(sink, INTERNED_ANNOTATION_NAMES, field.name);
		buffer_clear(text);
		buffer_append_string(text, END_PREFIX);
		buffer_append(text, field.name.data, field.name.size);
		field.end_iid = perfetto_string_intern(sink, INTERNED_ANNOTATION_NAMES,
						       buffer_text(text));
		fields->list[fields->size++] = field;
		sink->nr_field_names++;
	}
	return true;
}

static void annotation_put(struct perfetto_sink *sink, uint64_t iid,
			   enum perfetto_annotation_field kind, uint64_t number)
{
	struct buffer *out = &sink->file.out;
	char *begin = buffer_reserve(out, 6 * PROTO_NUMBER_MAX), *at;

	if (!begin)
		return;
	begin = proto_put_tag(begin, EVENT_ANNOTATIONS, PROTO_SIZED) + 1;
	at = proto_put_tag(begin, ANNOTATION_NAME_IID, PROTO_NUMBER);
	at = proto_put_number(at, iid);
	at = proto_put_tag(at, kind, PROTO_NUMBER);
	at = proto_put_number(at, number);
	begin[-1] = (char)(at - begin);
	buffer_end_put(out, at);
}

static void annotate_text(struct perfetto_sink *sink, uint64_t iid, struct text text)
{
	struct buffer *out = &sink->file.out;
	size_t annotation = proto_begin(out, EVENT_ANNOTATIONS);

	proto_number(out, ANNOTATION_NAME_IID, iid);
	proto_text(out, ANNOTATION_STRING, text);
	proto_end(out, annotation);
}

static void annotate_number(struct perfetto_sink *sink, enum perfetto_own_name name, int64_t number)
{
	annotation_put(sink, name, ANNOTATION_INT, number);
}

static void annotate_true(struct perfetto_sink *sink, enum perfetto_own_name name)
{
	annotation_put(sink, name, ANNOTATION_BOOL, true);
}

static void append_value(struct perfetto_sink *sink, uint64_t iid, const struct value *value)
{
	struct buffer *out = &sink->file.out;
	size_t annotation;

	switch (value->kind) {
	case VALUE_SIGNED:
		annotation_put(sink, iid, ANNOTATION_INT, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		annotation_put(sink, iid, ANNOTATION_UINT, value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		annotation_put(sink, iid, ANNOTATION_BOOL, value->boolean);
		break;
	case VALUE_FLOATING:
		annotation = proto_begin(out, EVENT_ANNOTATIONS);
		proto_number(out, ANNOTATION_NAME_IID, iid);
		proto_double(out, ANNOTATION_DOUBLE, value->floating);
		proto_end(out, annotation);
		break;
	case VALUE_TEXT:
		annotate_text(sink, iid, value->text);
		break;
	default:
		buffer_clear(&sink->file.text);
		value_append_text(&sink->file.text, value);
		annotate_text(sink, iid, buffer_text(&sink->file.text));
	}
}

static void append_fields(struct perfetto_sink *sink, const struct timeline_event *event)
{
	const struct perfetto_fields *fields = sink->event_fields;
	bool is_end = event->kind == TIMELINE_SLICE_END;
	struct buffer *out = &sink->file.out, *text = &sink->file.text;

	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		const struct perfetto_field_name *name = field_name_find(fields, i, field->name);
		size_t annotation;

		append_value(sink, is_end ? name->end_iid : name->iid, &field->value);
		if (field->value.kind != VALUE_UNSIGNED ||
		    field->value.unsigned_number <= INT64_MAX)
			continue;
		/* Perfetto stores unsigned numbers as signed ones; these are written as text, too.
		 */
		annotation = proto_begin(out, EVENT_ANNOTATIONS);
		buffer_clear(text);
		buffer_append_string(text, is_end ? "ktrack:exact:" END_PREFIX : "ktrack:exact:");
		buffer_append(text, field->name.data, field->name.size);
		proto_text(out, ANNOTATION_NAME, buffer_text(text));
		buffer_clear(text);
		value_append_text(text, &field->value);
		proto_text(out, ANNOTATION_STRING, buffer_text(text));
		proto_end(out, annotation);
	}
}

/*
 * The importer continues a flow at each event that has its id, which must be unique in the file: it
 * is a hash of name and id, and so an annotation has both as text.
 */
static void append_flows(struct perfetto_sink *sink, const struct timeline_event *event)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;

	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		uint64_t seed = sink->seed ^ text_hash(flow->name);

		proto_fixed(&sink->file.out, EVENT_FLOW_IDS,
			    perfetto_uuid_of_seed(seed, UUID_FLOW, flow->value.unsigned_number));
	}
	buffer_clear(&sink->file.text);
	flows_append_text(&sink->file.text, event);
	annotate_text(sink, is_end ? OWN_END_FLOW : OWN_FLOW, buffer_text(&sink->file.text));
}

static void append_annotations(struct perfetto_sink *sink, const struct timeline_event *event)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;
	unsigned int with = sink->file.with;

	if (event->nr_fields > 0)
		append_fields(sink, event);
	if (perfetto_track_of(sink, event->track)->has_name && !is_end)
		annotate_text(sink, OWN_TRACK, event->track->name);
	if (with && event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		annotate_number(sink, is_end ? OWN_END_TID : OWN_TID, event->tid);
	if (with && event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		annotate_number(sink, is_end ? OWN_END_CPU : OWN_CPU, event->cpu);
	if (with && event_has_emitter(event, with, TIMELINE_EMITTER_COMM))
		annotate_text(sink, is_end ? OWN_END_COMM : OWN_COMM, text_of(event->comm));
	if (event->is_suspect)
		annotate_true(sink, OWN_SUSPECT);
	if (event->is_unfinished)
		annotate_true(sink, OWN_UNFINISHED);
	if (event->is_foreign)
		annotate_true(sink, OWN_FOREIGN);
	if (event->is_crossing)
		annotate_true(sink, OWN_CROSSING);
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN)
		annotate_number(sink, OWN_BEGIN, event->begin_ns);
	else if (event->is_cut)
		annotate_true(sink, OWN_CUT);
}

/* Losses of a CPU have a track; its name has the buffer only if there are several. */
static void perfetto_write_loss(struct perfetto_sink *sink, const struct timeline_event *loss)
{
	struct timeline_event named = *loss;
	struct perfetto_descriptor track = { .parent_uuid = own_uuid(),
					     .has_rank = true,
					     .rank = loss->loss_cpu };
	struct perfetto_message begun;

	if (sink->has_one_buffer)
		named.loss_buffer = NULL;
	buffer_clear(&sink->file.text);
	loss_append_track(&sink->file.text, &named);
	track.name = buffer_text(&sink->file.text);
	track.merge_key = text_hash(track.name) | 1;
	track.uuid = perfetto_uuid_of(sink, UUID_LOSS, track.merge_key);
	perfetto_descriptor_write(sink, &track);
	begun = own_begin_named(sink, loss->begin_ns, track.uuid, TYPE_SLICE_BEGIN,
				remark_set(&sink->file.text, loss));
	annotate_number(sink, OWN_CPU, loss->loss_cpu);
	if (loss->loss_count != TIMELINE_COUNT_UNKNOWN)
		annotate_number(sink, OWN_COUNT_LOST, loss->loss_count);
	perfetto_message_end(sink, begun);
	begun = own_begin_named(sink, loss->loss_end_ns, track.uuid, TYPE_SLICE_END, text_of(""));
	perfetto_message_end(sink, begun);
}

static void instant_write(struct sink_file *file, const struct timeline_event *event,
			  struct text name)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);

	perfetto_message_end(sink,
			     own_begin_named(sink, event->time_ns, own_uuid(), TYPE_INSTANT, name));
}

/* Commands of several recordings in a file may overlap. */
static void perfetto_write_command_begin(struct perfetto_sink *sink,
					 const struct timeline_event *event)
{
	const struct perfetto_descriptor track = {
		.uuid = perfetto_uuid_of(sink, UUID_COMMAND, 0),
		.parent_uuid = own_uuid(),
		.name = text_of("command"),
		.merge_key = UUID_COMMAND,
		.has_rank = true,
		.rank = -1,
	};

	perfetto_descriptor_write(sink, &track);
	perfetto_message_end(sink,
			     own_begin_named(sink, event->time_ns, track.uuid, TYPE_SLICE_BEGIN,
					     remark_set(&sink->file.text, event)));
}

static void perfetto_write_command_end(struct perfetto_sink *sink,
				       const struct timeline_event *event)
{
	struct perfetto_message begun = own_begin_named(sink, event->time_ns,
							perfetto_uuid_of(sink, UUID_COMMAND, 0),
							TYPE_SLICE_END, text_of(""));

	annotate_number(sink, OWN_PID, event->pid);
	annotate_number(sink, OWN_STATUS, event->status);
	perfetto_message_end(sink, begun);
}

static void perfetto_write_remark(struct perfetto_sink *sink, const struct timeline_event *event)
{
	instant_write(&sink->file, event, remark_set(&sink->file.text, event));
}

/* A second snapshot has the wall clock's drift against the trace clock. */
static void perfetto_write_finish(struct perfetto_sink *sink, const struct timeline_event *event)
{
	const struct timeline_totals *totals = event->totals;

	perfetto_groups_end(sink);
	sink_file_report_faults(&sink->file, event, instant_write);
	if (totals->has_wall_drift && totals->wall_drift_ns != 0)
		snapshot_write(sink, event->time_ns, sink->wall_offset_ns + totals->wall_drift_ns);
}

/* Perfetto stores counters as doubles, which are exact up to this. */
#define DOUBLE_EXACT_MAX (INT64_C(1) << 53)
/* Limit of an event's first part: tags and sizes, the time, and the rendered parts. */
#define EVENT_BEGIN_SIZE (8 * PROTO_NUMBER_MAX + PERFETTO_HEAD_SIZE + PERFETTO_PLACE_SIZE)

/* Reserves space once, because there are millions. Sizes take a byte, which proto_end() sets. */
static struct perfetto_message track_event_begin(struct perfetto_sink *sink,
						 const struct timeline_event *event,
						 enum perfetto_event_type type)
{
	const struct perfetto_track *track = perfetto_track_of(sink, event->track);
	struct buffer *out = &sink->file.out;
	char *at = buffer_reserve_put(out, EVENT_BEGIN_SIZE);
	struct perfetto_message begun = { 0 };

	if (!at)
		return begun;
	at = proto_put_tag(at, TRACE_PACKET, PROTO_SIZED) + 1;
	begun.packet = at - out->data;
	at = put_block(at, sink->sequence->event_head, sink->sequence->event_head_size);
	at = proto_put_tag(at, PACKET_TIMESTAMP, PROTO_NUMBER);
	at = proto_put_number(at, event->time_ns);
	at = proto_put_tag(at, PACKET_TRACK_EVENT, PROTO_SIZED) + 1;
	begun.message = at - out->data;
	at = proto_put_tag(at, EVENT_TYPE, PROTO_NUMBER);
	at = proto_put_number(at, type);
	buffer_end_put(out, put_block(at, track->place, track->place_size));
	return begun;
}

/* Writes the begin of a slice, or an instant, which counts as one level. */
static void perfetto_write_named(struct perfetto_sink *sink, const struct timeline_event *event)
{
	bool is_instant = event->kind == TIMELINE_INSTANT;
	struct timeline_name *name = event->name;
	/* The sink data is the number itself, so that there is nothing to free. */
	void **data = &name->sink_data[sink->file.sink_index];
	struct perfetto_message begun;
	uint64_t iid = 0;

	if (sink->depth + is_instant > VIEWER_DEPTH_MAX) {
		sink->file.nr_deep += !event->is_cut;
		return;
	}
	if (name->is_counted && !*data)
		*data = (void *)(uintptr_t)perfetto_string_intern(sink, INTERNED_EVENT_NAMES,
								  name->text);
	if (name->is_counted)
		iid = (uintptr_t)*data;
	if (event->nr_fields > 0 && !fields_intern(sink, event))
		return;
	begun = track_event_begin(sink, event, is_instant ? TYPE_INSTANT : TYPE_SLICE_BEGIN);
	if (iid > 0)
		proto_number(&sink->file.out, EVENT_NAME_IID, iid);
	else
		proto_text(&sink->file.out, EVENT_NAME, event->name->text);
	if (event->nr_flows > 0)
		append_flows(sink, event);
	append_annotations(sink, event);
	perfetto_message_end(sink, begun);
}

static bool is_left_open(const struct timeline_event *event)
{
	return event->is_unfinished && !event->is_suspect && !event->is_foreign &&
	       !event->is_restarted;
}

/*
 * An incomplete slice has no end, as Perfetto expects. It has one if it is also suspect or foreign,
 * because the end has that flag, or if its key began again, because another slice follows. An end
 * closes the innermost slice, and so incomplete slices inside of this one are ended first.
 */
static void perfetto_write_slice_end(struct perfetto_sink *sink, const struct timeline_event *event)
{
	struct perfetto_track *track = perfetto_track_of(sink, event->track);
	struct perfetto_message begun;

	if (sink->depth > VIEWER_DEPTH_MAX)
		return;
	if (is_left_open(event)) {
		track->nr_open++;
		return;
	}
	for (; track->nr_open > 0; track->nr_open--) {
		begun = track_event_begin(sink, event, TYPE_SLICE_END);
		annotate_true(sink, OWN_UNFINISHED);
		perfetto_message_end(sink, begun);
	}
	if (event->nr_fields > 0 && !fields_intern(sink, event))
		return;
	begun = track_event_begin(sink, event, TYPE_SLICE_END);
	if (event->nr_flows > 0)
		append_flows(sink, event);
	append_annotations(sink, event);
	perfetto_message_end(sink, begun);
}

/* Whether a double, as which Perfetto stores it, is another number. */
static bool is_rounded(const struct value *value)
{
	if (value->kind == VALUE_FLOATING)
		return false;
	if (value->kind == VALUE_UNSIGNED)
		return value->unsigned_number > (uint64_t)DOUBLE_EXACT_MAX;
	return value->signed_number > DOUBLE_EXACT_MAX || value->signed_number < -DOUBLE_EXACT_MAX;
}

static void perfetto_write_counter(struct perfetto_sink *sink, const struct timeline_event *event)
{
	const struct value *value = &event->value;
	struct buffer *out = &sink->file.out;
	struct perfetto_message begun;

	if (event->nr_fields > 0 && !fields_intern(sink, event))
		return;
	begun = track_event_begin(sink, event, TYPE_COUNTER);
	if (value->kind == VALUE_SIGNED)
		proto_signed(out, EVENT_COUNTER_VALUE, value->signed_number);
	else if (value->kind == VALUE_UNSIGNED && value->unsigned_number <= INT64_MAX)
		proto_number(out, EVENT_COUNTER_VALUE, value->unsigned_number);
	else
		proto_double(out, EVENT_DOUBLE_COUNTER_VALUE, value_floating(value));
	if (is_rounded(value)) {
		buffer_clear(&sink->file.text);
		value_append_text(&sink->file.text, value);
		annotate_text(sink, OWN_EXACT, buffer_text(&sink->file.text));
	}
	append_annotations(sink, event);
	perfetto_message_end(sink, begun);
}

static void (*const writers[TIMELINE_KIND_COUNT])(struct perfetto_sink *sink,
						  const struct timeline_event *event) = {
	[TIMELINE_TRACK_BEGIN] = perfetto_track_begin,
	[TIMELINE_SLICE_BEGIN] = perfetto_write_named,
	[TIMELINE_SLICE_END] = perfetto_write_slice_end,
	[TIMELINE_INSTANT] = perfetto_write_named,
	[TIMELINE_COUNTER] = perfetto_write_counter,
	[TIMELINE_TRACK_END] = perfetto_track_end,
	[TIMELINE_LOSS] = perfetto_write_loss,
	[TIMELINE_MALFORMED] = perfetto_write_remark,
	[TIMELINE_FOREIGN_END] = perfetto_write_remark,
	[TIMELINE_TRACEPOINT] = perfetto_write_remark,
	[TIMELINE_COMMAND_BEGIN] = perfetto_write_command_begin,
	[TIMELINE_COMMAND_END] = perfetto_write_command_end,
	[TIMELINE_FINISH] = perfetto_write_finish,
};

/* Ends the incomplete slices of a row, or, with @uuid 0, of all: another event follows. */
static void incomplete_end(struct perfetto_sink *sink, uint64_t uuid)
{
	struct perfetto_sequence *sequence = sink->sequence;
	unsigned int nr = sink->nr_incomplete;

	sink->nr_incomplete = 0;
	for (unsigned int i = 0; i < nr; i++) {
		const struct perfetto_incomplete *one = &sink->incomplete[i];
		struct perfetto_message begun;

		if (uuid != 0 && one->uuid != uuid) {
			sink->incomplete[sink->nr_incomplete++] = *one;
			continue;
		}
		sink->sequence = one->sequence;
		begun = own_begin(sink, one->time_ns, one->uuid, TYPE_SLICE_END);
		annotate_true(sink, OWN_UNFINISHED);
		perfetto_message_end(sink, begun);
	}
	sink->sequence = sequence;
}

/*
 * Writes an event of a row at the row's depth. Other slices may follow an incomplete one, which
 * then ends when it did. Those that are incomplete at the end of the recording stay open.
 */
static void perfetto_row_write(void *file, const struct row_place *place,
			       const struct timeline_event *event)
{
	struct perfetto_sink *sink = container_of((struct sink_file *)file, struct perfetto_sink,
						  file);
	bool is_incomplete = event->kind == TIMELINE_SLICE_END && event->is_unfinished;
	struct perfetto_track *track = perfetto_track_of(sink, event->track);
	const struct perfetto_row *row;

	if (!track) {
		track = event->track->sink_data[sink->file.sink_index] = &sink->held;
		sink->held.place_row = NULL;
		sink->held.category = perfetto_category_of(sink, event->track->category);
	}
	if (track->place_row != place->row)
		perfetto_row_place(sink, track, event->track, place->row);
	row = place->row->data;
	if (!row)
		return;
	sink->depth = place->depth;
	if (sink->nr_incomplete > 0 && !(is_incomplete && is_left_open(event)))
		incomplete_end(sink, is_incomplete ? row->uuid : 0);
	if (!is_incomplete || !is_left_open(event)) {
		writers[event->kind](sink, event);
	} else if (place->depth <= VIEWER_DEPTH_MAX) {
		if (array_reserve(sink->incomplete, sink->nr_incomplete))
			sink->incomplete[sink->nr_incomplete++] =
				(struct perfetto_incomplete){ .sequence = sink->sequence,
							      .uuid = row->uuid,
							      .time_ns = event->time_ns };
		else
			sink->file.out.failed = true;
	}
}

static void perfetto_single_write(void *file, const struct row_place *place,
				  const struct timeline_event *event)
{
	struct perfetto_sink *sink = container_of((struct sink_file *)file, struct perfetto_sink,
						  file);

	sink->depth = place->depth;
	writers[event->kind](sink, event);
}

static void perfetto_event(struct sink_file *file, const struct timeline_event *event)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);
	const struct timeline_machine *machine = event->track ? event->track->machine : NULL;
	struct perfetto_track *track = event->track ? perfetto_track_of(sink, event->track) : NULL;

	sink->sequence = &sink->sequences[machine ? machine->number : 0];
	if (track && sink_file_rows_event(file, &track->link, event))
		return;
	sink->depth = event->depth;
	if (writers[event->kind])
		writers[event->kind](sink, event);
}

static bool sequences_make(struct perfetto_sink *sink, const struct recording *recording)
{
	struct buffer *text = &sink->file.text;

	sink->sequences = calloc(1 + recording->nr_machines, sizeof(*sink->sequences));
	if (!sink->sequences)
		return false;
	sink->nr_sequences = 1 + recording->nr_machines;
	for (size_t i = 0; i < sink->nr_sequences; i++) {
		struct perfetto_sequence *sequence = &sink->sequences[i];

		sequence->id = sink->sequence_id + 2 * i;
		/* Recordings of one machine in a file have one id of it. */
		if (i > 0)
			sequence->machine_id =
				(uint32_t)text_hash(text_of(recording->machines[i - 1].name)) | 1;
		buffer_clear(text);
		perfetto_sequence_append(text, sequence, false);
		proto_number(text, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
		if (text->failed || text->size > PERFETTO_HEAD_SIZE)
			return false;
		memcpy(sequence->event_head, text->data, text->size);
		sequence->event_head_size = text->size;
	}
	return true;
}

static void perfetto_open(struct sink_file *file, const struct recording *recording)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);

	if (sink->is_appending &&
	    (perfetto_target_take(sink, file->error) < 0 ||
	     (sink->is_appending && perfetto_examine(sink, recording, file->error) < 0))) {
		file->has_failed = true;
		return;
	}
	if (!sequences_make(sink, recording)) {
		file->out.failed = true;
		return;
	}
	sink->has_one_buffer = recording->has_one_buffer;
	sink->seed = text_hash(text_of(recording->id)) ^ sink->sequence_id;
	perfetto_frame_open(sink, recording);
}

static void perfetto_init(struct sink_file *file, const struct sink_settings *settings)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);

	sink->is_appending = settings->is_appending;
	sink->sequence_id = 1;
	sink->next_iid = OWN_NAME_END;
}

static void perfetto_flush(struct sink_file *file)
{
	perfetto_groups_open(container_of(file, struct perfetto_sink, file));
	sink_file_flush(file);
}

static void perfetto_release(struct sink_file *file)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);

	perfetto_tracks_release(sink);
	free(sink->incomplete);
	free(sink->sequences);
	if (sink->is_spooled)
		close(sink->target_fd);
}

static const struct sink_file_ops perfetto_file = {
	.size = sizeof(struct perfetto_sink),
	.init = perfetto_init,
	.open = perfetto_open,
	.event = perfetto_event,
	.complete = perfetto_target_complete,
	.flush = perfetto_flush,
	.row_write = perfetto_row_write,
	.single_write = perfetto_single_write,
	.release = perfetto_release,
};

const struct sink_kind sink_perfetto = {
	.name = "perfetto",
	.help = "write a trace for ui.perfetto.dev",
	.viewer = "ui.perfetto.dev",
	.use = SINK_USE_FILE,
	.can_append = true,
	.file = &perfetto_file,
};

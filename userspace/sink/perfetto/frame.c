// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks of the trace, and ktrack's own tracks: the traced command, losses and malformed records.
 */
#include <string.h>

#include "sink/args.h"
#include "sink/remark.h"
#include "sink/perfetto/fields.h"
#include "sink/perfetto/state.h"
#include "sink/proto.h"

/** struct clock_row - a trace clock, and its number in Perfetto */
struct clock_row {
	const char *name;
	enum perfetto_clock id;
};

static const struct clock_row clock_rows[] = {
	{ "mono", CLOCK_MONOTONIC_ID },
	{ "mono_raw", CLOCK_MONOTONIC_RAW_ID },
};

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
};
_Static_assert(sizeof(own_names) / sizeof(own_names[0]) == OWN_NAME_END, "a text for each");

/* Clocks without a number in Perfetto become boot time, its default. */
static enum perfetto_clock clock_id(const struct recording *recording)
{
	for (size_t i = 0; i < sizeof(clock_rows) / sizeof(clock_rows[0]); i++) {
		if (strcmp(recording->clock, clock_rows[i].name) == 0)
			return clock_rows[i].id;
	}
	return CLOCK_BOOTTIME_ID;
}

static void append_clock(struct buffer *out, enum perfetto_clock id, int64_t time_ns)
{
	size_t clock = proto_begin(out, SNAPSHOT_CLOCKS);

	proto_number(out, CLOCK_ID, id);
	proto_number(out, CLOCK_TIMESTAMP, time_ns);
	proto_end(out, clock);
}

/*
 * Perfetto relates every clock to boot time, and reports an error for a trace without it. The
 * offset of the trace clock to boot time is not recorded; this assumes 0.
 */
static void append_snapshot(struct perfetto_sink *sink, int64_t time_ns, int64_t wall_offset_ns)
{
	struct buffer *out = &sink->file.out;
	size_t snapshot = proto_begin(out, PACKET_CLOCK_SNAPSHOT);

	append_clock(out, sink->clock_id, time_ns);
	if (sink->clock_id != CLOCK_BOOTTIME_ID)
		append_clock(out, CLOCK_BOOTTIME_ID, time_ns);
	if (sink->has_wall_clock)
		append_clock(out, CLOCK_REALTIME_ID, time_ns + wall_offset_ns);
	proto_number(out, SNAPSHOT_PRIMARY_CLOCK, sink->clock_id);
	proto_end(out, snapshot);
}

static void append_own_names(struct buffer *out)
{
	size_t data = proto_begin(out, PACKET_INTERNED_DATA);

	for (int i = OWN_SUSPECT; i < OWN_NAME_END; i++) {
		size_t entry = proto_begin(out, INTERNED_ANNOTATION_NAMES);

		proto_number(out, ENTRY_IID, i);
		proto_text(out, ENTRY_NAME, text_of(own_names[i]));
		proto_end(out, entry);
	}
	proto_end(out, data);
}

/* The times of all machines are those of the trace's clock, which is a machine's default. */
static int sequence_begin(struct perfetto_sink *sink, struct error *error)
{
	struct buffer *out = &sink->file.out;
	size_t packet = perfetto_packet_begin(sink);

	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
	proto_number(out, PACKET_IS_FIRST, true);
	if (sink->sequence->machine_id == 0) {
		size_t defaults = proto_begin(out, PACKET_DEFAULTS);

		proto_number(out, DEFAULTS_CLOCK_ID, sink->clock_id);
		proto_end(out, defaults);
	}
	append_own_names(out);
	return perfetto_packet_end(sink, packet, error);
}

/* A trace that is appended to has its own snapshots. */
static int snapshot_write(struct perfetto_sink *sink, int64_t time_ns, int64_t wall_offset_ns,
			  struct error *error)
{
	size_t packet;

	if (sink->is_appending)
		return 0;
	packet = perfetto_packet_begin(sink);
	append_snapshot(sink, time_ns, wall_offset_ns);
	return perfetto_packet_end(sink, packet, error);
}

static struct perfetto_message own_begin(struct perfetto_sink *sink, int64_t time_ns, uint64_t uuid,
					 enum perfetto_event_type type, struct text name)
{
	struct perfetto_message begun = { .packet = perfetto_packet_begin(sink) };
	struct buffer *out = &sink->file.out;

	proto_number(out, PACKET_TIMESTAMP, time_ns);
	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	begun.message = proto_begin(out, PACKET_TRACK_EVENT);
	proto_number(out, EVENT_TYPE, type);
	proto_number(out, EVENT_TRACK_UUID, uuid);
	proto_text(out, EVENT_CATEGORIES, text_of("ktrack"));
	if (name.size > 0)
		proto_text(out, EVENT_NAME, name);
	return begun;
}

static uint64_t own_uuid(void)
{
	return perfetto_uuid_of_seed(0, UUID_OWN, 0);
}

static int own_track_write(struct perfetto_sink *sink, struct error *error)
{
	const struct perfetto_descriptor own = { .uuid = own_uuid(),
						 .name = text_of("ktrack"),
						 .is_ordered = true };

	return perfetto_descriptor_write(sink, &own, error);
}

/* The release of the kernel, and the name of one of several machines. */
static int system_write(struct perfetto_sink *sink, const struct recording *recording,
			const struct timeline_machine *machine, struct error *error)
{
	struct buffer *out = &sink->file.out;
	size_t packet = perfetto_packet_begin(sink);
	size_t system = proto_begin(out, PACKET_SYSTEM_INFO);
	size_t name = proto_begin(out, SYSTEM_INFO_UTSNAME);

	proto_text(out, UTSNAME_SYSNAME, text_of("Linux"));
	proto_text(out, UTSNAME_RELEASE, text_of(recording->kernel));
	proto_end(out, name);
	if (machine)
		proto_text(out, SYSTEM_INFO_MACHINE_NAME, text_of(machine->name));
	proto_end(out, system);
	return perfetto_packet_end(sink, packet, error);
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

static void labels_append_attributes(struct perfetto_sink *sink, const char *labels)
{
	struct text rest = text_of(labels ? labels : ""), key, value;
	struct buffer *text = &sink->file.text;

	while (recording_take_label(&rest, &key, &value)) {
		buffer_clear(text);
		buffer_append_string(text, "label.");
		buffer_append(text, key.data, key.size);
		attribute_append(&sink->file.out, buffer_text(text), value);
	}
}

/* What Perfetto has no field for. @machine is NULL for the recording as a whole. */
static int attributes_write(struct perfetto_sink *sink, const struct recording *recording,
			    const struct timeline_machine *machine, struct error *error)
{
	struct buffer *out = &sink->file.out;
	size_t packet = perfetto_packet_begin(sink);
	size_t attributes = proto_begin(out, PACKET_TRACE_ATTRIBUTES);
	const struct recording_property *property = NULL;
	struct value value;

	attribute_append(out, text_of("recording_id"), text_of(recording->id));
	while (recording_next(recording, RECORDING_PERFETTO, &property, &value)) {
		buffer_clear(&sink->file.text);
		value_append_text(&sink->file.text, &value);
		attribute_append(out, text_of(property->name), buffer_text(&sink->file.text));
	}
	labels_append_attributes(sink, recording->labels);
	if (machine) {
		attribute_append_number(out, "shift_ns", machine->shift_ns);
		if (machine->recording->wall_error_ns >= 0)
			attribute_append_number(out, "wall_error_ns",
						machine->recording->wall_error_ns);
	}
	proto_end(out, attributes);
	return perfetto_packet_end(sink, packet, error);
}

/* Tracks of a machine that are below no process or thread are below a track with its name. */
static int perfetto_machine_write(struct perfetto_sink *sink,
				  const struct timeline_machine *machine, struct error *error)
{
	const struct perfetto_descriptor track = { .uuid = perfetto_machine_uuid(machine),
						   .name = text_of(machine->name),
						   .has_rank = true,
						   .rank = (int32_t)machine->number };

	sink->sequence = &sink->sequences[machine->number];
	if (sequence_begin(sink, error) < 0 ||
	    system_write(sink, machine->recording, machine, error) < 0 ||
	    attributes_write(sink, machine->recording, machine, error) < 0)
		return -1;
	return perfetto_descriptor_write(sink, &track, error);
}

int perfetto_frame_open(struct perfetto_sink *sink, const struct recording *recording,
			struct error *error)
{
	sink->clock_id = clock_id(recording);
	sink->has_wall_clock = strcmp(recording->time_source, "none") != 0;
	sink->wall_offset_ns = recording->wall_offset_ns;
	sink->sequence = &sink->sequences[0];
	if (snapshot_write(sink, recording->start_ns, sink->wall_offset_ns, error) < 0 ||
	    sequence_begin(sink, error) < 0 || attributes_write(sink, recording, NULL, error) < 0 ||
	    own_track_write(sink, error) < 0)
		return -1;
	if (recording->nr_machines == 0)
		return system_write(sink, recording, NULL, error);
	for (size_t i = 0; i < recording->nr_machines; i++) {
		if (perfetto_machine_write(sink, &recording->machines[i], error) < 0)
			return -1;
	}
	return 0;
}

/* The track for losses of a CPU; its name has the buffer only if there are several. */
static int loss_track_write(struct perfetto_sink *sink, const struct timeline_event *loss,
			    uint64_t *uuid, struct error *error)
{
	struct timeline_event named = *loss;
	struct perfetto_descriptor track = { .parent_uuid = own_uuid(),
					     .has_rank = true,
					     .rank = loss->loss_cpu };

	if (sink->has_one_buffer)
		named.loss_buffer = NULL;
	buffer_clear(&sink->file.text);
	loss_append_track(&sink->file.text, &named);
	track.name = buffer_text(&sink->file.text);
	track.merge_key = text_hash(track.name) | 1;
	track.uuid = *uuid = perfetto_uuid_of(sink, UUID_LOSS, track.merge_key);
	return perfetto_descriptor_write(sink, &track, error);
}

static int perfetto_write_loss(struct perfetto_sink *sink, const struct timeline_event *loss,
			       struct error *error)
{
	struct perfetto_message begun;
	uint64_t uuid;

	if (loss_track_write(sink, loss, &uuid, error) < 0)
		return -1;
	begun = own_begin(sink, loss->begin_ns, uuid, TYPE_SLICE_BEGIN,
			  remark_set(&sink->file.text, loss));
	perfetto_annotate_number(sink, OWN_CPU, loss->loss_cpu);
	if (loss->loss_count != TIMELINE_COUNT_UNKNOWN)
		perfetto_annotate_number(sink, OWN_COUNT_LOST, loss->loss_count);
	if (perfetto_message_end(sink, begun, error) < 0)
		return -1;
	begun = own_begin(sink, loss->loss_end_ns, uuid, TYPE_SLICE_END, text_of(""));
	return perfetto_message_end(sink, begun, error);
}

static int instant_write(struct perfetto_sink *sink, int64_t time_ns, struct text name,
			 struct error *error)
{
	struct perfetto_message begun = own_begin(sink, time_ns, own_uuid(), TYPE_INSTANT, name);

	return perfetto_message_end(sink, begun, error);
}

static int perfetto_write_remark(struct perfetto_sink *sink, const struct timeline_event *event,
				 struct error *error)
{
	return instant_write(sink, event->time_ns, remark_set(&sink->file.text, event), error);
}

/* Commands of several recordings in a file may overlap. */
static int perfetto_write_command_begin(struct perfetto_sink *sink,
					const struct timeline_event *event, struct error *error)
{
	const struct perfetto_descriptor track = {
		.uuid = perfetto_uuid_of(sink, UUID_COMMAND, 0),
		.parent_uuid = own_uuid(),
		.name = text_of("command"),
		.merge_key = UUID_COMMAND,
		.has_rank = true,
		.rank = -1,
	};
	struct perfetto_message begun;

	if (perfetto_descriptor_write(sink, &track, error) < 0)
		return -1;
	begun = own_begin(sink, event->time_ns, track.uuid, TYPE_SLICE_BEGIN,
			  remark_set(&sink->file.text, event));
	return perfetto_message_end(sink, begun, error);
}

static int perfetto_write_command_end(struct perfetto_sink *sink,
				      const struct timeline_event *event, struct error *error)
{
	struct perfetto_message begun = own_begin(sink, event->time_ns,
						  perfetto_uuid_of(sink, UUID_COMMAND, 0),
						  TYPE_SLICE_END, text_of(""));

	perfetto_annotate_number(sink, OWN_PID, event->pid);
	perfetto_annotate_number(sink, OWN_STATUS, event->status);
	return perfetto_message_end(sink, begun, error);
}

/* Reports dropped slices in the trace and to the user. */
static int deep_write(struct perfetto_sink *sink, int64_t time_ns, struct error *error)
{
	struct buffer *text = &sink->file.text;
	const char *said;

	if (sink->nr_deep == 0)
		return 0;
	said = deep_set(text, sink->nr_deep);
	if (!said)
		return error_set(error, "out of memory");
	report_message(sink->report, "%s: %s; --event and --html have all of them", sink->file.name,
		       said);
	return instant_write(sink, time_ns, buffer_text(text), error);
}

static int perfetto_faults_write(struct perfetto_sink *sink, const struct timeline_event *finish,
				 struct error *error)
{
	struct buffer *text = &sink->file.text;

	for (size_t i = 0; i < fault_limit(finish->totals); i++) {
		if (fault_set(text, finish->totals, sink->file.counts_ticks, i) &&
		    instant_write(sink, finish->time_ns, buffer_text(text), error) < 0)
			return -1;
	}
	return text->failed ? error_set(error, "out of memory") : 0;
}

/* A second snapshot has the wall clock's drift against the trace clock. */
static int perfetto_write_finish(struct perfetto_sink *sink, const struct timeline_event *event,
				 struct error *error)
{
	const struct timeline_totals *totals = event->totals;

	if (perfetto_groups_end(sink, error) < 0 || deep_write(sink, event->time_ns, error) < 0 ||
	    perfetto_faults_write(sink, event, error) < 0)
		return -1;
	if (!totals->has_wall_drift || totals->wall_drift_ns == 0)
		return 0;
	return snapshot_write(sink, event->time_ns, sink->wall_offset_ns + totals->wall_drift_ns,
			      error);
}

int perfetto_frame_event(struct perfetto_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	switch (event->kind) {
	case TIMELINE_LOSS:
		return perfetto_write_loss(sink, event, error);
	case TIMELINE_MALFORMED:
	case TIMELINE_FOREIGN_END:
	case TIMELINE_TRACEPOINT:
		return perfetto_write_remark(sink, event, error);
	case TIMELINE_COMMAND_BEGIN:
		return perfetto_write_command_begin(sink, event, error);
	case TIMELINE_COMMAND_END:
		return perfetto_write_command_end(sink, event, error);
	case TIMELINE_FINISH:
		return perfetto_write_finish(sink, event, error);
	default:
		return 0;
	}
}

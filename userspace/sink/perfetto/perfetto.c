// SPDX-License-Identifier: GPL-2.0-only
/* The timeline in Perfetto's native format: a packet for each event. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/kinds.h"
#include "sink/remark.h"
#include "sink/perfetto/fields.h"
#include "sink/proto.h"
#include "sink/perfetto/state.h"

/* Perfetto stores counters as doubles, which are exact up to this. */
#define DOUBLE_EXACT_MAX (INT64_C(1) << 53)

uint64_t perfetto_uuid_of_seed(uint64_t seed, enum perfetto_uuid kind, uint64_t number)
{
	uint64_t words[] = { htole64(seed), htole64(kind), htole64(number) };

	/* 0 is Perfetto's default track. */
	return text_hash((struct text){ .data = (const char *)words, .size = sizeof(words) }) | 1;
}

uint64_t perfetto_uuid_of(const struct perfetto_sink *sink, enum perfetto_uuid kind,
			  uint64_t number)
{
	return perfetto_uuid_of_seed(sink->seed, kind, number);
}

static void sequence_append(struct buffer *out, const struct perfetto_sequence *sequence,
			    bool is_of_threads)
{
	proto_number(out, PACKET_SEQUENCE_ID, sequence->id + is_of_threads);
	if (sequence->machine_id > 0)
		proto_number(out, PACKET_MACHINE_ID, sequence->machine_id);
}

static size_t sequence_packet_begin(struct perfetto_sink *sink, bool is_of_threads)
{
	struct buffer *out = &sink->file.out;
	size_t packet = proto_begin(out, TRACE_PACKET);

	sequence_append(out, sink->sequence, is_of_threads);
	return packet;
}

size_t perfetto_packet_begin(struct perfetto_sink *sink)
{
	return sequence_packet_begin(sink, false);
}

size_t perfetto_thread_packet_begin(struct perfetto_sink *sink)
{
	return sequence_packet_begin(sink, true);
}

int perfetto_packet_end(struct perfetto_sink *sink, size_t packet, struct error *error)
{
	proto_end(&sink->file.out, packet);
	return sink_file_spill(&sink->file, error);
}

int perfetto_message_end(struct perfetto_sink *sink, struct perfetto_message begun,
			 struct error *error)
{
	proto_end(&sink->file.out, begun.message);
	return perfetto_packet_end(sink, begun.packet, error);
}

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

static int perfetto_write_named(struct perfetto_sink *sink, const struct timeline_event *event,
				enum perfetto_event_type type, struct error *error)
{
	uint64_t iid = event->name->is_counted ? perfetto_name_iid(sink, event->name, error) : 0;
	struct perfetto_message begun;

	if ((event->name->is_counted && iid == 0) ||
	    (event->nr_fields > 0 && perfetto_fields_intern(sink, event, error) < 0))
		return -1;
	begun = track_event_begin(sink, event, type);
	if (iid > 0)
		proto_number(&sink->file.out, EVENT_NAME_IID, iid);
	else
		proto_text(&sink->file.out, EVENT_NAME, event->name->text);
	if (event->nr_flows > 0)
		perfetto_append_flows(sink, event);
	perfetto_append_annotations(sink, event);
	return perfetto_message_end(sink, begun, error);
}

static int perfetto_write_slice_begin(struct perfetto_sink *sink,
				      const struct timeline_event *event, struct error *error)
{
	if (sink->depth > VIEWER_DEPTH_MAX) {
		sink->nr_deep += !event->is_cut;
		return 0;
	}
	return perfetto_write_named(sink, event, TYPE_SLICE_BEGIN, error);
}

/* An end closes the innermost slice, and so incomplete slices inside of this one are ended first.
 */
static int inner_slices_end(struct perfetto_sink *sink, const struct timeline_event *event,
			    struct perfetto_track *track, struct error *error)
{
	for (; track->nr_open > 0; track->nr_open--) {
		struct perfetto_message begun = track_event_begin(sink, event, TYPE_SLICE_END);

		perfetto_annotate_true(sink, OWN_UNFINISHED);
		if (perfetto_message_end(sink, begun, error) < 0)
			return -1;
	}
	return 0;
}

static bool is_left_open(const struct timeline_event *event)
{
	return event->is_unfinished && !event->is_suspect && !event->is_foreign &&
	       !event->is_restarted;
}

/*
 * An incomplete slice has no end, as Perfetto expects. It has one if it is also suspect or foreign,
 * because the end has that flag, or if its key began again, because another slice follows.
 */
static int perfetto_write_slice_end(struct perfetto_sink *sink, const struct timeline_event *event,
				    struct error *error)
{
	struct perfetto_track *track = perfetto_track_of(sink, event->track);
	struct perfetto_message begun;

	if (sink->depth > VIEWER_DEPTH_MAX)
		return 0;
	if (is_left_open(event)) {
		track->nr_open++;
		return 0;
	}
	if (inner_slices_end(sink, event, track, error) < 0 ||
	    (event->nr_fields > 0 && perfetto_fields_intern(sink, event, error) < 0))
		return -1;
	begun = track_event_begin(sink, event, TYPE_SLICE_END);
	if (event->nr_flows > 0)
		perfetto_append_flows(sink, event);
	perfetto_append_annotations(sink, event);
	return perfetto_message_end(sink, begun, error);
}

static int perfetto_write_instant(struct perfetto_sink *sink, const struct timeline_event *event,
				  struct error *error)
{
	if (sink->depth >= VIEWER_DEPTH_MAX) {
		sink->nr_deep++;
		return 0;
	}
	return perfetto_write_named(sink, event, TYPE_INSTANT, error);
}

static bool is_rounded(const struct value *value)
{
	if (value->kind == VALUE_FLOATING)
		return false;
	if (value->kind == VALUE_UNSIGNED)
		return value->unsigned_number > (uint64_t)DOUBLE_EXACT_MAX;
	return value->signed_number > DOUBLE_EXACT_MAX || value->signed_number < -DOUBLE_EXACT_MAX;
}

static void append_sample(struct buffer *out, const struct value *value)
{
	if (value->kind == VALUE_FLOATING)
		proto_double(out, EVENT_DOUBLE_COUNTER_VALUE, value->floating);
	else if (value->kind == VALUE_SIGNED)
		proto_signed(out, EVENT_COUNTER_VALUE, value->signed_number);
	else if (value->unsigned_number <= INT64_MAX)
		proto_number(out, EVENT_COUNTER_VALUE, value->unsigned_number);
	else
		proto_double(out, EVENT_DOUBLE_COUNTER_VALUE, (double)value->unsigned_number);
}

static int perfetto_write_counter(struct perfetto_sink *sink, const struct timeline_event *event,
				  struct error *error)
{
	struct perfetto_message begun;

	if (perfetto_fields_intern(sink, event, error) < 0)
		return -1;
	begun = track_event_begin(sink, event, TYPE_COUNTER);
	append_sample(&sink->file.out, &event->value);
	if (is_rounded(&event->value)) {
		buffer_clear(&sink->file.text);
		value_append_text(&sink->file.text, &event->value);
		perfetto_annotate_text(sink, OWN_EXACT, buffer_text(&sink->file.text));
	}
	perfetto_append_annotations(sink, event);
	return perfetto_message_end(sink, begun, error);
}

static int (*const writers[])(struct perfetto_sink *sink, const struct timeline_event *event,
			      struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = perfetto_track_begin,
	[TIMELINE_SLICE_BEGIN] = perfetto_write_slice_begin,
	[TIMELINE_SLICE_END] = perfetto_write_slice_end,
	[TIMELINE_INSTANT] = perfetto_write_instant,
	[TIMELINE_COUNTER] = perfetto_write_counter,
	[TIMELINE_TRACK_END] = perfetto_track_end,
	[TIMELINE_LOSS] = perfetto_frame_event,
	[TIMELINE_LOSS_SUM] = perfetto_frame_event,
	[TIMELINE_MALFORMED] = perfetto_frame_event,
	[TIMELINE_FOREIGN_END] = perfetto_frame_event,
	[TIMELINE_TRACEPOINT] = perfetto_frame_event,
	[TIMELINE_COMMAND_BEGIN] = perfetto_frame_event,
	[TIMELINE_COMMAND_END] = perfetto_frame_event,
	[TIMELINE_FINISH] = perfetto_frame_event,
};
_Static_assert(sizeof(writers) / sizeof(writers[0]) == TIMELINE_KIND_COUNT, "a writer for each");

static int incomplete_add(struct perfetto_sink *sink, uint64_t uuid, int64_t time_ns,
			  struct error *error)
{
	if (sink->nr_incomplete == sink->incomplete_size &&
	    sink_array_grow((void **)&sink->incomplete, &sink->incomplete_size,
			    sink->nr_incomplete + 1, sizeof(*sink->incomplete), error) < 0)
		return -1;
	sink->incomplete[sink->nr_incomplete++] = (struct perfetto_incomplete){
		.sequence = sink->sequence, .uuid = uuid, .time_ns = time_ns
	};
	return 0;
}

static int incomplete_write(struct perfetto_sink *sink,
			    const struct perfetto_incomplete *incomplete, struct error *error)
{
	struct perfetto_sequence *sequence = sink->sequence;
	struct buffer *out = &sink->file.out;
	struct perfetto_message begun;
	int status;

	sink->sequence = incomplete->sequence;
	begun.packet = perfetto_packet_begin(sink);
	proto_number(out, PACKET_TIMESTAMP, incomplete->time_ns);
	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	begun.message = proto_begin(out, PACKET_TRACK_EVENT);
	proto_number(out, EVENT_TYPE, TYPE_SLICE_END);
	proto_number(out, EVENT_TRACK_UUID, incomplete->uuid);
	perfetto_annotate_true(sink, OWN_UNFINISHED);
	status = perfetto_message_end(sink, begun, error);
	sink->sequence = sequence;
	return status;
}

/* Ends the incomplete slices of a row, or of all: another event follows. */
static int incomplete_end(struct perfetto_sink *sink, uint64_t uuid, struct error *error)
{
	unsigned int nr = sink->nr_incomplete;

	sink->nr_incomplete = 0;
	for (unsigned int i = 0; i < nr; i++) {
		const struct perfetto_incomplete *one = &sink->incomplete[i];

		if (uuid != 0 && one->uuid != uuid)
			sink->incomplete[sink->nr_incomplete++] = *one;
		else if (incomplete_write(sink, one, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * On a row, other slices may follow an incomplete one, which then ends when it did. Those that are
 * incomplete at the end of the recording stay open.
 */
static int row_incomplete(struct perfetto_sink *sink, const struct row_place *place,
			  const struct timeline_event *event, struct error *error)
{
	const struct perfetto_row *row = place->row->data;

	if (event->kind != TIMELINE_SLICE_END || !event->is_unfinished)
		return incomplete_end(sink, 0, error);
	return is_left_open(event) ? 0 : incomplete_end(sink, row->uuid, error);
}

/* Writes an event of a row at the row's depth. */
static int perfetto_row_write(void *context, const struct row_place *place,
			      const struct timeline_event *event, struct error *error)
{
	struct perfetto_sink *sink = context;
	struct perfetto_track *track = perfetto_track_of(sink, event->track);

	if (!track) {
		track = event->track->sink_data[sink->file.sink_index] = &sink->held;
		sink->held.place_row = NULL;
		sink->held.category = perfetto_category_of(sink, event->track->category);
	}
	if (track->place_row != place->row &&
	    perfetto_row_place(sink, track, event->track, place->row, error) < 0)
		return -1;
	sink->depth = place->depth;
	if (sink->nr_incomplete > 0 && row_incomplete(sink, place, event, error) < 0)
		return -1;
	if (event->kind == TIMELINE_SLICE_END && is_left_open(event)) {
		const struct perfetto_row *row = place->row->data;

		return place->depth > VIEWER_DEPTH_MAX
			       ? 0
			       : incomplete_add(sink, row->uuid, event->time_ns, error);
	}
	return writers[event->kind](sink, event, error);
}

static bool is_on_row(const struct perfetto_track *track, const struct timeline_event *event)
{
	return track && track->row.row && event->kind != TIMELINE_TRACK_END;
}

static int perfetto_event(struct sink_file *file, const struct timeline_event *event,
			  struct error *error)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);
	const struct timeline_machine *machine = event->track ? event->track->machine : NULL;
	struct perfetto_track *track = event->track ? perfetto_track_of(sink, event->track) : NULL;
	struct row_place place;

	sink->sequence = &sink->sequences[machine ? machine->number : 0];
	if (is_on_row(track, event))
		return rows_event(&sink->thread_rows, &track->row, event, &place, error);
	sink->depth = event->depth;
	return writers[event->kind](sink, event, error);
}

static int event_head_make(struct perfetto_sink *sink, struct perfetto_sequence *sequence,
			   struct error *error)
{
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	sequence_append(text, sequence, false);
	proto_number(text, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	if (text->failed || text->size > PERFETTO_HEAD_SIZE)
		return error_set(error, "out of memory");
	memcpy(sequence->event_head, text->data, text->size);
	sequence->event_head_size = text->size;
	return 0;
}

/* Recordings of one machine in a file have one id of it. */
static uint32_t machine_id(const struct timeline_machine *machine)
{
	return (uint32_t)text_hash(text_of(machine->name)) | 1;
}

static int sequences_make(struct perfetto_sink *sink, const struct recording *recording,
			  struct error *error)
{
	sink->sequences = calloc(1 + recording->nr_machines, sizeof(*sink->sequences));
	if (!sink->sequences)
		return error_set(error, "out of memory");
	sink->nr_sequences = 1 + recording->nr_machines;
	for (size_t i = 0; i < sink->nr_sequences; i++) {
		struct perfetto_sequence *sequence = &sink->sequences[i];

		sequence->id = sink->sequence_id + 2 * i;
		if (i > 0)
			sequence->machine_id = machine_id(&recording->machines[i - 1]);
		if (event_head_make(sink, sequence, error) < 0)
			return -1;
	}
	return 0;
}

static int perfetto_open(struct sink_file *file, const struct recording *recording,
			 struct error *error)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);

	if (sink->is_appending && perfetto_target_take(sink, error) < 0)
		return -1;
	if (sink->is_appending && perfetto_examine(sink, recording, error) < 0)
		return -1;
	if (sequences_make(sink, recording, error) < 0)
		return -1;
	sink->has_one_buffer = recording->has_one_buffer;
	sink->seed = text_hash(text_of(recording->id)) ^ sink->sequence_id;
	return perfetto_frame_open(sink, recording, error);
}

static int perfetto_flush(struct sink_file *file, struct error *error)
{
	if (perfetto_groups_open(container_of(file, struct perfetto_sink, file), error) < 0)
		return -1;
	return sink_file_flush(file, error);
}

static int perfetto_complete(struct sink_file *file, struct error *error)
{
	return perfetto_target_complete(container_of(file, struct perfetto_sink, file), error);
}

static void perfetto_release(struct sink_file *file)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);

	perfetto_categories_free(sink);
	perfetto_lives_free(sink);
	rows_release(&sink->thread_rows);
	free(sink->incomplete);
	free(sink->sequences);
	map_release(&sink->events);
	map_release(&sink->names);
	if (sink->is_spooled)
		close(sink->target_fd);
}

static const struct sink_file_ops perfetto_file = {
	.size = sizeof(struct perfetto_sink),
	.open = perfetto_open,
	.event = perfetto_event,
	.complete = perfetto_complete,
	.flush = perfetto_flush,
	.release = perfetto_release,
};

struct sink *sink_perfetto_new(const struct sink_settings *settings, struct error *error)
{
	struct sink *sink = sink_file_new(&perfetto_file, settings, error);
	struct perfetto_sink *perfetto = sink ? container_of(sink, struct perfetto_sink, file.sink)
					      : NULL;

	if (!sink)
		return NULL;
	perfetto->is_appending = settings->is_appending;
	perfetto->report = settings->report;
	perfetto->has_thread_rows = settings->rows == SINK_ROWS_THREAD;
	perfetto->thread_rows.write = perfetto_row_write;
	perfetto->thread_rows.context = perfetto;
	perfetto->sequence_id = 1;
	perfetto->next_iid = OWN_NAME_END;
	return sink;
}

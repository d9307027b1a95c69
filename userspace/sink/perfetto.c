// SPDX-License-Identifier: GPL-2.0-only
/* The timeline as Perfetto's native trace: which packet stands for which event. */
#include <endian.h>
#include <string.h>
#include <unistd.h>

#include "sink/perfetto_fields.h"
#include "sink/perfetto_state.h"
#include "sink/proto.h"

/* What a double holds without rounding; Perfetto keeps counters as doubles. */
#define DOUBLE_EXACT_MAX (INT64_C(1) << 53)

/*
 * Perfetto drops slices and instants below this many open slices, but not the ends of such slices:
 * those would close outer ones.
 */
#define DEPTH_MAX 512

uint64_t perfetto_uuid_of_seed(uint64_t seed, enum perfetto_uuid kind, uint64_t number)
{
	uint64_t words[] = { htole64(seed), htole64(kind), htole64(number) };

	/* 0 is the track of everything. */
	return text_hash((struct text){ .data = (const char *)words, .size = sizeof(words) }) | 1;
}

uint64_t perfetto_uuid_of(const struct perfetto_sink *sink, enum perfetto_uuid kind,
			  uint64_t number)
{
	return perfetto_uuid_of_seed(sink->seed, kind, number);
}

static size_t packet_begin(struct perfetto_sink *sink, uint32_t sequence_id)
{
	struct buffer *out = &sink->file.writer.buffer;
	size_t packet = proto_begin(out, TRACE_PACKET);

	proto_number(out, PACKET_SEQUENCE_ID, sequence_id);
	return packet;
}

size_t perfetto_packet_begin(struct perfetto_sink *sink)
{
	return packet_begin(sink, sink->sequence_id);
}

size_t perfetto_thread_packet_begin(struct perfetto_sink *sink)
{
	return packet_begin(sink, sink->sequence_id + 1);
}

int perfetto_packet_end(struct perfetto_sink *sink, size_t packet, struct error *error)
{
	proto_end(&sink->file.writer.buffer, packet);
	return writer_spill(&sink->file.writer, error);
}

/** struct track_event - an event that is being written: the packet, and the message in it */
struct track_event {
	size_t packet;
	size_t event;
};

/* What an event begins with takes at most: tags and sizes, the time, and what is rendered. */
#define EVENT_BEGIN_SIZE (8 * PROTO_NUMBER_MAX + PERFETTO_HEAD_SIZE + PERFETTO_PLACE_SIZE)

/* All of it in one go: there are millions. A size takes a byte, which proto_end() fills. */
static struct track_event event_begin(struct perfetto_sink *sink, const struct timeline_event *told,
				      enum perfetto_event_type type)
{
	const struct perfetto_track *track = told->track->slots[sink->file.slot];
	struct buffer *out = &sink->file.writer.buffer;
	char *at = buffer_reserve_put(out, EVENT_BEGIN_SIZE);
	struct track_event begun = { 0 };

	if (!at)
		return begun;
	at = proto_put_tag(at, TRACE_PACKET, PROTO_SIZED) + 1;
	begun.packet = at - out->data;
	at = put_block(at, sink->event_head, sink->event_head_size);
	at = proto_put_tag(at, PACKET_TIMESTAMP, PROTO_NUMBER);
	at = proto_put_number(at, told->time_ns);
	at = proto_put_tag(at, PACKET_TRACK_EVENT, PROTO_SIZED) + 1;
	begun.event = at - out->data;
	at = proto_put_tag(at, EVENT_TYPE, PROTO_NUMBER);
	at = proto_put_number(at, type);
	buffer_end_put(out, put_block(at, track->place, track->place_size));
	return begun;
}

static int event_end(struct perfetto_sink *sink, struct track_event begun, struct error *error)
{
	proto_end(&sink->file.writer.buffer, begun.event);
	return perfetto_packet_end(sink, begun.packet, error);
}

static int write_named(struct perfetto_sink *sink, const struct timeline_event *told,
		       enum perfetto_event_type type, struct error *error)
{
	uint64_t iid = told->name->is_counted ? perfetto_name_iid(sink, told->name, error) : 0;
	struct track_event begun;

	if ((told->name->is_counted && iid == 0) || perfetto_fields_know(sink, told, error) < 0)
		return -1;
	begun = event_begin(sink, told, type);
	if (iid > 0)
		proto_number(&sink->file.writer.buffer, EVENT_NAME_IID, iid);
	else
		proto_text(&sink->file.writer.buffer, EVENT_NAME, told->name->text);
	perfetto_append_annotations(sink, told);
	return event_end(sink, begun, error);
}

static int write_slice_begin(struct perfetto_sink *sink, const struct timeline_event *told,
			     struct error *error)
{
	if (told->depth > DEPTH_MAX) {
		sink->nr_deep++;
		return 0;
	}
	return write_named(sink, told, TYPE_SLICE_BEGIN, error);
}

/* An end closes the innermost slice: those that were to be left open inside of this one go first.
 */
static int inner_slices_end(struct perfetto_sink *sink, const struct timeline_event *told,
			    struct perfetto_track *track, struct error *error)
{
	for (; track->nr_open > 0; track->nr_open--) {
		struct track_event begun = event_begin(sink, told, TYPE_SLICE_END);

		perfetto_annotate_true(sink, OWN_UNFINISHED);
		if (event_end(sink, begun, error) < 0)
			return -1;
	}
	return 0;
}

/*
 * A slice that the recording's end cut off has no end, as Perfetto expects it; one that is suspect
 * or foreign besides has, since its end carries that mark.
 */
static int write_slice_end(struct perfetto_sink *sink, const struct timeline_event *told,
			   struct error *error)
{
	struct perfetto_track *track = told->track->slots[sink->file.slot];
	struct track_event begun;

	if (told->depth > DEPTH_MAX)
		return 0;
	if (told->is_unfinished && !told->is_suspect && !told->is_foreign) {
		track->nr_open++;
		return 0;
	}
	if (inner_slices_end(sink, told, track, error) < 0 ||
	    perfetto_fields_know(sink, told, error) < 0)
		return -1;
	begun = event_begin(sink, told, TYPE_SLICE_END);
	perfetto_append_annotations(sink, told);
	return event_end(sink, begun, error);
}

static int write_instant(struct perfetto_sink *sink, const struct timeline_event *told,
			 struct error *error)
{
	if (told->depth >= DEPTH_MAX) {
		sink->nr_deep++;
		return 0;
	}
	return write_named(sink, told, TYPE_INSTANT, error);
}

static bool is_rounded(const struct value *value)
{
	if (value->kind == VALUE_UNSIGNED)
		return value->unsigned_number > (uint64_t)DOUBLE_EXACT_MAX;
	return value->signed_number > DOUBLE_EXACT_MAX || value->signed_number < -DOUBLE_EXACT_MAX;
}

static void append_sample(struct buffer *out, const struct value *value)
{
	if (value->kind == VALUE_SIGNED)
		proto_signed(out, EVENT_COUNTER_VALUE, value->signed_number);
	else if (value->unsigned_number <= INT64_MAX)
		proto_number(out, EVENT_COUNTER_VALUE, value->unsigned_number);
	else
		proto_double(out, EVENT_DOUBLE_COUNTER_VALUE, (double)value->unsigned_number);
}

static int write_counter(struct perfetto_sink *sink, const struct timeline_event *told,
			 struct error *error)
{
	struct track_event begun;

	if (perfetto_fields_know(sink, told, error) < 0)
		return -1;
	begun = event_begin(sink, told, TYPE_COUNTER);
	append_sample(&sink->file.writer.buffer, &told->value);
	if (is_rounded(&told->value)) {
		buffer_clear(&sink->file.text);
		value_append_text(&sink->file.text, &told->value);
		perfetto_annotate_text(sink, OWN_EXACT, buffer_text(&sink->file.text));
	}
	perfetto_append_annotations(sink, told);
	return event_end(sink, begun, error);
}

static int (*const writers[])(struct perfetto_sink *sink, const struct timeline_event *told,
			      struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = perfetto_track_begin,
	[TIMELINE_SLICE_BEGIN] = write_slice_begin,
	[TIMELINE_SLICE_END] = write_slice_end,
	[TIMELINE_INSTANT] = write_instant,
	[TIMELINE_COUNTER] = write_counter,
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

static int perfetto_event(struct sink_file *file, const struct timeline_event *event,
			  struct error *error)
{
	return writers[event->kind]((struct perfetto_sink *)file, event, error);
}

static int event_head_make(struct perfetto_sink *sink, struct error *error)
{
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	proto_number(text, PACKET_SEQUENCE_ID, sink->sequence_id);
	proto_number(text, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	if (text->failed || text->size > PERFETTO_HEAD_SIZE)
		return error_set(error, "out of memory");
	memcpy(sink->event_head, text->data, text->size);
	sink->event_head_size = text->size;
	return 0;
}

static int perfetto_open(struct sink_file *file, const struct recording *recording,
			 struct error *error)
{
	struct perfetto_sink *sink = (struct perfetto_sink *)file;

	if (sink->is_appending && perfetto_target_take(sink, error) < 0)
		return -1;
	if (sink->is_appending && perfetto_examine(sink, recording, error) < 0)
		return -1;
	if (event_head_make(sink, error) < 0)
		return -1;
	sink->has_one_buffer = recording->has_one_buffer;
	sink->seed = text_hash(text_of(recording->id)) ^ sink->sequence_id;
	return perfetto_frame_open(sink, recording, error);
}

static int perfetto_flush(struct sink_file *file, struct error *error)
{
	if (perfetto_groups_open((struct perfetto_sink *)file, error) < 0)
		return -1;
	return writer_flush(&file->writer, error);
}

static int perfetto_complete(struct sink_file *file, struct error *error)
{
	return perfetto_target_complete((struct perfetto_sink *)file, error);
}

static void perfetto_release(struct sink_file *file)
{
	struct perfetto_sink *sink = (struct perfetto_sink *)file;

	perfetto_categories_free(sink);
	perfetto_lives_free(sink);
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

struct sink *sink_perfetto_new(const struct sink_file_settings *settings, struct error *error)
{
	struct sink *sink = sink_file_new(&perfetto_file, settings, error);
	struct perfetto_sink *perfetto = (struct perfetto_sink *)sink;

	if (!sink)
		return NULL;
	perfetto->is_appending = settings->is_appending;
	perfetto->report = settings->report;
	perfetto->sequence_id = 1;
	perfetto->next_iid = OWN_NAME_END;
	return sink;
}

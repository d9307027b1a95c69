// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracks as Perfetto's: below the process or thread that they are about, where that is known, and
 * else below a track of their tracepoint's name.
 */
#include <stdlib.h>
#include <string.h>

#include "sink/identity.h"
#include "sink/perfetto_fields.h"
#include "sink/perfetto_state.h"
#include "sink/proto.h"

/** struct descriptor - one that is being written: the packet, and the message in it */
struct descriptor {
	size_t packet;
	size_t message;
};

static struct descriptor descriptor_begin_in(struct perfetto_sink *sink, size_t packet,
					     uint64_t uuid)
{
	struct descriptor begun = { .packet = packet };

	begun.message = proto_begin(&sink->file.writer.buffer, PACKET_TRACK_DESCRIPTOR);
	proto_number(&sink->file.writer.buffer, DESCRIPTOR_UUID, uuid);
	return begun;
}

static struct descriptor descriptor_begin(struct perfetto_sink *sink, uint64_t uuid)
{
	return descriptor_begin_in(sink, perfetto_packet_begin(sink), uuid);
}

static int descriptor_end(struct perfetto_sink *sink, struct descriptor begun, struct error *error)
{
	proto_end(&sink->file.writer.buffer, begun.message);
	return perfetto_packet_end(sink, begun.packet, error);
}

int perfetto_named_track(struct perfetto_sink *sink, uint64_t uuid, struct text name,
			 uint64_t parent_uuid, struct error *error)
{
	struct descriptor begun = descriptor_begin(sink, uuid);

	proto_text(&sink->file.writer.buffer, DESCRIPTOR_NAME, name);
	if (parent_uuid > 0)
		proto_number(&sink->file.writer.buffer, DESCRIPTOR_PARENT_UUID, parent_uuid);
	proto_number(&sink->file.writer.buffer, DESCRIPTOR_MERGE_BEHAVIOR, MERGE_NONE);
	return descriptor_end(sink, begun, error);
}

static int process_tell(struct perfetto_sink *sink, int pid, const char *name, struct error *error)
{
	struct descriptor begun = descriptor_begin(sink, perfetto_uuid_of(sink, UUID_PROCESS, pid));
	struct buffer *out = &sink->file.writer.buffer;
	size_t process = proto_begin(out, DESCRIPTOR_PROCESS);

	proto_signed(out, PROCESS_PID, pid);
	if (name[0])
		proto_text(out, PROCESS_NAME, text_of(name));
	proto_end(out, process);
	return descriptor_end(sink, begun, error);
}

static int thread_tell(struct perfetto_sink *sink, const struct timeline_track *shown,
		       struct error *error)
{
	int tid = (int)shown->id.signed_number;
	struct descriptor begun = descriptor_begin_in(sink, perfetto_thread_packet_begin(sink),
						      perfetto_uuid_of(sink, UUID_THREAD, tid));
	struct buffer *out = &sink->file.writer.buffer;
	size_t thread = proto_begin(out, DESCRIPTOR_THREAD);

	proto_signed(out, THREAD_PID, shown->tgid);
	proto_signed(out, THREAD_TID, tid);
	if (shown->comm[0])
		proto_text(out, THREAD_NAME, text_of(shown->comm));
	proto_end(out, thread);
	return descriptor_end(sink, begun, error);
}

/* Perfetto's process ids are positive 32-bit numbers; a scope may hold anything. */
static bool is_about_process(const struct timeline_track *shown)
{
	return shown->scope == SCOPE_PROCESS && shown->id.kind == VALUE_SIGNED &&
	       shown->id.signed_number > 0 && shown->id.signed_number <= INT32_MAX;
}

/*
 * Tells what a track is about, and stores the id of that. Without a process there is no thread: a
 * thread that belongs to none would make Perfetto invent one.
 */
static int parent_tell(struct perfetto_sink *sink, const struct timeline_track *shown,
		       const struct perfetto_category *category, uint64_t *uuid,
		       struct error *error)
{
	bool is_main = shown->id.signed_number == shown->tgid;

	if (is_about_process(shown)) {
		*uuid = perfetto_uuid_of(sink, UUID_PROCESS, shown->id.signed_number);
		return process_tell(sink, (int)shown->id.signed_number, shown->comm, error);
	}
	*uuid = category->group_uuid;
	if (shown->scope != SCOPE_THREAD || shown->tgid <= 0)
		return 0;
	*uuid = perfetto_uuid_of(sink, UUID_THREAD, shown->id.signed_number);
	if (process_tell(sink, shown->tgid, is_main ? shown->comm : "", error) < 0)
		return -1;
	return thread_tell(sink, shown, error);
}

static void append_name(struct perfetto_sink *sink, const struct timeline_track *shown,
			bool is_below_task)
{
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	if (is_below_task)
		buffer_append(text, shown->name.data, shown->name.size);
	else
		track_append_label(text, shown);
	proto_text(&sink->file.writer.buffer, DESCRIPTOR_NAME, buffer_text(text));
	buffer_clear(text);
	track_append_identity(text, shown);
	proto_text(&sink->file.writer.buffer, DESCRIPTOR_DESCRIPTION, buffer_text(text));
}

static int track_tell(struct perfetto_sink *sink, const struct timeline_track *shown, uint64_t uuid,
		      const struct perfetto_category *category, struct error *error)
{
	struct buffer *out = &sink->file.writer.buffer;
	struct descriptor begun;
	uint64_t parent_uuid;

	if (parent_tell(sink, shown, category, &parent_uuid, error) < 0)
		return -1;
	begun = descriptor_begin(sink, uuid);
	proto_number(out, DESCRIPTOR_PARENT_UUID, parent_uuid);
	append_name(sink, shown, parent_uuid != category->group_uuid);
	proto_number(out, DESCRIPTOR_MERGE_BEHAVIOR, MERGE_NONE);
	if (shown->kind == TRACK_COUNTER)
		proto_end(out, proto_begin(out, DESCRIPTOR_COUNTER));
	return descriptor_end(sink, begun, error);
}

/* The fields that all events of a track have. */
static int place_make(struct perfetto_sink *sink, struct perfetto_track *track, uint64_t uuid,
		      uint64_t category_iid, struct error *error)
{
	struct buffer *text = &sink->file.text;

	buffer_clear(text);
	proto_number(text, EVENT_TRACK_UUID, uuid);
	proto_number(text, EVENT_CATEGORY_IIDS, category_iid);
	if (text->failed || text->size > PERFETTO_PLACE_SIZE)
		return error_set(error, "out of memory");
	memcpy(track->place, text->data, text->size);
	track->place_size = text->size;
	return 0;
}

int perfetto_track_begin(struct perfetto_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct timeline_track *shown = event->track;
	struct perfetto_category *category = perfetto_category_get(sink, shown->category, error);
	uint64_t uuid = perfetto_uuid_of(sink, UUID_TRACK, shown->number);
	struct perfetto_track *track;

	if (!category)
		return -1;
	track = sink_file_track_new(&sink->file, shown, sizeof(*track), error);
	if (!track || place_make(sink, track, uuid, category->iid, error) < 0)
		return -1;
	return track_tell(sink, shown, uuid, category, error);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Packets of a trace and the messages in them, ids of tracks, interned strings. */
#include "sink/perfetto/state.h"

#include <endian.h>

#include "sink/proto.h"

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

void perfetto_sequence_append(struct buffer *out, const struct perfetto_sequence *sequence,
			      bool is_of_threads)
{
	proto_number(out, PACKET_SEQUENCE_ID, sequence->id + is_of_threads);
	if (sequence->machine_id > 0)
		proto_number(out, PACKET_MACHINE_ID, sequence->machine_id);
}

size_t perfetto_packet_begin(struct perfetto_sink *sink, bool is_of_threads)
{
	size_t packet = proto_begin(&sink->file.out, TRACE_PACKET);

	perfetto_sequence_append(&sink->file.out, sink->sequence, is_of_threads);
	return packet;
}

struct perfetto_message perfetto_message_begin(struct perfetto_sink *sink, unsigned int field)
{
	size_t packet = perfetto_packet_begin(sink, false);

	return (struct perfetto_message){ packet, proto_begin(&sink->file.out, field) };
}

void perfetto_message_end(struct perfetto_sink *sink, struct perfetto_message begun)
{
	proto_end(&sink->file.out, begun.message);
	proto_end(&sink->file.out, begun.packet);
}

void perfetto_string_append(struct buffer *out, enum perfetto_interned_field kind, uint64_t iid,
			    struct text string)
{
	size_t entry = proto_begin(out, kind);

	proto_number(out, ENTRY_IID, iid);
	proto_text(out, ENTRY_NAME, string);
	proto_end(out, entry);
}

uint64_t perfetto_string_intern(struct perfetto_sink *sink, enum perfetto_interned_field kind,
				struct text string)
{
	struct buffer *out = &sink->file.out;
	size_t packet = perfetto_packet_begin(sink, false), data;

	proto_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	data = proto_begin(out, PACKET_INTERNED_DATA);
	perfetto_string_append(out, kind, sink->next_iid, string);
	proto_end(out, data);
	proto_end(out, packet);
	return sink->next_iid++;
}

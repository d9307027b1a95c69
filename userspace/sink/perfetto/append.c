// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds a recording to a trace, which must have the same boot clock. The trace is read before for
 * its clocks and the numbers of its packet sequences. A failure leaves it as it was: all packets
 * go to a temporary file first, and are copied behind the trace when the recording is complete.
 */
#include "sink/perfetto/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/compression.h"

#define COPY_SIZE 65536

int perfetto_target_take(struct perfetto_sink *sink, struct error *error)
{
	struct sink_file *file = &sink->file;
	struct stat about;

	if (fstat(file->fd, &about) < 0)
		return error_set_system(error, errno, "cannot append to %s", file->name);
	sink->is_appending = S_ISREG(about.st_mode);
	if (!sink->is_appending)
		return 0;
	/* Two writers would choose the same packet sequence, and mix their packets. */
	if (flock(file->fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? error_set(error,
					   "%s: another program has locked it; try again when it "
					   "has ended",
					   file->name)
			       : error_set_system(error, errno, "cannot lock %s", file->name);
	sink->target_fd = file->fd;
	sink->is_spooled = true;
	file->fd = file_open_temporary(file->name);
	if (file->fd < 0)
		return error_set_system(
			error, errno,
			"cannot append to %s: no temporary file in its directory or "
			"TMPDIR",
			file->name);
	return 0;
}

static int packets_copy(struct perfetto_sink *sink, struct error *error)
{
	const struct sink_file *file = &sink->file;
	char bytes[COPY_SIZE];
	off_t offset = 0;
	ssize_t size;

	while ((size = file_read_block(file->fd, bytes, sizeof(bytes), offset)) > 0) {
		if (file_write_all(sink->target_fd, bytes, size, NULL) < 0)
			return error_set_system(error, errno, "cannot write to %s", file->name);
		offset += size;
	}
	if (size < 0)
		return error_set_system(error, errno, "cannot read the temporary file for %s",
					file->name);
	return 0;
}

static int packets_append(struct perfetto_sink *sink, struct error *error)
{
	const char *name = sink->file.name;
	struct stat about;

	if (fstat(sink->target_fd, &about) < 0)
		return error_set_system(error, errno, "cannot append to %s", name);
	if (about.st_size != sink->target_size)
		return error_set(error, "%s: another program has changed it; try again", name);
	if (packets_copy(sink, error) == 0)
		return 0;
	if (ftruncate(sink->target_fd, sink->target_size) < 0)
		error_set_system(error, errno, "cannot remove an incomplete addition from %s",
				 name);
	return -1;
}

/* A signal that ended ktrack here would leave a part of the packets. */
void perfetto_target_complete(struct sink_file *file)
{
	struct perfetto_sink *sink = container_of(file, struct perfetto_sink, file);
	sigset_t all, before;

	if (!sink->is_spooled)
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	file->has_failed = packets_append(sink, file->error) < 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Perfetto's service counts from 1; this is far from that, also of packets that are not read. */
#define SEQUENCE_ID_FIRST UINT32_C(0x6b740000)
/* The wall clock is stepped and slewed while the boot clock goes on. */
#define OFFSET_TOLERANCE_NS NS_PER_S
/* Real packets are much smaller. */
#define PACKET_SIZE_MAX (256 * 1024 * 1024)

struct examination {
	FILE *file;
	uint64_t offset; /* in the file */
	struct buffer packet;
	uint64_t sequence_id_max;
	bool has_wall_offset;
	int64_t wall_offset_ns; /* realtime minus boot time, of the last snapshot of both */
	struct error *error;	/* why a packet cannot be decompressed, unless it is damaged */
};

/** struct message_field - one field of a message: a number or bytes */
struct message_field {
	uint64_t field;
	uint64_t number;
	struct text bytes;
};

static bool text_take(struct text *rest, uint64_t size, struct text *out)
{
	if (size > rest->size)
		return false;
	*out = (struct text){ .data = rest->data, .size = size };
	*rest = (struct text){ .data = rest->data + size, .size = rest->size - size };
	return true;
}

static bool varint_take(struct text *rest, uint64_t *number)
{
	struct text byte;

	*number = 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (!text_take(rest, 1, &byte))
			return false;
		*number |= (uint64_t)(byte.data[0] & 0x7f) << shift;
		if (!(byte.data[0] & 0x80))
			return true;
	}
	return false;
}

/* Takes the next field of a message; returns false if the bytes are no field. */
static bool field_take(struct text *rest, struct message_field *out)
{
	uint64_t tag;

	*out = (struct message_field){ 0 };
	if (!varint_take(rest, &tag))
		return false;
	out->field = tag >> 3;
	switch (tag & 7) {
	case 0:
		return varint_take(rest, &out->number);
	case 1:
		return text_take(rest, 8, &out->bytes);
	case 2:
		return varint_take(rest, &out->number) && text_take(rest, out->number, &out->bytes);
	case 5:
		return text_take(rest, 4, &out->bytes);
	default:
		return false;
	}
}

static bool clock_message_read(struct text message, uint64_t *id, uint64_t *time_ns)
{
	struct message_field field;

	*id = *time_ns = 0;
	while (message.size > 0) {
		if (!field_take(&message, &field))
			return false;
		if (field.field == CLOCK_ID)
			*id = field.number;
		if (field.field == CLOCK_TIMESTAMP)
			*time_ns = field.number;
	}
	return true;
}

static bool snapshot_read(struct examination *examination, struct text message)
{
	uint64_t id, time_ns, boot_ns = 0, wall_ns = 0;
	struct message_field field;

	while (message.size > 0) {
		if (!field_take(&message, &field))
			return false;
		if (field.field != SNAPSHOT_CLOCKS)
			continue;
		if (!clock_message_read(field.bytes, &id, &time_ns))
			return false;
		if (id == CLOCK_BOOTTIME_ID)
			boot_ns = time_ns;
		if (id == CLOCK_REALTIME_ID)
			wall_ns = time_ns;
	}
	if (boot_ns > 0 && wall_ns > 0) {
		examination->has_wall_offset = true;
		examination->wall_offset_ns = (int64_t)(wall_ns - boot_ns);
	}
	return true;
}

/* Reads a packet. Packets that were compressed together contain no compressed ones. */
static bool packet_read(struct examination *examination, struct text rest, bool is_compressed)
{
	struct message_field field;
	bool is_well = true;

	while (is_well && rest.size > 0) {
		SCOPED_BUFFER(content);
		struct text packets;

		is_well = field_take(&rest, &field);
		if (!is_well)
			break;
		if (field.field == PACKET_SEQUENCE_ID &&
		    field.number > examination->sequence_id_max)
			examination->sequence_id_max = field.number;
		if (field.field == PACKET_CLOCK_SNAPSHOT)
			is_well = snapshot_read(examination, field.bytes);
		else if (field.field == PACKET_ZLIB_PACKETS && !is_compressed)
			is_well = decompress_zlib(&content, field.bytes, PACKET_SIZE_MAX);
		else if (field.field == PACKET_ZSTD_PACKETS && !is_compressed)
			is_well = decompress_zstd(&content, field.bytes, PACKET_SIZE_MAX,
						  examination->error);
		packets = buffer_text(&content);
		while (is_well && packets.size > 0)
			is_well = field_take(&packets, &field) && field.field == TRACE_PACKET &&
				  packet_read(examination, field.bytes, true);
	}
	return is_well;
}

static bool size_get(FILE *file, uint64_t *size)
{
	int byte;

	*size = 0;
	for (unsigned int shift = 0; shift < 35; shift += 7) {
		byte = getc(file);
		if (byte == EOF)
			return false;
		*size |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return *size <= PACKET_SIZE_MAX;
	}
	return false;
}

/* Reads the packet after its tag; returns false if it is incomplete. */
static bool packet_get(struct examination *examination)
{
	struct buffer *packet = &examination->packet;
	uint64_t size;
	char *bytes;

	if (!size_get(examination->file, &size))
		return false;
	buffer_clear(packet);
	bytes = buffer_reserve(packet, size);
	if (!bytes || fread(bytes, 1, size, examination->file) != size)
		return false;
	packet->size = size;
	return packet_read(examination, buffer_text(packet), false);
}

static int trace_read(struct examination *examination, const char *name, struct error *error)
{
	int tag;

	while ((tag = getc(examination->file)) != EOF) {
		if (tag != (TRACE_PACKET << 3 | 2) || !packet_get(examination))
			return error_set(error,
					 "%s: not a Perfetto trace from byte %" PRIu64
					 " on; append to a complete trace",
					 name, examination->offset);
		examination->offset = ftell(examination->file);
	}
	if (ferror(examination->file))
		return error_set_system(error, errno, "cannot read %s", name);
	return 0;
}

static int clocks_compare(const struct examination *examination, const struct recording *recording,
			  const char *name, struct error *error)
{
	int64_t difference_ns;

	if (strcmp(recording->clock, "boot") != 0)
		return error_set(error,
				 "%s: the recording has the clock %s; only recordings with the "
				 "boot clock can be appended",
				 name, recording->clock);
	if (strcmp(recording->time_source, "none") == 0)
		return error_set(error,
				 "%s: the recording has no wall clock to compare boots; give "
				 "--wall-clock=TIME",
				 name);
	if (!examination->has_wall_offset)
		return error_set(error,
				 "%s: the trace has no snapshot of boot clock and wall clock; "
				 "write to another file",
				 name);
	if (__builtin_sub_overflow(recording->wall_offset_ns, examination->wall_offset_ns,
				   &difference_ns) ||
	    difference_ns > OFFSET_TOLERANCE_NS || difference_ns < -OFFSET_TOLERANCE_NS)
		return error_set(error, "%s: the trace is of another boot; write to another file",
				 name);
	return 0;
}

static int trace_examine(struct examination *examination, struct perfetto_sink *sink,
			 const struct recording *recording, struct error *error)
{
	const char *name = sink->file.name;

	if (trace_read(examination, name, error) < 0)
		return -1;
	sink->is_appending = examination->offset > 0;
	if (!sink->is_appending)
		return 0;
	if (clocks_compare(examination, recording, name, error) < 0)
		return -1;
	if (examination->sequence_id_max > UINT32_MAX - 2 * (1 + recording->nr_machines))
		return error_set(error,
				 "%s: the trace has no packet sequence left; write to another file",
				 name);
	sink->sequence_id = (uint32_t)examination->sequence_id_max + 1;
	return 0;
}

int perfetto_examine(struct perfetto_sink *sink, const struct recording *recording,
		     struct error *error)
{
	struct examination examination = { .sequence_id_max = SEQUENCE_ID_FIRST, .error = error };
	const char *name = sink->file.name;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), status;
	struct stat one, other;

	if (fd < 0 || fstat(fd, &one) < 0 || fstat(sink->target_fd, &other) < 0) {
		error_set_system(error, errno, "cannot read %s", name);
		file_close(fd);
		return -1;
	}
	if (one.st_dev != other.st_dev || one.st_ino != other.st_ino) {
		close(fd);
		return error_set(error, "%s: it was replaced by another file; try again", name);
	}
	sink->target_size = other.st_size;
	examination.file = fdopen(fd, "r");
	if (!examination.file) {
		close(fd);
		return error_set(error, "out of memory");
	}
	status = trace_examine(&examination, sink, recording, error);
	fclose(examination.file);
	buffer_release(&examination.packet);
	return status;
}

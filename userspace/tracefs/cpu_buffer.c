// SPDX-License-Identifier: GPL-2.0-only
/* Reads the ring buffer of one CPU, and what the kernel counts of it. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tracefs/reader.h"

/* The result of reading; the buffer of a CPU that was never online does not exist. */
static ssize_t buffer_result(struct cpu_buffer *buffer, ssize_t size, struct error *error)
{
	buffer->is_absent = size < 0 && errno == ENODEV;
	if (size < 0 && (errno == EAGAIN || errno == ENODEV))
		return 0;
	if (size < 0)
		return error_set_system(error, errno, "cannot read the ring buffer of cpu %d",
					buffer->cpu);
	buffer->has_read |= size > 0;
	return size;
}

ssize_t cpu_buffer_read(struct cpu_buffer *buffer, void *bytes, struct error *error)
{
	ssize_t size;

	if (buffer->sub_buffers_left == 0)
		return 0;
	size = TEMP_FAILURE_RETRY(read(buffer->fd, bytes, buffer->sub_buffer_size));
	size = buffer_result(buffer, size, error);
	buffer->sub_buffers_left -= size > 0;
	return size;
}

ssize_t cpu_buffer_splice(struct cpu_buffer *buffer, int pipe_fd, size_t size, struct error *error)
{
	uint64_t most = size / buffer->sub_buffer_size;
	ssize_t moved;

	if (most > buffer->sub_buffers_left)
		most = buffer->sub_buffers_left;
	if (most == 0)
		return 0;
	moved = TEMP_FAILURE_RETRY(splice(buffer->fd, NULL, pipe_fd, NULL,
					  most * buffer->sub_buffer_size,
					  SPLICE_F_MOVE | SPLICE_F_NONBLOCK));
	moved = buffer_result(buffer, moved, error);
	if (moved > 0)
		buffer->sub_buffers_left -= moved / buffer->sub_buffer_size;
	return moved;
}

int cpu_buffer_statistics(const struct cpu_buffer *buffer, struct statistics *out,
			  struct error *error)
{
	if (!buffer->is_frozen)
		return statistics_load(out, buffer->statistics_fd, buffer->cpu, error);
	*out = buffer->after;
	return 0;
}

int cpu_buffer_account(const struct cpu_buffer *buffer, struct statistics *out, struct error *error)
{
	const struct statistics *before = &buffer->before, *forgotten = &buffer->forgotten;

	if (cpu_buffer_statistics(buffer, out, error) < 0)
		return -1;
	if (before->read > 0) {
		out->overwritten = statistics_since(out->overwritten, before->overwritten);
		out->dropped = statistics_since(out->dropped, before->dropped);
		out->read = statistics_since(out->read, before->read);
	}
	out->overwritten += forgotten->overwritten;
	out->dropped += forgotten->dropped;
	out->read += forgotten->read;
	return 0;
}

/* The kernel does not empty the buffers of CPUs that are offline, nor reset their counts. */
bool cpu_buffer_forget(struct cpu_buffer *buffer, uint64_t overwritten)
{
	struct statistics *settled = &buffer->settled, now;
	struct error ignored = { 0 };

	if (cpu_buffer_statistics(buffer, &now, &ignored) == 0 && now.read == settled->read &&
	    now.overwritten == settled->overwritten && now.overwritten >= overwritten)
		return false;
	buffer->forgotten.overwritten += settled->overwritten;
	buffer->forgotten.dropped += settled->dropped;
	buffer->forgotten.read += settled->read;
	*settled = (struct statistics){ 0 };
	return true;
}

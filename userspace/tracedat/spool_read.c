// SPDX-License-Identifier: GPL-2.0-only
/* Moves sub-buffers from ring buffers to files without parsing them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/spool.h"
#include "tracedat/spool_entry.h"

/* Rounds over all CPUs in one call; a fast writer must not keep it from returning. */
#define ROUNDS_MAX 64

static int spool_file_create(struct spool *spool, struct spool_file *file, struct error *error)
{
	char name[SPOOL_NAME_SIZE];

	spool_cpu_name(name, file->cpu, file->is_sideband);
	file->fd = spool_entry_create(&spool->folder, name, error);
	return file->fd < 0 ? -1 : 0;
}

/* Gives a ring buffer its file, which an earlier run may have created. */
static int spool_file_attach(struct spool *spool, struct cpu_buffer *buffer, struct error *error)
{
	struct spool_file *file = spool_file_find(spool, buffer->cpu, buffer->is_sideband);

	if (!file)
		file = spool_file_add(spool, buffer->cpu, buffer->is_sideband, error);
	if (!file)
		return -1;
	file->buffer = buffer;
	return file->fd < 0 ? spool_file_create(spool, file, error) : 0;
}

int spool_attach_directory(struct spool *spool, const char *directory, const char *sideband,
			   struct error *error)
{
	if (instance_files_open(&spool->instance, directory, sideband, error) < 0 ||
	    buffer_reader_open(&spool->reader, directory, sideband, error) < 0)
		return -1;
	for (size_t i = 0; i < spool->reader->size; i++) {
		if (spool_file_attach(spool, &spool->reader->list[i], error) < 0)
			return -1;
	}
	return 0;
}

int spool_attach(struct spool *spool, const struct instance *instance, struct error *error)
{
	const struct instance *sideband = instance_sideband(instance);

	return spool_attach_directory(spool, instance_directory(instance),
				      sideband ? instance_directory(sideband) : NULL, error);
}

void spool_wait(const struct spool *spool, int also_fd, int timeout_ms)
{
	if (spool->programs && programs_wait_ms(spool->programs) < timeout_ms)
		timeout_ms = programs_wait_ms(spool->programs);
	if (!spool->reader) {
		spool_wait_programs(spool, also_fd, timeout_ms);
		return;
	}
	spool->reader->is_held = spool->origin.mode->is_read_at_end;
	buffer_reader_wait(spool->reader, also_fd, timeout_ms, 0);
}

/* Some filesystems need a copy. */
static ssize_t pipe_move(const struct spool_pipe *pipe, const struct spool_file *file, size_t size)
{
	ssize_t moved = splice(pipe->fds[0], NULL, file->fd, NULL, size, SPLICE_F_MOVE);

	if (moved >= 0 || errno != EINVAL)
		return moved;
	moved = read(pipe->fds[0], pipe->page, size < pipe->page_size ? size : pipe->page_size);
	if (moved > 0 && file_write_all(file->fd, (const char *)pipe->page, moved, NULL) < 0)
		return -1;
	return moved;
}

static int pipe_empty(struct spool *spool, struct spool_file *file, size_t size,
		      struct error *error)
{
	while (size > 0) {
		ssize_t moved = pipe_move(&spool->pipe, file, size);

		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return spool_file_fail(spool, file, error);
		file->size += moved;
		size -= moved;
	}
	return 0;
}

/* Moves full sub-buffers; returns 1 if there were some, 0 if not, -1 with @error. */
static int spool_file_splice(struct spool *spool, struct spool_file *file, struct error *error)
{
	ssize_t size;

	if (!file->buffer)
		return 0;
	size = cpu_buffer_splice(file->buffer, spool->pipe.fds[1], spool->pipe.size, error);
	if (size < 0)
		spool->folder.is_kept = true;
	if (size <= 0)
		return size;
	return pipe_empty(spool, file, size, error) < 0 ? -1 : 1;
}

int spool_read(struct spool *spool, struct error *error)
{
	int moved = 1;

	if (spool_read_programs(spool, error) < 0)
		return -1;
	for (int round = 0; moved && round < ROUNDS_MAX; round++) {
		moved = 0;
		for (size_t i = 0; i < spool->nr_files; i++) {
			struct spool_file *file = &spool->files[i];
			int status = spool_file_is_deferred(spool, file)
					     ? 0
					     : spool_file_splice(spool, file, error);

			if (status < 0)
				return -1;
			moved |= status;
		}
	}
	return 0;
}

/* Copies the sub-buffer that is not full; returns as spool_file_splice(). */
static int spool_file_copy(struct spool *spool, struct spool_file *file, struct error *error)
{
	const struct spool_pipe *pipe = &spool->pipe;
	ssize_t size;

	if (!file->buffer)
		return 0;
	size = cpu_buffer_read(file->buffer, pipe->page, error);
	if (size < 0)
		spool->folder.is_kept = true;
	if (size <= 0)
		return size;
	memset(pipe->page + size, 0, pipe->page_size - size);
	if (file_write_all(file->fd, (const char *)pipe->page, pipe->page_size, NULL) < 0)
		return spool_file_fail(spool, file, error);
	file->size += pipe->page_size;
	return 1;
}

static int spool_file_read_rest(struct spool *spool, struct spool_file *file, uint64_t total,
				struct error *error)
{
	int status;

	do {
		uint64_t before = file->size;

		status = spool_file_splice(spool, file, error);
		byte_progress_add(spool->progress, file->size - before, total);
	} while (status > 0);
	if (status < 0)
		return -1;
	do {
		status = spool_file_copy(spool, file, error);
	} while (status > 0);
	return status;
}

int spool_read_rest(struct spool *spool, struct error *error)
{
	struct buffer_counts counts = { 0 };

	if (spool->progress) {
		spool_count(spool, &counts);
		spool->progress->done = 0;
	}
	for (size_t i = 0; i < spool->nr_files; i++) {
		if (spool_file_read_rest(spool, &spool->files[i], counts.held_bytes, error) < 0)
			return -1;
	}
	return spool_read_rest_of_programs(spool, error);
}

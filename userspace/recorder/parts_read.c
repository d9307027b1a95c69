// SPDX-License-Identifier: GPL-2.0-only
/* Moves records from ring buffers to files, without looking at them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/parts.h"

/* In one go; a writer that is faster than us is not to keep us from the other CPUs, nor for ever.
 */
#define ROUNDS_MAX 64

static int files_open(struct part *part, const char *directory, struct error *error)
{
	part->raw_fd = cpu_file_open(directory, part->cpu, "trace_pipe_raw", O_RDONLY | O_NONBLOCK,
				     error);
	if (part->raw_fd < 0)
		return -1;
	part->statistics_fd = statistics_open(directory, part->cpu, error);
	return part->statistics_fd < 0 ? -1 : 0;
}

static int part_create(struct parts *parts, struct part *part, struct error *error)
{
	char name[PART_NAME_SIZE];

	part_name(part, name);
	part->fd = parts_create(parts, name, error);
	return part->fd < 0 ? -1 : 0;
}

static struct part *part_find(struct parts *parts, int cpu, bool is_durable)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		if (parts->list[i].cpu == cpu && parts->list[i].is_durable == is_durable)
			return &parts->list[i];
	}
	return NULL;
}

static int entry_attach(struct parts *parts, const char *directory, const char *entry,
			bool is_durable, struct error *error)
{
	struct part *part;
	char rest;
	int cpu;

	if (sscanf(entry, "cpu%d%c", &cpu, &rest) != 1)
		return 0;
	part = part_find(parts, cpu, is_durable);
	if (!part)
		part = parts_add(parts, cpu, is_durable, error);
	if (!part || (part->fd < 0 && part_create(parts, part, error) < 0))
		return -1;
	return files_open(part, directory, error);
}

static int entries_attach(struct parts *parts, const char *directory, bool is_durable,
			  struct error *error)
{
	struct dirent **entries;
	struct buffer path = { 0 };
	int size, status = 0;

	buffer_printf(&path, "%s/per_cpu", directory);
	size = scandir(buffer_string(&path), &entries, NULL, versionsort);
	if (size < 0)
		status = error_set_system(error, errno, "cannot read %s", buffer_string(&path));
	for (int i = 0; i < size; i++) {
		if (status == 0)
			status = entry_attach(parts, directory, entries[i]->d_name, is_durable,
					      error);
		free(entries[i]);
	}
	if (size >= 0)
		free(entries);
	buffer_release(&path);
	return status;
}

int instance_attach(struct parts *parts, const char *directory, const char *durable,
		    struct error *error)
{
	if (sight_open(&parts->sight, directory, error) < 0 ||
	    entries_attach(parts, directory, false, error) < 0)
		return -1;
	if (!durable)
		return 0;
	parts->durable = strdup(durable);
	return parts->durable ? entries_attach(parts, durable, true, error)
			      : error_set(error, "out of memory");
}

int parts_attach(struct parts *parts, const struct recorder *recorder, struct error *error)
{
	const struct recorder *durable = recorder_durable(recorder);

	return instance_attach(parts, recorder_directory(recorder),
			       durable ? recorder_directory(durable) : NULL, error);
}

/* What nobody reads before recording is off. */
static bool part_is_left(const struct parts *parts, const struct part *part)
{
	return parts->mode->is_read_at_end && !part->is_durable;
}

/*
 * A CPU that never was online must not be polled: kernels up to 6.1 answer with an error number,
 * which says that everything has happened. One that has written something was.
 */
void parts_wait(const struct parts *parts, int also_fd, int timeout_ms)
{
	struct pollfd *polls = calloc(parts->nr_parts + 1, sizeof(*polls));
	size_t nr_polls = 0;

	for (size_t i = 0; polls && i < parts->nr_parts; i++) {
		const struct part *part = &parts->list[i];

		if (part->size > 0 && !part_is_left(parts, part))
			polls[nr_polls++] = (struct pollfd){ .fd = part->raw_fd, .events = POLLIN };
	}
	if (polls)
		polls[nr_polls++] = (struct pollfd){ .fd = also_fd, .events = POLLIN };
	poll(polls, nr_polls, timeout_ms);
	free(polls);
}

static int part_fail(struct parts *parts, const struct part *part, struct error *error)
{
	int number = errno;
	char name[PART_NAME_SIZE];

	part_name(part, name);
	return parts_fail(parts, number, name, error);
}

/* The buffer of a CPU that was not online yet does not exist. */
static int raw_result(struct parts *parts, struct part *part, ssize_t size, struct error *error)
{
	if (size >= 0)
		return size > 0;
	if (errno == EAGAIN || errno == ENODEV)
		return 0;
	parts->is_kept = true;
	return error_set_system(error, errno, "cannot read the ring buffer of cpu %d", part->cpu);
}

/* Not every filesystem takes what is not copied. */
static ssize_t pipe_move(struct parts *parts, struct part *part, size_t size)
{
	ssize_t moved = splice(parts->pipe[0], NULL, part->fd, NULL, size, SPLICE_F_MOVE);

	if (moved >= 0 || errno != EINVAL)
		return moved;
	moved = read(parts->pipe[0], parts->page,
		     size < parts->page_size ? size : parts->page_size);
	if (moved > 0 && file_write_all(part->fd, (const char *)parts->page, moved, NULL) < 0)
		return -1;
	return moved;
}

static int pipe_empty(struct parts *parts, struct part *part, size_t size, struct error *error)
{
	while (size > 0) {
		ssize_t moved = pipe_move(parts, part, size);

		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return part_fail(parts, part, error);
		part->size += moved;
		part->left -= moved;
		size -= moved;
	}
	return 0;
}

/* Whole sub-buffers go without being copied; returns 1 where there were some, -1 with @error. */
static int part_splice(struct parts *parts, struct part *part, struct error *error)
{
	size_t most = part->left < parts->pipe_size ? part->left : parts->pipe_size;
	ssize_t size;
	int status;

	if (part->raw_fd < 0 || most < parts->page_size)
		return 0;
	size = TEMP_FAILURE_RETRY(splice(part->raw_fd, NULL, parts->pipe[1], NULL, most,
					 SPLICE_F_MOVE | SPLICE_F_NONBLOCK));
	status = raw_result(parts, part, size, error);
	if (status <= 0)
		return status;
	return pipe_empty(parts, part, size, error) < 0 ? -1 : 1;
}

int parts_read(struct parts *parts, struct error *error)
{
	int moved = 1;

	for (int round = 0; moved && round < ROUNDS_MAX; round++) {
		moved = 0;
		for (size_t i = 0; i < parts->nr_parts; i++) {
			struct part *part = &parts->list[i];
			int status = part_is_left(parts, part) ? 0
							       : part_splice(parts, part, error);

			if (status < 0)
				return -1;
			moved |= status;
		}
	}
	return 0;
}

/* The sub-buffer that is not full; returns as part_splice(). */
static int part_read_rest(struct parts *parts, struct part *part, struct error *error)
{
	ssize_t size;
	int status;

	if (part->raw_fd < 0 || part->left < parts->page_size)
		return 0;
	size = TEMP_FAILURE_RETRY(read(part->raw_fd, parts->page, parts->page_size));
	status = raw_result(parts, part, size, error);
	if (status <= 0)
		return status;
	memset(parts->page + size, 0, parts->page_size - size);
	if (file_write_all(part->fd, (const char *)parts->page, parts->page_size, NULL) < 0)
		return part_fail(parts, part, error);
	part->size += parts->page_size;
	part->left -= parts->page_size;
	return 1;
}

int parts_read_rest(struct parts *parts, struct error *error)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];
		int status = 1;

		while (status > 0)
			status = part_splice(parts, part, error);
		status = status < 0 ? -1 : 1;
		while (status > 0)
			status = part_read_rest(parts, part, error);
		if (status < 0)
			return -1;
	}
	return 0;
}

void parts_keep(struct parts *parts)
{
	for (size_t i = 0; i < parts->nr_parts; i++)
		parts->list[i].kept = parts->list[i].size;
}

int parts_rewind(struct parts *parts, struct error *error)
{
	for (size_t i = 0; i < parts->nr_parts; i++) {
		struct part *part = &parts->list[i];

		if (part->size == part->kept)
			continue;
		if (ftruncate(part->fd, part->kept) < 0 ||
		    lseek(part->fd, part->kept, SEEK_SET) < 0)
			return part_fail(parts, part, error);
		part->left += part->size - part->kept;
		part->size = part->kept;
	}
	return 0;
}

uint64_t parts_size(const struct parts *parts)
{
	uint64_t size = 0;

	for (size_t i = 0; i < parts->nr_parts; i++)
		size += parts->list[i].size;
	return size;
}

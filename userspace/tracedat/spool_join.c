// SPDX-License-Identifier: GPL-2.0-only
/* Writes, verifies, syncs and publishes the trace.dat of a spool, in this order. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/spool.h"
#include "tracedat/spool_entry.h"
#include "tracedat/writer.h"

static int stream_verify(struct stream *stream, struct error *error)
{
	struct loss ignored;

	for (;;) {
		if (stream_fill(stream, error) < 0)
			return -1;
		if (!stream->has_next)
			return 0;
		stream_take_gap(stream, &ignored);
		while (stream_advance(stream))
			;
	}
}

static int trace_file_verify(struct trace_file *file, struct error *error)
{
	size_t nr_streams;
	struct stream *streams = trace_file_streams(file, &nr_streams);

	for (size_t i = 0; i < nr_streams; i++) {
		if (stream_verify(&streams[i], error) < 0)
			return -1;
		trace_file_statistics(file, &streams[i]);
	}
	trace_file_finish(file);
	return 0;
}

/* Returns 1 with @error if the file can be opened, but not read completely. */
static int joined_read(const struct spool *spool, const char *path, struct error *error)
{
	struct trace_file *file;
	int status = 0;

	if (trace_file_open(&file, path, NULL, error) < 0)
		return -1;
	if (spool->progress)
		spool->progress->done = 0;
	trace_file_set_progress(file, spool->progress);
	/* Records that the kernel delivered just now need no check. */
	if (spool->is_recovered)
		status = trace_file_verify(file, error);
	if (status == 0 && trace_file_damage(file))
		status = error_set(error, "%s", trace_file_damage(file));
	trace_file_close(file);
	return status < 0 ? 1 : 0;
}

/* An error's problem, without its object @path and its remedy. */
static struct text error_problem(const char *path, const struct error *error)
{
	const char *problem = error->text;
	size_t size = strlen(path);

	if (strncmp(problem, path, size) == 0 && strncmp(problem + size, ": ", 2) == 0)
		problem += size + 2;
	return (struct text){ .data = problem, .size = strcspn(problem, ";") };
}

/* Reads the file with its owner's rights. Returns as joined_read(). */
static int joined_verify(const struct spool *spool, int fd, struct error *error)
{
	const struct spool_folder *folder = &spool->folder;
	struct error reason = { 0 };
	struct text problem;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (owner_begin(&folder->owner) < 0)
		return error_set_system(error, errno, "cannot act as user %u", folder->owner.user);
	status = joined_read(spool, path, &reason);
	owner_end(&folder->owner);
	problem = error_problem(path, &reason);
	if (status < 0)
		error_set(error,
			  "%s: the recording cannot be read (%.*s); the raw records are kept in "
			  "%s, remove them if 'ktrack recover %s' fails again",
			  folder->target, (int)problem.size, problem.data, folder->path,
			  folder->target);
	if (status > 0)
		error_set(error,
			  "%s: written, but not all of it can be read (%.*s); the raw records are "
			  "kept in %s, remove them yourself",
			  folder->target, (int)problem.size, problem.data, folder->path);
	return status;
}

static int joined_fill(struct spool *spool, int fd, struct error *error)
{
	int status;

	if (writer_write(spool, fd, error) < 0)
		return -1;
	status = joined_verify(spool, fd, error);
	if (status >= 0 && file_sync(fd) < 0)
		return spool_entry_fail(&spool->folder, errno, SPOOL_JOINED, error);
	return status;
}

void spool_set_progress(struct spool *spool, struct byte_progress *progress)
{
	spool->progress = progress;
}

int spool_join(struct spool *spool, struct error *error)
{
	struct spool_folder *folder = &spool->folder;
	int fd = spool_folder_open_joined(folder, error);
	int status;

	if (fd < 0)
		return -1;
	folder->is_kept = true;
	if (spool->progress)
		spool->progress->done = 0;
	status = joined_fill(spool, fd, error);
	close(fd);
	if (status >= 0 && spool_folder_publish(folder, error) < 0)
		status = -1;
	if (status < 0)
		spool_folder_remove_joined(folder);
	if (status == 0)
		folder->is_kept = false;
	return status == 0 ? 0 : -1;
}

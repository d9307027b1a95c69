// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds a recording to a trace so that a failure leaves the trace as it was: all packets go to a
 * temporary file first, and are copied behind the trace when the recording is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/perfetto_state.h"

#define COPY_SIZE 65536

static int temporary_open_in(const char *folder)
{
	return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int temporary_open_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct buffer folder = { 0 };
	int fd;

	buffer_append_string(&folder, slash ? "" : ".");
	if (slash)
		buffer_append(&folder, path, slash - path + 1);
	fd = folder.failed ? -1 : temporary_open_in(buffer_string(&folder));
	buffer_release(&folder);
	return fd;
}

/* Beside the trace, where there is space for it; else where temporary files go. */
static int temporary_open(const char *path)
{
	const char *folder = getenv("TMPDIR");
	int fd = temporary_open_beside(path);

	if (fd < 0)
		fd = temporary_open_in(folder && *folder ? folder : "/tmp");
	return fd;
}

/* Two that add at once would choose the same packet sequence, and mix their packets. */
static int target_lock(int fd, const char *name, struct error *error)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return error_set(error, "cannot add to %s: another program has locked it", name);
	return error_set_system(error, errno, "cannot lock %s", name);
}

int perfetto_target_take(struct perfetto_sink *sink, struct error *error)
{
	struct writer *writer = &sink->file.writer;
	struct stat about;

	if (fstat(writer->fd, &about) < 0)
		return error_set_system(error, errno, "cannot add to %s", writer->name);
	sink->is_appending = S_ISREG(about.st_mode);
	if (!sink->is_appending)
		return 0;
	if (target_lock(writer->fd, writer->name, error) < 0)
		return -1;
	sink->target_fd = writer->fd;
	sink->is_spooled = true;
	writer->fd = temporary_open(writer->name);
	if (writer->fd < 0)
		return error_set_system(error, errno,
					"cannot add to %s: no temporary file in its directory or "
					"TMPDIR",
					writer->name);
	return 0;
}

FILE *perfetto_target_read(struct perfetto_sink *sink, struct error *error)
{
	const char *name = sink->file.writer.name;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat one, other;
	FILE *file;

	if (fd < 0 || fstat(fd, &one) < 0 || fstat(sink->target_fd, &other) < 0) {
		error_set_system(error, errno, "cannot read %s", name);
		file_close(fd);
		return NULL;
	}
	if (one.st_dev != other.st_dev || one.st_ino != other.st_ino) {
		error_set(error, "cannot add to %s: it was replaced by another file", name);
		close(fd);
		return NULL;
	}
	sink->target_size = other.st_size;
	file = fdopen(fd, "r");
	if (!file) {
		error_set(error, "out of memory");
		close(fd);
	}
	return file;
}

static int packets_copy(struct perfetto_sink *sink, struct error *error)
{
	const struct writer *writer = &sink->file.writer;
	char bytes[COPY_SIZE];
	off_t offset = 0;
	ssize_t size;

	while ((size = pread(writer->fd, bytes, sizeof(bytes), offset)) > 0) {
		if (file_write_all(sink->target_fd, bytes, size, NULL) < 0)
			return error_set_system(error, errno, "cannot write to %s", writer->name);
		offset += size;
	}
	if (size < 0)
		return error_set_system(error, errno, "cannot read back what is added to %s",
					writer->name);
	return 0;
}

static int packets_append(struct perfetto_sink *sink, struct error *error)
{
	const char *name = sink->file.writer.name;
	struct stat about;

	if (fstat(sink->target_fd, &about) < 0)
		return error_set_system(error, errno, "cannot add to %s", name);
	if (about.st_size != sink->target_size)
		return error_set(error, "cannot add to %s: another program has changed it", name);
	if (packets_copy(sink, error) == 0)
		return 0;
	if (ftruncate(sink->target_fd, sink->target_size) < 0)
		error_set_system(error, errno, "cannot remove what was added to %s", name);
	return -1;
}

/* A signal that ended ktrack here would leave a part of the packets. */
int perfetto_target_complete(struct perfetto_sink *sink, struct error *error)
{
	sigset_t all, before;
	int status;

	if (!sink->is_spooled)
		return 0;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	status = packets_append(sink, error);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

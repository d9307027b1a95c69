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

#include "sink/perfetto/state.h"

#define COPY_SIZE 65536

/* Two writers would choose the same packet sequence, and mix their packets. */
static int target_lock(int fd, const char *name, struct error *error)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return error_set(error,
				 "%s: another program has locked it; try again when it has ended",
				 name);
	return error_set_system(error, errno, "cannot lock %s", name);
}

int perfetto_target_take(struct perfetto_sink *sink, struct error *error)
{
	struct sink_file *file = &sink->file;
	struct stat about;

	if (fstat(file->fd, &about) < 0)
		return error_set_system(error, errno, "cannot append to %s", file->name);
	sink->is_appending = S_ISREG(about.st_mode);
	if (!sink->is_appending)
		return 0;
	if (target_lock(file->fd, file->name, error) < 0)
		return -1;
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

FILE *perfetto_target_read(struct perfetto_sink *sink, struct error *error)
{
	const char *name = sink->file.name;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat one, other;
	FILE *file;

	if (fd < 0 || fstat(fd, &one) < 0 || fstat(sink->target_fd, &other) < 0) {
		error_set_system(error, errno, "cannot read %s", name);
		file_close(fd);
		return NULL;
	}
	if (one.st_dev != other.st_dev || one.st_ino != other.st_ino) {
		error_set(error, "%s: it was replaced by another file; try again", name);
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

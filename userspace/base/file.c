// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads and writes that do not stop half-way. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_SIZE 4096

/* How long to wait where nothing can be waited for. */
#define MOMENT_MS 10

/* Goes on where the last read ended, or begins at the beginning. */
static int descriptor_read(int fd, bool is_anew, struct buffer *out)
{
	size_t before = out->size;

	for (;;) {
		char *room = buffer_reserve(out, READ_SIZE);
		ssize_t size;

		if (!room) {
			errno = ENOMEM;
			return -1;
		}
		size = is_anew ? pread(fd, room, READ_SIZE, out->size - before)
			       : read(fd, room, READ_SIZE);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return size < 0 ? -1 : 0;
		out->size += size;
	}
}

int file_read(const char *path, struct buffer *out)
{
	return file_read_at(AT_FDCWD, path, out);
}

int file_read_anew(int fd, struct buffer *out)
{
	return descriptor_read(fd, true, out);
}

int file_read_at(int directory_fd, const char *name, struct buffer *out)
{
	int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC);
	int status, number;

	if (fd < 0)
		return -1;
	status = descriptor_read(fd, false, out);
	number = errno;
	close(fd);
	errno = number;
	return status;
}

int file_sync(int fd)
{
	if (fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOSYS)
		return 0;
	return -1;
}

void file_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int file_open_in(const char *directory, const char *name, int flags, struct error *error)
{
	struct buffer path = { 0 };
	int fd;

	buffer_printf(&path, "%s/%s", directory, name);
	fd = open(buffer_string(&path), flags | O_CLOEXEC);
	if (fd < 0)
		error_set_system(error, errno, "cannot open %s", buffer_string(&path));
	buffer_release(&path);
	return fd;
}

int file_await(const struct file_wait *wait, int fd)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };

	if (wait && wait->wait)
		return wait->wait(wait->context, fd);
	poll(&writable, 1, fd < 0 ? MOMENT_MS : -1);
	return 0;
}

static bool is_fifo(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

int file_open_unblocked(const char *path, int flags, mode_t mode, const struct file_wait *wait)
{
	int fd;

	do {
		fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
		if (fd >= 0 || errno != ENXIO)
			return fd;
		if (!is_fifo(path)) {
			errno = ENXIO;
			return -1;
		}
	} while (file_await(wait, -1) == 0);
	return -1;
}

int file_write_all(int fd, const char *data, size_t size, const struct file_wait *wait)
{
	while (size > 0) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno == EAGAIN && file_await(wait, fd) == 0)
			continue;
		if (written < 0)
			return -1;
		data += written;
		size -= written;
	}
	return 0;
}

void file_read_boot_id(struct buffer *out)
{
	struct buffer id = { 0 };

	if (file_read("/proc/sys/kernel/random/boot_id", &id) == 0)
		buffer_append(out, id.data, id.size);
	buffer_release(&id);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads and writes whole files; short reads, short writes and EINTR are handled here. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_SIZE 4096
/* Time between two tries if no descriptor can be polled. */
#define RETRY_MS 10

const char *path_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Reads from the current position; with pread() from the beginning if @is_anew. */
static int descriptor_read(int fd, bool is_anew, size_t size_max, struct buffer *out)
{
	size_t before = out->size;

	while (out->size - before <= size_max) {
		char *space = buffer_reserve(out, READ_SIZE);
		ssize_t size;

		if (!space) {
			errno = ENOMEM;
			return -1;
		}
		size = is_anew ? pread(fd, space, READ_SIZE, out->size - before)
			       : read(fd, space, READ_SIZE);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return size < 0 ? -1 : 0;
		out->size += size;
	}
	errno = EFBIG;
	return -1;
}

/* Closes the file, which may be -1. */
static int file_read_all(int fd, size_t size_max, struct buffer *out)
{
	int status, number;

	if (fd < 0)
		return -1;
	status = descriptor_read(fd, false, size_max, out);
	number = errno;
	close(fd);
	errno = number;
	return status;
}

int file_read(const char *path, struct buffer *out)
{
	return file_read_up_to(path, SIZE_MAX, out);
}

int file_read_up_to(const char *path, size_t size_max, struct buffer *out)
{
	return file_read_all(open(path, O_RDONLY | O_CLOEXEC), size_max, out);
}

int file_read_at(int directory_fd, const char *name, struct buffer *out)
{
	return file_read_all(openat(directory_fd, name, O_RDONLY | O_CLOEXEC), SIZE_MAX, out);
}

/* Returns false with ENOMEM if the path is not complete. */
static bool path_is_built(const struct buffer *path)
{
	errno = ENOMEM;
	return !path->failed;
}

int file_open_built(int directory_fd, struct buffer *path, int flags)
{
	return path_is_built(path) ? openat(directory_fd, buffer_string(path), flags | O_CLOEXEC)
				   : -1;
}

int file_read_built(int directory_fd, struct buffer *path, struct buffer *out)
{
	return file_read_all(file_open_built(directory_fd, path, O_RDONLY), SIZE_MAX, out);
}

int file_find_built(int directory_fd, struct buffer *path)
{
	return path_is_built(path) ? faccessat(directory_fd, buffer_string(path), F_OK, 0) : -1;
}

int file_read_in(const char *directory, const char *name, struct buffer *out)
{
	SCOPED_BUFFER(path);

	buffer_printf(&path, "%s/%s", directory, name);
	return file_read_built(AT_FDCWD, &path, out);
}

int file_read_anew(int fd, struct buffer *out)
{
	return descriptor_read(fd, true, SIZE_MAX, out);
}

ssize_t file_read_block(int fd, void *out, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t part = pread(fd, (char *)out + done, size - done, offset + done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -1;
		if (part == 0)
			break;
		done += part;
	}
	return done;
}

int file_sync(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOSYS ? 0 : -1;
}

bool files_are_left(void)
{
	int fds[FILES_SPARE], nr = 0, last = open("/", O_PATH | O_CLOEXEC);

	while (last >= 0 && nr < FILES_SPARE) {
		fds[nr++] = last;
		last = nr < FILES_SPARE ? fcntl(last, F_DUPFD_CLOEXEC, 0) : -1;
	}
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	return nr == FILES_SPARE;
}

void file_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int file_open_in(const char *directory, const char *name, int flags, struct error *error)
{
	SCOPED_BUFFER(path);
	int fd;

	buffer_printf(&path, "%s/%s", directory, name);
	fd = file_open_built(AT_FDCWD, &path, flags);
	if (fd < 0)
		error_set_system(error, errno, "cannot open %s/%s", directory, name);
	return fd;
}

static int unnamed_open(const char *directory)
{
	char path[] = "/tmp/ktrack.XXXXXX";
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Not every file system has unnamed files. */
	if (fd >= 0 || strcmp(directory, "/tmp") != 0)
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int file_open_temporary(const char *path)
{
	const char *directory = getenv("TMPDIR");
	size_t size = path ? path_base_name(path) - path : 0;
	SCOPED_BUFFER(folder);
	int fd = -1;

	buffer_append(&folder, path, size);
	if (path)
		fd = unnamed_open(size > 0 ? buffer_string(&folder) : ".");
	if (fd < 0 && directory && *directory)
		fd = unnamed_open(directory);
	if (fd < 0)
		fd = unnamed_open("/tmp");
	return fd;
}

int file_await(const struct file_wait *wait, int fd)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };

	if (wait && wait->wait)
		return wait->wait(wait->context, fd);
	poll(&writable, 1, fd < 0 ? RETRY_MS : -1);
	return 0;
}

int file_open_unblocked(const char *path, int flags, mode_t mode, const struct file_wait *wait)
{
	struct stat about;
	int fd;

	do {
		fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
		if (fd >= 0 || errno != ENXIO)
			return fd;
		if (stat(path, &about) < 0 || !S_ISFIFO(about.st_mode)) {
			errno = ENXIO;
			return -1;
		}
	} while (file_await(wait, -1) == 0);
	return -1;
}

static ssize_t plain_write(const void *context, int fd, const char *data, size_t size)
{
	(void)context;
	return write(fd, data, size);
}

int file_write_all(int fd, const char *data, size_t size, const struct file_wait *wait)
{
	return file_write_parts(fd, data, size, wait, plain_write, NULL);
}

int file_write_parts(int fd, const char *data, size_t size, const struct file_wait *wait,
		     ssize_t (*write_part)(const void *context, int fd, const char *data,
					   size_t size),
		     const void *context)
{
	while (size > 0) {
		ssize_t written = write_part(context, fd, data, size);

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

bool file_is_unread(int fd)
{
	struct pollfd output = { .fd = fd, .events = POLLOUT };
	struct stat about;

	return fstat(fd, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) &&
	       poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP));
}

void file_read_boot_id(struct buffer *out)
{
	size_t size = out->size;

	if (file_read("/proc/sys/kernel/random/boot_id", out) < 0)
		out->size = size;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads and writes that do not stop half-way. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define READ_SIZE 4096

static int descriptor_read(int fd, struct buffer *out)
{
	for (;;) {
		char *room = buffer_reserve(out, READ_SIZE);
		ssize_t size;

		if (!room) {
			errno = ENOMEM;
			return -1;
		}
		size = read(fd, room, READ_SIZE);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return size < 0 ? -1 : 0;
		out->size += size;
	}
}

int file_read(const char *path, struct buffer *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int status, number;

	if (fd < 0)
		return -1;
	status = descriptor_read(fd, out);
	number = errno;
	close(fd);
	errno = number;
	return status;
}

int file_write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		data += written;
		size -= written;
	}
	return 0;
}

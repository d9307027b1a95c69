// SPDX-License-Identifier: GPL-2.0-only
/* Opens files, and copies of pipes. */
#include "tracedat/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat/input_copy.h"

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Takes ownership of @fd. */
static int input_set(struct input *input, int fd, const char *path, struct error *error)
{
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0) {
		*input = (struct input){ .fd = fd, .size = status.st_size };
		return 0;
	}
	error_set_system(error, errno, "cannot read %s", input_name(path));
	if (fd >= 0)
		close(fd);
	return -1;
}

int input_open(struct input *input, const char *path, struct error *error)
{
	bool is_standard = strcmp(path, "-") == 0;
	int fd = is_standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			     : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status = { 0 };
	int copy;

	*input = INPUT_NONE;
	if (fd < 0)
		return error_set_system(error, errno, "cannot open %s", input_name(path));
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return input_set(input, fd, path, error);
	if (S_ISDIR(status.st_mode)) {
		close(fd);
		return error_set(error, "%s: a directory, not a trace.dat; name a file in it",
				 input_name(path));
	}
	copy = input_copy(fd, input_name(path), INPUT_COPY_MAX, error);
	close(fd);
	return copy < 0 ? -1 : input_set(input, copy, path, error);
}

void input_close(struct input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	*input = INPUT_NONE;
}

size_t input_read(const struct input *input, void *out, size_t size, uint64_t offset)
{
	size_t done = 0;

	errno = 0;
	while (done < size && offset <= INT64_MAX - size) {
		ssize_t part = pread(input->fd, (char *)out + done, size - done, offset + done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part == 0)
			errno = 0;
		if (part <= 0)
			break;
		done += part;
	}
	return done;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Opens files and copies of pipes, and moves windows over them. */
#include "tracedat/input.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat/layout.h"

#define BLOCK_SIZE 65536

/* Longest wait for a writer without progress, in ms. */
#define POLL_MS 500

/* Shows that the writer is slow. Closed pipes and errors are left to read(2). */
static void copy_await(int fd, struct byte_progress *progress)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };

	while (progress && poll(&input, 1, POLL_MS) == 0)
		byte_progress_add(progress, 0, 0);
}

/* Only the last block is shorter than BLOCK_SIZE. */
static ssize_t copy_read_block(int fd, char *block, struct byte_progress *progress)
{
	size_t size = 0;

	while (size < BLOCK_SIZE) {
		ssize_t more;

		copy_await(fd, progress);
		more = read(fd, block + size, BLOCK_SIZE - size);
		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -1;
		if (more == 0)
			break;
		size += more;
		byte_progress_add(progress, more, 0);
	}
	return size;
}

static bool copy_is_trace_dat(const char *block, size_t size)
{
	size_t magic_size = strlen(TRACE_DAT_MAGIC);

	return size >= magic_size && memcmp(block, TRACE_DAT_MAGIC, magic_size) == 0;
}

static int copy_exceeds(const char *name, uint64_t limit, struct error *error)
{
	struct buffer size = { 0 };

	if (limit >> 30)
		buffer_printf(&size, "%llu GiB", (unsigned long long)limit >> 30);
	else
		buffer_printf(&size, "%llu bytes", (unsigned long long)limit);
	error_set(error, "%s: more than %s; write it to a file and name that", name,
		  buffer_string(&size));
	buffer_release(&size);
	return -1;
}

/* TMPDIR may be unset, or not what was used. */
static int copy_refuse(int copy, const char *name, int number, struct error *error)
{
	char link[64], path[PATH_MAX] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", copy);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		path[0] = '\0';
	return error_set_system(error, number,
				"cannot copy %s to a temporary file in %s; set TMPDIR to a "
				"directory with more space",
				name, dirname(path));
}

static int copy_fill(int copy, int fd, const char *name, uint64_t limit,
		     struct byte_progress *progress, struct error *error)
{
	char block[BLOCK_SIZE];
	uint64_t total = 0;
	ssize_t size;

	do {
		size = copy_read_block(fd, block, progress);
		if (size < 0)
			return error_set_system(error, errno, "cannot read %s", name);
		if ((uint64_t)size > limit - total)
			return copy_exceeds(name, limit, error);
		if (file_write_all(copy, block, size, NULL) < 0)
			return copy_refuse(copy, name, errno, error);
		/* The reader of the copy reports its kind. */
		if (total == 0 && !copy_is_trace_dat(block, size))
			return 0;
		total += size;
	} while (size == BLOCK_SIZE);
	return 0;
}

int input_copy(int fd, const char *name, uint64_t limit, struct byte_progress *progress,
	       struct error *error)
{
	int copy = file_open_temporary(NULL);

	if (copy < 0)
		return error_set_system(error, errno, "cannot create a temporary file for %s; set TMPDIR to a directory "
					"that can be written",
					name);
	if (copy_fill(copy, fd, name, limit, progress, error) == 0)
		return copy;
	close(copy);
	return -1;
}

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

int input_open(struct input *input, const char *path, struct byte_progress *progress,
	       struct error *error)
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
	copy = input_copy(fd, input_name(path), INPUT_COPY_MAX, progress, error);
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
	byte_progress_add(input->progress, done, input->size);
	return done;
}

static bool window_reserve(struct window *window, size_t size)
{
	if (size <= window->capacity)
		return true;
	free(window->bytes);
	window->bytes = malloc(size);
	window->filled = 0;
	window->capacity = window->bytes ? size : 0;
	return window->bytes;
}

static bool window_contains(const struct window *window, uint64_t offset, size_t size)
{
	return offset >= window->begin && offset - window->begin <= window->filled &&
	       size <= window->filled - (offset - window->begin);
}

static size_t window_size_ahead(const struct window *window, uint64_t offset, uint64_t end,
				size_t size)
{
	uint64_t left = end > offset ? end - offset : 0;
	size_t want = size > window->ahead ? size : window->ahead;

	return want < left ? want : left;
}

const unsigned char *window_read(struct window *window, uint64_t offset, uint64_t end, size_t *size)
{
	size_t want;

	if (window_contains(window, offset, *size))
		return window->bytes + (offset - window->begin);
	want = window_size_ahead(window, offset, end, *size);
	if (*size > WINDOW_SIZE_MAX || !window_reserve(window, want)) {
		errno = ENOMEM;
		*size = 0;
		return NULL;
	}
	window->begin = offset;
	window->filled = input_read(window->input, window->bytes, want, offset);
	if (*size > window->filled)
		*size = window->filled;
	return window->bytes;
}

void window_release(struct window *window)
{
	free(window->bytes);
	*window = (struct window){ .input = window->input, .ahead = window->ahead };
}

// SPDX-License-Identifier: GPL-2.0-only
/* Copies a pipe to a temporary file, up to a limit. */
#include "tracedat/input_copy.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/layout.h"

#define BLOCK_SIZE 65536

/* Only the last block is shorter than BLOCK_SIZE. */
static ssize_t copy_read_block(int fd, char *block)
{
	size_t size = 0;

	while (size < BLOCK_SIZE) {
		ssize_t more = read(fd, block + size, BLOCK_SIZE - size);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -1;
		if (more == 0)
			break;
		size += more;
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

static int copy_fill(int copy, int fd, const char *name, uint64_t limit, struct error *error)
{
	char block[BLOCK_SIZE];
	uint64_t total = 0;
	ssize_t size;

	do {
		size = copy_read_block(fd, block);
		if (size < 0)
			return error_set_system(error, errno, "cannot read %s", name);
		if ((uint64_t)size > limit - total)
			return copy_exceeds(name, limit, error);
		if (file_write_all(copy, block, size, NULL) < 0)
			return error_set_system(error, errno,
						"cannot copy %s to a temporary file (in TMPDIR)",
						name);
		/* The reader of the copy reports its kind. */
		if (total == 0 && !copy_is_trace_dat(block, size))
			return 0;
		total += size;
	} while (size == BLOCK_SIZE);
	return 0;
}

int input_copy(int fd, const char *name, uint64_t limit, struct error *error)
{
	int copy = file_open_temporary(NULL);

	if (copy < 0)
		return error_set_system(error, errno, "cannot create a temporary file for %s",
					name);
	if (copy_fill(copy, fd, name, limit, error) == 0)
		return copy;
	close(copy);
	return -1;
}

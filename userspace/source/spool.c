// SPDX-License-Identifier: GPL-2.0-only
/* Spools what cannot be read at any offset (a pipe) to a temporary file, up to a limit. */
#include "source/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/trace_dat.h"

#define BLOCK_SIZE 65536

/* A file that nobody sees and that is gone with its descriptor. */
static int spool_open(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[] = "/tmp/ktrack.XXXXXX";

	if (fd >= 0)
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* A pipe gives less than it has room for; only the end of the input makes a block short. */
static ssize_t block_read(int fd, char *block)
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

static bool is_trace_dat(const char *block, size_t size)
{
	size_t magic_size = strlen(TRACE_DAT_MAGIC);

	return size >= magic_size && memcmp(block, TRACE_DAT_MAGIC, magic_size) == 0;
}

static int limit_fail(const char *name, uint64_t limit, struct error *error)
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

static int spool_fill(int spool, int fd, const char *name, uint64_t limit, struct error *error)
{
	char block[BLOCK_SIZE];
	uint64_t total = 0;
	ssize_t size;

	do {
		size = block_read(fd, block);
		if (size < 0)
			return error_set_system(error, errno, "cannot read %s", name);
		if ((uint64_t)size > limit - total)
			return limit_fail(name, limit, error);
		if (file_write_all(spool, block, size, NULL) < 0)
			return error_set_system(
				error, errno,
				"cannot keep %s in a temporary file (TMPDIR says where)", name);
		/* Whoever reads the copy finds out what it is instead. */
		if (total == 0 && !is_trace_dat(block, size))
			return 0;
		total += size;
	} while (size == BLOCK_SIZE);
	return 0;
}

int spool_copy(int fd, const char *name, uint64_t limit, struct error *error)
{
	int spool = spool_open();

	if (spool < 0)
		return error_set_system(error, errno, "cannot make a temporary file for %s", name);
	if (spool_fill(spool, fd, name, limit, error) == 0)
		return spool;
	close(spool);
	return -1;
}

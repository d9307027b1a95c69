// SPDX-License-Identifier: GPL-2.0-only
/* Maps files. */
#include "source/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/spool.h"

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int file_map(struct mapping *mapping, int fd, size_t size, const char *path,
		    struct error *error)
{
	void *bytes;

	if (size == 0)
		return 0;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return error_set_system(error, errno, "cannot map %s", name_of(path));
	*mapping = (struct mapping){ .bytes = bytes, .size = size };
	return 0;
}

static int spool_map(struct mapping *mapping, int fd, const char *path, struct error *error)
{
	int spool = spool_copy(fd, name_of(path), SPOOL_LIMIT, error);
	struct stat status;
	int result;

	if (spool < 0)
		return -1;
	if (fstat(spool, &status) < 0)
		result = error_set_system(error, errno, "cannot read %s", name_of(path));
	else
		result = file_map(mapping, spool, status.st_size, path, error);
	close(spool);
	return result;
}

int mapping_open(struct mapping *mapping, const char *path, struct error *error)
{
	bool is_input = strcmp(path, "-") == 0;
	int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	int result;

	*mapping = (struct mapping){ 0 };
	if (fd < 0 || fstat(fd, &status) < 0)
		result = error_set_system(error, errno, "cannot open %s", name_of(path));
	else if (S_ISREG(status.st_mode))
		result = file_map(mapping, fd, status.st_size, path, error);
	else
		result = spool_map(mapping, fd, path, error);
	if (fd >= 0 && !is_input)
		close(fd);
	return result;
}

void mapping_close(struct mapping *mapping)
{
	if (mapping->bytes)
		munmap((void *)mapping->bytes, mapping->size);
	*mapping = (struct mapping){ 0 };
}

void mapping_forget(const struct mapping *mapping, size_t from, size_t to)
{
	size_t mask = sysconf(_SC_PAGESIZE) - 1;

	from &= ~mask;
	to &= ~mask;
	if (from < to && to <= mapping->size)
		madvise((void *)(mapping->bytes + from), to - from, MADV_DONTNEED);
}

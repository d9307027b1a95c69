// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock that an owner holds on its instance's directory, which the kernel gives back whatever
 * becomes of the process.
 */
#include "recorder/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_directory(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

int lock_take(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX) == 0 && is_same_directory(fd, directory))
		return fd;
	close(fd);
	return -1;
}

int lock_try(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	return -1;
}

bool lock_is_free(const char *directory)
{
	int fd = lock_try(directory);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

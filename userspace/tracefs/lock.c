// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock that an owner holds on its instance's directory, which the kernel gives back whatever
 * becomes of the process.
 */
#include "tracefs/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tracefs/tracefs.h"

/* A fifth of a second in all. */
#define LOCK_TRIES 10
#define LOCK_WAIT_US 20000

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
	int number;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

/* The process that has locked a directory; 0 if the system does not tell. */
static int lock_owner(const char *directory)
{
	struct buffer locks = { 0 };
	unsigned int major_number, minor_number;
	unsigned long inode;
	struct stat about;
	int pid, owner = 0;

	if (stat(directory, &about) < 0 || file_read("/proc/locks", &locks) < 0)
		about.st_ino = 0;
	for (const char *line = buffer_string(&locks); line; line = strchr(line + 1, '\n')) {
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_number,
			   &minor_number, &inode) == 4 &&
		    inode == about.st_ino && makedev(major_number, minor_number) == about.st_dev)
			owner = pid;
	}
	buffer_release(&locks);
	return owner;
}

static int lock_fail(const char *directory, const char *name, struct error *error)
{
	int owner = lock_owner(directory);

	if (owner > 0)
		return error_set(error, "%s is in use by another ktrack, process %d", name, owner);
	return error_set(error, "%s is in use by another ktrack", name);
}

/* Whoever looks for instances that were left behind has a lock for a moment only. */
int instance_lock(const char *directory, const char *name, struct error *error)
{
	int fd = -1;

	for (int i = 0; i < LOCK_TRIES && fd < 0; i++) {
		if (i > 0)
			usleep(LOCK_WAIT_US);
		fd = lock_try(directory);
	}
	if (fd >= 0)
		return fd;
	if (errno != EWOULDBLOCK)
		return error_set_system(error, errno, "cannot lock %s", name);
	return lock_fail(directory, name, error);
}

bool lock_is_free(const char *directory)
{
	int fd = lock_try(directory);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

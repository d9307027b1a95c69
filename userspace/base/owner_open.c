// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Opens files with the rights of the user who called sudo. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/owner.h"

/* Standard output and standard error. */
#define FIRST_WRITTEN 1
#define LAST_WRITTEN 2

#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* An owner can grant himself write permission at any time, so ownership is enough. */
static bool folder_is_owners(int fd, const struct owner *owner)
{
	struct stat about;

	if (fstat(fd, &about) == 0 && about.st_uid == owner->user)
		return true;
	return faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

static int folder_of_others(const char *folder)
{
	struct open_how how = { .flags = FOLDER_FLAGS, .resolve = RESOLVE_NO_SYMLINKS };

	return syscall(SYS_openat2, AT_FDCWD, folder, &how, sizeof(how));
}

int owner_reach(const struct owner *owner, const char *folder, bool *is_owners)
{
	int fd;

	*is_owners = false;
	if (!owner->is_other)
		return open(folder, FOLDER_FLAGS);
	if (owner_begin(owner) < 0)
		return -1;
	fd = open(folder, FOLDER_FLAGS);
	*is_owners = fd >= 0 && folder_is_owners(fd, owner);
	owner_end(owner);
	if (*is_owners || (fd < 0 && errno != EACCES))
		return fd;
	file_close(fd);
	return folder_of_others(folder);
}

static int parent_reach(const struct owner *owner, const char *path, bool *is_owners)
{
	size_t size = path_base_name(path) - path;
	char *folder = size > 0 ? strndup(path, size) : strdup(".");
	int fd = folder ? owner_reach(owner, folder, is_owners) : -1;

	free(folder);
	return fd;
}

static bool files_are_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* /dev/stdout and the like are open already; their permissions do not matter. */
static int standard_open(int folder_fd, const char *name, int flags)
{
	struct stat own, target;
	char path[64];

	if (fstatat(folder_fd, name, &target, 0) < 0)
		return -1;
	for (int fd = FIRST_WRITTEN; fd <= LAST_WRITTEN; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (fstat(fd, &own) == 0 && files_are_same(&own, &target))
			return open(path, flags & ~O_CREAT);
	}
	errno = EACCES;
	return -1;
}

static int link_open(const struct owner *owner, int folder_fd, const char *name, int flags)
{
	struct stat about;
	int fd;

	if (fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (about.st_uid != 0 || owner_begin(owner) < 0) {
		errno = ELOOP;
		return -1;
	}
	fd = openat(folder_fd, name, flags & ~O_CREAT);
	owner_end(owner);
	return fd < 0 && errno == EACCES ? standard_open(folder_fd, name, flags) : fd;
}

static int entry_try(const struct owner *rights, int folder_fd, const char *name, int flags,
		     mode_t mode)
{
	int fd;

	if (owner_begin(rights) < 0)
		return -1;
	fd = openat(folder_fd, name, flags | O_NOFOLLOW, mode);
	owner_end(rights);
	return fd;
}

static bool is_fifo(int folder_fd, const char *name)
{
	struct stat about;

	return fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISFIFO(about.st_mode);
}

static int entry_open(const struct owner *rights, int folder_fd, const char *name, int flags,
		      mode_t mode, const struct file_wait *wait)
{
	do {
		int fd = entry_try(rights, folder_fd, name, flags, mode);

		if (fd >= 0 || errno != ENXIO)
			return fd;
		if (!is_fifo(folder_fd, name)) {
			errno = ENXIO;
			return -1;
		}
	} while (file_await(wait, -1) == 0);
	return -1;
}

/* Only O_EXCL proves that the file is new. */
static int file_give(const struct owner *owner, int fd)
{
	int number;

	if (fchown(fd, owner->user, owner->group) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

int owner_open(const struct owner *owner, const char *path, int flags, mode_t mode,
	       const struct file_wait *wait)
{
	static const struct owner ourselves;
	int all = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int folder_fd, fd, number;
	bool is_owners;

	if (!owner->is_other)
		return file_open_unblocked(path, flags, mode, wait);
	folder_fd = parent_reach(owner, path, &is_owners);
	if (folder_fd < 0)
		return -1;
	fd = entry_open(is_owners ? owner : &ourselves, folder_fd, path_base_name(path), all, mode,
			wait);
	if (fd < 0 && errno == ELOOP)
		fd = link_open(owner, folder_fd, path_base_name(path), all);
	if (fd >= 0 && flags & O_EXCL && !is_owners)
		fd = file_give(owner, fd);
	number = errno;
	close(folder_fd);
	errno = number;
	return fd;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Root acts with the rights of the user who called sudo. */
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS_MAX 65536

static int group_compare(const void *a, const void *b)
{
	const gid_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Doubles the list until it fits. */
static int groups_of_user(struct owner *owner, const char *name)
{
	for (int space = 64; space <= GROUPS_MAX; space *= 2) {
		int size = space;

		free(owner->groups);
		owner->groups = calloc(space, sizeof(*owner->groups));
		if (!owner->groups)
			return -1;
		if (getgrouplist(name, owner->group, owner->groups, &size) < 0)
			continue;
		owner->nr_groups = size;
		return 0;
	}
	errno = EINVAL;
	return -1;
}

/* A user without an account has one group. */
static int groups_find(struct owner *owner)
{
	const struct passwd *entry = getpwuid(owner->user);

	if (entry)
		return groups_of_user(owner, entry->pw_name);
	owner->groups = calloc(1, sizeof(*owner->groups));
	if (!owner->groups)
		return -1;
	owner->groups[0] = owner->group;
	owner->nr_groups = 1;
	return 0;
}

static int groups_save(struct owner *owner)
{
	int size = getgroups(0, NULL);

	if (size < 0)
		return -1;
	owner->before = calloc(size + 1, sizeof(*owner->before));
	if (!owner->before)
		return -1;
	size = getgroups(size, owner->before);
	owner->nr_before = size < 0 ? 0 : size;
	return size < 0 ? -1 : 0;
}

int owner_init(struct owner *owner, uid_t user, gid_t group)
{
	*owner = (struct owner){ .is_other = true, .user = user, .group = group };
	if (groups_find(owner) < 0 || groups_save(owner) < 0) {
		owner_release(owner);
		return -1;
	}
	qsort(owner->groups, owner->nr_groups, sizeof(*owner->groups), group_compare);
	qsort(owner->before, owner->nr_before, sizeof(*owner->before), group_compare);
	return 0;
}

void owner_release(struct owner *owner)
{
	free(owner->groups);
	free(owner->before);
	*owner = (struct owner){ 0 };
}

/* Changes this thread only; the C library's function changes all threads. */
static int groups_set(const struct owner *owner, const gid_t *groups, size_t size)
{
	bool are_same = owner->nr_groups == owner->nr_before &&
			memcmp(owner->groups, owner->before, owner->nr_groups * sizeof(gid_t)) == 0;

	return are_same ? 0 : syscall(SYS_setgroups, size, groups);
}

int owner_begin(const struct owner *owner)
{
	if (!owner->is_other)
		return 0;
	if (groups_set(owner, owner->groups, owner->nr_groups) < 0)
		return -1;
	setfsgid(owner->group);
	setfsuid(owner->user);
	/* Neither reports errors; with an invalid id both return the current one. */
	if ((gid_t)setfsgid(-1) == owner->group && (uid_t)setfsuid(-1) == owner->user)
		return 0;
	owner_end(owner);
	errno = EPERM;
	return -1;
}

void owner_end(const struct owner *owner)
{
	int number = errno;

	if (!owner->is_other)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
	groups_set(owner, owner->before, owner->nr_before);
	errno = number;
}

int owner_settle(struct owner *owner)
{
	gid_t *groups;

	if (!owner->is_other)
		return 0;
	if (setgroups(owner->nr_groups, owner->groups) < 0 || setresgid(-1, -1, owner->group) < 0 ||
	    setresuid(-1, -1, owner->user) < 0)
		return -1;
	groups = calloc(owner->nr_groups, sizeof(*groups));
	if (!groups)
		return -1;
	memcpy(groups, owner->groups, owner->nr_groups * sizeof(*groups));
	free(owner->before);
	owner->before = groups;
	owner->nr_before = owner->nr_groups;
	return 0;
}

/* Opens files with the rights of the user who called sudo. */

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

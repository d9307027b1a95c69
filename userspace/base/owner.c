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

/* A user without an account has one group. */
static int groups_find(struct owner *owner)
{
	const struct passwd *entry = getpwuid(owner->user);

	/* Doubles the list until it fits. */
	for (int space = 64; space <= GROUPS_MAX; space *= 2) {
		int size = space;

		free(owner->groups);
		owner->groups = calloc(space, sizeof(*owner->groups));
		if (!owner->groups)
			return -1;
		owner->groups[0] = owner->group;
		owner->nr_groups = 1;
		if (!entry)
			return 0;
		if (getgrouplist(entry->pw_name, owner->group, owner->groups, &size) < 0)
			continue;
		owner->nr_groups = size;
		return 0;
	}
	errno = EINVAL;
	return -1;
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

int owner_reach(const struct owner *owner, const char *folder, bool *is_owners)
{
	struct open_how how = { .flags = FOLDER_FLAGS, .resolve = RESOLVE_NO_SYMLINKS };
	struct stat about;
	int fd;

	*is_owners = false;
	if (!owner->is_other)
		return open(folder, FOLDER_FLAGS);
	if (owner_begin(owner) < 0)
		return -1;
	fd = open(folder, FOLDER_FLAGS);
	/* An owner can grant himself write permission at any time, so ownership is enough. */
	if (fd >= 0)
		*is_owners = (fstat(fd, &about) == 0 && about.st_uid == owner->user) ||
			     faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
	owner_end(owner);
	if (*is_owners || (fd < 0 && errno != EACCES))
		return fd;
	file_close(fd);
	return syscall(SYS_openat2, AT_FDCWD, folder, &how, sizeof(how));
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
		if (fstat(fd, &own) == 0 && own.st_dev == target.st_dev &&
		    own.st_ino == target.st_ino)
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

static int entry_open(const struct owner *rights, int folder_fd, const char *name, int flags,
		      mode_t mode, const struct file_wait *wait)
{
	struct stat about;

	do {
		int fd;

		if (owner_begin(rights) < 0)
			return -1;
		fd = openat(folder_fd, name, flags | O_NOFOLLOW, mode);
		owner_end(rights);
		if (fd >= 0 || errno != ENXIO)
			return fd;
		/* Only a FIFO may get a reader. */
		if (fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISFIFO(about.st_mode)) {
			errno = ENXIO;
			return -1;
		}
	} while (file_await(wait, -1) == 0);
	return -1;
}

int owner_open(const struct owner *owner, const char *path, int flags, mode_t mode,
	       const struct file_wait *wait)
{
	static const struct owner ourselves;
	int all = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	const char *name = path_base_name(path);
	int folder_fd, fd, number;
	bool is_owners;
	char *folder;

	if (!owner->is_other)
		return file_open_unblocked(path, flags, mode, wait);
	folder = name > path ? strndup(path, name - path) : strdup(".");
	folder_fd = folder ? owner_reach(owner, folder, &is_owners) : -1;
	free(folder);
	if (folder_fd < 0)
		return -1;
	fd = entry_open(is_owners ? owner : &ourselves, folder_fd, name, all, mode, wait);
	if (fd < 0 && errno == ELOOP)
		fd = link_open(owner, folder_fd, name, all);
	number = errno;
	/* Only O_EXCL proves that the file is new. */
	if (fd >= 0 && flags & O_EXCL && !is_owners && fchown(fd, owner->user, owner->group) < 0) {
		number = errno;
		close(fd);
		fd = -1;
	}
	close(folder_fd);
	errno = number;
	return fd;
}

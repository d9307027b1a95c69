// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Root acts with the rights of the user who called sudo. */
#include "base/owner.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
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

static bool groups_are_same(const struct owner *owner)
{
	return owner->nr_groups == owner->nr_before &&
	       memcmp(owner->groups, owner->before, owner->nr_groups * sizeof(gid_t)) == 0;
}

/* Changes this thread only; the C library's function changes all threads. */
static int groups_set(const struct owner *owner, const gid_t *groups, size_t size)
{
	return groups_are_same(owner) ? 0 : syscall(SYS_setgroups, size, groups);
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

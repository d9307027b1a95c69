/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The user who called sudo: root works on that user's files with that user's rights only, so that a
 * link or a folder that is swapped meanwhile leads nowhere that the user could not go.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/file.h"

/**
 * struct owner - whom files belong to
 * @is_other: not this process; without it, all of this does what the system does anyway
 * @groups, @nr_groups: all groups of the user, sorted
 * @before, @nr_before: those of this process
 *
 * Zeroed it is this process.
 */
struct owner {
	bool is_other;
	uid_t user;
	gid_t group;
	gid_t *groups;
	size_t nr_groups;
	gid_t *before;
	size_t nr_before;
};

/** owner_init - some other user, whose groups the system knows; returns -1 with errno */
int owner_init(struct owner *owner, uid_t user, gid_t group);

void owner_release(struct owner *owner);

/**
 * owner_begin - from now on this thread opens, makes and removes files with the user's rights
 *
 * Returns -1 with errno, and has changed nothing then.
 */
int owner_begin(const struct owner *owner);

/** owner_end - with those of this process again; leaves errno alone */
void owner_end(const struct owner *owner);

/**
 * owner_settle - let owner_begin() need no privilege any more, which may be dropped then
 *
 * The process keeps the user's groups, and the user as its saved one. Returns -1 with errno.
 */
int owner_settle(struct owner *owner);

/**
 * owner_reach - find a folder for files
 * @is_owners: whether the user owns it or may write to it: the user's rights are those to use in it
 *
 * In a folder of another's this process' own rights are used, if no symbolic link leads there.
 * Returns a descriptor (O_PATH), or -1 with errno.
 */
int owner_reach(const struct owner *owner, const char *folder, bool *is_owners);

/**
 * owner_open - open a file for writing, as file_open_unblocked() does
 *
 * With another owner no symbolic link is followed, but for those of root's that lead to a file that
 * the owner may open, or to a standard descriptor. A file that is new belongs to the owner.
 */
int owner_open(const struct owner *owner, const char *path, int flags, mode_t mode,
	       const struct file_wait *wait);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The user who called sudo. Root accesses that user's files with that user's rights, so that a link
 * or a directory that is swapped in between gives the user no access to other files.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/file.h"

/**
 * struct owner - the owner of files
 * @groups, @nr_groups: all groups of the user, sorted
 * @before, @nr_before: the groups of this process
 *
 * A zeroed struct is the user of this process.
 */
struct owner {
	/* another user than that of this process; otherwise nothing here changes any rights */
	bool is_other;
	uid_t user;
	gid_t group;
	gid_t *groups;
	size_t nr_groups;
	gid_t *before;
	size_t nr_before;
};

/** owner_init - set another user and look up the groups; returns -1 with errno */
int owner_init(struct owner *owner, uid_t user, gid_t group);
/** owner_release - free the lists of groups */
void owner_release(struct owner *owner);
/** owner_begin - act with the user's rights on files until owner_end(); 0, or -1 with errno */
int owner_begin(const struct owner *owner);
/** owner_end - return to the rights of this process; keeps errno */
void owner_end(const struct owner *owner);

/**
 * owner_settle - prepare for dropping privileges: owner_begin() needs none afterwards
 *
 * The process gets the user's groups, and the user as saved user id. Returns -1 with errno.
 */
int owner_settle(struct owner *owner);

/**
 * owner_reach - open a directory for files (O_PATH)
 * @is_owners: set if the user owns it or may write to it, so that files in it need the user's
 * rights
 *
 * Other directories are accessed with the rights of this process, unless a symbolic link leads
 * there. Returns a descriptor, or -1 with errno.
 */
int owner_reach(const struct owner *owner, const char *folder, bool *is_owners);

/**
 * owner_open - open a file for writing, as file_open_unblocked() does
 *
 * For another user, symbolic links are followed only if they are root's and lead to a file that the
 * user may open, or to a standard descriptor. New files belong to the user.
 */
int owner_open(const struct owner *owner, const char *path, int flags, mode_t mode,
	       const struct file_wait *wait);

#endif

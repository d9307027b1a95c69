// SPDX-License-Identifier: GPL-2.0-only
/* The folder of a recording's parts, from mkdir to rmdir. */
#include "recorder/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *parts_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Stat of what is where the trace.dat is to be. */
static int joined_stat(const struct parts *parts, struct stat *about, int flags)
{
	int status = owner_begin(parts_rights(parts));

	if (status < 0)
		return -1;
	status = fstatat(parts->place_fd, parts_base(parts->path), about, flags);
	owner_end(parts_rights(parts));
	return status;
}

bool parts_have_file(const struct parts *parts)
{
	struct stat about;

	return joined_stat(parts, &about, 0) == 0;
}

/* In a folder like /tmp only its owner can replace a file. */
static bool can_replace(const struct parts *parts)
{
	struct stat place, file;

	if (fstat(parts->place_fd, &place) < 0 || !(place.st_mode & S_ISVTX) ||
	    joined_stat(parts, &file, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	return file.st_uid == parts_user(parts) || place.st_uid == parts_user(parts);
}

/* What a trace.dat may take the place of: a file that can be replaced, or nothing. */
static int path_check(const struct parts *parts, struct error *error)
{
	struct stat about;

	if (joined_stat(parts, &about, 0) == 0 && !S_ISREG(about.st_mode))
		return error_set(error, "%s is no ordinary file; records go to one only",
				 parts->path);
	if (can_replace(parts))
		return 0;
	return error_set(error, "%s: belongs to another user in a sticky folder; write elsewhere",
			 parts->path);
}

static int place_fail(const struct parts *parts, struct error *error)
{
	if (errno != ELOOP)
		return error_set_system(error, errno, "cannot reach %s", parts->folder);
	return error_set(error,
			 "%s: a symbolic link leads to its folder, which is not followed under "
			 "sudo; name the folder itself",
			 parts->path);
}

int parts_reach(struct parts *parts, struct error *error)
{
	size_t size = parts_base(parts->path) - parts->path;
	char *place = size > 0 ? strndup(parts->path, size) : strdup(".");

	if (!place)
		return error_set(error, "out of memory");
	parts->place_fd = owner_reach(&parts->owner, place, &parts->is_owners);
	if (parts->place_fd < 0)
		place_fail(parts, error);
	free(place);
	return parts->place_fd < 0 ? -1 : path_check(parts, error);
}

static void folder_open(struct parts *parts)
{
	parts->folder_fd = -1;
	if (owner_begin(parts_rights(parts)) < 0)
		return;
	parts->folder_fd = openat(parts->place_fd, parts_base(parts->folder),
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	owner_end(parts_rights(parts));
}

static int folder_check(const struct parts *parts, struct error *error)
{
	struct stat about;

	if (parts->folder_fd < 0 && errno == ENOENT)
		return error_set(error,
				 "%s: %s; name the FILE of a killed 'ktrack record -o FILE'",
				 parts->folder, strerror(errno));
	if (parts->folder_fd < 0 || fstat(parts->folder_fd, &about) < 0)
		return error_set_system(error, errno, "cannot open %s", parts->folder);
	if (about.st_uid != parts_user(parts))
		return error_set(error, "%s: belongs to user %u; run ktrack as that user",
				 parts->folder, about.st_uid);
	if (about.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(error,
				 "%s: others may write to it; look what is in it, then "
				 "'chmod go-w' it",
				 parts->folder);
	return 0;
}

int parts_lock(struct parts *parts, struct error *error)
{
	if (parts->folder_fd < 0)
		folder_open(parts);
	if (folder_check(parts, error) < 0)
		return -1;
	if (flock(parts->folder_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return error_set(error, "%s is in use by another ktrack", parts->folder);
}

/* Whether it is ours though all around it is the owner's: nobody but us made it, then. */
static bool folder_is_roots(const struct parts *parts)
{
	struct stat about;

	return parts->folder_fd >= 0 && fstat(parts->folder_fd, &about) == 0 &&
	       about.st_uid == geteuid();
}

int parts_take_up(struct parts *parts, struct error *error)
{
	folder_open(parts);
	if (parts->is_owners && parts->folder_fd < 0 && errno == EACCES) {
		parts->is_owners = false;
		folder_open(parts);
	}
	if (folder_is_roots(parts))
		parts->is_owners = false;
	return parts_lock(parts, error);
}

int parts_scan(const struct parts *parts, struct dirent ***entries)
{
	int size;

	if (owner_begin(parts_rights(parts)) < 0)
		return -1;
	size = scandirat(parts->folder_fd, ".", entries, NULL, versionsort);
	owner_end(parts_rights(parts));
	return size;
}

bool parts_have_instance(const struct parts *parts)
{
	bool is_there;

	if (owner_begin(parts_rights(parts)) < 0)
		return false;
	is_there = faccessat(parts->folder_fd, PART_INSTANCE, F_OK,
			     AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;
	owner_end(parts_rights(parts));
	return is_there;
}

/* Whether we make files of this name. */
static bool name_is_part(const char *name)
{
	static const char *const names[] = { PART_FORMATS, PART_COMMS, PART_OPTIONS, PART_INSTANCE,
					     PART_UNFINISHED };
	size_t size = strcspn(name, ".");
	bool is_durable;
	int cpu;

	if (part_parse(name, &cpu, &is_durable))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0 ||
		    (strlen(names[i]) == size && strncmp(name, names[i], size) == 0 &&
		     strcmp(name + size, ".new") == 0))
			return true;
	}
	return false;
}

/* Whoever comes upon what is left sees that it is of no use. */
static void folder_remove(struct parts *parts)
{
	struct dirent **entries;
	int size;

	unlinkat(parts->folder_fd, PART_INSTANCE, 0);
	size = scandirat(parts->folder_fd, ".", &entries, NULL, NULL);
	for (int i = 0; i < size; i++) {
		if (name_is_part(entries[i]->d_name))
			unlinkat(parts->folder_fd, entries[i]->d_name, 0);
		free(entries[i]);
	}
	if (size >= 0)
		free(entries);
	unlinkat(parts->place_fd, parts_base(parts->folder), AT_REMOVEDIR);
}

void parts_remove_folder(struct parts *parts)
{
	if (owner_begin(parts_rights(parts)) < 0)
		return;
	folder_remove(parts);
	owner_end(parts_rights(parts));
}

static bool folder_is_there(const struct parts *parts)
{
	bool is_there;

	if (owner_begin(parts_rights(parts)) < 0)
		return true;
	is_there = faccessat(parts->place_fd, parts_base(parts->folder), F_OK, AT_EACCESS) == 0;
	owner_end(parts_rights(parts));
	return is_there;
}

/* A ktrack was killed before it had recorded anything, or when it had made the file already. */
int parts_sweep_folder(struct parts *parts, struct error *error)
{
	parts_remove_folder(parts);
	if (!folder_is_there(parts))
		return 0;
	return error_set(error, "%s is in the way: it holds other files than those of a recording",
			 parts->folder);
}

/* The folder is there already; it goes where nothing can be recovered of it. */
static int folder_clear(struct parts *parts, struct error *error)
{
	parts->is_kept = true;
	if (parts_lock(parts, error) < 0)
		return -1;
	if (parts_have_instance(parts))
		return error_set(error,
				 "%s holds what a killed ktrack recorded; 'ktrack recover %s' "
				 "makes a trace.dat of it",
				 parts->folder, parts->path);
	if (parts_sweep_folder(parts, error) < 0)
		return -1;
	close(parts->folder_fd);
	parts->folder_fd = -1;
	parts->is_kept = false;
	return 0;
}

static int folder_make(const struct parts *parts)
{
	int status = owner_begin(parts_rights(parts));

	if (status < 0)
		return -1;
	status = mkdirat(parts->place_fd, parts_base(parts->folder), 0700);
	owner_end(parts_rights(parts));
	return status;
}

int parts_make_folder(struct parts *parts, struct error *error)
{
	int status = folder_make(parts);

	if (status < 0 && errno == EEXIST) {
		if (folder_clear(parts, error) < 0)
			return -1;
		status = folder_make(parts);
	}
	if (status < 0)
		return error_set_system(error, errno, "cannot make %s", parts->folder);
	if (parts_lock(parts, error) < 0)
		return -1;
	/* In our own folder the owner can neither find it nor put another one in its place. */
	if (!parts->owner.is_other || parts->is_owners)
		return 0;
	parts->joined_fd = parts_make_joined(parts, error);
	return parts->joined_fd < 0 ? -1 : 0;
}

int parts_keep_rights(struct parts *parts, bool *are_owners, struct error *error)
{
	*are_owners = parts->is_owners;
	if (owner_settle(&parts->owner) == 0)
		return 0;
	return error_set_system(error, errno, "cannot act as user %u", parts->owner.user);
}

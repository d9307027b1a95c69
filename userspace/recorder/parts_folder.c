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

int parts_give(const struct parts *parts, int fd)
{
	const struct parts_owner *owner = &parts->owner;

	return owner->is_other ? fchown(fd, owner->user, owner->group) : 0;
}

const char *parts_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int parts_reach(struct parts *parts, struct error *error)
{
	size_t size = parts_base(parts->path) - parts->path;
	char *place = size > 0 ? strndup(parts->path, size) : strdup(".");

	if (!place)
		return error_set(error, "out of memory");
	parts->place_fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parts->place_fd < 0)
		error_set_system(error, errno, "cannot reach %s", parts->folder);
	free(place);
	return parts->place_fd < 0 ? -1 : 0;
}

int parts_lock(struct parts *parts, struct error *error)
{
	parts->folder_fd = openat(parts->place_fd, parts_base(parts->folder),
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (parts->folder_fd < 0)
		return error_set_system(error, errno, "cannot open %s", parts->folder);
	if (flock(parts->folder_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return error_set(error, "%s is in use by another ktrack", parts->folder);
}

bool parts_have_instance(const struct parts *parts)
{
	return faccessat(parts->folder_fd, PART_INSTANCE, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool part_parse(const char *name, int *cpu, bool *is_durable)
{
	char rest;

	*is_durable = sscanf(name, "durable%d%c", cpu, &rest) == 1;
	return (*is_durable || sscanf(name, "cpu%d%c", cpu, &rest) == 1) && *cpu >= 0;
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
void parts_remove_folder(struct parts *parts)
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

/* A ktrack was killed before it had recorded anything, or when it had made the file already. */
int parts_sweep_folder(struct parts *parts, struct error *error)
{
	parts_remove_folder(parts);
	if (faccessat(parts->place_fd, parts_base(parts->folder), F_OK, 0) != 0)
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

int parts_make_folder(struct parts *parts, struct error *error)
{
	int status = mkdirat(parts->place_fd, parts_base(parts->folder), 0700);

	if (status < 0 && errno == EEXIST) {
		if (folder_clear(parts, error) < 0)
			return -1;
		status = mkdirat(parts->place_fd, parts_base(parts->folder), 0700);
	}
	if (status < 0)
		return error_set_system(error, errno, "cannot make %s", parts->folder);
	if (parts_lock(parts, error) < 0)
		return -1;
	return parts_give(parts, parts->folder_fd) == 0
		       ? 0
		       : error_set_system(error, errno, "cannot give %s away", parts->folder);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Temporary folders that stand for a part of tracefs. */
#ifndef UNIT_FOLDER_H
#define UNIT_FOLDER_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** struct folder - a temporary folder */
struct folder {
	char path[64];
};

static inline void folder_new(struct folder *folder)
{
	strcpy(folder->path, "/tmp/ktrack-unit.XXXXXX");
	if (!mkdtemp(folder->path)) {
		printf("Bail out! cannot make %s: %s\n", folder->path, strerror(errno));
		exit(1);
	}
}

static inline int entry_remove(const char *path, const struct stat *status, int type,
			       struct FTW *position)
{
	(void)status;
	(void)type;
	(void)position;
	return remove(path);
}

static inline void folder_remove(struct folder *folder)
{
	nftw(folder->path, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/** folder_path - "FOLDER/name", which lives until the next call */
static inline char *folder_path(const struct folder *folder, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	return path;
}

static inline void parents_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

/** folder_make - make the folder "FOLDER/name" and those that lead to it */
static inline void folder_make(const struct folder *folder, const char *name)
{
	char *path = folder_path(folder, name);

	parents_make(path);
	mkdir(path, 0700);
}

/** folder_add - append to the file "FOLDER/name", which is made where it is missing */
static inline void folder_add(const struct folder *folder, const char *name, const void *data,
			      size_t size)
{
	char *path = folder_path(folder, name);
	int fd;

	parents_make(path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		printf("Bail out! cannot write %s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
}

static inline void folder_add_text(const struct folder *folder, const char *name, const char *text)
{
	folder_add(folder, name, text, strlen(text));
}

/** folder_set_text - let the file "FOLDER/name" hold just this, also for those that have it open */
static inline void folder_set_text(const struct folder *folder, const char *name, const char *text)
{
	if (truncate(folder_path(folder, name), 0) < 0 && errno != ENOENT) {
		printf("Bail out! cannot empty %s: %s\n", folder_path(folder, name),
		       strerror(errno));
		exit(1);
	}
	folder_add_text(folder, name, text);
}

#endif

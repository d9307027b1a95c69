// SPDX-License-Identifier: GPL-2.0-only
/* Removes the oldest files of a directory that ktrack writes. */
#include "output/retention.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_file.h"

/* The names of files that libtrace2 creates for session ids that it made. */
#define SESSION_PATTERN "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9]*Z-*-P*"

/* File systems have times that do not fit into nanoseconds. */
#define FILE_TIME_LIMIT_S (INT64_MAX / NS_PER_S)

/** struct retained_file - a file, which may be removed */
struct retained_file {
	char *name;
	int64_t time_ns;
	uint64_t size;
};

/** struct retained_files - the files of a directory, the oldest first */
struct retained_files {
	struct retained_file *list;
	size_t size;
	uint64_t bytes;
};

static int file_compare(const void *a, const void *b)
{
	const struct retained_file *left = a, *right = b;

	return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* None is before 1970, so that differences are numbers, too. */
static int64_t file_time_ns(const struct timespec *time)
{
	if (time->tv_sec >= FILE_TIME_LIMIT_S)
		return FILE_TIME_LIMIT_S * NS_PER_S;
	if (time->tv_sec < 0)
		return 0;
	return time->tv_sec * NS_PER_S + time->tv_nsec;
}

static void files_add(struct retained_files *files, int folder_fd, const char *pattern,
		      const char *name)
{
	struct retained_file *list;
	struct stat status;

	if (fnmatch(pattern, name, 0) != 0 ||
	    fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return;
	list = reallocarray(files->list, files->size + 1, sizeof(*list));
	if (!list)
		return;
	files->list = list;
	list[files->size] = (struct retained_file){
		.name = strdup(name),
		.time_ns = file_time_ns(&status.st_mtim),
		.size = status.st_size,
	};
	files->bytes += status.st_size;
	files->size += list[files->size].name != NULL;
}

static void files_read(struct retained_files *files, int folder_fd, const char *pattern)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		files_add(files, folder_fd, pattern, entry->d_name);
	if (list)
		closedir(list);
	else
		file_close(fd);
	if (files->size > 0)
		qsort(files->list, files->size, sizeof(*files->list), file_compare);
}

static bool file_is_kept(const struct retained_file *file, const char *kept)
{
	size_t size = kept ? strlen(kept) : 0;

	return kept && strncmp(file->name, kept, size) == 0 &&
	       (!file->name[size] || file->name[size] == '.');
}

/* Whether the oldest file, @file, is one too many. */
static bool is_beyond(const struct retention *limits, const struct retained_files *files,
		      const struct retained_file *file, size_t left, int64_t now_ns)
{
	return (limits->max_files > 0 && left > limits->max_files) ||
	       (limits->max_kib > 0 && files->bytes > limits->max_kib * 1024) ||
	       (limits->max_age_ns > 0 && now_ns - file->time_ns > limits->max_age_ns);
}

void retention_apply(const struct retention *limits, int folder_fd, const char *pattern,
		     int64_t now_ns, const char *kept)
{
	struct retained_files files = { 0 };
	size_t left;

	files_read(&files, folder_fd, pattern);
	left = files.size;
	for (size_t i = 0; i < files.size; i++) {
		const struct retained_file *file = &files.list[i];

		if (is_beyond(limits, &files, file, left, now_ns) && !file_is_kept(file, kept) &&
		    unlinkat(folder_fd, file->name, 0) == 0) {
			left--;
			files.bytes -= file->size;
		}
		free(file->name);
	}
	free(files.list);
}

static void sessions_trim(const struct retention *limits, int folder_fd, const char *sid)
{
	retention_apply(limits, folder_fd, SESSION_PATTERN, time_now_ns(CLOCK_REALTIME),
			path_base_name(sid));
}

void retention_apply_to_sessions(const struct retention *limits, const char *folder,
				 const char *sid)
{
	struct owner owner = { 0 }, self = { 0 };
	unsigned int user, group;
	bool is_owners = false;
	int fd = -1;

	if (!output_owner(&user, &group) || owner_init(&owner, user, group) == 0)
		fd = owner_reach(&owner, folder, &is_owners);
	if (fd >= 0 && owner_begin(is_owners ? &owner : &self) == 0) {
		sessions_trim(limits, fd, sid);
		owner_end(is_owners ? &owner : &self);
	}
	file_close(fd);
	owner_release(&owner);
}

bool retention_is_limited(const struct retention *limits)
{
	return limits->max_files > 0 || limits->max_kib > 0 || limits->max_age_ns > 0;
}

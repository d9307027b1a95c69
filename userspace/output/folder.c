// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories that ktrack writes to: those of ktrack watch are created, checked and locked; in
 * all of them the oldest files are removed.
 */
#include "output/output.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void files_read(struct retained_files *files, int folder_fd, const char *pattern)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat status;

	while (folder && (entry = readdir(folder))) {
		if (fnmatch(pattern, entry->d_name, 0) != 0 ||
		    fstatat(folder_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(status.st_mode) || !array_reserve(files->list, files->size))
			continue;
		files->list[files->size] = (struct retained_file){
			.name = strdup(entry->d_name),
			.time_ns = file_time_ns(&status.st_mtim),
			.size = status.st_size,
		};
		files->bytes += status.st_size;
		files->size += files->list[files->size].name != NULL;
	}
	if (folder)
		closedir(folder);
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

/*
 * Removes the oldest files until the limits are met.
 * @folder_fd: of the directory
 * @pattern: of the names, for fnmatch(3); other files are not counted and not removed
 * @now_ns: nanoseconds since 1970, from which ages are measured
 * @kept: name of a file that stays, also with a dot and more behind it; NULL for none
 */
static void retention_apply(const struct retention *limits, int folder_fd, const char *pattern,
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
		retention_apply(limits, fd, SESSION_PATTERN, time_now_ns(CLOCK_REALTIME),
				path_base_name(sid));
		owner_end(is_owners ? &owner : &self);
	}
	file_close(fd);
	owner_release(&owner);
}

bool retention_is_limited(const struct retention *limits)
{
	return limits->max_files > 0 || limits->max_kib > 0 || limits->max_age_ns > 0;
}

/* The names of recordings. Nothing else in the directory is touched. */
#define NAME_PATTERN "ktrack-[0-9]*T[0-9]*Z-*.dat"
/* Limit of the part of a name that comes from the trigger. */
#define WORDS_SIZE 40
/* Names that are tried if clocks are set back. */
#define NAMES_MAX 1000

/* Returns a locked descriptor, or -1 with @error. */
static int folder_take(const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return error_set_system(error, errno, "cannot open %s", path);
	if (status.st_uid != geteuid())
		error_set(error, "%s: belongs to user %u; name a directory of your own", path,
			  status.st_uid);
	else if (status.st_mode & (S_IWGRP | S_IWOTH))
		error_set(error,
			  "%s: writable by other users; run 'chmod go-w' on it, or "
			  "name another directory",
			  path);
	else if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	else
		error_set(error, "%s: in use by another 'ktrack watch'; name another directory",
			  path);
	close(fd);
	return -1;
}

int watch_folder_open(struct watch_folder *folder, const char *path, struct error *error)
{
	folder->fd = -1;
	folder->wall_offset_ns = time_wall_offset_ns(CLOCK_BOOTTIME);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_set_system(error, errno, "cannot create %s", path);
	folder->fd = folder_take(path, error);
	if (folder->fd < 0)
		return -1;
	folder->path = realpath(path, NULL);
	return folder->path ? 0 : error_set_system(error, errno, "cannot find %s", path);
}

int watch_folder_reopen(struct watch_folder *folder, struct error *error)
{
	int probe = open(folder->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat one, other;
	bool is_same = probe >= 0 && fstat(probe, &one) == 0 && fstat(folder->fd, &other) == 0 &&
		       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
	int fd;

	file_close(probe);
	if (is_same)
		return 0;
	if (mkdir(folder->path, 0700) < 0 && errno != EEXIST)
		return error_set_system(error, errno, "cannot create %s", folder->path);
	fd = folder_take(folder->path, error);
	if (fd < 0)
		return -1;
	close(folder->fd);
	folder->fd = fd;
	return 0;
}

void watch_folder_close(struct watch_folder *folder)
{
	if (folder->path)
		close(folder->fd);
	free(folder->path);
	folder->path = NULL;
}

/* The folders of unfinished recordings have no origin, so that opening removes them. */
void watch_folder_sweep(const struct watch_folder *folder)
{
	static const struct spool_owner ourselves;
	struct dirent **entries;
	int size = scandirat(folder->fd, ".", &entries, NULL, NULL);

	for (int i = 0; i < size; i++) {
		char *name = entries[i]->d_name;
		struct error ignored = { 0 };
		struct spool *spool;

		if (fnmatch(NAME_PATTERN ".spool", name, 0) == 0) {
			name[strlen(name) - strlen(".spool")] = '\0';
			if (spool_open(&spool, name, &ourselves, &ignored) == 0)
				spool_close(spool);
		}
		free(entries[i]);
	}
	if (size >= 0)
		free(entries);
}

/* Letters and digits of the trigger, and '_' in place of others. */
static void words_append(struct buffer *out, const char *trigger)
{
	size_t begin = out->size;

	for (; *trigger && out->size - begin < WORDS_SIZE; trigger++) {
		bool is_plain = isalnum((unsigned char)*trigger) || *trigger == '.';

		if (is_plain)
			buffer_append_char(out, *trigger);
		else if (out->size > begin && out->data[out->size - 1] != '_')
			buffer_append_char(out, '_');
	}
	if (out->size == begin)
		buffer_append_string(out, "trigger");
}

bool watch_folder_name(const struct watch_folder *folder, int64_t wall_ns, const char *trigger,
		       struct buffer *out)
{
	char date[TIME_DATE_SIZE];
	unsigned int us;

	time_date_text(date, time_split(wall_ns, &us), "%Y%m%dT%H%M%S");
	for (int i = 1; i <= NAMES_MAX; i++) {
		buffer_clear(out);
		buffer_printf(out, "ktrack-%s.%06uZ-", date, us);
		words_append(out, trigger);
		if (i > 1)
			buffer_printf(out, "-%d", i);
		buffer_append_string(out, ".dat");
		if (faccessat(folder->fd, buffer_string(out), F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT;
	}
	return false;
}

void watch_folder_date(const struct watch_folder *folder, const char *name)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME) + folder->wall_offset_ns;
	struct timespec now = { .tv_sec = now_ns / NS_PER_S, .tv_nsec = now_ns % NS_PER_S };
	struct timespec times[] = { now, now };

	utimensat(folder->fd, name, times, AT_SYMLINK_NOFOLLOW);
}

void watch_folder_share(const struct watch_folder *folder, const char *name)
{
	struct stat status;
	int ignored;

	if (fstat(folder->fd, &status) < 0 || !(status.st_mode & S_ISGID))
		return;
	/* If it fails, the recording is complete, but only its owner can read it. */
	ignored = fchmodat(folder->fd, name, 0640, 0);
	(void)ignored;
}

void watch_folder_trim(const struct watch_folder *folder, const struct retention *limits,
		       const char *kept)
{
	retention_apply(limits, folder->fd, NAME_PATTERN,
			time_now_ns(CLOCK_BOOTTIME) + folder->wall_offset_ns, kept);
}

int persistent_path(struct buffer *out, const char *directory, const char *name,
		    struct error *error)
{
	if (!*name || strchr(name, '/') || *name == '.')
		return error_set(error, "--persistent=%s: not a name of a tracing instance", name);
	buffer_printf(out, "%s/persistent-%s.dat", directory, name);
	return out->failed ? error_set(error, "out of memory") : 0;
}

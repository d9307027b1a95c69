// SPDX-License-Identifier: GPL-2.0-only
/* Creates, opens, locks and removes the folder of a spool. */
#include "tracedat/spool_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct owner this_process;

/** spool_folder_rights - rights for accessing the folder, for owner_begin() */
static const struct owner *spool_folder_rights(const struct spool_folder *folder)
{
	return folder->is_owners ? &folder->owner : &this_process;
}

/** spool_folder_user - user that must own the folder and its files */
static uid_t spool_folder_user(const struct spool_folder *folder)
{
	return folder->is_owners ? folder->owner.user : geteuid();
}

/* Returns NULL if memory ran out. */
static char *folder_path(const char *target)
{
	char *path;

	return asprintf(&path, "%s.spool", target) < 0 ? NULL : path;
}

bool spool_exists(const char *path)
{
	char *folder = folder_path(path);
	bool exists = folder && access(folder, F_OK) == 0;

	free(folder);
	return exists;
}

int spool_folder_init(struct spool_folder *folder, const char *target,
		      const struct spool_owner *owner, struct error *error)
{
	*folder = (struct spool_folder){ .parent_fd = -1, .fd = -1, .joined_fd = -1 };
	folder->target = strdup(target);
	folder->path = folder_path(target);
	if (folder->target && folder->path &&
	    (!owner->is_other || owner_init(&folder->owner, owner->user, owner->group) == 0))
		return 0;
	return error_set(error, "out of memory");
}

static int target_stat(const struct spool_folder *folder, struct stat *status, int flags)
{
	int result = owner_begin(spool_folder_rights(folder));

	if (result < 0)
		return -1;
	result = fstatat(folder->parent_fd, path_base_name(folder->target), status, flags);
	owner_end(spool_folder_rights(folder));
	return result;
}

bool spool_folder_has_target(const struct spool_folder *folder)
{
	return target_stat(folder, &(struct stat){ 0 }, 0) == 0;
}

/* In a sticky folder such as /tmp only the owner of a file or of the folder can replace it. */
static bool target_is_replaceable(const struct spool_folder *folder)
{
	struct stat parent, file;

	if (fstat(folder->parent_fd, &parent) < 0 || !(parent.st_mode & S_ISVTX) ||
	    target_stat(folder, &file, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	return file.st_uid == spool_folder_user(folder) ||
	       parent.st_uid == spool_folder_user(folder);
}

static int target_check(const struct spool_folder *folder, struct error *error)
{
	struct stat status;

	if (!*path_base_name(folder->target))
		return error_set(error, "%s: a directory; name a file in it", folder->target);
	if (target_stat(folder, &status, 0) == 0 && !S_ISREG(status.st_mode))
		return error_set(error, "%s: not a regular file; name another file",
				 folder->target);
	if (target_is_replaceable(folder))
		return 0;
	return error_set(error,
			 "%s: belongs to another user in a sticky directory; write elsewhere",
			 folder->target);
}

static int parent_refuse(const struct spool_folder *folder, struct error *error)
{
	if (errno != ELOOP)
		return error_set_system(error, errno, "cannot reach %s", folder->path);
	return error_set(
		error,
		"%s: its directory is reached by a symbolic link, which is not followed under "
		"sudo; name the directory itself",
		folder->target);
}

static int folder_reach(struct spool_folder *folder, struct error *error)
{
	size_t size = path_base_name(folder->target) - folder->target;
	char *parent = size > 0 ? strndup(folder->target, size) : strdup(".");

	if (!parent)
		return error_set(error, "out of memory");
	folder->parent_fd = owner_reach(&folder->owner, parent, &folder->is_owners);
	if (folder->parent_fd < 0)
		parent_refuse(folder, error);
	free(parent);
	return folder->parent_fd < 0 ? -1 : target_check(folder, error);
}

static void folder_open_fd(struct spool_folder *folder)
{
	folder->fd = -1;
	if (owner_begin(spool_folder_rights(folder)) < 0)
		return;
	folder->fd = openat(folder->parent_fd, path_base_name(folder->path),
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	owner_end(spool_folder_rights(folder));
}

static int folder_check(const struct spool_folder *folder, struct error *error)
{
	struct stat status;

	if (folder->fd < 0 && errno == ENOENT)
		return error_set(error, "%s: %s; name the FILE of a killed 'ktrack record -o FILE'",
				 folder->path, strerror(errno));
	if (folder->fd < 0 || fstat(folder->fd, &status) < 0)
		return error_set_system(error, errno, "cannot open %s", folder->path);
	if (status.st_uid != spool_folder_user(folder))
		return error_set(error, "%s: belongs to user %u; run ktrack as that user",
				 folder->path, status.st_uid);
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(error,
				 "%s: writable by other users; check its content, then run 'chmod "
				 "go-w' on it",
				 folder->path);
	return 0;
}

static int folder_lock(struct spool_folder *folder, struct error *error)
{
	if (folder->fd < 0)
		folder_open_fd(folder);
	if (folder_check(folder, error) < 0)
		return -1;
	if (flock(folder->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return error_set(error, "%s: in use by another ktrack; wait until that has ended",
			 folder->path);
}

/* Root's folder in a folder of the owner's was created by ktrack as root. */
static bool folder_is_roots(const struct spool_folder *folder)
{
	struct stat status;

	return folder->fd >= 0 && fstat(folder->fd, &status) == 0 && status.st_uid == geteuid();
}

int spool_folder_open(struct spool_folder *folder, struct error *error)
{
	if (folder_reach(folder, error) < 0)
		return -1;
	folder_open_fd(folder);
	if (folder->is_owners && folder->fd < 0 && errno == EACCES) {
		folder->is_owners = false;
		folder_open_fd(folder);
	}
	if (folder_is_roots(folder))
		folder->is_owners = false;
	return folder_lock(folder, error);
}

int spool_folder_scan(const struct spool_folder *folder, struct dirent ***entries)
{
	int size;

	if (owner_begin(spool_folder_rights(folder)) < 0)
		return -1;
	size = scandirat(folder->fd, ".", entries, NULL, versionsort);
	owner_end(spool_folder_rights(folder));
	return size;
}

static bool folder_contains(const struct spool_folder *folder, int fd, const char *name, int flags,
			    bool otherwise)
{
	bool exists;

	if (owner_begin(spool_folder_rights(folder)) < 0)
		return otherwise;
	exists = faccessat(fd, name, F_OK, AT_EACCESS | flags) == 0;
	owner_end(spool_folder_rights(folder));
	return exists;
}

bool spool_folder_has_recording(const struct spool_folder *folder)
{
	return folder_contains(folder, folder->fd, SPOOL_ORIGIN, AT_SYMLINK_NOFOLLOW, false);
}

/* The origin is removed first: without it an interrupted removal leaves no recording. */
static void folder_remove(const struct spool_folder *folder)
{
	struct dirent **entries;
	int size;

	if (owner_begin(spool_folder_rights(folder)) < 0)
		return;
	unlinkat(folder->fd, SPOOL_ORIGIN, 0);
	size = scandirat(folder->fd, ".", &entries, NULL, NULL);
	for (int i = 0; i < size; i++) {
		if (spool_entry_is_known(entries[i]->d_name))
			unlinkat(folder->fd, entries[i]->d_name, 0);
		free(entries[i]);
	}
	if (size >= 0)
		free(entries);
	unlinkat(folder->parent_fd, path_base_name(folder->path), AT_REMOVEDIR);
	owner_end(spool_folder_rights(folder));
}

int spool_folder_sweep(struct spool_folder *folder, struct error *error)
{
	folder_remove(folder);
	if (!folder_contains(folder, folder->parent_fd, path_base_name(folder->path), 0, true))
		return 0;
	return error_set(error, "%s: contains files that are not ktrack's; move them elsewhere",
			 folder->path);
}

/* Removes the rest of a ktrack that was killed before it recorded, or after it wrote trace.dat. */
static int folder_clear(struct spool_folder *folder, struct error *error)
{
	folder->is_kept = true;
	if (folder_lock(folder, error) < 0)
		return -1;
	if (spool_folder_has_recording(folder))
		return error_set(error, "%s: contains a killed recording; run 'ktrack recover %s'",
				 folder->path, folder->target);
	if (spool_folder_sweep(folder, error) < 0)
		return -1;
	close(folder->fd);
	folder->fd = -1;
	folder->is_kept = false;
	return 0;
}

static int folder_make(const struct spool_folder *folder)
{
	int status = owner_begin(spool_folder_rights(folder));

	if (status < 0)
		return -1;
	status = mkdirat(folder->parent_fd, path_base_name(folder->path), 0700);
	owner_end(spool_folder_rights(folder));
	return status;
}

static int joined_create(const struct spool_folder *folder, struct error *error)
{
	const struct owner *owner = &folder->owner;
	int fd = spool_entry_create(folder, SPOOL_JOINED, error);

	if (fd < 0 || folder->is_owners || !owner->is_other ||
	    fchown(fd, owner->user, owner->group) == 0)
		return fd;
	error_set_system(error, errno, "cannot give %s to user %u", folder->target, owner->user);
	close(fd);
	return -1;
}

int spool_folder_open_joined(struct spool_folder *folder, struct error *error)
{
	int fd = folder->joined_fd;

	folder->joined_fd = -1;
	return fd >= 0 ? fd : joined_create(folder, error);
}

int spool_folder_create(struct spool_folder *folder, struct error *error)
{
	int status;

	if (folder_reach(folder, error) < 0)
		return -1;
	status = folder_make(folder);
	if (status < 0 && errno == EEXIST) {
		if (folder_clear(folder, error) < 0)
			return -1;
		status = folder_make(folder);
	}
	if (status < 0)
		return error_set_system(error, errno, "cannot create %s", folder->path);
	if (folder_lock(folder, error) < 0) {
		if (folder->fd < 0)
			folder_remove(folder);
		return -1;
	}
	/* In a folder of this process the owner can neither find nor replace it. */
	if (!folder->owner.is_other || folder->is_owners)
		return 0;
	folder->joined_fd = joined_create(folder, error);
	return folder->joined_fd < 0 ? -1 : 0;
}

/* The parent folder need not be readable for its user. */
static int parent_sync(const struct spool_folder *folder)
{
	int fd = openat(folder->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status = fd < 0 ? 0 : file_sync(fd);

	file_close(fd);
	return status;
}

int spool_folder_publish(struct spool_folder *folder, struct error *error)
{
	int status = owner_begin(spool_folder_rights(folder));

	if (status == 0) {
		status = renameat(folder->fd, SPOOL_JOINED, folder->parent_fd,
				  path_base_name(folder->target));
		if (status == 0)
			status = parent_sync(folder);
		owner_end(spool_folder_rights(folder));
	}
	return status < 0 ? spool_entry_fail(folder, errno, SPOOL_JOINED, error) : 0;
}

void spool_folder_remove_joined(const struct spool_folder *folder)
{
	if (owner_begin(spool_folder_rights(folder)) < 0)
		return;
	unlinkat(folder->fd, SPOOL_JOINED, 0);
	owner_end(spool_folder_rights(folder));
}

int spool_folder_sync(struct spool_folder *folder, struct error *error)
{
	folder->is_synced = true;
	return file_sync(folder->fd) < 0 ? spool_entry_fail(folder, errno, SPOOL_ORIGIN, error) : 0;
}

void spool_folder_release(struct spool_folder *folder)
{
	if (folder->fd >= 0 && !folder->is_kept)
		folder_remove(folder);
	file_close(folder->fd);
	file_close(folder->parent_fd);
	file_close(folder->joined_fd);
	owner_release(&folder->owner);
	free(folder->path);
	free(folder->target);
}

/*
 * The folder may be another user's while ktrack runs as root. Every file is verified through its
 * descriptor: regular, one link, of the expected user.
 */

/* More than all formats of a kernel, or the names of all its threads. */
#define ENTRY_SIZE_MAX (UINT64_C(64) << 20)

/* No kernel has more CPUs. */
#define SPOOL_CPUS_MAX 8192

#define ENTRY_BLOCK_SIZE 65536

#define SIDEBAND_PREFIX "sideband"
#define CPU_PREFIX "cpu"

void spool_cpu_name(char *out, int cpu, bool is_sideband)
{
	snprintf(out, SPOOL_NAME_SIZE, "%s%d", is_sideband ? SIDEBAND_PREFIX : CPU_PREFIX, cpu);
}

bool spool_cpu_parse(const char *name, int *cpu, bool *is_sideband)
{
	const char *digits = name + strcspn(name, "0123456789");
	struct text prefix = { .data = name, .size = digits - name };
	size_t nr_digits = strspn(digits, "0123456789");

	*is_sideband = text_equals(prefix, text_of(SIDEBAND_PREFIX));
	if (!*is_sideband && !text_equals(prefix, text_of(CPU_PREFIX)))
		return false;
	if (nr_digits == 0 || nr_digits > 4 || digits[nr_digits] ||
	    (digits[0] == '0' && nr_digits > 1))
		return false;
	*cpu = atoi(digits);
	return *cpu < SPOOL_CPUS_MAX;
}

bool spool_entry_is_known(const char *name)
{
	static const char *const names[] = { SPOOL_FORMATS, SPOOL_COMMS,     SPOOL_OPTIONS,
					     SPOOL_SYMBOLS, SPOOL_CONSTANTS, SPOOL_ORIGIN,
					     SPOOL_JOINED,  SPOOL_PROGRAMS,  SPOOL_MACHINE };
	bool is_sideband;
	int cpu;

	if (spool_cpu_parse(name, &cpu, &is_sideband))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size = strlen(names[i]);

		if (strncmp(name, names[i], size) == 0 &&
		    (!name[size] || strcmp(name + size, ".new") == 0))
			return true;
	}
	return false;
}

int spool_entry_fail(struct spool_folder *folder, int number, const char *name, struct error *error)
{
	folder->is_kept = true;
	return error_set(error,
			 "%s/%s: cannot be written: %s; fix that, then run 'ktrack recover %s'",
			 folder->path, name, strerror(number), folder->target);
}

static bool entry_is_ours(const struct spool_folder *folder, int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
	       status.st_uid == spool_folder_user(folder);
}

static int entry_refuse(const struct spool_folder *folder, const char *name, struct error *error)
{
	if (errno != ELOOP && errno != ENXIO && errno != EISDIR)
		return error_set_system(error, errno, "cannot open %s/%s", folder->path, name);
	return error_set(error, "%s/%s: not a file of ktrack's; check who created it", folder->path,
			 name);
}

int spool_entry_open(const struct spool_folder *folder, const char *name, int flags,
		     struct error *error)
{
	int fd = -1;

	if (owner_begin(spool_folder_rights(folder)) == 0) {
		fd = openat(folder->fd, name,
			    flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		owner_end(spool_folder_rights(folder));
	}
	if (fd >= 0 && entry_is_ours(folder, fd))
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = ELOOP;
	}
	return entry_refuse(folder, name, error);
}

int spool_entry_create(const struct spool_folder *folder, const char *name, struct error *error)
{
	int fd = -1;

	if (owner_begin(spool_folder_rights(folder)) == 0) {
		unlinkat(folder->fd, name, 0);
		fd = openat(folder->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		owner_end(spool_folder_rights(folder));
	}
	return fd < 0 ? error_set_system(error, errno, "cannot create %s/%s", folder->path, name)
		      : fd;
}

static int entry_rename(const struct spool_folder *folder, const char *from, const char *to)
{
	int status = owner_begin(spool_folder_rights(folder));

	if (status < 0)
		return -1;
	status = renameat(folder->fd, from, folder->fd, to);
	if (status < 0)
		unlinkat(folder->fd, from, 0);
	owner_end(spool_folder_rights(folder));
	return status;
}

int spool_entry_write(struct spool_folder *folder, const char *name, const struct buffer *content,
		      struct error *error)
{
	char unfinished[SPOOL_NAME_SIZE];
	int fd, status = 0;

	if (content->failed)
		return error_set(error, "out of memory");
	snprintf(unfinished, sizeof(unfinished), "%s.new", name);
	fd = spool_entry_create(folder, unfinished, error);
	if (fd < 0)
		return -1;
	if (file_write_all(fd, content->data, content->size, NULL) < 0 ||
	    (folder->is_synced && file_sync(fd) < 0) || entry_rename(folder, unfinished, name) < 0)
		status = spool_entry_fail(folder, errno, name, error);
	close(fd);
	return status;
}

int spool_entry_overwrite(struct spool_folder *folder, const char *name,
			  const struct buffer *content, struct error *error)
{
	int fd = spool_entry_open(folder, name, O_WRONLY, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (file_write_all(fd, content->data, content->size, NULL) < 0 ||
	    ftruncate(fd, content->size) < 0 || file_sync(fd) < 0)
		status = spool_entry_fail(folder, errno, name, error);
	close(fd);
	return status;
}

void spool_entry_reserve(const struct spool_folder *folder, const char *name, size_t size)
{
	struct error ignored = { 0 };
	int fd = spool_entry_open(folder, name, O_WRONLY, &ignored);

	if (fd < 0)
		return;
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size);
	close(fd);
}

int spool_entry_sync(struct spool_folder *folder, const char *name, struct error *error)
{
	int fd = spool_entry_open(folder, name, O_RDONLY, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (file_sync(fd) < 0)
		status = spool_entry_fail(folder, errno, name, error);
	close(fd);
	return status;
}

/* Bounded, as the owner may append meanwhile. */
static int entry_read_all(int fd, struct buffer *out)
{
	uint64_t total = 0;
	ssize_t size;

	do {
		char *space = buffer_reserve(out, ENTRY_BLOCK_SIZE);

		size = space ? TEMP_FAILURE_RETRY(read(fd, space, ENTRY_BLOCK_SIZE)) : -1;
		if (size < 0)
			return -1;
		out->size += size;
		total += size;
	} while (size > 0 && total <= ENTRY_SIZE_MAX);
	errno = EFBIG;
	return size > 0 ? -1 : 0;
}

int spool_entry_read(const struct spool_folder *folder, const char *name, struct buffer *out,
		     struct error *error)
{
	int fd = spool_entry_open(folder, name, O_RDONLY, error);
	int status;

	if (fd < 0)
		return -1;
	status = entry_read_all(fd, out);
	if (status < 0)
		error_set_system(error, errno, "cannot read %s/%s", folder->path, name);
	close(fd);
	return status;
}

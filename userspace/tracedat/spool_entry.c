// SPDX-License-Identifier: GPL-2.0-only
/*
 * The folder may be another user's while ktrack runs as root. Every file is verified through its
 * descriptor: regular, one link, of the expected user.
 */
#include "tracedat/spool_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

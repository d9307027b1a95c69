// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens what is in the folder of the parts. The folder may be a user's while we are root: so what
 * is opened has to be a file that ktrack made for that user, whatever its name says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/parts.h"

/* More than all formats of a kernel, or names of all its threads, take. */
#define TEXT_SIZE_MAX (UINT64_C(64) << 20)

/* No kernel has more CPUs. */
#define CPUS_MAX 8192

static const struct owner ourselves;

const struct owner *parts_rights(const struct parts *parts)
{
	return parts->is_owners ? &parts->owner : &ourselves;
}

uid_t parts_user(const struct parts *parts)
{
	return parts->is_owners ? parts->owner.user : geteuid();
}

static bool is_ours(const struct parts *parts, int fd)
{
	struct stat about;

	return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
	       about.st_uid == parts_user(parts);
}

static int entry_fail(const struct parts *parts, const char *name, struct error *error)
{
	if (errno != ELOOP && errno != ENXIO && errno != EISDIR)
		return error_set_system(error, errno, "cannot open %s/%s", parts->folder, name);
	return error_set(error, "%s/%s: not a file that ktrack made; look what it is",
			 parts->folder, name);
}

int parts_entry(const struct parts *parts, const char *name, int flags, struct error *error)
{
	int fd = -1;

	if (owner_begin(parts_rights(parts)) == 0) {
		fd = openat(parts->folder_fd, name,
			    flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		owner_end(parts_rights(parts));
	}
	if (fd >= 0 && is_ours(parts, fd))
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = ELOOP;
	}
	return entry_fail(parts, name, error);
}

int parts_create(struct parts *parts, const char *name, struct error *error)
{
	int fd = -1;

	if (owner_begin(parts_rights(parts)) == 0) {
		unlinkat(parts->folder_fd, name, 0);
		fd = openat(parts->folder_fd, name,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		owner_end(parts_rights(parts));
	}
	return fd < 0 ? error_set_system(error, errno, "cannot make %s/%s", parts->folder, name)
		      : fd;
}

static int entry_rename(const struct parts *parts, const char *from, const char *to)
{
	int status = owner_begin(parts_rights(parts));

	if (status < 0)
		return -1;
	status = renameat(parts->folder_fd, from, parts->folder_fd, to);
	if (status < 0)
		unlinkat(parts->folder_fd, from, 0);
	owner_end(parts_rights(parts));
	return status;
}

/* Whoever finds the file finds all of it. */
int parts_write(struct parts *parts, const char *name, const struct buffer *content,
		struct error *error)
{
	char unfinished[PART_NAME_SIZE];
	int fd, status = 0;

	if (content->failed)
		return error_set(error, "out of memory");
	snprintf(unfinished, sizeof(unfinished), "%s.new", name);
	fd = parts_create(parts, unfinished, error);
	if (fd < 0)
		return -1;
	if (file_write_all(fd, content->data, content->size, NULL) < 0 ||
	    (parts->is_synced && file_sync(fd) < 0) || entry_rename(parts, unfinished, name) < 0)
		status = parts_fail(parts, errno, name, error);
	close(fd);
	return status;
}

/* The numbers in it may have grown since it was written, for which there is room. */
int parts_overwrite(struct parts *parts, const char *name, const struct buffer *content,
		    struct error *error)
{
	int fd = parts_entry(parts, name, O_WRONLY, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (file_write_all(fd, content->data, content->size, NULL) < 0 ||
	    ftruncate(fd, content->size) < 0 || file_sync(fd) < 0)
		status = parts_fail(parts, errno, name, error);
	close(fd);
	return status;
}

void parts_reserve(struct parts *parts, const char *name, size_t size)
{
	struct error ignored = { 0 };
	int fd = parts_entry(parts, name, O_WRONLY, &ignored);

	if (fd < 0)
		return;
	/* Not all filesystems can. */
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size);
	close(fd);
}

/* Others may let it grow meanwhile. */
static int text_read(int fd, struct buffer *out)
{
	uint64_t total = 0;
	ssize_t size;

	do {
		char *room = buffer_reserve(out, 65536);

		size = room ? TEMP_FAILURE_RETRY(read(fd, room, 65536)) : -1;
		if (size < 0)
			return -1;
		out->size += size;
		total += size;
	} while (size > 0 && total <= TEXT_SIZE_MAX);
	errno = EFBIG;
	return size > 0 ? -1 : 0;
}

int parts_file(const struct parts *parts, const char *file, struct buffer *out, struct error *error)
{
	int fd = parts_entry(parts, file, O_RDONLY, error);
	int status;

	if (fd < 0)
		return -1;
	status = text_read(fd, out);
	if (status < 0)
		error_set_system(error, errno, "cannot read %s/%s", parts->folder, file);
	close(fd);
	return status;
}

/* As part_name() writes it. */
bool part_parse(const char *name, int *cpu, bool *is_durable)
{
	const char *digits = name + strcspn(name, "0123456789");
	size_t size = digits - name;

	*is_durable = strncmp(name, "durable", 7) == 0 && size == 7;
	if (!*is_durable && (strncmp(name, "cpu", 3) != 0 || size != 3))
		return false;
	size = strspn(digits, "0123456789");
	if (size == 0 || size > 4 || digits[size] || (digits[0] == '0' && size > 1))
		return false;
	*cpu = atoi(digits);
	return *cpu < CPUS_MAX;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the trace.dat of the parts: written, read again, on the disk, in its place, in that order.
 * Only then may the parts go.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/parts.h"
#include "source/source.h"

int parts_make_joined(struct parts *parts, struct error *error)
{
	const struct owner *owner = &parts->owner;
	int fd = parts_create(parts, PART_UNFINISHED, error);

	if (fd < 0 || parts->is_owners || !owner->is_other ||
	    fchown(fd, owner->user, owner->group) == 0)
		return fd;
	error_set_system(error, errno, "cannot give %s to user %u", parts->path, owner->user);
	close(fd);
	return -1;
}

static int joined_open(struct parts *parts, struct error *error)
{
	int fd = parts->joined_fd;

	parts->joined_fd = -1;
	return fd >= 0 ? fd : parts_make_joined(parts, error);
}

static int record_ignore(void *context, const struct record *record, struct error *error)
{
	(void)context;
	(void)record;
	(void)error;
	return 0;
}

static int loss_ignore(void *context, const struct source_loss *loss, struct error *error)
{
	(void)context;
	(void)loss;
	(void)error;
	return 0;
}

/* Records that the kernel gave us just now are as it gave them. */
static int records_read(const struct parts *parts, struct source *source, struct error *error)
{
	static const struct source_handler handler = { .record = record_ignore,
						       .loss = loss_ignore };
	int64_t first_ns;
	uint64_t lost;
	int status;

	if (!parts->is_taken_up)
		return 0;
	status = source_first_time(source, &first_ns, error);
	if (status <= 0)
		return status;
	return source_finish(source, INT64_MAX, &handler, &lost, error);
}

/* Returns 1 where the file can be read, but not all of it; with @error then, too. */
static int joined_read(const struct parts *parts, const char *path, struct error *error)
{
	struct source *source;
	int status;

	if (source_file_open(&source, path, error) < 0)
		return -1;
	status = records_read(parts, source, error);
	if (status == 0 && source_damage(source)) {
		error_set(error, "%s", source_damage(source));
		status = -1;
	}
	source_close(source);
	return status < 0 ? 1 : 0;
}

/* Without what the reader calls the file, and its advice. */
static struct text reason_of(const char *path, const struct error *error)
{
	const char *reason = error->text;
	size_t size = strlen(path);

	if (strncmp(reason, path, size) == 0 && strncmp(reason + size, ": ", 2) == 0)
		reason += size + 2;
	return (struct text){ .data = reason, .size = strcspn(reason, ";") };
}

/* The file is the owner's, whoever makes it. Returns as joined_read(). */
static int joined_verify(struct parts *parts, int fd, struct error *error)
{
	struct error problem = { 0 };
	struct text reason;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (owner_begin(&parts->owner) < 0)
		return error_set_system(error, errno, "cannot act as user %u", parts->owner.user);
	status = joined_read(parts, path, &problem);
	owner_end(&parts->owner);
	reason = reason_of(path, &problem);
	if (status < 0)
		error_set(error, "%s: what was recorded cannot be read (%.*s); it stays in %s",
			  parts->path, (int)reason.size, reason.data, parts->folder);
	if (status > 0)
		error_set(error,
			  "%s: made, but not all of it can be read (%.*s); the raw records stay in "
			  "%s, to be removed by hand",
			  parts->path, (int)reason.size, reason.data, parts->folder);
	return status;
}

static int joined_fill(struct parts *parts, int fd, struct error *error)
{
	int status;

	if (trace_dat_join(parts, fd, error) < 0)
		return -1;
	status = joined_verify(parts, fd, error);
	if (status >= 0 && file_sync(fd) < 0)
		return parts_fail(parts, errno, PART_UNFINISHED, error);
	return status;
}

/* The folder that both are in; a user need not be able to read it. */
static int place_sync(const struct parts *parts)
{
	int fd = openat(parts->place_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status = fd < 0 ? 0 : file_sync(fd);

	file_close(fd);
	return status;
}

static int joined_place(struct parts *parts, struct error *error)
{
	int status = owner_begin(parts_rights(parts));

	if (status == 0) {
		status = renameat(parts->folder_fd, PART_UNFINISHED, parts->place_fd,
				  parts_base(parts->path));
		if (status == 0)
			status = place_sync(parts);
		owner_end(parts_rights(parts));
	}
	return status < 0 ? parts_fail(parts, errno, PART_UNFINISHED, error) : 0;
}

static void joined_remove(const struct parts *parts)
{
	if (owner_begin(parts_rights(parts)) < 0)
		return;
	unlinkat(parts->folder_fd, PART_UNFINISHED, 0);
	owner_end(parts_rights(parts));
}

int parts_join(struct parts *parts, struct error *error)
{
	int fd = joined_open(parts, error);
	int status;

	if (fd < 0)
		return -1;
	parts->is_kept = true;
	status = joined_fill(parts, fd, error);
	close(fd);
	if (status >= 0 && joined_place(parts, error) < 0)
		status = -1;
	if (status < 0)
		joined_remove(parts);
	parts->is_kept = status != 0;
	return status == 0 ? 0 : -1;
}

static int entry_sync(struct parts *parts, const char *name, struct error *error)
{
	int fd = parts_entry(parts, name, O_RDONLY, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (file_sync(fd) < 0)
		status = parts_fail(parts, errno, name, error);
	close(fd);
	return status;
}

/* The instance comes last, as it was written. */
int parts_sync(struct parts *parts, struct error *error)
{
	static const char *const names[] = { PART_FORMATS, PART_COMMS, PART_OPTIONS,
					     PART_INSTANCE };

	parts->is_synced = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (entry_sync(parts, names[i], error) < 0)
			return -1;
	}
	if (file_sync(parts->folder_fd) < 0)
		return parts_fail(parts, errno, PART_INSTANCE, error);
	return 0;
}

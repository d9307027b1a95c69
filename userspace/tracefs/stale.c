// SPDX-License-Identifier: GPL-2.0-only
/* Finds instances of ktrack with an owner (running) and without one (killed). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/lock.h"
#include "tracefs/mark.h"

#define OWN_PREFIX "ktrack-"
#define DIGITS "0123456789"

/* Time for an owner between creating an instance and locking it. */
#define OWNER_WAIT_US 50000

/*
 * "ktrack-PID" or "ktrack-PID.N", or the name of its sideband instance. Other names are not
 * ktrack's, whatever their prefix.
 */
static bool is_own_name(const char *name)
{
	size_t nr_digits;

	if (strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) != 0)
		return false;
	name += strlen(OWN_PREFIX);
	nr_digits = strspn(name, DIGITS);
	if (nr_digits == 0)
		return false;
	name += nr_digits;
	nr_digits = name[0] == '.' ? strspn(name + 1, DIGITS) : 0;
	name += nr_digits ? nr_digits + 1 : 0;
	return !*name || strcmp(name, SIDEBAND_SUFFIX) == 0;
}

bool instance_is_sideband(const char *name, const char *other)
{
	size_t size = strlen(other);

	return size > 0 && strncmp(name, other, size) == 0 &&
	       strcmp(name + size, SIDEBAND_SUFFIX) == 0;
}

static bool is_stale(const char *directory)
{
	if (!lock_is_free(directory))
		return false;
	usleep(OWNER_WAIT_US);
	return lock_is_free(directory);
}

int stale_lock(const char *name, int *lock_fd, struct error *error)
{
	struct buffer directory = { 0 };
	const char *tracefs;
	int status = 0;

	*lock_fd = -1;
	if (!is_own_name(name))
		return 0;
	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	buffer_printf(&directory, "%s/instances/%s", tracefs, name);
	if (mark_is_set(buffer_string(&directory))) {
		usleep(OWNER_WAIT_US);
		*lock_fd = instance_lock(buffer_string(&directory), name, error);
		status = *lock_fd < 0 ? -1 : 0;
	}
	buffer_release(&directory);
	return status;
}

static int name_visit(const char *instances, const char *name, bool are_stale,
		      const struct stale_visitor *visitor, struct error *error)
{
	struct buffer directory = { 0 };
	int status = 0;

	buffer_printf(&directory, "%s/%s", instances, name);
	if (!is_own_name(name) || is_stale(buffer_string(&directory)) != are_stale)
		;
	else if (mark_is_set(buffer_string(&directory)))
		status = visitor->visit(visitor->context, name, buffer_string(&directory), error);
	else if (visitor->unmarked)
		visitor->unmarked(visitor->context, name, buffer_string(&directory));
	buffer_release(&directory);
	return status;
}

static int names_visit(const char *instances, bool are_stale, const struct stale_visitor *visitor,
		       struct error *error)
{
	struct dirent **entries;
	int size = scandir(instances, &entries, NULL, versionsort);
	int status = 0;

	if (size < 0)
		return error_set_system(error, errno, "cannot read %s", instances);
	for (int i = 0; i < size; i++) {
		if (status == 0)
			status = name_visit(instances, entries[i]->d_name, are_stale, visitor,
					    error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int instances_visit(bool are_stale, const struct stale_visitor *visitor, struct error *error)
{
	struct buffer instances = { 0 };
	const char *tracefs;
	int status;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	buffer_printf(&instances, "%s/instances", tracefs);
	status = names_visit(buffer_string(&instances), are_stale, visitor, error);
	buffer_release(&instances);
	return status;
}

int stale_visit(const struct stale_visitor *visitor, struct error *error)
{
	return instances_visit(true, visitor, error);
}

int owned_visit(const struct stale_visitor *visitor, struct error *error)
{
	return instances_visit(false, visitor, error);
}

/* The kernel disables the enabled tracepoints. */
int stale_remove(const char *directory, struct error *error)
{
	if (rmdir(directory) == 0)
		return 0;
	if (errno == EBUSY)
		return error_set(error, "cannot remove %s: somebody has its files open", directory);
	return error_set_system(error, errno, "cannot remove %s", directory);
}

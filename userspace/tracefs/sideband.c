// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sideband instance: a small one for records that are too important to be overwritten. They
 * are rare, and the meaning of other records depends on them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "tracefs/instance_state.h"

/* By the kernel's rounding, and with the page that a reader has, this becomes 64 KiB. */
#define SIDEBAND_KIB 56

/**
 * struct sideband_row - a tracepoint
 * @is_substitute: only where the kernel lacks the one before it
 */
struct sideband_row {
	const char *system;
	const char *event;
	bool is_substitute;
};

static const struct sideband_row rows[] = {
	{ "task", "task_newtask" },	   { "sched", "sched_process_fork", .is_substitute = true },
	{ "task", "task_rename" },	   { "sched", "sched_process_exec" },
	{ "sched", "sched_process_exit" }, { "module", "module_load" },
	{ "module", "module_free" },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

bool sideband_records(const char *system, const char *event)
{
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (strcmp(rows[i].system, system) == 0 &&
		    (!event || strcmp(rows[i].event, event) == 0))
			return true;
	}
	return false;
}

/* Returns -1 if memory ran out. */
static int kernel_has(const char *tracefs, const struct sideband_row *row)
{
	struct buffer path = { 0 };
	int has_it;

	buffer_printf(&path, "%s/events/%s/%s/enable", tracefs, row->system, row->event);
	has_it = file_find_built(AT_FDCWD, &path) == 0 ? 1 : -(errno == ENOMEM);
	buffer_release(&path);
	return has_it;
}

static int kernel_has_any(const char *tracefs)
{
	int has_any = 0;

	for (size_t i = 0; i < NR_ROWS && has_any == 0; i++)
		has_any = kernel_has(tracefs, &rows[i]);
	return has_any;
}

/* One that the kernel lacks, or that cannot be enabled, is left out. */
static int sideband_set_up(struct instance *sideband, struct error *error)
{
	struct error ignored = { 0 };
	bool is_enabled = false;

	for (size_t i = 0; i < NR_ROWS; i++) {
		if (!rows[i].is_substitute || !is_enabled)
			is_enabled = instance_enable(sideband, rows[i].system, rows[i].event, NULL,
						     &ignored) == 0;
	}
	return instance_resize(sideband, error);
}

bool sideband_exists(const char *name)
{
	struct buffer path = { 0 };
	struct error ignored = { 0 };
	const char *tracefs;
	bool exists = false;

	if (tracefs_directory(&tracefs, &ignored) == 0) {
		buffer_printf(&path, "%s/instances/%s" SIDEBAND_SUFFIX, tracefs, name);
		exists = file_find_built(AT_FDCWD, &path) == 0;
	}
	buffer_release(&path);
	return exists;
}

int sideband_directory(struct buffer *out, const char *directory, struct error *error)
{
	buffer_printf(out, "%s" SIDEBAND_SUFFIX, directory);
	if (file_find_built(AT_FDCWD, out) == 0)
		return 0;
	/* An instance's name may have no space for the suffix. */
	if (errno != ENOENT && errno != ENAMETOOLONG)
		return error_set_system(error, errno, "cannot find %s" SIDEBAND_SUFFIX, directory);
	buffer_clear(out);
	return 0;
}

int sideband_open(struct instance **out, const char *name, const struct instance_settings *of,
		  struct error *error)
{
	const struct instance_settings settings = { .mode = buffer_modes,
						    .clock = of->clock,
						    .buffer_kib = SIDEBAND_KIB,
						    .writes = of->writes };
	char sideband_name[INSTANCE_NAME_SIZE];
	struct error ignored = { 0 };
	const char *tracefs;
	int has_any;

	*out = NULL;
	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	has_any = kernel_has_any(tracefs);
	if (has_any <= 0)
		return has_any < 0 ? error_set(error, "out of memory") : 0;
	snprintf(sideband_name, sizeof(sideband_name), "%s" SIDEBAND_SUFFIX, name);
	if (instance_open_named(out, sideband_name, &settings, error) < 0)
		return -1;
	if (sideband_set_up(*out, error) == 0)
		return 0;
	instance_remove(*out, &ignored);
	*out = NULL;
	return -1;
}

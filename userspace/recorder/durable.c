// SPDX-License-Identifier: GPL-2.0-only
/*
 * The small instance beside another one, for records that are too important to be overwritten: they
 * come seldom, and what the others mean hangs on them.
 */
#include <stdio.h>
#include <unistd.h>

#include "recorder/instance.h"

/* By the kernel's rounding, and with the page that a reader has, this becomes 64 KiB. */
#define DURABLE_KIB 56

/**
 * struct durable_row - a tracepoint
 * @is_substitute: only where the kernel lacks the one before it
 */
struct durable_row {
	const char *system;
	const char *event;
	bool is_substitute;
};

static const struct durable_row rows[] = {
	{ "task", "task_newtask" },	   { "sched", "sched_process_fork", .is_substitute = true },
	{ "task", "task_rename" },	   { "sched", "sched_process_exec" },
	{ "sched", "sched_process_exit" }, { "module", "module_load" },
	{ "module", "module_free" },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static bool kernel_has(const char *tracefs, const struct durable_row *row)
{
	struct buffer path = { 0 };
	bool has_it;

	buffer_printf(&path, "%s/events/%s/%s/enable", tracefs, row->system, row->event);
	has_it = access(buffer_string(&path), F_OK) == 0;
	buffer_release(&path);
	return has_it;
}

/* Marks what is to be enabled; returns whether anything is. */
static bool rows_choose(const char *tracefs, bool *chosen)
{
	bool is_any = false;

	for (size_t i = 0; i < NR_ROWS; i++) {
		chosen[i] = kernel_has(tracefs, &rows[i]) &&
			    !(rows[i].is_substitute && chosen[i - 1]);
		is_any |= chosen[i];
	}
	return is_any;
}

/* One that cannot be enabled is left out. */
static int durable_set_up(struct recorder *durable, const bool *chosen, struct error *error)
{
	struct error ignored = { 0 };

	for (size_t i = 0; i < NR_ROWS; i++) {
		if (chosen[i])
			recorder_enable(durable, rows[i].system, rows[i].event, NULL, &ignored);
	}
	return recorder_resize(durable, error);
}

bool durable_exists(const char *name)
{
	struct buffer path = { 0 };
	struct error ignored = { 0 };
	const char *tracefs;
	bool exists = false;

	if (source_directory(&tracefs, &ignored) == 0) {
		buffer_printf(&path, "%s/instances/%s" DURABLE_SUFFIX, tracefs, name);
		exists = access(buffer_string(&path), F_OK) == 0;
	}
	buffer_release(&path);
	return exists;
}

int durable_open(struct recorder **out, const char *name, const char *clock, struct error *error)
{
	const struct recorder_settings settings = { .mode = recorder_modes,
						    .clock = clock,
						    .buffer_kib = DURABLE_KIB };
	char beside[INSTANCE_NAME_SIZE];
	bool chosen[NR_ROWS] = { false };
	struct error ignored = { 0 };
	const char *tracefs;

	*out = NULL;
	if (source_directory(&tracefs, error) < 0)
		return -1;
	if (!rows_choose(tracefs, chosen))
		return 0;
	snprintf(beside, sizeof(beside), "%s" DURABLE_SUFFIX, name);
	if (instance_open_named(out, beside, &settings, error) < 0)
		return -1;
	if (durable_set_up(*out, chosen, error) == 0)
		return 0;
	recorder_close(*out, &ignored);
	*out = NULL;
	return -1;
}

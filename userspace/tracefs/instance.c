// SPDX-License-Identifier: GPL-2.0-only
/* A tracefs instance that ktrack creates, from mkdir to rmdir. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/lock.h"
#include "tracefs/mark.h"

#define NAMES_TO_TRY 16

/* A second in all. */
#define REMOVE_TRIES 50
#define REMOVE_WAIT_US 20000

static struct instance *instance_alloc(struct error *error)
{
	struct instance *recorder = calloc(1, sizeof(*recorder));

	if (recorder)
		*recorder = (struct instance){ .lock_fd = -1, .control = CONTROL_NONE };
	else
		error_set(error, "out of memory");
	return recorder;
}

int instance_write(struct instance *recorder, const char *file, const char *value,
		   struct error *error)
{
	if (tracefs_instance_file_write(recorder->instance, file, value) >= 0)
		return 0;
	return error_set_system(error, errno, "cannot write '%s' to %s/%s", value,
				recorder->directory, file);
}

/*
 * Makes an instance that did not exist: two runs of one process id (in two containers) must not
 * share one.
 */
static struct tracefs_instance *instance_try(const char *name)
{
	struct tracefs_instance *instance;

	errno = 0;
	instance = tracefs_instance_create(name);
	if (!instance || tracefs_instance_is_new(instance))
		return instance;
	tracefs_instance_free(instance);
	errno = EEXIST;
	return NULL;
}

/* Locks and marks a new instance; removes it if that fails. */
static void instance_own(struct instance *recorder)
{
	recorder->directory = tracefs_instance_get_dir(recorder->instance);
	if (recorder->directory)
		recorder->lock_fd = lock_take(recorder->directory);
	if (recorder->lock_fd >= 0) {
		mark_set(recorder->lock_fd);
		return;
	}
	tracefs_instance_destroy(recorder->instance);
	tracefs_instance_free(recorder->instance);
	tracefs_put_tracing_file(recorder->directory);
	recorder->instance = NULL;
	recorder->directory = NULL;
}

/* Where the name is taken, no instance is made. */
static int instance_make_named(struct instance *recorder, const char *name, struct error *error)
{
	recorder->instance = instance_try(name);
	if (recorder->instance)
		instance_own(recorder);
	else if (errno != EEXIST)
		return error_set_system(error, errno, "cannot make the tracing instance %s", name);
	return 0;
}

static int instance_make(struct instance *recorder, struct error *error)
{
	for (int i = 0; i < NAMES_TO_TRY && !recorder->instance; i++) {
		char name[INSTANCE_NAME_SIZE];

		snprintf(name, sizeof(name), i ? "ktrack-%d.%d" : "ktrack-%d", (int)getpid(), i);
		if (!sideband_exists(name) && instance_make_named(recorder, name, error) < 0)
			return -1;
	}
	return recorder->instance ? 0
				  : error_set(error, "all names for a tracing instance are taken");
}

/* The file stays open: nothing else needs a way to it while recording goes on. */
static int clock_set(struct instance *recorder, const char *clock, struct error *error)
{
	struct control *control = &recorder->control;
	struct error ignored = { 0 };

	recorder->clock = clock;
	control->clock_fd = file_open_in(recorder->directory, "trace_clock", O_WRONLY | O_TRUNC,
					 &ignored);
	if (control->clock_fd >= 0 && write(control->clock_fd, clock, strlen(clock)) >= 0)
		return 0;
	return error_set_system(error, errno, "cannot write '%s' to %s/trace_clock", clock,
				recorder->directory);
}

void instance_restore_clock(const struct instance *recorder)
{
	if (recorder->control.clock_fd < 0)
		return;
	/* The kernel takes no pwrite(2) there. That somebody changed the clock is reported already.
	 */
	if (write(recorder->control.clock_fd, recorder->clock, strlen(recorder->clock)) < 0)
		return;
	if (recorder->sideband)
		instance_restore_clock(recorder->sideband);
}

/* A new instance inherits the options of the top level, which other programs may have changed. */
static int instance_set_up(struct instance *recorder, const struct instance_settings *settings,
			   struct error *error)
{
	if (control_open(&recorder->control, recorder->directory, error) < 0 ||
	    control_switch(&recorder->control, false, error) < 0)
		return -1;
	if (clock_set(recorder, settings->clock, error) < 0)
		return -1;
	if (instance_write(recorder, "options/overwrite", settings->mode->overwrites ? "1" : "0",
			   error) < 0)
		return -1;
	/*
	 * Lets the kernel remember which process a thread was of, even once it has ended. Kernels
	 * may lack it.
	 */
	tracefs_instance_file_write(recorder->instance, "options/record-tgid", "1");
	return 0;
}

int instance_open_named(struct instance **out, const char *name,
			const struct instance_settings *settings, struct error *error)
{
	struct instance *recorder = instance_alloc(error);
	struct error ignored = { 0 };
	int status;

	*out = recorder;
	if (!recorder)
		return -1;
	recorder->buffer_kib = settings->buffer_kib;
	/* Buffers that are read only at the end keep their modules until then. */
	recorder->enabled_lock = settings->mode->is_read_at_end || settings->keeps_modules
					 ? LOCK_EX
					 : LOCK_SH;
	status = name ? instance_make_named(recorder, name, error) : instance_make(recorder, error);
	if (status == 0 && !recorder->instance)
		status = error_set(error, "there is a tracing instance %s already", name);
	if (status == 0 && instance_set_up(recorder, settings, error) == 0)
		return 0;
	instance_remove(recorder, &ignored);
	*out = NULL;
	return -1;
}

int instance_create(struct instance **out, const struct instance_settings *settings,
		    struct error *error)
{
	struct error ignored = { 0 };

	if (instance_open_named(out, NULL, settings, error) < 0)
		return -1;
	if (sideband_open(&(*out)->sideband, instance_name(*out), settings->clock, error) == 0)
		return 0;
	instance_remove(*out, &ignored);
	*out = NULL;
	return -1;
}

/* Of an instance that is there; whoever owns it keeps it. */
static int directory_adopt(struct instance *recorder, const char *name, struct error *error)
{
	recorder->instance = tracefs_instance_alloc(NULL, name);
	if (!recorder->instance)
		return error_set_system(error, errno, "cannot open the tracing instance %s", name);
	recorder->directory = tracefs_instance_get_dir(recorder->instance);
	if (!recorder->directory)
		return error_set(error, "out of memory");
	if (control_open(&recorder->control, recorder->directory, error) < 0)
		return -1;
	return control_switch(&recorder->control, false, error);
}

static int instance_adopt_one(struct instance **out, const char *name, struct error *error)
{
	struct instance *recorder;
	int lock_fd;

	*out = NULL;
	if (stale_lock(name, &lock_fd, error) < 0)
		return -1;
	if (lock_fd < 0)
		return 0;
	recorder = instance_alloc(error);
	if (!recorder) {
		close(lock_fd);
		return -1;
	}
	recorder->lock_fd = lock_fd;
	*out = recorder;
	return directory_adopt(recorder, name, error);
}

int instance_adopt(struct instance **out, const char *name, struct error *error)
{
	char sideband_name[INSTANCE_NAME_SIZE];

	if (instance_adopt_one(out, name, error) < 0)
		return -1;
	snprintf(sideband_name, sizeof(sideband_name), "%s" SIDEBAND_SUFFIX, name);
	return *out ? instance_adopt_one(&(*out)->sideband, sideband_name, error) : 0;
}

int instance_find(struct buffer *out, const char *name, struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	buffer_append_string(out, tracefs);
	if (name)
		buffer_printf(out, "/instances/%s", name);
	if (name && access(buffer_string(out), F_OK) < 0 && errno == ENOENT)
		return error_set(error, "there is no tracing instance '%s'; %s/instances has all",
				 name, tracefs);
	return out->failed ? error_set(error, "out of memory") : 0;
}

static int attached_open(struct instance *recorder, const char *name, struct error *error)
{
	char called[sizeof(error->text)];

	recorder->instance = tracefs_instance_alloc(NULL, name);
	if (recorder->instance)
		recorder->directory = tracefs_instance_get_dir(recorder->instance);
	if (!recorder->directory)
		return error_set_system(error, errno, "cannot open the tracing instance %s", name);
	snprintf(called, sizeof(called), "the tracing instance %s", name);
	recorder->lock_fd = instance_lock(recorder->directory, called, error);
	return recorder->lock_fd < 0 ? -1 : 0;
}

int instance_attach(struct instance **out, const char *name, struct error *error)
{
	struct buffer directory = { 0 };
	int status = instance_find(&directory, name, error);
	struct instance *recorder;

	*out = NULL;
	buffer_release(&directory);
	if (status < 0)
		return -1;
	recorder = instance_alloc(error);
	if (!recorder)
		return -1;
	recorder->is_attached = true;
	status = attached_open(recorder, name, error);
	if (status == 0)
		*out = recorder;
	else
		instance_close(recorder);
	return status;
}

bool instance_is_attached(const struct instance *recorder)
{
	return recorder->is_attached;
}

const char *instance_name(const struct instance *recorder)
{
	return tracefs_instance_get_name(recorder->instance);
}

const char *instance_directory(const struct instance *recorder)
{
	return recorder->directory;
}

int instance_events_fd(const struct instance *recorder)
{
	return recorder->control.events_fd;
}

const struct instance *instance_sideband(const struct instance *recorder)
{
	return recorder->sideband;
}

static uint64_t instance_read_size(const struct instance *recorder, const char *file)
{
	char *text = tracefs_instance_file_read(recorder->instance, file, NULL);
	uint64_t size_kib = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return size_kib;
}

/* The kernel prints "X" if the sizes differ. */
uint64_t instance_buffer_kib(const struct instance *recorder)
{
	return instance_read_size(recorder, "buffer_size_kb");
}

uint64_t instance_memory_kib(const struct instance *recorder)
{
	uint64_t size_kib = instance_read_size(recorder, "buffer_total_size_kb");

	return size_kib + (recorder->sideband ? instance_memory_kib(recorder->sideband) : 0);
}

/*
 * The buffer gets its size only after the events were enabled. Older kernels (6.1) remember for all
 * instances together whether buffers have been expanded from their boot size: enabling an event
 * expands the top level's, but a first resize of any instance would leave that at its few KiB for
 * good.
 */
int instance_resize(struct instance *recorder, struct error *error)
{
	char size[32];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)recorder->buffer_kib);
	tracefs_instance_file_write(recorder->instance, "buffer_percent", BUFFER_PERCENT);
	return instance_write(recorder, "buffer_size_kb", size, error);
}

int instance_start(struct instance *recorder, struct error *error)
{
	if (recorder->is_attached)
		return 0;
	if (recorder->sideband && instance_start(recorder->sideband, error) < 0)
		return -1;
	return control_switch(&recorder->control, true, error);
}

int instance_stop(struct instance *recorder, struct error *error)
{
	if (recorder->is_attached)
		return 0;
	if (control_switch(&recorder->control, false, error) < 0)
		return -1;
	return recorder->sideband ? instance_stop(recorder->sideband, error) : 0;
}

/* A script that looks at all instances holds a file of ours for a moment only. */
static int directory_remove(struct instance *recorder, struct error *error)
{
	int number = 0;

	control_release(&recorder->control);
	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (control_remove(&recorder->control) == 0)
			return 0;
		number = errno;
		if (number != EBUSY)
			break;
		usleep(REMOVE_WAIT_US);
	}
	if (number != EBUSY)
		return error_set_system(error, number, "cannot remove %s", recorder->directory);
	return error_set(error,
			 "cannot remove %s: somebody has its files open; 'ktrack clean' removes it "
			 "after that",
			 recorder->directory);
}

void instance_close(struct instance *recorder)
{
	if (!recorder)
		return;
	instance_close(recorder->sideband);
	if (recorder->instance)
		tracefs_instance_free(recorder->instance);
	if (recorder->lock_fd >= 0)
		close(recorder->lock_fd);
	enabled_release(&recorder->held);
	changes_close(recorder->changes);
	control_close(&recorder->control);
	tracefs_put_tracing_file(recorder->directory);
	free(recorder);
}

int instance_remove(struct instance *recorder, struct error *error)
{
	struct error ignored = { 0 };
	int status = 0;

	if (recorder && recorder->instance && !recorder->is_attached) {
		control_switch(&recorder->control, false, &ignored);
		/* The kernel's own removal of an instance would do so too, but keeps quiet. */
		enabled_disable_all(&recorder->held);
		status = directory_remove(recorder, error);
	}
	if (recorder && recorder->sideband) {
		status = instance_remove(recorder->sideband, status < 0 ? &ignored : error) < 0
				 ? -1
				 : status;
		recorder->sideband = NULL;
	}
	instance_close(recorder);
	return status;
}

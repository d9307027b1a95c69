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
#include "tracefs/retry.h"

#define NAMES_TO_TRY 16

/* One second in total. */
#define REMOVE_TRIES 50
#define REMOVE_WAIT_US 20000

static struct instance *instance_alloc(struct error *error)
{
	struct instance *instance = calloc(1, sizeof(*instance));

	if (instance)
		*instance = (struct instance){ .lock_fd = -1,
					       .marker_fd = -1,
					       .own_tid = namespace_has_kernel_pids()
								  ? getpid()
								  : 0,
					       .control = CONTROL_NONE };
	else
		error_set(error, "out of memory");
	return instance;
}

/* The control has the directory only later. */
static void instance_report_write(const struct instance *instance, const char *file,
				  const char *value)
{
	report_message(instance->control.writes, "write '%s' to %s/%s", value, instance->directory,
		       file);
}

bool instance_try_write(struct instance *instance, const char *file, const char *value)
{
	if (TEMP_FAILURE_RETRY(tracefs_instance_file_write(instance->handle, file, value)) < 0)
		return false;
	instance_report_write(instance, file, value);
	return true;
}

bool instance_append(struct instance *instance, const char *file, const char *value)
{
	if (TEMP_FAILURE_RETRY(tracefs_instance_file_append(instance->handle, file, value)) < 0)
		return false;
	instance_report_write(instance, file, value);
	return true;
}

int instance_write(struct instance *instance, const char *file, const char *value,
		   struct error *error)
{
	if (instance_try_write(instance, file, value))
		return 0;
	return error_set_system(error, errno, "cannot write '%s' to %s/%s", value,
				instance->directory, file);
}

/*
 * Creates an instance that does not exist yet: two runs with the same process id (in two
 * containers) must not share one.
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
static void instance_own(struct instance *instance)
{
	instance->directory = tracefs_instance_get_dir(instance->handle);
	if (instance->directory)
		instance->lock_fd = lock_take(instance->directory);
	if (instance->lock_fd >= 0) {
		mark_set(instance->lock_fd);
		report_message(instance->control.writes, "create %s", instance->directory);
		return;
	}
	tracefs_instance_destroy(instance->handle);
	tracefs_instance_free(instance->handle);
	tracefs_put_tracing_file(instance->directory);
	instance->handle = NULL;
	instance->directory = NULL;
}

/* Creates no instance if the name is taken. */
static int instance_make_named(struct instance *instance, const char *name, struct error *error)
{
	instance->handle = instance_try(name);
	if (instance->handle)
		instance_own(instance);
	else if (errno != EEXIST)
		return error_set_system(error, errno, "cannot make the tracing instance %s", name);
	return 0;
}

static int instance_make(struct instance *instance, struct error *error)
{
	for (int i = 0; i < NAMES_TO_TRY && !instance->handle; i++) {
		char name[INSTANCE_NAME_SIZE];

		snprintf(name, sizeof(name), i ? "ktrack-%d.%d" : "ktrack-%d", (int)getpid(), i);
		if (!sideband_exists(name) && instance_make_named(instance, name, error) < 0)
			return -1;
	}
	return instance->handle ? 0
				: error_set(error, "all names for a tracing instance are taken");
}

/* The file stays open, so that no path is needed while recording. */
static int clock_set(struct instance *instance, const char *clock, struct error *error)
{
	struct control *control = &instance->control;
	struct error ignored = { 0 };

	instance->clock = clock;
	control->clock_fd = file_open_in(instance->directory, "trace_clock", O_WRONLY | O_TRUNC,
					 &ignored);
	if (control->clock_fd >= 0 && retry_write(control->clock_fd, clock, strlen(clock)) >= 0) {
		control_report_write(control, "trace_clock", clock);
		return 0;
	}
	if (control->clock_fd >= 0 && errno == EINVAL)
		return error_set(error, "'%s': no such clock; see trace_clock in tracefs", clock);
	return error_set_system(error, errno, "cannot write '%s' to %s/trace_clock", clock,
				instance->directory);
}

void instance_restore_clock(const struct instance *instance)
{
	if (instance->control.clock_fd < 0)
		return;
	/* The kernel supports no pwrite(2) here. The changed clock has been reported. */
	if (retry_write(instance->control.clock_fd, instance->clock, strlen(instance->clock)) < 0)
		return;
	control_report_write(&instance->control, "trace_clock", instance->clock);
	if (instance->sideband)
		instance_restore_clock(instance->sideband);
}

/* A new instance inherits the options of the top level, which other programs may have changed. */
static int instance_set_up(struct instance *instance, const struct instance_settings *settings,
			   struct error *error)
{
	if (control_open(&instance->control, instance->directory, error) < 0 ||
	    control_switch(&instance->control, false, error) < 0)
		return -1;
	if (clock_set(instance, settings->clock, error) < 0)
		return -1;
	if (instance_write(instance, "options/overwrite", settings->mode->overwrites ? "1" : "0",
			   error) < 0)
		return -1;
	/*
	 * The kernel then saves the process of each thread, also of ended ones. Kernels may lack
	 * this option.
	 */
	instance_try_write(instance, "options/record-tgid", "1");
	return 0;
}

int instance_open_named(struct instance **out, const char *name,
			const struct instance_settings *settings, struct error *error)
{
	struct instance *instance = instance_alloc(error);
	struct error ignored = { 0 };
	int status;

	*out = instance;
	if (!instance)
		return -1;
	instance->buffer_kib = settings->buffer_kib;
	instance->has_markers = settings->has_markers;
	instance->overwrites = settings->mode->overwrites;
	instance->control.writes = settings->writes;
	/* Buffers that are read only at the end keep their modules until then. */
	instance->enabled_lock = settings->mode->is_read_at_end || settings->keeps_modules
					 ? LOCK_EX
					 : LOCK_SH;
	status = name ? instance_make_named(instance, name, error) : instance_make(instance, error);
	if (status == 0 && !instance->handle)
		status = error_set(error, "there is a tracing instance %s already", name);
	if (status == 0 && instance_set_up(instance, settings, error) == 0)
		return 0;
	instance_remove(instance, &ignored);
	*out = NULL;
	return -1;
}

/* Without its number, this process is recorded as any other. */
static void instance_find_self(struct instance *instance)
{
	int tid = instance->own_tid;

	if (tid == 0)
		tid = instance_find_writer(instance, instance_write_text, NULL,
					   &(struct error){ 0 });
	instance->own_tid = tid > 0 ? tid : 0;
}

int instance_create(struct instance **out, const struct instance_settings *settings,
		    struct error *error)
{
	struct error ignored = { 0 };

	if (instance_open_named(out, NULL, settings, error) < 0)
		return -1;
	instance_find_self(*out);
	if (sideband_open(&(*out)->sideband, instance_name(*out), settings, error) == 0)
		return 0;
	instance_remove(*out, &ignored);
	*out = NULL;
	return -1;
}

/* Opens an existing instance without changing its owner. */
static int directory_adopt(struct instance *instance, const char *name, struct error *error)
{
	instance->handle = tracefs_instance_alloc(NULL, name);
	if (!instance->handle)
		return error_set_system(error, errno, "cannot open the tracing instance %s", name);
	instance->directory = tracefs_instance_get_dir(instance->handle);
	if (!instance->directory)
		return error_set(error, "out of memory");
	if (control_open(&instance->control, instance->directory, error) < 0)
		return -1;
	return control_switch(&instance->control, false, error);
}

static int instance_adopt_one(struct instance **out, const char *name, const struct report *writes,
			      struct error *error)
{
	struct instance *instance;
	int lock_fd;

	*out = NULL;
	if (stale_lock(name, &lock_fd, error) < 0)
		return -1;
	if (lock_fd < 0)
		return 0;
	instance = instance_alloc(error);
	if (!instance) {
		close(lock_fd);
		return -1;
	}
	instance->lock_fd = lock_fd;
	instance->control.writes = writes;
	*out = instance;
	return directory_adopt(instance, name, error);
}

int instance_adopt(struct instance **out, const char *name, const struct report *writes,
		   struct error *error)
{
	char sideband_name[INSTANCE_NAME_SIZE];

	if (instance_adopt_one(out, name, writes, error) < 0)
		return -1;
	snprintf(sideband_name, sizeof(sideband_name), "%s" SIDEBAND_SUFFIX, name);
	return *out ? instance_adopt_one(&(*out)->sideband, sideband_name, writes, error) : 0;
}

int instance_find(struct buffer *out, const char *name, struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	buffer_append_string(out, tracefs);
	if (name)
		buffer_printf(out, "/instances/%s", name);
	if (out->failed)
		return error_set(error, "out of memory");
	if (name && access(buffer_string(out), F_OK) < 0 && errno == ENOENT)
		return error_set(error, "there is no tracing instance '%s'; %s/instances has all",
				 name, tracefs);
	return 0;
}

/* The name of the top level for libtracefs, unless there is an instance of that name. */
static const char *name_of_top(const char *name)
{
	struct buffer directory = { 0 };
	struct error ignored = { 0 };
	bool is_top = strcmp(name, INSTANCE_TOP) == 0 &&
		      instance_find(&directory, name, &ignored) < 0;

	buffer_release(&directory);
	return is_top ? NULL : name;
}

static int attached_open(struct instance *instance, const char *name, struct error *error)
{
	char called[sizeof(error->text)];

	instance->handle = tracefs_instance_alloc(NULL, name);
	if (instance->handle)
		instance->directory = tracefs_instance_get_dir(instance->handle);
	if (!instance->directory)
		return error_set_system(error, errno, "cannot open the tracing instance %s",
					instance_name(instance));
	snprintf(called, sizeof(called), "the tracing instance %s", instance_name(instance));
	instance->lock_fd = instance_lock(instance->directory, called, error);
	return instance->lock_fd < 0 ? -1 : 0;
}

int instance_attach(struct instance **out, const char *name, struct error *error)
{
	const char *found = name_of_top(name);
	struct buffer directory = { 0 };
	int status = instance_find(&directory, found, error);
	struct instance *instance;

	*out = NULL;
	buffer_release(&directory);
	if (status < 0)
		return -1;
	instance = instance_alloc(error);
	if (!instance)
		return -1;
	instance->is_attached = true;
	status = attached_open(instance, found, error);
	if (status == 0)
		*out = instance;
	else
		instance_close(instance);
	return status;
}

bool instance_has_markers(const struct instance *instance)
{
	return instance->has_markers;
}

enum marker_copies instance_marker_copies(const struct instance *instance)
{
	if (!control_can_copy(&instance->control))
		return MARKERS_NOT_BY_KERNEL;
	if (!instance->overwrites)
		return MARKERS_NOT_WHEN_FULL;
	return instance->limits_cpus ? MARKERS_NOT_ON_ALL_CPUS : MARKERS_COPIED;
}

bool instance_is_attached(const struct instance *instance)
{
	return instance && instance->is_attached;
}

const char *instance_name(const struct instance *instance)
{
	const char *name = instance ? tracefs_instance_get_name(instance->handle) : "programs";

	return name ? name : INSTANCE_TOP;
}

const char *instance_directory(const struct instance *instance)
{
	return instance->directory;
}

int instance_events_fd(const struct instance *instance)
{
	return instance->control.events_fd;
}

const struct instance *instance_sideband(const struct instance *instance)
{
	return instance->sideband;
}

int instance_start(struct instance *instance, struct error *error)
{
	if (!instance || instance->is_attached)
		return 0;
	if (instance->sideband && instance_start(instance->sideband, error) < 0)
		return -1;
	if (control_switch(&instance->control, true, error) < 0)
		return -1;
	return instance->has_markers && instance_marker_copies(instance) == MARKERS_COPIED
		       ? control_copy(&instance->control, error)
		       : 0;
}

int instance_stop(struct instance *instance, struct error *error)
{
	if (!instance || instance->is_attached)
		return 0;
	if (control_switch(&instance->control, false, error) < 0)
		return -1;
	return instance->sideband ? instance_stop(instance->sideband, error) : 0;
}

/* A script that reads all instances keeps a file of ours open only briefly. */
static int directory_remove(struct instance *instance, struct error *error)
{
	int number = 0;

	control_release(&instance->control);
	instance_close_stacks(instance);
	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (control_remove(&instance->control) == 0)
			return 0;
		number = errno;
		if (number != EBUSY)
			break;
		usleep(REMOVE_WAIT_US);
	}
	if (number != EBUSY)
		return error_set_system(error, number, "cannot remove %s", instance->directory);
	return error_set(error,
			 "cannot remove %s: somebody has its files open; 'ktrack clean' removes it "
			 "after that",
			 instance->directory);
}

void instance_close(struct instance *instance)
{
	if (!instance)
		return;
	instance_close(instance->sideband);
	if (instance->handle)
		tracefs_instance_free(instance->handle);
	if (instance->lock_fd >= 0)
		close(instance->lock_fd);
	enabled_release(&instance->enabled);
	changes_close(instance->changes);
	control_close(&instance->control);
	instance_close_stacks(instance);
	tracefs_put_tracing_file(instance->directory);
	free(instance);
}

int instance_remove(struct instance *instance, struct error *error)
{
	struct error ignored = { 0 };
	int status = 0;

	if (instance && instance->handle && !instance->is_attached) {
		control_switch(&instance->control, false, &ignored);
		/* The kernel's own removal of an instance would do so too, but keeps quiet. */
		enabled_disable_all(&instance->enabled, &instance->control);
		status = directory_remove(instance, error);
	}
	if (instance && instance->sideband) {
		status = instance_remove(instance->sideband, status < 0 ? &ignored : error) < 0
				 ? -1
				 : status;
		instance->sideband = NULL;
	}
	instance_close(instance);
	return status;
}

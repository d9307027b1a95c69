// SPDX-License-Identifier: GPL-2.0-only
/* A tracefs instance of one's own, from mkdir to rmdir. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include "recorder/instance.h"
#include "recorder/lock.h"
#include "recorder/mark.h"

#define NAMES_TO_TRY 16

/* A second in all. */
#define REMOVE_TRIES 50
#define REMOVE_WAIT_US 20000

static struct recorder *recorder_new(struct error *error)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (recorder)
		*recorder = (struct recorder){ .lock_fd = -1, .control = CONTROL_NONE };
	else
		error_set(error, "out of memory");
	return recorder;
}

int recorder_set(struct recorder *recorder, const char *file, const char *value,
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

/* An instance that is not ours for sure is none. */
static void instance_own(struct recorder *recorder)
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
static int instance_make_named(struct recorder *recorder, const char *name, struct error *error)
{
	recorder->instance = instance_try(name);
	if (recorder->instance)
		instance_own(recorder);
	else if (errno != EEXIST)
		return error_set_system(error, errno, "cannot make the tracing instance %s", name);
	return 0;
}

static int instance_make(struct recorder *recorder, struct error *error)
{
	for (int i = 0; i < NAMES_TO_TRY && !recorder->instance; i++) {
		char name[INSTANCE_NAME_SIZE];

		snprintf(name, sizeof(name), i ? "ktrack-%d.%d" : "ktrack-%d", (int)getpid(), i);
		if (!durable_exists(name) && instance_make_named(recorder, name, error) < 0)
			return -1;
	}
	return recorder->instance ? 0
				  : error_set(error, "all names for a tracing instance are taken");
}

/* The file stays open: nothing else needs a way to it while recording goes on. */
static int clock_set(struct recorder *recorder, const char *clock, struct error *error)
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

void recorder_restore_clock(const struct recorder *recorder)
{
	if (recorder->control.clock_fd < 0)
		return;
	/* The kernel takes no pwrite(2) there. That somebody changed the clock is reported already.
	 */
	if (write(recorder->control.clock_fd, recorder->clock, strlen(recorder->clock)) < 0)
		return;
	if (recorder->durable)
		recorder_restore_clock(recorder->durable);
}

/* Every instance begins with what the top level has, whatever somebody made of that. */
static int instance_set_up(struct recorder *recorder, const struct recorder_settings *settings,
			   struct error *error)
{
	if (control_open(&recorder->control, recorder->directory, error) < 0 ||
	    control_switch(&recorder->control, false, error) < 0)
		return -1;
	if (clock_set(recorder, settings->clock, error) < 0)
		return -1;
	if (recorder_set(recorder, "options/overwrite", settings->mode->overwrites ? "1" : "0",
			 error) < 0)
		return -1;
	/*
	 * Lets the kernel remember which process a thread was of, even once it has ended. Kernels
	 * may lack it.
	 */
	tracefs_instance_file_write(recorder->instance, "options/record-tgid", "1");
	return 0;
}

int instance_open_named(struct recorder **out, const char *name,
			const struct recorder_settings *settings, struct error *error)
{
	struct recorder *recorder = recorder_new(error);
	struct error ignored = { 0 };
	int status;

	*out = recorder;
	if (!recorder)
		return -1;
	recorder->buffer_kib = settings->buffer_kib;
	/* What is read at the end only cannot be let go of before. */
	recorder->held_lock = settings->mode->is_read_at_end || settings->keeps_modules ? LOCK_EX
											: LOCK_SH;
	status = name ? instance_make_named(recorder, name, error) : instance_make(recorder, error);
	if (status == 0 && !recorder->instance)
		status = error_set(error, "there is a tracing instance %s already", name);
	if (status == 0 && instance_set_up(recorder, settings, error) == 0)
		return 0;
	recorder_close(recorder, &ignored);
	*out = NULL;
	return -1;
}

int recorder_open(struct recorder **out, const struct recorder_settings *settings,
		  struct error *error)
{
	struct error ignored = { 0 };

	if (instance_open_named(out, NULL, settings, error) < 0)
		return -1;
	if (durable_open(&(*out)->durable, recorder_name(*out), settings->clock, error) == 0)
		return 0;
	recorder_close(*out, &ignored);
	*out = NULL;
	return -1;
}

/* Of an instance that is there; whoever owns it keeps it. */
static int instance_adopt(struct recorder *recorder, const char *name, struct error *error)
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

static int recorder_adopt_one(struct recorder **out, const char *name, struct error *error)
{
	struct recorder *recorder;
	int lock_fd;

	*out = NULL;
	if (stale_lock(name, &lock_fd, error) < 0)
		return -1;
	if (lock_fd < 0)
		return 0;
	recorder = recorder_new(error);
	if (!recorder) {
		close(lock_fd);
		return -1;
	}
	recorder->lock_fd = lock_fd;
	*out = recorder;
	return instance_adopt(recorder, name, error);
}

int recorder_adopt(struct recorder **out, const char *name, struct error *error)
{
	char beside[INSTANCE_NAME_SIZE];

	if (recorder_adopt_one(out, name, error) < 0)
		return -1;
	snprintf(beside, sizeof(beside), "%s" DURABLE_SUFFIX, name);
	return *out ? recorder_adopt_one(&(*out)->durable, beside, error) : 0;
}

static int attached_open(struct recorder *recorder, const char *name, struct error *error)
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

int recorder_attach(struct recorder **out, const char *name, struct error *error)
{
	struct buffer directory = { 0 };
	int status = source_instance_find(&directory, name, error);
	struct recorder *recorder;

	*out = NULL;
	buffer_release(&directory);
	if (status < 0)
		return -1;
	recorder = recorder_new(error);
	if (!recorder)
		return -1;
	recorder->is_attached = true;
	status = attached_open(recorder, name, error);
	if (status == 0)
		*out = recorder;
	else
		recorder_leave(recorder);
	return status;
}

bool recorder_is_attached(const struct recorder *recorder)
{
	return recorder->is_attached;
}

const char *recorder_name(const struct recorder *recorder)
{
	return tracefs_instance_get_name(recorder->instance);
}

const char *recorder_directory(const struct recorder *recorder)
{
	return recorder->directory;
}

int recorder_events_fd(const struct recorder *recorder)
{
	return recorder->control.events_fd;
}

const struct recorder *recorder_durable(const struct recorder *recorder)
{
	return recorder->durable;
}

uint64_t recorder_memory_kib(const struct recorder *recorder)
{
	char *text = tracefs_instance_file_read(recorder->instance, "buffer_total_size_kb", NULL);
	uint64_t size_kib = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return size_kib + (recorder->durable ? recorder_memory_kib(recorder->durable) : 0);
}

/* Where the kernel refuses a filter, what it holds against it is in the filter's place. */
static int filter_fail(const struct recorder *recorder, int number, const char *system,
		       const char *event, const char *filter, struct error *error)
{
	static const char head[] = "parse_error: ";
	struct buffer text = { 0 };
	const char *reason = NULL;

	if (source_event_read(recorder->control.events_fd, system, event, "filter", &text) == 0)
		reason = strstr(buffer_string(&text), head);
	if (reason) {
		reason += strlen(head);
		error_set(error, "the kernel refuses '%s' as a filter of %s:%s: %.*s", filter,
			  system, event, (int)strcspn(reason, "\n"), reason);
	} else {
		error_set_system(error, number, "cannot write '%s' to %s/events/%s/%s/filter",
				 filter, recorder->directory, system, event);
	}
	buffer_release(&text);
	return -1;
}

/* The filter goes with the instance. */
static int event_filter(struct recorder *recorder, const char *system, const char *event,
			const char *filter, struct error *error)
{
	int fd = control_open_event(&recorder->control, system, event, "filter",
				    O_WRONLY | O_TRUNC);
	int status = 0;

	if (fd < 0 || write(fd, filter, strlen(filter)) < 0)
		status = filter_fail(recorder, errno, system, event, filter, error);
	if (fd >= 0)
		close(fd);
	return status;
}

int recorder_enable(struct recorder *recorder, const char *system, const char *event,
		    const char *filter, struct error *error)
{
	if (filter && event_filter(recorder, system, event, filter, error) < 0)
		return -1;
	return held_add(&recorder->held, &recorder->control, system, event, recorder->held_lock,
			error);
}

int recorder_look(struct recorder *recorder, const struct recorder_observer *observer,
		  struct error *error)
{
	return held_look_all(&recorder->held, observer, error);
}

void recorder_give_up(struct recorder *recorder)
{
	held_give_up(&recorder->held);
}

bool recorder_has(const struct recorder *recorder, const char *system, const char *event)
{
	return held_has(&recorder->held, system, event);
}

bool recorder_has_beside(const struct recorder *recorder, unsigned int id)
{
	return recorder->durable && held_has_id(&recorder->durable->held, id);
}

size_t recorder_size(const struct recorder *recorder)
{
	return held_recorded(&recorder->held);
}

/*
 * A reader that polls is woken as soon as this much of a buffer is full. Without it, it looks only
 * from time to time, so that kernels may lack it.
 */
#define WAKING_PERCENT "20"

/*
 * The buffer gets its size only after the events were enabled. Older kernels (6.1) remember for all
 * instances together whether buffers have been expanded from their boot size: enabling an event
 * expands the top level's, but a first resize of any instance would leave that at its few KiB for
 * good.
 */
int recorder_resize(struct recorder *recorder, struct error *error)
{
	char size[32];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)recorder->buffer_kib);
	tracefs_instance_file_write(recorder->instance, "buffer_percent", WAKING_PERCENT);
	return recorder_set(recorder, "buffer_size_kb", size, error);
}

int recorder_start(struct recorder *recorder, struct error *error)
{
	if (recorder->is_attached)
		return 0;
	if (recorder->durable && recorder_start(recorder->durable, error) < 0)
		return -1;
	return control_switch(&recorder->control, true, error);
}

int recorder_stop(struct recorder *recorder, struct error *error)
{
	if (recorder->is_attached)
		return 0;
	if (control_switch(&recorder->control, false, error) < 0)
		return -1;
	return recorder->durable ? recorder_stop(recorder->durable, error) : 0;
}

/* A script that looks at all instances holds a file of ours for a moment only. */
static int instance_remove(struct recorder *recorder, struct error *error)
{
	int number = 0;

	control_let_go(&recorder->control);
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

void recorder_leave(struct recorder *recorder)
{
	if (!recorder)
		return;
	recorder_leave(recorder->durable);
	if (recorder->instance)
		tracefs_instance_free(recorder->instance);
	if (recorder->lock_fd >= 0)
		close(recorder->lock_fd);
	held_release(&recorder->held);
	control_close(&recorder->control);
	tracefs_put_tracing_file(recorder->directory);
	free(recorder);
}

int recorder_close(struct recorder *recorder, struct error *error)
{
	struct error ignored = { 0 };
	int status = 0;

	if (recorder && recorder->instance && !recorder->is_attached) {
		control_switch(&recorder->control, false, &ignored);
		/* The kernel's own removal of an instance would do so too, but keeps quiet. */
		held_disable_all(&recorder->held);
		status = instance_remove(recorder, error);
	}
	if (recorder && recorder->durable) {
		status = recorder_close(recorder->durable, status < 0 ? &ignored : error) < 0
				 ? -1
				 : status;
		recorder->durable = NULL;
	}
	recorder_leave(recorder);
	return status;
}

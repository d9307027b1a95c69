// SPDX-License-Identifier: GPL-2.0-only
/* A tracefs instance that ktrack creates, from mkdir to rmdir. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/page.h"
#include "tracefs/tracefs.h"

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
					       .own_tid = namespace_has_kernel_pids() ? getpid()
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

/** instance_try_write - as instance_write(); returns false with errno */
static bool instance_try_write(struct instance *instance, const char *file, const char *value)
{
	if (TEMP_FAILURE_RETRY(tracefs_instance_file_write(instance->handle, file, value)) < 0)
		return false;
	instance_report_write(instance, file, value);
	return true;
}

/** instance_append - append a setting of the instance; returns false with errno */
static bool instance_append(struct instance *instance, const char *file, const char *value)
{
	if (TEMP_FAILURE_RETRY(tracefs_instance_file_append(instance->handle, file, value)) < 0)
		return false;
	instance_report_write(instance, file, value);
	return true;
}

/** instance_write - write a setting of the instance while it is set up; returns -1 with @error */
static int instance_write(struct instance *instance, const char *file, const char *value,
			  struct error *error)
{
	if (instance_try_write(instance, file, value))
		return 0;
	return error_set_system(error, errno, "cannot write '%s' to %s/%s", value,
				instance->directory, file);
}

/*
 * Creates, locks and marks an instance; none if the name is taken: two runs with the same process
 * id (in two containers) must not share one. One that cannot be locked is removed.
 */
static int instance_make_named(struct instance *instance, const char *name, struct error *error)
{
	struct tracefs_instance *handle;
	char *directory;

	errno = 0;
	handle = tracefs_instance_create(name);
	if (handle && !tracefs_instance_is_new(handle)) {
		tracefs_instance_free(handle);
		return 0;
	}
	if (!handle && errno != EEXIST)
		return error_set_system(error, errno, "cannot make the tracing instance %s", name);
	if (!handle)
		return 0;
	directory = tracefs_instance_get_dir(handle);
	if (directory)
		instance->lock_fd = lock_take(directory);
	if (instance->lock_fd < 0) {
		tracefs_instance_destroy(handle);
		tracefs_instance_free(handle);
		tracefs_put_tracing_file(directory);
		return 0;
	}
	instance->handle = handle;
	instance->directory = directory;
	mark_set(instance->lock_fd);
	report_message(instance->control.writes, "create %s", directory);
	return 0;
}

/* Whether the instance @name has a companion, even if it is gone itself. */
static bool companions_exist(const char *name)
{
	const char *tracefs;
	bool exist = false;

	if (tracefs_directory(&tracefs, &(struct error){ 0 }) < 0)
		return false;
	for (int kind = INSTANCE_MAIN + 1; kind < INSTANCE_KINDS; kind++) {
		SCOPED_BUFFER(path);

		buffer_printf(&path, "%s/instances/%s%s", tracefs, name, instance_suffixes[kind]);
		exist |= file_find_built(AT_FDCWD, &path) == 0;
	}
	return exist;
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
	if (instance->next)
		instance_restore_clock(instance->next);
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

/*
 * As instance_create(), without companions
 * @name: NULL for a name made from the process id
 */
static int instance_open_named(struct instance **out, const char *name,
			       const struct instance_settings *settings, struct error *error)
{
	struct instance *instance = instance_alloc(error);
	struct error ignored = { 0 };
	int status = 0;

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
	for (int i = 0; !name && i < NAMES_TO_TRY && !instance->handle && status == 0; i++) {
		char own[INSTANCE_NAME_SIZE];

		snprintf(own, sizeof(own), i ? "ktrack-%d.%d" : "ktrack-%d", (int)getpid(), i);
		if (!companions_exist(own))
			status = instance_make_named(instance, own, error);
	}
	if (name)
		status = instance_make_named(instance, name, error);
	if (status == 0 && !instance->handle)
		status = name ? error_set(error, "there is a tracing instance %s already", name)
			      : error_set(error, "all names for a tracing instance are taken");
	if (status == 0 && instance_set_up(instance, settings, error) == 0)
		return 0;
	instance_remove(instance, &ignored);
	*out = NULL;
	return -1;
}

/* Creates the companion of the instance @name of a kind; returns -1 with @error. */
static int companion_open(struct instance **out, const char *name, enum instance_kind kind,
			  const struct instance_settings *settings, struct error *error)
{
	char own_name[INSTANCE_NAME_SIZE];

	snprintf(own_name, sizeof(own_name), "%s%s", name, instance_suffixes[kind]);
	if (instance_open_named(out, own_name, settings, error) < 0)
		return -1;
	(*out)->kind = kind;
	return 0;
}

/*
 * The sideband instance: a small one for records that are too important to be overwritten. They
 * are rare, and the meaning of other records depends on them.
 */

/* By the kernel's rounding, and with the page that a reader has, this becomes 64 KiB. */
#define SIDEBAND_KIB 56

/* Its tracepoints. */
static const struct {
	const char *system;
	const char *event;
	bool is_substitute; /* only where the kernel lacks the one before it */
} rows[] = {
	{ "task", "task_newtask" },	   { "sched", "sched_process_fork", .is_substitute = true },
	{ "task", "task_rename" },	   { "sched", "sched_process_exec" },
	{ "sched", "sched_process_exit" }, { "cgroup", "cgroup_attach_task" },
	{ "module", "module_load" },	   { "module", "module_free" },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/*
 * Creates the sideband instance of @name, with its tracepoints enabled
 * @of: settings of that instance, whose clock is shared
 * @out: NULL if the kernel has none of them
 *
 * Returns -1 with @error.
 */
static int sideband_open(struct instance **out, const char *name,
			 const struct instance_settings *of, struct error *error)
{
	const struct instance_settings settings = { .mode = buffer_modes,
						    .clock = of->clock,
						    .buffer_kib = SIDEBAND_KIB,
						    .writes = of->writes };
	struct error ignored = { 0 };
	const char *tracefs;
	bool is_enabled = false, has_any = false;

	*out = NULL;
	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	for (size_t i = 0; i < NR_ROWS && !has_any; i++) {
		SCOPED_BUFFER(path);

		buffer_printf(&path, "%s/events/%s/%s/enable", tracefs, rows[i].system,
			      rows[i].event);
		has_any = file_find_built(AT_FDCWD, &path) == 0;
		if (!has_any && errno == ENOMEM)
			return error_set(error, "out of memory");
	}
	if (!has_any)
		return 0;
	if (companion_open(out, name, INSTANCE_SIDEBAND, &settings, error) < 0)
		return -1;
	/* One that the kernel lacks, or that cannot be enabled, is left out. */
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (!rows[i].is_substitute || !is_enabled)
			is_enabled = instance_enable(*out, rows[i].system, rows[i].event, NULL,
						     &ignored) == 0;
	}
	if (instance_resize(*out, error) == 0)
		return 0;
	instance_remove(*out, &ignored);
	*out = NULL;
	return -1;
}

/* Creates the companions of an instance; returns -1 with @error. */
static int companions_create(struct instance *instance, const struct instance_settings *settings,
			     struct error *error)
{
	struct instance_settings convention = *settings;
	struct instance **last = &instance->next;

	convention.buffer_kib = settings->convention_kib;
	convention.has_markers = false;
	if (convention.buffer_kib > 0) {
		if (companion_open(last, instance_name(instance), INSTANCE_CONVENTION, &convention,
				   error) < 0)
			return -1;
		last = &(*last)->next;
	}
	return sideband_open(last, instance_name(instance), settings, error);
}

int instance_create(struct instance **out, const struct instance_settings *settings,
		    struct error *error)
{
	struct error ignored = { 0 };

	if (instance_open_named(out, NULL, settings, error) < 0)
		return -1;
	/* Without its number, this process is recorded as any other. */
	if ((*out)->own_tid == 0)
		(*out)->own_tid = instance_find_writer(*out, instance_write_text, NULL, &ignored);
	if ((*out)->own_tid < 0)
		(*out)->own_tid = 0;
	if (companions_create(*out, settings, error) == 0)
		return 0;
	instance_remove(*out, &ignored);
	*out = NULL;
	return -1;
}

/* Opens an existing instance without changing its owner. */
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

int instance_adopt(struct instance **out, const char *name, const struct report *writes,
		   struct error *error)
{
	struct instance **last;

	if (instance_adopt_one(out, name, writes, error) < 0)
		return -1;
	if (!*out)
		return 0;
	last = &(*out)->next;
	for (int kind = INSTANCE_MAIN + 1; kind < INSTANCE_KINDS; kind++) {
		char own_name[INSTANCE_NAME_SIZE];
		int status;

		snprintf(own_name, sizeof(own_name), "%s%s", name, instance_suffixes[kind]);
		status = instance_adopt_one(last, own_name, writes, error);
		if (*last) {
			(*last)->kind = kind;
			last = &(*last)->next;
		}
		if (status < 0)
			return -1;
	}
	return 0;
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

/* Opens an instance, or with @name NULL the top level, without changing it. */
static int instance_attach_one(struct instance **out, const char *name, struct error *error)
{
	char called[sizeof(error->text)];
	struct instance *instance = instance_alloc(error);

	if (!instance)
		return -1;
	instance->is_attached = true;
	instance->handle = tracefs_instance_alloc(NULL, name);
	if (instance->handle)
		instance->directory = tracefs_instance_get_dir(instance->handle);
	if (instance->directory) {
		snprintf(called, sizeof(called), "the tracing instance %s",
			 instance_name(instance));
		instance->lock_fd = instance_lock(instance->directory, called, error);
	} else {
		error_set_system(error, errno, "cannot open the tracing instance %s",
				 instance_name(instance));
	}
	if (instance->lock_fd >= 0) {
		*out = instance;
		return 0;
	}
	instance_close(instance);
	return -1;
}

static bool instance_exists(const char *name)
{
	SCOPED_BUFFER(directory);

	return instance_find(&directory, name, &(struct error){ 0 }) == 0;
}

int instance_attach(struct instance **out, const char *name, struct error *error)
{
	SCOPED_BUFFER(directory);
	struct instance **last = out;
	int status;

	*out = NULL;
	/* libtracefs has no name for the top level, unless there is an instance of that name. */
	if (strcmp(name, INSTANCE_TOP) == 0 && !instance_exists(name))
		name = NULL;
	if (instance_find(&directory, name, error) < 0)
		return -1;
	status = instance_attach_one(last, name, error);
	/* A killed run leaves several. */
	for (int kind = INSTANCE_MAIN + 1; name && status == 0 && kind < INSTANCE_KINDS; kind++) {
		char own_name[NAME_MAX + 1];
		size_t size = snprintf(own_name, sizeof(own_name), "%s%s", name,
				       instance_suffixes[kind]);

		if (size >= sizeof(own_name) || !instance_exists(own_name))
			continue;
		last = &(*last)->next;
		status = instance_attach_one(last, own_name, error);
		if (status == 0)
			(*last)->kind = kind;
	}
	if (status == 0)
		return 0;
	instance_close(*out);
	*out = NULL;
	return -1;
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

struct instance *instance_companion(const struct instance *instance, enum instance_kind kind)
{
	while (instance && instance->kind != kind)
		instance = instance->next;
	return (struct instance *)instance;
}

struct instance_paths instance_directories(const struct instance *instance)
{
	struct instance_paths paths = { 0 };

	for (; instance; instance = instance->next)
		paths.list[instance->kind] = instance->directory;
	return paths;
}

int instance_start(struct instance *instance, struct error *error)
{
	if (!instance || instance->is_attached)
		return 0;
	if (instance->next && instance_start(instance->next, error) < 0)
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
	return instance->next ? instance_stop(instance->next, error) : 0;
}

/* Closes the files of stacks, which keep the kernel from removing the instance. */
static void instance_close_stacks(struct instance *instance)
{
	for (size_t i = 0; i < instance->nr_stacks; i++)
		stack_trigger_close(&instance->stacks[i]);
	free(instance->stacks);
	instance->stacks = NULL;
	instance->nr_stacks = 0;
	file_close(instance->marker_fd);
	instance->marker_fd = -1;
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
	instance_close(instance->next);
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
	if (instance && instance->next) {
		if (instance_remove(instance->next, status < 0 ? &ignored : error) < 0)
			status = -1;
		instance->next = NULL;
	}
	instance_close(instance);
	return status;
}

/* How large the buffers of an instance are. */

static uint64_t instance_read_size(const struct instance *instance, const char *file)
{
	char *text = tracefs_instance_file_read(instance->handle, file, NULL);
	uint64_t size_kib = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return size_kib;
}

/* The kernel prints "X" if the sizes differ. */
uint64_t instance_buffer_kib(const struct instance *instance)
{
	return instance_read_size(instance, "buffer_size_kb");
}

uint64_t instance_memory_kib(const struct instance *instance)
{
	uint64_t size_kib;

	if (!instance)
		return 0;
	size_kib = instance_read_size(instance, "buffer_total_size_kb");
	return size_kib + instance_memory_kib(instance->next);
}

/* The next instance of the list that records what was selected. */
static struct instance *selected_next(const struct instance *instance)
{
	struct instance *next = instance->next;

	return next && next->kind != INSTANCE_SIDEBAND ? next : NULL;
}

/*
 * The buffer is resized after the events are enabled. Older kernels (6.1) have one flag for all
 * instances that buffers have been expanded from their boot size. Enabling an event expands the top
 * level's buffer and sets the flag. If a resize of any instance sets it first, the top level's
 * buffer keeps its few KiB forever.
 */
static int instance_resize_one(struct instance *instance, struct error *error)
{
	char size[32];

	snprintf(size, sizeof(size), "%llu", (unsigned long long)instance->buffer_kib);
	instance_try_write(instance, "buffer_percent", BUFFER_PERCENT);
	if (instance_try_write(instance, "buffer_size_kb", size))
		return 0;
	if (errno == ENOMEM)
		return error_set(error,
				 "buffers of %s KiB for each CPU: %s; use smaller ones "
				 "(-b), see 'ktrack doctor'",
				 size, strerror(errno));
	return error_set_system(error, errno, "cannot write '%s' to %s/buffer_size_kb", size,
				instance->directory);
}

int instance_resize(struct instance *instance, struct error *error)
{
	int status = 0;

	for (; instance && status == 0; instance = selected_next(instance))
		status = instance_resize_one(instance, error);
	return status;
}

/* The tracepoints that an instance records: enabling, filters, changes of their state. */

/* If the kernel refuses a filter, the file of the filter contains its reason. */
static int filter_fail(const struct instance *instance, int number, const char *system,
		       const char *event, const char *filter, const struct error *problem,
		       struct error *error)
{
	static const char head[] = "parse_error: ";
	SCOPED_BUFFER(text);
	const char *reason = NULL;

	if (event_file_read(instance->control.events_fd, system, event, "filter", &text) == 0)
		reason = strstr(buffer_string(&text), head);
	if (!reason)
		return error_set_system(error, number,
					"cannot write '%s' to %s/events/%s/%s/filter", filter,
					instance->directory, system, event);
	reason += strlen(head);
	return error_set(error, "the kernel refuses '%s' as a filter of %s:%s: %.*s%s%s", filter,
			 system, event, (int)strcspn(reason, "\n"), reason,
			 *problem->text ? ": " : "", problem->text);
}

/* The filter goes with the instance. */
static int event_filter(struct instance *instance, const char *system, const char *event,
			const char *text, struct error *error)
{
	SCOPED_BUFFER(filter);
	struct error problem = { 0 };
	int fd, status = 0;

	control_translate_filter(&instance->control, system, event, text, &filter, &problem);
	fd = control_open_event(&instance->control, system, event, "filter", O_WRONLY | O_TRUNC);
	if (fd < 0 || retry_write(fd, buffer_string(&filter), filter.size) < 0)
		status = filter_fail(instance, errno, system, event, text, &problem, error);
	else
		control_report_event_write(&instance->control, system, event, "filter",
					   buffer_string(&filter));
	if (fd >= 0)
		close(fd);
	return status;
}

int instance_enable(struct instance *instance, const char *system, const char *event,
		    const char *filter, struct error *error)
{
	if (filter && event_filter(instance, system, event, filter, error) < 0)
		return -1;
	return enabled_add(&instance->enabled, &instance->control, system, event,
			   instance->enabled_lock, error);
}

int instance_watch(struct instance *instance, struct error *error)
{
	return changes_open(&instance->changes, instance, error);
}

int instance_watch_fd(const struct instance *instance)
{
	return instance->changes ? changes_fd(instance->changes) : -1;
}

int instance_look_writes(const struct instance *instance, const struct instance_observer *observer,
			 struct error *error)
{
	struct instance_change change;

	if (!instance->changes || !changes_take(instance->changes, &change))
		return 0;
	return observer->change(observer->context, &change, error);
}

int instance_look(struct instance *instance, const struct instance_observer *observer,
		  struct error *error)
{
	int status = instance_look_writes(instance, observer, error);

	for (; instance && status == 0; instance = selected_next(instance))
		status = enabled_look_all(&instance->enabled, instance->kind, observer, error);
	return status;
}

void instance_release_events(struct instance *instance)
{
	for (; instance; instance = selected_next(instance))
		enabled_release_all(&instance->enabled);
}

/* The instance of the list that records a tracepoint, NULL for none. */
static const struct instance *instance_of_event(const struct instance *instance, const char *system,
						const char *event)
{
	while (instance && !enabled_has(&instance->enabled, system, event))
		instance = selected_next(instance);
	return instance;
}

bool instance_has_event(const struct instance *instance, const char *system, const char *event)
{
	return instance_of_event(instance, system, event);
}

bool instance_sideband_has_id(const struct instance *instance, unsigned int id)
{
	struct instance *sideband = instance_companion(instance, INSTANCE_SIDEBAND);

	return sideband && enabled_has_id(&sideband->enabled, &sideband->control, id);
}

size_t instance_count_events(const struct instance *instance, enum instance_kind kind)
{
	const struct instance *own = instance_companion(instance, kind);

	return own ? enabled_recorded(&own->enabled) : 0;
}

/* Lets an instance record only what some threads, or some CPUs, write. */

/* Children are followed first, so that none is missed. */
static int follow_by(struct instance *instance, const char *option, const char *file, pid_t pid,
		     struct error *error)
{
	char number[32];

	if (instance_write(instance, option, "1", error) < 0)
		return -1;
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (instance_append(instance, file, number))
		return 0;
	return error_set_system(error, errno, "cannot append '%s' to %s/%s", number,
				instance->directory, file);
}

int instance_follow(struct instance *instance, pid_t pid, struct error *error)
{
	if (instance->traces_functions &&
	    follow_by(instance, "options/function-fork", "set_ftrace_pid", pid, error) < 0)
		return -1;
	for (; instance; instance = selected_next(instance)) {
		if (follow_by(instance, "options/event-fork", "set_event_pid", pid, error) < 0)
			return -1;
	}
	return 0;
}

int instance_limit_cpus(struct instance *instance, const cpu_set_t *cpus, struct error *error)
{
	SCOPED_BUFFER(mask);
	SCOPED_BUFFER(path);
	int status = 0;

	for (int group = CPU_SETSIZE / 32 - 1; group >= 0; group--) {
		uint32_t bits = 0;

		for (int cpu = 32 * group; cpu < 32 * group + 32; cpu++) {
			if (!CPU_ISSET(cpu, cpus))
				continue;
			buffer_clear(&path);
			buffer_printf(&path, "%s/per_cpu/cpu%d", instance->directory, cpu);
			if (status == 0 && file_find_built(AT_FDCWD, &path) < 0)
				status = error_set(error, "this machine has no CPU %d", cpu);
			bits |= UINT32_C(1) << cpu % 32;
		}
		if (bits || mask.size || group == 0)
			buffer_printf(&mask, mask.size ? ",%08x" : "%x", bits);
	}
	instance->limits_cpus |= status == 0;
	for (; instance && status == 0; instance = selected_next(instance))
		status = instance_write(instance, "tracing_cpumask", buffer_string(&mask), error);
	return status;
}

/* Lets an instance record the calls of functions by the tracer function_graph. */

#define FUNCTION_GRAPH "function_graph"
/* The first line of an empty filter. */
#define ALL_FUNCTIONS "#### all functions enabled"
/* A function that exists in every kernel, and that is called at most once, at the end. */
#define QUIET_FUNCTION "kernel_restart"

/* Only an instance shows which tracers it can have. */
int instance_test_functions(bool *can, struct error *error)
{
	const struct instance_settings settings = { .mode = &buffer_modes[0],
						    .clock = "boot",
						    .buffer_kib = 1 };
	struct instance *instance;
	char *tracers;

	*can = false;
	if (instance_open_named(&instance, NULL, &settings, error) < 0)
		return -1;
	tracers = tracefs_instance_file_read(instance->handle, "available_tracers", NULL);
	*can = tracers && strstr(tracers, FUNCTION_GRAPH);
	free(tracers);
	return instance_remove(instance, error);
}

char *functions_read(struct error *error)
{
	char *list = tracefs_instance_file_read(NULL, "available_filter_functions", NULL);

	if (!list)
		error_set_system(error, errno, "cannot read available_filter_functions in tracefs");
	return list;
}

int instance_choose_functions(struct instance *instance, const char *pattern, bool is_excluded,
			      struct error *error)
{
	const char *file = is_excluded ? "set_ftrace_notrace" : "set_ftrace_filter";
	SCOPED_BUFFER(line);

	/* Without the newline, the kernel reads the pattern at close(2), whose error nobody sees.
	 */
	buffer_printf(&line, "%s\n", pattern);
	if (line.failed)
		return error_set(error, "out of memory");
	if (instance_append(instance, file, buffer_string(&line)))
		return 0;
	if (errno == EINVAL)
		return error_set(error,
				 "'%s': no such function can be traced; see "
				 "available_filter_functions in tracefs",
				 pattern);
	return error_set_system(error, errno, "cannot append '%s' to %s/%s", pattern,
				instance->directory, file);
}

int instance_trace_functions(struct instance *instance, struct error *error)
{
	char *filter = tracefs_instance_file_read(instance->handle, "set_ftrace_filter", NULL);
	bool is_empty = !filter || strncmp(filter, ALL_FUNCTIONS, strlen(ALL_FUNCTIONS)) == 0;

	free(filter);
	instance->traces_functions = true;
	/* Only modules that are not loaded were chosen: an empty filter would mean all functions.
	 */
	if (is_empty && instance_choose_functions(instance, QUIET_FUNCTION, false, error) < 0)
		return -1;
	return instance_write(instance, "current_tracer", FUNCTION_GRAPH, error);
}

bool instance_traces_functions(const struct instance *instance)
{
	return instance->traces_functions;
}

/* Lets an instance record kernel stacks, but not too many. */

int instance_add_stack(struct instance *instance, const char *system, const char *event,
		       const char *filter, uint64_t limit, struct error *error)
{
	const struct instance *owner = instance_of_event(instance, system, event);

	if (!array_reserve(instance->stacks, instance->nr_stacks))
		return error_set(error, "out of memory");
	if (instance->marker_fd < 0)
		instance->marker_fd = file_open_in(instance->directory, "trace_marker", O_WRONLY,
						   error);
	if (instance->marker_fd < 0)
		return -1;
	return stack_trigger_set(&instance->stacks[instance->nr_stacks++],
				 owner ? &owner->control : &instance->control, system, event,
				 filter, limit, error);
}

bool instance_has_stacks(const struct instance *instance)
{
	return instance->nr_stacks > 0;
}

uint32_t instance_refill_stacks(const struct instance *instance)
{
	uint32_t exhausted = 0;

	for (size_t i = 0; i < instance->nr_stacks; i++) {
		if (stack_trigger_refill(&instance->stacks[i]))
			exhausted |= UINT32_C(1) << i;
	}
	return exhausted;
}

void instance_write_marker(const struct instance *instance, struct text text)
{
	/* A full buffer or a stopped recording has no place for it. */
	if (instance->marker_fd >= 0 && retry_write(instance->marker_fd, text.data, text.size) < 0)
		return;
}

/* Finds the kernel's number of a process in a PID namespace: it is in the records that it writes.
 */

/* A sub-buffer, also of kernels with larger pages. */
#define SUB_BUFFER_SIZE 65536
/* In the common fields of records, whose places no kernel has changed. */
#define PID_OFFSET 4

int instance_write_text(void *context, const char *path, struct error *error)
{
	/* The kernel takes no text from a page that this process has not touched. */
	const char text[] = WRITER_TEXT;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int status = 0;

	(void)context;
	if (fd < 0 || retry_write(fd, text, sizeof(text) - 1) < 0)
		status = error_set_system(error, errno, "cannot write to %s", path);
	file_close(fd);
	return status;
}

/* Returns the number of the thread that wrote the text; 0 if it is not in this sub-buffer. */
static int writer_find(const void *bytes, size_t size)
{
	struct record record = { 0 };
	struct page page;
	int32_t tid;

	page_load(&page, (struct page_layout){ 0 }, bytes, size);
	while (page_next(&page, &record)) {
		if (!memmem(record.data, record.size, WRITER_TEXT, strlen(WRITER_TEXT)))
			continue;
		memcpy(&tid, record.data + PID_OFFSET, sizeof(tid));
		return tid;
	}
	return 0;
}

/* Searches the buffers of all CPUs, and empties them. */
static int writer_find_any(struct instance *instance, struct error *error)
{
	void *bytes = malloc(SUB_BUFFER_SIZE);
	int tid = 0;

	for (int cpu = 0; bytes && tid == 0 && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		char file[64];
		ssize_t size;
		int fd;

		snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", cpu);
		fd = file_open_in(instance->directory, file, O_RDONLY | O_NONBLOCK,
				  &(struct error){ 0 });
		size = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, bytes, SUB_BUFFER_SIZE));
		file_close(fd);
		if (size > 0)
			tid = writer_find(bytes, size);
	}
	free(bytes);
	/* Also resets the counts. */
	if (tid > 0 && instance_write(instance, "trace", "\n", error) == 0)
		return tid;
	return tid > 0 ? -1
		       : error_set(error, "%s: no record of a text written to trace_marker",
				   instance->directory);
}

int instance_find_writer(struct instance *instance,
			 int (*write)(void *context, const char *path, struct error *error),
			 void *context, struct error *error)
{
	SCOPED_BUFFER(path);
	int status;

	buffer_printf(&path, "%s/trace_marker", instance->directory);
	status = control_switch(&instance->control, true, error);
	if (status == 0)
		status = write(context, buffer_string(&path), error);
	if (control_switch(&instance->control, false, status < 0 ? &(struct error){ 0 } : error) <
	    0)
		status = -1;
	return status < 0 ? -1 : writer_find_any(instance, error);
}

int instance_own_tid(const struct instance *instance)
{
	return instance->own_tid;
}

/* The ways to buffer records. */

const struct buffer_mode buffer_modes[] = {
	{ "streaming", .overwrites = true },
	{ STATISTICS_CIRCULAR, .overwrites = true, .is_read_at_end = true },
	{ STATISTICS_ONESHOT, .is_read_at_end = true },
	{ NULL },
};

const struct buffer_mode *buffer_mode_find(const char *name)
{
	for (const struct buffer_mode *mode = buffer_modes; mode->name; mode++) {
		if (strcmp(mode->name, name) == 0)
			return mode;
	}
	return NULL;
}

/* Properties of trace clocks. */

/* Trace clocks that are system clocks. */
static const struct {
	const char *name;
	clockid_t id;
} wall_clocks[] = {
	{ "boot", CLOCK_BOOTTIME },
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "tai", CLOCK_TAI },
};

bool trace_clock_find(const char *name, clockid_t *out)
{
	for (size_t i = 0; i < sizeof(wall_clocks) / sizeof(wall_clocks[0]); i++) {
		if (strcmp(wall_clocks[i].name, name) != 0)
			continue;
		*out = wall_clocks[i].id;
		return true;
	}
	return false;
}

bool trace_clock_counts_ticks(const char *name)
{
	static const char *const clocks[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };

	for (size_t i = 0; name && i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(name, clocks[i]) == 0)
			return true;
	}
	return false;
}

bool sideband_records(const char *system, const char *event)
{
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (strcmp(rows[i].system, system) == 0 &&
		    (!event || strcmp(rows[i].event, event) == 0))
			return true;
	}
	return false;
}

int instance_paths_find(struct instance_paths *out, const char *directory, struct error *error)
{
	*out = (struct instance_paths){ 0 };
	out->list[INSTANCE_MAIN] = strdup(directory);
	if (!out->list[INSTANCE_MAIN])
		return error_set(error, "out of memory");
	for (int kind = INSTANCE_MAIN + 1; kind < INSTANCE_KINDS; kind++) {
		char *path;

		if (asprintf(&path, "%s%s", directory, instance_suffixes[kind]) < 0)
			return error_set(error, "out of memory");
		out->list[kind] = path;
		if (access(path, F_OK) == 0)
			continue;
		/* An instance's name may have no space for the suffix. */
		if (errno != ENOENT && errno != ENAMETOOLONG)
			return error_set_system(error, errno, "cannot find %s", path);
		free(path);
		out->list[kind] = NULL;
	}
	return 0;
}

void instance_paths_release(struct instance_paths *paths)
{
	for (int kind = 0; kind < INSTANCE_KINDS; kind++)
		free(paths->list[kind]);
	*paths = (struct instance_paths){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A folder that stands for tracefs. What the kernel does there is done here: a new folder in
 * instances/ is filled with control files, and can be removed although it is not empty.
 */
#ifndef UNIT_TRACEFS_H
#define UNIT_TRACEFS_H

#include <sys/syscall.h>
#include <tracefs.h>

#include "folder.h"
#include "recorder/mark.h"
#include "recorder/recorder.h"
#include "tap.h"

/**
 * struct tracefs - what our kernel does
 * @missing: the control file that new instances lack
 * @make_errno, @remove_errno: why mkdir and rmdir fail, 0 where they do not
 * @busy_times: how often rmdir fails, 0 for always
 * @last: the control files' contents when the last instance was removed
 */
struct tracefs {
	struct folder top;
	const char *missing;
	int make_errno;
	int remove_errno;
	int busy_times;
	struct buffer last;
};

static struct tracefs tracefs;

static const char *const control_files[] = {
	"tracing_on",
	"trace_clock",
	"buffer_size_kb",
	"buffer_percent",
	"options/overwrite",
	"options/record-tgid",
	"events/demo/io/enable",
	"events/demo/work/enable",
	"events/demo/work/filter",
	"options/event-fork",
	"set_event_pid",
	"tracing_cpumask",
	"per_cpu/cpu0/stats",
	"per_cpu/cpu1/stats",
	"per_cpu/cpu33/stats",
	"per_cpu/cpu0/buffer_size_kb",
	"per_cpu/cpu1/buffer_size_kb",
	"per_cpu/cpu33/buffer_size_kb",
	"events/task/task_newtask/enable",
	"events/task/task_rename/enable",
	"events/sched/sched_process_fork/enable",
};

#define NR_CONTROL_FILES (sizeof(control_files) / sizeof(control_files[0]))

/* Whether @path is that of an instance; the tests' own folders are none. */
static inline bool path_is_instance(const char *path)
{
	const char *instances = strstr(path, "/instances/");

	return instances && !strchr(instances + strlen("/instances/"), '/');
}

static inline void instance_fill(const char *path)
{
	struct folder instance;

	snprintf(instance.path, sizeof(instance.path), "%s", path);
	for (size_t i = 0; i < NR_CONTROL_FILES; i++) {
		if (!tracefs.missing || strcmp(tracefs.missing, control_files[i]) != 0)
			folder_add_text(&instance, control_files[i], "as it was");
	}
}

/* Marks an instance as a ktrack does, once it has all files that tests add to it. */
static inline void instance_mark(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	mark_set(fd);
	close(fd);
}

static inline void instance_note(const struct folder *instance)
{
	buffer_clear(&tracefs.last);
	for (size_t i = 0; i < NR_CONTROL_FILES; i++) {
		buffer_printf(&tracefs.last, "%s=", control_files[i]);
		file_read(folder_path(instance, control_files[i]), &tracefs.last);
		buffer_append_char(&tracefs.last, '\n');
	}
}

/* Take the place of the C library's, for libtracefs too. */
__attribute__((visibility("default"))) int mkdir(const char *path, mode_t mode)
{
	bool is_instance = path_is_instance(path);

	if (is_instance && tracefs.make_errno) {
		errno = tracefs.make_errno;
		return -1;
	}
	if (syscall(SYS_mkdirat, AT_FDCWD, path, mode) < 0)
		return -1;
	if (is_instance)
		instance_fill(path);
	return 0;
}

/* Removes an instance, as far as the kernel lets one. */
static inline int instance_remove(const char *path)
{
	struct folder instance;

	if (tracefs.remove_errno) {
		errno = tracefs.remove_errno;
		if (tracefs.busy_times > 0 && --tracefs.busy_times == 0)
			tracefs.remove_errno = 0;
		return -1;
	}
	snprintf(instance.path, sizeof(instance.path), "%s", path);
	instance_note(&instance);
	folder_remove(&instance);
	return 0;
}

__attribute__((visibility("default"))) int rmdir(const char *path)
{
	return path_is_instance(path) ? instance_remove(path)
				      : syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* Whether a descriptor is of the directory that has all instances. */
static inline bool is_of_instances(int fd)
{
	struct stat ours, its;

	return fstat(fd, &its) == 0 && stat(folder_path(&tracefs.top, "instances"), &ours) == 0 &&
	       its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

__attribute__((visibility("default"))) int unlinkat(int fd, const char *name, int flags)
{
	char path[PATH_MAX];

	if (!(flags & AT_REMOVEDIR) || !is_of_instances(fd))
		return syscall(SYS_unlinkat, fd, name, flags);
	snprintf(path, sizeof(path), "%s/instances/%s", tracefs.top.path, name);
	return instance_remove(path);
}

/* Stands in for the library's, which reads the list of mounts. */
int tracefs_tracing_dir_is_mounted(bool mount, const char **path)
{
	CHECK(!mount);
	*path = tracefs.top.path;
	return 1;
}

static inline void tracefs_begin(void)
{
	tracefs = (struct tracefs){ 0 };
	folder_new(&tracefs.top);
	folder_make(&tracefs.top, "instances");
	chmod(folder_path(&tracefs.top, "instances"), 0700);
	tracefs_set_tracing_dir(tracefs.top.path);
}

static inline void tracefs_end(void)
{
	tracefs_set_tracing_dir(NULL);
	folder_remove(&tracefs.top);
	buffer_release(&tracefs.last);
}

/* Of the instance that the next recorder gets, if it is the @number-th. */
static inline const char *name_of(int number)
{
	static char name[64];

	snprintf(name, sizeof(name), number ? "ktrack-%d.%d" : "ktrack-%d", (int)getpid(), number);
	return name;
}

static inline bool instance_exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "instances/%s", name);
	return access(folder_path(&tracefs.top, path), F_OK) == 0;
}

static inline struct recorder *recorder_as(const struct recorder_settings *settings)
{
	struct recorder *recorder = NULL;
	struct error error = { 0 };

	CHECK_NUMBER(recorder_open(&recorder, settings, &error), 0);
	CHECK_TEXT(error.text, "");
	return recorder;
}

/* The usual settings, but for the size of the buffers. */
static inline struct recorder_settings settings_of(uint64_t buffer_kib)
{
	return (struct recorder_settings){ .mode = recorder_modes,
					   .clock = "boot",
					   .buffer_kib = buffer_kib };
}

static inline struct recorder *recorder_of(uint64_t buffer_kib)
{
	struct recorder_settings settings = settings_of(buffer_kib);

	return recorder_as(&settings);
}

/* What a file of an instance holds. */
static inline void check_file_in(const struct folder *instance, const char *name, const char *want)
{
	struct buffer got = { 0 };

	CHECK_NUMBER(file_read(folder_path(instance, name), &got), 0);
	CHECK_TEXT(buffer_string(&got), want);
	buffer_release(&got);
}

static inline void check_file(const struct recorder *recorder, const char *name, const char *want)
{
	struct folder instance;

	snprintf(instance.path, sizeof(instance.path), "%s", recorder_directory(recorder));
	check_file_in(&instance, name, want);
}

#endif

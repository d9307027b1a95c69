// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest: the least that a recording takes. Makes an instance and its sideband instance, sets their
 * clock and size, enables all tracepoints of a system, and starts. Argument: the system.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/necessary"
#define SIDEBAND INSTANCE ".sideband"
#define PATH_SIZE 512

static void fail(const char *path)
{
	perror(path);
	exit(1);
}

/* The file stays open, as it does in ktrack, which watches its tracepoints. */
static void put(const char *instance, const char *file, const char *value)
{
	char path[PATH_SIZE];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	fd = open(path, O_RDWR | O_TRUNC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		fail(path);
}

static void enable(const char *instance, const char *system, const char *event)
{
	char file[PATH_SIZE];

	snprintf(file, sizeof(file), "events/%s/%s/enable", system, event);
	put(instance, file, "1");
}

static void begin(const char *instance)
{
	if (mkdir(instance, 0700) < 0)
		fail(instance);
	put(instance, "tracing_on", "0");
	put(instance, "trace_clock", "boot");
}

static void end(const char *instance, const char *size_kib)
{
	put(instance, "buffer_percent", "50");
	put(instance, "buffer_size_kb", size_kib);
	put(instance, "tracing_on", "1");
}

static void enable_all(const char *system)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *events;

	snprintf(path, sizeof(path), TRACING "/events/%s", system);
	events = opendir(path);
	if (!events)
		fail(path);
	while ((entry = readdir(events))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			enable(INSTANCE, system, entry->d_name);
	}
	closedir(events);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	begin(INSTANCE);
	begin(SIDEBAND);
	enable(SIDEBAND, "task", "task_newtask");
	enable(SIDEBAND, "task", "task_rename");
	enable(SIDEBAND, "sched", "sched_process_exec");
	enable(SIDEBAND, "sched", "sched_process_exit");
	enable(SIDEBAND, "module", "module_load");
	enable(SIDEBAND, "module", "module_free");
	end(SIDEBAND, "56");
	enable_all(argv[1]);
	end(INSTANCE, "4096");
	return pause() < 0;
}

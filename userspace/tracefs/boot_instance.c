// SPDX-License-Identifier: GPL-2.0-only
/* Opens, fills and empties an instance whose buffer survives a restart. */
#include "tracefs/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/instance_state.h"

/* Where the kernel's code begins if its address is not random. */
#define TEXT_BEGIN UINT64_C(0xffffffff81000000)
/* A file that only instances with such a buffer have. */
#define LAST_BOOT "last_boot_info"
#define NO_FILTER "none"

int boot_instance_open(struct boot_instance *boot, const char *name, const struct report *writes,
		       struct error *error)
{
	char called[sizeof(error->text)];
	SCOPED_BUFFER(directory);
	int probe;

	*boot = (struct boot_instance)BOOT_INSTANCE_NONE;
	boot->writes = writes;
	if (instance_find(&directory, name, &(struct error){ 0 }) == 0)
		boot->directory = strdup(buffer_string(&directory));
	if (!boot->directory)
		return error_set(error,
				 "%s: no such tracing instance; boot with trace_instance=%s@..., "
				 "see ktrack-watch(1)",
				 name, name);
	probe = file_open_in(boot->directory, LAST_BOOT, O_RDONLY, error);
	file_close(probe);
	if (probe < 0)
		return error_set(error,
				 "%s: its buffer does not survive a restart; boot with "
				 "trace_instance=%s@..., see ktrack-watch(1)",
				 name, name);
	snprintf(called, sizeof(called), "the tracing instance %s", name);
	boot->lock_fd = instance_lock(boot->directory, called, error);
	return boot->lock_fd < 0 ? -1 : 0;
}

uint64_t boot_instance_count(const struct boot_instance *boot, struct buffer *cpus)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t nr_records = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct error ignored = { 0 };
		struct statistics statistics = { 0 };
		int fd = cpu_file_open(boot->directory, cpu, "stats", O_RDONLY, &ignored);

		if (fd >= 0 && statistics_load(&statistics, fd, cpu, &ignored) < 0)
			statistics.unread = 0;
		file_close(fd);
		nr_records += statistics.unread;
		if (statistics.unread > 0)
			buffer_printf(cpus, "%s%d", cpus->size > 0 ? "," : "", cpu);
	}
	return nr_records;
}

bool boot_instance_shift(const struct boot_instance *boot, uint64_t then, uint64_t now)
{
	SCOPED_BUFFER(content);
	unsigned long long number;
	const char *text;
	long long delta;

	if (file_read_in(boot->directory, LAST_BOOT, &content) < 0)
		return true;
	/* Kernels up to 6.14 print how far the code moved, later ones where it was. */
	text = buffer_string(&content);
	if (sscanf(text, "text delta: %lld", &delta) == 1)
		return then + (uint64_t)delta == now;
	if (sscanf(text, "%llx [kernel]", &number) == 1)
		return number == then || number + TEXT_BEGIN == then;
	return !strstr(text, "Current") || then == now;
}

/* @flags: O_TRUNC empties the file first, O_APPEND does not */
static int boot_write(struct boot_instance *boot, const char *file, int flags, const char *value,
		      struct error *error)
{
	const char *directory = boot->directory;
	int fd = file_open_in(directory, file, O_WRONLY | flags, error);
	int status = 0;

	if (fd < 0)
		return -1;
	if (retry_write(fd, value, strlen(value)) < 0)
		status = error_set_system(error, errno, "cannot write '%s' to %s/%s", value,
					  directory, file);
	else
		report_message(boot->writes, "write '%s' to %s/%s", value, directory, file);
	close(fd);
	return status;
}

/* Any write to the list of tracepoints wipes the records of an earlier boot. */
int boot_instance_clear(struct boot_instance *boot, struct error *error)
{
	if (boot_write(boot, "trace", O_TRUNC, "\n", error) < 0)
		return -1;
	return boot_write(boot, "events/enable", O_TRUNC, "0", error);
}

int boot_instance_prepare(struct boot_instance *boot, const char *clock, struct error *error)
{
	if (boot_instance_stop(boot, error) < 0 || boot_instance_clear(boot, error) < 0)
		return -1;
	return boot_write(boot, "trace_clock", O_TRUNC, clock, error);
}

static void event_path(struct buffer *out, const char *system, const char *event, const char *file)
{
	buffer_clear(out);
	buffer_append_string(out, "events/");
	event_path_append(out, system, event, file);
}

/* A tracepoint without a filter file has no filter. */
static int filter_read(const char *directory, const char *file, struct buffer *out,
		       struct error *error)
{
	if (file_read_in(directory, file, out) < 0) {
		buffer_clear(out);
		return errno == ENOENT ? 0
				       : error_set_system(error, errno, "cannot read %s/%s",
							  directory, file);
	}
	while (out->size > 0 && out->data[out->size - 1] == '\n')
		out->size--;
	if (strcmp(buffer_string(out), NO_FILTER) == 0)
		buffer_clear(out);
	return 0;
}

static int event_copy(struct boot_instance *boot, const char *directory, const char *system,
		      const char *event, struct error *error)
{
	SCOPED_BUFFER(file);
	SCOPED_BUFFER(filter);

	event_path(&file, system, event, "filter");
	if (filter_read(directory, buffer_string(&file), &filter, error) < 0 ||
	    (filter.size > 0 &&
	     boot_write(boot, buffer_string(&file), O_TRUNC, buffer_string(&filter), error) < 0))
		return -1;
	event_path(&file, system, event, "enable");
	return boot_write(boot, buffer_string(&file), O_TRUNC, "1", error);
}

/* Lines SYSTEM:EVENT. */
static int events_read(const char *directory, struct buffer *out, struct error *error)
{
	if (file_read_in(directory, "set_event", out) == 0)
		return 0;
	return error_set_system(error, errno, "cannot read %s/set_event", directory);
}

int boot_instance_copy(struct boot_instance *boot, const char *directory, struct error *error)
{
	SCOPED_BUFFER(wanted);
	SCOPED_BUFFER(have);
	int status = 0;
	char *rest, *line, *colon;

	/* Have lines between newlines. */
	buffer_append_char(&have, '\n');
	if (events_read(directory, &wanted, error) < 0 ||
	    events_read(boot->directory, &have, error) < 0)
		return -1;
	buffer_append_char(&have, '\n');
	rest = (char *)buffer_string(&wanted);
	while (status == 0 && (line = strsep(&rest, "\n"))) {
		SCOPED_BUFFER(whole);

		colon = strchr(line, ':');
		buffer_printf(&whole, "\n%s\n", line);
		if (whole.failed || have.failed)
			return error_set(error, "out of memory");
		if (!colon || strstr(buffer_string(&have), buffer_string(&whole)))
			continue;
		*colon = '\0';
		status = event_copy(boot, directory, line, colon + 1, error);
	}
	return status;
}

void boot_instance_mark(struct boot_instance *boot, const char *text, struct buffer *cpus)
{
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before) < 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		/* Other threads of ours do not exist; the kernel moves this one at once. */
		if (sched_setaffinity(0, sizeof(one), &one) == 0 &&
		    boot_write(boot, "trace_marker", 0, text, &(struct error){ 0 }) == 0)
			buffer_printf(cpus, "%s%d", cpus->size > 0 ? "," : "", cpu);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

/* Other programs' texts are copied only while the instance is on, see control_switch(). */
static int boot_switch(struct boot_instance *boot, bool is_on, bool has_markers,
		       struct error *error)
{
	struct control control = CONTROL_NONE;
	int status;

	control.writes = boot->writes;
	status = control_open(&control, boot->directory, error);
	if (status == 0)
		status = control_switch(&control, is_on, error);
	if (status == 0 && is_on && has_markers && control_can_copy(&control))
		status = control_copy(&control, error);
	control_close(&control);
	return status;
}

int boot_instance_start(struct boot_instance *boot, bool has_markers, struct error *error)
{
	return boot_switch(boot, true, has_markers, error);
}

int boot_instance_stop(struct boot_instance *boot, struct error *error)
{
	return boot_switch(boot, false, false, error);
}

void boot_instance_close(struct boot_instance *boot)
{
	file_close(boot->lock_fd);
	free(boot->directory);
	*boot = (struct boot_instance)BOOT_INSTANCE_NONE;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Finds tracefs, and the tracepoints that it offers. */
#include "tracefs/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/lockdown.h"

/* Reading the mounts and the lockdown state once is enough. */
static const char *usable_directory;

int tracefs_directory(const char **out, struct error *error)
{
	const char *directory = NULL;
	int mounted;

	*out = usable_directory;
	if (usable_directory)
		return 0;
	mounted = tracefs_tracing_dir_is_mounted(false, &directory);
	if (mounted <= 0 || !directory)
		return error_set(error, "tracefs is not mounted; as root: mount -t tracefs nodev "
					"/sys/kernel/tracing");
	if (access(directory, R_OK | X_OK) < 0) {
		return error_set(error, "%s: %s; %s", directory, strerror(errno),
				 geteuid() == 0 ? "is the kernel locked down?"
						: "run ktrack as root (sudo)");
	}
	if (lockdown_check(directory, error) < 0)
		return -1;
	*out = usable_directory = directory;
	return 0;
}

int events_open(struct error *error)
{
	const char *directory;

	if (tracefs_directory(&directory, error) < 0)
		return -1;
	return file_open_in(directory, "events", O_PATH | O_DIRECTORY, error);
}

int event_file_read(int events_fd, const char *system, const char *event, const char *file,
		    struct buffer *out)
{
	struct buffer path = { 0 };
	int status, number;

	buffer_printf(&path, "%s/%s/%s", system, event, file);
	status = file_read_at(events_fd, buffer_string(&path), out);
	number = errno;
	buffer_release(&path);
	errno = number;
	return status;
}

/*
 * Visits one tracepoint. Other entries are skipped, and tracepoints whose module was unloaded since
 * the directory was read.
 */
static int event_visit(int events_fd, const struct tracepoint_visitor *visitor, const char *system,
		       const char *name, struct error *error)
{
	struct tracepoint tracepoint = { .system = system, .name = name };
	struct buffer format = { 0 };
	int status = 0;

	if (visitor->wants && !visitor->wants(visitor->context, system, name))
		return 0;
	if (event_file_read(events_fd, system, name, "format", &format) == 0) {
		tracepoint.format = (struct text){ .data = buffer_string(&format),
						   .size = format.size };
		status = visitor->visit(visitor->context, &tracepoint, error);
	}
	buffer_release(&format);
	return status;
}

static int name_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int name_is_meant(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/**
 * names_read - the names in a directory below @events_fd, sorted, so that what is printed does not
 * depend on its order
 *
 * Returns how many, or -1 with errno; names_free() is fine in both cases.
 */
static int names_read(int events_fd, const char *directory, struct dirent ***out)
{
	*out = NULL;
	return scandirat(events_fd, directory, out, name_is_meant, name_compare);
}

static void names_free(struct dirent **names, int size)
{
	for (int i = 0; i < size; i++)
		free(names[i]);
	free(names);
}

/* Entries without an enable file are files, or the formats of ftrace's own records. */
static bool is_system(int events_fd, const char *name)
{
	struct buffer path = { 0 };
	bool has_switch;

	buffer_printf(&path, "%s/enable", name);
	has_switch = faccessat(events_fd, buffer_string(&path), F_OK, 0) == 0;
	buffer_release(&path);
	return has_switch;
}

static int system_visit(int events_fd, const struct tracepoint_visitor *visitor, const char *system,
			struct error *error)
{
	struct dirent **names;
	int size, status = 0;

	if (visitor->wants_system && !visitor->wants_system(visitor->context, system))
		return 0;
	/* The tracers' records have formats, but cannot be enabled; few visitors want them. */
	if (!is_system(events_fd, system) &&
	    !(visitor->wants_system && strcmp(system, "ftrace") == 0))
		return 0;
	size = names_read(events_fd, system, &names);
	for (int i = 0; i < size && status == 0; i++)
		status = event_visit(events_fd, visitor, system, names[i]->d_name, error);
	names_free(names, size);
	return status;
}

int tracepoints_visit(int events_fd, const struct tracepoint_visitor *visitor, struct error *error)
{
	struct dirent **names;
	int size = names_read(events_fd, ".", &names);
	int status = 0;

	if (size < 0)
		return error_set_system(error, errno, "cannot list the tracepoints in tracefs");
	for (int i = 0; i < size && status == 0; i++)
		status = system_visit(events_fd, visitor, names[i]->d_name, error);
	names_free(names, size);
	return status;
}

bool event_is_enabled(int events_fd, const char *system, const char *event)
{
	struct buffer text = { 0 };
	int status = event_file_read(events_fd, system, event, "enable", &text);
	bool is_enabled = status == 0 && buffer_string(&text)[0] == '1';

	buffer_release(&text);
	return is_enabled;
}

bool events_are_disabled(const char *directory)
{
	struct buffer path = { 0 }, text = { 0 };
	bool is_disabled;

	buffer_printf(&path, "%s/events/enable", directory);
	is_disabled = file_read(buffer_string(&path), &text) == 0 && buffer_string(&text)[0] == '0';
	buffer_release(&path);
	buffer_release(&text);
	return is_disabled;
}

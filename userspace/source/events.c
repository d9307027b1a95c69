// SPDX-License-Identifier: GPL-2.0-only
/* Finds tracefs, and the tracepoints that it offers. */
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

int source_directory(const char **out, struct error *error)
{
	const char *directory = NULL;
	int mounted = tracefs_tracing_dir_is_mounted(false, &directory);

	if (mounted <= 0 || !directory)
		return error_set(error, "tracefs is not mounted; as root: mount -t tracefs nodev "
					"/sys/kernel/tracing");
	if (access(directory, R_OK | X_OK) < 0) {
		return error_set(error, "%s: %s; %s", directory, strerror(errno),
				 geteuid() == 0 ? "is the kernel locked down?"
						: "run ktrack as root (sudo)");
	}
	*out = directory;
	return 0;
}

static int string_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Sorts a NULL-terminated list, so that what is printed does not depend on the order of a
 * directory.
 */
static char **list_sort(char **list)
{
	size_t size = 0;

	while (list && list[size])
		size++;
	if (list)
		qsort(list, size, sizeof(*list), string_compare);
	return list;
}

/*
 * Visits one tracepoint; one that has gone since the directory was read (a module left) is passed
 * over.
 */
static int event_visit(const struct source_visitor *visitor, const char *system, const char *name,
		       struct error *error)
{
	struct source_tracepoint tracepoint = { .system = system, .name = name };
	int size = 0, status;
	char *format;

	if (visitor->wants && !visitor->wants(visitor->context, system, name))
		return 0;
	format = tracefs_event_file_read(NULL, system, name, "format", &size);
	if (!format)
		return 0;
	tracepoint.format = (struct text){ .data = format, .size = size };
	status = visitor->visit(visitor->context, &tracepoint, error);
	free(format);
	return status;
}

static int system_visit(const struct source_visitor *visitor, const char *system,
			struct error *error)
{
	char **names = list_sort(tracefs_system_events(NULL, system));
	int status = 0;

	for (char **name = names; name && *name && status == 0; name++)
		status = event_visit(visitor, system, *name, error);
	tracefs_list_free(names);
	return status;
}

int source_tracepoints_visit(const struct source_visitor *visitor, struct error *error)
{
	char **systems;
	int status = 0;

	errno = 0;
	systems = list_sort(tracefs_event_systems(NULL));
	if (!systems && errno)
		return error_set_system(error, errno, "cannot list the tracepoints in tracefs");
	for (char **system = systems; system && *system && status == 0; system++)
		status = system_visit(visitor, *system, error);
	tracefs_list_free(systems);
	return status;
}

char *source_format_read(const char *system, const char *name)
{
	return tracefs_event_file_read(NULL, system, name, "format", NULL);
}

bool source_tracepoint_is_enabled(const char *system, const char *name)
{
	char *text = tracefs_event_file_read(NULL, system, name, "enable", NULL);
	bool is_enabled = text && text[0] == '1';

	free(text);
	return is_enabled;
}

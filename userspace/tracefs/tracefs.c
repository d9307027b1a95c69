// SPDX-License-Identifier: GPL-2.0-only
/* Finds tracefs, says why it cannot be used, and reads the tracepoints that it offers. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/tracefs.h"

const char *const instance_suffixes[INSTANCE_KINDS] = {
	[INSTANCE_MAIN] = "",
	[INSTANCE_CONVENTION] = "." CONVENTION_BUFFER,
	[INSTANCE_SIDEBAND] = ".sideband",
};

/* Reads the kernel's lockdown level, once tracefs cannot be used. */

#define CLOSED_LEVEL "[confidentiality]"

bool lockdown_forbids_tracing(struct text levels)
{
	return levels.size > 0 &&
	       memmem(levels.data, levels.size, CLOSED_LEVEL, strlen(CLOSED_LEVEL));
}

int lockdown_check(const char *directory, struct error *error)
{
	int fd = file_open_in(directory, "trace_clock", O_RDONLY, &(struct error){ 0 });
	SCOPED_BUFFER(levels);

	file_close(fd);
	/* A kernel that booted locked down makes no files in tracefs; later ones cannot be opened.
	 */
	if (fd >= 0 || file_read(LOCKDOWN_PATH, &levels) < 0 ||
	    !lockdown_forbids_tracing(buffer_text(&levels)))
		return 0;
	return error_set(error,
			 "%s: the kernel is locked down (confidentiality), so that nobody may "
			 "trace; see kernel_lockdown(7)",
			 directory);
}

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
		return error_set(error, "tracefs is not mounted; as root: " TRACEFS_MOUNT_COMMAND);
	if (access(directory, R_OK | X_OK) < 0)
		return error_set(error, "%s: %s; %s", directory, strerror(errno),
				 geteuid() == 0 ? "is the kernel locked down?"
						: "run ktrack as root (sudo)");
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

void event_path_append(struct buffer *out, const char *system, const char *event, const char *file)
{
	buffer_printf(out, "%s/%s/%s", system, event, file);
}

int event_file_read(int events_fd, const char *system, const char *event, const char *file,
		    struct buffer *out)
{
	SCOPED_BUFFER(path);

	event_path_append(&path, system, event, file);
	return file_read_built(events_fd, &path, out);
}

/* Whether an entry is no tracepoint, or none for this user, or its module was unloaded. */
static bool is_no_tracepoint(int number)
{
	return number == ENOENT || number == ENOTDIR || number == ENODEV || number == EACCES ||
	       number == EPERM;
}

/*
 * Visits one tracepoint. Other entries are skipped, and tracepoints whose module was unloaded since
 * the directory was read. A tracepoint that cannot be read would be missing without a word.
 */
static int event_visit(int events_fd, const struct tracepoint_visitor *visitor, const char *system,
		       const char *name, struct error *error)
{
	struct tracepoint tracepoint = { .system = system, .name = name };
	SCOPED_BUFFER(format);

	if (event_file_read(events_fd, system, name, "format", &format) < 0)
		return is_no_tracepoint(errno)
			       ? 0
			       : error_set_system(error, errno, "cannot read the format of %s:%s",
						  system, name);
	tracepoint.format = (struct text){ .data = buffer_string(&format), .size = format.size };
	return visitor->visit(visitor->context, &tracepoint, error);
}

/* Sorted, so that what is printed does not depend on the order of the directory. */
static int entry_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Visits the entries of an events directory, or of a system, that the visitor wants. */
static int entries_visit(int events_fd, const struct tracepoint_visitor *visitor,
			 const char *system,
			 int (*visit)(int events_fd, const struct tracepoint_visitor *visitor,
				      const char *system, const char *name, struct error *error),
			 struct error *error)
{
	struct dirent **entries;
	int size = scandirat(events_fd, system ? system : ".", &entries, NULL, entry_compare);
	int status = 0;

	if (size < 0 && !system)
		return error_set_system(error, errno, "cannot list the tracepoints in tracefs");
	/* A system may have just been removed with its module. */
	if (size < 0)
		return is_no_tracepoint(errno)
			       ? 0
			       : error_set_system(error, errno, "cannot read the tracepoints of %s",
						  system);
	for (int i = 0; i < size; i++) {
		const char *name = entries[i]->d_name;
		/* Files are "enable" and the like. */
		bool wants = name[0] != '.' && entries[i]->d_type != DT_REG;

		if (wants && status == 0 && visitor->wants)
			wants = visitor->wants(visitor->context, system ? system : name,
					       system ? name : NULL);
		if (wants && status == 0)
			status = visit(events_fd, visitor, system, name, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int system_visit(int events_fd, const struct tracepoint_visitor *visitor, const char *none,
			const char *system, struct error *error)
{
	SCOPED_BUFFER(path);
	bool is_system;

	(void)none;
	/* Entries without it are files, or the formats of ftrace's own records. */
	buffer_printf(&path, "%s/enable", system);
	is_system = file_find_built(events_fd, &path) == 0;
	if (!is_system && errno == ENOMEM)
		return error_set(error, "out of memory");
	/* The tracers' records have formats, but cannot be enabled; few visitors want them. */
	if (!is_system && !(visitor->wants && strcmp(system, "ftrace") == 0))
		return 0;
	return entries_visit(events_fd, visitor, system, event_visit, error);
}

int tracepoints_visit(int events_fd, const struct tracepoint_visitor *visitor, struct error *error)
{
	return entries_visit(events_fd, visitor, NULL, system_visit, error);
}

int events_visit(int events_fd, const struct tracepoint_visitor *visitor, struct error *error)
{
	int status = events_fd < 0 ? -1 : tracepoints_visit(events_fd, visitor, error);

	file_close(events_fd);
	return status;
}

bool event_is_enabled(int events_fd, const char *system, const char *event)
{
	SCOPED_BUFFER(text);

	return event_file_read(events_fd, system, event, "enable", &text) == 0 &&
	       buffer_string(&text)[0] == '1';
}

/* Kernels without dynamic events lack the file. */
bool events_may_change(void)
{
	SCOPED_BUFFER(list);
	struct error ignored = { 0 };
	const char *directory;

	if (tracefs_directory(&directory, &ignored) < 0)
		return true;
	if (file_read_in(directory, "dynamic_events", &list) < 0)
		return errno != ENOENT;
	return list.size > 0;
}

bool events_are_disabled(const char *directory)
{
	SCOPED_BUFFER(text);

	return file_read_in(directory, "events/enable", &text) == 0 &&
	       buffer_string(&text)[0] == '0';
}

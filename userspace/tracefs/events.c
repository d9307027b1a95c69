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

void event_path_append(struct buffer *out, const char *system, const char *event, const char *file)
{
	buffer_append_string(out, system);
	buffer_append_char(out, '/');
	buffer_append_string(out, event);
	buffer_append_char(out, '/');
	buffer_append_string(out, file);
}

int event_file_read(int events_fd, const char *system, const char *event, const char *file,
		    struct buffer *out)
{
	struct buffer path = { 0 };
	int status, number;

	event_path_append(&path, system, event, file);
	status = file_read_built(events_fd, &path, out);
	number = errno;
	buffer_release(&path);
	errno = number;
	return status;
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
	struct buffer format = { 0 };
	int status = 0;

	if (event_file_read(events_fd, system, name, "format", &format) == 0) {
		tracepoint.format = (struct text){ .data = buffer_string(&format),
						   .size = format.size };
		status = visitor->visit(visitor->context, &tracepoint, error);
	} else if (!is_no_tracepoint(errno)) {
		status = error_set_system(error, errno, "cannot read the format of %s:%s", system,
					  name);
	}
	buffer_release(&format);
	return status;
}

/** struct entry_names - names of a directory's entries */
struct entry_names {
	char **list;
	size_t size;
};

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int entry_names_add(struct entry_names *names, const char *name)
{
	char **grown = reallocarray(names->list, names->size + 1, sizeof(*grown));
	char *copy = strdup(name);

	if (grown)
		names->list = grown;
	if (!grown || !copy) {
		free(copy);
		return -1;
	}
	names->list[names->size++] = copy;
	return 0;
}

/* Without @system, @name is a system. */
static bool visitor_wants(const struct tracepoint_visitor *visitor, const char *system,
			  const char *name)
{
	if (!system)
		return !visitor->wants_system || visitor->wants_system(visitor->context, name);
	return !visitor->wants || visitor->wants(visitor->context, system, name);
}

/* Directories of systems and tracepoints; their files are "enable" and the like. */
static bool entry_is_wanted(const struct dirent *entry, const struct tracepoint_visitor *visitor,
			    const char *system)
{
	return entry->d_name[0] != '.' && entry->d_type != DT_REG &&
	       visitor_wants(visitor, system, entry->d_name);
}

/*
 * Reads the names that the visitor wants, sorted, so that what is printed does not depend on the
 * order of the directory. Returns -1 with errno; entry_names_release() works in both cases.
 */
static int entry_names_read(struct entry_names *out, int events_fd,
			    const struct tracepoint_visitor *visitor, const char *system)
{
	int fd = openat(events_fd, system ? system : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int status = 0, number;

	*out = (struct entry_names){ 0 };
	if (!entries) {
		number = errno;
		file_close(fd);
		errno = number;
		return -1;
	}
	while (status == 0 && (entry = readdir(entries))) {
		if (entry_is_wanted(entry, visitor, system))
			status = entry_names_add(out, entry->d_name);
	}
	closedir(entries);
	if (out->size > 0)
		qsort(out->list, out->size, sizeof(*out->list), name_compare);
	if (status < 0)
		errno = ENOMEM;
	return status;
}

static void entry_names_release(struct entry_names *names)
{
	for (size_t i = 0; i < names->size; i++)
		free(names->list[i]);
	free(names->list);
}

/*
 * Entries without an enable file are files, or the formats of ftrace's own records. Returns -1 if
 * memory ran out.
 */
static int is_system(int events_fd, const char *name)
{
	struct buffer path = { 0 };
	int status;

	buffer_printf(&path, "%s/enable", name);
	status = file_find_built(events_fd, &path) == 0 ? 1 : -(errno == ENOMEM);
	buffer_release(&path);
	return status;
}

static int system_visit(int events_fd, const struct tracepoint_visitor *visitor, const char *system,
			struct error *error)
{
	struct entry_names names;
	int status = is_system(events_fd, system);

	if (status < 0)
		return error_set(error, "out of memory");
	/* The tracers' records have formats, but cannot be enabled; few visitors want them. */
	if (status == 0 && !(visitor->wants_system && strcmp(system, "ftrace") == 0))
		return 0;
	status = entry_names_read(&names, events_fd, visitor, system);
	/* A system may have just been removed with its module. */
	if (status < 0)
		status = is_no_tracepoint(errno)
				 ? 0
				 : error_set_system(error, errno,
						    "cannot read the tracepoints of %s", system);
	for (size_t i = 0; i < names.size && status == 0; i++)
		status = event_visit(events_fd, visitor, system, names.list[i], error);
	entry_names_release(&names);
	return status;
}

int tracepoints_visit(int events_fd, const struct tracepoint_visitor *visitor, struct error *error)
{
	struct entry_names names;
	int status = 0;

	if (entry_names_read(&names, events_fd, visitor, NULL) < 0)
		status = error_set_system(error, errno, "cannot list the tracepoints in tracefs");
	for (size_t i = 0; i < names.size && status == 0; i++)
		status = system_visit(events_fd, visitor, names.list[i], error);
	entry_names_release(&names);
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

/* Kernels without dynamic events lack the file. */
bool events_may_change(void)
{
	struct buffer list = { 0 };
	struct error ignored = { 0 };
	const char *directory;
	bool may_change = true;

	if (tracefs_directory(&directory, &ignored) == 0) {
		if (file_read_in(directory, "dynamic_events", &list) < 0)
			may_change = errno != ENOENT;
		else
			may_change = list.size > 0;
	}
	buffer_release(&list);
	return may_change;
}

bool events_are_disabled(const char *directory)
{
	struct buffer text = { 0 };
	bool is_disabled = file_read_in(directory, "events/enable", &text) == 0 &&
			   buffer_string(&text)[0] == '0';

	buffer_release(&text);
	return is_disabled;
}

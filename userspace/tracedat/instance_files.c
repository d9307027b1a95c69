// SPDX-License-Identifier: GPL-2.0-only
/* Opens and reads the files of an instance that describe its records. */
#include "tracedat/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static int directory_read(const char *directory, const char *file, struct buffer *out,
			  struct error *error)
{
	if (file_read_in(directory, file, out) == 0)
		return 0;
	return error_set_system(error, errno, "cannot read %s/%s", directory, file);
}

int instance_files_open(struct instance_files *files, const char *directory, const char *sideband,
			struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0)
		return -1;
	saved_tasks_open(&files->saved, tracefs);
	files->events_fd = file_open_in(directory, "events", O_PATH | O_DIRECTORY, error);
	if (files->events_fd < 0)
		return -1;
	files->clock_fd = file_open_in(directory, "trace_clock", O_RDONLY, error);
	if (files->clock_fd < 0 || !sideband)
		return files->clock_fd < 0 ? -1 : 0;
	files->sideband = strdup(sideband);
	return files->sideband ? 0 : error_set(error, "out of memory");
}

int instance_files_open_list(struct instance_files *files, const char *directory,
			     struct error *error)
{
	files->list_fd = file_open_in(directory, "set_event", O_RDONLY, error);
	return files->list_fd < 0 ? -1 : 0;
}

static int instance_files_read(int fd, const char *file, struct buffer *out, struct error *error)
{
	if (file_read_anew(fd, out) == 0)
		return 0;
	return error_set_system(error, errno, "cannot read the instance's %s", file);
}

int instance_files_list_enabled(const struct instance_files *files, struct buffer *out,
				struct error *error)
{
	return instance_files_read(files->list_fd, "set_event", out, error);
}

int instance_files_list_sideband(const struct instance_files *files, struct buffer *out,
				 struct error *error)
{
	return files->sideband ? directory_read(files->sideband, "set_event", out, error) : 0;
}

/*
 * Records of ftrace itself: texts of trace_marker, kernel stacks, functions. They are no tracepoints,
 * but have formats.
 */
static void list_own(const struct instance_files *files, struct buffer *out)
{
	int fd = openat(files->events_fd, "ftrace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			buffer_printf(out, "ftrace:%s\n", entry->d_name);
	}
	if (folder)
		closedir(folder);
	else
		file_close(fd);
}

int instance_files_list_all(const struct instance_files *files, struct buffer *out,
			    struct error *error)
{
	const char *tracefs;

	if (tracefs_directory(&tracefs, error) < 0 ||
	    directory_read(tracefs, "available_events", out, error) < 0)
		return -1;
	list_own(files, out);
	return instance_files_list_sideband(files, out, error);
}

int instance_files_clock(const struct instance_files *files, struct buffer *out,
			 struct error *error)
{
	/* Without an instance the records are those of programs. */
	if (files->clock_fd < 0) {
		buffer_append_string(out, "local [boot] mono\n");
		return 0;
	}
	return instance_files_read(files->clock_fd, "trace_clock", out, error);
}

void instance_files_close(struct instance_files *files)
{
	file_close(files->events_fd);
	file_close(files->list_fd);
	file_close(files->clock_fd);
	saved_tasks_close(&files->saved);
	free(files->sideband);
}

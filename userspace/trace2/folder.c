// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A directory as a target: one file per session, up to a limit. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "trace2/open_target.h"

/* The names tried: the session's own, and that with ".1" to ".9". */
#define NR_NAMES 10

#define SENTINEL "git-trace2-discard"

/* A caller may choose any session id; the file must be in the directory. */
static bool folder_name_is_valid(const char *own)
{
	return *own && strcmp(own, ".") != 0 && strcmp(own, "..") != 0;
}

static void folder_path_append(struct buffer *path, const char *folder, const char *name)
{
	buffer_append_string(path, folder);
	if (path->size > 0 && path->data[path->size - 1] != '/')
		buffer_append_char(path, '/');
	buffer_append_string(path, name);
}

/* git counts "." and ".." as files, so the effective limit is two files lower. */
static bool folder_is_full(const char *folder, unsigned int max_files)
{
	DIR *directory = opendir(folder);
	unsigned int nr_files = 0;

	if (!directory)
		return false;
	while (nr_files < max_files && readdir(directory))
		nr_files++;
	closedir(directory);
	return nr_files >= max_files;
}

static enum open_result folder_create_file(struct destination *destination,
					   const struct trace2_settings *settings,
					   const char *folder, struct error *error)
{
	struct buffer path = { 0 };
	size_t size;
	const char *name = path_base_name(settings->sid);
	int fd = -1;

	if (!folder_name_is_valid(name)) {
		error_set(error, "trace2: session id '%s' is no name for a file in '%s'",
			  settings->sid, folder);
		return OPEN_FAILED;
	}
	folder_path_append(&path, folder, name);
	size = path.size;
	for (int i = 0; i < NR_NAMES && fd < 0; i++) {
		path.size = size;
		if (i > 0)
			buffer_printf(&path, ".%d", i);
		fd = open_target_create(buffer_string(&path), 0, settings);
	}
	path.size = size;
	if (fd >= 0)
		destination_set(destination, fd, true);
	else
		open_target_failed(destination, buffer_string(&path), error);
	buffer_release(&path);
	return fd >= 0 ? OPEN_OPEN : OPEN_FAILED;
}

static enum open_result folder_create_sentinel(struct destination *destination,
					       const struct trace2_settings *settings,
					       const char *sentinel, struct error *error)
{
	int fd = open_target_create(sentinel, 0, settings);

	if (fd < 0)
		return open_target_failed(destination, sentinel, error);
	destination_set(destination, fd, true);
	destination->is_sentinel = true;
	return OPEN_OPEN;
}

static enum open_result folder_create_limited(struct destination *destination,
					      const struct trace2_settings *settings,
					      const char *folder, const char *sentinel,
					      struct error *error)
{
	struct stat about;

	if (stat(sentinel, &about) == 0) {
		error_set(error,
			  "trace2: not opening %s trace file due to too many files in target "
			  "directory %s",
			  destination->name, folder);
		return OPEN_FAILED;
	}
	if (folder_is_full(folder, settings->max_files))
		return folder_create_sentinel(destination, settings, sentinel, error);
	return folder_create_file(destination, settings, folder, error);
}

enum open_result folder_target_open(struct destination *destination,
				    const struct trace2_settings *settings, const char *path,
				    struct error *error)
{
	struct buffer sentinel = { 0 };
	enum open_result result;

	if (settings->max_files == 0)
		return folder_create_file(destination, settings, path, error);
	folder_path_append(&sentinel, path, SENTINEL);
	result = folder_create_limited(destination, settings, path, buffer_string(&sentinel),
				       error);
	buffer_release(&sentinel);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A folder as a target: a file for each session, up to a number of files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "trace2/place.h"

/* Names that are tried: the session's own, and ".1" to ".9" behind it. */
#define NR_NAMES 10

#define SENTINEL "git-trace2-discard"

/* The last part of a session id, which is valid as a file's name where git's rules made it. */
static const char *own_part(const char *sid)
{
	const char *slash = strrchr(sid, '/');

	return slash ? slash + 1 : sid;
}

/* A session id of the caller's own may end in anything; the file has to lie in the folder. */
static bool is_name(const char *own)
{
	return *own && strcmp(own, ".") != 0 && strcmp(own, "..") != 0;
}

static void path_make(struct buffer *path, const char *folder, const char *name)
{
	buffer_append_string(path, folder);
	if (path->size > 0 && path->data[path->size - 1] != '/')
		buffer_append_char(path, '/');
	buffer_append_string(path, name);
}

/* git counts "." and ".." as files, so it is full two files earlier than its limit says. */
static bool is_full(const char *folder, unsigned int max_files)
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

static enum place_result own_open(struct destination *destination,
				  const struct trace2_settings *settings, const char *folder,
				  struct error *error)
{
	struct buffer path = { 0 };
	size_t size;
	const char *name = own_part(settings->sid);
	int fd = -1;

	if (!is_name(name)) {
		error_set(error, "trace2: session id '%s' is no name for a file in '%s'",
			  settings->sid, folder);
		return PLACE_FAILED;
	}
	path_make(&path, folder, name);
	size = path.size;
	for (int i = 0; i < NR_NAMES && fd < 0; i++) {
		path.size = size;
		if (i > 0)
			buffer_printf(&path, ".%d", i);
		fd = place_create(buffer_string(&path), 0, settings);
	}
	path.size = size;
	if (fd >= 0)
		destination_set(destination, fd, true);
	else
		place_failed(destination, buffer_string(&path), error);
	buffer_release(&path);
	return fd >= 0 ? PLACE_OPEN : PLACE_FAILED;
}

static enum place_result sentinel_open(struct destination *destination,
				       const struct trace2_settings *settings, const char *sentinel,
				       struct error *error)
{
	int fd = place_create(sentinel, 0, settings);

	if (fd < 0)
		return place_failed(destination, sentinel, error);
	destination_set(destination, fd, true);
	destination->is_sentinel = true;
	return PLACE_OPEN;
}

static enum place_result limited_open(struct destination *destination,
				      const struct trace2_settings *settings, const char *folder,
				      const char *sentinel, struct error *error)
{
	struct stat about;

	if (stat(sentinel, &about) == 0) {
		error_set(error,
			  "trace2: not opening %s trace file due to too many files in target "
			  "directory %s",
			  destination->name, folder);
		return PLACE_FAILED;
	}
	if (is_full(folder, settings->max_files))
		return sentinel_open(destination, settings, sentinel, error);
	return own_open(destination, settings, folder, error);
}

enum place_result folder_open(struct destination *destination,
			      const struct trace2_settings *settings, const char *path,
			      struct error *error)
{
	struct buffer sentinel = { 0 };
	enum place_result result;

	if (settings->max_files == 0)
		return own_open(destination, settings, path, error);
	path_make(&sentinel, path, SENTINEL);
	result = limited_open(destination, settings, path, buffer_string(&sentinel), error);
	buffer_release(&sentinel);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads the value of a target, in the order in which git looks at it, and opens files. */
#include "trace2/place.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_MODE 0666

/* Where errors of a program go: the values "1" and "true" name it. */
#define ERROR_DESCRIPTOR 2

enum place_result place_failed(const struct destination *destination, const char *path,
			       struct error *error)
{
	error_set_system(error, errno, "trace2: could not open '%s' for '%s' tracing", path,
			 destination->name);
	return PLACE_FAILED;
}

static int owners_open(const char *path, int flags, mode_t mode,
		       const struct trace2_settings *settings)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	struct owner owner;
	int fd, number;

	if (owner_init(&owner, settings->file_user, settings->file_group) < 0)
		return -1;
	fd = owner_open(&owner, path, flags, mode, &wait);
	number = errno;
	owner_release(&owner);
	errno = number;
	return fd;
}

static int path_open(const char *path, int flags, const struct trace2_settings *settings)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	mode_t mode = settings->file_mode ? settings->file_mode : DEFAULT_MODE;

	flags |= O_WRONLY | O_CREAT;
	if (settings->file_user != 0)
		return owners_open(path, flags, mode, settings);
	return settings->wait ? file_open_unblocked(path, flags, mode, &wait)
			      : open(path, flags | O_CLOEXEC, mode);
}

int place_create(const char *path, int flags, const struct trace2_settings *settings)
{
	return path_open(path, O_EXCL | flags, settings);
}

static bool is_off(const char *value)
{
	return !value || !*value || strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0;
}

static bool is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static enum place_result descriptor_set(struct destination *destination, int fd)
{
	destination_set(destination, fd, false);
	return PLACE_OPEN;
}

static enum place_result file_open(struct destination *destination,
				   const struct trace2_settings *settings, const char *path,
				   struct error *error)
{
	int fd = place_create(path, O_APPEND, settings);

	if (fd < 0 && errno == EEXIST)
		fd = path_open(path, O_APPEND, settings);
	if (fd < 0)
		return place_failed(destination, path, error);
	destination_set(destination, fd, true);
	return PLACE_OPEN;
}

enum place_result place_open(struct destination *destination,
			     const struct trace2_settings *settings, const char *value,
			     const char *name, struct error *error)
{
	if (is_off(value))
		return PLACE_OFF;
	if (destination_init(destination, name) < 0) {
		error_set(error, "out of memory");
		return PLACE_FAILED;
	}
	if (strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0)
		return descriptor_set(destination, ERROR_DESCRIPTOR);
	if (isdigit((unsigned char)value[0]) && !value[1])
		return descriptor_set(destination, value[0] - '0');
	if (value[0] == '/' && is_folder(value))
		return folder_open(destination, settings, value, error);
	if (value[0] == '/')
		return file_open(destination, settings, value, error);
	if (is_socket_value(value))
		return socket_open(destination, settings, value, error);
	error_set(error, "trace2: unknown value for '%s': '%s'", name, value);
	return PLACE_UNKNOWN;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Opens the value of a target; the forms are tried in git's order. */
#include "trace2/open_target.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_MODE 0666

/* The descriptor of the values "1" and "true". */
#define ERROR_DESCRIPTOR 2

enum open_result open_target_failed(const struct destination *destination, const char *path,
				    struct error *error)
{
	error_set_system(error, errno, "trace2: could not open '%s' for '%s' tracing", path,
			 destination->name);
	return OPEN_FAILED;
}

static int target_open_as_owner(const char *path, int flags, mode_t mode,
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

static int target_file_open(const char *path, int flags, const struct trace2_settings *settings)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	mode_t mode = settings->file_mode ? settings->file_mode : DEFAULT_MODE;

	flags |= O_WRONLY | O_CREAT;
	if (settings->file_user != 0)
		return target_open_as_owner(path, flags, mode, settings);
	return settings->wait ? file_open_unblocked(path, flags, mode, &wait)
			      : open(path, flags | O_CLOEXEC, mode);
}

int open_target_create(const char *path, int flags, const struct trace2_settings *settings)
{
	return target_file_open(path, O_EXCL | flags, settings);
}

static bool value_is_off(const char *value)
{
	return !value || !*value || strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0;
}

static bool path_is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static enum open_result target_set_descriptor(struct destination *destination, int fd)
{
	destination_set(destination, fd, false);
	return OPEN_OPEN;
}

static enum open_result target_file_append(struct destination *destination,
					   const struct trace2_settings *settings, const char *path,
					   struct error *error)
{
	int fd = open_target_create(path, O_APPEND, settings);

	if (fd < 0 && errno == EEXIST)
		fd = target_file_open(path, O_APPEND, settings);
	if (fd < 0)
		return open_target_failed(destination, path, error);
	destination_set(destination, fd, true);
	return OPEN_OPEN;
}

enum open_result open_target(struct destination *destination,
			     const struct trace2_settings *settings, const char *value,
			     const char *name, struct error *error)
{
	if (value_is_off(value))
		return OPEN_OFF;
	if (destination_init(destination, name) < 0) {
		error_set(error, "out of memory");
		return OPEN_FAILED;
	}
	if (strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0)
		return target_set_descriptor(destination, ERROR_DESCRIPTOR);
	if (isdigit((unsigned char)value[0]) && !value[1])
		return target_set_descriptor(destination, value[0] - '0');
	if (value[0] == '/' && path_is_folder(value))
		return folder_target_open(destination, settings, value, error);
	if (value[0] == '/')
		return target_file_append(destination, settings, value, error);
	if (is_socket_value(value))
		return socket_target_open(destination, settings, value, error);
	error_set(error, "trace2: unknown value for '%s': '%s'", name, value);
	return OPEN_UNKNOWN;
}

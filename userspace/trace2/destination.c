// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writes whole lines to a file descriptor. */
#include "trace2/session.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int destination_init(struct destination *destination, const char *name)
{
	*destination = (struct destination){ .fd = -1, .name = strdup(name ? name : "trace2") };
	return destination->name ? 0 : -1;
}

void destination_set(struct destination *destination, int fd, bool is_owned)
{
	struct stat about;
	bool is_known = fstat(fd, &about) == 0;
	socklen_t size = sizeof(int);
	int type = 0;

	destination->fd = fd;
	destination->is_owned = is_owned;
	destination->is_file = is_owned && is_known &&
			       (S_ISREG(about.st_mode) || S_ISCHR(about.st_mode));
	destination->is_socket = is_owned && is_known && S_ISSOCK(about.st_mode);
	if (is_known && S_ISSOCK(about.st_mode) &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0)
		destination->is_datagram = type != SOCK_STREAM;
	destination->is_on = true;
}

/*
 * The descriptor stays open: another thread may be writing to it, and its number must not be
 * reused for another file.
 */
bool destination_turn_off(struct destination *destination)
{
	return __atomic_exchange_n(&destination->is_on, false, __ATOMIC_RELAXED);
}

static const char *remedy(int number)
{
	switch (number) {
	case ENOSPC:
	case EDQUOT:
		return "; free some space, or write elsewhere";
	case EPIPE:
		return "; its reader has gone";
	default:
		return "";
	}
}

/* Retries after signals. */
static ssize_t write_once(const struct destination *destination, const char *data, size_t size,
			  int flags)
{
	ssize_t written;

	do {
		written = destination->is_socket
				  ? send(destination->fd, data, size, MSG_NOSIGNAL | flags)
				  : write(destination->fd, data, size);
	} while (written < 0 && errno == EINTR);
	return written;
}

/*
 * The number of bytes that can be written without blocking. A borrowed descriptor may block, so it
 * is polled first; PIPE_BUF bytes fit into a writable pipe. Returns 0 with EAGAIN if none fit.
 */
static size_t space_for(const struct destination *destination, size_t size,
			const struct file_wait *wait)
{
	struct pollfd space = { .fd = destination->fd, .events = POLLOUT };

	if (!wait->wait || destination->is_owned)
		return size;
	if (poll(&space, 1, 0) == 0) {
		errno = EAGAIN;
		return 0;
	}
	return destination->is_datagram || size < PIPE_BUF ? size : PIPE_BUF;
}

static int write_all(const struct destination *destination, const char *data, size_t size,
		     const struct file_wait *wait)
{
	while (size > 0) {
		size_t space = space_for(destination, size, wait);
		ssize_t written = -1;

		if (space > 0)
			written = write_once(destination, data, space, MSG_DONTWAIT);
		if (written < 0 && errno == EAGAIN && file_await(wait, destination->fd) == 0)
			continue;
		if (written < 0)
			return -1;
		data += written;
		size -= written;
	}
	return 0;
}

static int lines_write(const struct destination *destination, const struct buffer *lines,
		       const struct trace2_settings *settings)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };

	if (settings->write && destination->is_added)
		return settings->write(settings->write_context, lines->data, lines->size);
	if (!settings->is_lenient)
		return write_all(destination, lines->data, lines->size, &wait);
	return write_once(destination, lines->data, lines->size, 0) < 0 ? -1 : 0;
}

/*
 * SIGPIPE is sent to this thread, so it is blocked here and removed afterwards; the program's own
 * handling does not change. A signal that was pending before is kept.
 */
static int lines_write_quietly(const struct destination *destination, const struct buffer *lines,
			       const struct trace2_settings *settings)
{
	static const struct timespec now;
	sigset_t pipe, old, pending;
	int status, number;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	status = lines_write(destination, lines, settings);
	number = errno;
	if (status < 0 && number == EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = number;
	return status;
}

int destination_write(const struct destination *destination, const struct buffer *lines,
		      const struct trace2_settings *settings, struct error *error)
{
	bool is_safe = destination->is_file || destination->is_socket;
	int status;

	if (lines->failed)
		return error_set(error, "out of memory");
	if (lines->size == 0)
		return 0;
	status = is_safe ? lines_write(destination, lines, settings)
			 : lines_write_quietly(destination, lines, settings);
	if (status == 0)
		return 0;
	if (settings->is_lenient)
		return error_set_system(error, errno, "unable to write trace to '%s'",
					destination->name);
	if (errno == ECANCELED)
		return error_set(error, "cannot write to %s: nobody reads it", destination->name);
	return error_set(error, "cannot write to %s: %s%s", destination->name, strerror(errno),
			 remedy(errno));
}

void destination_release(struct destination *destination)
{
	if (destination->is_owned)
		close(destination->fd);
	free(destination->name);
	buffer_release(&destination->lines);
	*destination = (struct destination){ .fd = -1 };
}

/* Opens the value of a target; the forms are tried in git's order. */

#define DEFAULT_MODE 0666

/* The descriptor of the values "1" and "true". */
#define ERROR_DESCRIPTOR 2

/* Sets @error from errno for @path; returns OPEN_FAILED. */
static enum open_result open_target_failed(const struct destination *destination, const char *path,
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

/*
 * Creates a new file with the owner and mode of the settings
 * @flags: further flags of open(2)
 *
 * Returns a descriptor, or -1 with errno; EEXIST if the file exists.
 */
static int open_target_create(const char *path, int flags, const struct trace2_settings *settings)
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

/* A directory as a target: one file per session, up to a limit. */

/* The names tried: the session's own, and that with ".1" to ".9". */
#define NR_NAMES 10

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

#define SENTINEL "git-trace2-discard"

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

/*
 * Creates a file for the session in the directory @path; the sentinel if the
 * directory is full.
 */
static enum open_result folder_target_open(struct destination *destination,
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

/* A Unix socket as a target. */

#define PREFIX "af_unix:"

/**
 * struct socket_form - a prefix of values, and the socket types to try in this order; 0 is none
 */
struct socket_form {
	const char *prefix;
	int types[2];
};

/* The first match counts. An unknown type becomes part of the path, which is not absolute then. */
static const struct socket_form forms[] = {
	{ PREFIX "stream:", { SOCK_STREAM, 0 } },
	{ PREFIX "dgram:", { SOCK_DGRAM, 0 } },
	{ PREFIX, { SOCK_STREAM, SOCK_DGRAM } },
};

static const struct socket_form *form_find(const char *value)
{
	const struct socket_form *form = forms;

	while (strncmp(value, form->prefix, strlen(form->prefix)) != 0)
		form++;
	return form;
}

/*
 * connect() blocks while the queue of connections is full. A caller with a @wait function is called
 * instead; the socket blocks again afterwards.
 */
static int connect_await(int fd, const struct sockaddr_un *address, const struct file_wait *wait)
{
	int flags = fcntl(fd, F_GETFL);

	if (!wait->wait)
		return connect(fd, (const struct sockaddr *)address, sizeof(*address));
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0) {
		if (errno != EAGAIN || file_await(wait, -1) < 0)
			return -1;
	}
	return fcntl(fd, F_SETFL, flags);
}

/* Returns a descriptor, or -1 with errno. */
static int socket_connect(const char *path, int type, const struct file_wait *wait)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	int number;

	if (fd < 0)
		return -1;
	strcpy(address.sun_path, path);
	if (connect_await(fd, &address, wait) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

static enum open_result socket_path_open(struct destination *destination,
					 const struct socket_form *form, const char *path,
					 const struct file_wait *wait, struct error *error)
{
	int fd = socket_connect(path, form->types[0], wait);

	if (fd < 0 && errno == EPROTOTYPE && form->types[1])
		fd = socket_connect(path, form->types[1], wait);
	if (fd < 0) {
		error_set(error, "trace2: could not connect to socket '%s' for '%s' tracing: %s",
			  path, destination->name,
			  errno == ECANCELED ? "nobody reads it" : strerror(errno));
		return OPEN_FAILED;
	}
	destination_set(destination, fd, true);
	return OPEN_OPEN;
}

/* Connects to a Unix socket; @value is "af_unix:[stream:|dgram:]PATH". */
static enum open_result socket_target_open(struct destination *destination,
					   const struct trace2_settings *settings,
					   const char *value, struct error *error)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	const struct socket_form *form = form_find(value);
	const char *path = value + strlen(form->prefix);
	size_t space = sizeof(((struct sockaddr_un *)NULL)->sun_path);

	if (path[0] == '/' && strlen(path) < space)
		return socket_path_open(destination, form, path, &wait, error);
	if (!*path)
		error_set(error, "trace2: invalid AF_UNIX value '%s' for '%s' tracing", value,
			  destination->name);
	else
		error_set(error, "trace2: invalid AF_UNIX path '%s' for '%s' tracing", path,
			  destination->name);
	return OPEN_FAILED;
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
	if (strncmp(value, PREFIX, strlen(PREFIX)) == 0)
		return socket_target_open(destination, settings, value, error);
	error_set(error, "trace2: unknown value for '%s': '%s'", name, value);
	return OPEN_UNKNOWN;
}

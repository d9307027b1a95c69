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

/* It stays open: another thread may be writing, and its number must not be reused. */
bool destination_turn_off(struct destination *destination)
{
	return __atomic_exchange_n(&destination->is_on, false, __ATOMIC_RELAXED);
}

/** struct part_writing - how parts of lines are written to a destination */
struct part_writing {
	const struct destination *destination;
	bool is_polled; /* the descriptor is borrowed, and may block */
	int flags;	/* of send(2) */
};

/* A writable pipe has space for PIPE_BUF bytes. */
static ssize_t lines_write_part(const void *context, int fd, const char *data, size_t size)
{
	const struct part_writing *writing = context;
	struct pollfd space = { .fd = fd, .events = POLLOUT };

	if (writing->is_polled && poll(&space, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (writing->is_polled && !writing->destination->is_datagram && size > PIPE_BUF)
		size = PIPE_BUF;
	return writing->destination->is_socket ? send(fd, data, size, MSG_NOSIGNAL | writing->flags)
					       : write(fd, data, size);
}

static int lines_write(const struct destination *destination, const struct buffer *lines,
		       const struct trace2_settings *settings)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	struct part_writing writing = { .destination = destination };
	int fd = destination->fd;

	if (settings->write && destination->is_added)
		return settings->write(settings->write_context, lines->data, lines->size);
	if (settings->is_lenient) {
		ssize_t written = TEMP_FAILURE_RETRY(
			lines_write_part(&writing, fd, lines->data, lines->size));

		return written < 0 ? -1 : 0;
	}
	writing.is_polled = settings->wait && !destination->is_owned;
	writing.flags = MSG_DONTWAIT;
	return file_write_parts(fd, lines->data, lines->size, &wait, lines_write_part, &writing);
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
	const char *remedy;
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
	remedy = errno == ENOSPC || errno == EDQUOT ? "; free some space, or write elsewhere"
		 : errno == EPIPE		    ? "; its reader has gone"
						    : "";
	return error_set(error, "cannot write to %s: %s%s", destination->name, strerror(errno),
			 remedy);
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

/*
 * Opens a file for writing, with the owner and mode of the settings if it is new
 * @flags: further flags of open(2)
 *
 * Returns a descriptor, or -1 with errno.
 */
static int target_file_open(const char *path, int flags, const struct trace2_settings *settings)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	mode_t mode = settings->file_mode ? settings->file_mode : DEFAULT_MODE;
	struct owner owner;
	int fd, number;

	flags |= O_WRONLY | O_CREAT;
	if (settings->file_user == 0)
		return settings->wait ? file_open_unblocked(path, flags, mode, &wait)
				      : open(path, flags | O_CLOEXEC, mode);
	if (owner_init(&owner, settings->file_user, settings->file_group) < 0)
		return -1;
	fd = owner_open(&owner, path, flags, mode, &wait);
	number = errno;
	owner_release(&owner);
	errno = number;
	return fd;
}

/* Sets the destination to the file @path; to none, with @error from errno, if @fd is negative. */
static enum open_result target_set(struct destination *destination, int fd, const char *path,
				   struct error *error)
{
	if (fd < 0) {
		error_set_system(error, errno, "trace2: could not open '%s' for '%s' tracing", path,
				 destination->name);
		return OPEN_FAILED;
	}
	destination_set(destination, fd, true);
	return OPEN_OPEN;
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
	SCOPED_BUFFER(path);
	size_t size;
	const char *name = path_base_name(settings->sid);
	enum open_result result;
	int fd = -1;

	/* A caller may choose any session id; the file must be in the directory. */
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
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
		fd = target_file_open(buffer_string(&path), O_EXCL, settings);
	}
	path.size = size;
	result = target_set(destination, fd, buffer_string(&path), error);
	return result;
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

/* Creates a file for the session in the directory @path; the sentinel if the directory is full. */
static enum open_result folder_target_open(struct destination *destination,
					   const struct trace2_settings *settings, const char *path,
					   struct error *error)
{
	enum open_result result = OPEN_FAILED;
	SCOPED_BUFFER(sentinel);
	struct stat about;
	int fd;

	if (settings->max_files == 0)
		return folder_create_file(destination, settings, path, error);
	folder_path_append(&sentinel, path, SENTINEL);
	if (stat(buffer_string(&sentinel), &about) == 0) {
		error_set(error,
			  "trace2: not opening %s trace file due to too many files in target "
			  "directory %s",
			  destination->name, path);
	} else if (!folder_is_full(path, settings->max_files)) {
		result = folder_create_file(destination, settings, path, error);
	} else {
		fd = target_file_open(buffer_string(&sentinel), O_EXCL, settings);
		destination->is_sentinel = fd >= 0;
		result = target_set(destination, fd, buffer_string(&sentinel), error);
	}
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

/* connect() blocks while the queue is full; the caller's @wait is called instead. */
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

/* Connects to a Unix socket; @value is "af_unix:[stream:|dgram:]PATH". */
static enum open_result socket_target_open(struct destination *destination,
					   const struct trace2_settings *settings,
					   const char *value, struct error *error)
{
	struct file_wait wait = { .wait = settings->wait, .context = settings->wait_context };
	const struct socket_form *form = forms;
	const char *path;
	int fd;

	while (strncmp(value, form->prefix, strlen(form->prefix)) != 0)
		form++;
	path = value + strlen(form->prefix);
	if (path[0] != '/' || strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path)) {
		error_set(error, "trace2: invalid AF_UNIX %s '%s' for '%s' tracing",
			  *path ? "path" : "value", *path ? path : value, destination->name);
		return OPEN_FAILED;
	}
	fd = socket_connect(path, form->types[0], &wait);
	if (fd < 0 && errno == EPROTOTYPE && form->types[1])
		fd = socket_connect(path, form->types[1], &wait);
	if (fd < 0) {
		error_set(error, "trace2: could not connect to socket '%s' for '%s' tracing: %s",
			  path, destination->name,
			  errno == ECANCELED ? "nobody reads it" : strerror(errno));
		return OPEN_FAILED;
	}
	destination_set(destination, fd, true);
	return OPEN_OPEN;
}

/* The descriptor that a value names: a digit, or standard error if it is true; -1 for none. */
static int value_descriptor(const char *value)
{
	if (strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0)
		return ERROR_DESCRIPTOR;
	return isdigit((unsigned char)value[0]) && !value[1] ? value[0] - '0' : -1;
}

enum open_result open_target(struct destination *destination,
			     const struct trace2_settings *settings, const char *value,
			     const char *name, struct error *error)
{
	struct stat about;
	int fd;

	if (!value || !*value || strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0)
		return OPEN_OFF;
	if (destination_init(destination, name) < 0) {
		error_set(error, "out of memory");
		return OPEN_FAILED;
	}
	if (value_descriptor(value) >= 0) {
		destination_set(destination, value_descriptor(value), false);
		return OPEN_OPEN;
	}
	if (value[0] == '/' && stat(value, &about) == 0 && S_ISDIR(about.st_mode))
		return folder_target_open(destination, settings, value, error);
	if (value[0] == '/') {
		fd = target_file_open(value, O_EXCL | O_APPEND, settings);
		if (fd < 0 && errno == EEXIST)
			fd = target_file_open(value, O_APPEND, settings);
		return target_set(destination, fd, value, error);
	}
	if (strncmp(value, PREFIX, strlen(PREFIX)) == 0)
		return socket_target_open(destination, settings, value, error);
	error_set(error, "trace2: unknown value for '%s': '%s'", name, value);
	return OPEN_UNKNOWN;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A Unix socket as a target. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "trace2/open_target.h"

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

bool is_socket_value(const char *value)
{
	return strncmp(value, PREFIX, strlen(PREFIX)) == 0;
}

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

enum open_result socket_target_open(struct destination *destination,
				    const struct trace2_settings *settings, const char *value,
				    struct error *error)
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

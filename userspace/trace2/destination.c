// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writes whole lines to a file descriptor. */
#include "trace2/destination.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

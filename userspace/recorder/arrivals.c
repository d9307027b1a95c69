// SPDX-License-Identifier: GPL-2.0-only
/* Notices modules that are loaded and unloaded, and asks ktrack.ko to be earlier than that. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "recorder/recorder.h"

/* The kernel tells of everything that comes or goes, modules among it, in messages of this size. */
#define MESSAGE_SIZE 8192

/* Its multicast group; the other is what udev tells. */
#define KERNEL_GROUP 1

/**
 * struct arrivals - what we listen to
 * @socket_fd: on which the kernel tells; a module that is loaded once its init has run
 * @wish_fd: ktrack.ko's device, open from the first wish on; -1 if it is not loaded
 */
struct arrivals {
	int socket_fd;
	int wish_fd;
};

static int socket_open(struct arrivals *arrivals, struct error *error)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };

	arrivals->socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
				     NETLINK_KOBJECT_UEVENT);
	if (arrivals->socket_fd >= 0 &&
	    bind(arrivals->socket_fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	return error_set_system(error, errno, "cannot notice modules that are loaded");
}

int arrivals_open(struct arrivals **out, struct error *error)
{
	struct arrivals *arrivals = calloc(1, sizeof(*arrivals));

	*out = NULL;
	if (!arrivals)
		return error_set(error, "out of memory");
	arrivals->wish_fd = -1;
	if (socket_open(arrivals, error) < 0) {
		arrivals_close(arrivals);
		return -1;
	}
	*out = arrivals;
	return 0;
}

bool arrivals_wish(struct arrivals *arrivals, const char *instance, const char *pattern)
{
	struct buffer line = { 0 };
	bool is_taken;

	if (arrivals->wish_fd < 0)
		arrivals->wish_fd = open("/dev/ktrack", O_WRONLY | O_CLOEXEC);
	if (arrivals->wish_fd < 0)
		return false;
	buffer_printf(&line, "%s %s\n", instance, pattern);
	is_taken = !line.failed &&
		   write(arrivals->wish_fd, line.data, line.size) == (ssize_t)line.size;
	buffer_release(&line);
	return is_taken;
}

int arrivals_fd(const struct arrivals *arrivals)
{
	return arrivals->socket_fd;
}

/* "add@/module/NAME" and "remove@/module/NAME", from nobody but the kernel. */
static bool message_is_of_module(const char *message, const struct sockaddr_nl *sender)
{
	const char *place = strchr(message, '@');

	return sender->nl_pid == 0 && place &&
	       strncmp(place, "@/module/", strlen("@/module/")) == 0;
}

/* Where there was no room for more messages, there may have been any. */
bool arrivals_take(struct arrivals *arrivals)
{
	char message[MESSAGE_SIZE + 1];
	bool has_any = false;

	for (;;) {
		struct sockaddr_nl sender = { 0 };
		socklen_t sender_size = sizeof(sender);
		ssize_t size = recvfrom(arrivals->socket_fd, message, MESSAGE_SIZE, 0,
					(struct sockaddr *)&sender, &sender_size);

		if (size < 0 && errno == ENOBUFS)
			has_any = true;
		else if (size < 0 && errno != EINTR)
			return has_any;
		if (size < 0)
			continue;
		message[size] = '\0';
		has_any |= message_is_of_module(message, &sender);
	}
}

void arrivals_close(struct arrivals *arrivals)
{
	if (!arrivals)
		return;
	if (arrivals->socket_fd >= 0)
		close(arrivals->socket_fd);
	if (arrivals->wish_fd >= 0)
		close(arrivals->wish_fd);
	free(arrivals);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reports modules that are loaded and unloaded, and makes enable requests to ktrack.ko. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/tracefs.h"

/* The size of the kernel's messages about devices and modules that appear or disappear. */
#define MESSAGE_SIZE 8192
/* The kernel's multicast group; the other one is udev's. */
#define KERNEL_GROUP 1

/** struct module_watch - what we listen to */
struct module_watch {
	/* receives the kernel's messages; a loaded module is reported after its init */
	int socket_fd;
	/* ktrack.ko's device, open from the first enable request on; -1 if it is not loaded */
	int request_fd;
};

static int socket_open(struct module_watch *watch, struct error *error)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };

	watch->socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
				  NETLINK_KOBJECT_UEVENT);
	if (watch->socket_fd >= 0 &&
	    bind(watch->socket_fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	return error_set_system(error, errno, "cannot notice modules that are loaded");
}

int module_watch_open(struct module_watch **out, struct error *error)
{
	struct module_watch *watch = calloc(1, sizeof(*watch));

	*out = NULL;
	if (!watch)
		return error_set(error, "out of memory");
	watch->request_fd = -1;
	if (socket_open(watch, error) < 0)
		return module_watch_close(watch), -1;
	*out = watch;
	return 0;
}

bool module_watch_request(struct module_watch *watch, const char *instance, const char *pattern)
{
	SCOPED_BUFFER(line);
	bool is_taken;

	if (watch->request_fd < 0)
		watch->request_fd = open("/dev/ktrack", O_WRONLY | O_CLOEXEC);
	if (watch->request_fd < 0)
		return false;
	buffer_printf(&line, "%s %s\n", instance, pattern);
	is_taken = !line.failed &&
		   retry_write(watch->request_fd, line.data, line.size) == (ssize_t)line.size;
	return is_taken;
}

int module_watch_fd(const struct module_watch *watch)
{
	return watch->socket_fd;
}

/* "add@/module/NAME" and "remove@/module/NAME", from nobody but the kernel. */
static bool message_is_of_module(const char *message, const struct sockaddr_nl *sender)
{
	const char *place = strchr(message, '@');

	return sender->nl_pid == 0 && place &&
	       strncmp(place, "@/module/", strlen("@/module/")) == 0;
}

/* If messages were dropped, any module may have been loaded or unloaded. */
bool module_watch_take(struct module_watch *watch)
{
	char message[MESSAGE_SIZE + 1];
	bool has_any = false;

	for (;;) {
		struct sockaddr_nl sender = { 0 };
		socklen_t sender_size = sizeof(sender);
		ssize_t size = recvfrom(watch->socket_fd, message, MESSAGE_SIZE, 0,
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

void module_watch_close(struct module_watch *watch)
{
	if (!watch)
		return;
	file_close(watch->socket_fd);
	file_close(watch->request_fd);
	free(watch);
}

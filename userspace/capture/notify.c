// SPDX-License-Identifier: GPL-2.0-only
/* Sends datagrams to the service manager; a few lines, for which libsystemd would be a dependency.
 */
#include "capture/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"

#define SOCKET_VARIABLE "NOTIFY_SOCKET"
#define WATCHDOG_VARIABLE "WATCHDOG_USEC"
#define PROCESS_VARIABLE "WATCHDOG_PID"

/* A path, or "@NAME" of the abstract namespace. Returns the size of the address, 0 if it is none.
 */
static socklen_t notify_address_set(struct sockaddr_un *address, const char *name)
{
	size_t size = name ? strlen(name) : 0;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (size < 2 || size >= sizeof(address->sun_path) || (*name != '/' && *name != '@'))
		return 0;
	memcpy(address->sun_path, name, size);
	if (*name == '@')
		address->sun_path[0] = '\0';
	return offsetof(struct sockaddr_un, sun_path) + size + (*name == '/');
}

static int notify_connect(const char *name)
{
	struct sockaddr_un address;
	socklen_t size = notify_address_set(&address, name);
	int fd;

	if (size == 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) == 0)
		return fd;
	file_close(fd);
	return -1;
}

/* Of another process, if the variable was inherited by mistake. */
static bool watchdog_is_ours(void)
{
	const char *process = getenv(PROCESS_VARIABLE);

	return !process || atoll(process) == getpid();
}

static int64_t watchdog_interval_ns(void)
{
	const char *text = getenv(WATCHDOG_VARIABLE);
	char *end;
	long long us;

	if (!text || !watchdog_is_ours())
		return 0;
	errno = 0;
	us = strtoll(text, &end, 10);
	return errno || *end || us <= 0 || us > INT64_MAX / NS_PER_US ? 0 : us * NS_PER_US;
}

void notify_open(struct notify *notify)
{
	*notify = (struct notify){ .fd = notify_connect(getenv(SOCKET_VARIABLE)),
				   .watchdog_ns = watchdog_interval_ns() };
	unsetenv(SOCKET_VARIABLE);
	unsetenv(WATCHDOG_VARIABLE);
	unsetenv(PROCESS_VARIABLE);
}

bool notify_send(struct notify *notify, const char *state)
{
	size_t size = strlen(state);

	return notify->fd >= 0 &&
	       send(notify->fd, state, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
}

/* Twice as often as the manager expects. */
static int64_t notify_due_ns(const struct notify *notify)
{
	return notify->reported_ns + notify->watchdog_ns / 2;
}

int notify_wait_ms(const struct notify *notify, int64_t now_ns, int max_ms)
{
	int64_t left_ns = notify_due_ns(notify) - now_ns;

	if (notify->fd < 0 || notify->watchdog_ns == 0 || left_ns >= max_ms * NS_PER_MS)
		return max_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS);
}

void notify_keep_alive(struct notify *notify, int64_t now_ns)
{
	if (notify->watchdog_ns == 0 || now_ns < notify_due_ns(notify))
		return;
	if (notify_send(notify, "WATCHDOG=1"))
		notify->reported_ns = now_ns;
}

void notify_close(struct notify *notify)
{
	file_close(notify->fd);
	notify->fd = -1;
}

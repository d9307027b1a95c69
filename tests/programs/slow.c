// SPDX-License-Identifier: GPL-2.0-only
/* Wraps sendmsg(): the program is preempted between its connection to ktrack and its message. */
#include <sys/socket.h>
#include <unistd.h>

#define PAUSE_US 700000

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	usleep(PAUSE_US);
	return __real_sendmsg(fd, message, flags);
}

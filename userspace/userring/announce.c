// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the messages of programs that announce themselves. What they send is checked like the
 * memory of any program. Nothing here waits: a program may be preempted between its connection
 * and its message, or never send one.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userring/scan.h"

/*
 * A program sends right after it has connected. Its message is also looked for this often: the time
 * may have passed while this process was stopped, and the program with it.
 */
#define CALLER_NS (5 * NS_PER_S)
#define CALLER_LOOKS 50

/* Takes the first of the descriptors, and closes others. */
static int message_take_fd(struct msghdr *message)
{
	int taken = -1;

	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		size_t size = part->cmsg_len - CMSG_LEN(0);

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i + sizeof(int) <= size; i += sizeof(int)) {
			int fd;

			memcpy(&fd, CMSG_DATA(part) + i, sizeof(fd));
			if (taken < 0)
				taken = fd;
			else
				close(fd);
		}
	}
	return taken;
}

/* Returns 1 with the memfd of a message, 0 if there is none yet, -1 if there will be none. */
static int caller_receive(struct program_socket *own, const struct program_caller *caller,
			  int *memory_fd)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr head;
	} control;
	uint32_t version;
	struct iovec part = { .iov_base = &version, .iov_len = sizeof(version) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };

	if (recvmsg(caller->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		if (errno != ECONNRESET)
			own->problem = errno;
		return -1;
	}
	*memory_fd = message_take_fd(&message);
	/* The kernel leaves out a descriptor for which this process has no place. */
	if (*memory_fd < 0 && (message.msg_flags & MSG_CTRUNC))
		own->problem = EMFILE;
	return *memory_fd < 0 ? -1 : 1;
}

static void caller_remove(struct program_socket *own, size_t index)
{
	epoll_ctl(own->poll_fd, EPOLL_CTL_DEL, own->callers[index].fd, NULL);
	own->nr_callers--;
	memmove(own->callers + index, own->callers + index + 1,
		(own->nr_callers - index) * sizeof(*own->callers));
}

/* The oldest gives way: whoever connects and sends nothing keeps out no other program. */
static void caller_add(struct program_socket *own, int fd, int64_t now_ns)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (own->nr_callers == PROGRAM_CALLERS_MAX) {
		int oldest = own->callers[0].fd;

		caller_remove(own, 0);
		close(oldest);
		own->nr_dropped++;
	}
	own->callers[own->nr_callers++] = (struct program_caller){ .fd = fd, .since_ns = now_ns };
	epoll_ctl(own->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Ends the connection of the caller at @index, or gives it to @out. */
static bool caller_take(struct program_socket *own, size_t index, int memory_fd,
			struct program_offer *out)
{
	int connection = own->callers[index].fd;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	bool is_known = memory_fd >= 0 &&
			getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
			peer.pid > 0;

	caller_remove(own, index);
	if (is_known) {
		*out = (struct program_offer){ .connection = connection,
					       .memory_fd = memory_fd,
					       .pid = peer.pid };
		return true;
	}
	file_close(memory_fd);
	close(connection);
	return false;
}

/* Whether the caller's message is not awaited any more. */
static bool caller_is_late(const struct program_caller *caller, int64_t now_ns)
{
	return caller->nr_looks > CALLER_LOOKS && now_ns - caller->since_ns >= CALLER_NS;
}

/* Returns false if no caller has sent its message. */
static bool callers_take(struct program_socket *own, int64_t now_ns, struct program_offer *out)
{
	size_t index = 0;

	while (index < own->nr_callers) {
		int memory_fd = -1, status = caller_receive(own, &own->callers[index], &memory_fd);

		if (status == 0 && !caller_is_late(&own->callers[index], now_ns)) {
			index++;
			continue;
		}
		own->nr_dropped += status == 0;
		if (caller_take(own, index, memory_fd, out))
			return true;
	}
	return false;
}

bool program_offer_is_late(const struct program_offer *offer)
{
	struct pollfd state = { .fd = offer->connection };

	return poll(&state, 1, 0) > 0 && (state.revents & POLLHUP);
}

/* An error of this process, not of the caller: it may pass, and the connection waits until then. */
static int accept_problem(void)
{
	return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? 0 : errno;
}

/* Whoever connects again and again must not keep ktrack here: the rest is accepted later. */
bool program_socket_take(struct program_socket *own, struct program_offer *out)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	bool is_taken;

	for (size_t i = 0; i < own->nr_callers; i++)
		own->callers[i].nr_looks++;
	is_taken = callers_take(own, now_ns, out);
	for (int i = 0; i < PROGRAM_CALLERS_MAX && !is_taken; i++) {
		int fd = accept4(own->fd, NULL, NULL, SOCK_CLOEXEC);

		own->refused = fd < 0 ? accept_problem() : 0;
		if (fd < 0)
			return false;
		caller_add(own, fd, now_ns);
		is_taken = callers_take(own, now_ns, out);
	}
	return is_taken;
}

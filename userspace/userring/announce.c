// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accepts the connections of programs that announce themselves, and finds those whose message has
 * arrived. Nothing here waits: a program may be preempted between its connection and its message,
 * or never send one. Nothing is received or closed, which may block.
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

bool callers_open(struct caller_list *callers, int socket_fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = socket_fd };

	*callers = (struct caller_list){ .socket_fd = socket_fd,
					 .poll_fd = epoll_create1(EPOLL_CLOEXEC) };
	return callers->poll_fd >= 0 &&
	       (socket_fd < 0 ||
		epoll_ctl(callers->poll_fd, EPOLL_CTL_ADD, socket_fd, &event) == 0);
}

static int caller_remove(struct caller_list *callers, size_t index)
{
	int fd = callers->list[index].fd;

	epoll_ctl(callers->poll_fd, EPOLL_CTL_DEL, fd, NULL);
	callers->size--;
	memmove(callers->list + index, callers->list + index + 1,
		(callers->size - index) * sizeof(*callers->list));
	return fd;
}

/* The program goes on at once, whoever else has the connection. */
static void caller_drop(struct caller_list *callers, size_t index)
{
	int fd = caller_remove(callers, index);

	shutdown(fd, SHUT_RDWR);
	callers->ended[callers->nr_ended++] = fd;
	callers->nr_dropped++;
}

/* The oldest gives way: whoever connects and sends nothing keeps out no other program. */
static void caller_add(struct caller_list *callers, int fd, int64_t now_ns)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (callers->size == CALLERS_MAX)
		caller_drop(callers, 0);
	callers->list[callers->size++] = (struct program_caller){ .fd = fd, .since_ns = now_ns };
	epoll_ctl(callers->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Whether the caller's message has arrived, or none will. */
static bool caller_is_ready(const struct program_caller *caller)
{
	struct pollfd state = { .fd = caller->fd, .events = POLLIN };

	return poll(&state, 1, 0) > 0;
}

/* Whether the caller's message is not awaited any more. */
static bool caller_is_late(const struct program_caller *caller, int64_t now_ns)
{
	return caller->nr_looks > CALLER_LOOKS && now_ns - caller->since_ns >= CALLER_NS;
}

/* Returns -1 if no caller has sent its message. */
static int callers_find(struct caller_list *callers, int64_t now_ns)
{
	size_t index = 0;

	while (index < callers->size) {
		if (caller_is_ready(&callers->list[index]))
			return caller_remove(callers, index);
		if (caller_is_late(&callers->list[index], now_ns) &&
		    callers->nr_ended < CALLERS_ENDED_MAX)
			caller_drop(callers, index);
		else
			index++;
	}
	return -1;
}

/* An error of this process, not of the caller: it may pass, and the connection waits until then. */
static int accept_problem(void)
{
	return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? 0 : errno;
}

/* Whoever connects again and again must not keep the helper here: the rest is accepted later. */
int callers_take(struct caller_list *callers)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	int taken;

	for (size_t i = 0; i < callers->size; i++)
		callers->list[i].nr_looks++;
	taken = callers_find(callers, now_ns);
	for (int i = 0; i < CALLERS_MAX && taken < 0 && callers->nr_ended < CALLERS_ENDED_MAX; i++) {
		int fd = accept4(callers->socket_fd, NULL, NULL, SOCK_CLOEXEC);

		callers->refused = fd < 0 ? accept_problem() : 0;
		if (fd < 0)
			return -1;
		caller_add(callers, fd, now_ns);
		taken = callers_find(callers, now_ns);
	}
	return taken;
}

void callers_close(struct caller_list *callers)
{
	if (callers->socket_fd >= 0)
		shutdown(callers->socket_fd, SHUT_RDWR);
	for (size_t i = 0; i < callers->size; i++)
		shutdown(callers->list[i].fd, SHUT_RDWR);
}

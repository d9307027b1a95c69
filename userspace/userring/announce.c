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

#include "userring/process.h"
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

/* One place is left for the connection that is taken, in case there is no process for it. */
static bool callers_are_full(const struct caller_list *callers)
{
	return callers->nr_ended >= CALLERS_ENDED_MAX - 1;
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

static size_t callers_count(const struct caller_list *callers, uid_t user)
{
	size_t nr = 0;

	for (size_t i = 0; i < callers->size; i++)
		nr += callers->list[i].user == user;
	return nr;
}

/* The oldest one of a user, or of the user with the most callers if all together are too many. */
static size_t caller_find_oldest(const struct caller_list *callers, uid_t user)
{
	size_t most = 0, oldest = 0;

	for (size_t i = 0; i < callers->size; i++) {
		size_t nr = callers_count(callers, callers->list[i].user);

		if (callers->size < CALLERS_MAX && callers->list[i].user == user)
			return i;
		if (nr > most)
			oldest = i;
		most = nr > most ? nr : most;
	}
	return oldest;
}

/* The user who has a connection; unknown users share one. */
static uid_t connection_user(int fd)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
		return USER_UNKNOWN;
	return process_user(peer.pid, peer.uid);
}

/* The oldest gives way: whoever connects and sends nothing keeps out no other program. */
static void caller_add(struct caller_list *callers, int fd, int64_t now_ns)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	uid_t user = connection_user(fd);

	if (callers->size == CALLERS_MAX || callers_count(callers, user) >= USER_CALLERS_MAX)
		caller_drop(callers, caller_find_oldest(callers, user));
	callers->list[callers->size++] =
		(struct program_caller){ .fd = fd, .user = user, .since_ns = now_ns };
	epoll_ctl(callers->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Receivers may hang: those of one user leave places for others, and who has none gets one. */
static bool user_may_send(const struct caller_list *callers, uid_t user)
{
	size_t nr = 0;

	for (size_t i = 0; i < callers->nr_receivers; i++)
		nr += callers->receivers[i].user == user;
	if (callers->nr_receivers >= RECEIVERS_MAX / 2)
		return nr == 0 && callers->nr_receivers < RECEIVERS_MAX;
	return nr < USER_RECEIVERS_MAX;
}

void callers_add_receiver(struct caller_list *callers, pid_t pid, uid_t user)
{
	callers->receivers[callers->nr_receivers++] =
		(struct message_receiver){ .pid = pid, .user = user };
}

void callers_end_receiver(struct caller_list *callers, pid_t pid)
{
	for (size_t i = 0; i < callers->nr_receivers; i++) {
		if (callers->receivers[i].pid == pid) {
			callers->receivers[i] = callers->receivers[--callers->nr_receivers];
			return;
		}
	}
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
static int callers_find(struct caller_list *callers, int64_t now_ns, uid_t *user)
{
	size_t index = 0;

	callers->is_held_back = false;
	while (index < callers->size) {
		bool is_ready = caller_is_ready(&callers->list[index]);

		*user = callers->list[index].user;
		if (is_ready && user_may_send(callers, *user))
			return caller_remove(callers, index);
		callers->is_held_back |= is_ready;
		if (caller_is_late(&callers->list[index], now_ns) &&
		    !callers_are_full(callers))
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
int callers_take(struct caller_list *callers, uid_t *user)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	int taken;

	if (callers->nr_ended == CALLERS_ENDED_MAX)
		return -1;
	for (size_t i = 0; i < callers->size; i++)
		callers->list[i].nr_looks++;
	taken = callers_find(callers, now_ns, user);
	for (int i = 0; i < USER_CALLERS_MAX && taken < 0 && !callers_are_full(callers); i++) {
		int fd = accept4(callers->socket_fd, NULL, NULL, SOCK_CLOEXEC);

		callers->refused = fd < 0 ? accept_problem() : 0;
		if (fd < 0)
			return -1;
		caller_add(callers, fd, now_ns);
		taken = callers_find(callers, now_ns, user);
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

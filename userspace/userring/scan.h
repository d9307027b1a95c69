/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds programs: those that run, and those that start. */
#ifndef USERRING_SCAN_H
#define USERRING_SCAN_H

#include "userring/program.h"

/**
 * struct memory_visitor - receives memfds
 * @wants: asked once for a process that has any, before they are opened; NULL for all processes
 * @visit: @fd is closed by the caller; returns -1 with @error to stop
 */
struct memory_visitor {
	void *context;
	bool (*wants)(void *context, int pid);
	int (*visit)(void *context, int fd, int pid, struct error *error);
};

/** memfds_visit - visit the memfds of the wanted processes among those that the caller may read */
int memfds_visit(const struct memory_visitor *visitor, struct error *error);

/** PROGRAM_CALLERS_MAX - limit of connections whose message has not arrived */
#define PROGRAM_CALLERS_MAX 64

/**
 * struct program_caller - a connection whose message has not arrived
 * @since_ns: of CLOCK_MONOTONIC
 * @nr_looks: how often it was looked for
 */
struct program_caller {
	int fd;
	unsigned int nr_looks;
	int64_t since_ns;
};

/**
 * struct program_socket - where programs announce themselves
 * @fd: listens; -1 if it is not open
 * @poll_fd: readable if program_socket_take() may have something to do
 * @usual: the path that its user chose by the environment, or the default one
 * @is_chosen: the user chose it
 * @path: of the socket; not the usual one if another ktrack has that
 * @folder: a temporary one; NULL if it is none
 * @callers: the oldest first
 * @nr_dropped: connections that were closed although their message could still arrive
 * @problem: errno of a message that this process could not receive, 0 if there was none
 * @refused: errno of the last connection that this process could not accept, 0 if there is none
 */
struct program_socket {
	int fd;
	int poll_fd;
	char *usual;
	bool is_chosen;
	char *path;
	char *folder;
	struct program_caller callers[PROGRAM_CALLERS_MAX];
	size_t nr_callers;
	unsigned int nr_dropped;
	int problem;
	int refused;
};

/**
 * struct program_offer - a program that announces itself
 * @connection: to be closed when the program may go on
 * @memory_fd: its memfd, to be closed
 */
struct program_offer {
	int connection;
	int memory_fd;
	int pid;
};

/** program_socket_open - open the usual socket, or a temporary one; returns -1 with @error */
int program_socket_open(struct program_socket *own, struct error *error);

/**
 * program_socket_owns - whether a process that runs already announces itself at this socket
 *
 * Its environment names the socket, as far as procfs has that: a program may have changed it since.
 */
bool program_socket_owns(const struct program_socket *own, int pid);

/** program_socket_take - take a program that announces itself; false if there is none now */
bool program_socket_take(struct program_socket *own, struct program_offer *out);

/**
 * program_offer_is_late - whether a program has not waited, so that it runs already, or has ended
 *
 * This is known once recording of it is on: before, it may go on at any moment.
 */
bool program_offer_is_late(const struct program_offer *offer);

void program_socket_close(struct program_socket *own);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds programs: those that run, and those that start. */
#ifndef USERRING_SCAN_H
#define USERRING_SCAN_H

#include "userring/program.h"

/**
 * struct memory_visitor - receives memfds
 * @visit: @fd is closed by the caller; returns -1 with @error to stop
 */
struct memory_visitor {
	void *context;
	int (*visit)(void *context, int fd, int pid, struct error *error);
};

/** memfds_visit - visit the memfds of all processes that the caller may read */
int memfds_visit(const struct memory_visitor *visitor, struct error *error);

/**
 * struct program_socket - where programs announce themselves
 * @fd: listens; -1 if it is not open
 * @path: of the socket
 * @folder: a temporary one; NULL if it is none
 */
struct program_socket {
	int fd;
	char *path;
	char *folder;
};

/** program_socket_open - open the usual socket, or a temporary one; returns -1 with @error */
int program_socket_open(struct program_socket *own, struct error *error);

/**
 * program_socket_accept - take a program that announces itself
 * @connection: to be closed when the program may go on
 * @pid: of the program
 *
 * Returns its memfd, to be closed; -1 if it has sent none; -2 if nobody is waiting.
 */
int program_socket_accept(struct program_socket *own, int *connection, int *pid);

void program_socket_close(struct program_socket *own);

#endif

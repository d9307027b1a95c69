/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds programs: those that run, and those that start. */
#ifndef USERRING_SCAN_H
#define USERRING_SCAN_H

#include "userring/program.h"

/**
 * memfd_open_anew - open a file anew if it is regular, and of the kernel's memory
 * @path_fd: of the file, perhaps opened with O_PATH
 *
 * Nothing blocks: not opening a file with a lease, nor closing what is returned. Returns -1 with
 * errno, EINVAL if it is another file.
 */
int memfd_open_anew(int path_fd);

/** CALLERS_MAX, USER_CALLERS_MAX - limits of connections whose message has not arrived */
#define CALLERS_MAX 256
#define USER_CALLERS_MAX 64

/** RECEIVERS_MAX, USER_RECEIVERS_MAX - limits of processes that receive messages, and may hang */
#define RECEIVERS_MAX 512
#define USER_RECEIVERS_MAX 64

/** CALLERS_ENDED_MAX - limit of connections that are over, and not closed yet */
#define CALLERS_ENDED_MAX 256

/**
 * struct program_caller - a connection whose message has not arrived
 * @user: to whom it counts
 * @since_ns: of CLOCK_MONOTONIC
 * @nr_looks: how often it was looked for
 */
struct program_caller {
	int fd;
	uid_t user;
	unsigned int nr_looks;
	int64_t since_ns;
};

/** struct message_receiver - a process that receives the message of a program of a user */
struct message_receiver {
	pid_t pid;
	uid_t user;
};

/**
 * struct caller_list - connections of programs that announce themselves
 * @sockets: listen; the second one may be -1, or both
 * @poll_fd: readable if callers_take() may have something to do
 * @list: the oldest first
 * @ended: connections to be closed by another process: closing one closes what it has sent
 * @nr_dropped: connections that ended although their message could still arrive
 * @refused: errno of the last connection that this process could not accept, 0 if there is none
 * @receivers: processes that have not ended
 * @is_held_back: a message has arrived, and its user has too many of them
 */
struct caller_list {
	int sockets[2];
	int poll_fd;
	struct program_caller list[CALLERS_MAX];
	size_t size;
	int ended[CALLERS_ENDED_MAX];
	size_t nr_ended;
	unsigned int nr_dropped;
	int refused;
	struct message_receiver receivers[RECEIVERS_MAX];
	size_t nr_receivers;
	bool is_held_back;
};

/** callers_open - accept connections of sockets from now on; returns false with errno */
bool callers_open(struct caller_list *callers, int socket_fd, int descendants_fd);

/** callers_leave - close the sockets in a process that accepts none */
void callers_leave(struct caller_list *callers);

/**
 * callers_take - take a connection whose message can be received, or has ended
 * @user: of the caller
 *
 * Returns -1 if there is none now.
 */
int callers_take(struct caller_list *callers, uid_t *user);

/** callers_add_receiver, callers_end_receiver - a process has been started, or has ended */
void callers_add_receiver(struct caller_list *callers, pid_t pid, uid_t user);
void callers_end_receiver(struct caller_list *callers, pid_t pid);

/** callers_close - end all connections, and stop listening */
void callers_close(struct caller_list *callers);

/**
 * struct program_socket - where programs announce themselves
 * @fd: listens; -1 if it is not open
 * @descendants_fd: listens where descendants of this process find it without the path; -1 for none
 * @usual: the path that its user chose by the environment, or the default one
 * @is_chosen: the user chose it
 * @path: of the socket; not the usual one if another ktrack has that
 * @folder: a temporary one; NULL if it is none
 */
struct program_socket {
	int fd;
	int descendants_fd;
	char *usual;
	bool is_chosen;
	char *path;
	char *folder;
};

/**
 * program_socket_open - open the usual socket, or a temporary one
 * @is_private: a temporary one, which only children know, and one by which descendants find it
 *
 * Returns 0, or -1 with @error.
 */
int program_socket_open(struct program_socket *own, bool is_private, struct error *error);

/**
 * program_socket_owns - whether a process that runs already announces itself at this socket
 *
 * Its environment names the socket, as far as procfs has that: a program may have changed it since.
 */
bool program_socket_owns(const struct program_socket *own, int pid);

void program_socket_close(struct program_socket *own);

#endif

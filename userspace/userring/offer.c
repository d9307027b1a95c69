// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that takes the message of one program: what the program sends may be any file, and
 * each call that uses it may block for ever. Only this process waits then.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "userring/helper.h"
#include "userring/process.h"

/* How often an offer is made to readers that are killed. */
#define OFFER_TRIES 10

/* Takes the first of the descriptors; the exit of this process closes the others. */
static int message_take_fd(struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
	    part->cmsg_len >= CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

/* Returns the file of a program's message, -1 if there is none; errno is 0 if that is its fault. */
static int offer_receive(int connection)
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
	ssize_t received;
	int fd;

	do {
		received = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	} while (received < 0 && errno == EINTR);
	if (received < 0) {
		if (errno == ECONNRESET || errno == EAGAIN)
			errno = 0;
		return -1;
	}
	fd = message_take_fd(&message);
	/* The kernel leaves out a descriptor for which this process has no place. */
	errno = fd < 0 && (message.msg_flags & MSG_CTRUNC) ? EMFILE : 0;
	return fd;
}

static void message_add_mapped(void *context, const struct mapping *mapping)
{
	struct helper_message *message = context;

	if (message->nr_mapped < HELPER_MAPPED_MAX)
		message->mapped[message->nr_mapped] = mapping->inode;
	message->nr_mapped++;
}

static void message_list_mapped(struct helper_message *message)
{
	const struct mapping_visitor visitor = { message, message_add_mapped };
	int64_t until_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID) + MAPPED_LIMIT_NS;

	message->mapped_ns = time_now_ns(CLOCK_BOOTTIME);
	message->nr_mapped = 0;
	if (!process_visit_mappings(message->pid, until_ns, &visitor) ||
	    message->nr_mapped > HELPER_MAPPED_MAX)
		message->nr_mapped = 0;
}

void message_describe(struct helper_message *message)
{
	process_path(message->pid, message->path, sizeof(message->path));
	message->clock_offset_ns = process_clock_offset(message->pid);
	message_list_mapped(message);
}

static bool program_has_gone_on(int connection)
{
	struct pollfd state = { .fd = connection };

	return poll(&state, 1, 0) > 0 && (state.revents & POLLHUP);
}

/*
 * Sends the memory, and waits for the answer; returns 0, or errno. EPIPE: the reader was killed
 * before it answered.
 */
static int offer_send_once(int fd, const struct helper_message *message, int memory_fd)
{
	int answer[2], fds[2];
	ssize_t size;
	char byte;

	if (pipe2(answer, O_CLOEXEC) < 0)
		return errno;
	fds[0] = memory_fd;
	fds[1] = answer[1];
	if (!helper_send(fd, message, fds, 2)) {
		int number = errno;

		close(answer[0]);
		close(answer[1]);
		return number;
	}
	close(answer[1]);
	do {
		size = read(answer[0], &byte, 1);
	} while (size < 0 && errno == EINTR);
	close(answer[0]);
	return size > 0 ? 0 : EPIPE;
}

/* A new reader gets the offer again. */
static int offer_send(int fd, const struct helper_message *message, int memory_fd)
{
	int number = EPIPE;

	for (int i = 0; i < OFFER_TRIES && number == EPIPE; i++)
		number = offer_send_once(fd, message, memory_fd);
	return number;
}

void offer_run(int fd, int connection)
{
	struct helper_message message = { .kind = HELPER_OFFER };
	int sent_fd = offer_receive(connection);
	int problem = errno, memory_fd = -1;
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;

	if (sent_fd >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	    peer.pid > 0) {
		message.pid = peer.pid;
		message.user = process_user(peer.pid, peer.uid);
		memory_fd = memfd_open_anew(sent_fd);
		/* Whoever sends another file is no program. */
		problem = memory_fd < 0 && errno != EINVAL ? errno : 0;
	}
	if (memory_fd >= 0) {
		message_describe(&message);
		problem = offer_send(fd, &message, memory_fd);
		message.kind = HELPER_ANSWERED;
		message.number = problem == 0 && program_has_gone_on(connection);
	}
	if (problem) {
		message.kind = HELPER_PROBLEM;
		message.number = problem;
	}
	/* In this order: the program may end at once, and the recording with it. */
	if (message.kind != HELPER_OFFER)
		helper_send(fd, &message, NULL, 0);
	shutdown(connection, SHUT_RDWR);
}

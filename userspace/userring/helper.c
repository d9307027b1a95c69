// SPDX-License-Identifier: GPL-2.0-only
/* The recorder's side of the helper process: starts it, takes its messages, ends it. */
#include "userring/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The most descriptors of a message. */
#define MESSAGE_FDS_MAX 2

/* The kernel limits descriptors that are under way: then they are sent a little later. */
#define SEND_STEP_NS (NS_PER_S / 100)

/* How long a helper may take to begin. A step counts once, however long this process is stopped. */
#define BEGIN_STEP_MS 100
#define BEGIN_STEPS 200

/* One that cannot give up its rights, for want of memory or because it hangs, gets no programs. */
static bool helper_await(struct helper *helper)
{
	struct helper_report report;

	for (int i = 0; i < BEGIN_STEPS && !helper->has_ended; i++) {
		if (helper_receive(helper, &report, BEGIN_STEP_MS))
			return true;
	}
	return false;
}

int helper_start(struct helper *helper, const struct helper_work *work, struct error *error)
{
	int fds[2];

	*helper = (struct helper){ .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return error_set_system(error, errno, "cannot start the helper for programs");
	helper->pid = fork();
	if (helper->pid == 0) {
		close(fds[0]);
		helper_run(work, fds[1]);
		_exit(0);
	}
	if (helper->pid < 0) {
		error_set_system(error, errno, "cannot start the helper for programs");
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	helper->fd = fds[0];
	close(fds[1]);
	if (helper_await(helper))
		return 0;
	kill(helper->pid, SIGKILL);
	helper_end(helper);
	return error_set(error,
			 "the helper for programs does not start; is memory short, or the limit "
			 "of open files (ulimit -n)?");
}

int helper_start_reader(struct helper *helper, struct helper_work *work, int *reader_fd,
			struct error *error)
{
	const int bytes = READER_SEND_BYTES;
	int fds[2];

	*reader_fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return error_set_system(error, errno, "cannot start the helper for programs");
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	work->reader_fd = fds[1];
	programs_find_reader(&work->reader_user, &work->reader_group);
	if (helper_start(helper, work, error) == 0)
		*reader_fd = fds[0];
	else
		close(fds[0]);
	close(fds[1]);
	return *reader_fd < 0 ? -1 : 0;
}

static bool helper_ask(const struct helper *helper, char request)
{
	return send(helper->fd, &request, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

void helper_search(struct helper *helper)
{
	if (!helper->is_searching)
		helper->is_searching = helper_ask(helper, HELPER_ASK_SEARCH);
}

void helper_replace_reader(struct helper *helper)
{
	helper_ask(helper, HELPER_ASK_READER);
}

/* Takes descriptors from a message, in their order. */
static void report_take_fds(struct helper_report *out, struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int fds[MESSAGE_FDS_MAX] = { -1, -1 };

	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
	    part->cmsg_len <= CMSG_LEN(sizeof(fds)))
		memcpy(fds, CMSG_DATA(part), part->cmsg_len - CMSG_LEN(0));
	out->memory_fd = fds[0];
	out->answer_fd = fds[1];
	/* The kernel leaves out descriptors for which this process has no place. */
	if (message->msg_flags & MSG_CTRUNC) {
		report_close(out);
		out->message.kind = HELPER_PROBLEM;
		out->message.number = EMFILE;
	}
}

bool helper_receive(struct helper *helper, struct helper_report *out, int timeout_ms)
{
	union {
		char bytes[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
		struct cmsghdr head;
	} control;
	struct iovec part = { .iov_base = &out->message, .iov_len = sizeof(out->message) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct pollfd state = { .fd = helper->fd, .events = POLLIN };
	ssize_t size;

	if (helper->fd < 0 || poll(&state, 1, timeout_ms) <= 0)
		return false;
	size = recvmsg(helper->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (size >= 0)
		report_take_fds(out, &message);
	if (size == sizeof(out->message) && out->message.nr_mapped <= HELPER_MAPPED_MAX) {
		if (out->message.kind == HELPER_OFFER)
			helper->nr_unanswered++;
		if (out->message.kind == HELPER_ANSWERED && helper->nr_unanswered > 0)
			helper->nr_unanswered--;
		if (out->message.kind == HELPER_SEARCHED)
			helper->is_searching = false;
		return true;
	}
	if (size >= 0)
		report_close(out);
	/* Messages may have been lost on the way, too. */
	file_close(helper->fd);
	helper->fd = -1;
	helper->is_searching = false;
	helper->nr_unanswered = 0;
	helper->has_ended = true;
	helper->has_failed = size != 0;
	return false;
}

void report_answer(const struct helper_report *report)
{
	const char byte = 0;

	if (report->answer_fd >= 0 && write(report->answer_fd, &byte, 1) < 0)
		return;
}

void report_close(struct helper_report *report)
{
	file_close(report->answer_fd);
	file_close(report->memory_fd);
	report->answer_fd = -1;
	report->memory_fd = -1;
}

/* It ends when it finds the connection closed, and lets the programs go on that it has. */
void helper_end(struct helper *helper)
{
	if (helper->pid <= 0)
		return;
	file_close(helper->fd);
	helper->fd = -1;
	waitpid(helper->pid, NULL, WNOHANG);
	helper->pid = 0;
}

bool helper_send(int fd, const struct helper_message *message, const int *fds, size_t nr_fds)
{
	const struct timespec step = { .tv_nsec = SEND_STEP_NS };
	union {
		char bytes[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
		struct cmsghdr head;
	} control = { 0 };
	struct iovec part = { .iov_base = (void *)message, .iov_len = sizeof(*message) };
	struct msghdr head = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t size;

	if (nr_fds > 0) {
		head.msg_control = control.bytes;
		head.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.head), fds, nr_fds * sizeof(int));
	}
	while ((size = sendmsg(fd, &head, MSG_NOSIGNAL)) < 0 && errno == ETOOMANYREFS)
		nanosleep(&step, NULL);
	return size == sizeof(*message);
}

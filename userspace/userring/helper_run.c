// SPDX-License-Identifier: GPL-2.0-only
/*
 * The helper's first process: accepts connections, and starts a process for each message, and for a
 * search. It receives and closes nothing of a program, and so never blocks.
 *
 * A connection that this process closes is open in a new one until then: the last one that closes
 * it closes what the program has sent. The new process does so when it exits, which waits for no
 * lingering socket; and if it hangs in the kernel, nobody waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "userring/helper.h"
#include "userring/process.h"

/* The C library's limit is a byte more. */
#define HELPER_NAME "ktrack-programs"

#define NR_STANDARD_FILES 3

/* A search that waits for a process is given up; a busy machine does not make it wait. */
#define HANG_NS (5 * NS_PER_S)
#define HANG_SLEEPS 30

/* How long the helper sleeps at most, and pauses if it can accept nothing. */
#define WAIT_MS 100
#define PAUSE_NS (NS_PER_S / 100)

/*
 * struct first_process - its state
 * @search_pid: the process that searches, 0 if there is none
 * @plan: of the search
 * @seen, @seen_ns: the process that it examines, and since when that was seen
 * @nr_sleeps: how often it was seen waiting there
 * @hung: the process in which it hung, until that is reported
 * @reported: of @callers.refused
 * @has_searched: the end of a search is not reported
 */
struct first_process {
	struct helper_work work;
	int fd;
	struct caller_list callers;
	pid_t search_pid;
	struct search_plan plan;
	int seen;
	int64_t seen_ns;
	unsigned int nr_sleeps;
	int hung;
	int reported;
	bool has_searched;
};

static void child_note(int number)
{
	(void)number;
}

/* Returns a copy behind the standard files; -1 of -1. */
static int file_keep(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, NR_STANDARD_FILES);
}

/* Closes the files of the recorder, which stay open as long as any process has them. */
static bool state_keep_files(struct first_process *own)
{
	int null_fd = file_keep(open("/dev/null", O_RDWR | O_CLOEXEC));
	int fd = own->fd, socket_fd = own->work.socket_fd, low, high;

	own->fd = file_keep(fd);
	own->work.socket_fd = file_keep(socket_fd);
	if (null_fd < 0 || own->fd < 0 || (socket_fd >= 0 && own->work.socket_fd < 0))
		return false;
	for (int i = 0; i < NR_STANDARD_FILES; i++)
		dup2(null_fd, i);
	low = socket_fd < 0 || own->fd < own->work.socket_fd ? own->fd : own->work.socket_fd;
	high = own->fd < own->work.socket_fd ? own->work.socket_fd : own->fd;
	if (low > NR_STANDARD_FILES)
		close_range(NR_STANDARD_FILES, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	return close_range(high + 1, ~0U, 0) == 0;
}

/* Only the end of the recorder, or SIGKILL, ends it. */
static void signals_block(void)
{
	const struct sigaction action = { .sa_handler = child_note };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &action, NULL);
}

static void state_wait(const struct first_process *own)
{
	struct epoll_event event;
	sigset_t mask;

	sigfillset(&mask);
	sigdelset(&mask, SIGCHLD);
	epoll_pwait(own->callers.poll_fd, &event, 1, WAIT_MS, &mask);
}

/* Waits until the first process has closed its descriptors. */
static void fork_await(const int fds[2])
{
	char byte;

	close(fds[1]);
	while (read(fds[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(fds[0]);
}

/* Starts a process; in that, returns 0 when the first one has closed what it gave it. */
static pid_t helper_fork(const int *given, size_t nr_given)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		fork_await(fds);
		return 0;
	}
	for (size_t i = 0; i < nr_given && pid > 0; i++)
		close(given[i]);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

/* A recorder that is stopped gets the message later. */
static bool state_send(const struct first_process *own, enum helper_kind kind, int pid, int number)
{
	const struct helper_message message = { .kind = kind, .pid = pid, .number = number };
	ssize_t size;

	do {
		size = send(own->fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (size < 0 && errno == EINTR);
	return size > 0;
}

/* Takes one program; false if there is none, or no process for it. */
static bool state_take_program(struct first_process *own)
{
	uid_t user;
	int connection = callers_take(&own->callers, &user);
	pid_t pid;

	if (connection < 0)
		return false;
	pid = helper_fork(&connection, 1);
	if (pid == 0) {
		close(own->callers.socket_fd);
		offer_run(own->fd, connection);
		_exit(0);
	}
	if (pid > 0) {
		callers_add_receiver(&own->callers, pid, user);
		return true;
	}
	state_send(own, HELPER_PROBLEM, 0, errno);
	shutdown(connection, SHUT_RDWR);
	own->callers.ended[own->callers.nr_ended++] = connection;
	return false;
}

/* Connections that are over are closed by the exit of a process. */
static void state_close_ended(struct first_process *own)
{
	struct caller_list *callers = &own->callers;
	pid_t pid;

	if (callers->nr_ended == 0)
		return;
	pid = helper_fork(callers->ended, callers->nr_ended);
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		callers->nr_ended = 0;
}

static void state_search(struct first_process *own)
{
	pid_t pid = own->search_pid == 0 ? fork() : -1;

	if (pid == 0) {
		file_close(own->callers.socket_fd);
		search_run(&own->work, &own->plan, own->fd);
		_exit(0);
	}
	own->nr_sleeps = 0;
	if (pid > 0)
		own->search_pid = pid;
	else
		own->has_searched = true;
}

/* Gives up a search that hangs in a process, and starts another one without that. */
static void state_check_search(struct first_process *own)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	int place = __atomic_load_n(own->plan.place, __ATOMIC_RELAXED);

	if (own->search_pid == 0)
		return;
	if (own->nr_sleeps == 0 || place != own->seen) {
		own->seen = place;
		own->seen_ns = now_ns;
		own->nr_sleeps = 0;
	}
	own->nr_sleeps += process_is_sleeping(own->search_pid);
	if (own->nr_sleeps < HANG_SLEEPS || now_ns - own->seen_ns < HANG_NS ||
	    own->plan.nr_skipped == SEARCH_SKIPPED_MAX)
		return;
	kill(own->search_pid, SIGKILL);
	own->search_pid = 0;
	own->plan.skipped[own->plan.nr_skipped++] = place;
	own->hung = place;
	state_search(own);
}

static void state_reap(struct first_process *own)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		if (pid == own->search_pid) {
			own->search_pid = 0;
			own->plan.is_first = false;
			own->has_searched = true;
		}
		callers_end_receiver(&own->callers, pid);
	}
}

static void state_report(struct first_process *own)
{
	if (own->callers.nr_dropped > 0 &&
	    state_send(own, HELPER_DROPPED, 0, own->callers.nr_dropped))
		own->callers.nr_dropped = 0;
	if (own->callers.refused != own->reported &&
	    state_send(own, HELPER_REFUSED, 0, own->callers.refused))
		own->reported = own->callers.refused;
	if (own->hung && state_send(own, HELPER_CUT, own->hung, 1))
		own->hung = 0;
	if (own->has_searched && state_send(own, HELPER_SEARCHED, 0, 0))
		own->has_searched = false;
}

/* Returns false if the recorder has ended. */
static bool state_read_request(struct first_process *own)
{
	char request;
	ssize_t size = recv(own->fd, &request, 1, MSG_DONTWAIT);

	if (size > 0)
		state_search(own);
	return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool state_open(struct first_process *own)
{
	struct epoll_event event = { .events = EPOLLIN };

	own->plan.is_first = true;
	own->plan.place = mmap(NULL, sizeof(*own->plan.place), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return own->plan.place != MAP_FAILED && callers_open(&own->callers, own->work.socket_fd) &&
	       epoll_ctl(own->callers.poll_fd, EPOLL_CTL_ADD, own->fd, &event) == 0;
}

void helper_run(const struct helper_work *work, int fd)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct first_process own = { .work = *work, .fd = fd };

	signals_block();
	prctl(PR_SET_NAME, HELPER_NAME);
	if (!state_keep_files(&own))
		return;
	helper_drop_rights();
	if (!state_open(&own) || !state_send(&own, HELPER_BEGUN, 0, 0))
		return;
	while (state_read_request(&own)) {
		while (own.work.socket_fd >= 0 && state_take_program(&own))
			;
		state_close_ended(&own);
		state_reap(&own);
		state_check_search(&own);
		state_report(&own);
		if (own.callers.refused || own.callers.is_held_back)
			nanosleep(&pause, NULL);
		state_wait(&own);
	}
	callers_close(&own.callers);
}

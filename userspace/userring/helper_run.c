// SPDX-License-Identifier: GPL-2.0-only
/*
 * The helper's first process: accepts connections, and starts a process for each message, one for a
 * search, and the reader. It receives and closes nothing of a program, and so never blocks.
 *
 * A connection that this process closes is open in a new one until then: the last one that closes
 * it closes what the program has sent. The new process does so when it exits, which waits for no
 * lingering socket; and if it hangs in the kernel, nobody waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "userring/process.h"
#include "userring/reader.h"

/* The C library's limit is a byte more. */
#define HELPER_NAME "ktrack-programs"

#define NR_STANDARD_FILES 3

/* A search that waits for a process is given up; a busy machine does not make it wait. */
#define HANG_NS (5 * NS_PER_S)
#define HANG_SLEEPS 30

/* How long the helper sleeps at most, and pauses if it can accept nothing. */
#define WAIT_MS 100
#define PAUSE_NS (NS_PER_S / 100)

/* A reader that ends early is replaced so long after its start. */
#define READER_NS (NS_PER_S / 10)

/** struct shared_places - the processes that the search and the reader examine, 0 for none */
struct shared_places {
	int search;
	int reader;
};

/*
 * struct first_process - its state
 * @fd: the connection to who has started it
 * @out_fd: receives messages with descriptors: @fd, or the reader's inbox
 * @inbox_fd: the other end of that, for readers; -1 without a reader
 * @places: shared with the other processes
 * @reader_pid: the reader, 0 if there is none
 * @reader_ns: CLOCK_MONOTONIC when it was started
 * @search_pid: the process that searches, 0 if there is none
 * @plan: of the search
 * @seen, @seen_ns: the process that it examines, and since when that was seen
 * @nr_sleeps: how often it was seen waiting there
 * @nr_skipped: processes that were skipped
 * @hung: the process in which it or the reader hung, until that is reported
 * @reported: of @callers.refused
 * @has_searched: the end of a search is not reported
 */
struct first_process {
	struct helper_work work;
	int fd;
	int out_fd;
	int inbox_fd;
	struct shared_places *places;
	pid_t reader_pid;
	int64_t reader_ns;
	struct caller_list callers;
	pid_t search_pid;
	struct search_plan plan;
	int seen;
	int64_t seen_ns;
	unsigned int nr_sleeps;
	size_t nr_skipped;
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

static int number_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes all files except the standard ones and @kept, of which some may be -1. */
static bool files_close_others(int *kept, size_t nr_kept)
{
	int from = NR_STANDARD_FILES;

	qsort(kept, nr_kept, sizeof(*kept), number_compare);
	for (size_t i = 0; i < nr_kept; i++) {
		if (kept[i] < 0)
			continue;
		if (kept[i] > from)
			close_range(from, kept[i] - 1, 0);
		from = kept[i] + 1;
	}
	return close_range(from, ~0U, 0) == 0;
}

/* Closes the files of the recorder, which stay open as long as any process has them. */
static bool state_keep_files(struct first_process *own)
{
	int null_fd = file_keep(open("/dev/null", O_RDWR | O_CLOEXEC));
	int *const files[] = { &own->fd, &own->work.socket_fd, &own->work.reader_fd };
	int kept[sizeof(files) / sizeof(files[0])];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		kept[i] = file_keep(*files[i]);
		if (*files[i] >= 0 && kept[i] < 0)
			return false;
		*files[i] = kept[i];
	}
	if (null_fd < 0)
		return false;
	for (int i = 0; i < NR_STANDARD_FILES; i++)
		dup2(null_fd, i);
	return files_close_others(kept, sizeof(kept) / sizeof(kept[0]));
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

static bool helper_message_send(int fd, enum helper_kind kind, int pid, int number)
{
	const struct helper_message message = { .kind = kind, .pid = pid, .number = number };
	ssize_t size;

	do {
		size = send(fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (size < 0 && errno == EINTR);
	return size > 0;
}

/* A reader that is stopped gets the message later. */
static bool state_send(const struct first_process *own, enum helper_kind kind, int pid, int number)
{
	return helper_message_send(own->out_fd, kind, pid, number);
}

/* A process that sends to the reader has no other right, and not the reader's ends. */
static void sender_begin(const struct first_process *own)
{
	helper_drop_reader_rights();
	file_close(own->inbox_fd);
	file_close(own->work.reader_fd);
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
		sender_begin(own);
		offer_run(own->out_fd, connection);
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
	pid_t pid;

	if (own->search_pid != 0)
		return;
	own->plan.reader_pid = own->reader_pid;
	pid = fork();
	if (pid == 0) {
		file_close(own->callers.socket_fd);
		sender_begin(own);
		search_run(&own->work, &own->plan, own->out_fd);
		_exit(0);
	}
	own->nr_sleeps = 0;
	if (pid > 0)
		own->search_pid = pid;
	else
		own->has_searched = true;
}

/* Searches leave out a process from now on; the oldest of very many is tried again. */
static void state_skip(struct first_process *own, int pid)
{
	if (pid <= 0)
		return;
	own->plan.skipped[own->nr_skipped++ % SEARCH_SKIPPED_MAX] = pid;
	own->plan.nr_skipped = own->nr_skipped < SEARCH_SKIPPED_MAX ? own->nr_skipped
								     : SEARCH_SKIPPED_MAX;
	own->hung = pid;
}

/* Gives up a search that hangs in a process, and starts another one without that. */
static void state_check_search(struct first_process *own)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);
	int place = __atomic_load_n(&own->places->search, __ATOMIC_RELAXED);

	if (own->search_pid == 0)
		return;
	if (own->nr_sleeps == 0 || place != own->seen) {
		own->seen = place;
		own->seen_ns = now_ns;
		own->nr_sleeps = 0;
	}
	own->nr_sleeps += process_is_sleeping(own->search_pid);
	if (own->nr_sleeps < HANG_SLEEPS || now_ns - own->seen_ns < HANG_NS)
		return;
	kill(own->search_pid, SIGKILL);
	own->search_pid = 0;
	state_skip(own, place);
	state_search(own);
}

static void reader_start(struct first_process *own)
{
	close(own->fd);
	file_close(own->callers.socket_fd);
	close(own->callers.poll_fd);
	close(own->out_fd);
	reader_run(&own->work, own->inbox_fd, &own->places->reader, own->plan.number);
}

/* A new reader finds all programs by a search of its own; what an earlier one has found is lost. */
static void state_start_reader(struct first_process *own)
{
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (own->inbox_fd < 0 || own->reader_pid != 0 || now_ns - own->reader_ns < READER_NS)
		return;
	own->plan.number++;
	own->plan.is_first = true;
	/* The end of an earlier search has no number of its own. */
	own->has_searched = false;
	own->reader_ns = now_ns;
	own->reader_pid = fork();
	if (own->reader_pid == 0) {
		reader_start(own);
		_exit(0);
	}
	if (own->reader_pid < 0) {
		own->reader_pid = 0;
		return;
	}
	if (own->search_pid != 0)
		kill(own->search_pid, SIGKILL);
	own->search_pid = 0;
	state_search(own);
}

/* One that hangs in the kernel is left to init: nobody waits for it. */
static void state_replace_reader(struct first_process *own)
{
	if (own->reader_pid == 0)
		return;
	state_skip(own, __atomic_load_n(&own->places->reader, __ATOMIC_RELAXED));
	kill(own->reader_pid, SIGKILL);
	own->reader_pid = 0;
}

/* A program that makes the reader fail is left out; whoever kills it does so for another reason. */
static void state_end_reader(struct first_process *own, int status)
{
	own->reader_pid = 0;
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		state_skip(own, __atomic_load_n(&own->places->reader, __ATOMIC_RELAXED));
}

static void state_reap(struct first_process *own)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == own->search_pid) {
			own->search_pid = 0;
			own->plan.is_first = false;
			own->has_searched = true;
		}
		if (pid == own->reader_pid)
			state_end_reader(own, status);
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
	if (own->has_searched && state_send(own, HELPER_SEARCHED, 0, own->plan.number))
		own->has_searched = false;
}

/* Returns false if the recorder has ended. */
static bool state_read_request(struct first_process *own)
{
	char request;
	ssize_t size = recv(own->fd, &request, 1, MSG_DONTWAIT);

	if (size > 0 && request == HELPER_ASK_SEARCH)
		state_search(own);
	if (size > 0 && request == HELPER_ASK_READER)
		state_replace_reader(own);
	return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool state_open_inbox(struct first_process *own)
{
	int fds[2];

	own->out_fd = own->fd;
	own->inbox_fd = -1;
	if (own->work.reader_fd < 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return false;
	own->inbox_fd = fds[0];
	own->out_fd = fds[1];
	return true;
}

static bool state_open(struct first_process *own)
{
	struct epoll_event event = { .events = EPOLLIN };

	own->plan.is_first = true;
	own->reader_ns = INT64_MIN / 2;
	own->places = mmap(NULL, sizeof(*own->places), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own->plan.place = &own->places->search;
	return own->places != MAP_FAILED && state_open_inbox(own) &&
	       callers_open(&own->callers, own->work.socket_fd) &&
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
	helper_drop_rights(work->reader_fd >= 0);
	if (!state_open(&own) || !helper_message_send(own.fd, HELPER_BEGUN, 0, 0))
		return;
	while (state_read_request(&own)) {
		state_reap(&own);
		state_start_reader(&own);
		while (own.work.socket_fd >= 0 && state_take_program(&own))
			;
		state_close_ended(&own);
		state_check_search(&own);
		state_report(&own);
		if (own.callers.refused || own.callers.is_held_back)
			nanosleep(&pause, NULL);
		state_wait(&own);
	}
	callers_close(&own.callers);
}

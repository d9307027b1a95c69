// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the helper process: what programs send blocks nobody else. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ktrack/user/layout.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/announced.h"
#include "fixtures/tap.h"
#include "userring/helper.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

/* A descriptor that is not open. */
#define NO_FILE 900

static char folder[64];
static struct sockaddr_un address;
static struct program_socket own;
static struct helper helper;

/* A process in which searches hang, and one that is asked for. */
static pid_t hanging, wanted;

static bool one_is_wanted(void *context, int pid)
{
	(void)context;
	while (pid == hanging)
		poll(NULL, 0, -1);
	return pid == wanted;
}

static void helper_begin(void)
{
	struct helper_work work = {
		.own_pid = getpid(), .descendants_fd = -1, .reader_fd = -1, .wants = one_is_wanted
	};
	struct error error = { 0 };

	strcpy(folder, "/tmp/ktrack-unit-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/user.sock", folder);
	setenv(KTRACK_USER_SOCKET_VARIABLE, address.sun_path, 1);
	if (program_socket_open(&own, false, &error) < 0)
		abort();
	work.socket_fd = own.fd;
	if (helper_start(&helper, &work, &error) < 0)
		abort();
	close(own.fd);
	own.fd = -1;
}

static void helper_finish(void)
{
	pid_t pid = helper.pid;

	helper_end(&helper);
	waitpid(pid, NULL, 0);
	program_socket_close(&own);
	CHECK_NUMBER(rmdir(folder), 0);
}

static int file_offer(int fd)
{
	int connection = announced_connect(&address);

	announced_send(connection, fd);
	return connection;
}

static int memory_new(void)
{
	int fd = memfd_create(KTRACK_USER_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, 4096) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		abort();
	return fd;
}

static bool is_over(int connection)
{
	struct pollfd state = { .fd = connection };

	return poll(&state, 1, 0) == 1 && state.revents & POLLHUP;
}

/* Takes the next message. */
static struct helper_report report_take(enum helper_kind kind)
{
	struct helper_report report = { .memory_fd = -1, .answer_fd = -1 };

	CHECK(tap_wait(helper.fd, POLLIN));
	CHECK(helper_receive(&helper, &report, 0));
	CHECK_NUMBER(report.message.kind, kind);
	return report;
}

static ino_t inode_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static void offer_answer(struct helper_report *report)
{
	report_answer(report);
	report_close(report);
}

/* A program that starts is offered, and goes on when it is answered. */
static void offer_check(void)
{
	int memory = memory_new(), connection = file_offer(memory);
	struct helper_report report = report_take(HELPER_OFFER);

	CHECK_NUMBER(report.message.pid, getpid());
	CHECK_NUMBER(inode_of(report.memory_fd), inode_of(memory));
	CHECK_NUMBER(helper.nr_unanswered, 1);
	CHECK(!is_over(connection));
	offer_answer(&report);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	report = report_take(HELPER_ANSWERED);
	CHECK_NUMBER(report.message.number, 0);
	CHECK_NUMBER(helper.nr_unanswered, 0);
	close(connection);
	close(memory);
}

TEST(a_program_that_starts_waits_for_the_answer)
{
	helper_begin();
	offer_check();
	helper_finish();
}

/* The reader was killed before it has answered: the next one gets the offer. */
TEST(an_offer_without_an_answer_is_made_again)
{
	int memory = memory_new(), connection;
	struct helper_report report;

	helper_begin();
	connection = file_offer(memory);
	for (int i = 0; i < 3; i++) {
		report = report_take(HELPER_OFFER);
		CHECK_NUMBER(inode_of(report.memory_fd), inode_of(memory));
		CHECK(!is_over(connection));
		report_close(&report);
	}
	report = report_take(HELPER_OFFER);
	offer_answer(&report);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	CHECK_NUMBER(report_take(HELPER_ANSWERED).message.number, 0);
	close(connection);
	close(memory);
	helper_finish();
}

TEST(a_program_that_does_not_wait_is_late)
{
	int memory = memory_new();
	struct helper_report report;

	helper_begin();
	close(file_offer(memory));
	report = report_take(HELPER_OFFER);
	offer_answer(&report);
	CHECK_NUMBER(report_take(HELPER_ANSWERED).message.number, 1);
	close(memory);
	helper_finish();
}

/* It may go on at any moment until ktrack has switched recording on. */
TEST(a_program_that_stops_waiting_meanwhile_is_late)
{
	int memory = memory_new(), connection;
	struct helper_report report;

	helper_begin();
	connection = file_offer(memory);
	report = report_take(HELPER_OFFER);
	close(connection);
	offer_answer(&report);
	CHECK_NUMBER(report_take(HELPER_ANSWERED).message.number, 1);
	close(memory);
	helper_finish();
}

/* A socket with unsent data, whose last close waits for a minute. */
/* Whoever closes it last waits for an hour, or until the peer is closed. */
static int lingering_socket(int *peer)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = 3600 };
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(any);
	int listening = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	static const char bytes[65536];

	if (bind(listening, (struct sockaddr *)&any, size) < 0 || listen(listening, 1) < 0 ||
	    getsockname(listening, (struct sockaddr *)&any, &size) < 0 ||
	    connect(fd, (struct sockaddr *)&any, size) < 0)
		abort();
	*peer = accept(listening, NULL, NULL);
	close(listening);
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	return fd;
}

static void *close_run(void *fd)
{
	close(*(int *)fd);
	return NULL;
}

/* If the helper was faster, the last close is ours. */
static pthread_t close_begin(int *fd)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, close_run, fd) != 0)
		abort();
	return thread;
}

TEST(a_file_whose_close_waits_delays_no_other_program)
{
	int peer, connection, fd;
	pthread_t closing;

	helper_begin();
	fd = lingering_socket(&peer);
	connection = file_offer(fd);
	closing = close_begin(&fd);
	offer_check();
	CHECK(tap_wait(connection, 0) & POLLHUP);
	close(connection);
	helper_finish();
	close(peer);
	pthread_join(closing, NULL);
}

/* It is closed with the connection. */
TEST(a_file_in_a_message_that_nobody_receives_delays_nothing)
{
	int peer, fd, connection, memory = memory_new();
	struct helper_report report;
	pthread_t closing;

	helper_begin();
	fd = lingering_socket(&peer);
	connection = announced_connect(&address);
	announced_send(connection, memory);
	announced_send(connection, fd);
	closing = close_begin(&fd);
	report = report_take(HELPER_OFFER);
	close(connection);
	offer_answer(&report);
	CHECK_NUMBER(report_take(HELPER_ANSWERED).message.number, 1);
	offer_check();
	helper_finish();
	close(memory);
	close(peer);
	pthread_join(closing, NULL);
}

/* Opening it as usual waits until the lease is broken, 45 seconds by default. */
TEST(a_memory_with_a_lease_is_not_waited_for)
{
	int memory = memory_new(), fd, connection;
	char path[32];

	helper_begin();
	signal(SIGIO, SIG_IGN);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	fd = open(path, O_RDWR | O_CLOEXEC);
	close(memory);
	/* A ktrack that searches on this machine may just have it open. */
	while (fcntl(fd, F_SETLEASE, F_WRLCK) < 0 && errno == EAGAIN)
		usleep(1000);
	CHECK_NUMBER(memfd_open_anew(fd), -1);
	CHECK_NUMBER(errno, EAGAIN);
	connection = file_offer(fd);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	CHECK_NUMBER(report_take(HELPER_PROBLEM).message.number, EAGAIN);
	close(connection);
	close(fd);
	offer_check();
	helper_finish();
}

TEST(a_message_without_a_memory_ends_the_connection)
{
	int fds[2], connection;

	helper_begin();
	CHECK_NUMBER(pipe(fds), 0);
	connection = file_offer(fds[0]);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	close(connection);
	connection = file_offer(STDIN_FILENO);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	close(connection);
	connection = announced_connect(&address);
	CHECK_NUMBER(send(connection, "text", 4, 0), 4);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	close(connection);
	close(fds[0]);
	close(fds[1]);
	offer_check();
	helper_finish();
}

/* The recorder has no place for its memory. */
TEST(a_message_that_cannot_be_received_is_a_problem)
{
	int memory = memory_new(), connection, next;
	struct helper_report report;
	struct rlimit before, limit;

	helper_begin();
	connection = file_offer(memory);
	CHECK(tap_wait(helper.fd, POLLIN));
	next = dup(connection);
	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = next;
	setrlimit(RLIMIT_NOFILE, &limit);
	report = report_take(HELPER_PROBLEM);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK_NUMBER(report.message.number, EMFILE);
	CHECK_NUMBER(report.memory_fd, -1);
	/* Then it may have one. */
	report = report_take(HELPER_OFFER);
	offer_answer(&report);
	CHECK(tap_wait(connection, 0) & POLLHUP);
	close(connection);
	close(memory);
	helper_finish();
}

/* Whoever uses them has ktrack's socket, pipes and terminal. */
TEST(the_helper_has_no_file_of_the_recorder)
{
	int fds[2];
	char byte;

	CHECK_NUMBER(pipe2(fds, O_NONBLOCK), 0);
	helper_begin();
	offer_check();
	close(fds[1]);
	CHECK_NUMBER(read(fds[0], &byte, 1), 0);
	close(fds[0]);
	helper_finish();
}

static uint64_t helper_capabilities(void)
{
	unsigned long long effective = ~0ULL;
	struct buffer text = { 0 };
	const char *line;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", helper.pid);
	CHECK_NUMBER(file_read(path, &text), 0);
	line = strstr(buffer_string(&text), "\nCapEff:");
	CHECK(line && sscanf(line, "\nCapEff:%llx", &effective) == 1);
	CHECK(strstr(buffer_string(&text), "\nNoNewPrivs:\t1"));
	CHECK(strstr(buffer_string(&text), "\nSeccomp:\t2"));
	buffer_release(&text);
	return effective;
}

/* CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE. */
TEST(the_helper_can_only_search)
{
	helper_begin();
	offer_check();
	CHECK_NUMBER(helper_capabilities() & ~(UINT64_C(1) << 2 | UINT64_C(1) << 19 | UINT64_C(1) << 40), 0);
	helper_finish();
}

TEST(a_helper_that_cannot_begin_is_an_error)
{
	const struct helper_work work = { .socket_fd = NO_FILE,
					  .descendants_fd = -1,
					  .reader_fd = -1,
					  .own_pid = getpid() };
	struct error error = { 0 };

	CHECK_NUMBER(helper_start(&helper, &work, &error), -1);
	CHECK_TEXT(error.text, "the helper for programs does not start; is memory short, or the limit "
			       "of open files (ulimit -n)?");
	CHECK_NUMBER(helper.pid, 0);
	CHECK_NUMBER(helper.fd, -1);
}

TEST(a_helper_that_ends_is_noticed)
{
	struct helper_report report;

	helper_begin();
	CHECK(!helper_receive(&helper, &report, 0));
	CHECK(!helper.has_ended);
	kill(helper.pid, SIGKILL);
	CHECK(tap_wait(helper.fd, POLLIN));
	CHECK(!helper_receive(&helper, &report, 0));
	CHECK(helper.has_ended);
	CHECK_NUMBER(helper.fd, -1);
	helper_finish();
}

/* A process that has done something waits until it is killed. */
static pid_t fork_waiting(void (*prepare)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prepare();
		for (;;)
			raise(SIGSTOP);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Searches; returns whether it has left out a process. */
static bool search_leaves_out(pid_t pid)
{
	struct helper_report report;
	bool is_left_out = false;

	helper_search(&helper);
	while (helper.is_searching && tap_wait(helper.fd, POLLIN) &&
	       helper_receive(&helper, &report, 0)) {
		is_left_out |= report.message.kind == HELPER_CUT && report.message.pid == pid;
		report_close(&report);
	}
	CHECK(!helper.is_searching);
	return is_left_out;
}

static void memory_make(void)
{
	memory_new();
}

/* As reading the environment of a process can. */
TEST(a_search_that_hangs_in_a_process_goes_on_without_it)
{
	hanging = fork_waiting(memory_make);
	helper_begin();
	CHECK(search_leaves_out(hanging));
	/* Later ones do not even try. */
	CHECK(!search_leaves_out(hanging));
	helper_finish();
	child_end(hanging);
	hanging = 0;
}

static void files_open(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 5000; i++) {
		if (dup(STDIN_FILENO) < 0)
			abort();
	}
}

TEST(a_process_with_very_many_files_is_searched_in_part)
{
	pid_t pid = fork_waiting(files_open);

	helper_begin();
	CHECK(!search_leaves_out(pid));
	helper_finish();
	wanted = pid;
	helper_begin();
	CHECK(search_leaves_out(pid));
	helper_finish();
	wanted = 0;
	child_end(pid);
}

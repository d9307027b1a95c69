// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the messages by which programs announce themselves. */
#include <errno.h>
#include <fcntl.h>
#include <ktrack/user/layout.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define OWN_CLOCK CLOCK_MONOTONIC
#include "fixtures/own_clock.h"
#include "fixtures/tap.h"
#include "userring/scan.h"

static char folder[64];
static struct sockaddr_un address;
static struct program_socket own;

static void socket_begin(void)
{
	struct error error = { 0 };

	strcpy(folder, "/tmp/ktrack-unit-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/user.sock", folder);
	setenv(KTRACK_USER_SOCKET_VARIABLE, address.sun_path, 1);
	if (program_socket_open(&own, &error) < 0)
		abort();
}

static void socket_end(void)
{
	program_socket_close(&own);
	CHECK_NUMBER(rmdir(folder), 0);
}

static int program_connect(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		abort();
	return fd;
}

static void program_send(int connection)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { 0 };
	uint32_t version = KTRACK_USER_VERSION;
	struct iovec part = { .iov_base = &version, .iov_len = sizeof(version) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	int memory_fd = memfd_create(KTRACK_USER_NAME, MFD_CLOEXEC);

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &memory_fd, sizeof(memory_fd));
	CHECK_NUMBER(sendmsg(connection, &message, MSG_NOSIGNAL), sizeof(version));
	close(memory_fd);
}

static bool is_over(int connection)
{
	struct pollfd state = { .fd = connection };

	return poll(&state, 1, 0) == 1 && state.revents & POLLHUP;
}

/* Takes one offer, and lets the program continue; returns its process. */
static int offer_take(bool is_late)
{
	struct program_offer offer = { 0 };

	CHECK(program_socket_take(&own, &offer));
	CHECK(fcntl(offer.memory_fd, F_GETFD) & FD_CLOEXEC);
	CHECK(program_offer_is_late(&offer) == is_late);
	close(offer.memory_fd);
	close(offer.connection);
	return offer.pid;
}

TEST(a_program_is_taken_when_its_message_arrives)
{
	struct program_offer offer;
	int connection;

	socket_begin();
	CHECK(!program_socket_take(&own, &offer));
	connection = program_connect();
	CHECK(!program_socket_take(&own, &offer));
	CHECK(!is_over(connection));
	program_send(connection);
	CHECK_NUMBER(offer_take(false), getpid());
	CHECK(is_over(connection));
	close(connection);
	socket_end();
}

TEST(a_program_that_did_not_wait_is_late)
{
	int connection;

	socket_begin();
	connection = program_connect();
	program_send(connection);
	close(connection);
	offer_take(true);
	socket_end();
}

/* It may go on at any moment until ktrack has switched recording on. */
TEST(a_program_that_stops_waiting_meanwhile_is_late)
{
	struct program_offer offer;
	int connection;

	socket_begin();
	connection = program_connect();
	program_send(connection);
	CHECK(program_socket_take(&own, &offer));
	CHECK(!program_offer_is_late(&offer));
	close(connection);
	CHECK(program_offer_is_late(&offer));
	close(offer.memory_fd);
	close(offer.connection);
	socket_end();
}

TEST(a_message_without_a_memory_ends_the_connection)
{
	struct program_offer offer;
	int connection;

	socket_begin();
	connection = program_connect();
	CHECK_NUMBER(send(connection, "text", 4, 0), 4);
	CHECK(!program_socket_take(&own, &offer));
	CHECK(is_over(connection));
	close(connection);
	connection = program_connect();
	CHECK(!program_socket_take(&own, &offer));
	CHECK_NUMBER(own.nr_callers, 1);
	close(connection);
	CHECK(!program_socket_take(&own, &offer));
	CHECK_NUMBER(own.nr_callers, 0);
	socket_end();
}

/* Takes an offer while descriptors are below @nr_files. */
static bool offer_take_within(rlim_t nr_files, struct program_offer *offer)
{
	struct rlimit before, limit;
	bool is_taken;

	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = nr_files;
	setrlimit(RLIMIT_NOFILE, &limit);
	is_taken = program_socket_take(&own, offer);
	setrlimit(RLIMIT_NOFILE, &before);
	return is_taken;
}

TEST(a_message_that_cannot_be_received_is_a_problem)
{
	struct program_offer offer;
	int connection, next;

	socket_begin();
	connection = program_connect();
	program_send(connection);
	CHECK_NUMBER(own.problem, 0);
	/* The connection has the lowest descriptor that is free now: the next one has no place. */
	next = dup(connection);
	close(next);
	CHECK(!offer_take_within(next + 1, &offer));
	CHECK_NUMBER(own.problem, EMFILE);
	CHECK(is_over(connection));
	close(connection);
	socket_end();
}

TEST(a_connection_that_cannot_be_accepted_waits)
{
	struct program_offer offer;
	int connection;

	socket_begin();
	connection = program_connect();
	program_send(connection);
	CHECK(!offer_take_within(0, &offer));
	CHECK_NUMBER(own.refused, EMFILE);
	CHECK_NUMBER(own.problem, 0);
	CHECK(program_socket_take(&own, &offer));
	CHECK_NUMBER(own.refused, 0);
	close(offer.connection);
	close(offer.memory_fd);
	close(connection);
	socket_end();
}

TEST(silent_callers_give_way_to_later_ones)
{
	int callers[PROGRAM_CALLERS_MAX], connection;
	struct program_offer offer;

	socket_begin();
	for (size_t i = 0; i < PROGRAM_CALLERS_MAX; i++)
		callers[i] = program_connect();
	CHECK(!program_socket_take(&own, &offer));
	CHECK(!is_over(callers[0]));
	connection = program_connect();
	CHECK(!program_socket_take(&own, &offer));
	CHECK(is_over(callers[0]));
	CHECK(!is_over(callers[1]));
	CHECK_NUMBER(own.nr_dropped, 1);
	program_send(connection);
	program_send(callers[1]);
	offer_take(false);
	offer_take(false);
	CHECK(is_over(callers[1]));
	CHECK(!is_over(callers[2]));
	for (size_t i = 0; i < PROGRAM_CALLERS_MAX; i++)
		close(callers[i]);
	close(connection);
	socket_end();
}

/* Looks for messages of callers so often; returns whether the connection is over. */
static bool is_over_after(int nr_looks, int connection)
{
	struct program_offer offer;

	for (int i = 0; i < nr_looks; i++)
		CHECK(!program_socket_take(&own, &offer));
	return is_over(connection);
}

/* A ktrack that was stopped itself looks for the message as often as another one. */
TEST(a_caller_that_sends_nothing_is_dropped_after_five_seconds_and_many_looks)
{
	int connection;

	socket_begin();
	connection = program_connect();
	CHECK(!is_over_after(1, connection));
	own_clock_ns += 5 * NS_PER_S;
	CHECK(!is_over_after(40, connection));
	CHECK(is_over_after(20, connection));
	CHECK_NUMBER(own.nr_dropped, 1);
	close(connection);
	socket_end();
}

TEST(a_caller_that_is_looked_for_often_has_its_time)
{
	int connection;

	socket_begin();
	connection = program_connect();
	CHECK(!is_over_after(1, connection));
	own_clock_ns += 4 * NS_PER_S;
	CHECK(!is_over_after(200, connection));
	CHECK_NUMBER(own.nr_dropped, 0);
	program_send(connection);
	offer_take(false);
	close(connection);
	socket_end();
}

/* A program that waits has its message there. */
TEST(more_callers_than_fit_are_taken_if_they_have_sent)
{
	int callers[2 * PROGRAM_CALLERS_MAX];
	struct program_offer offer;

	socket_begin();
	for (size_t i = 0; i < 2 * PROGRAM_CALLERS_MAX; i++) {
		callers[i] = program_connect();
		program_send(callers[i]);
	}
	for (size_t i = 0; i < 2 * PROGRAM_CALLERS_MAX; i++) {
		offer_take(false);
		close(callers[i]);
	}
	CHECK(!program_socket_take(&own, &offer));
	socket_end();
}

/* Others connect as fast as they are accepted, and send nothing. */
TEST(callers_without_a_message_do_not_stop_ktrack)
{
	int callers[2 * PROGRAM_CALLERS_MAX];
	struct program_offer offer;

	socket_begin();
	for (size_t i = 0; i < 2 * PROGRAM_CALLERS_MAX; i++)
		callers[i] = program_connect();
	CHECK(!program_socket_take(&own, &offer));
	CHECK_NUMBER(own.nr_callers, PROGRAM_CALLERS_MAX);
	CHECK_NUMBER(own.nr_dropped, 0);
	CHECK(!program_socket_take(&own, &offer));
	CHECK_NUMBER(own.nr_dropped, PROGRAM_CALLERS_MAX);
	for (size_t i = 0; i < 2 * PROGRAM_CALLERS_MAX; i++)
		close(callers[i]);
	socket_end();
}

TEST(callers_are_closed_with_the_socket)
{
	struct program_offer offer;
	int connection;

	socket_begin();
	connection = program_connect();
	CHECK(!program_socket_take(&own, &offer));
	socket_end();
	CHECK(is_over(connection));
	close(connection);
}

static bool socket_is_readable(void)
{
	struct pollfd state = { .fd = own.poll_fd, .events = POLLIN };

	return poll(&state, 1, 0) == 1;
}

/* ktrack sleeps in poll(2) while a program is preempted, and its message ends that. */
TEST(a_message_that_arrives_later_is_polled)
{
	struct program_offer offer;
	int connection;

	socket_begin();
	CHECK(!socket_is_readable());
	connection = program_connect();
	CHECK(socket_is_readable());
	CHECK(!program_socket_take(&own, &offer));
	CHECK(!socket_is_readable());
	program_send(connection);
	CHECK(socket_is_readable());
	CHECK(program_socket_take(&own, &offer));
	CHECK(!socket_is_readable());
	close(offer.connection);
	close(offer.memory_fd);
	close(connection);
	CHECK_NUMBER(own.nr_dropped, 0);
	socket_end();
}

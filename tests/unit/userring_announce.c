// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the connections by which programs announce themselves. */
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
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define OWN_CLOCK CLOCK_MONOTONIC
#include "fixtures/announced.h"
#include "fixtures/own_clock.h"
#include "fixtures/tap.h"
#include "userring/scan.h"

static char folder[64];
static struct sockaddr_un address;
static struct program_socket own;
static struct caller_list callers;

static void socket_begin(void)
{
	struct error error = { 0 };

	strcpy(folder, "/tmp/ktrack-unit-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/user.sock", folder);
	setenv(KTRACK_USER_SOCKET_VARIABLE, address.sun_path, 1);
	if (program_socket_open(&own, false, &error) < 0 ||
	    !callers_open(&callers, own.fd, own.descendants_fd))
		abort();
}

static void socket_end(void)
{
	callers_close(&callers);
	for (size_t i = 0; i < callers.nr_ended; i++)
		close(callers.ended[i]);
	while (callers.size > 0)
		close(callers.list[--callers.size].fd);
	close(callers.poll_fd);
	program_socket_close(&own);
	CHECK_NUMBER(rmdir(folder), 0);
}

static int program_connect(void)
{
	return announced_connect(&address);
}

static void program_send(int connection)
{
	int memory_fd = memfd_create(KTRACK_USER_NAME, MFD_CLOEXEC);

	announced_send(connection, memory_fd);
	close(memory_fd);
}

static bool is_over(int connection)
{
	struct pollfd state = { .fd = connection };

	return poll(&state, 1, 0) == 1 && state.revents & POLLHUP;
}

/* Takes one caller, and lets the program continue; false if there is none. */
static bool caller_take(void)
{
	uid_t user;
	int fd = callers_take(&callers, &user);

	if (fd < 0)
		return false;
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK_NUMBER(user, geteuid());
	close(fd);
	return true;
}

TEST_IN(socket, a_program_is_taken_when_its_message_arrives)
{
	int connection;

	CHECK(!caller_take());
	connection = program_connect();
	CHECK(!caller_take());
	CHECK(!is_over(connection));
	program_send(connection);
	CHECK(caller_take());
	CHECK(is_over(connection));
	close(connection);
}

TEST_IN(socket, a_caller_that_has_gone_is_taken)
{
	int connection;

	connection = program_connect();
	CHECK(!caller_take());
	CHECK_NUMBER(callers.size, 1);
	close(connection);
	CHECK(caller_take());
	CHECK_NUMBER(callers.size, 0);
	CHECK_NUMBER(callers.nr_dropped, 0);
}

/* Takes a caller while descriptors are below @nr_files. */
static bool caller_take_within(rlim_t nr_files)
{
	struct rlimit before, limit;
	bool is_taken;

	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = nr_files;
	setrlimit(RLIMIT_NOFILE, &limit);
	is_taken = caller_take();
	setrlimit(RLIMIT_NOFILE, &before);
	return is_taken;
}

TEST_IN(socket, a_connection_that_cannot_be_accepted_waits)
{
	int connection;

	connection = program_connect();
	program_send(connection);
	CHECK(!caller_take_within(0));
	CHECK_NUMBER(callers.refused, EMFILE);
	CHECK(caller_take());
	CHECK_NUMBER(callers.refused, 0);
	close(connection);
}

TEST_IN(socket, silent_callers_give_way_to_later_ones)
{
	int connections[USER_CALLERS_MAX], connection;

	for (size_t i = 0; i < USER_CALLERS_MAX; i++)
		connections[i] = program_connect();
	CHECK(!caller_take());
	CHECK(!is_over(connections[0]));
	connection = program_connect();
	CHECK(!caller_take());
	CHECK(is_over(connections[0]));
	CHECK(!is_over(connections[1]));
	CHECK_NUMBER(callers.nr_dropped, 1);
	program_send(connection);
	program_send(connections[1]);
	CHECK(caller_take());
	CHECK(caller_take());
	CHECK(is_over(connections[1]));
	CHECK(!is_over(connections[2]));
	for (size_t i = 0; i < USER_CALLERS_MAX; i++)
		close(connections[i]);
	close(connection);
}

/* Looks for messages of callers so often; returns whether the connection is over. */
static bool is_over_after(int nr_looks, int connection)
{
	for (int i = 0; i < nr_looks; i++)
		CHECK(!caller_take());
	return is_over(connection);
}

/* A ktrack that was stopped itself looks for the message as often as another one. */
TEST_IN(socket, a_caller_that_sends_nothing_is_dropped_after_five_seconds_and_many_looks)
{
	int connection;

	connection = program_connect();
	CHECK(!is_over_after(1, connection));
	own_clock_ns += 5 * NS_PER_S;
	CHECK(!is_over_after(40, connection));
	CHECK(is_over_after(20, connection));
	CHECK_NUMBER(callers.nr_dropped, 1);
	close(connection);
}

TEST_IN(socket, a_caller_that_is_looked_for_often_has_its_time)
{
	int connection;

	connection = program_connect();
	CHECK(!is_over_after(1, connection));
	own_clock_ns += 4 * NS_PER_S;
	CHECK(!is_over_after(200, connection));
	CHECK_NUMBER(callers.nr_dropped, 0);
	program_send(connection);
	CHECK(caller_take());
	close(connection);
}

/* A program that waits has its message there. */
TEST_IN(socket, more_callers_than_fit_are_taken_if_they_have_sent)
{
	int connections[2 * USER_CALLERS_MAX];

	for (size_t i = 0; i < 2 * USER_CALLERS_MAX; i++) {
		connections[i] = program_connect();
		program_send(connections[i]);
	}
	for (size_t i = 0; i < 2 * USER_CALLERS_MAX; i++) {
		CHECK(caller_take());
		close(connections[i]);
	}
	CHECK(!caller_take());
}

/* Others connect as fast as they are accepted, and send nothing. */
TEST_IN(socket, callers_without_a_message_do_not_stop_ktrack)
{
	int connections[2 * USER_CALLERS_MAX];

	for (size_t i = 0; i < 2 * USER_CALLERS_MAX; i++)
		connections[i] = program_connect();
	CHECK(!caller_take());
	CHECK_NUMBER(callers.size, USER_CALLERS_MAX);
	CHECK_NUMBER(callers.nr_dropped, 0);
	CHECK(!caller_take());
	CHECK_NUMBER(callers.nr_dropped, USER_CALLERS_MAX);
	for (size_t i = 0; i < 2 * USER_CALLERS_MAX; i++)
		close(connections[i]);
}

TEST(callers_go_on_when_the_socket_is_closed)
{
	int connection;

	socket_begin();
	connection = program_connect();
	CHECK(!caller_take());
	socket_end();
	CHECK(is_over(connection));
	close(connection);
}

static bool socket_is_readable(void)
{
	struct pollfd state = { .fd = callers.poll_fd, .events = POLLIN };

	return poll(&state, 1, 0) == 1;
}

/* ktrack sleeps in poll(2) while a program is preempted, and its message ends that. */
TEST_IN(socket, a_message_that_arrives_later_is_polled)
{
	int connection;

	CHECK(!socket_is_readable());
	connection = program_connect();
	CHECK(socket_is_readable());
	CHECK(!caller_take());
	CHECK(!socket_is_readable());
	program_send(connection);
	CHECK(socket_is_readable());
	CHECK(caller_take());
	CHECK(!socket_is_readable());
	close(connection);
	CHECK_NUMBER(callers.nr_dropped, 0);
}

/* Each of them may hang. */
TEST_IN(socket, one_user_has_a_limited_number_of_receivers)
{
	int connection;

	connection = program_connect();
	program_send(connection);
	for (int i = 0; i < USER_RECEIVERS_MAX; i++)
		callers_add_receiver(&callers, 1000 + i, geteuid());
	CHECK(!caller_take());
	CHECK(callers.is_held_back);
	CHECK(!is_over(connection));
	callers_end_receiver(&callers, 1005);
	CHECK(caller_take());
	CHECK(!callers.is_held_back);
	close(connection);
}

TEST_IN(socket, a_user_without_receivers_gets_one)
{
	int connection;

	connection = program_connect();
	program_send(connection);
	for (int i = 0; i < RECEIVERS_MAX - 1; i++)
		callers_add_receiver(&callers, 1000 + i, geteuid() + 1 + i / USER_RECEIVERS_MAX);
	CHECK(caller_take());
	close(connection);
}

/* Connects as another user, which the connection keeps. */
static int program_connect_as(uid_t user)
{
	int fd;

	if (seteuid(user) < 0)
		abort();
	fd = program_connect();
	if (seteuid(0) < 0)
		abort();
	return fd;
}

/* One with fewer callers keeps them. */
TEST(callers_of_one_user_do_not_drive_out_those_of_another)
{
	int connections[2 * USER_CALLERS_MAX], other;

	if (geteuid() != 0)
		return;
	socket_begin();
	CHECK_NUMBER(chmod(folder, 0755), 0);
	other = program_connect_as(65534);
	CHECK(!caller_take());
	for (size_t i = 0; i < 2 * USER_CALLERS_MAX; i++) {
		connections[i] = program_connect();
		CHECK(!caller_take());
	}
	CHECK(!is_over(other));
	CHECK_NUMBER(callers.size, USER_CALLERS_MAX + 1);
	CHECK(is_over(connections[0]));
	for (size_t i = 0; i < 2 * USER_CALLERS_MAX; i++)
		close(connections[i]);
	close(other);
	socket_end();
}

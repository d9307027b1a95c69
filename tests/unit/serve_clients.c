// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the server's clients: what they get when, by a clock of our own. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixtures/tap.h"
#include "serve/serve.h"

/* More than the kernel keeps for a client that does not read. */
#define LARGE (64 << 20)

struct server {
	struct serve *serve;
	struct serve_content content;
	struct buffer page;
	unsigned int port;
	char path[64];
	int64_t now_ns;
};

static void server_init(struct server *server, size_t page_size)
{
	struct error error = { 0 };

	*server = (struct server){ .now_ns = NS_PER_S };
	CHECK_NUMBER(serve_open(&server->serve, 0, &error), 0);
	CHECK_NUMBER(sscanf(serve_url(server->serve), "http://127.0.0.1:%u%63s", &server->port,
			    server->path),
		     2);
	while (server->page.size < page_size)
		buffer_append_string(&server->page, "a part of the page\n");
	server->content = (struct serve_content){ .fd = memfd_create("lines", MFD_CLOEXEC),
						  .page = buffer_text(&server->page) };
	serve_begin(server->serve, &server->content);
	serve_run(server->serve, server->now_ns);
}

static void server_release(struct server *server)
{
	serve_close(server->serve);
	close(server->content.fd);
	buffer_release(&server->page);
}

/* Lets the server do all that it can do now, after some seconds. */
static void server_run(struct server *server, double after_s)
{
	struct pollfd ready = { .fd = serve_fd(server->serve), .events = POLLIN };

	server->now_ns += after_s * NS_PER_S;
	do {
		serve_run(server->serve, server->now_ns);
	} while (poll(&ready, 1, 20) > 0);
}

static int client_connect(const struct server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(server->port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK_NUMBER(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int client_ask(const struct server *server, const char *resource)
{
	struct buffer request = { 0 };
	int fd = client_connect(server);

	buffer_printf(&request, "GET %s%s HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", server->path,
		      resource, server->port);
	CHECK_NUMBER(send(fd, request.data, request.size, MSG_NOSIGNAL), request.size);
	buffer_release(&request);
	return fd;
}

/* Reads what is there; returns whether the connection has ended. */
static bool client_read(int fd, struct buffer *out)
{
	ssize_t size;

	do {
		char *space = buffer_reserve(out, 65536);

		size = recv(fd, space, 65536, MSG_DONTWAIT);
		out->size += size > 0 ? size : 0;
	} while (size > 0);
	return size == 0 || errno == ECONNRESET;
}

static bool has_begin(struct buffer *bytes, const char *begin)
{
	return strncmp(buffer_string(bytes), begin, strlen(begin)) == 0;
}

static void lines_add(const struct server *server, const char *text)
{
	CHECK_NUMBER(write(server->content.fd, text, strlen(text)), strlen(text));
}

TEST(a_half_sent_request_ends_after_five_seconds)
{
	SCOPED_BUFFER(answer);
	int fd;
	FIXTURE(server, server, 10);

	fd = client_connect(&server);
	CHECK_NUMBER(send(fd, "GET / HTTP/1.1\r\n", 16, MSG_NOSIGNAL), 16);
	server_run(&server, 0);
	server_run(&server, 4.9);
	CHECK(!client_read(fd, &answer) && answer.size == 0);
	server_run(&server, 0.2);
	CHECK(client_read(fd, &answer) && has_begin(&answer, "HTTP/1.1 408 "));
	close(fd);
}

TEST(a_page_that_is_not_read_ends_after_thirty_seconds)
{
	SCOPED_BUFFER(answer);
	int fd;
	FIXTURE(server, server, LARGE);

	fd = client_ask(&server, "");
	server_run(&server, 0);
	server_run(&server, 29);
	server_run(&server, 2);
	CHECK(client_read(fd, &answer) && has_begin(&answer, "HTTP/1.1 200 ") &&
	      answer.size < LARGE);
	close(fd);
}

TEST(lines_have_no_limit_of_time)
{
	SCOPED_BUFFER(answer);
	int fd;
	FIXTURE(server, server, 10);

	lines_add(&server, "first\n");
	fd = client_ask(&server, "lines");
	server_run(&server, 0);
	CHECK(serve_has_followers(server.serve));
	server_run(&server, 100000);
	lines_add(&server, "second\n");
	server_run(&server, 0);
	CHECK(!client_read(fd, &answer) && !serve_was_read(server.serve));
	CHECK(strstr(buffer_string(&answer), "\r\n\r\nfirst\nsecond\n") != NULL);
	serve_complete(server.serve);
	server_run(&server, 0);
	CHECK(client_read(fd, &answer) && serve_was_read(server.serve) &&
	      !serve_has_followers(server.serve));
	close(fd);
}

TEST(a_client_that_does_not_read_is_behind_and_no_other)
{
	SCOPED_BUFFER(answer);
	int slow, quick;
	size_t size;
	FIXTURE(server, server, 10);

	slow = client_ask(&server, "lines");
	quick = client_ask(&server, "lines");
	CHECK_NUMBER(ftruncate(server.content.fd, LARGE), 0);
	serve_complete(server.serve);
	do {
		size = answer.size;
		server_run(&server, 0);
		client_read(quick, &answer);
	} while (answer.size > size);
	CHECK(answer.size > LARGE && serve_was_read(server.serve) &&
	      serve_has_followers(server.serve));
	buffer_clear(&answer);
	do {
		size = answer.size;
		server_run(&server, 0);
		client_read(slow, &answer);
	} while (answer.size > size);
	CHECK(answer.size > LARGE && !serve_has_followers(server.serve));
	close(slow);
	close(quick);
}

/* They are no work for the server: its descriptor is not readable. */
TEST(clients_that_wait_or_send_more_do_not_wake_the_recording)
{
	struct pollfd ready;
	int fds[3];
	FIXTURE(server, server, LARGE);

	ready = (struct pollfd){ .fd = serve_fd(server.serve), .events = POLLIN };
	fds[0] = client_ask(&server, "lines");
	fds[1] = client_ask(&server, "");
	fds[2] = client_connect(&server);
	server_run(&server, 0);
	CHECK_NUMBER(send(fds[0], "more", 4, MSG_NOSIGNAL), 4);
	CHECK_NUMBER(poll(&ready, 1, 50), 0);
	close(fds[0]);
	CHECK_NUMBER(poll(&ready, 1, -1), 1);
	server_run(&server, 0);
	CHECK(!serve_has_followers(server.serve));
	close(fds[1]);
	close(fds[2]);
}

/* The answer to a request begins so. */
static void check_answer(int fd, const char *want)
{
	SCOPED_BUFFER(answer);

	client_read(fd, &answer);
	if (!CHECK(has_begin(&answer, want)))
		CHECK_TEXT(buffer_string(&answer), want);
}

TEST(lines_may_begin_at_the_end_of_those_that_are_there_and_not_behind_it)
{
	int at, behind;
	FIXTURE(server, server, 10);

	lines_add(&server, "one\n");
	at = client_ask(&server, "lines?from=4");
	behind = client_ask(&server, "lines?from=5");
	server_run(&server, 0);
	check_answer(at, "HTTP/1.1 200 ");
	check_answer(behind, "HTTP/1.1 416 ");
	close(at);
	close(behind);
}

TEST(eight_clients_follow_and_a_ninth_is_refused_until_one_leaves)
{
	int fds[SERVE_FOLLOWERS_MAX], more;
	FIXTURE(server, server, 10);

	for (int i = 0; i < SERVE_FOLLOWERS_MAX; i++)
		fds[i] = client_ask(&server, "lines");
	server_run(&server, 0);
	more = client_ask(&server, "lines");
	server_run(&server, 0);
	check_answer(more, "HTTP/1.1 503 ");
	close(more);
	for (int i = 0; i < SERVE_FOLLOWERS_MAX; i++) {
		check_answer(fds[i], "HTTP/1.1 200 ");
		close(fds[i]);
		server_run(&server, 0);
	}
	more = client_ask(&server, "lines");
	server_run(&server, 0);
	check_answer(more, "HTTP/1.1 200 ");
	close(more);
}

TEST(connections_wait_while_all_are_answered)
{
	SCOPED_BUFFER(answer);
	int fds[SERVE_CLIENTS_MAX], last;
	FIXTURE(server, server, LARGE);

	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		fds[i] = client_ask(&server, "");
	server_run(&server, 0);
	last = client_ask(&server, "");
	server_run(&server, 1);
	CHECK(!client_read(last, &answer) && answer.size == 0);
	close(fds[3]);
	server_run(&server, 0);
	CHECK(!client_read(last, &answer) && has_begin(&answer, "HTTP/1.1 200 "));
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		if (i != 3)
			close(fds[i]);
	}
	close(last);
}

TEST(a_page_is_answered_at_once_beside_connections_that_send_no_request)
{
	SCOPED_BUFFER(answer);
	int fds[40], last;
	FIXTURE(server, server, 10);

	for (size_t i = 0; i < 40; i++) {
		fds[i] = client_connect(&server);
		CHECK_NUMBER(send(fds[i], "GET / HT", 8, MSG_NOSIGNAL), 8);
		server_run(&server, 0.01);
	}
	last = client_ask(&server, "");
	server_run(&server, 0);
	CHECK(client_read(last, &answer) && has_begin(&answer, "HTTP/1.1 200 "));
	/* Those that have waited longest were closed. */
	buffer_clear(&answer);
	for (size_t i = 0; i < 40; i++) {
		CHECK_NUMBER(client_read(fds[i], &answer), i <= 40 - SERVE_CLIENTS_MAX);
		close(fds[i]);
	}
	CHECK_NUMBER(answer.size, 0);
	close(last);
}

TEST(a_request_that_is_there_is_read_before_its_connection_is_closed)
{
	int fds[SERVE_CLIENTS_MAX - 1], half, asked[3];
	FIXTURE(server, server, LARGE);

	for (size_t i = 0; i < SERVE_CLIENTS_MAX - 1; i++)
		fds[i] = client_ask(&server, "");
	server_run(&server, 0);
	half = client_connect(&server);
	server_run(&server, 0);
	for (size_t i = 0; i < 3; i++)
		asked[i] = client_ask(&server, "lines?from=1");
	server_run(&server, 0);
	for (size_t i = 0; i < 3; i++) {
		check_answer(asked[i], "HTTP/1.1 416 ");
		close(asked[i]);
		server_run(&server, 0);
	}
	for (size_t i = 0; i < SERVE_CLIENTS_MAX - 1; i++)
		close(fds[i]);
	close(half);
}

TEST(connections_leave_the_recording_its_files)
{
	struct rlimit before, limit;
	SCOPED_BUFFER(answer);
	int fd;
	FIXTURE(server, server, 10);

	fd = client_ask(&server, "");
	CHECK_NUMBER(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = fd + FILES_SPARE;
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &limit), 0);
	server_run(&server, 0);
	CHECK(!client_read(fd, &answer) && answer.size == 0);
	CHECK_NUMBER(setrlimit(RLIMIT_NOFILE, &before), 0);
	server_run(&server, 1);
	server_run(&server, 0);
	CHECK(client_read(fd, &answer) && has_begin(&answer, "HTTP/1.1 200 "));
	close(fd);
}

TEST(a_port_in_use_is_reported)
{
	struct serve *other;
	struct error error = { 0 };
	SCOPED_BUFFER(want);
	FIXTURE(server, server, 10);

	CHECK_NUMBER(serve_open(&other, server.port, &error), -1);
	buffer_printf(&want, "cannot listen on 127.0.0.1:%u: Address already in use", server.port);
	CHECK_TEXT(error.text, buffer_string(&want));
	serve_close(other);
	serve_close(NULL);
}

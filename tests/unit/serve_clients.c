// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the server's clients: what they get when, by a clock of our own; and which requests are
 * answered with what. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

/* The port that a server has; with another one here, it takes that for its own. */
static unsigned int bound_port, shown_port;

int getsockname(int fd, __SOCKADDR_ARG address, socklen_t *restrict size)
{
	struct sockaddr_in *bound = address.__sockaddr_in__;
	int status = syscall(SYS_getsockname, fd, bound, size);

	bound_port = ntohs(bound->sin_port);
	if (shown_port)
		bound->sin_port = htons(shown_port);
	return status;
}

static void server_init(struct server *server, size_t page_size)
{
	struct error error = { 0 };

	*server = (struct server){ .now_ns = NS_PER_S };
	CHECK_NUMBER(serve_open(&server->serve, 0, &error), 0);
	CHECK_NUMBER(sscanf(serve_url(server->serve), "http://127.0.0.1:%*u%63s", server->path), 1);
	server->port = bound_port;
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

/* Writes a request with "#" for the port, "<" for it without three digits, "$" for the token, "%"
 * for it with another last letter, "~" for a NUL and "^" for a part. */
static void request_expand(struct buffer *out, const struct server *server, const char *request,
			   const char *part)
{
	struct text token = { .data = server->path + 1, .size = strlen(server->path) - 2 };

	for (; *request; request++) {
		if (*request == '^')
			request_expand(out, server, part, NULL);
		else if (*request == '#')
			buffer_printf(out, "%u", server->port);
		else if (*request == '<')
			buffer_printf(out, "%u", server->port / 1000);
		else if (*request == '$' || *request == '%')
			buffer_append(out, token.data, token.size);
		else
			buffer_append_char(out, *request == '~' ? '\0' : *request);
		if (*request == '%')
			out->data[out->size - 1] ^= 1;
	}
}

/* Checks requests that differ in a part: its last one is NULL. */
static void check_all(struct server *server, unsigned int status, const char *request,
		      const char *const *part)
{
	char want[32];

	snprintf(want, sizeof(want), "HTTP/1.1 %u ", status);
	for (; *part; part++) {
		int fd = client_connect(server);
		SCOPED_BUFFER(bytes);
		SCOPED_BUFFER(answer);

		request_expand(&bytes, server, request, *part);
		CHECK_NUMBER(send(fd, bytes.data, bytes.size, MSG_NOSIGNAL), bytes.size);
		serve_run(server->serve, server->now_ns);
		serve_run(server->serve, server->now_ns);
		client_read(fd, &answer);
		if (!CHECK(has_begin(&answer, want)))
			printf("# %u is not what '%s' gets\n", status, *part);
		close(fd);
	}
}

#define PARTS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define HOST "\r\nHost: 127.0.0.1:#"
#define LINE "GET /$/ HTTP/1.1"

TEST(what_is_no_request_is_refused)
{
	FIXTURE(server, server, 10);

	check_all(&server, 200, "^\r\n\r\n",
		  PARTS(LINE HOST "\r\n\r\nmore",
			"GET /$/ HTTP/1.0\r\nhOST:\t localhost:# \t\r\nX: \xc3\xa4"));
	check_all(&server, 400, "^\r\n\r\n",
		  PARTS("", "\r\n" LINE HOST, LINE, LINE "\nHost: 127.0.0.1:#\n"));
	check_all(&server, 400, "^" HOST "\r\n\r\n",
		  PARTS("GET  /$/ HTTP/1.1", "GET /$/", "GET /$/ HTTP/2", LINE " ", " /$/ HTTP/1.1",
			"G\tT /$/ HTTP/1.1", "GET http://127.0.0.1:#/$/ HTTP/1.1", "GET * HTTP/1.1",
			"GET /$/?\xc3\xa4 HTTP/1.1"));
	check_all(&server, 400, LINE HOST "\r\n^\r\n\r\n",
		  PARTS("Host: 127.0.0.1:#", " continued", "\tcontinued: x", "no colon",
			": no name", "A blank: x", "A : x", "X: a\rb", "X: \x01", "X: a~b",
			"content-length: 0", "Transfer-Encoding: chunked"));
}

TEST(a_request_is_answered_when_it_is_complete_or_too_large)
{
	SCOPED_BUFFER(bytes);
	SCOPED_BUFFER(answer);
	int whole, large;
	FIXTURE(server, server, 10);

	whole = client_connect(&server);
	large = client_connect(&server);
	request_expand(&bytes, &server, LINE HOST "\r\nX: \r\n\r", NULL);
	for (size_t i = 0; i < bytes.size; i++) {
		CHECK_NUMBER(send(whole, bytes.data + i, 1, MSG_NOSIGNAL), 1);
		serve_run(server.serve, server.now_ns);
	}
	while (bytes.size < 16 * 1024 - 1)
		buffer_append_char(&bytes, 'x');
	CHECK_NUMBER(send(large, bytes.data, bytes.size, MSG_NOSIGNAL), bytes.size);
	server_run(&server, 0);
	CHECK(!client_read(whole, &answer) && !client_read(large, &answer) && answer.size == 0);
	CHECK_NUMBER(send(whole, "\n", 1, MSG_NOSIGNAL), 1);
	CHECK_NUMBER(send(large, "x", 1, MSG_NOSIGNAL), 1);
	server_run(&server, 0);
	check_answer(whole, "HTTP/1.1 200 ");
	check_answer(large, "HTTP/1.1 431 ");
	close(whole);
	close(large);
}

TEST(only_addresses_of_this_machine_are_hosts)
{
	FIXTURE(server, server, 10);

	check_all(&server, 200, LINE "\r\nHost: ^\r\n\r\n",
		  PARTS("127.0.0.1:#", "localhost:#", "[::1]:#", "LocalHost:#"));
	check_all(&server, 403, LINE "\r\nHost: ^\r\n\r\n",
		  PARTS("", "127.0.0.1", "127.0.0.1:", "127.0.0.1:<", "127.0.0.1:#0",
			"127.0.0.1:#.", "127.0.0.1.:#", "127.0.0.2:#", "localhost",
			"localhost.evil.example:#", "evil.example:#", "::1:#", "user@localhost:#",
			"localhost:#,localhost:#"));
}

TEST(the_usual_port_may_be_left_out)
{
	struct server server;

	shown_port = 80;
	server_init(&server, 10);
	shown_port = 0;
	check_all(&server, 200, LINE "\r\nHost: ^\r\n\r\n", PARTS("localhost", "localhost:80"));
	server_release(&server);
}

TEST(there_are_a_page_and_lines_for_who_has_the_token)
{
	static const char request[] = "^ HTTP/1.1" HOST "\r\n\r\n";
	FIXTURE(server, server, 10);

	check_all(&server, 200, request,
		  PARTS("GET /$/", "GET /$/?x", "GET /$/lines", "GET /$/lines?from=0"));
	check_all(&server, 404, request, PARTS("GET /$/lines/", "GET /$//", "GET /$/../lines"));
	check_all(&server, 405, request, PARTS("HEAD /$/", "get /$/", "OPTIONS /$/lines"));
	check_all(&server, 416, request,
		  PARTS("GET /$/lines?from=12345", "GET /$/lines?from=18446744073709551615"));
	check_all(&server, 400, "GET /$/lines?^ HTTP/1.1" HOST "\r\n\r\n",
		  PARTS("from=18446744073709551616", "from=99999999999999999999999",
			"from=", "from=-1", "from=+1", "from=1x", "until=1", "fro"));
	check_all(&server, 403, request,
		  PARTS("GET /", "GET /lines", "GET /favicon.ico", "GET /$", "GET //$/", "GET /%/",
			"GET /0$/", "GET /$0/", "GET /?/$/", "POST /"));
}

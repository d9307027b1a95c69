// SPDX-License-Identifier: GPL-2.0-only
/* An HTTP server on the loopback address, for the page of a live recording. */
#include "serve/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A request must be complete, and other answers than lines must be read, within these times. */
#define REQUEST_LIMIT_NS (5 * NS_PER_S)
#define ANSWER_LIMIT_NS (30 * NS_PER_S)
#define CLOSE_LIMIT_NS NS_PER_S
/* Blocks of one step: the recording is read between steps. */
#define STEP_BLOCKS 8

/* The page runs its own scripts, connects to this server, and is in no other site's frame. */
#define HEADERS                                                                               \
	"Connection: close\r\n"                                                               \
	"Cache-Control: no-store\r\n"                                                         \
	"Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src " \
	"'unsafe-inline'; worker-src blob:; connect-src 'self'; base-uri 'none'; "             \
	"frame-ancestors 'none'\r\n"                                                          \
	"Cross-Origin-Resource-Policy: same-origin\r\n"                                       \
	"Referrer-Policy: no-referrer\r\n"                                                    \
	"X-Content-Type-Options: nosniff\r\n"

struct answer_text {
	enum http_status status;
	const char *reason;
	const char *text;
};

static const struct answer_text answer_texts[] = {
	{ HTTP_BAD, "Bad Request", "not a request that this server understands" },
	{ HTTP_FORBIDDEN, "Forbidden", "wrong address; open the one that ktrack printed" },
	{ HTTP_NOT_FOUND, "Not Found", "no such page; open the address that ktrack printed" },
	{ HTTP_METHOD, "Method Not Allowed", "only GET is served" },
	{ HTTP_TIMEOUT, "Request Timeout", "the request did not arrive in time" },
	{ HTTP_RANGE, "Range Not Satisfiable", "these lines are not recorded" },
	{ HTTP_TOO_LARGE, "Request Header Fields Too Large", "the request is too large" },
	{ HTTP_BUSY, "Service Unavailable", "too many pages follow this recording; close one" },
};

static void client_end(struct client *client, struct client_context *context)
{
	context->nr_followers -= client_is_follower(client);
	close(client->fd);
	buffer_release(&client->request);
	buffer_release(&client->head);
	*client = (struct client){ .state = CLIENT_FREE };
}

static void client_set_state(struct client *client, struct client_context *context,
			     enum client_state state, int64_t deadline_ns)
{
	context->nr_followers -= client_is_follower(client);
	client->state = state;
	client->deadline_ns = deadline_ns;
	context->nr_followers += client_is_follower(client);
}

static void status_append(struct client *client, enum http_status status, const char *reason,
			  const char *type)
{
	buffer_printf(&client->head,
		      "HTTP/1.1 %d %s\r\n" HEADERS "Content-Type: %s; charset=utf-8\r\n", status,
		      reason, type);
}

static void answer_refuse(struct client *client, enum http_status status)
{
	const struct answer_text *answer = answer_texts;

	while (answer->status != status)
		answer++;
	status_append(client, status, answer->reason, "text/plain");
	if (status == HTTP_METHOD)
		buffer_append_string(&client->head, "Allow: GET\r\n");
	if (status == HTTP_BUSY)
		buffer_append_string(&client->head, "Retry-After: 5\r\n");
	buffer_printf(&client->head, "Content-Length: %zu\r\n\r\nktrack: %s\n",
		      strlen("ktrack: \n") + strlen(answer->text), answer->text);
}

static enum http_status client_answer(struct client *client, const struct client_context *context,
				      const struct http_request *request)
{
	enum resource resource;
	uint64_t from;
	enum http_status status = request_judge(request, context->token, context->port, &resource,
						&from);

	if (status != HTTP_OK)
		return status;
	if (resource == RESOURCE_LINES) {
		/* The connection ends with the lines: their number is not known before. */
		if (from > context->file_size)
			return HTTP_RANGE;
		if (context->nr_followers >= SERVE_FOLLOWERS_MAX)
			return HTTP_BUSY;
		client->offset = from;
		client->reads_lines = true;
		status_append(client, HTTP_OK, "OK", "text/plain");
		buffer_append_string(&client->head, "\r\n");
		return HTTP_OK;
	}
	status_append(client, HTTP_OK, "OK", "text/html");
	buffer_printf(&client->head, "Content-Length: %zu\r\n\r\n", context->content->page.size);
	client->page = context->content->page;
	return HTTP_OK;
}

static void answer_begin(struct client *client, struct client_context *context,
			 enum http_status status, int64_t now_ns)
{
	int64_t limit_ns = client->reads_lines ? INT64_MAX : now_ns + ANSWER_LIMIT_NS;

	if (status != HTTP_OK)
		answer_refuse(client, status);
	buffer_release(&client->request);
	client_set_state(client, context, CLIENT_ANSWERING, limit_ns);
}

static void client_read(struct client *client, struct client_context *context, int64_t now_ns)
{
	char *space = buffer_reserve(&client->request, REQUEST_SIZE_MAX - client->request.size);
	struct http_request request;
	enum http_status status;
	ssize_t size;

	if (!space)
		return client_end(client, context);
	size = recv(client->fd, space, REQUEST_SIZE_MAX - client->request.size, MSG_DONTWAIT);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (size <= 0)
		return client_end(client, context);
	client->request.size += size;
	status = request_parse(buffer_text(&client->request), &request);
	if (status == HTTP_INCOMPLETE)
		return;
	if (status == HTTP_OK)
		status = client_answer(client, context, &request);
	answer_begin(client, context, status, now_ns);
}

/* Returns the number of bytes that were sent, 0 if it would block, or -1 if the client is gone. */
static ssize_t client_send_bytes(struct client *client, const char *data, size_t size)
{
	ssize_t sent = send(client->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return sent > 0 ? sent : -1;
}

/* Sends the rest of a text. Returns 1 if it is sent, 0 if it would block, -1 without client. */
static int client_send_text(struct client *client, struct text text, size_t *done)
{
	while (*done < text.size) {
		ssize_t sent = client_send_bytes(client, text.data + *done, text.size - *done);

		if (sent <= 0)
			return sent;
		*done += sent;
	}
	return 1;
}

/* Sends new lines. Results as above; also 0 after enough blocks, and if more lines follow. */
static int client_send_lines(struct client *client, struct client_context *context)
{
	for (int i = 0; i < STEP_BLOCKS && client->offset < context->file_size; i++) {
		uint64_t left = context->file_size - client->offset;
		size_t size = left < sizeof(context->block) ? left : sizeof(context->block);
		ssize_t got = pread(context->content->fd, context->block, size, client->offset);
		ssize_t sent = got > 0 ? client_send_bytes(client, context->block, got) : -1;

		if (sent <= 0)
			return sent;
		client->offset += sent;
	}
	if (client->offset < context->file_size || !context->is_complete)
		return 0;
	context->was_read = true;
	return 1;
}

static void client_send(struct client *client, struct client_context *context, int64_t now_ns)
{
	int status = client->head.failed ? -1
					 : client_send_text(client, buffer_text(&client->head),
							    &client->head_sent);

	if (status == 1)
		status = client_send_text(client, client->page, &client->page_sent);
	if (status == 1 && client->reads_lines)
		status = client_send_lines(client, context);
	if (status < 0)
		return client_end(client, context);
	if (status == 0)
		return;
	shutdown(client->fd, SHUT_WR);
	client_set_state(client, context, CLIENT_CLOSING, now_ns + CLOSE_LIMIT_NS);
}

/* Whether all that is in the file is sent to a follower. */
static bool client_is_even(const struct client *client, const struct client_context *context)
{
	return client_is_follower(client) && client->offset == context->file_size &&
	       client->head_sent == client->head.size && !context->is_complete;
}

static uint32_t client_events(const struct client *client, const struct client_context *context)
{
	if (client->state == CLIENT_READING)
		return EPOLLIN;
	if (client->state == CLIENT_CLOSING || client_is_even(client, context))
		return EPOLLRDHUP;
	return client_is_follower(client) ? EPOLLOUT | EPOLLRDHUP : EPOLLOUT;
}

/* A client that closes its side of the connection reads no lines, and has read other answers. */
static bool client_is_gone(const struct client *client)
{
	bool has_left = client->ready & EPOLLRDHUP &&
			(client->state == CLIENT_CLOSING || client_is_follower(client));

	return has_left || client->ready & (EPOLLERR | EPOLLHUP);
}

/* Read and send as far as nothing blocks, at most a few blocks. */
static void client_step(struct client *client, struct client_context *context, int64_t now_ns)
{
	if (client_is_gone(client))
		return client_end(client, context);
	if (now_ns >= client->deadline_ns && client->state != CLIENT_READING)
		return client_end(client, context);
	if (now_ns >= client->deadline_ns)
		answer_begin(client, context, HTTP_TIMEOUT, now_ns);
	if (client->state == CLIENT_READING)
		client_read(client, context, now_ns);
	if (client->state == CLIENT_ANSWERING && !client_is_even(client, context))
		client_send(client, context, now_ns);
	if (client->state != CLIENT_FREE)
		client->events = client_events(client, context);
}

/* Parses requests: a line with method, target and version, then headers, then an empty line. */

#define LINE_END "\r\n"
#define HEAD_END "\r\n\r\n"

/* Takes the bytes before @end, which exists. */
static struct text head_take_line(struct text *rest)
{
	const char *end = memmem(rest->data, rest->size, LINE_END, strlen(LINE_END));
	struct text line = { .data = rest->data, .size = end - rest->data };

	*rest = (struct text){ .data = end + strlen(LINE_END),
			       .size = rest->size - line.size - strlen(LINE_END) };
	return line;
}

/* Takes the part before the first @byte; all if there is none. */
static struct text request_part_take(struct text *rest, char byte)
{
	const char *end = memchr(rest->data, byte, rest->size);
	size_t size = end ? (size_t)(end - rest->data) : rest->size;
	struct text part = { .data = rest->data, .size = size };

	rest->data += size + (end != NULL);
	rest->size -= size + (end != NULL);
	return part;
}

/* Visible ASCII only; with spaces and tabs in values of headers. */
static bool is_clean(struct text text, bool allows_blanks)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = text.data[i];

		if (byte > 0x20 && byte != 0x7f && (byte < 0x80 || allows_blanks))
			continue;
		if (!allows_blanks || (byte != ' ' && byte != '\t'))
			return false;
	}
	return true;
}

static bool header_is(struct text name, const char *wanted)
{
	return name.size == strlen(wanted) && strncasecmp(name.data, wanted, name.size) == 0;
}

/* No header continues on the next line, and no request has a body. */
static enum http_status header_parse(struct text line, struct http_request *out)
{
	const char *colon = memchr(line.data, ':', line.size);
	struct text name = { .data = line.data, .size = colon ? (size_t)(colon - line.data) : 0 };
	struct text value = line;

	request_part_take(&value, ':');
	if (name.size == 0 || !is_clean(name, false) || !is_clean(value, true) ||
	    header_is(name, "Content-Length") || header_is(name, "Transfer-Encoding"))
		return HTTP_BAD;
	if (!header_is(name, "Host"))
		return HTTP_OK;
	if (out->host.data)
		return HTTP_BAD;
	out->host = text_trim(value);
	return HTTP_OK;
}

enum http_status request_parse(struct text bytes, struct http_request *out)
{
	const char *end = memmem(bytes.data, bytes.size, HEAD_END, strlen(HEAD_END));
	enum http_status status = HTTP_OK;
	struct text head, line;

	*out = (struct http_request){ 0 };
	if (!end)
		return bytes.size < REQUEST_SIZE_MAX ? HTTP_INCOMPLETE : HTTP_TOO_LARGE;
	head = (struct text){ .data = bytes.data, .size = end - bytes.data + strlen(LINE_END) };
	line = head_take_line(&head);
	out->method = request_part_take(&line, ' ');
	out->target = request_part_take(&line, ' ');
	if (out->method.size == 0 || out->target.size == 0 || *out->target.data != '/' ||
	    !is_clean(out->method, false) || !is_clean(out->target, false) ||
	    (!text_equals(line, text_of("HTTP/1.1")) && !text_equals(line, text_of("HTTP/1.0"))))
		return HTTP_BAD;
	while (status == HTTP_OK && head.size > 0)
		status = header_parse(head_take_line(&head), out);
	if (status != HTTP_OK)
		return status;
	return out->host.data ? HTTP_OK : HTTP_BAD;
}

/* Other names may be those of another site, whose address was changed to this one. */
static bool host_is_allowed(struct text host, unsigned int port)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	char wanted[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int size = snprintf(wanted, sizeof(wanted), "%s:%u", names[i], port);

		if (header_is(host, wanted))
			return true;
		/* Browsers leave the usual port out. */
		wanted[size - strlen(":80")] = '\0';
		if (port == 80 && header_is(host, wanted))
			return true;
	}
	return false;
}

/* Takes "/TOKEN/" from the path if it begins so, in the same time wherever it differs. */
static bool token_take(struct text *path, const char *token)
{
	unsigned char difference = 0;

	if (path->size < TOKEN_SIZE + 2)
		return false;
	difference |= path->data[0] ^ '/';
	for (size_t i = 0; i < TOKEN_SIZE; i++)
		difference |= path->data[1 + i] ^ token[i];
	difference |= path->data[1 + TOKEN_SIZE] ^ '/';
	path->data += TOKEN_SIZE + 2;
	path->size -= TOKEN_SIZE + 2;
	return difference == 0;
}

/* "from=N" in decimal digits, or nothing. */
static enum http_status lines_judge(struct text query, uint64_t *from)
{
	static const char name[] = "from=";
	size_t size = strlen(name);

	*from = 0;
	if (query.size == 0)
		return HTTP_OK;
	if (query.size <= size || memcmp(query.data, name, size) != 0)
		return HTTP_BAD;
	for (size_t i = size; i < query.size; i++) {
		if (query.data[i] < '0' || query.data[i] > '9' ||
		    __builtin_mul_overflow(*from, 10, from) ||
		    __builtin_add_overflow(*from, query.data[i] - '0', from))
			return HTTP_BAD;
	}
	return HTTP_OK;
}

enum http_status request_judge(const struct http_request *request, const char *token,
			       unsigned int port, enum resource *resource, uint64_t *from)
{
	struct text query = request->target, path = request_part_take(&query, '?');

	if (!host_is_allowed(request->host, port) || !token_take(&path, token))
		return HTTP_FORBIDDEN;
	if (!text_equals(request->method, text_of("GET")))
		return HTTP_METHOD;
	if (text_equals(path, text_of("lines"))) {
		*resource = RESOURCE_LINES;
		return lines_judge(query, from);
	}
	*resource = RESOURCE_PAGE;
	return path.size == 0 ? HTTP_OK : HTTP_NOT_FOUND;
}

/* The server: its socket, its token, and its clients in one epoll descriptor. */

/* The index of the socket that listens, next to those of clients. */
#define LISTENER SERVE_CLIENTS_MAX
/* New connections of one run. */
#define ACCEPTED_MAX 8
/* Longest wait after a connection could not be accepted. */
#define REST_NS NS_PER_S

/** struct serve - the server */
struct serve {
	int fd;		       /* of epoll */
	int listener;	       /* the socket */
	bool listens;	       /* epoll waits for connections */
	int64_t rest_until_ns; /* no connection is accepted before */
	char url[64];
	struct client clients[SERVE_CLIENTS_MAX];
	struct client_context context;
};

static int token_make(char *token, struct error *error)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[TOKEN_SIZE / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return error_set_system(error, errno, "cannot read random bytes");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		token[2 * i] = digits[bytes[i] >> 4];
		token[2 * i + 1] = digits[bytes[i] & 15];
	}
	token[TOKEN_SIZE] = '\0';
	return 0;
}

static int listener_open(struct serve *serve, unsigned int port, struct error *error)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int yes = 1;

	serve->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (serve->listener < 0)
		return error_set_system(error, errno, "cannot create a socket");
	setsockopt(serve->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(serve->listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(serve->listener, SOMAXCONN) < 0 ||
	    getsockname(serve->listener, (struct sockaddr *)&address, &size) < 0)
		return error_set_system(error, errno, "cannot listen on 127.0.0.1:%u", port);
	/* The kernel may have chosen it. */
	serve->context.port = ntohs(address.sin_port);
	return 0;
}

static void epoll_set(struct serve *serve, int operation, int fd, uint32_t events, uint64_t index)
{
	struct epoll_event event = { .events = events, .data.u64 = index };

	epoll_ctl(serve->fd, operation, fd, &event);
}

int serve_open(struct serve **out, unsigned int port, struct error *error)
{
	struct serve *serve = calloc(1, sizeof(*serve));

	*out = serve;
	if (!serve)
		return error_set(error, "out of memory");
	serve->fd = serve->listener = -1;
	if (token_make(serve->context.token, error) < 0 || listener_open(serve, port, error) < 0)
		return -1;
	serve->fd = epoll_create1(EPOLL_CLOEXEC);
	if (serve->fd < 0)
		return error_set_system(error, errno, "cannot wait for connections");
	snprintf(serve->url, sizeof(serve->url), "http://127.0.0.1:%u/%s/", serve->context.port,
		 serve->context.token);
	epoll_set(serve, EPOLL_CTL_ADD, serve->listener, 0, LISTENER);
	return 0;
}

void serve_begin(struct serve *serve, const struct serve_content *content)
{
	serve->context.content = content;
}

const char *serve_url(const struct serve *serve)
{
	return serve->url;
}

int serve_fd(const struct serve *serve)
{
	return serve->fd;
}

/* A free client, else the one that has sent no complete request for longest; NULL if all have. */
static struct client *client_find(struct serve *serve)
{
	struct client *found = NULL;

	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		struct client *client = &serve->clients[i];

		if (client->state == CLIENT_FREE)
			return client;
		if (client->state == CLIENT_READING && !client->is_new &&
		    (!found || client->deadline_ns < found->deadline_ns))
			found = client;
	}
	return found;
}

/* The recording needs files, too. Returns -1 with errno. */
static int client_accept(struct serve *serve)
{
	if (!files_are_left()) {
		errno = EMFILE;
		return -1;
	}
	return accept4(serve->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static void clients_accept(struct serve *serve, int64_t now_ns)
{
	struct client *client;

	for (int i = 0; i < ACCEPTED_MAX && (client = client_find(serve)); i++) {
		int fd = client_accept(serve);

		if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			serve->rest_until_ns = now_ns + REST_NS;
		if (fd < 0)
			return;
		if (client->state != CLIENT_FREE)
			client_end(client, &serve->context);
		*client = (struct client){ .state = CLIENT_READING,
					   .is_new = true,
					   .fd = fd,
					   .deadline_ns = now_ns + REQUEST_LIMIT_NS };
		client->events = EPOLLIN;
		epoll_set(serve, EPOLL_CTL_ADD, fd, EPOLLIN, client - serve->clients);
	}
}

/* Notes what is ready; returns whether there are connections to accept. */
static bool events_take(struct serve *serve)
{
	struct epoll_event events[SERVE_CLIENTS_MAX + 1];
	int count = epoll_wait(serve->fd, events, SERVE_CLIENTS_MAX + 1, 0);
	bool has_connections = false;

	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 == LISTENER)
			has_connections = true;
		else
			serve->clients[events[i].data.u64].ready = events[i].events;
	}
	return has_connections;
}

void serve_run(struct serve *serve, int64_t now_ns)
{
	struct stat about;
	bool listens;

	if (!serve->context.content)
		return;
	if (fstat(serve->context.content->fd, &about) == 0)
		serve->context.file_size = about.st_size;
	if (events_take(serve))
		clients_accept(serve, now_ns);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		if (serve->clients[i].state != CLIENT_FREE) {
			uint32_t before = serve->clients[i].events;

			client_step(&serve->clients[i], &serve->context, now_ns);
			serve->clients[i].ready = 0;
			serve->clients[i].is_new = false;
			if (serve->clients[i].state != CLIENT_FREE &&
			    serve->clients[i].events != before)
				epoll_set(serve, EPOLL_CTL_MOD, serve->clients[i].fd,
					  serve->clients[i].events,
					  (&serve->clients[i]) - serve->clients);
		}
	}
	listens = now_ns >= serve->rest_until_ns && client_find(serve);
	/* Connections wait while all clients are answered. */
	if (listens != serve->listens)
		epoll_set(serve, EPOLL_CTL_MOD, serve->listener, listens ? EPOLLIN : 0, LISTENER);
	serve->listens = listens;
}

void serve_complete(struct serve *serve)
{
	serve->context.is_complete = true;
}

bool serve_has_followers(const struct serve *serve)
{
	return serve->context.nr_followers > 0;
}

bool serve_was_read(const struct serve *serve)
{
	return serve->context.was_read;
}

void serve_close(struct serve *serve)
{
	if (!serve)
		return;
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		if (serve->clients[i].state != CLIENT_FREE)
			client_end(&serve->clients[i], &serve->context);
	}
	file_close(serve->listener);
	file_close(serve->fd);
	free(serve);
}

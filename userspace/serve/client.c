// SPDX-License-Identifier: GPL-2.0-only
/* Reads requests, and sends answers: a text, the page or lines. */
#include "serve/client.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
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
	"'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'\r\n"    \
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

void client_begin(struct client *client, int fd, int64_t now_ns)
{
	*client = (struct client){ .state = CLIENT_READING,
				   .fd = fd,
				   .deadline_ns = now_ns + REQUEST_LIMIT_NS };
}

void client_end(struct client *client, struct client_context *context)
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

static void answer_page(struct client *client, const struct serve_content *content)
{
	status_append(client, HTTP_OK, "OK", "text/html");
	buffer_printf(&client->head, "Content-Length: %zu\r\n\r\n", content->page.size);
	client->page = content->page;
}

/* The end of the connection is that of the lines: their number is not known before. */
static enum http_status answer_lines(struct client *client, const struct client_context *context,
				     uint64_t from)
{
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

static enum http_status client_answer(struct client *client, const struct client_context *context,
				      const struct http_request *request)
{
	enum resource resource;
	uint64_t from;
	enum http_status status = request_judge(request, context->token, context->port, &resource,
						&from);

	if (status != HTTP_OK)
		return status;
	if (resource == RESOURCE_LINES)
		return answer_lines(client, context, from);
	answer_page(client, context->content);
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

/* Sends the rest of a text. Returns 1 if it is sent, 0 if it would block, -1 if the client is gone.
 */
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

/* Sends new lines. The same results as above; also 0 after enough blocks, and if more lines follow.
 */
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

/* The same results. */
static int client_send_answer(struct client *client, struct client_context *context)
{
	int status = client_send_text(client, buffer_text(&client->head), &client->head_sent);

	if (status == 1)
		status = client_send_text(client, client->page, &client->page_sent);
	return status == 1 && client->reads_lines ? client_send_lines(client, context) : status;
}

static void client_send(struct client *client, struct client_context *context, int64_t now_ns)
{
	int status = client->head.failed ? -1 : client_send_answer(client, context);

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

void client_step(struct client *client, struct client_context *context, int64_t now_ns)
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

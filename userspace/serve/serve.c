// SPDX-License-Identifier: GPL-2.0-only
/* The server: its socket, its token, and its clients in one epoll descriptor. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/client.h"

/* The index of the socket that listens, next to those of clients. */
#define LISTENER SERVE_CLIENTS_MAX

/* New connections of one run. */
#define ACCEPTED_MAX 8

/* Longest wait after a connection could not be accepted. */
#define REST_NS NS_PER_S

/**
 * struct serve - the server
 * @fd: of epoll
 * @listener: the socket
 * @listens: epoll waits for connections
 * @rest_until_ns: no connection is accepted before
 */
struct serve {
	int fd;
	int listener;
	bool listens;
	int64_t rest_until_ns;
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

/* Finds the port that the kernel chose. */
static int port_read(struct serve *serve)
{
	struct sockaddr_in address = { 0 };
	socklen_t size = sizeof(address);

	if (getsockname(serve->listener, (struct sockaddr *)&address, &size) < 0)
		return -1;
	serve->context.port = ntohs(address.sin_port);
	return 0;
}

static int listener_open(struct serve *serve, unsigned int port, struct error *error)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int yes = 1;

	serve->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (serve->listener < 0)
		return error_set_system(error, errno, "cannot create a socket");
	setsockopt(serve->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(serve->listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(serve->listener, SOMAXCONN) < 0 || port_read(serve) < 0)
		return error_set_system(error, errno, "cannot listen on 127.0.0.1:%u", port);
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

static struct client *client_find_free(struct serve *serve)
{
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		if (serve->clients[i].state == CLIENT_FREE)
			return &serve->clients[i];
	}
	return NULL;
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

	for (int i = 0; i < ACCEPTED_MAX && (client = client_find_free(serve)); i++) {
		int fd = client_accept(serve);

		if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			serve->rest_until_ns = now_ns + REST_NS;
		if (fd < 0)
			return;
		client_begin(client, fd, now_ns);
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

static void file_size_read(struct serve *serve)
{
	struct stat about;

	if (fstat(serve->context.content->fd, &about) == 0)
		serve->context.file_size = about.st_size;
}

static void client_run(struct serve *serve, struct client *client, int64_t now_ns)
{
	uint32_t before = client->events;

	client_step(client, &serve->context, now_ns);
	client->ready = 0;
	if (client->state != CLIENT_FREE && client->events != before)
		epoll_set(serve, EPOLL_CTL_MOD, client->fd, client->events,
			  client - serve->clients);
}

/* Connections wait while all clients are in use. */
static void listener_update(struct serve *serve, int64_t now_ns)
{
	bool listens = now_ns >= serve->rest_until_ns && client_find_free(serve);

	if (listens != serve->listens)
		epoll_set(serve, EPOLL_CTL_MOD, serve->listener, listens ? EPOLLIN : 0, LISTENER);
	serve->listens = listens;
}

void serve_run(struct serve *serve, int64_t now_ns)
{
	if (!serve->context.content)
		return;
	file_size_read(serve);
	if (events_take(serve))
		clients_accept(serve, now_ns);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		if (serve->clients[i].state != CLIENT_FREE)
			client_run(serve, &serve->clients[i], now_ns);
	}
	listener_update(serve, now_ns);
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

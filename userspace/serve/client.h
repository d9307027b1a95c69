/* SPDX-License-Identifier: GPL-2.0-only */
/* One connection: reads a request, sends the answer, and waits until the client has read it. */
#ifndef SERVE_CLIENT_H
#define SERVE_CLIENT_H

#include "base/base.h"
#include "serve/serve.h"

/** REQUEST_SIZE_MAX - limit of the bytes of a request */
#define REQUEST_SIZE_MAX (16 * 1024)
/** TOKEN_SIZE - characters of a token: 128 random bits in hexadecimal */
#define TOKEN_SIZE 32

/** enum http_status - of an answer; 0 if the request is not complete yet */
enum http_status {
	HTTP_INCOMPLETE = 0,
	HTTP_OK = 200,
	HTTP_BAD = 400,
	HTTP_FORBIDDEN = 403,
	HTTP_NOT_FOUND = 404,
	HTTP_METHOD = 405,
	HTTP_TIMEOUT = 408,
	HTTP_RANGE = 416,
	HTTP_TOO_LARGE = 431,
	HTTP_BUSY = 503,
};

/** struct http_request - the parts of a request that matter; borrowed from its bytes */
struct http_request {
	struct text method;
	struct text target; /* path and query */
	struct text host;   /* value of the Host header */
};

/**
 * request_parse - parse the bytes that were received so far
 *
 * Lines end with CR LF. A request has exactly one Host header and no body. Returns HTTP_OK, or
 * another status of the answer, or HTTP_INCOMPLETE.
 */
enum http_status request_parse(struct text bytes, struct http_request *out);

/** enum resource - see serve.h */
enum resource {
	RESOURCE_PAGE,
	RESOURCE_LINES,
};

/**
 * request_judge - whether a request is allowed, and what it asks for
 * @token: TOKEN_SIZE characters
 * @port: of the server, which the Host header must name
 * @from: of RESOURCE_LINES: the first byte
 *
 * Returns HTTP_OK, or the status of the answer.
 */
enum http_status request_judge(const struct http_request *request, const char *token,
			       unsigned int port, enum resource *resource, uint64_t *from);

/** enum client_state - CLIENT_FREE is that of an unused one */
enum client_state {
	CLIENT_FREE,
	CLIENT_READING,
	CLIENT_ANSWERING,
	CLIENT_CLOSING,
};

/** struct client - one connection; zeroed if it is free */
struct client {
	enum client_state state;
	bool is_new; /* accepted in this run: nothing was read yet */
	int fd;
	uint32_t events;       /* what epoll waits for */
	uint32_t ready;	       /* what epoll reported */
	int64_t deadline_ns;   /* when the connection is ended; INT64_MAX for never */
	struct buffer request; /* the bytes that were received */
	struct buffer head;    /* of the answer, head_sent bytes of which are sent */
	size_t head_sent;
	struct text page; /* what follows the head, page_sent bytes of which are sent */
	size_t page_sent;
	bool reads_lines; /* lines follow the head */
	uint64_t offset;  /* next byte of their file */
};

/** struct client_context - what all clients share */
struct client_context {
	const struct serve_content *content; /* what is served */
	uint64_t file_size;		     /* bytes of its file */
	bool is_complete;		     /* no more follow */
	char token[TOKEN_SIZE + 1];
	unsigned int port;
	unsigned int nr_followers; /* clients that read lines */
	bool was_read;		   /* a client has read the last line */
	char block[64 * 1024];	   /* for bytes of the file */
};

static inline bool client_is_follower(const struct client *client)
{
	return client->state == CLIENT_ANSWERING && client->reads_lines;
}

#endif

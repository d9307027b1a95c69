/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses and judges requests of HTTP/1.1, which may be hostile. */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "base/base.h"

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

/**
 * struct http_request - the parts of a request that matter; borrowed from its bytes
 * @target: path and query
 * @host: value of the Host header
 */
struct http_request {
	struct text method;
	struct text target;
	struct text host;
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

#endif

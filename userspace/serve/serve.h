/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of serve/: an HTTP server on the loopback address for one page and for lines that
 * grow in a file. It never blocks: a client that does not read stays where it is in the file.
 *
 * Resources, below a path with a secret token:
 *   /TOKEN/               the page that follows the lines
 *   /TOKEN/lines?from=N   the lines from byte N on; it ends when the last one is sent
 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "base/base.h"

/** SERVE_FOLLOWERS_MAX - limit of clients that read lines; the next one is answered with 503 */
#define SERVE_FOLLOWERS_MAX 8
/**
 * SERVE_CLIENTS_MAX - limit of connections
 *
 * One more takes the place of the one that has sent no complete request for longest. It waits if
 * all are answered.
 */
#define SERVE_CLIENTS_MAX 24

/**
 * struct serve_content - what is served
 *
 * Both belong to the caller, and outlive the server.
 */
struct serve_content {
	int fd;		  /* of the file with the lines, which only grows */
	struct text page; /* the page that follows the lines */
};

struct serve;

/** serve_open - listen on 127.0.0.1, at any @port if that is 0; returns -1 with @error */
int serve_open(struct serve **out, unsigned int port, struct error *error);
/** serve_begin - serve @content from now on; requests wait until then */
void serve_begin(struct serve *serve, const struct serve_content *content);
/** serve_url - the address of the page, with the token */
const char *serve_url(const struct serve *serve);
/** serve_fd - readable when serve_run() has something to do, apart from new lines and timeouts */
int serve_fd(const struct serve *serve);

/**
 * serve_run - accept, read and answer requests, and send new lines, as far as nothing blocks
 * @now_ns: of any clock that does not go back
 *
 * Call it when serve_fd() is readable, after lines were added, and about once in a second.
 */
void serve_run(struct serve *serve, int64_t now_ns);

/** serve_complete - the last line is in the file: clients that have read it are done */
void serve_complete(struct serve *serve);
/** serve_has_followers - whether any client is reading lines */
bool serve_has_followers(const struct serve *serve);
/** serve_was_read - whether any client has read the last line */
bool serve_was_read(const struct serve *serve);
/** serve_close - end all connections; NULL is allowed */
void serve_close(struct serve *serve);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The page that follows a recording: its lines in an unnamed file, and the server. */
#ifndef CAPTURE_SERVING_H
#define CAPTURE_SERVING_H

#include "capture/stop.h"
#include "serve/serve.h"

/**
 * struct serving - a served page; zeroed, nothing is served and all functions do nothing
 * @serve: the server
 * @fd: of the file with the lines
 * @wake_fd: readable if the server or the run's own descriptor is; valid if @serve is
 * @page: text of @content
 */
struct serving {
	struct serve *serve;
	int fd;
	int wake_fd;
	struct buffer page;
	struct serve_content content;
};

/** SERVING_SIZE_MAX - limit of the lines, about: more than a browser shows well */
#define SERVING_SIZE_MAX (UINT64_C(256) << 20)

/**
 * serving_open - create the file, and listen
 * @port: 0 for any
 *
 * Returns 0, or -1 with @error; serving_release() works in both cases.
 */
int serving_open(struct serving *serving, unsigned int port, struct error *error);

/** serving_lines_fd - a descriptor for the sink that writes the lines; -1 with @error */
int serving_lines_fd(const struct serving *serving, struct error *error);

/**
 * serving_begin - answer requests from now on, and report the address
 * @title: of the page
 * @fd: a descriptor that the run waits for; serving_wake_fd() waits for it, too
 *
 * Returns 0, or -1 with @error.
 */
int serving_begin(struct serving *serving, const char *title, int fd, const struct report *report,
		  struct error *error);

/** serving_wake_fd - what the run waits for; @fd if nothing is served */
int serving_wake_fd(const struct serving *serving, int fd);

/** serving_round - answer requests and send new lines, without blocking */
void serving_round(struct serving *serving);

/**
 * serving_finish - all lines are written: wait until pages have read them, or for a signal
 *
 * Waits also for the first page, unless a signal ended the recording. The wait is limited.
 */
void serving_finish(struct serving *serving, struct stop_condition *stop,
		    const struct report *report);

void serving_release(struct serving *serving);

#endif

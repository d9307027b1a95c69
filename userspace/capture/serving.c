// SPDX-License-Identifier: GPL-2.0-only
/* Serves a page that follows a recording. */
#include "capture/serving.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sink/sink.h"

/* How long pages may read after the end; shorter if a signal ended the recording. */
#define LINGER_S 60
#define LINGER_SIGNAL_S 5

/* Pages that follow have read the rest after this time, or it is reported that they are waited for.
 */
#define QUICK_NS (500 * NS_PER_MS)

/* Longest wait between two looks at the clients' timeouts. */
#define LOOK_MS 500

int serving_open(struct serving *serving, unsigned int port, struct error *error)
{
	serving->fd = file_open_temporary(NULL);
	if (serving->fd < 0)
		return error_set_system(error, errno,
					"--serve: cannot create a temporary file in "
					"TMPDIR or /tmp");
	serving->wake_fd = -1;
	return serve_open(&serving->serve, port, error);
}

int serving_lines_fd(const struct serving *serving, struct error *error)
{
	int fd = fcntl(serving->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? error_set_system(error, errno, "--serve: cannot write lines") : fd;
}

static int serving_watch(struct serving *serving, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	serving->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (serving->wake_fd < 0 ||
	    epoll_ctl(serving->wake_fd, EPOLL_CTL_ADD, serve_fd(serving->serve), &event) < 0)
		return -1;
	return epoll_ctl(serving->wake_fd, EPOLL_CTL_ADD, fd, &event);
}

int serving_begin(struct serving *serving, const char *title, int fd, const struct report *report,
		  struct error *error)
{
	if (!serving->serve)
		return 0;
	sink_live_page_append(&serving->page, title);
	if (serving->page.failed)
		return error_set(error, "out of memory");
	if (serving_watch(serving, fd) < 0)
		return error_set_system(error, errno, "--serve: cannot wait for connections");
	serving->content = (struct serve_content){ .fd = serving->fd,
						   .page = buffer_text(&serving->page) };
	serve_begin(serving->serve, &serving->content);
	serving_round(serving);
	report_message(report, "%s follows this recording; open it in a browser of this machine",
		       serve_url(serving->serve));
	return 0;
}

int serving_wake_fd(const struct serving *serving, int fd)
{
	return serving->serve ? serving->wake_fd : fd;
}

void serving_round(struct serving *serving)
{
	if (serving->serve)
		serve_run(serving->serve, time_now_ns(CLOCK_MONOTONIC));
}

/* Waits for a request, a signal or timeouts. */
static void serving_wait(const struct serving *serving, const struct stop_condition *stop)
{
	struct pollfd polls[] = {
		{ .fd = stop->signals.fd, .events = POLLIN },
		{ .fd = serve_fd(serving->serve), .events = POLLIN },
	};

	poll(polls, 2, LOOK_MS);
}

/* Whether pages are done; whoever ended the recording by a signal opens no other one. */
static bool serving_is_done(const struct serving *serving, const struct stop_condition *stop)
{
	return !serve_has_followers(serving->serve) &&
	       (stop->nr_requests > 0 || serve_was_read(serving->serve));
}

/* Serves until pages are done, or until another signal or a time. Returns false after the time. */
static bool serving_linger(struct serving *serving, struct stop_condition *stop, int64_t end_ns)
{
	while (!serving_is_done(serving, stop) && !stop_is_asked_again(stop)) {
		if (time_now_ns(CLOCK_MONOTONIC) >= end_ns)
			return false;
		serving_wait(serving, stop);
		serving_round(serving);
	}
	return true;
}

void serving_finish(struct serving *serving, struct stop_condition *stop,
		    const struct report *report)
{
	bool was_signalled = stop->nr_requests > 0;
	int limit_s = was_signalled ? LINGER_SIGNAL_S : LINGER_S;
	int64_t now_ns = time_now_ns(CLOCK_MONOTONIC);

	if (!serving->serve)
		return;
	serve_complete(serving->serve);
	serving_round(serving);
	if (serving_linger(serving, stop, now_ns + QUICK_NS))
		return;
	report_message(report,
		       "%s: the recording has ended; it is served for up to %d s until a "
		       "browser has read it; Ctrl-C ends ktrack at once",
		       serve_url(serving->serve), limit_s);
	serving_linger(serving, stop, now_ns + limit_s * NS_PER_S);
}

void serving_release(struct serving *serving)
{
	if (!serving->serve)
		return;
	serve_close(serving->serve);
	file_close(serving->fd);
	file_close(serving->wake_fd);
	buffer_release(&serving->page);
}

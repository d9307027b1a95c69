// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts children that parse print formats, and reads their answers.
 *
 * A child has the formats in its memory, so that nothing is sent to it. It sends one byte, whether
 * its system calls are filtered, and for each format four bytes, the size of the answer, and the
 * answer. If it crashes, the format that it was parsing has failed, and another child continues
 * with the next one.
 */
#include "event/symbol_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/symbol_node.h"
#include "event/symbols.h"

/* Parsing takes less than a millisecond, but the machine may be busy. */
#define ANSWER_MS 10000

/* A child has two seconds of CPU time for these. */
#define CHILD_REQUESTS 256

/** struct symbol_child - a running child, and the read end of its pipe */
struct symbol_child {
	pid_t pid;
	int fd;
};

static bool bytes_send(int fd, const char *data, size_t size)
{
	return file_write_all(fd, data, size, NULL) == 0;
}

/* Returns false if memory ran out: without an answer, the format counts as failed. */
static bool answer_send(int fd, const struct symbols_request *request)
{
	struct buffer format = { 0 }, answer = { 0 };
	uint32_t size;
	bool is_sent;

	symbol_format_prepare(&format, request->format);
	is_sent = !format.failed && symbols_answer(&answer, buffer_text(&format)) && !answer.failed;
	size = answer.size;
	is_sent = is_sent && bytes_send(fd, (const char *)&size, sizeof(size)) &&
		  bytes_send(fd, answer.data, answer.size);
	buffer_release(&format);
	buffer_release(&answer);
	return is_sent;
}

/* The child; it must not return into the parent's code. */
static void __attribute__((noreturn))
child_run(int fd, bool is_trusted, const struct symbols_request *requests, size_t nr_requests)
{
	bool is_safe = sandbox_enter(fd);
	char first = is_safe ? SYMBOLS_ARE_SAFE : SYMBOLS_LACK_SECCOMP;
	bool continues = bytes_send(fd, &first, 1) && (is_safe || is_trusted);

	for (size_t i = 0; continues && i < nr_requests; i++)
		continues = answer_send(fd, &requests[i]);
	_exit(0);
}

static bool child_start(struct symbol_child *child, bool is_trusted,
			const struct symbols_request *requests, size_t nr_requests)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	child->pid = fork();
	if (child->pid == 0)
		child_run(fds[1], is_trusted, requests, nr_requests);
	close(fds[1]);
	child->fd = fds[0];
	if (child->pid < 0)
		close(fds[0]);
	return child->pid > 0;
}

/* Without the kill, a child that is stopped would never end. */
static void child_end(const struct symbol_child *child)
{
	kill(child->pid, SIGKILL);
	close(child->fd);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static bool bytes_receive(const struct symbol_child *child, void *out, size_t size,
			  int64_t deadline_ns)
{
	char *data = out;

	while (size > 0) {
		int64_t left_ns = deadline_ns - time_now_ns(CLOCK_MONOTONIC);
		struct pollfd pollfd = { .fd = child->fd, .events = POLLIN };
		ssize_t count;

		if (left_ns <= 0)
			return false;
		if (poll(&pollfd, 1, left_ns / 1000000 + 1) <= 0)
			continue;
		count = read(child->fd, data, size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		data += count;
		size -= count;
	}
	return true;
}

static struct symbols *answer_parse(struct text answer, struct text text, bool is_swapped)
{
	struct symbols *symbols = NULL;
	struct format format;

	if (format_parse(&format, text) == 0)
		symbols = symbols_of_answer(answer, &format, is_swapped);
	format_release(&format);
	return symbols;
}

/* Returns false if the child crashed. A malformed answer means that its memory is damaged. */
static bool answer_receive(const struct symbol_child *child, struct symbols_request *request,
			   bool is_swapped)
{
	int64_t deadline_ns = time_now_ns(CLOCK_MONOTONIC) + ANSWER_MS * INT64_C(1000000);
	uint32_t size;
	char *answer;
	bool is_complete;

	if (!bytes_receive(child, &size, sizeof(size), deadline_ns) || size > SYMBOL_ANSWER_MAX)
		return false;
	if (size == 0)
		return true;
	answer = malloc(size);
	is_complete = answer && bytes_receive(child, answer, size, deadline_ns);
	if (is_complete)
		request->symbols = answer_parse((struct text){ answer, size }, request->format,
						is_swapped);
	free(answer);
	return request->symbols;
}

/* Returns the number of requests that were answered. */
static size_t answers_receive(struct symbols_reader *reader, const struct symbol_child *child,
			      struct symbols_request *requests, size_t nr_requests)
{
	int64_t deadline_ns = time_now_ns(CLOCK_MONOTONIC) + ANSWER_MS * INT64_C(1000000);
	char first;
	size_t i = 0;

	if (!bytes_receive(child, &first, 1, deadline_ns))
		return 0;
	reader->lacks_seccomp = first != SYMBOLS_ARE_SAFE;
	while (i < nr_requests && answer_receive(child, &requests[i], reader->is_swapped))
		i++;
	return i;
}

/* Returns the number of requests that were processed. */
static size_t requests_read(struct symbols_reader *reader, struct symbols_request *requests,
			    size_t nr_requests)
{
	struct symbol_child child;
	size_t nr_answers = 0;

	if (child_start(&child, reader->is_trusted, requests, nr_requests)) {
		nr_answers = answers_receive(reader, &child, requests, nr_requests);
		child_end(&child);
	}
	if (nr_answers == nr_requests)
		return nr_requests;
	requests[nr_answers].has_failed = true;
	reader->nr_crashes++;
	return nr_answers + 1;
}

static bool reader_continues(const struct symbols_reader *reader)
{
	return reader->nr_crashes < SYMBOLS_CRASHES_MAX &&
	       (reader->is_trusted || !reader->lacks_seccomp);
}

void symbols_read(struct symbols_reader *reader, struct symbols_request *requests,
		  size_t nr_requests)
{
	while (nr_requests > 0 && reader_continues(reader)) {
		size_t count = nr_requests < CHILD_REQUESTS ? nr_requests : CHILD_REQUESTS;
		size_t nr_done = requests_read(reader, requests, count);

		requests += nr_done;
		nr_requests -= nr_done;
	}
	for (size_t i = 0; i < nr_requests; i++)
		requests[i].has_failed = true;
}

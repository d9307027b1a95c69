// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of libtrace2's sessions: when lines leave, what a failure does, and what session ids look
 * like.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

/* The largest queue of a session before a block is written, and space for one more line. */
#define BLOCK_LIMIT (300 * 1024)

static struct trace2_session *session_new(enum trace2_flush flush)
{
	struct trace2_settings settings = { .sid = "S", .decimals = 6, .flush = flush };

	return trace2_session_new(&settings);
}

static int write_exit(struct trace2_session *session, int code)
{
	struct trace2_event event = { .kind = TRACE2_EXIT, .exit.code = code };

	return trace2_session_write(session, &event);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

TEST(a_session_needs_settings_and_a_sid)
{
	errno = 0;
	CHECK(!trace2_session_new(NULL) && errno == EINVAL);
	errno = 0;
	CHECK(!trace2_session_new(&(struct trace2_settings){ .decimals = 9, .sid = NULL }) && errno == EINVAL);
}

TEST(a_line_leaves_with_one_write_of_its_own)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_LINES);
	char line[512];
	int pair[2];

	/* A socket that keeps the bounds of writes. */
	CHECK_NUMBER(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, pair[0], "socket"), 0);
	for (int code = 1; code <= 3; code++) {
		ssize_t size;

		CHECK_NUMBER(write_exit(session, code), 0);
		size = recv(pair[1], line, sizeof(line), 0);
		CHECK(size > 0 && memchr(line, '\n', size) == line + size - 1 &&
		      line[size - 3] == '0' + code);
		CHECK(recv(pair[1], line, sizeof(line), 0) < 0 && errno == EAGAIN);
	}
	trace2_session_free(session);
	close(pair[1]);
}

TEST(in_blocks_lines_wait_for_a_flush)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_BLOCKS);
	SCOPED(capture) capture;

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, capture_init(&capture), "catch"), 0);
	CHECK_NUMBER(write_exit(session, 1), 0);
	CHECK_NUMBER(write_exit(session, 2), 0);
	CHECK_TEXT(capture_text(&capture), "");
	CHECK_NUMBER(trace2_session_flush(session), 0);
	CHECK(strstr(capture_text(&capture), "\"code\":1}\n{") &&
	      strstr(capture_text(&capture), "\"code\":2}\n"));
	CHECK_NUMBER(trace2_session_flush(session), 0);
	CHECK_TEXT(strstr(capture_text(&capture), "2}\n"), "2}\n");
	trace2_session_free(session);
}

TEST(a_full_block_leaves_by_itself_and_holds_whole_lines)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_BLOCKS);
	SCOPED(capture) capture;
	int nr_written = 0;

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, capture_init(&capture), "catch"), 0);
	while (lseek(capture.fd, 0, SEEK_END) == 0 && nr_written < BLOCK_LIMIT)
		CHECK_NUMBER(write_exit(session, nr_written++), 0);
	capture_text(&capture);
	if (CHECK(capture.text.size > BLOCK_LIMIT / 2 && capture.text.size < BLOCK_LIMIT))
		CHECK(capture.text.data[capture.text.size - 1] == '\n');
	trace2_session_free(session);
}

TEST(what_was_not_flushed_is_lost_with_the_session)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_BLOCKS);
	SCOPED(capture) capture;
	int fd = capture_init(&capture);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, fd, "catch"), 0);
	CHECK_NUMBER(write_exit(session, 1), 0);
	CHECK(is_open(fd));
	trace2_session_free(session);
	CHECK(!is_open(fd));
	CHECK_TEXT(capture_text(&capture), "");
}

TEST(a_session_without_a_target_writes_nothing_and_does_not_fail)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_LINES);

	CHECK_NUMBER(write_exit(session, 1), 0);
	CHECK_NUMBER(trace2_session_flush(session), 0);
	CHECK_TEXT(trace2_session_error(session), "");
	CHECK_TEXT(trace2_session_sid(session), "S");
	trace2_session_free(session);
}

TEST(a_second_target_takes_the_place_of_the_first)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_LINES);
	struct capture first, second;
	int first_fd = capture_init(&first);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, first_fd, "first"), 0);
	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, capture_init(&second), "second"), 0);
	CHECK(!is_open(first_fd));
	CHECK_NUMBER(write_exit(session, 1), 0);
	CHECK_TEXT(capture_text(&first), "");
	CHECK(strstr(capture_text(&second), "\"code\":1}\n") != NULL);
	trace2_session_free(session);
	capture_release(&first);
	capture_release(&second);
}

static void check_failure(struct trace2_session *session, const char *want)
{
	CHECK_NUMBER(write_exit(session, 1), -1);
	CHECK_TEXT(trace2_session_error(session), want);
	CHECK_NUMBER(write_exit(session, 2), -1);
	CHECK_NUMBER(trace2_session_flush(session), -1);
	CHECK_TEXT(trace2_session_error(session), want);
}

TEST(a_full_disk_is_reported_with_a_remedy)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_LINES);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT,
					open("/dev/full", O_WRONLY | O_CLOEXEC), "out.event"),
		     0);
	check_failure(session,
		      "cannot write to out.event: No space left on device; free some space, or "
		      "write elsewhere");
	trace2_session_free(session);
}

TEST(in_blocks_a_full_disk_is_reported_at_the_flush)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_BLOCKS);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT,
					open("/dev/full", O_WRONLY | O_CLOEXEC), "out.event"),
		     0);
	CHECK_NUMBER(write_exit(session, 1), 0);
	CHECK_NUMBER(trace2_session_flush(session), -1);
	check_failure(session,
		      "cannot write to out.event: No space left on device; free some space, or "
		      "write elsewhere");
	trace2_session_free(session);
}

TEST(in_blocks_no_region_is_taken_after_a_failure)
{
	struct trace2_settings settings = { .sid = "S",
					    .flush = TRACE2_FLUSH_BLOCKS,
					    .has_valid_json = true };
	struct trace2_session *session = trace2_session_new(&settings);
	struct trace2_thread *thread = trace2_thread_new(session,
							 (struct trace2_string){ "th01:a", 6 });
	struct trace2_text *category = trace2_text_new((struct trace2_string){ "c", 1 });
	struct trace2_text *label = trace2_label_new(category, (struct trace2_string){ "l", 1 });
	struct trace2_event event = { .kind = TRACE2_REGION_ENTER, .thread = thread };

	event.region.nesting = 1;
	event.region.category = category;
	event.region.label = label;
	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT,
					open("/dev/full", O_WRONLY | O_CLOEXEC), "out.event"),
		     0);
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_NUMBER(trace2_session_flush(session), -1);
	CHECK_NUMBER(trace2_session_write(session, &event), -1);
	trace2_text_free(label);
	trace2_text_free(category);
	trace2_thread_free(thread);
	trace2_session_free(session);
}

TEST(a_reader_that_has_gone_is_reported)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_LINES);
	int pair[2];

	signal(SIGPIPE, SIG_IGN);
	CHECK_NUMBER(pipe(pair), 0);
	close(pair[0]);
	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, pair[1], "standard output"), 0);
	check_failure(session, "cannot write to standard output: Broken pipe; its reader has gone");
	trace2_session_free(session);
}

TEST(a_descriptor_that_cannot_be_written_is_reported)
{
	struct trace2_session *session = session_new(TRACE2_FLUSH_LINES);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT,
					open("/dev/null", O_RDONLY | O_CLOEXEC), "null"),
		     0);
	check_failure(session, "cannot write to null: Bad file descriptor");
	trace2_session_free(session);
}

static int give_up(void *context, int fd)
{
	CHECK(fd == *(const int *)context);
	errno = ECANCELED;
	return -1;
}

TEST(after_the_first_failure_nothing_is_written_even_where_it_could_be)
{
	struct trace2_settings settings = { .sid = "S", .wait = give_up };
	struct trace2_session *session;
	char sink[PIPE_BUF];
	int pair[2], nr_written = 0;

	CHECK_NUMBER(pipe2(pair, O_NONBLOCK), 0);
	settings.wait_context = &pair[1];
	session = trace2_session_new(&settings);
	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, pair[1], "pipe"), 0);
	while (write_exit(session, 7) == 0 && nr_written < 1000000)
		nr_written++;
	CHECK(nr_written > 10 && nr_written < 1000000);
	while (read(pair[0], sink, sizeof(sink)) > 0)
		;
	check_failure(session, "cannot write to pipe: nobody reads it");
	CHECK(read(pair[0], sink, sizeof(sink)) < 0 && errno == EAGAIN);
	trace2_session_free(session);
	close(pair[0]);
}

/* A pipe that blocks, opened by somebody else. */
TEST(a_descriptor_of_somebody_else_is_waited_for_too)
{
	struct trace2_settings settings = { .sid = "S", .wait = give_up };
	struct trace2_session *session;
	int pair[2], nr_written = 0;

	CHECK_NUMBER(pipe(pair), 0);
	CHECK_NUMBER(dup2(pair[1], 9), 9);
	settings.wait_context = &(int){ 9 };
	session = trace2_session_new(&settings);
	CHECK_NUMBER(trace2_session_open(session, TRACE2_EVENT, "9", "nine"), 1);
	while (write_exit(session, 7) == 0 && nr_written < 1000000)
		nr_written++;
	CHECK(nr_written > 10 && nr_written < 1000000);
	check_failure(session, "cannot write to nine: nobody reads it");
	trace2_session_free(session);
	close(9);
	close(pair[0]);
	close(pair[1]);
}

/* Stands in for the C library's. */
static const char *host_name;

int gethostname(char *name, size_t size)
{
	if (!host_name || strlen(host_name) >= size)
		return -1;
	strcpy(name, host_name);
	return 0;
}

static void check_sid(int64_t unix_ns, int pid, const char *want)
{
	char sid[TRACE2_SID_SIZE];

	trace2_sid_make(sid, unix_ns, pid);
	CHECK_TEXT(sid, want);
	CHECK_NUMBER(strlen(sid), strlen(want));
}

TEST(a_session_id_is_time_host_and_process)
{
	host_name = "build-machine";
	check_sid(INT64_C(1600000000123456789), 0x1234,
		  "20200913T122640.123456Z-H91dbbfb2-P00001234");
	check_sid(-1, INT32_MAX, "19691231T235959.999999Z-H91dbbfb2-P7fffffff");
	check_sid(INT64_MIN, 1, "16770921T001243.145224Z-H91dbbfb2-P00000001");
}

TEST(a_host_without_a_name_is_localhost)
{
	host_name = NULL;
	check_sid(0, 1, "19700101T000000.000000Z-Localhost-P00000001");
	host_name = "";
	check_sid(0, 1, "19700101T000000.000000Z-Localhost-P00000001");
}

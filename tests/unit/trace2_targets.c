// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of where libtrace2 writes to: the values of targets, as git reads them, and what happens
 * where they fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

#define PATH_SIZE 256
#define OWN "20200913T122640.000000Z-H12345678-P00000001"

/** struct scene - a folder, and what a session reported */
struct scene {
	char folder[PATH_SIZE];
	char path[PATH_SIZE];
	struct buffer reports;
	struct trace2_session *session;
};

static void scene_report(void *context, const char *message)
{
	struct scene *scene = context;

	buffer_append_string(&scene->reports, message);
	buffer_append_char(&scene->reports, '\n');
}

static struct trace2_settings settings_of(struct scene *scene)
{
	return (struct trace2_settings){
		.sid = "parent/" OWN,
		.is_brief = { true, true, true },
		.is_lenient = true,
		.reports_all = true,
		.report = scene_report,
		.report_context = scene,
	};
}

static void scene_init(struct scene *scene)
{
	*scene = (struct scene){ .folder = "/tmp/trace2-places-XXXXXX" };
	CHECK(mkdtemp(scene->folder));
}

static void scene_release(struct scene *scene)
{
	char command[PATH_SIZE + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", scene->folder);
	CHECK_NUMBER(system(command), 0);
	buffer_release(&scene->reports);
}

/* The path of something in the folder; lives until the next call. */
static const char *path_of(struct scene *scene, const char *name)
{
	CHECK(snprintf(scene->path, PATH_SIZE, "%s/%s", scene->folder, name) < PATH_SIZE);
	return scene->path;
}

static int version_write(struct trace2_session *session)
{
	struct trace2_event event = { .kind = TRACE2_VERSION, .version.exe = "1" };

	return trace2_session_write(session, &event);
}

/* Opens NORMAL at a value, writes one line and closes; returns what opening returned. */
static int line_send(struct scene *scene, const struct trace2_settings *settings, const char *value)
{
	struct trace2_session *session = trace2_session_new(settings);
	int result = trace2_session_open(session, TRACE2_NORMAL, value, "NAME");

	CHECK_NUMBER(trace2_session_has(session, TRACE2_NORMAL), result == 1);
	CHECK_NUMBER(version_write(session), 0);
	trace2_session_free(session);
	(void)scene;
	return result;
}

static void check_content(const char *path, const char *want)
{
	SCOPED_BUFFER(text);

	CHECK_NUMBER(file_read(path, &text), 0);
	CHECK_TEXT(buffer_string(&text), want);
}

static void check_reports(struct scene *scene, const char *want)
{
	CHECK_TEXT(buffer_string(&scene->reports), want);
	buffer_clear(&scene->reports);
}

TEST(values_that_say_nowhere)
{
	static const char *const values[] = { NULL, "", "0", "false", "False" };
	struct trace2_settings settings;
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CHECK_NUMBER(line_send(&scene, &settings, values[i]), 0);
	check_reports(&scene, "");
}

TEST(values_that_are_none_are_reported_even_where_little_is)
{
	static const char *const values[] = { "yes", "12", "./x", "x/y", "a", "-" };
	struct trace2_settings settings;
	SCOPED_BUFFER(want);
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	settings.reports_all = false;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		CHECK_NUMBER(line_send(&scene, &settings, values[i]), 0);
		buffer_printf(&want, "trace2: unknown value for 'NAME': '%s'\n", values[i]);
	}
	check_reports(&scene, buffer_string(&want));
}

TEST(a_digit_is_a_descriptor_that_stays_open)
{
	struct trace2_settings settings;
	int fd, saved = dup(9), saved_error = dup(2);
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	fd = open(path_of(&scene, "f"), O_WRONLY | O_CREAT, 0600);
	CHECK_NUMBER(dup2(fd, 9), 9);
	CHECK_NUMBER(line_send(&scene, &settings, "9"), 1);
	CHECK_NUMBER(fcntl(9, F_GETFD) >= 0, 1);
	dup2(fd, 2);
	CHECK_NUMBER(line_send(&scene, &settings, "1"), 1);
	CHECK_NUMBER(line_send(&scene, &settings, "TRUE"), 1);
	CHECK_NUMBER(line_send(&scene, &settings, "2"), 1);
	dup2(saved_error, 2);
	close(9);
	CHECK_NUMBER(line_send(&scene, &settings, "9"), 1);
	check_reports(&scene, "unable to write trace to 'NAME': Bad file descriptor\n");
	check_content(path_of(&scene, "f"), "version 1\nversion 1\nversion 1\nversion 1\n");
	if (saved >= 0)
		dup2(saved, 9);
	close(fd);
}

TEST(a_path_is_appended_to)
{
	struct trace2_settings settings;
	struct stat about;
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	settings.file_mode = 0600;
	CHECK_NUMBER(line_send(&scene, &settings, path_of(&scene, "f")), 1);
	CHECK_NUMBER(line_send(&scene, &settings, path_of(&scene, "f")), 1);
	check_content(path_of(&scene, "f"), "version 1\nversion 1\n");
	CHECK(stat(scene.path, &about) == 0 && (about.st_mode & 0777) == 0600);
	CHECK_NUMBER(line_send(&scene, &settings, "/nowhere/at/all"), 0);
	check_reports(&scene, "trace2: could not open '/nowhere/at/all' for 'NAME' tracing: No "
			      "such file or directory\n");
	settings.reports_all = false;
	CHECK_NUMBER(line_send(&scene, &settings, "/nowhere/at/all"), 0);
	check_reports(&scene, "");
}

TEST(a_folder_takes_ten_sessions_of_one_name)
{
	struct trace2_settings settings;
	SCOPED_BUFFER(want);
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	for (int i = 0; i < 10; i++)
		CHECK_NUMBER(line_send(&scene, &settings, scene.folder), 1);
	check_content(path_of(&scene, OWN), "version 1\n");
	check_content(path_of(&scene, OWN ".1"), "version 1\n");
	check_content(path_of(&scene, OWN ".9"), "version 1\n");
	CHECK_NUMBER(line_send(&scene, &settings, scene.folder), 0);
	buffer_printf(&want,
		      "trace2: could not open '%s/" OWN "' for 'NAME' tracing: File exists\n",
		      scene.folder);
	check_reports(&scene, buffer_string(&want));
	CHECK(access(path_of(&scene, OWN ".10"), F_OK) < 0);
}

TEST(a_session_whose_id_is_no_name_writes_no_file)
{
	static const char *const ids[] = { "..", "a/..", "a/.", "a/" };
	struct trace2_settings settings;
	FIXTURE(scene, scene);

	CHECK_NUMBER(mkdir(path_of(&scene, "inner"), 0700), 0);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		char want[2 * PATH_SIZE];

		settings = settings_of(&scene);
		settings.sid = ids[i];
		CHECK_NUMBER(line_send(&scene, &settings, path_of(&scene, "inner")), 0);
		snprintf(want, sizeof(want),
			 "trace2: session id '%s' is no name for a file in '%s/inner'\n", ids[i],
			 scene.folder);
		check_reports(&scene, want);
	}
	CHECK_NUMBER(rmdir(path_of(&scene, "inner")), 0);
	CHECK_NUMBER(rmdir(scene.folder), 0);
}

TEST(a_link_to_nothing_becomes_a_file)
{
	struct trace2_settings settings;
	char target[PATH_SIZE];
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	snprintf(target, sizeof(target), "%s", path_of(&scene, "target"));
	CHECK_NUMBER(symlink(target, path_of(&scene, "link")), 0);
	CHECK_NUMBER(line_send(&scene, &settings, path_of(&scene, "link")), 1);
	check_content(target, "version 1\n");
}

TEST(a_full_folder_gets_a_sentinel_and_then_nothing)
{
	struct trace2_settings settings;
	struct trace2_session *session;
	SCOPED_BUFFER(want);
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	settings.max_files = 3;
	CHECK_NUMBER(line_send(&scene, &settings, scene.folder), 1);
	session = trace2_session_new(&settings);
	CHECK_NUMBER(trace2_session_open(session, TRACE2_EVENT, scene.folder, "NAME"), 1);
	CHECK_NUMBER(version_write(session), 0);
	trace2_session_free(session);
	check_content(path_of(&scene, "git-trace2-discard"),
		      "{\"event\":\"version\",\"sid\":\"parent/" OWN "\",\"thread\":\"main\","
		      "\"time\":\"1970-01-01T00:00:00.000000Z\",\"evt\":\"4\",\"exe\":\"1\"}\n"
		      "{\"event\":\"too_many_files\",\"sid\":\"parent/" OWN
		      "\",\"thread\":\"main\"}\n");
	check_reports(&scene, "");
	CHECK_NUMBER(line_send(&scene, &settings, scene.folder), 0);
	buffer_printf(&want,
		      "trace2: not opening NAME trace file due to too many files in target "
		      "directory %s\n",
		      scene.folder);
	check_reports(&scene, buffer_string(&want));
}

static int listener_new(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);

	strcpy(address.sun_path, path);
	CHECK_NUMBER(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	if (type == SOCK_STREAM)
		CHECK_NUMBER(listen(fd, 4), 0);
	return fd;
}

static void check_received(int fd, const char *want)
{
	char text[128];
	ssize_t size = recv(fd, text, sizeof(text) - 1, 0);

	text[size < 0 ? 0 : size] = '\0';
	CHECK_TEXT(text, want);
}

TEST(a_stream_socket_is_found_with_and_without_its_type)
{
	struct trace2_settings settings;
	char value[PATH_SIZE + 32];
	int fd;
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	fd = listener_new(path_of(&scene, "s"), SOCK_STREAM);
	for (int i = 0; i < 2; i++) {
		int connection;

		snprintf(value, sizeof(value), "af_unix:%s%s", i ? "stream:" : "",
			 path_of(&scene, "s"));
		CHECK_NUMBER(line_send(&scene, &settings, value), 1);
		connection = accept(fd, NULL, NULL);
		check_received(connection, "version 1\n");
		check_received(connection, "");
		close(connection);
	}
	snprintf(value, sizeof(value), "af_unix:dgram:%s", path_of(&scene, "s"));
	CHECK_NUMBER(line_send(&scene, &settings, value), 0);
	CHECK(strstr(buffer_string(&scene.reports), "Protocol wrong type for socket\n"));
	close(fd);
}

TEST(a_datagram_holds_one_line_even_in_blocks)
{
	struct trace2_settings settings;
	struct trace2_session *session;
	char value[PATH_SIZE + 32];
	int fd;
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	settings.flush = TRACE2_FLUSH_BLOCKS;
	fd = listener_new(path_of(&scene, "s"), SOCK_DGRAM);
	for (int i = 0; i < 2; i++) {
		snprintf(value, sizeof(value), "af_unix:%s%s", i ? "dgram:" : "",
			 path_of(&scene, "s"));
		session = trace2_session_new(&settings);
		CHECK_NUMBER(trace2_session_open(session, TRACE2_NORMAL, value, "NAME"), 1);
		CHECK_NUMBER(version_write(session), 0);
		CHECK_NUMBER(version_write(session), 0);
		check_received(fd, "version 1\n");
		check_received(fd, "version 1\n");
		trace2_session_free(session);
	}
	close(fd);
}

TEST(sockets_that_cannot_be)
{
	struct trace2_settings settings;
	char value[200];
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	CHECK_NUMBER(line_send(&scene, &settings, "af_unix:"), 0);
	CHECK_NUMBER(line_send(&scene, &settings, "af_unix:stream:"), 0);
	CHECK_NUMBER(line_send(&scene, &settings, "af_unix:tcp:/x"), 0);
	CHECK_NUMBER(line_send(&scene, &settings, "af_unix:/nowhere"), 0);
	check_reports(&scene, "trace2: invalid AF_UNIX value 'af_unix:' for 'NAME' tracing\n"
			      "trace2: invalid AF_UNIX value 'af_unix:stream:' for 'NAME' tracing\n"
			      "trace2: invalid AF_UNIX path 'tcp:/x' for 'NAME' tracing\n"
			      "trace2: could not connect to socket '/nowhere' for 'NAME' tracing: "
			      "No such file or directory\n");
	memset(value, 'x', sizeof(value));
	memcpy(value, "af_unix:/", 9);
	value[8 + 108] = '\0';
	CHECK_NUMBER(line_send(&scene, &settings, value), 0);
	CHECK(strncmp(buffer_string(&scene.reports), "trace2: invalid AF_UNIX path '/xxx", 34) ==
	      0);
}

TEST(a_reader_that_has_gone_turns_a_target_off_and_kills_nobody)
{
	struct trace2_settings settings;
	struct trace2_session *session;
	sigset_t pending;
	int pair[2];
	FIXTURE(scene, scene);

	settings = settings_of(&scene);
	signal(SIGPIPE, SIG_DFL);
	CHECK_NUMBER(pipe(pair), 0);
	close(pair[0]);
	session = trace2_session_new(&settings);
	trace2_session_add(session, TRACE2_PERF, pair[1], "perf");
	CHECK_NUMBER(trace2_session_open(session, TRACE2_NORMAL, path_of(&scene, "f"), "normal"),
		     1);
	CHECK_NUMBER(version_write(session), 0);
	CHECK_NUMBER(version_write(session), 0);
	check_reports(&scene, "unable to write trace to 'perf': Broken pipe\n");
	CHECK(!trace2_session_has(session, TRACE2_PERF) &&
	      trace2_session_has(session, TRACE2_NORMAL));
	check_content(scene.path, "version 1\nversion 1\n");
	CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGPIPE));
	trace2_session_free(session);
}

TEST(a_strict_session_says_why_it_cannot_open)
{
	struct trace2_settings settings = { .sid = "S" };
	struct trace2_session *session = trace2_session_new(&settings);

	CHECK_NUMBER(trace2_session_open(session, TRACE2_EVENT, "yes", "--event"), -1);
	CHECK_TEXT(trace2_session_error(session), "trace2: unknown value for '--event': 'yes'");
	CHECK_NUMBER(version_write(session), -1);
	trace2_session_free(session);
}

/** struct receiver - keeps the lines, or fails with the number */
struct receiver {
	struct buffer lines;
	int number;
};

static int receiver_write(void *context, const char *lines, size_t size)
{
	struct receiver *receiver = context;

	buffer_append(&receiver->lines, lines, size);
	errno = receiver->number;
	return receiver->number ? -1 : 0;
}

static struct trace2_session *received_session(struct receiver *receiver, int fd)
{
	const struct trace2_settings settings = { .sid = OWN,
						  .is_brief = { true, true, true },
						  .write = receiver_write,
						  .write_context = receiver };
	struct trace2_session *session = trace2_session_new(&settings);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_NORMAL, fd, "x"), 0);
	return session;
}

TEST(a_caller_can_write_the_lines_itself)
{
	struct receiver receiver = { 0 };
	int ends[2];
	struct trace2_session *session;

	CHECK_NUMBER(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	session = received_session(&receiver, ends[1]);
	CHECK_NUMBER(version_write(session), 0);
	CHECK_TEXT(buffer_string(&receiver.lines), "version 1\n");
	receiver.number = ENOSPC;
	CHECK_NUMBER(version_write(session), -1);
	CHECK(strstr(trace2_session_error(session), "cannot write to x: No space left on device"));
	/* Nothing goes to the descriptor. */
	CHECK_NUMBER(read(ends[0], &ends, 1), -1);
	trace2_session_free(session);
	close(ends[0]);
	buffer_release(&receiver.lines);
}

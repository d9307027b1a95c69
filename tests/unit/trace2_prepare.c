// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what libtrace2 makes of events that lack something, and of JSON it did not make. */
#include <errno.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

/* A session with all its targets in one file. */
static struct trace2_session *session_new(struct trace2_settings settings, struct capture *capture)
{
	struct trace2_session *session;
	int fd = capture_init(capture);

	settings.sid = "S";
	settings.max_nesting = TRACE2_NESTING_ALL;
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		settings.is_brief[i] = true;
	session = trace2_session_new(&settings);
	trace2_session_add(session, TRACE2_NORMAL, dup(fd), "normal");
	trace2_session_add(session, TRACE2_PERF, dup(fd), "perf");
	trace2_session_add(session, TRACE2_EVENT, fd, "event");
	return session;
}

static size_t lines_count(const char *text)
{
	size_t nr_lines = 0;

	while ((text = strchr(text, '\n'))) {
		nr_lines++;
		text++;
	}
	return nr_lines;
}

TEST(an_event_of_any_kind_may_have_nothing_in_it)
{
	for (int kind = 0; kind < TRACE2_KIND_COUNT; kind++) {
		struct trace2_event event = { .kind = kind };
		struct trace2_settings settings = { 0 };
		struct trace2_session *session;
		struct capture capture;

		session = session_new(settings, &capture);
		CHECK_NUMBER(trace2_session_write(session, &event), 0);
		CHECK(lines_count(capture_text(&capture)) >= 1);
		CHECK(!strstr(capture_text(&capture), "(null)"));
		trace2_session_free(session);
		capture_release(&capture);
	}
}

/* What EVENT says behind the thread. */
static void check_event(const struct trace2_event *event, bool has_valid_json, const char *want)
{
	struct trace2_settings settings = { .has_valid_json = has_valid_json };
	SCOPED(capture) capture;
	struct trace2_session *session = session_new(settings, &capture);
	const char *text, *line;

	CHECK_NUMBER(trace2_session_write(session, event), 0);
	text = capture_text(&capture);
	line = strstr(text, "\"thread\":\"main\"");
	CHECK_TEXT(line ? line + strlen("\"thread\":\"main\"") : text, want);
	trace2_session_free(session);
}

static struct trace2_string bytes_of(const char *text)
{
	return (struct trace2_string){ .data = text, .size = strlen(text) };
}

TEST(what_is_missing_is_empty)
{
	struct trace2_repository nowhere = { .id = 3 };

	check_event(&(struct trace2_event){ .kind = TRACE2_ALIAS }, false,
		    ",\"alias\":\"\",\"argv\":[]}\n");
	check_event(&(struct trace2_event){ .kind = TRACE2_COUNTER }, false,
		    ",\"category\":\"\",\"name\":\"\",\"count\":0}\n");
	check_event(&(struct trace2_event){ .kind = TRACE2_DEF_REPO, .repository = &nowhere },
		    false, ",\"repo\":3,\"worktree\":\"\"}\n");
	check_event(
		&(struct trace2_event){ .kind = TRACE2_DATA_JSON, .data = { .nesting = 1 } }, false,
		",\"t_abs\":0.000000,\"t_rel\":0.000000,\"nesting\":1,\"category\":\"\",\"key\":"
		"\"\",\"value\":\"\"}\n");
}

TEST(additional_members_are_members_on_one_line)
{
	struct trace2_event event = { .kind = TRACE2_CMD_MODE, .cmd_mode = { "m" } };

	event.more = bytes_of("\"a\" : 1,\n\"b\":[ ]");
	check_event(&event, false, ",\"name\":\"m\",\"a\":1,\"b\":[]}\n");
	event.more = bytes_of("\"a\":1}\n{");
	check_event(&event, false, ",\"name\":\"m\",\"more\":\"\\\"a\\\":1}\\n{\"}\n");
	event.more = bytes_of(" ");
	check_event(&event, false, ",\"name\":\"m\"}\n");
	event.more = bytes_of("\"a\" : 1");
	check_event(&event, true, ",\"name\":\"m\",\"a\" : 1}\n");
}

TEST(people_see_the_same_value)
{
	struct trace2_event event = { .kind = TRACE2_DATA_JSON };
	struct trace2_settings settings = { 0 };
	SCOPED(capture) capture;
	struct trace2_session *session = session_new(settings, &capture);

	event.data.value = bytes_of("{ \"a\" :\n1 }");
	trace2_session_write(session, &event);
	CHECK(strstr(capture_text(&capture), " | :{\"a\":1}\n"));
	trace2_session_free(session);
}

TEST(a_kind_that_is_none_is_a_failure)
{
	struct trace2_event event = { .kind = TRACE2_KIND_COUNT };
	struct trace2_settings settings = { 0 };
	SCOPED(capture) capture;
	struct trace2_session *session = session_new(settings, &capture);

	CHECK_NUMBER(trace2_session_write(session, &event), -1);
	CHECK_TEXT(trace2_session_error(session), "30 is no kind of event");
	CHECK_TEXT(capture_text(&capture), "");
	trace2_session_free(session);
}

TEST(there_is_no_session_without_an_id)
{
	struct trace2_settings settings = { 0 };

	errno = 0;
	CHECK(!trace2_session_new(&settings));
	CHECK_NUMBER(errno, EINVAL);
}

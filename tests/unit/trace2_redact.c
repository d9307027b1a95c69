// SPDX-License-Identifier: GPL-2.0-only
/* Tests of passwords in URLs: hidden where git hides them, and nowhere else. */
#include <stdlib.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

static void check_line(const struct trace2_event *event, bool keeps_passwords, const char *want)
{
	struct trace2_settings settings = { .sid = "S",
					    .is_brief = { true },
					    .keeps_passwords = keeps_passwords };
	struct trace2_session *session = trace2_session_new(&settings);
	SCOPED(capture) capture;

	CHECK_NUMBER(trace2_session_add(session, TRACE2_NORMAL, capture_init(&capture), "catch"),
		     0);
	CHECK_NUMBER(trace2_session_write(session, event), 0);
	CHECK_TEXT(capture_text(&capture), want);
	trace2_session_free(session);
}

static void check_value(const char *value, const char *want)
{
	struct trace2_event event = { .kind = TRACE2_DEF_PARAM, .def_param = { "s", "p", value } };
	SCOPED_BUFFER(line);

	buffer_printf(&line, "def_param scope:s p=%s\n", want);
	check_line(&event, false, buffer_string(&line));
}

TEST(a_password_before_a_host_is_hidden)
{
	check_value("https://u:p@h/x", "https://u:<REDACTED>@h/x");
	check_value("http://u:p:q@h", "http://u:<REDACTED>@h");
	check_value("https://:p@h", "https://:<REDACTED>@h");
	check_value("https://u:@h", "https://u:<REDACTED>@h");
}

TEST(what_is_no_password_stays)
{
	check_value("https://u@h/x", "https://u@h/x");
	check_value("https://h:80/x@y", "https://h:80/x@y");
	check_value("ssh://u:p@h", "ssh://u:p@h");
	check_value("xhttps://u:p@h", "xhttps://u:p@h");
	check_value("HTTPS://u:p@h", "HTTPS://u:p@h");
	check_value("https://", "https://");
	check_value("", "");
}

TEST(words_of_command_lines_are_searched_and_an_alias_is_not)
{
	char *words[] = { "clone", "https://u:p@h", "x", "http://a:b@c", NULL };
	struct trace2_event event = { .kind = TRACE2_START, .start.argv = words };

	check_line(&event, false,
		   "start clone 'https://u:<REDACTED>@h' x 'http://a:<REDACTED>@c'\n");
	check_line(&event, true, "start clone https://u:p@h x http://a:b@c\n");
	event = (struct trace2_event){ .kind = TRACE2_CHILD_START, .child_start.argv = words };
	check_line(&event, false,
		   "child_start[0] clone 'https://u:<REDACTED>@h' x 'http://a:<REDACTED>@c'\n");
	event = (struct trace2_event){ .kind = TRACE2_EXEC, .exec.argv = words };
	check_line(&event, false,
		   "exec[0] clone 'https://u:<REDACTED>@h' x 'http://a:<REDACTED>@c'\n");
	event = (struct trace2_event){ .kind = TRACE2_ALIAS, .alias = { "k", words } };
	check_line(&event, false, "alias k -> clone https://u:p@h x http://a:b@c\n");
	CHECK_TEXT(words[1], "https://u:p@h");
}

TEST(a_parameter_without_a_value_has_no_password)
{
	struct trace2_event event = { .kind = TRACE2_DEF_PARAM, .def_param = { "s", "p", NULL } };

	check_line(&event, false, "def_param scope:s p\n");
}

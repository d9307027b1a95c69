// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of libtrace2's EVENT lines, byte by byte: what git writes, and the keys that a session may
 * add.
 */
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

#define START_NS (INT64_C(1600000000) * 1000000000)

/* Every event of these tests happens at this time, whose last digits git cuts away. */
#define TIME_NS INT64_C(1234567891)
#define TIMESTAMP "2020-09-13T12:26:41.234567Z"
#define T_ABS ",\"t_abs\":1.234567"
#define MORE_T_ABS ",\"t_abs\":1.234567891"

#define HEAD_ON(event, thread)                                                                   \
	"{\"event\":\"" event "\",\"sid\":\"S\",\"thread\":\"" thread "\",\"time\":\"" TIMESTAMP \
	"\""
#define HEAD(event) HEAD_ON(event, "main")
#define THREAD "th01:reader"
#define THREAD_HEAD(event) HEAD_ON(event, THREAD)

static struct trace2_string bytes_of(const char *string)
{
	return (struct trace2_string){ .data = string, .size = strlen(string) };
}

/* Writes @event, of the main thread if @name is NULL, and compares the line that it becomes. */
static void check_line(struct trace2_event event, const char *name, unsigned int decimals,
		       const char *want)
{
	struct trace2_settings settings = {
		.sid = "S",
		.start_unix_ns = START_NS,
		.decimals = decimals,
		.has_more_t_abs = decimals == 9,
		.max_nesting = TRACE2_NESTING_ALL,
	};
	struct trace2_session *session = trace2_session_new(&settings);
	struct trace2_thread *thread = NULL;
	SCOPED(capture) capture;

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, capture_init(&capture), "catch"), 0);
	if (name)
		thread = trace2_thread_new(session, bytes_of(name));
	event.thread = thread;
	event.time_ns = TIME_NS;
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_TEXT(capture_text(&capture), want);
	trace2_thread_free(thread);
	trace2_session_free(session);
}

/* In a session that writes as git does, and in one that writes more. */
static void check_both(struct trace2_event event, const char *git, const char *more)
{
	check_line(event, NULL, 6, git);
	check_line(event, NULL, 9, more);
}

static void check_thread(struct trace2_event event, const char *git, const char *more)
{
	check_line(event, THREAD, 6, git);
	check_line(event, THREAD, 9, more);
}

/* A line that has no time but that of all lines. */
static void check_untimed(struct trace2_event event, const char *want)
{
	check_both(event, want, want);
}

static char *const arguments[] = { (char *)"ktrack", (char *)"a \"b\"", (char *)"", NULL };
#define ARGUMENTS "[\"ktrack\",\"a \\\"b\\\"\",\"\"]"

TEST(version)
{
	check_untimed((struct trace2_event){ TRACE2_VERSION, .version.exe = "2.55.0" },
		      HEAD("version") ",\"evt\":\"4\",\"exe\":\"2.55.0\"}\n");
}

TEST(start)
{
	check_both((struct trace2_event){ TRACE2_START, .start.argv = arguments },
		   HEAD("start") T_ABS ",\"argv\":" ARGUMENTS "}\n",
		   HEAD("start") MORE_T_ABS ",\"argv\":" ARGUMENTS "}\n");
}

TEST(exit_and_atexit)
{
	check_both((struct trace2_event){ TRACE2_EXIT, .exit.code = -1 },
		   HEAD("exit") T_ABS ",\"code\":-1}\n", HEAD("exit") MORE_T_ABS ",\"code\":-1}\n");
	check_both((struct trace2_event){ TRACE2_ATEXIT, .exit.code = -1 },
		   HEAD("atexit") T_ABS ",\"code\":-1}\n",
		   HEAD("atexit") MORE_T_ABS ",\"code\":-1}\n");
}

TEST(error_without_a_text_has_neither_msg_nor_fmt)
{
	check_both((struct trace2_event){ TRACE2_ERROR, .error = { bytes_of("no x"), "no %s" } },
		   HEAD("error") ",\"msg\":\"no x\",\"fmt\":\"no %s\"}\n",
		   HEAD("error") ",\"msg\":\"no x\",\"fmt\":\"no %s\"" MORE_T_ABS "}\n");
	check_both((struct trace2_event){ TRACE2_ERROR, .error = { bytes_of(""), "" } },
		   HEAD("error") "}\n", HEAD("error") MORE_T_ABS "}\n");
}

TEST(cmd_name_and_cmd_mode)
{
	check_untimed(
		(struct trace2_event){ TRACE2_CMD_NAME, .cmd_name = { "stream", "git/stream" } },
		HEAD("cmd_name") ",\"name\":\"stream\",\"hierarchy\":\"git/stream\"}\n");
	check_untimed((struct trace2_event){ TRACE2_CMD_NAME, .cmd_name.name = "stream" },
		      HEAD("cmd_name") ",\"name\":\"stream\"}\n");
	check_untimed((struct trace2_event){ TRACE2_CMD_MODE, .cmd_mode.name = "streaming" },
		      HEAD("cmd_mode") ",\"name\":\"streaming\"}\n");
}

TEST(child_start_and_child_exit)
{
	static char *const nothing[] = { NULL };
	struct trace2_event event = { TRACE2_CHILD_START,
				      .child_start = { .id = 3, .child_class = "?" } };

	event.child_start.argv = arguments;
	check_untimed(event, HEAD("child_start") ",\"child_id\":3,\"child_class\":\"?\","
						 "\"use_shell\":false,\"argv\":" ARGUMENTS "}\n");
	event.child_start.argv = nothing;
	event.child_start.use_shell = true;
	check_untimed(event, HEAD("child_start") ",\"child_id\":3,\"child_class\":\"?\","
						 "\"use_shell\":true,\"argv\":[]}\n");
	event = (struct trace2_event){ TRACE2_CHILD_EXIT, .child_exit = { 3, 4711, 130, 1999 } };
	check_both(event,
		   HEAD("child_exit") ",\"child_id\":3,\"pid\":4711,\"code\":130,\"t_rel\":0."
				      "000001}\n",
		   HEAD("child_exit") ",\"child_id\":3,\"pid\":4711,\"code\":130,"
				      "\"t_rel\":0.000001999}\n");
}

TEST(thread_start_and_thread_exit)
{
	check_thread((struct trace2_event){ TRACE2_THREAD_START },
		     THREAD_HEAD("thread_start") "}\n",
		     THREAD_HEAD("thread_start") MORE_T_ABS "}\n");
	check_thread((struct trace2_event){ TRACE2_THREAD_EXIT, .thread_exit.t_rel_ns = 1000000 },
		     THREAD_HEAD("thread_exit") ",\"t_rel\":0.001000}\n",
		     THREAD_HEAD("thread_exit") ",\"t_rel\":0.001000000" MORE_T_ABS "}\n");
}

TEST(def_param_with_and_without_a_value)
{
	check_untimed((struct trace2_event){ TRACE2_DEF_PARAM,
					     .def_param = { "command", "clock", "boot" } },
		      HEAD("def_param") ",\"scope\":\"command\",\"param\":\"clock\","
					"\"value\":\"boot\"}\n");
	check_untimed((struct trace2_event){ TRACE2_DEF_PARAM,
					     .def_param = { "command", "clock", NULL } },
		      HEAD("def_param") ",\"scope\":\"command\",\"param\":\"clock\"}\n");
}

/* The category "cat" and this name, and how lines have them. */
#define NAME "n\"1"
#define CATEGORY_AND(key) ",\"category\":\"cat\",\"" key "\":\"n\\\"1\""

TEST(regions)
{
	struct trace2_text *category = trace2_text_new(bytes_of("cat"));
	struct trace2_text *label = trace2_text_new(bytes_of(NAME));
	struct trace2_event event = { TRACE2_REGION_ENTER,
				      .region = { 2, 99, category, label, bytes_of("bytes=1") } };

#define REGION ",\"nesting\":2" CATEGORY_AND("label") ",\"msg\":\"bytes=1\""
	check_thread(event, THREAD_HEAD("region_enter") REGION "}\n",
		     THREAD_HEAD("region_enter") REGION MORE_T_ABS "}\n");
	event.kind = TRACE2_REGION_LEAVE;
	event.region.t_rel_ns = 12345;
	check_thread(event, THREAD_HEAD("region_leave") ",\"t_rel\":0.000012" REGION "}\n",
		     THREAD_HEAD("region_leave") ",\"t_rel\":0.000012345" REGION MORE_T_ABS "}\n");
	check_both((struct trace2_event){ TRACE2_REGION_ENTER, .region.nesting = 1 },
		   HEAD("region_enter") ",\"nesting\":1}\n",
		   HEAD("region_enter") ",\"nesting\":1" MORE_T_ABS "}\n");
	trace2_text_free(category);
	trace2_text_free(label);
}

TEST(data_is_a_string_and_data_json_is_json)
{
	struct trace2_text *category = trace2_text_new(bytes_of("cat"));
	struct trace2_text *key = trace2_text_new(bytes_of(NAME));
	struct trace2_event event = { TRACE2_DATA,
				      .data = { 3, 1001, category, key, bytes_of("-7\n") } };

#define DATA ",\"nesting\":3" CATEGORY_AND("key") ",\"value\":"
	check_thread(event, THREAD_HEAD("data") T_ABS ",\"t_rel\":0.000001" DATA "\"-7\\n\"}\n",
		     THREAD_HEAD("data") MORE_T_ABS ",\"t_rel\":0.000001001" DATA "\"-7\\n\"}\n");
	event.kind = TRACE2_DATA_JSON;
	event.data.value = bytes_of("{\"a\":[1,null]}");
	check_thread(event,
		     THREAD_HEAD("data_json") T_ABS ",\"t_rel\":0.000001" DATA
						    "{\"a\":[1,null]}}\n",
		     THREAD_HEAD("data_json") MORE_T_ABS ",\"t_rel\":0.000001001" DATA
							 "{\"a\":[1,null]}}\n");
	trace2_text_free(category);
	trace2_text_free(key);
}

TEST(timers_and_counters)
{
	struct trace2_text *category = trace2_text_new(bytes_of("cat"));
	struct trace2_text *name = trace2_text_new(bytes_of(NAME));
	struct trace2_event event = { TRACE2_TIMER, .timer = { category, name, 5000000000,
							       INT64_MAX, 0, 1999999999 } };

#define TIMER CATEGORY_AND("name") ",\"intervals\":5000000000"
#define TIMES ",\"t_total\":9223372036.854775,\"t_min\":0.000000,\"t_max\":2.000000}\n"
#define MORE_TIMES \
	",\"t_total\":9223372036.854775807,\"t_min\":0.000000000,\"t_max\":1.999999999}\n"
	check_both(event, HEAD("timer") TIMER TIMES, HEAD("timer") TIMER MORE_TIMES);
	event.kind = TRACE2_TH_TIMER;
	check_thread(event, THREAD_HEAD("th_timer") TIMER TIMES,
		     THREAD_HEAD("th_timer") TIMER MORE_TIMES);
	check_untimed(
		(struct trace2_event){ TRACE2_COUNTER, .counter = { category, name, INT64_MAX } },
		HEAD("counter") CATEGORY_AND("name") ",\"count\":9223372036854775807}\n");
	trace2_text_free(category);
	trace2_text_free(name);
}

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

#define HEAD_ON(event, thread)                                                                   \
	"{\"event\":\"" event "\",\"sid\":\"S\",\"thread\":\"" thread "\",\"time\":\"" TIMESTAMP \
	"\""
#define HEAD(event) HEAD_ON(event, "main")

static struct trace2_string bytes_of(const char *string)
{
	return (struct trace2_string){ .data = string, .size = strlen(string) };
}

/** struct spool_fixture - a session, and the texts and the thread that its events need */
struct spool_fixture {
	struct capture capture;
	struct trace2_session *session;
	struct trace2_thread *thread;
	struct trace2_text *category;
	struct trace2_text *name;
};

static void spool_fixture_init(struct spool_fixture *fixture, unsigned int decimals,
			       bool has_more_t_abs)
{
	struct trace2_settings settings = {
		.sid = "S",
		.start_unix_ns = START_NS,
		.decimals = decimals,
		.has_more_t_abs = has_more_t_abs,
		.max_nesting = TRACE2_NESTING_ALL,
	};

	fixture->session = trace2_session_new(&settings);
	CHECK_NUMBER(trace2_session_add(fixture->session, TRACE2_EVENT,
					capture_init(&fixture->capture), "catch"),
		     0);
	fixture->thread = trace2_thread_new(fixture->session, bytes_of("th01:reader"));
	fixture->category = trace2_text_new(bytes_of("cat"));
	fixture->name = trace2_text_new(bytes_of("n\"1"));
}

static void spool_fixture_release(struct spool_fixture *fixture)
{
	trace2_text_free(fixture->category);
	trace2_text_free(fixture->name);
	trace2_thread_free(fixture->thread);
	trace2_session_free(fixture->session);
	capture_release(&fixture->capture);
}

static struct trace2_event event_of(enum trace2_kind kind)
{
	return (struct trace2_event){ .kind = kind, .time_ns = TIME_NS };
}

/* Writes @event and compares the line that it becomes. */
static void check_line(struct spool_fixture *fixture, const struct trace2_event *event,
		       const char *want)
{
	CHECK_NUMBER(trace2_session_write(fixture->session, event), 0);
	CHECK_TEXT(capture_text(&fixture->capture), want);
	CHECK_NUMBER(ftruncate(fixture->capture.fd, 0), 0);
	lseek(fixture->capture.fd, 0, SEEK_SET);
}

/* The same on the fixture that writes as git does, and on one that writes more. */
static void check_both(struct trace2_event (*make)(const struct spool_fixture *fixture),
		       const char *git, const char *more)
{
	struct spool_fixture fixture;
	struct trace2_event event;

	spool_fixture_init(&fixture, 6, false);
	event = make(&fixture);
	check_line(&fixture, &event, git);
	spool_fixture_release(&fixture);
	spool_fixture_init(&fixture, 9, true);
	event = make(&fixture);
	check_line(&fixture, &event, more);
	spool_fixture_release(&fixture);
}

static struct trace2_event make_version(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_VERSION);

	(void)fixture;
	event.version.exe = "2.55.0";
	return event;
}

TEST(version)
{
	static const char want[] = HEAD("version") ",\"evt\":\"4\",\"exe\":\"2.55.0\"}\n";

	check_both(make_version, want, want);
}

static char *const arguments[] = { (char *)"ktrack", (char *)"a \"b\"", (char *)"", NULL };

static struct trace2_event make_start(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_START);

	(void)fixture;
	event.start.argv = arguments;
	return event;
}

TEST(start)
{
	check_both(
		make_start,
		HEAD("start") ",\"t_abs\":1.234567,\"argv\":[\"ktrack\",\"a \\\"b\\\"\",\"\"]}\n",
		HEAD("start") ",\"t_abs\":1.234567891,\"argv\":[\"ktrack\",\"a "
			      "\\\"b\\\"\",\"\"]}\n");
}

static struct trace2_event make_exit(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_EXIT);

	(void)fixture;
	event.exit.code = -1;
	return event;
}

static struct trace2_event make_atexit(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_exit(fixture);

	event.kind = TRACE2_ATEXIT;
	return event;
}

TEST(exit_and_atexit)
{
	check_both(make_exit, HEAD("exit") ",\"t_abs\":1.234567,\"code\":-1}\n",
		   HEAD("exit") ",\"t_abs\":1.234567891,\"code\":-1}\n");
	check_both(make_atexit, HEAD("atexit") ",\"t_abs\":1.234567,\"code\":-1}\n",
		   HEAD("atexit") ",\"t_abs\":1.234567891,\"code\":-1}\n");
}

static struct trace2_event make_error(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_ERROR);

	(void)fixture;
	event.error.msg = bytes_of("no x");
	event.error.fmt = "no %s";
	return event;
}

static struct trace2_event make_empty_error(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_error(fixture);

	event.error.msg = bytes_of("");
	event.error.fmt = "";
	return event;
}

TEST(error_without_a_text_has_neither_msg_nor_fmt)
{
	check_both(make_error, HEAD("error") ",\"msg\":\"no x\",\"fmt\":\"no %s\"}\n",
		   HEAD("error") ",\"msg\":\"no x\",\"fmt\":\"no %s\",\"t_abs\":1.234567891}\n");
	check_both(make_empty_error, HEAD("error") "}\n",
		   HEAD("error") ",\"t_abs\":1.234567891}\n");
}

static struct trace2_event make_cmd_name(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_CMD_NAME);

	(void)fixture;
	event.cmd_name.name = "stream";
	event.cmd_name.hierarchy = "git/stream";
	return event;
}

static struct trace2_event make_cmd_name_alone(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_cmd_name(fixture);

	event.cmd_name.hierarchy = NULL;
	return event;
}

static struct trace2_event make_cmd_mode(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_CMD_MODE);

	(void)fixture;
	event.cmd_mode.name = "streaming";
	return event;
}

TEST(cmd_name_and_cmd_mode)
{
	static const char want[] =
		HEAD("cmd_name") ",\"name\":\"stream\",\"hierarchy\":\"git/stream\"}\n";
	static const char alone[] = HEAD("cmd_name") ",\"name\":\"stream\"}\n";
	static const char mode[] = HEAD("cmd_mode") ",\"name\":\"streaming\"}\n";

	check_both(make_cmd_name, want, want);
	check_both(make_cmd_name_alone, alone, alone);
	check_both(make_cmd_mode, mode, mode);
}

static struct trace2_event make_child_start(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_CHILD_START);

	(void)fixture;
	event.child_start.id = 3;
	event.child_start.child_class = "?";
	event.child_start.argv = arguments;
	return event;
}

static struct trace2_event make_shell_start(const struct spool_fixture *fixture)
{
	static char *const nothing[] = { NULL };
	struct trace2_event event = make_child_start(fixture);

	event.child_start.use_shell = true;
	event.child_start.argv = nothing;
	return event;
}

static struct trace2_event make_child_exit(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_CHILD_EXIT);

	(void)fixture;
	event.child_exit.id = 3;
	event.child_exit.pid = 4711;
	event.child_exit.code = 130;
	event.child_exit.t_rel_ns = 1999;
	return event;
}

TEST(child_start_and_child_exit)
{
	static const char start[] =
		HEAD("child_start") ",\"child_id\":3,\"child_class\":\"?\",\"use_shell\":false,"
				    "\"argv\":[\"ktrack\",\"a \\\"b\\\"\",\"\"]}\n";
	static const char shell[] =
		HEAD("child_start") ",\"child_id\":3,\"child_class\":\"?\",\"use_shell\":true,"
				    "\"argv\":[]}\n";

	check_both(make_child_start, start, start);
	check_both(make_shell_start, shell, shell);
	check_both(make_child_exit,
		   HEAD("child_exit") ",\"child_id\":3,\"pid\":4711,\"code\":130,\"t_rel\":0."
				      "000001}\n",
		   HEAD("child_exit") ",\"child_id\":3,\"pid\":4711,\"code\":130,\"t_rel\":0."
				      "000001999}\n");
}

static struct trace2_event make_thread_start(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_THREAD_START);

	event.thread = fixture->thread;
	return event;
}

static struct trace2_event make_thread_exit(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_thread_start(fixture);

	event.kind = TRACE2_THREAD_EXIT;
	event.thread_exit.t_rel_ns = 1000000;
	return event;
}

TEST(thread_start_and_thread_exit)
{
	check_both(make_thread_start, HEAD_ON("thread_start", "th01:reader") "}\n",
		   HEAD_ON("thread_start", "th01:reader") ",\"t_abs\":1.234567891}\n");
	check_both(make_thread_exit, HEAD_ON("thread_exit", "th01:reader") ",\"t_rel\":0.001000}\n",
		   HEAD_ON("thread_exit",
			   "th01:reader") ",\"t_rel\":0.001000000,\"t_abs\":1.234567891}\n");
}

static struct trace2_event make_def_param(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_DEF_PARAM);

	(void)fixture;
	event.def_param.scope = "command";
	event.def_param.param = "clock";
	event.def_param.value = "boot";
	return event;
}

static struct trace2_event make_valueless_param(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_def_param(fixture);

	event.def_param.value = NULL;
	return event;
}

TEST(def_param_with_and_without_a_value)
{
	static const char want[] = HEAD(
		"def_param") ",\"scope\":\"command\",\"param\":\"clock\",\"value\":\"boot\"}\n";
	static const char valueless[] =
		HEAD("def_param") ",\"scope\":\"command\",\"param\":\"clock\"}\n";

	check_both(make_def_param, want, want);
	check_both(make_valueless_param, valueless, valueless);
}

static struct trace2_event make_enter(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_REGION_ENTER);

	event.thread = fixture->thread;
	event.region.nesting = 2;
	event.region.t_rel_ns = 99;
	event.region.category = fixture->category;
	event.region.label = fixture->name;
	event.region.msg = bytes_of("bytes=1");
	return event;
}

static struct trace2_event make_leave(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_enter(fixture);

	event.kind = TRACE2_REGION_LEAVE;
	event.region.t_rel_ns = 12345;
	return event;
}

static struct trace2_event make_bare_enter(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_REGION_ENTER);

	(void)fixture;
	event.region.nesting = 1;
	return event;
}

TEST(regions)
{
	check_both(
		make_enter,
		HEAD_ON("region_enter",
			"th01:reader") ",\"nesting\":2,\"category\":\"cat\",\"label\":\"n\\\"1\","
				       "\"msg\":\"bytes=1\"}\n",
		HEAD_ON("region_enter",
			"th01:reader") ",\"nesting\":2,\"category\":\"cat\",\"label\":\"n\\\"1\","
				       "\"msg\":\"bytes=1\",\"t_abs\":1.234567891}\n");
	check_both(
		make_leave,
		HEAD_ON("region_leave",
			"th01:reader") ",\"t_rel\":0.000012,\"nesting\":2,\"category\":\"cat\","
				       "\"label\":\"n\\\"1\",\"msg\":\"bytes=1\"}\n",
		HEAD_ON("region_leave",
			"th01:reader") ",\"t_rel\":0.000012345,\"nesting\":2,\"category\":\"cat\","
				       "\"label\":\"n\\\"1\",\"msg\":\"bytes=1\","
				       "\"t_abs\":1.234567891}\n");
	check_both(make_bare_enter, HEAD("region_enter") ",\"nesting\":1}\n",
		   HEAD("region_enter") ",\"nesting\":1,\"t_abs\":1.234567891}\n");
}

static struct trace2_event make_data(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_DATA);

	event.thread = fixture->thread;
	event.data.nesting = 3;
	event.data.t_rel_ns = 1001;
	event.data.category = fixture->category;
	event.data.key = fixture->name;
	event.data.value = bytes_of("-7\n");
	return event;
}

static struct trace2_event make_data_json(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_data(fixture);

	event.kind = TRACE2_DATA_JSON;
	event.data.value = bytes_of("{\"a\":[1,null]}");
	return event;
}

TEST(data_is_a_string_and_data_json_is_json)
{
	check_both(
		make_data,
		HEAD_ON("data",
			"th01:reader") ",\"t_abs\":1.234567,\"t_rel\":0.000001,\"nesting\":3,"
				       "\"category\":\"cat\",\"key\":\"n\\\"1\",\"value\":\"-"
				       "7\\n\"}\n",
		HEAD_ON("data",
			"th01:reader") ",\"t_abs\":1.234567891,\"t_rel\":0.000001001,\"nesting\":3,"
				       "\"category\":\"cat\",\"key\":\"n\\\"1\",\"value\":\"-"
				       "7\\n\"}\n");
	check_both(
		make_data_json,
		HEAD_ON("data_json",
			"th01:reader") ",\"t_abs\":1.234567,\"t_rel\":0.000001,\"nesting\":3,"
				       "\"category\":\"cat\",\"key\":\"n\\\"1\","
				       "\"value\":{\"a\":[1,null]}}\n",
		HEAD_ON("data_json",
			"th01:reader") ",\"t_abs\":1.234567891,\"t_rel\":0.000001001,\"nesting\":3,"
				       "\"category\":\"cat\",\"key\":\"n\\\"1\","
				       "\"value\":{\"a\":[1,null]}}\n");
}

static struct trace2_event make_timer(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_TIMER);

	event.timer.category = fixture->category;
	event.timer.name = fixture->name;
	event.timer.intervals = 5000000000;
	event.timer.total_ns = INT64_MAX;
	event.timer.min_ns = 0;
	event.timer.max_ns = 1999999999;
	return event;
}

static struct trace2_event make_th_timer(const struct spool_fixture *fixture)
{
	struct trace2_event event = make_timer(fixture);

	event.kind = TRACE2_TH_TIMER;
	event.thread = fixture->thread;
	return event;
}

static struct trace2_event make_counter(const struct spool_fixture *fixture)
{
	struct trace2_event event = event_of(TRACE2_COUNTER);

	event.counter.category = fixture->category;
	event.counter.name = fixture->name;
	event.counter.count = INT64_MAX;
	return event;
}

TEST(timers_and_counters)
{
	static const char counter[] = HEAD("counter") ",\"category\":\"cat\",\"name\":\"n\\\"1\","
						      "\"count\":9223372036854775807}\n";

	check_both(
		make_timer,
		HEAD("timer") ",\"category\":\"cat\",\"name\":\"n\\\"1\",\"intervals\":5000000000,"
			      "\"t_total\":9223372036.854775,\"t_min\":0.000000,\"t_max\":2.000000}"
			      "\n",
		HEAD("timer") ",\"category\":\"cat\",\"name\":\"n\\\"1\",\"intervals\":5000000000,"
			      "\"t_total\":9223372036.854775807,\"t_min\":0.000000000,\"t_max\":1."
			      "999999999}\n");
	check_both(
		make_th_timer,
		HEAD_ON("th_timer",
			"th01:reader") ",\"category\":\"cat\",\"name\":\"n\\\"1\","
				       "\"intervals\":5000000000,\"t_total\":9223372036.854775,"
				       "\"t_min\":0.000000,\"t_max\":2.000000}\n",
		HEAD_ON("th_timer",
			"th01:reader") ",\"category\":\"cat\",\"name\":\"n\\\"1\","
				       "\"intervals\":5000000000,\"t_total\":9223372036.854775807,"
				       "\"t_min\":0.000000000,\"t_max\":1.999999999}\n");
	check_both(make_counter, counter, counter);
}

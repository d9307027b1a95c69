// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libtrace2's EVENT lines: times with six decimals, as git cuts and rounds them, and nine. */
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

#define START_NS (INT64_C(1600000000) * 1000000000)

/* Every event of these tests happens at this time, whose last digits git cuts away. */
#define TIME_NS INT64_C(1234567891)
#define TIMESTAMP "2020-09-13T12:26:41.234567Z"
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

TEST(timers_are_rounded)
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
	trace2_text_free(category);
	trace2_text_free(name);
}

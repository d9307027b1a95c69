// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the trace2 sink: what stands around a recording, and the lines of each event of the
 * timeline.
 */

#include <fcntl.h>

#include "fixtures/trace2_fixture.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"

#define PARAM(name, value)                     \
	EVENT_LINE("def_param", "main", "000", \
		   ",AT,\"scope\":\"command\",\"param\":\"" name "\",\"value\":\"" value "\"")

#define FIRST_LINES                                                                              \
	EVENT_LINE("version", "main", "000", ",AT,\"evt\":\"4\",\"exe\":\"" KTRACK_VERSION "\"") \
	EVENT_LINE("start", "main", "000",                                                       \
		   ",AT,\"t_abs\":0.000000000,\"argv\":[\"ktrack\",\"stream\",\"-d\",\"1\"]")    \
	EVENT_LINE("cmd_name", "main", "000",                                                    \
		   ",AT,\"name\":\"stream\",\"hierarchy\":\"git/stream\"")

#define PARAMS                                    \
	PARAM("source", "ktrack-42")              \
	PARAM("recording_id", "0123456789abcdef") \
	PARAM("clock", "boot")                    \
	PARAM("time_source", "realtime") PARAM("kernel", "6.1.0-test") PARAM("cpus", "2")

static const struct timeline_totals no_totals;

TEST(a_session_begins_with_what_a_reader_needs_to_trust_it)
{
	FIXTURE(trace2_fixture, fixture, 0);

	CHECK_NUMBER(timeline_open(&fixture.timeline, &trace2_fixture_recording, &fixture.error),
		     0);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   FIRST_LINES EVENT_LINE("cmd_mode", "main", "000", ",AT,\"name\":\"streaming\"")
			   PARAMS PARAM("buffer_kib", "1024") PARAM("memory_kib", "2172"));
}

TEST(what_is_not_known_is_left_out)
{
	struct recording recording = trace2_fixture_recording;
	SCOPED(trace2_fixture) fixture;

	recording.mode = NULL;
	recording.buffer_kib = 0;
	recording.memory_kib = 0;
	trace2_fixture_init(&fixture, 0);
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	CHECK_TEXT(trace2_fixture_output(&fixture), FIRST_LINES PARAMS);
}

TEST(what_others_have_taken_out_is_reported)
{
	struct recording recording = trace2_fixture_recording;
	SCOPED(trace2_fixture) fixture;

	recording.mode = NULL;
	recording.buffer_kib = 0;
	recording.memory_kib = 0;
	recording.read_before = 12;
	trace2_fixture_init(&fixture, 0);
	CHECK_NUMBER(timeline_open(&fixture.timeline, &recording, &fixture.error), 0);
	CHECK_TEXT(trace2_fixture_output(&fixture), FIRST_LINES PARAMS PARAM("read_before", "12"));
}

#define END(event, code) \
	EVENT_LINE(event, "main", "007", ",AT" EVENT_T("t_abs", "007") ",\"code\":" code)

TEST(a_session_ends_with_exit_and_atexit)
{
	SCOPED(trace2_fixture) fixture;

	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_finish(&fixture, 7, 130, &no_totals);
	CHECK_TEXT(trace2_fixture_output(&fixture), END("exit", "130") END("atexit", "130"));
}

#define LOSS_AT(us, ns)                                                                       \
	"{\"event\":\"error\",\"sid\":\"S\",\"thread\":\"main\",\"time\":\"2020-09-13T12:26:" \
	"40." us "Z\","                                                                       \
	"\"msg\":\"lost 1 record on cpu 0\",\"fmt\":\"lost %lu records on cpu "               \
	"%d\",\"t_abs\":0." ns ","                                                            \
	"\"args\":{\"cpu\":0,\"records\":1,\"from\":0." ns ",\"until\":null}}\n"

TEST(the_time_of_every_line_is_that_of_the_first_plus_its_t_abs_cut)
{
	struct recording recording = trace2_fixture_recording;
	struct timeline_event event = { .kind = TIMELINE_LOSS, .loss_count = 1 };
	SCOPED(trace2_fixture) fixture;

	/* Seven nanoseconds of the wall clock that nobody has read so exactly. */
	recording.wall_offset_ns += 7;
	trace2_fixture_open(&fixture, &recording);
	for (int i = 0; i < 3; i++) {
		event.time_ns = FIXTURE_START_NS + 998 + i;
		event.begin_ns = event.time_ns;
		CHECK_NUMBER(timeline_push(&fixture.timeline, &event, &fixture.error), 0);
	}
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   LOSS_AT("000000", "000000998") LOSS_AT("000000", "000000999")
			   LOSS_AT("000001", "000001000"));
}

TEST(as_of_when_a_tracepoint_is_recorded_is_reported_on_main)
{
	struct timeline_event event = { .kind = TIMELINE_TRACEPOINT, .tracepoint = "a:work" };
	SCOPED(trace2_fixture) fixture;

	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	event.recorded = TIMELINE_RECORDED_FROM_LOAD;
	trace2_fixture_push(&fixture, 1, event);
	event.recorded = TIMELINE_RECORDED_UNTIL_NOW;
	trace2_fixture_push(&fixture, 2, event);
#define REPORTED(after, recorded)                                                                 \
	EVENT_LINE("data_json", "main", after,                                                    \
		   EVENT_T("t_abs", after) EVENT_T(                                               \
			   "t_rel",                                                               \
			   after) ",\"nesting\":1,"                                               \
				  "\"category\":\"ktrack\",\"key\":\"tracepoint\","               \
				  "\"value\":{\"tracepoint\":\"a:work\",\"recorded\":\"" recorded \
				  "\"}")
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   REPORTED("001", "from_load") REPORTED("002", "until_now"));
}

TEST(the_traced_command_is_a_child)
{
	static char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"exit 3", NULL };
	SCOPED(trace2_fixture) fixture;

	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_push(
		&fixture, 2,
		(struct timeline_event){ .kind = TIMELINE_COMMAND_BEGIN, .argv = argv });
	trace2_fixture_push(
		&fixture, 9,
		(struct timeline_event){ .kind = TIMELINE_COMMAND_END, .pid = 4711, .status = 3 });
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EVENT_LINE("child_start", "main", "002",
			      ",AT,\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,"
			      "\"argv\":[\"sh\",\"-c\",\"exit 3\"]")
			   EVENT_LINE("child_exit", "main", "009",
				      ",AT,\"child_id\":0,\"pid\":4711,\"code\":3" EVENT_T("t_rel",
											   "007")));
}

/* A timeline with a sink that writes to @fd. */
static void sink_add(struct timeline *timeline, int fd)
{
	struct sink_trace2_settings trace2 = { .sid = "S", .hierarchy = "stream" };
	struct sink_settings settings = { .name = "out.event", .fd = fd, .trace2 = &trace2 };
	struct error error = { 0 };

	*timeline = (struct timeline){ 0 };
	CHECK_NUMBER(timeline_add(timeline, sink_of("event", &settings, &error), &error), 0);
}

static int full_disk_open(void)
{
	return open("/dev/full", O_WRONLY | O_CLOEXEC);
}

TEST(a_full_disk_is_reported_at_the_flush)
{
	SCOPED(timeline) timeline;
	struct error error = { 0 };

	sink_add(&timeline, full_disk_open());
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	CHECK_NUMBER(timeline_flush(&timeline, &error), -1);
	CHECK_TEXT(error.text,
		   "cannot write to out.event: No space left on device; free some space, or "
		   "write elsewhere");
}

TEST(a_full_disk_ends_the_stream_once_a_block_is_full)
{
	struct timeline_event event = { .kind = TIMELINE_LOSS, .time_ns = FIXTURE_START_NS };
	SCOPED(timeline) timeline;
	struct error error = { 0 };
	int nr_pushed = 0;

	sink_add(&timeline, full_disk_open());
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	while (nr_pushed < 100000 && timeline_push(&timeline, &event, &error) == 0)
		nr_pushed++;
	CHECK(nr_pushed > 100 && nr_pushed < 100000);
	CHECK_TEXT(error.text,
		   "cannot write to out.event: No space left on device; free some space, or "
		   "write elsewhere");
}

TEST(the_descriptor_is_closed_whether_or_not_the_stream_was_opened)
{
	for (int is_opened = 0; is_opened < 2; is_opened++) {
		struct timeline timeline;
		struct error error = { 0 };
		int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

		sink_add(&timeline, fd);
		if (is_opened)
			CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error),
				     0);
		CHECK(fcntl(fd, F_GETFD) >= 0);
		timeline_release(&timeline);
		CHECK(fcntl(fd, F_GETFD) < 0);
	}
}

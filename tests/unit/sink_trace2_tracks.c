// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the trace2 sink: tracks as threads, with their names, their records and their sums. */
#include <string.h>

#include "fixtures/trace2_fixture.h"
#include "fixtures/tap.h"

static struct timeline_category work, load;
static struct timeline_track slices, counter;
static struct timeline_name read_name, write_name;

static struct value number(int64_t number)
{
	return (struct value){ .kind = VALUE_SIGNED, .signed_number = number };
}

/* Makes the things that events point to anew: a sink keeps what it rendered as sink data. */
static void things_init(void)
{
	work = (struct timeline_category){ .text = "a:work" };
	load = (struct timeline_category){ .text = "a:load" };
	slices = (struct timeline_track){
		.number = 1,
		.category = &work,
		.name = text_of("work"),
		.id = number(7),
		.cpu = -1,
		.comm = "",
	};
	counter = (struct timeline_track){
		.number = 2,
		.category = &load,
		.kind = TRACK_COUNTER,
		.scope = SCOPE_CUSTOM,
		.field = "scope_queue",
		.name = text_of("depth"),
		.id = number(3),
		.cpu = -1,
		.comm = "",
	};
	read_name = (struct timeline_name){ .text = text_of("read"), .is_counted = true };
	write_name = (struct timeline_name){ .text = text_of("write"), .is_counted = true };
}

static void tracks_open(struct trace2_fixture *fixture)
{
	things_init();
	trace2_fixture_open(fixture, &trace2_fixture_recording);
	trace2_fixture_track(fixture, 0, &slices);
	trace2_fixture_track(fixture, 0, &counter);
	trace2_fixture_output(fixture);
}

/* The two lines of a track that begins at 1 ms. */
#define TRACK(thread, label, identity)                                                          \
	EVENT_LINE("thread_start", thread, "001", EVENT_T("t_abs", "001"))                      \
	EVENT_LINE("data_json", thread, "001",                                                  \
		   EVENT_T("t_abs", "001")                                                      \
			   EVENT_T("t_rel", "000") ",\"nesting\":1,\"category\":\"track\","     \
						   "\"key\":\"" label                           \
						   "\",\"value\":{\"tracepoint\":\"a:" identity \
						   "}")

static void check_track(struct timeline_track track, const char *want)
{
	SCOPED(trace2_fixture) fixture;

	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_track(&fixture, 1, &track);
	CHECK_TEXT(trace2_fixture_output(&fixture), want);
}

TEST(a_track_of_a_thread_is_named_after_it_and_its_task)
{
	things_init();
	check_track(
		slices,
		TRACK("th01:work tid 7", "th01",
		      "work\",\"name\":\"work\",\"kind\":\"slice\",\"scope\":\"thread\",\"id\":7"));
	things_init();
	slices.number = 123;
	slices.tgid = 5;
	slices.comm = "kworker/0:1";
	check_track(
		slices,
		TRACK("th123:work tid 7 kworker/0:1", "th123",
		      "work\",\"name\":\"work\",\"kind\":\"slice\",\"scope\":\"thread\",\"id\":7,"
		      "\"tgid\":5,\"comm\":\"kworker/0:1\""));
}

TEST(a_track_of_an_idle_task_is_named_after_its_cpu_too)
{
	things_init();
	slices.id = number(0);
	slices.cpu = 0;
	slices.comm = "swapper/0";
	check_track(
		slices,
		TRACK("th01:work tid 0 swapper/0", "th01",
		      "work\",\"name\":\"work\",\"kind\":\"slice\",\"scope\":\"thread\",\"id\":0,"
		      "\"comm\":\"swapper/0\",\"cpu\":0"));
}

TEST(a_track_of_a_process_reports_its_field)
{
	things_init();
	slices.scope = SCOPE_PROCESS;
	slices.field = "scope_tgid";
	slices.tgid = 7;
	slices.comm = "nginx";
	check_track(slices,
		    TRACK("th01:work pid 7 nginx", "th01",
			  "work\",\"name\":\"work\",\"kind\":\"slice\",\"scope\":\"process\","
			  "\"field\":\"scope_tgid\",\"id\":7,\"tgid\":7,\"comm\":\"nginx\""));
}

TEST(a_track_of_a_cpu_has_no_task)
{
	things_init();
	counter.scope = SCOPE_CPU;
	counter.field = "scope_cpu";
	check_track(counter,
		    TRACK("th02:depth cpu 3", "th02",
			  "load\",\"name\":\"depth\",\"kind\":\"counter\",\"scope\":\"cpu\","
			  "\"field\":\"scope_cpu\",\"id\":3"));
}

TEST(a_track_of_a_scope_of_its_own_is_named_after_the_field)
{
	things_init();
	counter.id = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX };
	check_track(counter,
		    TRACK("th02:depth queue 18446744073709551615", "th02",
			  "load\",\"name\":\"depth\",\"kind\":\"counter\",\"scope\":\"custom\","
			  "\"field\":\"scope_queue\",\"id\":\"18446744073709551615\""));
}

TEST(a_track_of_a_source_with_several_buffers_reports_its_own)
{
	things_init();
	slices.buffer = "second";
	check_track(
		slices,
		TRACK("th01:work tid 7 in second", "th01",
		      "work\",\"name\":\"work\",\"kind\":\"slice\",\"scope\":\"thread\",\"id\":7,"
		      "\"buffer\":\"second\""));
	things_init();
	slices.buffer = "";
	check_track(
		slices,
		TRACK("th01:work tid 7", "th01",
		      "work\",\"name\":\"work\",\"kind\":\"slice\",\"scope\":\"thread\",\"id\":7,"
		      "\"buffer\":\"\""));
}

TEST(names_with_any_bytes_leave_the_lines_sound)
{
	things_init();
	slices.name = (struct text){ .data = "a\0\"\n\xff", .size = 5 };
	slices.comm = "\x1b[2J\xc3\xa9";
	check_track(slices,
		    TRACK("th01:a\\u0000\\\"\\n\xef\xbf\xbd tid 7 \\u001b[2J\xc3\xa9", "th01",
			  "work\",\"name\":\"a\\u0000\\\"\\n\xef\xbf\xbd\",\"kind\":\"slice\","
			  "\"scope\":\"thread\",\"id\":7,\"comm\":\"\\u001b[2J\xc3\xa9\""));
}

static const struct field fields[] = {
	{ .name = { "bytes", 5 },
	  .value = { .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX } },
	{ .name = { "file", 4 }, .value = { .kind = VALUE_TEXT, .text = { "a \"b\"", 5 } } },
};

#define FIELDS_JSON "{\"bytes\":\"18446744073709551615\",\"file\":\"a \\\"b\\\"\"}"
#define FIELDS_MEMBERS(t_abs) \
	",\"msg\":\"bytes=18446744073709551615 file=a \\\"b\\\"\"" t_abs ",\"args\":" FIELDS_JSON

static struct timeline_event slice_event(enum timeline_kind kind, struct timeline_name *name,
					 unsigned int depth)
{
	return (struct timeline_event){
		.kind = kind,
		.track = &slices,
		.name = name,
		.depth = depth,
		.begin_ns = FIXTURE_START_NS,
	};
}

#define REGION(name, depth) ",\"nesting\":" depth ",\"category\":\"a:work\",\"label\":\"" name "\""

TEST(slices_are_regions)
{
	struct timeline_event begin, end;
	SCOPED(trace2_fixture) fixture;

	tracks_open(&fixture);
	begin = slice_event(TIMELINE_SLICE_BEGIN, &read_name, 1);
	end = slice_event(TIMELINE_SLICE_END, &read_name, 1);
	begin.begin_ns = 0;
	trace2_fixture_push(&fixture, 2, begin);
	end.begin_ns += 2000000;
	trace2_fixture_push(&fixture, 5, end);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EVENT_LINE("region_enter", "th01:work tid 7", "002",
			      REGION("read", "1") EVENT_T("t_abs", "002"))
			   EVENT_LINE("region_leave", "th01:work tid 7", "005",
				      EVENT_T("t_rel", "003") REGION("read", "1")
					      EVENT_T("t_abs", "005")));
}

TEST(the_fields_of_a_slice_are_a_message_for_people_and_args_for_machines)
{
	struct timeline_event event;
	SCOPED(trace2_fixture) fixture;

	tracks_open(&fixture);
	event = slice_event(TIMELINE_SLICE_BEGIN, &read_name, 12);
	event.fields = fields;
	event.nr_fields = 2;
	trace2_fixture_push(&fixture, 2, event);
	event.kind = TIMELINE_SLICE_END;
	event.is_suspect = true;
	event.is_unfinished = true;
	trace2_fixture_push(&fixture, 2, event);
	CHECK_TEXT(
		trace2_fixture_output(&fixture),
		EVENT_LINE("region_enter", "th01:work tid 7", "002",
			   REGION("read", "12") FIELDS_MEMBERS(EVENT_T("t_abs", "002")))
			EVENT_LINE(
				"region_leave", "th01:work tid 7", "002",
				EVENT_T("t_rel", "002") REGION("read", "12") FIELDS_MEMBERS(EVENT_T(
					"t_abs", "002")) ",\"suspect\":true,\"unfinished\":true"));
}

TEST(suspect_and_unfinished_are_reported_each_by_itself)
{
	struct timeline_event event;
	SCOPED(trace2_fixture) fixture;

	tracks_open(&fixture);
	event = slice_event(TIMELINE_SLICE_BEGIN, &read_name, 1);
	trace2_fixture_push(&fixture, 0, event);
	trace2_fixture_output(&fixture);
	event.kind = TIMELINE_SLICE_END;
	event.is_suspect = true;
	trace2_fixture_push(&fixture, 2, event);
	event.is_suspect = false;
	event.is_unfinished = true;
	trace2_fixture_push(&fixture, 2, event);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EVENT_LINE("region_leave", "th01:work tid 7", "002",
			      EVENT_T("t_rel", "002") REGION("read", "1")
				      EVENT_T("t_abs", "002") ",\"suspect\":true")
			   EVENT_LINE("region_leave", "th01:work tid 7", "002",
				      EVENT_T("t_rel", "002") REGION("read", "1")
					      EVENT_T("t_abs", "002") ",\"unfinished\":true"));
}

TEST(instants_are_data_json_with_their_fields_as_value)
{
	struct timeline_event event;
	SCOPED(trace2_fixture) fixture;

	tracks_open(&fixture);
	event = slice_event(TIMELINE_INSTANT, &read_name, 0);
	event.outer_ns = FIXTURE_START_NS;
	trace2_fixture_push(&fixture, 2, event);
	event.depth = 3;
	event.outer_ns += 1000000;
	event.fields = fields;
	event.nr_fields = 2;
	trace2_fixture_push(&fixture, 3, event);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EVENT_LINE("data_json", "th01:work tid 7", "002",
			      EVENT_T("t_abs", "002") EVENT_T(
				      "t_rel", "002") ",\"nesting\":1,\"category\":\"a:"
						      "work\",\"key\":\"read\",\"value\":{}")
			   EVENT_LINE("data_json", "th01:work tid 7", "003",
				      EVENT_T("t_abs", "003") EVENT_T(
					      "t_rel",
					      "002") ",\"nesting\":4,\"category\":\"a:work\","
						     "\"key\":\"read\",\"value\":" FIELDS_JSON));
}

TEST(samples_are_data_with_an_exact_decimal_string)
{
	struct timeline_event event = { .kind = TIMELINE_COUNTER,
					.track = &counter,
					.outer_ns = FIXTURE_START_NS };
	SCOPED(trace2_fixture) fixture;

	tracks_open(&fixture);
	event.value = number(INT64_MIN);
	trace2_fixture_push(&fixture, 2, event);
	event.value = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX };
	event.fields = fields;
	event.nr_fields = 2;
	trace2_fixture_push(&fixture, 3, event);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EVENT_LINE("data", "th02:depth queue 3", "002",
			      EVENT_T("t_abs", "002")
				      EVENT_T("t_rel", "002") ",\"nesting\":1,\"category\":\"a:"
							      "load\",\"key\":\"depth queue 3\","
							      "\"value\":\"-9223372036854775808\"")
			   EVENT_LINE("data", "th02:depth queue 3", "003",
				      EVENT_T("t_abs", "003") EVENT_T(
					      "t_rel", "003") ",\"nesting\":1,\"category\":\"a:"
							      "load\",\"key\":\"depth queue 3\","
							      "\"value\":\"18446744073709551615\","
							      "\"args\":" FIELDS_JSON));
}

/* What a region's line tells about the writer of its record, with @with asked for. */
static void check_writer(unsigned int with, int tid, int cpu, const char *comm, const char *want)
{
	struct timeline_event event;
	SCOPED(trace2_fixture) fixture;

	things_init();
	trace2_fixture_init(&fixture, with);
	CHECK_NUMBER(timeline_open(&fixture.timeline, &trace2_fixture_recording, &fixture.error),
		     0);
	trace2_fixture_track(&fixture, 0, &slices);
	trace2_fixture_output(&fixture);
	event = slice_event(TIMELINE_SLICE_BEGIN, &read_name, 1);
	event.tid = tid;
	event.cpu = cpu;
	event.comm = comm;
	event.fields = fields;
	event.nr_fields = 1;
	trace2_fixture_push(&fixture, 2, event);
	CHECK_TEXT(strstr(trace2_fixture_output(&fixture), EVENT_T("t_abs", "002")), want);
}

#define WRITER(members) \
	EVENT_T("t_abs", "002") members ",\"args\":{\"bytes\":\"18446744073709551615\"}}\n"

TEST(who_wrote_a_record_is_reported_as_far_as_it_is_asked_for_and_known)
{
	const unsigned int tid = 1u << TIMELINE_EMITTER_TID, cpu = 1u << TIMELINE_EMITTER_CPU;
	const unsigned int comm = 1u << TIMELINE_EMITTER_COMM;

	check_writer(0, 9, 1, "a\"b", WRITER(""));
	check_writer(tid, 9, 1, "a\"b", WRITER(",\"tid\":9"));
	check_writer(cpu, 9, 1, "a\"b", WRITER(",\"cpu\":1"));
	check_writer(comm, 9, 1, "a\"b", WRITER(",\"comm\":\"a\\\"b\""));
	check_writer(tid | cpu | comm, 0, 0, "idle",
		     WRITER(",\"tid\":0,\"cpu\":0,\"comm\":\"idle\""));
	check_writer(tid | cpu | comm, -1, -1, "", WRITER(""));
}

TEST(instants_and_samples_report_who_wrote_them_too)
{
	struct timeline_event event;
	SCOPED(trace2_fixture) fixture;

	things_init();
	trace2_fixture_init(&fixture, 1u << TIMELINE_EMITTER_TID);
	CHECK_NUMBER(timeline_open(&fixture.timeline, &trace2_fixture_recording, &fixture.error),
		     0);
	trace2_fixture_track(&fixture, 0, &slices);
	trace2_fixture_track(&fixture, 0, &counter);
	event = slice_event(TIMELINE_INSTANT, &read_name, 0);
	event.tid = 9;
	event.comm = "";
	event.fields = fields;
	event.nr_fields = 1;
	trace2_fixture_push(&fixture, 2, event);
	CHECK_TEXT(strstr(trace2_fixture_output(&fixture), "\"key\":\"read\""),
		   "\"key\":\"read\",\"value\":{\"bytes\":\"18446744073709551615\"},\"tid\":9}\n");
	event.kind = TIMELINE_COUNTER;
	event.track = &counter;
	event.nr_fields = 0;
	event.value = number(1);
	trace2_fixture_push(&fixture, 2, event);
	CHECK_TEXT(strstr(trace2_fixture_output(&fixture), "\"value\":"),
		   "\"value\":\"1\",\"tid\":9}\n");
}

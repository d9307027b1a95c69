// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what all of libtrace2's EVENT lines share: times, places, additional members, and bytes
 * of any kind.
 */
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/random.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

#define NR_RANDOM_NAMES 3000
#define RANDOM_SIZE 40

static struct trace2_string bytes_of(const char *string)
{
	return (struct trace2_string){ .data = string, .size = strlen(string) };
}

static struct trace2_session *session_open(struct capture *capture, const char *sid,
					   int64_t start_unix_ns)
{
	struct trace2_settings settings = { .sid = sid,
					    .start_unix_ns = start_unix_ns,
					    .decimals = 9 };
	struct trace2_session *session = trace2_session_new(&settings);

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, capture_init(capture), "catch"), 0);
	return session;
}

/* The value of "time" of a session's event. */
static void check_time(int64_t start_unix_ns, int64_t time_ns, const char *want)
{
	SCOPED(capture) capture;
	struct trace2_session *session = session_open(&capture, "S", start_unix_ns);
	struct trace2_event event = { .kind = TRACE2_THREAD_START, .time_ns = time_ns };
	SCOPED_BUFFER(line);

	buffer_printf(
		&line,
		"{\"event\":\"thread_start\",\"sid\":\"S\",\"thread\":\"main\",\"time\":\"%s\"}\n",
		want);
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_TEXT(capture_text(&capture), buffer_string(&line));
	trace2_session_free(session);
}

TEST(time_is_cut_to_microseconds_on_both_sides_of_1970)
{
	check_time(0, 0, "1970-01-01T00:00:00.000000Z");
	check_time(0, 999, "1970-01-01T00:00:00.000000Z");
	check_time(0, 1000, "1970-01-01T00:00:00.000001Z");
	check_time(0, -1, "1969-12-31T23:59:59.999999Z");
	check_time(0, -1000, "1969-12-31T23:59:59.999999Z");
	check_time(0, -1001, "1969-12-31T23:59:59.999998Z");
	check_time(-1000000000, 0, "1969-12-31T23:59:59.000000Z");
	check_time(-2000000000, 1999999999, "1969-12-31T23:59:59.999999Z");
	check_time(INT64_MAX, 0, "2262-04-11T23:47:16.854775Z");
	check_time(INT64_MIN, 0, "1677-09-21T00:12:43.145224Z");
	check_time(INT64_C(951782400) * 1000000000, 0, "2000-02-29T00:00:00.000000Z");
}

static void write_at(struct trace2_session *session, int64_t time_ns)
{
	struct trace2_event event = { .kind = TRACE2_THREAD_START, .time_ns = time_ns };

	CHECK_NUMBER(trace2_session_write(session, &event), 0);
}

TEST(the_second_changes_with_the_time_forth_and_back)
{
	static const int64_t seconds[] = { 0, 0, 1, 59, 60, 59, 0 };
	static const char *const want[] = { ":00:00.5", ":00:00.5", ":00:01.5", ":00:59.5",
					    ":01:00.5", ":00:59.5", ":00:00.5" };
	SCOPED(capture) capture;
	struct trace2_session *session = session_open(&capture, "S", 500000000);
	const char *line;

	for (size_t i = 0; i < 7; i++)
		write_at(session, seconds[i] * 1000000000);
	line = capture_text(&capture);
	for (size_t i = 0; i < 7; i++) {
		const char *time = strstr(line, "\"time\":\"1970-01-01T00");

		if (!CHECK(time && strncmp(time + 21, want[i], 8) == 0))
			break;
		line = strchr(time, '\n');
	}
	trace2_session_free(session);
}

TEST(file_and_line_come_together_or_not_at_all)
{
	SCOPED(capture) capture;
	struct trace2_session *session = session_open(&capture, "S", 0);
	struct trace2_event event = { .kind = TRACE2_EXIT, .file = "a\"b.c", .line = 12 };

	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	event.file = NULL;
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_TEXT(capture_text(&capture),
		   "{\"event\":\"exit\",\"sid\":\"S\",\"thread\":\"main\",\"time\":\"1970-01-01T00:"
		   "00:00.000000Z\","
		   "\"file\":\"a\\\"b.c\",\"line\":12,\"t_abs\":0.000000000,\"code\":0}\n"
		   "{\"event\":\"exit\",\"sid\":\"S\",\"thread\":\"main\",\"time\":\"1970-01-01T00:"
		   "00:00.000000Z\","
		   "\"t_abs\":0.000000000,\"code\":0}\n");
	trace2_session_free(session);
}

TEST(additional_members_stand_last)
{
	SCOPED(capture) capture;
	struct trace2_settings settings = { .sid = "S", .decimals = 9, .has_more_t_abs = true };
	struct trace2_session *session = trace2_session_new(&settings);
	struct trace2_event event = { .kind = TRACE2_REGION_LEAVE, .time_ns = 5 };

	trace2_session_add(session, TRACE2_EVENT, capture_init(&capture), "catch");
	event.region.nesting = 1;
	event.more = bytes_of("\"args\":{\"a\":1},\"suspect\":true");
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	event.kind = TRACE2_VERSION;
	event.version.exe = "1";
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_TEXT(capture_text(&capture),
		   "{\"event\":\"region_leave\",\"sid\":\"S\",\"thread\":\"main\","
		   "\"time\":\"1970-01-01T00:00:00.000000Z\","
		   "\"t_rel\":0.000000000,\"nesting\":1,\"t_abs\":0.000000005,\"args\":{\"a\":1},"
		   "\"suspect\":true}\n"
		   "{\"event\":\"version\",\"sid\":\"S\",\"thread\":\"main\",\"time\":\"1970-01-"
		   "01T00:00:00.000000Z\","
		   "\"evt\":\"4\",\"exe\":\"1\",\"args\":{\"a\":1},\"suspect\":true}\n");
	trace2_session_free(session);
}

TEST(sid_and_thread_are_escaped_in_every_line)
{
	SCOPED(capture) capture;
	struct trace2_session *session = session_open(&capture, "weird \"sid\"/\\\n", 0);
	struct trace2_string name = { .data = "a\0\x01\xff/\xc3\xa9\x7f", .size = 8 };
	struct trace2_thread *thread = trace2_thread_new(session, name);
	struct trace2_event event = { .kind = TRACE2_THREAD_START, .thread = thread };

	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_TEXT(capture_text(&capture),
		   "{\"event\":\"thread_start\",\"sid\":\"weird \\\"sid\\\"/\\\\\\n\","
		   "\"thread\":\"a\\u0000\\u0001\xef\xbf\xbd/\xc3\xa9\x7f\","
		   "\"time\":\"1970-01-01T00:00:00.000000Z\"}\n");
	trace2_thread_free(thread);
	trace2_session_free(session);
}

TEST(a_text_can_become_another)
{
	SCOPED(capture) capture;
	struct trace2_session *session = session_open(&capture, "S", 0);
	struct trace2_text *text = trace2_text_new(bytes_of("a long first text"));
	struct trace2_event event = { .kind = TRACE2_REGION_ENTER };

	event.region.label = text;
	CHECK_NUMBER(trace2_text_set(text, bytes_of("b")), 0);
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK_NUMBER(trace2_text_set(text, bytes_of("")), 0);
	CHECK_NUMBER(trace2_session_write(session, &event), 0);
	CHECK(strstr(capture_text(&capture), "\"label\":\"b\"}\n") != NULL);
	CHECK(strstr(capture_text(&capture), "\"label\":\"\"}\n") != NULL);
	trace2_text_free(text);
	trace2_session_free(session);
}

TEST(nothing_is_freed_twice_or_at_all_where_there_is_nothing)
{
	trace2_text_free(NULL);
	trace2_thread_free(NULL);
	trace2_session_free(NULL);
}

/* Whether the C library, too, takes the bytes for UTF-8. */
static bool is_utf8(const char *text, size_t size)
{
	iconv_t conversion = iconv_open("UCS-4", "UTF-8");
	size_t space = 4 * size + 4;
	char *out = malloc(space), *to = out, *from = (char *)text;
	bool is_valid = iconv(conversion, &from, &size, &to, &space) != (size_t)-1 && size == 0;

	free(out);
	iconv_close(conversion);
	return is_valid;
}

/* Returns what follows a JSON string, or NULL where it is none. */
static const char *string_skip(const char *at)
{
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdef") >= 4)
			at += 4;
		else if (!*at || !strchr("\"\\nrtfb", *at))
			return NULL;
	}
	return at + 1;
}

/* Whether the line ends with the member @name, a string. */
static bool ends_with_string(const char *line, const char *name)
{
	const char *value = strstr(line, name);
	const char *end = value ? string_skip(value + strlen(name)) : NULL;

	return end && strcmp(end, "}\n") == 0;
}

/* The line of an event; what was written before is dropped. */
static struct text line_of(struct trace2_session *session, struct capture *capture,
			   const struct trace2_event *event)
{
	CHECK_NUMBER(ftruncate(capture->fd, 0), 0);
	lseek(capture->fd, 0, SEEK_SET);
	CHECK_NUMBER(trace2_session_write(session, event), 0);
	capture_text(capture);
	return buffer_text(&capture->text);
}

TEST(lines_stay_valid_whatever_bytes_a_name_has)
{
	struct random random = { .state = 5 };
	SCOPED(capture) capture;
	struct trace2_session *session = session_open(&capture, "S", 0);
	struct trace2_event event = { .kind = TRACE2_DATA };
	struct trace2_text *text = trace2_text_new(bytes_of(""));

	event.data.category = event.data.key = text;
	for (int i = 0; i < NR_RANDOM_NAMES; i++) {
		size_t size = random_below(&random, RANDOM_SIZE);
		char *bytes = malloc(size);
		struct text line;

		/* Mostly bytes that matter to UTF-8 or to JSON. */
		for (size_t at = 0; at < size; at++)
			bytes[at] = random_below(&random, 3) ? 0x80 + random_below(&random, 0x80)
							     : random_below(&random, 0x60);
		event.data.value = (struct trace2_string){ .data = bytes, .size = size };
		trace2_text_set(text, event.data.value);
		line = line_of(session, &capture, &event);
		free(bytes);
		if (!CHECK(is_utf8(line.data, line.size) &&
			   ends_with_string(line.data, "\"value\":")))
			break;
	}
	trace2_text_free(text);
	trace2_session_free(session);
}

static struct trace2_string random_name(struct random *random, char *space)
{
	size_t size = 1 + random_below(random, 150);

	memset(space, 'a' + random_below(random, 26), size);
	return (struct trace2_string){ .data = space, .size = size };
}

/* A region with a name of any length, with or without a message and more members. */
static void region_fill(struct trace2_event *event, struct random *random, int number)
{
	event->kind = random_below(random, 2) ? TRACE2_REGION_ENTER : TRACE2_REGION_LEAVE;
	event->time_ns = number * INT64_C(77777);
	event->region.nesting = random_below(random, 120);
	event->region.t_rel_ns = random_below(random, 1100000000);
	event->needs_no_escape = random_below(random, 2);
	if (random_below(random, 2) == 0)
		event->region.msg = bytes_of(event->needs_no_escape ? "a=1 b=2" : "a=\"1\"");
	if (random_below(random, 4) == 0)
		event->more = bytes_of("\"args\":{\"a\":1}");
}

/* The first line of a session takes the path for any event. */
TEST(short_regions_are_printed_as_any_event_is)
{
	struct trace2_settings settings = {
		.sid = "S", .decimals = 9, .max_nesting = TRACE2_NESTING_ALL, .has_more_t_abs = true
	};
	struct trace2_session *session = trace2_session_new(&settings), *first;
	struct trace2_text *category = trace2_text_new(bytes_of("system:event"));
	struct random random = { .state = 11 };
	SCOPED(capture) capture;
	char space[256];

	CHECK_NUMBER(trace2_session_add(session, TRACE2_EVENT, capture_init(&capture), "it"), 0);
	for (int i = 0; i < NR_RANDOM_NAMES; i++) {
		struct trace2_thread *thread = trace2_thread_new(session,
								 random_name(&random, space));
		struct trace2_text *label = trace2_label_new(category, random_name(&random, space));
		struct trace2_event event = { .thread = thread };
		SCOPED(capture) alone;
		struct text line;

		event.region.category = category;
		event.region.label = label;
		region_fill(&event, &random, i);
		first = trace2_session_new(&settings);
		trace2_session_add(first, TRACE2_EVENT, capture_init(&alone), "it");
		line = line_of(session, &capture, &event);
		CHECK(line.size > 100 && text_equals(line, line_of(first, &alone, &event)));
		trace2_session_free(first);
		trace2_text_free(label);
		trace2_thread_free(thread);
	}
	trace2_text_free(category);
	trace2_session_free(session);
}

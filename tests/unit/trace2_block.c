// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that regions and data, which are put together in one go where lines leave in blocks, are
 * the same bytes as where each leaves at once.
 */
#include <stdlib.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/random.h"
#include "fixtures/tap.h"
#include "trace2/trace2.h"

#define NR_EVENTS 8000
#define NR_TEXTS 5
#define BYTES_MAX 40
#define MANY_BYTES_MAX 3000

/*
 * Beginnings of sessions: with the millisecond, but not with the second, so that both seconds do
 * not change at once; with the microsecond; with neither.
 */
static const int64_t starts_unix_ns[] = { INT64_C(1767225599999000000),
					  INT64_C(1767225599998877000),
					  INT64_C(1767225599998877665) };

static struct trace2_string bytes_of(const char *string)
{
	return (struct trace2_string){ .data = string, .size = strlen(string) };
}

/**
 * struct texts - what lines are made of
 * @labels: each of another of the texts as its category, but for the last, which is no label
 */
struct texts {
	struct trace2_text *texts[NR_TEXTS];
	struct trace2_text *labels[NR_TEXTS];
};

static void texts_init(struct texts *texts)
{
	static const char *const names[NR_TEXTS] = { "read", "mydrv:mydrv_io", "a|b", "\"\n",
						     "a name of more than thirty-two bytes" };

	for (size_t i = 0; i < NR_TEXTS; i++)
		texts->texts[i] = trace2_text_new(bytes_of(names[i]));
	for (size_t i = 0; i < NR_TEXTS; i++)
		texts->labels[i] = trace2_label_new(texts->texts[NR_TEXTS - 1 - i],
						    bytes_of(names[i]));
	CHECK_NUMBER(trace2_text_set(texts->labels[NR_TEXTS - 1], bytes_of("no label")), 0);
}

static void texts_release(struct texts *texts)
{
	for (size_t i = 0; i < NR_TEXTS; i++) {
		trace2_text_free(texts->labels[i]);
		trace2_text_free(texts->texts[i]);
	}
}

/** struct writer - a session, what its lines have in common, and where they go */
struct writer {
	struct capture capture;
	struct trace2_session *session;
	struct trace2_thread *thread;
};

static void writer_open(struct writer *writer, enum trace2_target target, unsigned int decimals,
			int64_t start_unix_ns, enum trace2_flush flush)
{
	struct trace2_settings settings = { .sid = "S",
					    .start_unix_ns = start_unix_ns,
					    .decimals = decimals,
					    .category_width = 16,
					    .max_nesting = 900,
					    .has_whole_names = true,
					    .has_more_t_abs = decimals == 9,
					    .has_valid_json = true,
					    .flush = flush };

	writer->session = trace2_session_new(&settings);
	CHECK_NUMBER(trace2_session_add(writer->session, target, capture_init(&writer->capture),
					"catch"),
		     0);
	writer->thread = trace2_thread_new(writer->session, bytes_of("th01:queue of \"requests\""));
}

static void writer_close(struct writer *writer)
{
	trace2_thread_free(writer->thread);
	trace2_session_free(writer->session);
	capture_release(&writer->capture);
}

/* Mostly the next moment in the same second, now and then long before or after. */
static int64_t next_time(struct random *random, int64_t time_ns)
{
	static const int64_t steps_ns[] = { 1000000000, -1000000000, 999999999, 400000000000, -7 };
	uint64_t kind = random_below(random, 100);

	if (kind < sizeof(steps_ns) / sizeof(steps_ns[0]))
		return time_ns + steps_ns[kind];
	return time_ns + random_below(random, random_below(random, 2) ? 20000 : 3000000);
}

static unsigned int any_nesting(struct random *random)
{
	return random_below(random, 20) > 0 ? random_below(random, 20) : random_below(random, 1100);
}

/* Now and then many, seldom with a byte that must be escaped; they stay until the next ones are
 * asked for. */
static struct trace2_string any_bytes(struct random *random)
{
	static char bytes[MANY_BYTES_MAX];
	size_t most = random_below(random, 10) > 0 ? BYTES_MAX : MANY_BYTES_MAX;
	size_t size = random_below(random, most);

	for (size_t i = 0; i < size; i++)
		bytes[i] = random_below(random, most) > 0 ? '#' + random_below(random, 50)
							  : random_below(random, 256);
	return (struct trace2_string){ bytes, size };
}

/* Bytes, which the caller sometimes vouches for. */
static struct trace2_string any_string(struct random *random, struct trace2_event *event)
{
	struct trace2_string bytes =
		bytes_of("bytes=512 name=\xc3\xa9 result=-5 error=0 sector=4096");

	event->needs_no_escape = random_below(random, 2);
	bytes.size = 17 + random_below(random, bytes.size - 16);
	return event->needs_no_escape ? bytes : any_bytes(random);
}

static int64_t any_t_rel(struct random *random)
{
	return random_below(random, 10) > 0 ? random_below(random, 1000000000)
					    : random_below(random, 20000000000);
}

/* Mostly a label of its category. */
static void region_choose(struct random *random, const struct texts *texts,
			  struct trace2_event *event)
{
	unsigned int category = random_below(random, NR_TEXTS);

	event->kind = TRACE2_REGION_ENTER + random_below(random, 2);
	event->region.nesting = any_nesting(random);
	event->region.t_rel_ns = any_t_rel(random);
	event->region.category = texts->texts[category];
	event->region.label = texts->labels[NR_TEXTS - 1 - category];
	if (random_below(random, 8) == 0)
		event->region.label = texts->labels[random_below(random, NR_TEXTS)];
	if (random_below(random, 50) == 0)
		event->region.category = NULL;
	if (random_below(random, 50) == 0)
		event->region.label = NULL;
	if (random_below(random, 4) == 0)
		event->region.msg = any_string(random, event);
}

/* Mostly a label of its category; many are of no slice, and count from the session's begin. */
static void data_choose(struct random *random, const struct texts *texts,
			struct trace2_event *event)
{
	static const char *const json[] = {
		"{}", "{\"bytes\":512}", "{\"call_site\":\"18446744071578845184\",\"bytes\":64}"
	};
	unsigned int category = random_below(random, NR_TEXTS);

	event->kind = TRACE2_DATA + random_below(random, 2);
	event->data.nesting = any_nesting(random);
	event->data.t_rel_ns = random_below(random, 2) ? event->time_ns : any_t_rel(random);
	event->data.category = texts->texts[category];
	event->data.key = texts->labels[NR_TEXTS - 1 - category];
	if (random_below(random, 8) == 0)
		event->data.key = texts->labels[random_below(random, NR_TEXTS)];
	event->data.value = event->kind == TRACE2_DATA ? any_string(random, event)
						       : bytes_of(json[random_below(random, 3)]);
}

static struct trace2_event any_event(struct random *random, const struct texts *texts,
				     int64_t time_ns)
{
	struct trace2_event event = { .time_ns = time_ns };

	if (random_below(random, 3) == 0)
		data_choose(random, texts, &event);
	else
		region_choose(random, texts, &event);
	if (random_below(random, 8) == 0)
		event.more = bytes_of("\"suspect\":true");
	if (random_below(random, 50) == 0)
		event.file = "file.c";
	return event;
}

static void writer_report(struct writer *writer, struct trace2_event event, bool is_main)
{
	event.thread = is_main ? NULL : writer->thread;
	CHECK_NUMBER(trace2_session_write(writer->session, &event), 0);
}

/* Copies a string to memory with so many bytes behind it that can be read. */
static struct trace2_string with_slack(char *memory, struct trace2_string string)
{
	if (!string.data)
		return string;
	memcpy(memory, string.data, string.size);
	memset(memory + string.size, '#', TRACE2_SLACK);
	return (struct trace2_string){ memory, string.size };
}

/* Reports an event whose strings are copied in whole blocks, if the caller vouches for them. */
static void writer_report_slack(struct writer *writer, struct trace2_event event, bool is_main)
{
	bool is_region = event.kind == TRACE2_REGION_ENTER || event.kind == TRACE2_REGION_LEAVE;
	struct trace2_string *string = is_region ? &event.region.msg : &event.data.value;
	char *bytes = malloc(string->size + TRACE2_SLACK);
	char *more = malloc(event.more.size + TRACE2_SLACK);

	event.has_slack = event.needs_no_escape || event.kind == TRACE2_DATA_JSON;
	if (event.has_slack) {
		*string = with_slack(bytes, *string);
		event.more = with_slack(more, event.more);
	}
	writer_report(writer, event, is_main);
	free(bytes);
	free(more);
}

static void check_session(enum trace2_target target, unsigned int decimals, int64_t start_unix_ns)
{
	struct random random = { 20260101 + target * 10 + decimals };
	SCOPED(texts) texts;
	struct writer blocks, lines;
	int64_t time_ns = 0;

	writer_open(&blocks, target, decimals, start_unix_ns, TRACE2_FLUSH_BLOCKS);
	writer_open(&lines, target, decimals, start_unix_ns, TRACE2_FLUSH_LINES);
	texts_init(&texts);
	for (int i = 0; i < NR_EVENTS; i++) {
		struct trace2_event event = any_event(&random, &texts, time_ns);
		bool is_main = random_below(&random, 50) == 0;

		writer_report_slack(&blocks, event, is_main);
		writer_report(&lines, event, is_main);
		time_ns = next_time(&random, time_ns);
	}
	CHECK_NUMBER(trace2_session_flush(blocks.session), 0);
	CHECK_TEXT(capture_text(&blocks.capture), capture_text(&lines.capture));
	writer_close(&blocks);
	writer_close(&lines);
}

static void check_same(enum trace2_target target, unsigned int decimals)
{
	for (size_t i = 0; i < sizeof(starts_unix_ns) / sizeof(starts_unix_ns[0]); i++)
		check_session(target, decimals, starts_unix_ns[i]);
}

TEST(event_is_the_same_in_blocks_and_line_by_line)
{
	check_same(TRACE2_EVENT, 9);
	check_same(TRACE2_EVENT, 6);
}

TEST(perf_is_the_same_in_blocks_and_line_by_line)
{
	check_same(TRACE2_PERF, 9);
	check_same(TRACE2_PERF, 6);
}

/* A region whose thread and label have names of so many bytes. */
static void region_report(struct writer *writer, const struct trace2_text *category, size_t size)
{
	static const char bytes[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct trace2_string name = { .data = bytes, .size = size };
	struct trace2_thread *thread = trace2_thread_new(writer->session, name);
	struct trace2_text *label = trace2_label_new(category, name);
	struct trace2_event event = { .kind = TRACE2_REGION_ENTER, .thread = thread };

	event.region.nesting = 1;
	event.region.category = category;
	event.region.label = label;
	CHECK_NUMBER(trace2_session_write(writer->session, &event), 0);
	trace2_text_free(label);
	trace2_thread_free(thread);
}

TEST(names_of_any_length_are_the_same_in_blocks_and_line_by_line)
{
	struct trace2_text *category = trace2_text_new(bytes_of("c"));
	struct writer blocks, lines;

	writer_open(&blocks, TRACE2_EVENT, 9, starts_unix_ns[0], TRACE2_FLUSH_BLOCKS);
	writer_open(&lines, TRACE2_EVENT, 9, starts_unix_ns[0], TRACE2_FLUSH_LINES);
	for (size_t size = 0; size <= 128; size++) {
		region_report(&blocks, category, size);
		region_report(&lines, category, size);
	}
	CHECK_NUMBER(trace2_session_flush(blocks.session), 0);
	CHECK_TEXT(capture_text(&blocks.capture), capture_text(&lines.capture));
	trace2_text_free(category);
	writer_close(&blocks);
	writer_close(&lines);
}

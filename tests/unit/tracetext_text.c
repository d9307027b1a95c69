// SPDX-License-Identifier: GPL-2.0-only
/* Tests of whole texts: records of each CPU in their order, gaps, threads, limits. */
#include "tracetext/tracetext.h"

#include <stdio.h>
#include <sys/mman.h>

#include "fixtures/tap.h"

static struct trace_text *text_of_bytes(struct text bytes)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct error error = { 0 };
	struct trace_text *text;

	CHECK_NUMBER(file_write_all(fd, bytes.data, bytes.size, NULL), 0);
	CHECK_NUMBER(trace_text_open(&text, fd, "t", NULL, &error), 0);
	return text;
}

/* A line "CPU TIME" for each record, "CPU lost N" for each gap. */
static void stream_log(struct stream *stream, struct buffer *out)
{
	struct error error = { 0 };
	struct loss loss;

	while (stream_fill(stream, &error) == 0 && stream->has_next) {
		if (stream_take_gap(stream, &loss))
			buffer_printf(out, "%d lost %lld\n", loss.cpu, (long long)loss.count);
		buffer_printf(out, "%d %lld\n", stream->cpu, (long long)stream->next.time_ns);
		stream_advance(stream);
	}
	CHECK_TEXT(error.text, "");
	CHECK(!stream->page.is_damaged);
	if (stream->is_behind_gap)
		buffer_printf(out, "%d at the end %lld\n", stream->cpu,
			      (long long)stream->gap_count);
}

static void check_records(const char *bytes, const char *want)
{
	struct trace_text *text = text_of_bytes(text_of(bytes));
	SCOPED_BUFFER(log);
	struct stream *streams;
	size_t nr_streams;

	streams = trace_text_streams(text, &nr_streams);
	for (size_t i = 0; i < nr_streams; i++)
		stream_log(&streams[i], &log);
	CHECK_TEXT(buffer_string(&log), want);
	trace_text_close(text);
}

TEST(each_cpu_has_its_records_with_gaps)
{
	check_records("a-1 [002] 5.000000000: e: x\n"
		      "CPU:2 [LOST 3 EVENTS]\n"
		      "CPU:2 [LOST 4 EVENTS]\n"
		      "a-1 [000] 6.000000000: e: x\n"
		      "a-1 [002] 7.000000000: e: x\n"
		      "a-1 [002] 700.000000000: e: x\n"
		      "CPU:0 [LOST EVENTS]\n"
		      "CPU:5 [LOST 9 EVENTS]\n"
		      "a-1 [000] 900000.000000001: e: x",
		      "0 6000000000\n0 lost -1\n0 900000000000001\n"
		      "2 5000000000\n2 lost 7\n2 7000000000\n2 700000000000\n"
		      "5 at the end 9\n");
}

TEST(overwritten_records_are_a_gap_on_each_cpu)
{
	check_records("# tracer: nop\n"
		      "# entries-in-buffer/entries-written: 3/10   #P:2\n"
		      "a-1 [000] 5.000001: e: x\n"
		      "a-1 [000] 5.000002: e: x\n"
		      "a-1 [001] 5.000003: e: x\n",
		      "0 lost -1\n0 5000001000\n0 5000002000\n1 lost -1\n1 5000003000\n");
	check_records("# entries-in-buffer/entries-written: 10/10   #P:2\n"
		      "a-1 [000] 5.000001: e: x\n",
		      "0 5000001000\n");
}

TEST(equal_microseconds_keep_the_order_of_lines)
{
	check_records("a-1 [000] 5.000001: e: x\n"
		      "a-1 [001] 5.000001: e: x\n"
		      "a-1 [000] 5.000001: e: x\n"
		      "a-1 [000] 5.000002: e: x\n"
		      "a-1 [000] 5.000002000: e: x\n",
		      "0 5000001000\n0 5000001002\n0 5000002000\n0 5000002000\n1 5000001001\n");
}

TEST(an_older_line_has_the_time_of_the_one_before)
{
	const char *bytes = "a-1 [000] 5.000000000: e: x\na-1 [000] 4.000000000: e: x\n";
	struct trace_text *text = text_of_bytes(text_of(bytes));

	CHECK_TEXT(trace_text_damage(text),
		   "t: 1 line with an earlier time than the line before of the same CPU, which "
		   "was used instead");
	trace_text_close(text);
	check_records(bytes, "0 5000000000\n0 5000000000\n");
}

TEST(threads_have_the_last_name_and_their_process)
{
	struct trace_text *text = text_of_bytes(text_of("  old-7 (-----) [000] 5.000000: e: x\n"
							"  new-7 (   70) [000] 5.000001: e: x\n"
							"<...>-7 (-----) [000] 5.000002: e: x\n"
							"<...>-8 [000] 5.000003: e: x\n"));
	struct thread_identity identity = { 0 };

	trace_text_find_task(text, 7, &identity);
	CHECK_TEXT(identity.comm, "new");
	CHECK_NUMBER(identity.tgid, 70);
	identity = (struct thread_identity){ 0 };
	trace_text_find_task(text, 8, &identity);
	CHECK_TEXT(identity.comm, "");
	trace_text_close(text);
}

/** struct visited - the events that were visited */
struct visited {
	size_t count;
	char last[64];
};

static int event_count(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct visited *visited = context;

	(void)error;
	visited->count++;
	snprintf(visited->last, sizeof(visited->last), "%s:%s", tracepoint->system,
		 tracepoint->name);
	return 0;
}

TEST(events_are_limited)
{
	struct visited visited = { 0 };
	const struct tracepoint_visitor visitor = { .context = &visited, .visit = event_count };
	SCOPED_BUFFER(bytes);
	struct error error = { 0 };
	struct trace_text *text;

	for (int i = 0; i < 3000; i++)
		buffer_printf(&bytes, "a-1 [000] 5.000000: e%d: x\n", i);
	text = text_of_bytes(buffer_text(&bytes));
	CHECK_NUMBER(trace_text_visit(text, &visitor, &error), 0);
	CHECK_NUMBER(visited.count, 1025);
	CHECK_TEXT(visited.last, "text:other");
	trace_text_close(text);
}

TEST(a_long_line_is_cut_and_reported)
{
	SCOPED_BUFFER(bytes);
	struct trace_text *text;

	buffer_append_string(&bytes, "a-1 [000] 5.000000: e: x\na-1 [000] 5.000001: e: ");
	for (int i = 0; i < 300000; i++)
		buffer_append_char(&bytes, 'y');
	buffer_append_string(&bytes, "\na-1 [000] 5.000002: e: x\n");
	text = text_of_bytes(buffer_text(&bytes));
	CHECK_TEXT(trace_text_damage(text), "t: 1 line of more than 65536 bytes, which were cut");
	trace_text_close(text);
	check_records(buffer_string(&bytes), "0 5000000000\n0 5000001000\n0 5000002000\n");
}

TEST(texts_are_recognized_by_their_content)
{
	CHECK(trace_text_matches(text_of("# tracer: nop\n")));
	CHECK(trace_text_matches(text_of("cpus=2\na-1 [000] 5.000000: e: x\n")));
	CHECK(trace_text_matches(text_of("CPU:0 [LOST 1 EVENTS]\n")));
	CHECK(!trace_text_matches(text_of("hello\n")));
	CHECK(!trace_text_matches((struct text){ "# tracer: nop\n\0", 15 }));
	CHECK(!trace_text_matches((struct text){ "", 0 }));
}

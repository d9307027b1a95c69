// SPDX-License-Identifier: GPL-2.0-only
/* Tests of adding to a Perfetto trace: whatever fails, the trace stays as it was. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "fixtures/folder.h"
#include "fixtures/trace2_fixture.h"
#include "sink/proto.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"

#define WALL_NS (INT64_C(1600000000) * NS_PER_S)

/**
 * struct addition - a trace, and a recording that is added to it
 * @before: what the trace holds
 */
struct addition {
	struct folder folder;
	char path[PATH_MAX];
	struct buffer before;
	struct timeline timeline;
	struct error error;
};

static void clock_append(struct buffer *out, int id, uint64_t time_ns)
{
	size_t clock = proto_begin(out, 1);

	proto_number(out, 1, id);
	proto_number(out, 2, time_ns);
	proto_end(out, clock);
}

/* A packet of another recorder, with its clocks. */
static void packet_append(struct buffer *out, uint64_t boot_ns, uint64_t wall_ns,
			  uint64_t sequence_id)
{
	size_t packet = proto_begin(out, 1), snapshot = proto_begin(out, 6);

	clock_append(out, 6, boot_ns);
	clock_append(out, 1, wall_ns);
	proto_end(out, snapshot);
	proto_number(out, 10, sequence_id);
	proto_end(out, packet);
}

static void addition_init(struct addition *addition, uint64_t boot_ns, uint64_t wall_ns,
			  uint64_t sequence_id)
{
	*addition = (struct addition){ 0 };
	folder_new(&addition->folder);
	strcpy(addition->path, folder_path(&addition->folder, "trace"));
	packet_append(&addition->before, boot_ns, wall_ns, sequence_id);
	folder_add(&addition->folder, "trace", addition->before.data, addition->before.size);
}

static void addition_init_fitting(struct addition *addition)
{
	addition_init(addition, FIXTURE_START_NS, WALL_NS, 7);
}

static int addition_open(struct addition *addition)
{
	struct sink_settings settings = { .name = addition->path, .is_appending = true };
	struct sink *sink;

	settings.fd = open(addition->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	sink = sink_of("perfetto", &settings, &addition->error);
	if (!sink || timeline_add(&addition->timeline, sink, &addition->error) < 0)
		return -1;
	return timeline_open(&addition->timeline, &trace2_fixture_recording, &addition->error);
}

static int addition_finish(struct addition *addition)
{
	static const struct timeline_totals totals;
	const struct timeline_event finish = { .kind = TIMELINE_FINISH,
					       .time_ns = FIXTURE_START_NS,
					       .totals = &totals };

	return timeline_push(&addition->timeline, &finish, &addition->error);
}

/* More than is written at once. */
static int addition_fill(struct addition *addition)
{
	const struct timeline_event event = { .kind = TIMELINE_MALFORMED,
					      .time_ns = FIXTURE_START_NS,
					      .problem = "odd",
					      .tracepoint = "a:work" };

	for (int i = 0; i < 10000; i++) {
		if (timeline_push(&addition->timeline, &event, &addition->error) < 0)
			return -1;
	}
	return timeline_flush(&addition->timeline, &addition->error);
}

static bool is_as_before(const struct addition *addition)
{
	struct buffer now = { 0 };
	bool is_same = file_read(addition->path, &now) == 0 &&
		       text_equals(buffer_text(&now), buffer_text(&addition->before));

	buffer_release(&now);
	return is_same;
}

static void addition_release(struct addition *addition)
{
	timeline_release(&addition->timeline);
	buffer_release(&addition->before);
	folder_remove(&addition->folder);
}

TEST(what_is_complete_is_added)
{
	SCOPED(addition) addition;
	struct stat about;

	addition_init_fitting(&addition);
	CHECK_NUMBER(addition_open(&addition), 0);
	CHECK_NUMBER(addition_fill(&addition), 0);
	CHECK_NUMBER(addition_finish(&addition), 0);
	CHECK_TEXT(addition.error.text, "");
	CHECK_NUMBER(stat(addition.path, &about), 0);
	CHECK(about.st_size > 200000);
}

TEST(a_recording_that_ends_early_leaves_the_trace_as_it_was)
{
	SCOPED(addition) addition;

	addition_init_fitting(&addition);
	CHECK_NUMBER(addition_open(&addition), 0);
	CHECK_NUMBER(addition_fill(&addition), 0);
	CHECK(is_as_before(&addition));
	timeline_release(&addition.timeline);
	CHECK(is_as_before(&addition));
	addition.timeline = (struct timeline){ 0 };
}

/* The temporary file is smaller than the trace with it. */
TEST(a_full_disk_leaves_the_trace_as_it_was)
{
	SCOPED(addition) addition;
	struct buffer filler = { 0 };
	struct rlimit limit, before;
	size_t packet;

	addition_init_fitting(&addition);
	packet = proto_begin(&filler, 1);
	for (int i = 0; i < 100000; i++)
		proto_number(&filler, 8, 1);
	proto_end(&filler, packet);
	folder_add(&addition.folder, "trace", filler.data, filler.size);
	buffer_append(&addition.before, filler.data, filler.size);
	buffer_release(&filler);
	CHECK_NUMBER(addition_open(&addition), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = addition.before.size + 10;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK_NUMBER(addition_finish(&addition), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK(strstr(addition.error.text, "File too large"));
	CHECK(is_as_before(&addition));
}

TEST(two_do_not_add_at_once)
{
	SCOPED(addition) addition;
	int fd;

	addition_init_fitting(&addition);
	fd = open(addition.path, O_RDONLY | O_CLOEXEC);
	CHECK_NUMBER(flock(fd, LOCK_EX), 0);
	CHECK_NUMBER(addition_open(&addition), -1);
	CHECK(strstr(addition.error.text, "another program has locked it"));
	CHECK(is_as_before(&addition));
	close(fd);
}

TEST(what_others_add_meanwhile_stays)
{
	SCOPED(addition) addition;

	addition_init_fitting(&addition);
	CHECK_NUMBER(addition_open(&addition), 0);
	folder_add(&addition.folder, "trace", addition.before.data, addition.before.size);
	packet_append(&addition.before, FIXTURE_START_NS, WALL_NS, 7);
	CHECK_NUMBER(addition_finish(&addition), -1);
	CHECK(strstr(addition.error.text, "another program has changed it"));
	CHECK(is_as_before(&addition));
}

/* The difference to our offset is no 64-bit number. */
TEST(clocks_beyond_all_bounds_are_of_another_boot)
{
	FIXTURE(addition, addition, (UINT64_C(1) << 63) + 5, 5, 7);

	CHECK_NUMBER(addition_open(&addition), -1);
	CHECK(strstr(addition.error.text, "the trace is of another boot"));
	CHECK(is_as_before(&addition));
}

TEST(a_sequence_of_64_bits_is_not_cut)
{
	FIXTURE(addition, addition, FIXTURE_START_NS, WALL_NS, (UINT64_C(1) << 32) + 5);

	CHECK_NUMBER(addition_open(&addition), -1);
	CHECK(strstr(addition.error.text, "no packet sequence left"));
	CHECK(is_as_before(&addition));
}

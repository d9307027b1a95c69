// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading an instance and its companions. */
#include "fixtures/source_fixture.h"

/** struct pair - an instance and its sideband, read by the first's source */
struct pair {
	struct source_fixture reader;
	struct source_fixture sideband;
};

static void pair_init(struct pair *pair)
{
	source_fixture_init(&pair->reader, 2);
	source_fixture_init(&pair->sideband, 2);
	ADD(&pair->reader, 0, 0, 10, 30);
	ADD(&pair->sideband, 1, 0, 5, 20, 60);
}

static void pair_open(struct pair *pair)
{
	const struct instance_paths paths = {
		.list = { [INSTANCE_MAIN] = pair->reader.instance.path,
			  [INSTANCE_SIDEBAND] = pair->sideband.instance.path },
	};

	CHECK_NUMBER(source_live_open(&pair->reader.source, &paths, NULL, &pair->reader.error), 0);
}

static void pair_release(struct pair *pair)
{
	source_fixture_release(&pair->reader);
	source_fixture_release(&pair->sideband);
}

TEST(both_are_merged_and_count_their_cpus_once)
{
	FIXTURE(pair, pair);

	pair_open(&pair);
	CHECK_NUMBER(source_describe(pair.reader.source)->nr_cpus, 2);
	CHECK(source_describe(pair.reader.source)->buffers == NULL);
	check_drain(&pair.reader, 25, "cpu 1 at 5\ncpu 0 at 10\ncpu 1 at 20\n");
	check_finish(&pair.reader, 100, 0, "cpu 0 at 30\ncpu 1 at 60\n");
}

TEST(what_is_lost_in_the_sideband_is_counted_apart)
{
	FIXTURE(pair, pair);

	ADD(&pair.sideband, 1, 4, 70);
	folder_add_text(&pair.sideband.instance, "per_cpu/cpu1/stats", "overrun: 4\n");
	folder_add_text(&pair.sideband.instance, "per_cpu/cpu0/stats", "dropped events: 2\n");
	folder_add_text(&pair.reader.instance, "per_cpu/cpu1/stats", "dropped events: 1\n");
	pair_open(&pair);
	check_finish(&pair.reader, 100, 1,
		     "cpu 1 at 5\ncpu 0 at 10\ncpu 1 at 20\ncpu 0 at 30\ncpu 1 at 60\n"
		     "cpu 1 at 70\ncpu 1 lost 1 from 0 to 100\n");
	CHECK_NUMBER(source_lost_sideband(pair.reader.source), 6);
}

TEST(the_first_record_is_that_of_a_track)
{
	int64_t first_ns;
	FIXTURE(pair, pair);

	pair_open(&pair);
	CHECK_NUMBER(source_first_time(pair.reader.source, &first_ns, &pair.reader.error), 1);
	CHECK_NUMBER(first_ns, 10);
}

static void buffer_empty(struct source_fixture *reader, const char *file)
{
	CHECK_NUMBER(truncate(folder_path(&reader->instance, file), 0), 0);
}

/* Unread records may be overwritten, those of the sideband not. */
TEST(the_sideband_is_read_while_the_rest_is_held)
{
	FIXTURE(pair, pair);

	pair_open(&pair);
	source_hold(pair.reader.source, true);
	source_read_ahead(pair.reader.source);
	buffer_empty(&pair.reader, "per_cpu/cpu0/trace_pipe_raw");
	buffer_empty(&pair.sideband, "per_cpu/cpu1/trace_pipe_raw");
	source_hold(pair.reader.source, false);
	check_finish(&pair.reader, 100, 0, "cpu 1 at 5\ncpu 1 at 20\ncpu 1 at 60\n");
}

/** struct trio - an instance and both companions, read by the first's source */
struct trio {
	struct source_fixture reader;
	struct source_fixture convention;
	struct source_fixture sideband;
};

static int buffers_log(void *context, const struct record *record, struct error *error)
{
	(void)error;
	buffer_printf(context, "%u at %lld ", record->buffer, (long long)record->time_ns);
	return 0;
}

static int buffers_lost_log(void *context, const struct loss *loss, struct error *error)
{
	(void)error;
	buffer_printf(context, "%u lost %lld ", loss->buffer, (long long)loss->count);
	return 0;
}

static void trio_init(struct trio *trio)
{
	struct instance_paths paths;

	source_fixture_init(&trio->reader, 2);
	source_fixture_init(&trio->convention, 2);
	source_fixture_init(&trio->sideband, 2);
	ADD(&trio->reader, 0, 0, 10, 30);
	ADD(&trio->convention, 0, 0, 20, 40);
	ADD(&trio->sideband, 1, 0, 5);
	folder_add_text(&trio->reader.instance, "per_cpu/cpu1/stats", "dropped events: 3\n");
	folder_add_text(&trio->convention.instance, "per_cpu/cpu0/stats", "dropped events: 2\n");
	paths = (struct instance_paths){
		.list = { [INSTANCE_MAIN] = trio->reader.instance.path,
			  [INSTANCE_CONVENTION] = trio->convention.instance.path,
			  [INSTANCE_SIDEBAND] = trio->sideband.instance.path },
	};
	CHECK_NUMBER(source_live_open(&trio->reader.source, &paths, NULL, &trio->reader.error), 0);
}

static void trio_release(struct trio *trio)
{
	source_fixture_release(&trio->reader);
	source_fixture_release(&trio->convention);
	source_fixture_release(&trio->sideband);
}

TEST(the_conventions_buffer_has_a_number_and_losses_of_its_own)
{
	SCOPED_BUFFER(log);
	const struct source_handler handler = { .context = &log,
						.record = buffers_log,
						.loss = buffers_lost_log };
	const struct recording *about;
	uint64_t lost;
	FIXTURE(trio, trio);

	about = source_describe(trio.reader.source);
	CHECK_NUMBER(about->nr_cpus, 2);
	CHECK_NUMBER(about->nr_buffers, 2);
	CHECK_NUMBER(about->convention_buffer, 1);
	CHECK_TEXT(about->buffers[0], "");
	CHECK_TEXT(about->buffers[1], "convention");
	CHECK_NUMBER(source_finish(trio.reader.source, 100, &handler, &lost, &trio.reader.error),
		     0);
	CHECK_TEXT(buffer_string(&log),
		   "2 at 5 0 at 10 1 at 20 0 at 30 1 at 40 0 lost 3 1 lost 2 ");
	CHECK_NUMBER(lost, 5);
}

/* What is read at the end stays in its buffer, too. */
TEST(the_conventions_buffer_is_held_like_the_first)
{
	FIXTURE(trio, trio);

	source_hold(trio.reader.source, true);
	source_read_ahead(trio.reader.source);
	buffer_empty(&trio.convention, "per_cpu/cpu0/trace_pipe_raw");
	buffer_empty(&trio.sideband, "per_cpu/cpu1/trace_pipe_raw");
	source_hold(trio.reader.source, false);
	check_finish(&trio.reader, 100, 5,
		     "cpu 1 at 5\ncpu 0 at 10\ncpu 0 at 30\ncpu 1 lost 3 from 0 to 100\n"
		     "cpu 0 lost 2 from 0 to 100\n");
}

/* A module was unloaded: the kernel empties the buffers that had its records. */
TEST(only_emptied_buffers_have_lost_records)
{
	SCOPED_BUFFER(log);
	const struct source_handler handler = { .context = &log,
						.record = buffers_log,
						.loss = buffers_lost_log };
	FIXTURE(trio, trio);

	CHECK_NUMBER(source_start_over(trio.reader.source, INSTANCE_CONVENTION, false, 50, &handler,
				       &trio.reader.error),
		     0);
	CHECK_TEXT(buffer_string(&log), "1 lost -1 1 lost -1 ");
	buffer_clear(&log);
	CHECK_NUMBER(source_start_over(trio.reader.source, INSTANCE_MAIN, false, 50, &handler,
				       &trio.reader.error),
		     0);
	CHECK_TEXT(buffer_string(&log), "0 lost -1 0 lost -1 ");
	buffer_clear(&log);
	CHECK_NUMBER(source_start_over(trio.reader.source, INSTANCE_CONVENTION, true, 50, &handler,
				       &trio.reader.error),
		     0);
	CHECK_TEXT(buffer_string(&log), "");
}

TEST(nothing_of_the_conventions_buffers_is_lost_without_them)
{
	SCOPED_BUFFER(log);
	const struct source_handler handler = { .context = &log, .loss = buffers_lost_log };
	FIXTURE(pair, pair);

	pair_open(&pair);
	CHECK_NUMBER(source_start_over(pair.reader.source, INSTANCE_CONVENTION, false, 50, &handler,
				       &pair.reader.error),
		     0);
	CHECK_TEXT(buffer_string(&log), "");
}

static void check_percent(struct source_fixture *fixture, const char *want)
{
	SCOPED_BUFFER(text);

	CHECK_NUMBER(file_read(folder_path(&fixture->instance, "buffer_percent"), &text), 0);
	CHECK_TEXT(buffer_string(&text), want);
}

/* A file, unlike the kernel's, keeps the second digit of the value before. */
TEST(the_first_record_of_either_buffer_wakes_the_reader)
{
	struct buffer_reader *reader;
	struct error error = { 0 };
	int ready_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	FIXTURE(trio, trio);

	const struct instance_paths paths = {
		.list = { [INSTANCE_MAIN] = trio.reader.instance.path,
			  [INSTANCE_CONVENTION] = trio.convention.instance.path },
	};

	folder_add_text(&trio.reader.instance, "buffer_percent", "50");
	folder_add_text(&trio.convention.instance, "buffer_percent", "50");
	CHECK_NUMBER(buffer_reader_open(&reader, &paths, &error), 0);
	buffer_reader_wake_early(reader, &paths);
	check_percent(&trio.convention, "20");
	buffer_reader_wait(reader, ready_fd, 0, 50);
	check_percent(&trio.reader, "00");
	check_percent(&trio.convention, "00");
	close(ready_fd);
	buffer_reader_close(reader);
}

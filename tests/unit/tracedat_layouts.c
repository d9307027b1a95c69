// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of trace.dat files as they should be: every layout gives the same records, and says who
 * wrote it.
 */
#include <stdio.h>
#include <string.h>

#include "source/source.h"

#include "fixtures/trace_dat.h"
#include "fixtures/source_log.h"
#include "fixtures/tap.h"

static const char *const statistics[] = { "CPU: 0\noverrun: 0\ndropped events: 3\n",
					  "CPU: 1\noverrun: 5\n",
					  "\nBuffer: other\n\n",
					  "CPU: 0\noverrun: 0\n",
					  "CPU: 1\ncommit overrun: 2\n",
					  NULL };

/* What all of dat.h's files have in common; a reader's word for it. */
static const struct trace_dat plain = {
	.version = 7,
	.long_size = 8,
	.compression = "none",
	.nr_raw_pages_in_chunk = 2,
	.sub_buffer_size = 4096,
	.clock = "local [boot] tai\n",
	.statistics = statistics,
	.has_trace_id = true,
};

static struct trace_dat dat;
static struct scratch scratch;

/* Makes a file of @dat and opens it; NULL where that failed, which is reported. */
static struct source *dat_open(void)
{
	struct error error = { 0 };
	struct buffer bytes = { 0 };
	struct source *source;

	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	scratch_write(&scratch, bytes.data, bytes.size);
	buffer_release(&bytes);
	source_file_open(&source, scratch.path, NULL, &error);
	CHECK_TEXT(error.text, "");
	return source;
}

/* The records of trace_dat_begin() in order, by its own rules. */
static void records_want(struct buffer *want, const struct trace_dat *of)
{
	for (int64_t time_ns = 0; time_ns < 4000; time_ns++) {
		int number = time_ns / 1000 - 1, record = time_ns / 100 % 10,
		    cpu = time_ns / 10 % 10, buffer = time_ns % 10;
		int raw_page = (buffer * DAT_CPUS + cpu) * DAT_RAW_PAGES + number;

		if (number < 0 || record > 3 || cpu >= DAT_CPUS || buffer >= DAT_BUFFERS)
			continue;
		if (record == 0 && of->sub_buffer_size > 4096)
			buffer_printf(want, "%d/%d at %lld: 6000 0\n", buffer, cpu,
				      (long long)time_ns);
		buffer_printf(want, "%d/%d at %lld: 4 %d\n", buffer, cpu, (long long)time_ns,
			      100 * raw_page + record);
		if (raw_page == 3 && record == 3)
			buffer_append_string(want, "0/1 lost 5 from 1310 to 2010\n");
	}
	buffer_append_string(want, "0/0 lost 3 from 3300 to 9999\n1/1 lost 2 from 3311 to 9999\n");
}

/* Of the file's symbols, the second. */
static bool check_symbols(struct source *source)
{
	struct kallsyms_symbol symbol = { 0 };
	struct kallsyms *symbols;
	struct error error = { 0 };
	bool is_right;

	source_read_symbols(source, &symbols, &error);
	CHECK_TEXT(error.text, "");
	is_right = CHECK(symbols && kallsyms_count(symbols) == 2 &&
			 kallsyms_find(symbols, 0xffffffffc0001004, &symbol) &&
			 text_equals(symbol.name, text_of("probe")) &&
			 text_equals(symbol.module, text_of("demo")));
	kallsyms_free(symbols);
	return is_right;
}

static bool check_source(struct source *source)
{
	struct source_log log = { 0 };
	struct buffer want = { 0 };
	struct error error = { 0 };
	bool is_right;

	records_want(&want, &dat);
	CHECK_NUMBER(source_log_read(&log, source, &error), 0);
	is_right = CHECK_TEXT(buffer_string(&log.text), buffer_string(&want));
	CHECK_NUMBER(log.lost, 10);
	is_right &= check_symbols(source);
	if (!CHECK(source_damage(source) == NULL))
		printf("# damage: %s\n", source_damage(source));
	source_log_release(&log);
	buffer_release(&want);
	return is_right;
}

/* One layout with every size of longs, in both byte orders, with small and large sub-buffers. */
static void check_layouts(int version, const char *compression)
{
	static const size_t sizes[] = { 128, 1000, 4096, RAW_PAGE_SIZE };

	scratch_new(&scratch);
	for (int i = 0; i < 16; i++) {
		struct source *source;

		dat = plain;
		dat.version = version;
		dat.compression = compression;
		dat.is_swapped = i & 1;
		dat.long_size = i & 2 ? 4 : 8;
		dat.sub_buffer_size = sizes[i / 4];
		source = dat_open();
		if (!CHECK(source != NULL) || !CHECK(check_source(source)))
			printf("# swapped %d, longs of %u, sub-buffers of %zu\n", i & 1,
			       dat.long_size, sizes[i / 4]);
		source_close(source);
	}
	scratch_remove(&scratch);
}

TEST(version_6_gives_all_records_whatever_machine_wrote_it)
{
	check_layouts(6, "none");
}

TEST(version_7_gives_all_records_whatever_machine_wrote_it)
{
	check_layouts(7, "none");
}

TEST(records_compressed_by_zstd_are_inflated)
{
	check_layouts(7, "zstd");
}

TEST(records_compressed_by_zlib_are_inflated)
{
	check_layouts(7, "zlib");
}

TEST(the_description_says_who_wrote_and_when)
{
	const struct recording *description;
	struct source *source;

	scratch_new(&scratch);
	for (int version = 6; version <= 7; version++) {
		dat = plain;
		dat.version = version;
		dat.is_swapped = version == 7;
		source = dat_open();
		description = source_describe(source);
		CHECK_NUMBER(description->nr_cpus, DAT_CPUS);
		CHECK_TEXT(description->clock, "boot");
		CHECK_TEXT(description->kernel, "1.2.3");
		CHECK_NUMBER(description->nr_buffers, DAT_BUFFERS);
		CHECK_TEXT(description->buffers[0], "");
		CHECK_TEXT(description->buffers[1], "other");
		CHECK(description->is_swapped == (version == 7));
		CHECK_TEXT(description->time_source, "none");
		CHECK_NUMBER(description->wall_offset_ns, 0);
		source_close(source);
	}
	scratch_remove(&scratch);
}

static void check_time(const char *clock, const char *date, const char *offset,
		       const char *time_source, int64_t wall_offset_ns)
{
	struct source *source;

	dat = plain;
	dat.clock = clock;
	dat.date = date;
	dat.offset = offset;
	source = dat_open();
	CHECK_TEXT(source_describe(source)->time_source, time_source);
	CHECK_NUMBER(source_describe(source)->wall_offset_ns, wall_offset_ns);
	source_close(source);
}

TEST(wall_clock_time_is_known_by_a_date_or_the_clock_and_never_guessed)
{
	scratch_new(&scratch);
	check_time("[mono]", "0x660c651844f4d", NULL, "date", INT64_C(0x660c651844f4d) * 1000);
	check_time("[mono]", "0x660c651844f4d", "-7", "date", INT64_C(0x660c651844f4d) * 1000 - 7);
	check_time("[tai]", NULL, NULL, "tai", 0);
	check_time("[boot]", NULL, "1000", "none", 1000);
	check_time("[boot]", "0x7fffffffffffffff", "1000", "none", 0);
	check_time("[boot]", "5000000000000000", NULL, "none", 0);
	check_time(NULL, NULL, NULL, "none", 0);
	check_time("no brackets", "", NULL, "date", 0);
	scratch_remove(&scratch);
}

TEST(a_file_that_names_no_clock_has_that_of_its_first_buffer_or_none)
{
	struct source *source;

	scratch_new(&scratch);
	for (int version = 6; version <= 7; version++) {
		dat = plain;
		dat.version = version;
		dat.clock = NULL;
		source = dat_open();
		if (version == 7)
			CHECK_TEXT(source_describe(source)->clock, "mono");
		else
			CHECK(source_describe(source)->clock == NULL);
		source_close(source);
	}
	scratch_remove(&scratch);
}

TEST(cycle_counts_become_nanoseconds)
{
	struct source_log log = { 0 };
	struct error error = { 0 };
	struct source *source;
	int64_t time_ns;

	scratch_new(&scratch);
	dat = plain;
	dat.multiplier = 3;
	dat.shift = 1;
	source = dat_open();
	CHECK_NUMBER(source_first_time(source, &time_ns, &error), 1);
	CHECK_NUMBER(time_ns, 1500);
	CHECK_NUMBER(source_log_read(&log, source, &error), 0);
	CHECK(strstr(buffer_string(&log.text), "\n1/1 at 4966: 4 1103\n") != NULL);
	source_log_release(&log);
	source_close(source);
	scratch_remove(&scratch);
}

static void check_task(struct source *source, int tid, const char *comm, int tgid)
{
	struct thread_identity task;

	source_find_task(source, tid, &task);
	CHECK_TEXT(task.comm, comm);
	CHECK_NUMBER(task.tgid, tgid);
}

static void check_cgroup(struct source *source, int pid, const char *want)
{
	SCOPED_BUFFER(path);

	source_find_cgroup(source, pid, &path);
	CHECK_TEXT(buffer_string(&path), want);
}

TEST(processes_have_the_cgroups_that_the_file_kept_and_no_others)
{
	static const int others[] = { 8, 0, -1, 1, 7, 300 };
	struct source *source;

	scratch_new(&scratch);
	dat = plain;
	source = dat_open();
	check_cgroup(source, 299, "/b c");
	check_cgroup(source, 4, "/");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check_cgroup(source, others[i], "");
	check_task(source, 300, "three hundred", 299);
	source_close(source);
	scratch_remove(&scratch);
}

TEST(threads_have_the_names_that_the_file_kept_and_no_others)
{
	struct source *source;

	scratch_new(&scratch);
	for (int i = 0; i < 3; i++) {
		dat = plain;
		dat.version = i ? 7 : 6;
		dat.compression = i == 2 ? "zstd" : "none";
		source = dat_open();
		check_task(source, 7, "seven", 0);
		check_task(source, 300, "three hundred", 299);
		check_task(source, 4, "four", 0);
		check_task(source, 12, "", 0);
		check_task(source, 9, "", 0);
		check_task(source, 0, "", 0);
		check_task(source, getpid(), "", 0);
		source_close(source);
	}
	scratch_remove(&scratch);
}

static int format_note(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	(void)error;
	buffer_printf(context, "%s:%s %zu\n", tracepoint->system, tracepoint->name,
		      tracepoint->format.size);
	return 0;
}

TEST(formats_of_all_systems_are_shown)
{
	struct buffer shown = { 0 };
	struct tracepoint_visitor visitor = { .context = &shown, .visit = format_note };
	struct error error = { 0 };
	struct source *source;

	scratch_new(&scratch);
	for (int i = 0; i < 3; i++) {
		dat = plain;
		dat.version = i ? 7 : 6;
		dat.compression = i == 2 ? "zlib" : "none";
		source = dat_open();
		buffer_clear(&shown);
		CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
		CHECK_TEXT(buffer_string(&shown), "demo:word 25\n");
		source_close(source);
	}
	buffer_release(&shown);
	scratch_remove(&scratch);
}

TEST(a_recording_is_known_again)
{
	char ids[4][17];

	scratch_new(&scratch);
	for (int i = 0; i < 4; i++) {
		struct source *source;

		dat = plain;
		dat.has_trace_id = i < 2;
		dat.compression = i == 1 ? "zstd" : "none";
		dat.offset = i == 3 ? "1" : NULL;
		source = dat_open();
		snprintf(ids[i], sizeof(ids[i]), "%s", source_describe(source)->id);
		source_close(source);
	}
	CHECK_NUMBER(strspn(ids[0], "0123456789abcdef"), 16);
	CHECK_TEXT(ids[0], ids[1]);
	CHECK(strcmp(ids[2], ids[3]) != 0);
	CHECK(strcmp(ids[2], ids[0]) != 0);
	scratch_remove(&scratch);
}

/* Lets @fd be standard input while the file named "-" is opened. */
static struct source *input_open(int fd)
{
	struct error error = { 0 };
	struct source *source;
	int saved = dup(STDIN_FILENO);

	dup2(fd, STDIN_FILENO);
	source_file_open(&source, "-", NULL, &error);
	CHECK_TEXT(error.text, "");
	dup2(saved, STDIN_FILENO);
	close(saved);
	return source;
}

TEST(standard_input_may_be_a_file_or_a_pipe)
{
	struct source *source;
	char command[128];
	FILE *pipe;

	scratch_new(&scratch);
	dat = plain;
	source_close(dat_open());
	source = input_open(scratch.fd);
	check_source(source);
	source_close(source);
	snprintf(command, sizeof(command), "cat %s", scratch.path);
	pipe = popen(command, "r");
	source = input_open(fileno(pipe));
	pclose(pipe);
	check_source(source);
	source_close(source);
	scratch_remove(&scratch);
}

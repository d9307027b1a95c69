// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what a command line says of outputs. */
#include "cli/outputs.h"

#include "cli/cli.h"
#include "folder.h"
#include "tap.h"

#define TID (1u << TIMELINE_EMITTER_TID)
#define CPU (1u << TIMELINE_EMITTER_CPU)
#define COMM (1u << TIMELINE_EMITTER_COMM)

/* Applies an option by its name; returns what it returns. */
static int apply(struct outputs *outputs, const char *name, const char *value, struct error *error)
{
	for (size_t i = 0; i < outputs_options.nr_rows; i++) {
		const struct option_row *row = &outputs_options.rows[i];

		if (strcmp(row->long_name, name) == 0)
			return option_row_apply(row, outputs, value, error);
	}
	return 1;
}

static struct outputs outputs_of(const char *name, const char *value)
{
	struct outputs outputs = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(apply(&outputs, name, value, &error), 0);
	return outputs;
}

static void check_refused(const char *name, const char *value, const char *want)
{
	struct outputs outputs = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(apply(&outputs, name, value, &error), -1);
	CHECK_TEXT(error.text, want);
}

TEST(with_is_a_list_of_words)
{
	CHECK_NUMBER(outputs_of("with", "tid").with, TID);
	CHECK_NUMBER(outputs_of("with", "comm,cpu").with, COMM | CPU);
	CHECK_NUMBER(outputs_of("with", "tid,cpu,comm,tid").with, TID | CPU | COMM);
	check_refused("with", "pid", "--with knows tid, cpu and comm, not 'pid'");
	check_refused("with", "tid,cpus", "--with knows tid, cpu and comm, not 'cpus'");
	check_refused("with", "tid,,cpu", "--with knows tid, cpu and comm, not ''");
	check_refused("with", "TID", "--with knows tid, cpu and comm, not 'TID'");
	check_refused("with", "", "--with knows tid, cpu and comm, not ''");
	check_refused("with", "tid,", "--with knows tid, cpu and comm, not ''");
}

TEST(names_are_looked_up_only_where_they_are_asked_for)
{
	struct outputs without = outputs_of("with", "tid,cpu"), with = outputs_of("with", "comm");

	CHECK(!outputs_have_comm(&without) && outputs_have_comm(&with));
}

TEST(event_and_sid_need_a_value_where_they_have_one)
{
	CHECK_TEXT(outputs_of("event", NULL).targets[TRACE2_EVENT], "-");
	CHECK_TEXT(outputs_of("event", "out").targets[TRACE2_EVENT], "out");
	CHECK_TEXT(outputs_of("perf", "out").targets[TRACE2_PERF], "out");
	CHECK_TEXT(outputs_of("normal", NULL).targets[TRACE2_NORMAL], "-");
	CHECK(!outputs_of("normal", NULL).targets[TRACE2_EVENT]);
	check_refused("perf", "", "--perf= names no target; write - or a path");
	check_refused("event", "", "--event= names no target; write - or a path");
	CHECK_TEXT(outputs_of("sid", "mine").sid, "mine");
	check_refused("sid", "", "--sid= names no session");
}

TEST(loss_is_a_failure_where_that_is_asked_for)
{
	struct outputs strict = outputs_of("fail-on-loss", NULL), plain = { 0 };

	CHECK_NUMBER(outputs_status(&plain, true), STATUS_DONE);
	CHECK_NUMBER(outputs_status(&strict, false), STATUS_DONE);
	CHECK_NUMBER(outputs_status(&strict, true), STATUS_LOST);
}

/* Opens the outputs on a file, begins a recording, and returns what the file holds then. */
static struct buffer open_on(const struct folder *folder, const char *name, bool is_appending)
{
	char *argv[] = { (char *)"ktrack", NULL };
	struct recording recording = { .command = "stream",
				       .argv = argv,
				       .source = "",
				       .id = "",
				       .clock = "",
				       .time_source = "",
				       .kernel = "" };
	struct outputs outputs = { .set.is_appending = is_appending };
	struct identity identity = { .sid = (char *)"S", .hierarchy = (char *)"git/stream" };
	struct timeline timeline = { 0 };
	struct buffer content = { 0 };
	struct error error = { 0 };

	outputs.targets[TRACE2_EVENT] = folder_path(folder, name);
	CHECK_NUMBER(outputs_open(&outputs, &timeline, &identity, &error), 0);
	CHECK_NUMBER(output_set_begin(&outputs.set, &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &recording, &error), 0);
	CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
	CHECK_NUMBER(file_read(outputs.targets[TRACE2_EVENT], &content), 0);
	timeline_release(&timeline);
	outputs_release(&outputs);
	return content;
}

TEST(an_open_output_is_a_session_of_this_run)
{
	static const char first[] = "{\"event\":\"version\",\"sid\":\"S\",\"thread\":\"main\",";
	struct buffer content;
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "out", "old\n");
	content = open_on(&folder, "out", true);
	CHECK(strncmp(buffer_string(&content), "old\n{", 5) == 0);
	buffer_release(&content);
	content = open_on(&folder, "out", false);
	CHECK(strncmp(buffer_string(&content), first, strlen(first)) == 0);
	CHECK(strstr(buffer_string(&content), "\"hierarchy\":\"git/stream\"") != NULL);
	buffer_release(&content);
	folder_remove(&folder);
}

TEST(an_output_that_cannot_be_opened_adds_no_sink)
{
	struct outputs outputs = { .targets = { [TRACE2_EVENT] = "/nonexistent/out" } };
	struct identity identity = { .sid = (char *)"S", .hierarchy = (char *)"stream" };
	struct timeline timeline = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(outputs_open(&outputs, &timeline, &identity, &error), -1);
	CHECK_TEXT(error.text,
		   "cannot open /nonexistent/out for writing: No such file or directory");
	CHECK_NUMBER(timeline.nr_sinks, 0);
	timeline_release(&timeline);
	outputs_release(&outputs);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of options for outputs, and of opening them. */
#include "output/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/option_parts.h"
#include "fixtures/capture.h"
#include "fixtures/folder.h"
#include "fixtures/tap.h"

#define TID (1u << TIMELINE_EMITTER_TID)
#define CPU (1u << TIMELINE_EMITTER_CPU)
#define COMM (1u << TIMELINE_EMITTER_COMM)

static size_t kind_number(const char *name)
{
	return sink_kind_number(name);
}

/* Applies an option by its name; returns what it returns. */
static int apply(struct output_settings *outputs, const char *name, const char *value,
		 struct error *error)
{
	struct output_rows rows;
	const struct option_part part = output_options(&rows, 0, true);

	for (size_t i = 0; i < part.nr_rows; i++) {
		if (strcmp(part.rows[i].long_name, name) == 0)
			return option_row_apply(&part.rows[i], outputs, value, error);
	}
	return 1;
}

static struct output_settings outputs_of(const char *name, const char *value)
{
	struct output_settings outputs = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(apply(&outputs, name, value, &error), 0);
	return outputs;
}

static void check_refused(const char *name, const char *value, const char *want)
{
	struct output_settings outputs = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(apply(&outputs, name, value, &error), -1);
	CHECK_TEXT(error.text, want);
}

TEST(with_is_a_list_of_words)
{
	CHECK_NUMBER(outputs_of("with", "tid").with, TID);
	CHECK_NUMBER(outputs_of("with", "comm,cpu").with, COMM | CPU);
	CHECK_NUMBER(outputs_of("with", "tid,cpu,comm,tid").with, TID | CPU | COMM);
	check_refused("with", "pid", "--with=pid: unknown; write tid, cpu or comm");
	check_refused("with", "tid,cpus", "--with=cpus: unknown; write tid, cpu or comm");
	check_refused("with", "tid,,cpu", "--with=: unknown; write tid, cpu or comm");
	check_refused("with", "TID", "--with=TID: unknown; write tid, cpu or comm");
	check_refused("with", "", "--with=: unknown; write tid, cpu or comm");
	check_refused("with", "tid,", "--with=: unknown; write tid, cpu or comm");
}

TEST(event_and_sid_need_a_value_where_they_have_one)
{
	CHECK_TEXT(outputs_of("event", NULL).targets[kind_number("event")], "-");
	CHECK_TEXT(outputs_of("event", "out").targets[kind_number("event")], "out");
	CHECK_TEXT(outputs_of("perf", "out").targets[kind_number("perf")], "out");
	CHECK_TEXT(outputs_of("normal", NULL).targets[kind_number("normal")], "-");
	CHECK_TEXT(outputs_of("html", "page").targets[kind_number("html")], "page");
	CHECK(!outputs_of("normal", NULL).targets[kind_number("event")]);
	check_refused("perf", "", "--perf=: no value; write --perf=TARGET");
	check_refused("html", "", "--html=: no value; write --html=FILE");
	CHECK_TEXT(outputs_of("sid", "mine").sid, "mine");
	check_refused("sid", "", "--sid=: no value; write --sid=TEXT");
}

TEST(loss_is_a_failure_where_that_is_asked_for)
{
	struct output_settings strict = outputs_of("fail-on-loss", NULL), plain = { 0 };
	struct outputs outputs = { .settings = &plain };

	CHECK_NUMBER(outputs_status(&outputs, &(struct output_losses){ true }), STATUS_DONE);
	outputs.settings = &strict;
	CHECK_NUMBER(outputs_status(&outputs, &(struct output_losses){ false }), STATUS_DONE);
	CHECK_NUMBER(outputs_status(&outputs, &(struct output_losses){ true }), STATUS_LOST);
}

/* Opens the outputs, begins a recording and ends it; returns whether standard output is columns. */
static bool begin_on(const struct output_settings *settings)
{
	char *argv[] = { (char *)"ktrack", NULL };
	struct recording recording = { .command = "stream",
				       .argv = argv,
				       .source = "",
				       .id = "",
				       .clock = "",
				       .time_source = "",
				       .kernel = "" };
	struct outputs outputs;
	struct identity identity = { .sid = (char *)"S", .hierarchy = (char *)"git/stream" };
	struct timeline timeline = { 0 };
	struct error error = { 0 };

	outputs_init(&outputs, settings, NULL);
	CHECK_NUMBER(outputs_open(&outputs, &timeline, &identity, &error), 0);
	CHECK_NUMBER(output_set_begin(&outputs.set, &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &recording, &error), 0);
	CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
	timeline_release(&timeline);
	outputs_release(&outputs);
	return outputs.has_chosen_perf;
}

/* Returns what the file holds at the end. */
static struct buffer open_on(const struct folder *folder, const char *name, bool is_appending)
{
	struct output_settings settings = { .is_appending = is_appending };
	struct buffer content = { 0 };

	settings.targets[kind_number("event")] = folder_path(folder, name);
	begin_on(&settings);
	CHECK_NUMBER(file_read(settings.targets[kind_number("event")], &content), 0);
	return content;
}

/* The same with @fd as standard output; returns whether the settings chose columns. */
static bool begin_with_output(const struct output_settings *settings, int fd)
{
	int saved = dup(STDOUT_FILENO);
	bool has_chosen_perf;

	unsetenv("KTRACK_TRACE2_EVENT");
	unsetenv("KTRACK_TRACE2_PERF");
	unsetenv("KTRACK_TRACE2");
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	fflush(stdout);
	CHECK(saved >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	has_chosen_perf = begin_on(settings);
	CHECK(dup2(saved, STDOUT_FILENO) == STDOUT_FILENO);
	close(saved);
	return has_chosen_perf;
}

/* Checks the kind of lines that a terminal gets. */
static void check_terminal(const struct output_settings *settings, bool is_perf)
{
	int shown = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), terminal;
	char text[4096] = "";

	CHECK(shown >= 0 && grantpt(shown) == 0 && unlockpt(shown) == 0);
	terminal = open(ptsname(shown), O_RDWR | O_NOCTTY | O_CLOEXEC);
	CHECK(terminal >= 0);
	CHECK(begin_with_output(settings, terminal) == is_perf);
	CHECK(read(shown, text, sizeof(text) - 1) > 0);
	CHECK((strncmp(text, "{\"event\":", strlen("{\"event\":")) == 0) == !is_perf);
	CHECK((strstr(text, "| version ") != NULL) == is_perf);
	close(terminal);
	close(shown);
}

TEST(a_terminal_gets_columns_if_nothing_else_is_asked_for)
{
	struct output_settings settings = { .suits_terminal = true }, other = { 0 };
	SCOPED(capture) capture;
	int fd = capture_init(&capture);

	check_terminal(&settings, true);
	check_terminal(&other, false);
	other = outputs_of("event", NULL);
	other.suits_terminal = true;
	check_terminal(&other, false);
	CHECK(!begin_with_output(&settings, fd));
	CHECK(strncmp(capture_text(&capture), "{\"event\":", 9) == 0);
	close(fd);
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
	struct output_settings settings = outputs_of("event", "/nonexistent/out");
	struct identity identity = { .sid = (char *)"S", .hierarchy = (char *)"stream" };
	SCOPED(timeline) timeline = { 0 };
	struct error error = { 0 };
	FIXTURE(outputs, outputs, &settings, NULL);

	CHECK_NUMBER(outputs_open(&outputs, &timeline, &identity, &error), -1);
	CHECK_TEXT(error.text,
		   "cannot open /nonexistent/out for writing: No such file or directory");
	CHECK_NUMBER(timeline.nr_sinks, 0);
}

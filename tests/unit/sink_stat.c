// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of statistics on a screen: everything fits, and problems are at the bottom; and of the
 * column that a form is sorted by.
 */
#include <stdlib.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/trace2_fixture.h"
#include "sink/stat/state.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"

#define NR_NAMES 40

static struct timeline_category category = { .text = "a:work" };
static struct timeline_track track = { .number = 1, .category = &category, .comm = "", .cpu = -1 };
static struct timeline_name names[NR_NAMES];

static int push(struct timeline *timeline, struct timeline_event event, struct error *error)
{
	event.time_ns = FIXTURE_START_NS;
	event.begin_ns = FIXTURE_START_NS;
	event.track = &track;
	event.comm = "";
	return timeline_push(timeline, &event, error);
}

/* A slice and an instant of every name, and records that were lost. */
static int push_all(struct timeline *timeline, struct error *error)
{
	static const struct timeline_totals totals = { .unmatched_ends = 7 };
	int status = push(timeline, (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN }, error);

	for (size_t i = 0; i < NR_NAMES && status == 0; i++) {
		struct timeline_event slice = { .kind = TIMELINE_SLICE_END, .depth = 1 };
		struct timeline_event instant = { .kind = TIMELINE_INSTANT };

		names[i] = (struct timeline_name){ .text = text_of("name"), .is_counted = true };
		slice.name = instant.name = &names[i];
		status = push(timeline, slice, error) < 0 ? -1 : push(timeline, instant, error);
	}
	if (status < 0)
		return -1;
	return push(timeline, (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &totals },
		    error);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* How many lines tables have on a screen, all of whose faults are reported. */
static size_t lines_on(const struct sink_stat_settings *wanted)
{
	struct sink_stat_settings stat = *wanted;
	struct sink_settings settings = { .name = "it", .stat = &stat };
	struct timeline timeline = { 0 };
	struct error error = { 0 };
	struct capture capture;
	const char *text;
	size_t nr_lines;

	stat.is_screen = true;
	settings.fd = capture_init(&capture);
	CHECK_NUMBER(timeline_add(&timeline, sink_of("stat", &settings, &error), &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	CHECK_NUMBER(push_all(&timeline, &error), 0);
	timeline_release(&timeline);
	text = capture_text(&capture);
	CHECK(strstr(text, "7 ends without a begin") && strstr(text, "recorded"));
	nr_lines = count_lines(text);
	capture_release(&capture);
	return nr_lines;
}

TEST(tables_are_as_long_as_a_screen_is_high)
{
	size_t all = lines_on(&(struct sink_stat_settings){ 0 });

	CHECK(all > (size_t)2 * NR_NAMES);
	CHECK_NUMBER(lines_on(&(struct sink_stat_settings){ .height = 200 }), all);
	for (unsigned int height = 12; height < 60; height++) {
		size_t nr_lines = lines_on(&(struct sink_stat_settings){ .height = height });

		CHECK(nr_lines < height && nr_lines + 4 > height);
	}
}

TEST(a_screen_that_is_too_low_shows_a_row_of_each_table)
{
	CHECK_NUMBER(lines_on(&(struct sink_stat_settings){ .height = 1 }),
		     lines_on(&(struct sink_stat_settings){ .limit = 1 }));
}

/* The title of the column of the view that rows are sorted by; NULL if none, or several, are. */
static const char *sort_title(const char *word, enum stat_kind kind)
{
	struct sink_stat_settings settings = {
		.groups = { { STAT_KEY_CPU, "cpu", NULL },
			    { STAT_KEY_TRACK, "track", NULL },
			    { STAT_KEY_NAME, "name", NULL } },
		.nr_groups = 3,
		.permille = { 500, 999 },
		.nr_permille = 2,
	};
	static struct stat_columns columns;
	const char *title = NULL;

	CHECK(stat_sort_parse(&settings, word));
	stat_columns_choose(&columns, &settings, STAT_VIEW, kind);
	for (size_t i = 0; i < columns.size; i++) {
		if (!stat_shown_is_sort(&columns.list[i], &settings))
			continue;
		if (title)
			return NULL;
		title = columns.list[i].title;
	}
	return title;
}

TEST(the_sort_column_is_the_one_with_that_key_or_percentile)
{
	CHECK_TEXT(sort_title("track", STAT_SLICES), "TRACK");
	CHECK_TEXT(sort_title("-name", STAT_INSTANTS), "NAME");
	CHECK_TEXT(sort_title("track", STAT_COUNTER), "TRACK");
	CHECK_TEXT(sort_title("p99.9", STAT_SLICES), "P99.9");
	CHECK_TEXT(sort_title("min", STAT_SLICES), "MIN");
	/* The view has no such column: it sorts by another. */
	CHECK(!sort_title("p90", STAT_SLICES));
	CHECK(!sort_title("min", STAT_COUNTER));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the SQLite outputs: streams that end early, odd texts and numbers, and queries. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixtures/capture.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"
#include "fixtures/trace2_fixture.h"

#define PATH_OF_TEST "/tmp/ktrack-sqlite.XXXXXX"

static struct fixture_tracks tracks;
static struct timeline_name name;

/* Two open slices, one in the other, with fields that need care. */
static int push_all(struct timeline *timeline, struct error *error)
{
	static const struct field fields[] = {
		{ .name = { "large", 5 },
		  .value = { .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX } },
		{ .name = { "odd", 3 }, .value = { .kind = VALUE_TEXT, .text = { "a\0\xff", 3 } } },
		{ .name = { "bytes", 5 }, .value = { .kind = VALUE_BYTES, .text = { "\1\2", 2 } } },
		{ .name = { "yes", 3 }, .value = { .kind = VALUE_BOOLEAN, .boolean = true } },
	};
	const struct timeline_event events[] = {
		{ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.slices },
		{ .kind = TIMELINE_SLICE_BEGIN,
		  .track = &tracks.slices,
		  .name = &name,
		  .fields = fields,
		  .nr_fields = 4,
		  .depth = 1 },
		{ .kind = TIMELINE_SLICE_BEGIN,
		  .track = &tracks.slices,
		  .name = &name,
		  .depth = 2 },
		{ .kind = TIMELINE_LOSS, .loss_count = 3, .loss_end_ns = INT64_MAX },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (fixture_push(timeline, events[i], error) < 0)
			return -1;
	}
	return 0;
}

static int push_finish(struct timeline *timeline, struct error *error)
{
	static const struct timeline_totals totals;

	return fixture_push(timeline,
			    (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &totals },
			    error);
}

static int timeline_make(struct timeline *timeline, struct sink *sink, struct error *error)
{
	fixture_tracks_init(&tracks);
	name = (struct timeline_name){ .text = text_of("it") };
	*timeline = (struct timeline){ 0 };
	if (!sink || timeline_add(timeline, sink, error) < 0)
		return -1;
	return timeline_open(timeline, &trace2_fixture_recording, error);
}

TEST(a_stream_that_ends_early_leaves_its_last_transaction)
{
	char path[] = PATH_OF_TEST, journal[64];
	struct sink_query_settings query = { .sql = "SELECT is_complete, (SELECT count(*) FROM "
						    "arg) FROM recording",
					     .form = QUERY_CSV };
	struct sink_settings settings = { .name = path, .path = path, .fd = mkstemp(path) };
	struct timeline timeline;
	struct sink_query_result result = { 0 };
	struct error error = { 0 };
	struct capture capture;

	CHECK_NUMBER(timeline_make(&timeline, sink_of("sqlite", &settings, &error), &error), 0);
	CHECK_NUMBER(push_all(&timeline, &error), 0);
	timeline_release(&timeline);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	CHECK_NUMBER(access(journal, F_OK), -1);
	settings.fd = capture_init(&capture);
	settings.query = &query;
	CHECK_NUMBER(sink_query_database(&settings, path, &result, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_TEXT(capture_text(&capture), "0,0\n");
	capture_release(&capture);
	CHECK_NUMBER(unlink(path), 0);
}

static void query_check(const char *sql, const char *const *parameters, size_t nr_parameters,
			const char *wanted)
{
	struct sink_query_settings query = { .sql = sql,
					     .parameters = parameters,
					     .nr_parameters = nr_parameters,
					     .form = QUERY_CSV };
	SCOPED(capture) capture;
	struct sink_settings settings = { .name = "it",
					  .fd = capture_init(&capture),
					  .query = &query };
	struct timeline timeline;
	struct error error = { 0 };

	if (timeline_make(&timeline, sink_of("query", &settings, &error), &error) == 0 &&
	    push_all(&timeline, &error) == 0)
		push_finish(&timeline, &error);
	timeline_release(&timeline);
	CHECK_TEXT(*error.text ? error.text : capture_text(&capture), wanted);
}

TEST(values_keep_what_they_are)
{
	query_check("SELECT value, typeof(value) FROM arg ORDER BY position", NULL, 0,
		    "18446744073709551615,text\n"
		    "a\xef\xbf\xbd\xef\xbf\xbd,text\n"
		    "0102,text\n"
		    "1,integer\n");
}

TEST(a_loss_to_the_end_has_an_end)
{
	query_check("SELECT end_ns IS NOT NULL, records FROM loss", NULL, 0, "1,3\n");
}

TEST(parameters_are_bound_by_name)
{
	static const char *const parameters[] = { "a=5", "long_name=x y" };

	query_check("SELECT :long_name, :a + 1, :b", parameters, 2, "x y,6,\n");
	query_check("SELECT :a", parameters, 2,
		    "long_name=x y: the query has no :long_name; leave it out");
}

TEST(a_wrong_query_is_reported_before_the_first_event)
{
	query_check("SELECT", NULL, 0, "query: incomplete input; see ktrack-sql(5)");
	query_check("DELETE FROM slice", NULL, 0,
		    "query: it can only read; change a database of --sqlite with sqlite3(1)");
}

TEST(a_full_disk_is_reported)
{
	struct sink_query_settings query = { .sql = "SELECT 1" };
	struct sink_settings settings = { .name = "it",
					  .fd = open("/dev/full", O_WRONLY | O_CLOEXEC),
					  .query = &query };
	SCOPED(timeline) timeline;
	struct error error = { 0 };

	CHECK_NUMBER(timeline_make(&timeline, sink_of("query", &settings, &error), &error), 0);
	CHECK_NUMBER(push_finish(&timeline, &error), -1);
	CHECK_TEXT(error.text, "cannot write to it: No space left on device");
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of triggers: their grammar, and what fires when. */
#include <stdio.h>
#include <string.h>

#include "analysis/internal.h"
#include "fixtures/tap.h"
#include "fixtures/track_fixture.h"

static void check_refused(const char *text, const char *want)
{
	struct error error = { 0 };
	SCOPED(trigger) trigger;

	CHECK_NUMBER(trigger_parse(&trigger, text, &error), -1);
	CHECK_TEXT(error.text, want);
}

TEST(triggers_that_cannot_fire_are_refused)
{
	check_refused("", "'': no name of a slice; write [CATEGORY/]NAME[@TRACK]");
	check_refused("a > ",
		      "'a > ': '' is no time of a slice, such as 50ms, and no number of a counter");
	check_refused("a > 5xs", "'a > 5xs': '5xs' is no time of a slice, such as 50ms, and no "
				 "number of a counter");
	check_refused("a < 5ms",
		      "'a < 5ms': a slice fires when it is too long; write SLICE > TIME");
	check_refused("a if ", "'a if ': no condition behind 'if'; write FIELD == VALUE");
	check_refused("a if b & 1.5", "'a if b & 1.5': '1.5' is no whole number; & compares bits");
	check_refused("a if b && c == 1", "'a if b && c == 1': 'b' is no condition; write FIELD == "
					  "VALUE");
	check_refused("a if b", "'a if b': 'b' is no condition; write FIELD == VALUE");
	check_refused("a if b ==",
		      "'a if b ==': a field or its value is missing; write FIELD == VALUE");
	check_refused("a if b < c",
		      "'a if b < c': 'c' is no number; compare texts with ==, != or ~");
	check_refused("loss if a == 1", "'loss if a == 1': a loss has no fields; leave out 'if'");
	check_refused("a\nb", "a trigger has more than one line; write it on one");
	check_refused("a if b==1&&b==1&&b==1&&b==1&&b==1&&b==1&&b==1&&b==1&&b==1",
		      "'a if b==1&&b==1&&b==1&&b==1&&b==1&&b==1&&b==1&&b==1&&b==1': more than 8 "
		      "conditions; leave out some");
}

static void check_parsed(const char *text, enum trigger_kind kind, int64_t limit,
			 const char *category, const char *name, const char *track)
{
	struct error error = { 0 };
	SCOPED(trigger) trigger;

	CHECK_NUMBER(trigger_parse(&trigger, text, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(trigger.kind, kind);
	CHECK_NUMBER(kind == TRIGGER_COUNTER ? trigger.threshold.number : trigger.limit, limit);
	CHECK_TEXT(trigger.selector.category ? trigger.selector.category : "", category);
	CHECK_TEXT(trigger.selector.name ? trigger.selector.name : "", name);
	CHECK_TEXT(trigger.selector.track ? trigger.selector.track : "", track);
}

TEST(a_trigger_is_what_its_value_says)
{
	check_parsed("block:request/* > 50ms", TRIGGER_SLICE, 50000000, "block:request", "*", "");
	check_parsed("read@tail>=1.5s", TRIGGER_SLICE, 1500000000, "", "read", "tail");
	check_parsed("depth > 100", TRIGGER_COUNTER, 100, "", "depth", "");
	check_parsed("depth <= -0x10", TRIGGER_COUNTER, -16, "", "depth", "");
	check_parsed(" loss ", TRIGGER_LOSS, 0, "", "", "");
	check_parsed("an error", TRIGGER_EVENT, 0, "", "an error", "");
	check_parsed("x > 2ms if a == 1 && b ~ \"x*\"", TRIGGER_SLICE, 2000000, "", "x", "");
}

/** struct trigger_fixture - a timeline whose events are tried */
struct trigger_fixture {
	struct track_fixture track;
	struct trigger_set *set;
	struct buffer fired;
	struct error error;
};

static int fired_note(void *context, const struct trigger_firing *firing)
{
	struct trigger_fixture *fixture = context;

	buffer_printf(&fixture->fired, "%lld", (long long)firing->time_ns);
	if (firing->end_ns != firing->time_ns)
		buffer_printf(&fixture->fired, " to %lld", (long long)firing->end_ns);
	buffer_printf(&fixture->fired, " %s: %s\n", firing->trigger, firing->detail);
	return 0;
}

static void trigger_fixture_init(struct trigger_fixture *fixture, const char *const *texts,
				 size_t size)
{
	const struct trigger_handler handler = { .context = fixture, .fire = fired_note };
	struct sink *sink;

	*fixture = (struct trigger_fixture){ 0 };
	track_fixture_init(&fixture->track, NULL);
	CHECK_NUMBER(trigger_set_new(&fixture->set, texts, size, &handler, &fixture->error), 0);
	sink = trigger_sink_new(fixture->set, &fixture->error);
	/* The fixture's timeline is open, with one sink. */
	sink->index = 1;
	timeline_add(&fixture->track.timeline, sink, &fixture->error);
	CHECK_TEXT(fixture->error.text, "");
}

#define BEGIN(fixture, ...)                                                 \
	trigger_fixture_init(fixture, (const char *const[]){ __VA_ARGS__ }, \
			     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void check_fired(struct trigger_fixture *fixture, const char *want)
{
	CHECK_TEXT(buffer_string(&fixture->fired), want);
	buffer_clear(&fixture->fired);
}

static void trigger_fixture_release(struct trigger_fixture *fixture)
{
	track_fixture_release(&fixture->track);
	trigger_set_free(fixture->set);
	buffer_release(&fixture->fired);
}

static void advance(struct trigger_fixture *fixture, int64_t now_ns)
{
	CHECK_NUMBER(trigger_set_advance(fixture->set, now_ns), 0);
}

TEST(an_open_slice_fires_when_it_reaches_its_limit)
{
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "read > 50ns");
	CHECK_NUMBER(trigger_set_due_ns(fixture.set), INT64_MAX);
	track_fixture_begin(&fixture.track, 1000, 7, "read");
	CHECK_NUMBER(trigger_set_due_ns(fixture.set), 1051);
	advance(&fixture, 1050);
	check_fired(&fixture, "");
	advance(&fixture, 1051);
	check_fired(&fixture, "1051 read > 50ns: read on work tid 7\n");
	CHECK_NUMBER(trigger_set_due_ns(fixture.set), INT64_MAX);
	advance(&fixture, 9000);
	track_fixture_end(&fixture.track, 9000, 7);
	check_fired(&fixture, "");
}

/* Also if the reader sees begin and end at once. */
TEST(a_slice_that_ended_too_late_fires_and_a_short_one_does_not)
{
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "read > 50ns", "re*@7 >= 60ns");
	track_fixture_begin(&fixture.track, 1000, 7, "read");
	track_fixture_end(&fixture.track, 1050, 7);
	check_fired(&fixture, "");
	track_fixture_begin(&fixture.track, 2000, 7, "read");
	track_fixture_end(&fixture.track, 2060, 7);
	check_fired(&fixture, "2051 read > 50ns: read on work tid 7\n"
			      "2060 re*@7 >= 60ns: read on work tid 7\n");
	track_fixture_begin(&fixture.track, 3000, 7, "write");
	track_fixture_end(&fixture.track, 4000, 7);
	check_fired(&fixture, "");
}

TEST(the_first_open_slice_is_due_first)
{
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "* > 100ns", "inner > 10ns");
	track_fixture_begin(&fixture.track, 1000, 7, "outer");
	track_fixture_begin(&fixture.track, 1020, 7, "inner");
	track_fixture_begin(&fixture.track, 1030, 8, "other");
	CHECK_NUMBER(trigger_set_due_ns(fixture.set), 1031);
	track_fixture_end(&fixture.track, 1030, 7);
	CHECK_NUMBER(trigger_set_due_ns(fixture.set), 1101);
	advance(&fixture, 2000);
	check_fired(&fixture, "1101 * > 100ns: outer on work tid 7\n"
			      "1131 * > 100ns: other on work tid 8\n");
}

TEST(a_counter_fires_when_it_crosses_its_threshold)
{
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "load > 10");
	track_fixture_count(&fixture.track, 1000, 7, 10);
	track_fixture_count(&fixture.track, 1001, 7, 11);
	track_fixture_count(&fixture.track, 1002, 7, 12);
	track_fixture_count(&fixture.track, 1003, 8, 13);
	track_fixture_count(&fixture.track, 1004, 7, 1);
	track_fixture_count(&fixture.track, 1005, 7, 99);
	check_fired(&fixture, "1001 load > 10: load tid 7 is 11\n1003 load > 10: load tid 8 is 13\n"
			      "1005 load > 10: load tid 7 is 99\n");
}

static bool exceeds(const char *text, const struct value *value)
{
	struct trigger trigger;
	struct error error = { 0 };
	bool is_beyond;

	CHECK_NUMBER(trigger_parse(&trigger, text, &error), 0);
	CHECK_NUMBER(trigger.kind, TRIGGER_COUNTER);
	is_beyond = trigger_exceeds(&trigger, value);
	trigger_release(&trigger);
	return is_beyond;
}

TEST(thresholds_may_have_a_fraction)
{
	const struct value half = { .kind = VALUE_FLOATING, .floating = 0.5 };
	const struct value one = { .kind = VALUE_SIGNED, .signed_number = 1 };
	const struct value odd = { .kind = VALUE_FLOATING, .floating = __builtin_nan("") };

	CHECK(exceeds("load > 0.25", &half));
	CHECK(!exceeds("load > 0.5", &half));
	CHECK(exceeds("load >= 0.5", &half));
	CHECK(exceeds("load < 1.5e0", &one));
	CHECK(!exceeds("load > 1.5", &one));
	CHECK(exceeds("load > -0.5", &half));
	CHECK(!exceeds("load < 0.5", &odd));
	check_refused("load > 1.5.", "'load > 1.5.': '1.5.' is no time of a slice, such as 50ms, and "
				     "no number of a counter");
	check_refused("load > 1e999", "'load > 1e999': '1e999' is no time of a slice, such as 50ms, "
				      "and no number of a counter");
}

TEST(an_instant_fires_each_time)
{
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "error*");
	track_fixture_instant(&fixture.track, 1000, 7, "error 5");
	track_fixture_instant(&fixture.track, 1001, 7, "fine");
	track_fixture_begin(&fixture.track, 1002, 7, "error\nline");
	track_fixture_end(&fixture.track, 1003, 7);
	check_fired(&fixture, "1000 error*: error 5 on work tid 7\n"
			      "1002 error*: error?line on work tid 7\n");
}

static void check_condition(const char *text, const struct field *fields, size_t nr_fields,
			    bool want)
{
	const struct timeline_event event = { .fields = fields, .nr_fields = nr_fields };
	struct error error = { 0 };
	SCOPED(trigger) trigger;

	CHECK_NUMBER(trigger_parse(&trigger, text, &error), 0);
	if (!CHECK_NUMBER(trigger_accepts(&trigger, &event), want))
		printf("# %s\n", text);
}

TEST(conditions_compare_fields)
{
	const struct field fields[] = {
		{ text_of("ret"), { .kind = VALUE_SIGNED, .signed_number = -5 } },
		{ text_of("size"), { .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX } },
		{ text_of("ok"), { .kind = VALUE_BOOLEAN, .boolean = true } },
		{ text_of("disk"), { .kind = VALUE_TEXT, .text = text_of("sda1") } },
		{ text_of("number"), { .kind = VALUE_TEXT, .text = text_of("7") } },
		{ text_of("both"), { .kind = VALUE_TEXT, .text = text_of("a && b") } },
		{ text_of("said"), { .kind = VALUE_TEXT, .text = text_of("say \"hi\"") } },
	};
	static const char *const true_ones[] = { "ret == -5",	  "ret < 0",	  "ret <= -5",
						 "ret != 5",	  "ret >= -5",	  "size > 5",
						 "ok == 1",	  "disk == sda1", "disk ~ sd*",
						 "disk ~ 'sd*'",  "disk != sda",  "ok == true",
						 "ret<0&&size>1", "number == 7",  "ret ~ -*",
						 "size & 8",	  "ok & 1",	  "ret & 2 && ok == 1",
						 "both == 'a && b'", "both ~ \"*&&*\" && ok == 1",
						 "disk == 'sda1'&&ret<0",
						 "said == \"say \"hi\"\"" };
	static const char *const false_ones[] = { "ret == 5",	  "ret > -5",	 "size < 5",
						  "ok == 0",	  "disk == sda", "none == 1",
						  "none != 1",	  "disk ~ nv*",	 "disk > 1",
						  "ret<0&&size<1", "ret & 4",	"disk & 1",
						  "both == 'a && c'",
						  "both == 'a && b' && ok == 0" };

	for (size_t i = 0; i < sizeof(true_ones) / sizeof(true_ones[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "x if %s", true_ones[i]);
		check_condition(text, fields, 7, true);
	}
	for (size_t i = 0; i < sizeof(false_ones) / sizeof(false_ones[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "x > 5ms if %s", false_ones[i]);
		check_condition(text, fields, 7, false);
	}
}

TEST(conditions_compare_floating_numbers)
{
	const struct field fields[] = {
		{ text_of("ratio"), { .kind = VALUE_FLOATING, .floating = 0.5 } },
		{ text_of("odd"), { .kind = VALUE_FLOATING, .floating = __builtin_nan("") } },
	};

	check_condition("x if ratio > 0 && ratio < 1 && ratio != 1", fields, 2, true);
	check_condition("x if ratio == 0.5 && odd == NaN && odd != 1", fields, 2, true);
	check_condition("x if ratio > 0.25 && ratio < 5e-1", fields, 2, false);
	check_condition("x if ratio > 0.25 && ratio <= 5e-1", fields, 2, true);
	check_condition("x if odd >= 0.5", fields, 2, false);
	check_condition("x if odd >= 0", fields, 2, false);
	check_condition("x if odd <= 0", fields, 2, false);
	check_condition("x if odd == 0", fields, 2, false);
}

TEST(a_loss_fires_and_makes_open_slices_doubtful)
{
	const struct loss loss = { .cpu = 0, .from_ns = 1010, .to_ns = 1020, .count = 3 };
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "loss", "read > 50ns");
	track_fixture_begin(&fixture.track, 1000, 7, "read");
	CHECK_NUMBER(tracks_lose(fixture.track.tracks, &loss, &fixture.error), 0);
	track_fixture_begin(&fixture.track, 1030, 8, "read");
	advance(&fixture, 2000);
	check_fired(&fixture, "1010 to 1020 loss: cpu 0 lost 3 records\n"
			      "1051 read > 50ns: read on work tid 7, unless its end was lost\n"
			      "1081 read > 50ns: read on work tid 8\n");
}

/* More open slices than are watched are counted; those that end make room. */
TEST(the_number_of_watched_slices_is_limited)
{
	SCOPED(trigger_fixture) fixture;

	BEGIN(&fixture, "* > 1h");
	for (int tid = 1; tid <= 20000; tid++) {
		for (int depth = 0; depth < 4; depth++)
			track_fixture_begin(&fixture.track, 1000, tid, "deep");
	}
	CHECK_NUMBER(trigger_set_unwatched(fixture.set), 80000 - TRIGGER_SLICES_MAX);
}

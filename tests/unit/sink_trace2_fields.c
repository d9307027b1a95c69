// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the trace2 sink: whatever fields a record has, its line has what base makes of them. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/json.h"
#include "fixtures/random.h"
#include "fixtures/trace2_fixture.h"
#include "fixtures/tap.h"

/* The last name is one that JSON escapes, the one before is the longest. */
static const char *const names[] = {
	"a",
	"request",
	"name_of_twentyseven_letters",
	"name_of_twenty_eight_letters",
	"name_of_thirtyfour_letters_in_all_",
	"quoted\"name",
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

/* More fields than are remembered for a tracepoint. */
#define FIELDS_MAX 70

/**
 * struct record_maker - makes the records of one tracepoint
 * @nr_fields: how many fields its records have, when none is left out
 * @nr_names: so many of the names are used
 * @has_all: none is left out
 * @has_texts: not all values are numbers
 * @labels: the names, each at a place of its own, as they are in a descriptor
 */
struct record_maker {
	struct random random;
	size_t nr_fields;
	size_t nr_names;
	bool has_all;
	bool has_texts;
	char labels[FIELDS_MAX][64];
	struct field fields[FIELDS_MAX];
};

static struct value number_make(struct random *random)
{
	uint64_t number = random_next(random) >> random_below(random, 64);

	if (random_below(random, 8) == 0)
		number = (UINT64_C(1) << 53) - 1 + random_below(random, 3);
	/* Values repeat, also those of which the bits alone are the same. */
	if (random_below(random, 2) == 0)
		number = random_below(random, 2) ? UINT64_MAX : 5;
	if (random_below(random, 2) == 0)
		return (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = number };
	return (struct value){ .kind = VALUE_SIGNED,
			       .signed_number = random_below(random, 3) ? (int64_t)number
									: -(int64_t)number };
}

static struct value text_make(struct random *random)
{
	static const char *const texts[] = {
		"",	  "a",	      "nvme0n1", "a \"b\"",
		"line\n", "\xc3\xa9", "\xff",	 "a text of more than thirty-two bytes, all plain"
	};

	return (struct value){
		.kind = VALUE_TEXT,
		.text = text_of(texts[random_below(random, sizeof(texts) / sizeof(texts[0]))]),
	};
}

static struct value value_make(struct record_maker *maker)
{
	switch (maker->has_texts ? random_below(&maker->random, 6) : 6) {
	case 0:
	case 1:
		return text_make(&maker->random);
	case 2:
		return (struct value){ .kind = VALUE_BOOLEAN, .boolean = true };
	case 3:
		return (struct value){ .kind = VALUE_BYTES, .text = { "\x7f\x80", 2 } };
	default:
		return number_make(&maker->random);
	}
}

/* Returns how many fields the next record has. */
static size_t record_make(struct record_maker *maker)
{
	size_t nr_fields = 0;

	for (size_t i = 0; i < maker->nr_fields; i++) {
		if (!maker->has_all && random_below(&maker->random, 4) == 0)
			continue;
		maker->fields[nr_fields++] = (struct field){ .name = text_of(maker->labels[i]),
							     .value = value_make(maker) };
	}
	return nr_fields;
}

static void fields_want(struct buffer *want, const struct field *fields, size_t nr_fields)
{
	bool first = true;

	buffer_append_char(want, '{');
	for (size_t i = 0; i < nr_fields; i++) {
		json_append_member(want, fields[i].name, &first);
		value_append_json(want, &fields[i].value);
	}
	buffer_append_char(want, '}');
}

static void line_want(struct buffer *want, const struct timeline_event *event)
{
	SCOPED_BUFFER(message);

	buffer_clear(want);
	if (event->nr_fields > 0 && event->kind == TIMELINE_SLICE_BEGIN) {
		fields_append_text(&message, event->fields, event->nr_fields);
		buffer_append_string(want, ",\"msg\":");
		json_append_string(want, buffer_text(&message));
	}
	if (event->kind == TIMELINE_SLICE_BEGIN)
		buffer_append_string(want, EVENT_T("t_abs", "002"));
	if (event->kind == TIMELINE_INSTANT)
		buffer_append_string(want, ",\"value\":");
	if (event->kind == TIMELINE_COUNTER)
		buffer_append_string(want, ",\"value\":\"5\"");
	if (event->kind != TIMELINE_INSTANT && event->nr_fields > 0)
		buffer_append_string(want, ",\"args\":");
	if (event->kind == TIMELINE_INSTANT || event->nr_fields > 0)
		fields_want(want, event->fields, event->nr_fields);
	buffer_append_string(want, "}\n");
}

/* Compares what follows the label, or the key. */
static void record_check(struct trace2_fixture *fixture, const struct timeline_event *event)
{
	const char *key = event->name ? "\"read\"" : "\"read tid 3\"";
	SCOPED_BUFFER(want);
	const char *reported;

	trace2_fixture_push(fixture, 2, *event);
	reported = strstr(trace2_fixture_output(fixture), key);
	line_want(&want, event);
	CHECK_TEXT(reported ? reported + strlen(key) : "", buffer_string(&want));
}

/* Records of one tracepoint, of all kinds that have fields. */
static void records_check(struct record_maker *maker)
{
	static const enum timeline_kind kinds[] = { TIMELINE_SLICE_BEGIN, TIMELINE_INSTANT,
						    TIMELINE_COUNTER };
	struct timeline_category category = { .text = "a:work" };
	struct timeline_track track = { .number = 1, .category = &category, .cpu = -1, .comm = "" };
	struct timeline_name name = { .text = text_of("read"), .is_counted = true };
	struct timeline_event event = {
		.track = &track, .fields = maker->fields, .comm = "", .outer_ns = FIXTURE_START_NS
	};
	SCOPED(trace2_fixture) fixture;

	event.kind = kinds[random_below(&maker->random, 3)];
	event.name = event.kind == TIMELINE_COUNTER ? NULL : &name;
	event.value = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = 5 };
	event.depth = event.kind == TIMELINE_SLICE_BEGIN;
	track.kind = event.kind == TIMELINE_COUNTER ? TRACK_COUNTER : TRACK_SLICES;
	track.name = text_of("read");
	track.id = (struct value){ .kind = VALUE_SIGNED, .signed_number = 3 };
	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_track(&fixture, 0, &track);
	trace2_fixture_output(&fixture);
	for (int i = 0; i < 6; i++) {
		event.nr_fields = record_make(maker);
		record_check(&fixture, &event);
	}
}

static void maker_init(struct record_maker *maker)
{
	struct random *random = &maker->random;

	maker->nr_fields = random_below(random, 10) ? random_below(random, 6) : FIELDS_MAX;
	maker->nr_names = 2 + random_below(random, NR_NAMES - 1);
	maker->has_all = random_below(random, 3) > 0;
	maker->has_texts = random_below(random, 3) == 0;
	for (size_t i = 0; i < maker->nr_fields; i++)
		strcpy(maker->labels[i], names[random_below(random, maker->nr_names)]);
}

TEST(lines_have_the_fields_of_their_records_whatever_they_are)
{
	static struct record_maker maker = { .random = { .state = 7 } };

	for (int i = 0; i < 600; i++) {
		maker_init(&maker);
		records_check(&maker);
	}
}

/* Each value takes the place of the one before. */
TEST(a_text_is_another_value_than_a_number_with_its_digits)
{
	struct timeline_category category = { .text = "a:work" };
	struct timeline_track track = { .number = 1, .category = &category, .cpu = -1, .comm = "" };
	struct timeline_name name = { .text = text_of("read"), .is_counted = true };
	struct field field = { .name = text_of("bytes"),
			       .value = { .kind = VALUE_UNSIGNED, .unsigned_number = 12345 } };
	struct timeline_event event = { .kind = TIMELINE_INSTANT,
					.track = &track,
					.name = &name,
					.fields = &field,
					.nr_fields = 1,
					.comm = "",
					.outer_ns = FIXTURE_START_NS };
	SCOPED(trace2_fixture) fixture;

	track.name = text_of("read");
	track.id = (struct value){ .kind = VALUE_SIGNED, .signed_number = 3 };
	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_track(&fixture, 0, &track);
	trace2_fixture_output(&fixture);
	record_check(&fixture, &event);
	record_check(&fixture, &event);
	field.value = (struct value){ .kind = VALUE_TEXT, .text = text_of("234") };
	record_check(&fixture, &event);
	field.value.text = text_of("235");
	record_check(&fixture, &event);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of texts of trace_marker: what each form means, malformed and hostile ones, and the tracepoints made of them. */
#include "rules/rules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"
#include "rules/rule.h"

/* As the kernels 6.1 and 6.12 have it. */
static const char print_format[] =
	FORMAT("print", 5,
	       FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf[]", 16, 0, 0));

#define RECORD_SIZE_MAX 70000

/* "KIND PID NAME TRACK VALUE" of a text. */
static void check_text(const char *text, const char *want)
{
	static const char letters[] = "BECSFGHINT";
	SCOPED_BUFFER(found);
	struct marker_text parsed;

	marker_text_parse(text_of(text), &parsed);
	buffer_printf(&found, "%c %d '%.*s' '%.*s' %lld", letters[parsed.kind], parsed.pid,
		      (int)parsed.name.size, parsed.name.data, (int)parsed.track.size,
		      parsed.track.data, (long long)parsed.value);
	if (!CHECK_TEXT(buffer_string(&found), want))
		CHECK_TEXT(text, "");
}

/* A text that has no other meaning. */
static void check_plain(const char *text)
{
	struct marker_text parsed;

	marker_text_parse(text_of(text), &parsed);
	if (!CHECK_NUMBER(parsed.kind, MARKER_TEXT) ||
	    !CHECK(text_equals(parsed.name, text_of(text))))
		CHECK_TEXT(text, "");
}

TEST(every_form_has_its_meaning)
{
	check_text("B|1|name", "B 1 'name' '' 0");
	check_text("B|1|a|b|c\n", "B 1 'a|b|c' '' 0");
	check_text("B|1|", "B 1 '' '' 0");
	check_text("B|0|zero\n\n", "B 0 'zero' '' 0");
	check_text("E", "E 0 '' '' 0");
	check_text("E|\n", "E 0 '' '' 0");
	check_text("E|2147483647", "E 2147483647 '' '' 0");
	check_text("E|1|frame", "E 1 '' '' 0");
	check_text("C|1|queue|-5", "C 1 'queue' '' -5");
	check_text("C|1|queue|5|category\n", "C 1 'queue' '' 5");
	check_text("C|1||0", "C 1 '' '' 0");
	check_text("S|1|name|7", "S 1 'name' '' 7");
	check_text("F|1|name|7\n", "F 1 'name' '' 7");
	check_text("G|1|track|name|7", "G 1 'name' 'track' 7");
	check_text("H|1|track|7", "H 1 '' 'track' 7");
	check_text("H|1|track|name|7", "H 1 'name' 'track' 7");
	check_text("H|1|track|3|7", "H 1 '3' 'track' 7");
	check_text("I|1|name", "I 1 'name' '' 0");
	check_text("I|1|name|more", "I 1 'name' '' 0");
	check_text("N|1|track|name", "N 1 'name' 'track' 0");
	check_text("text\n", "T 0 'text' '' 0");
}

TEST(numbers_have_64_bits)
{
	check_text("C|1|n|9223372036854775807", "C 1 'n' '' 9223372036854775807");
	check_text("C|1|n|-9223372036854775808", "C 1 'n' '' -9223372036854775808");
	check_text("C|1|n|-0", "C 1 'n' '' 0");
	check_text("C|1|n|0000000000000000000000007", "C 1 'n' '' 7");
	check_plain("C|1|n|9223372036854775808");
	check_plain("C|1|n|-9223372036854775809");
	check_plain("C|1|n|99999999999999999999999999");
	check_plain("C|1|n|");
	check_plain("C|1|n|-");
	check_plain("C|1|n|+1");
	check_plain("C|1|n| 1");
	check_plain("C|1|n|1.5");
	check_plain("C|1|n|0x10");
	check_plain("C|1|n|1-");
	check_plain("C|1|n|/");
	check_plain("C|1|n|:");
}

TEST(what_is_truncated_or_malformed_is_a_text)
{
	check_plain("");
	check_plain("B");
	check_plain("B|");
	check_plain("B|1");
	check_plain("B||name");
	check_plain("B|-1|name");
	check_plain("B|2147483648|name");
	check_plain("B|x|name");
	check_plain("BB|1|name");
	check_plain("b|1|name");
	check_plain(" B|1|name");
	check_plain("E|x");
	check_plain("E1");
	check_plain("C|1|n");
	check_plain("S|1|n");
	check_plain("S|1|n|x");
	check_plain("F|1");
	check_plain("G|1|track|7");
	check_plain("H|1|track");
	check_plain("H|1|track|name");
	check_plain("I|1");
	check_plain("N|1|track");
	check_plain("|1|n");
	check_plain("X|1|n");
}

TEST(bytes_of_any_kind_are_kept)
{
	static const char text[] = "B|1|a\0b\xff";
	struct marker_text parsed;

	marker_text_parse((struct text){ text, sizeof(text) - 1 }, &parsed);
	CHECK_NUMBER(parsed.kind, MARKER_BEGIN);
	CHECK(text_equals(parsed.name, (struct text){ "a\0b\xff", 4 }));
}

static struct rules *rules_make(const char *text)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	rules_add(rules, text, &error);
	rules_close(rules, false, &error);
	rules_bind(rules, "ftrace", "print", text_of(print_format), &error);
	CHECK_TEXT(error.text, "");
	return rules;
}

/* Decodes a record whose text has @size bytes; returns the number of its events. */
static size_t decode(struct rules *rules, const char *text, size_t size, struct decoded_event *out)
{
	unsigned char *bytes = calloc(1, RECORD_SIZE_MAX);
	const struct record record = { .time_ns = 5, .cpu = 2, .data = bytes, .size = 16 + size };
	struct rule_tracepoint *tracepoint;
	size_t nr_events;

	bytes[0] = 5;
	bytes[4] = 77;
	memcpy(bytes + 16, text, size);
	tracepoint = record_tracepoint(rules, &record);
	nr_events = tracepoint ? rules_decode(rules, tracepoint, &record) : 0;
	if (nr_events > 0)
		*out = *tracepoint->events[0];
	free(bytes);
	return nr_events;
}

TEST(records_become_events_of_rules)
{
	struct rules *rules = rules_make("marker");
	struct decoded_event event = { 0 };

	CHECK(rules_want(rules, "ftrace", "print"));
	CHECK(rules_want(rules, "ftrace", NULL));
	CHECK(!rules_want(rules, "ftrace", "bprint"));
	CHECK_NUMBER(decode(rules, "C|9|queue|-3\n\0stale", 18, &event), 1);
	CHECK_NUMBER(event.kind, DECODED_COUNTER);
	CHECK_NUMBER(event.time_ns, 5);
	CHECK_NUMBER(event.cpu, 2);
	CHECK_NUMBER(event.tid, 77);
	CHECK_NUMBER(event.scope_id.signed_number, 9);
	CHECK_NUMBER(event.counter_value.signed_number, -3);
	CHECK(text_equals(event.track_name, text_of("queue")));
	CHECK_NUMBER(decode(rules, "B|9|frame", 9, &event), 1);
	CHECK_NUMBER(event.kind, DECODED_BEGIN);
	CHECK_NUMBER(event.scope_id.signed_number, 77);
	rules_free(rules);
}

TEST(rules_of_users_select_texts)
{
	struct rules *rules = rules_make("slice my:frame begin=atrace:begin end=atrace:end "
					 "where=name == \"frame\" name={name} args=pid");
	struct decoded_event event = { 0 };

	CHECK_NUMBER(decode(rules, "B|9|frame", 9, &event), 1);
	CHECK_NUMBER(event.kind, DECODED_BEGIN);
	CHECK_NUMBER(event.nr_extras, 1);
	CHECK_NUMBER(event.extras[0].value.signed_number, 9);
	CHECK_NUMBER(decode(rules, "B|9|other", 9, &event), 1);
	CHECK_NUMBER(event.kind, DECODED_HIDDEN_BEGIN);
	CHECK_NUMBER(decode(rules, "I|9|frame", 9, &event), 0);
	rules_free(rules);
	rules = rules_make("instant my:print event=ftrace:print name={buf}");
	CHECK(rules_want(rules, "ftrace", "print"));
	CHECK_NUMBER(decode(rules, "B|9|frame", 9, &event), 1);
	CHECK_NUMBER(event.kind, DECODED_INSTANT);
	rules_free(rules);
}

TEST(records_of_any_size)
{
	struct rules *rules = rules_make("marker");
	struct decoded_event event = { 0 };
	char *huge = malloc(RECORD_SIZE_MAX);

	CHECK_NUMBER(decode(rules, "", 0, &event), 0);
	CHECK_NUMBER(decode(rules, "\0\0\0\0", 4, &event), 0);
	CHECK_NUMBER(decode(rules, "\n\n\0", 3, &event), 0);
	CHECK_NUMBER(decode(rules, "E", 1, &event), 1);
	memset(huge, 'x', RECORD_SIZE_MAX);
	memcpy(huge, "B|9|", 4);
	CHECK_NUMBER(decode(rules, huge, RECORD_SIZE_MAX - 16, &event), 1);
	CHECK_NUMBER(event.kind, DECODED_BEGIN);
	CHECK_NUMBER(event.slice_name.size, NAMING_SIZE_MAX);
	free(huge);
	rules_free(rules);
}

TEST(a_format_without_a_text_is_refused)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add(rules, "marker", &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "ftrace", "print",
				text_of(FORMAT("print", 5, FIELD("int other", 8, 4, 1))), &error),
		     RULES_MISFIT);
	CHECK_TEXT(error.text, "ftrace:print: its format has no field 'buf'");
	rules_free(rules);
}

TEST(the_memory_of_pairs_is_given_back_with_the_tracepoint)
{
	struct rules *rules = rules_make("marker");

	CHECK(rules->pairs_size > sizeof(struct marker_text));
	CHECK_NUMBER(rules->nr_tracepoints, 1);
	CHECK_NUMBER(rules->tracepoints[0]->pairs_size, rules->pairs_size);
	rules_drop(rules, "ftrace", "print");
	CHECK_NUMBER(rules->pairs_size, 0);
	rules_free(rules);
}

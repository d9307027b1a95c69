// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the parser of rules: every error with its line and column. tests/unit/rules_bind.c and
 * the recordings of tests/golden/ are about what rules mean.
 */
#include "rules/rules.h"

#include <stdio.h>

#include "fixtures/tap.h"

/* The rules of a text, or those before its error. */
static struct rules *parse(struct text text, const char *want)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add_text(rules, text, "file", &error), want[0] ? -1 : 0);
	if (!CHECK_TEXT(error.text, want))
		printf("# %.*s\n", (int)text.size, text.data);
	return rules;
}

static void check_error(const char *text, const char *want)
{
	rules_free(parse(text_of(text), want));
}

static void check_tracepoint(const char *text, const char *system, const char *event)
{
	struct rules *rules = parse(text_of(text), "");
	struct error error = { 0 };

	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK(rules_want(rules, system, event));
	CHECK(!rules_want(rules, "other", event));
	rules_free(rules);
}

TEST(a_tracepoint_may_be_an_event_of_a_program)
{
	check_tracepoint("instant a:b event=program:s:e", "program:s", "e");
	check_tracepoint("instant a:b event=program:*:*", "program:*", "*");
	check_tracepoint("instant a:b event=program:e", "program", "e");
	check_tracepoint("instant a:b event=programs:s:e", "programs", "s:e");
	check_error("instant a:b event=program::e", "file:1:27: expected a tracepoint SYS:EVENT");
	check_error("instant a:b event=program:s:", "file:1:27: expected a tracepoint SYS:EVENT");
}

TEST(an_alternative_follows_a_tracepoint)
{
	check_error("instant a:b or=s:e", "file:1:16: 'or' needs a tracepoint before it");
	check_error("slice a:b begin=s:x or=s:e", "file:1:1: a:b has no 'end'");
}

TEST(pairs_are_of_fields_or_of_sums)
{
	check_error("slice a:b match=x +", "file:1:20: expected a field");
	check_error("slice a:b match=+ x", "file:1:17: expected a field");
	check_error("slice a:b match=x + y + z", "file:1:23: unexpected '+ z'");
	check_error("slice a:b scope=x + y", "file:1:19: unexpected '+ y'");
}

TEST(rules_begin_in_the_first_column)
{
	check_error("\tbegin = s:e", "file:1:1: an indented line without a rule above it");
	check_error("rule a:b", "file:1:1: expected slice, state, counter, instant or flow");
	check_error("# x\n\n= 5", "file:3:1: expected slice, state, counter, instant or flow");
	check_error("slice", "file:1:6: expected a name PACK:NAME");
	check_error("slice  a", "file:1:8: expected a name PACK:NAME");
	check_error("slice :a", "file:1:7: expected a name PACK:NAME");
	check_error("slice a:", "file:1:7: expected a name PACK:NAME");
	check_error("slice a:b c", "file:1:11: expected KEY = VALUE; see ktrack-rules(5)");
	check_error("slice a:b\n\tbegin == x",
		    "file:2:2: expected KEY = VALUE; see ktrack-rules(5)");
	check_error("slice a:b begn = x", "file:1:11: no key 'begn'; did you mean 'begin'?");
	check_error("slice a:b\n\tcolour = x",
		    "file:2:2: expected KEY = VALUE; see ktrack-rules(5)");
	check_error("slice a:b\n\tbegin =  # x", "file:2:2: 'begin' has no value");
}

TEST(each_kind_has_its_settings)
{
	check_error("slice a:b\n  on = s:e", "file:2:3: a slice has no 'on'");
	check_error("state a:b match=x", "file:1:11: a state has no 'match'");
	check_error("instant a:b value=x", "file:1:13: an instant has no 'value'");
	check_error("counter a:b name=x", "file:1:13: a counter has no 'name'");
	check_error("flow a:b unit=x", "file:1:10: a flow has no 'unit'");
	check_error("instant a:b unless=x", "file:1:13: an instant has no 'unless'");
}

TEST(each_kind_needs_its_tracepoints)
{
	check_error("\nslice a:b\n end=s:e\n", "file:2:1: a:b has no 'begin'");
	check_error("slice a:b begin=s:e\nslice a:c", "file:1:1: a:b has no 'end'");
	check_error("state a:b end=s:e", "file:1:1: a:b has no 'on'");
	check_error("instant a:b", "file:1:1: a:b has no 'event'");
	check_error("counter a:b value=x", "file:1:1: a:b has no 'event'");
	check_error("counter a:b event=s:e", "file:1:1: a:b has no 'value'");
	check_error("flow a:b to=s:e match=x", "file:1:1: a:b has no 'from'");
	check_error("flow a:b from=s:e match=x", "file:1:1: a:b has no 'to'");
	check_error("flow a:b from=s:e to=s:f", "file:1:1: a:b has no 'match'");
	check_error("counter a:b of=c:d track=x",
		    "file:1:1: a:b: 'of' allows no other setting but unit");
	check_error("counter a:b of=c:d event=s:e",
		    "file:1:1: a:b: 'of' allows no other setting but unit");
}

TEST(settings_are_given_once)
{
	check_error("slice a:b\n\tname=x\n\tname=y", "file:3:7: 'name' is given twice");
	check_error("slice a:b scope=cpu scope=x", "file:1:27: 'scope' is given twice");
	check_error("slice a:b match=x match=y", "file:1:25: 'match' is given twice");
	check_error("counter a:b value=x value=+y", "file:1:28: 'value' is given twice");
	check_error("slice a:b\n begin=s:e at cpu scope=cpu", "file:2:25: 'scope' is given twice");
}

TEST(values_are_checked)
{
	check_error("slice a:b begin=s", "file:1:17: expected a tracepoint SYS:EVENT");
	check_error("slice a:b begin=s:e more", "file:1:21: unexpected 'more'");
	check_error("slice a:b scope=task:x",
		    "file:1:17: unknown scope 'task'; use thread, process or cpu");
	check_error("slice a:b scope=cpu:", "file:1:21: expected a field");
	check_error("slice a:b scope=x,", "file:1:19: expected a field");
	check_error("slice a:b scope=cpu:x, y", "file:1:24: more than 1 fields");
	check_error("slice a:b scope=a,b,c,d,e,f,g,h,i,j", "file:1:33: more than 8 fields");
	check_error("slice a:b match=x ->", "file:1:21: expected a field");
	check_error("slice a:b match=x, y -> z",
		    "file:1:17: 2 fields on the left of '->', 1 on the right");
	check_error("slice a:b match=x y", "file:1:19: unexpected 'y'");
	check_error("counter a:b value=+", "file:1:20: expected a field");
	check_error("counter a:b value=x y", "file:1:21: unexpected 'y'");
	check_error("counter a:b value=\"\"", "file:1:20: expected a field");
}

TEST(names_and_conditions_are_checked)
{
	check_error("slice a:b name={x", "file:1:16: name: '{' without '}'");
	check_error("slice a:b track={}", "file:1:17: track: expected a field between '{' and '}'");
	check_error(
		"slice a:b name={x:oct}",
		"file:1:16: name: unknown form ':oct'; use :raw, :hex, :dev, :function, :syscall "
		"or :printk");
	check_error("slice a:b name={a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}.",
		    "file:1:16: name: more than 16 texts and fields");
	check_error("slice a:b where=x >",
		    "file:1:17: where: column 4: expected a number or a string in quotes");
}

TEST(a_text_is_text)
{
	static const char with_nul[] = "slice a:b\n\0begin=s:e";

	rules_free(parse((struct text){ with_nul, sizeof(with_nul) - 1 }, "file: not a text file"));
	check_error("\x7f"
		    "ELF\x02\x01",
		    "file:1:1: expected slice, state, counter, instant or flow");
	check_error("", "");
	check_error("\n  \n\t# only comments\n#\n", "");
}

TEST(there_are_limits)
{
	SCOPED_BUFFER(text);

	buffer_append_string(&text, "instant a:b");
	for (int i = 0; i < 64; i++)
		buffer_append_string(&text, "\n event = s:e");
	check_error(buffer_string(&text), "");
	buffer_append_string(&text, "\n event = s:e");
	check_error(buffer_string(&text), "file:66:10: more than 64 tracepoints");
}

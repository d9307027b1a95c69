// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the parser of rules: what it makes of a text, and every error with its line and column.
 */
#include "rules/rule.h"

#include "fixtures/tap.h"

static int rule_take(void *context, struct rule *rule, struct error *error)
{
	struct rule **last = context;

	(void)error;
	rule_free(*last);
	*last = rule;
	return 0;
}

/* Returns the last rule of a text. */
static struct rule *parse(struct text text, struct error *error)
{
	struct rule *rule = NULL;

	rule_text_parse(text, "file", rule_take, &rule, error);
	return rule;
}

static struct rule *parse_well(const char *text)
{
	struct error error = { 0 };
	struct rule *rule = parse(text_of(text), &error);

	CHECK_TEXT(error.text, "");
	return rule;
}

static void check_error(const char *text, const char *want)
{
	struct error error = { 0 };
	struct rule *rule = parse(text_of(text), &error);

	if (!CHECK_TEXT(error.text, want))
		CHECK_TEXT(text, "");
	rule_free(rule);
}

TEST(a_slice_has_begins_ends_and_settings)
{
	struct rule *rule = parse_well("slice a:b\n"
				       "\tbegin = s:one   name={x} and {y:hex}  args=x, y\n"
				       "\tbegin = s:two\n"
				       "  end = s:three  # a comment\n"
				       "\tmatch = dev, id -> device,id\r\n"
				       "\n"
				       "# a comment between\n"
				       "\tscope = process:tgid\n"
				       "\ttrack = \"t = 1 # no comment\"\n"
				       "\twhere = x > 0 && name == \"a = b\"\n");

	if (!CHECK(rule != NULL))
		return;
	CHECK_NUMBER(rule->kind, RULE_SLICE);
	CHECK_TEXT(rule->descriptor.category, "a:b");
	CHECK_NUMBER(rule->nr_uses, 3);
	CHECK_TEXT(rule->uses[0].system, "s");
	CHECK_TEXT(rule->uses[0].event, "one");
	CHECK_TEXT(rule->uses[0].settings.name, "{x} and {y:hex}");
	CHECK_TEXT(rule->uses[0].settings.args, "x, y");
	CHECK(!rule->uses[1].settings.name && !rule->settings.name);
	CHECK_NUMBER(rule->uses[2].role, RULE_END);
	CHECK_NUMBER(rule->match_begin.size, 2);
	CHECK_TEXT(rule->match_begin.names[0], "dev");
	CHECK_TEXT(rule->match_end.names[0], "device");
	CHECK_NUMBER(rule->settings.scope.kind, DESCRIPTOR_SCOPE_PROCESS);
	CHECK_TEXT(rule->settings.scope.fields.names[0], "tgid");
	CHECK_TEXT(rule->settings.track, "t = 1 # no comment");
	CHECK_TEXT(rule->settings.where, "x > 0 && name == \"a = b\"");
	rule_free(rule);
}

static void check_tracepoint(const char *text, const char *system, const char *event)
{
	struct rule *rule = parse_well(text);

	if (CHECK(rule && rule->nr_uses == 1)) {
		CHECK_TEXT(rule->uses[0].system, system);
		CHECK_TEXT(rule->uses[0].event, event);
	}
	rule_free(rule);
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

TEST(an_alternative_has_the_role_of_the_tracepoint_before_it)
{
	struct rule *rule =
		parse_well("slice a:b\n begin=s:x name=x\n or=s:y name=y\n end=s:z\n or=*:*\n");

	CHECK_NUMBER(rule->nr_uses, 4);
	CHECK_NUMBER(rule->uses[1].role, RULE_BEGIN);
	CHECK_TEXT(rule->uses[1].settings.name, "y");
	CHECK_NUMBER(rule->uses[3].role, RULE_END);
	CHECK(rule->uses[1].is_alternative && rule->uses[3].is_alternative);
	CHECK(!rule->uses[0].is_alternative && !rule->uses[2].is_alternative);
	rule_free(rule);
	rule = parse_well("flow a:b\n from=s:x\n or=s:y at thread:pid\n to=s:z\n match=p");
	CHECK_TEXT(rule->uses[1].settings.scope.fields.names[0], "pid");
	rule_free(rule);
	check_error("instant a:b or=s:e", "file:1:16: 'or' needs a tracepoint before it");
	check_error("slice a:b begin=s:x or=s:e", "file:1:1: a:b has no 'end'");
}

TEST(settings_behind_a_tracepoint_are_its_own_but_on_the_first_line_of_most_kinds)
{
	struct rule *rule = parse_well("slice a:b begin=s:x name=rule end=s:y args=z");

	CHECK_TEXT(rule->settings.name, "rule");
	CHECK_TEXT(rule->settings.args, "z");
	rule_free(rule);
	rule = parse_well("state a:b args=z on=s:x name=own on=s:y name=other unless=own");
	CHECK_TEXT(rule->settings.args, "z");
	CHECK_TEXT(rule->uses[0].settings.name, "own");
	CHECK_TEXT(rule->uses[1].settings.name, "other");
	CHECK_TEXT(rule->uses[1].settings.unless, "own");
	rule_free(rule);
	rule = parse_well("flow a:b from=s:x at thread:pid name=own to=s:y at cpu match=p -> q");
	CHECK_TEXT(rule->uses[0].settings.name, "own");
	CHECK_TEXT(rule->uses[0].settings.scope.fields.names[0], "pid");
	CHECK_NUMBER(rule->uses[1].settings.scope.kind, DESCRIPTOR_SCOPE_CPU);
	rule_free(rule);
}

TEST(pairs_are_of_fields_or_of_sums)
{
	struct rule *rule =
		parse_well("slice a:b begin=s:x end=s:y match=dev, at+size -> dev ,  end + more");

	if (!CHECK(rule && rule->match_begin.size == 2 && rule->match_end.size == 2))
		return;
	CHECK_TEXT(rule->match_begin.names[0], "dev");
	CHECK_TEXT(rule->match_begin.names[1], "at+size");
	CHECK_TEXT(rule->match_end.names[0], "dev");
	CHECK_TEXT(rule->match_end.names[1], "end+more");
	rule_free(rule);
	check_error("slice a:b match=x +", "file:1:20: expected a field");
	check_error("slice a:b match=+ x", "file:1:17: expected a field");
	check_error("slice a:b match=x + y + z", "file:1:23: unexpected '+ z'");
	check_error("slice a:b scope=x + y", "file:1:19: unexpected '+ y'");
}

TEST(every_scope)
{
	static const struct {
		const char *text;
		enum descriptor_scope kind;
		size_t nr_fields;
	} cases[] = {
		{ "thread", DESCRIPTOR_SCOPE_THREAD, 0 },
		{ "thread:pid", DESCRIPTOR_SCOPE_THREAD, 1 },
		{ "process:pid", DESCRIPTOR_SCOPE_PROCESS, 1 },
		{ "cpu", DESCRIPTOR_SCOPE_CPU, 0 },
		{ "cpu:id", DESCRIPTOR_SCOPE_CPU, 1 },
		{ "global", DESCRIPTOR_SCOPE_GLOBAL, 0 },
		{ "dev", DESCRIPTOR_SCOPE_CUSTOM, 1 },
		{ "dev , queue", DESCRIPTOR_SCOPE_CUSTOM, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer text = { 0 };
		struct rule *rule;

		buffer_printf(&text, "instant a:b\n scope = %s\n event = s:e", cases[i].text);
		rule = parse_well(buffer_string(&text));
		if (CHECK(rule != NULL)) {
			CHECK_NUMBER(rule->settings.scope.kind, cases[i].kind);
			CHECK_NUMBER(rule->settings.scope.fields.size, cases[i].nr_fields);
		}
		rule_free(rule);
		buffer_release(&text);
	}
}

TEST(values_are_levels_or_changes)
{
	static const char *const texts[] = { "counter a:b event=s:e value=x unit=kHz",
					     "counter a:b event=s:e value=+x",
					     "counter a:b event=s:e value=-x" };

	for (size_t i = 0; i < 3; i++) {
		struct rule *rule = parse_well(texts[i]);

		CHECK_TEXT(rule->value, "x");
		CHECK_NUMBER(rule->sign, VALUE_LEVEL + i);
		rule_free(rule);
	}
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
	struct error error = { 0 };

	CHECK(!parse((struct text){ with_nul, sizeof(with_nul) - 1 }, &error));
	CHECK_TEXT(error.text, "file: not a text file");
	check_error("\x7f"
		    "ELF\x02\x01",
		    "file:1:1: expected slice, state, counter, instant or flow");
	CHECK(!parse_well(""));
	CHECK(!parse_well("\n  \n\t# only comments\n#\n"));
}

TEST(there_are_limits)
{
	SCOPED_BUFFER(text);
	struct error error = { 0 };
	struct rule *rule;

	buffer_append_string(&text, "instant a:b");
	for (int i = 0; i < RULE_USES_MAX; i++)
		buffer_append_string(&text, "\n event = s:e");
	rule = parse_well(buffer_string(&text));
	CHECK_NUMBER(rule->nr_uses, RULE_USES_MAX);
	rule_free(rule);
	buffer_append_string(&text, "\n event = s:e");
	rule = parse(buffer_text(&text), &error);
	CHECK_TEXT(error.text, "file:66:10: more than 64 tracepoints");
	rule_free(rule);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests: event filters that the kernel gets keep every record that a rule needs; rules for some
 * tasks. */
#include <stdio.h>
#include <stdlib.h>

#include "fixtures/event_builder.h"
#include "fixtures/tap.h"
#include "rules/rules.h"

/* Checks the filter of a tracepoint for rules; NULL is none. */
static void check_filter(const char *text, int excluded, const char *system, const char *name,
			 const char *want)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };
	char *filter;

	CHECK(rules != NULL);
	CHECK_NUMBER(rules_add(rules, text, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	rules_exclude(rules, excluded);
	filter = rules_filter(rules, system, name);
	CHECK_TEXT(filter ? filter : "none", want);
	free(filter);
	rules_free(rules);
}

static void check_wants(const char *pattern, const char *system, const char *name, bool want)
{
	struct rules *rules = rules_new();
	struct error error = { 0 };
	char text[64];

	snprintf(text, sizeof(text), "instant a:b event=%s", pattern);
	CHECK_NUMBER(rules_add(rules, text, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK(rules_want(rules, system, name) == want);
	rules_free(rules);
}

TEST(a_pattern_may_begin_with_a_wildcard)
{
	static const char *const patterns[] = { "x:one", "*:o*", "?:?ne", "[w-y]:[l-p]ne" };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		check_wants(patterns[i], "x", "one", true);
		check_wants(patterns[i], "x", "another", false);
	}
	check_wants("x:one", "xy", "one", false);
	check_wants("x:one", "y", "one", false);
}

TEST(a_filter_is_the_condition_of_a_rule)
{
	check_filter("instant a:b event=x:one where=number > 0", 0, "x", "one", "(number > 0)");
}

/* The kernel takes all up to a blank for the name of a function. */
TEST(a_function_has_a_blank_behind_it)
{
	check_filter("instant a:b event=x:one where=number.function == do_it", 0, "x", "one",
		     "(number.function == do_it )");
}

TEST(conditions_of_several_rules_are_alternatives)
{
	check_filter("instant a:b event=x:one where=number > 0\n"
		     "instant a:c event=x:one where=number < -5\n"
		     "instant a:d event=x:one where=number > 0\n"
		     "instant a:e event=x:two where=size == 1\n",
		     0, "x", "one", "(number > 0) || (number < -5)");
}

TEST(a_condition_that_is_part_of_another_is_kept)
{
	check_filter("instant a:b event=x:one where=(number > 0) && size == 1\n"
		     "instant a:c event=x:one where=number > 0\n",
		     0, "x", "one", "((number > 0) && size == 1) || (number > 0)");
}

TEST(one_rule_without_a_condition_needs_all_records)
{
	check_filter("instant a:b event=x:one where=number > 0\n"
		     "instant a:c event=x:one\n",
		     0, "x", "one", "none");
}

TEST(alternatives_for_other_fields_have_no_filter)
{
	/* The kernel would refuse "(errors > 0) || (error > 0)": it has one of the fields. */
	check_filter(
		"instant a:b\n\tevent = x:one where=errors > 0\n\tor = x:one where=error > 0\n", 0,
		"x", "one", "none");
	check_filter("instant a:b\n\tevent = x:one name=a where=n > 0\n\tor = x:one name=b where=n "
		     "> 0\n",
		     0, "x", "one", "(n > 0)");
	check_filter("instant a:b\n\tevent = x:one where=n > 0\n\tor = x:two where=n > 0\n", 0, "x",
		     "two", "(n > 0)");
}

TEST(begins_on_a_stack_are_all_needed)
{
	check_filter("slice a:b begin=x:one end=x:two where=number > 0", 0, "x", "one", "none");
}

TEST(begins_that_pair_by_fields_are_filtered)
{
	const char *rule = "slice a:b begin=x:one end=x:two match=id where=number > 0";

	check_filter(rule, 0, "x", "one", "(number > 0)");
	check_filter(rule, 0, "x", "two", "none");
}

TEST(chains_are_not_filtered)
{
	check_filter("instant a:b event=sched:sched_switch where=next_pid == 5", 0, "sched",
		     "sched_switch", "none");
	check_filter("instant a:b event=task:task_rename where=pid == 5", 7, "task", "task_rename",
		     "none");
}

/** struct exit_record - of a tracepoint whose rules have tracks of threads and of CPUs */
struct exit_record {
	uint16_t id;
	uint16_t unused;
	int32_t pid;
	int32_t cpu;
} __attribute__((packed));

static size_t nr_events_of(struct rules *rules, int pid)
{
	const struct exit_record bytes = { .id = 5, .pid = pid, .cpu = pid };
	const struct record record = { .data = (const unsigned char *)&bytes,
				       .size = sizeof(bytes) };

	return rules_decode(rules, record_tracepoint(rules, &record), &record);
}

/* What a CPU does includes the recorder, also if the CPU has the number of its thread. */
TEST(tracks_of_the_recorders_thread_are_left_out_but_not_those_of_cpus)
{
	static const char format[] = FORMAT("event", 5, FIELD("int on", 8, 4, 1));
	struct rules *rules = rules_new();
	struct error error = { 0 };

	CHECK_NUMBER(rules_add(rules, "instant a:b event=s:event", &error), 0);
	CHECK_NUMBER(rules_add(rules, "instant c:d event=s:event scope=cpu:on", &error), 0);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	CHECK_NUMBER(rules_bind(rules, "s", "event", text_of(format), &error), 0);
	CHECK_TEXT(error.text, "");
	rules_exclude(rules, 7);
	CHECK_NUMBER(nr_events_of(rules, 6), 2);
	CHECK_NUMBER(nr_events_of(rules, 7), 1);
	rules_exclude(rules, 0);
	CHECK_NUMBER(nr_events_of(rules, 7), 2);
	rules_free(rules);
}

TEST(the_recorders_system_calls_are_left_out)
{
	check_filter("syscalls", 7, "raw_syscalls", "sys_enter", "common_pid != 7");
	check_filter("syscalls", 0, "raw_syscalls", "sys_enter", "none");
	check_filter("instant a:b event=raw_syscalls:sys_enter where=id == 1 || id == 2", 7,
		     "raw_syscalls", "sys_enter", "((id == 1 || id == 2)) && common_pid != 7");
	check_filter("irq", 7, "irq", "softirq_entry", "none");
}

static void check_omitted(const char *text, bool want_left, const char *want)
{
	struct rules *rules = rules_new();
	SCOPED_BUFFER(omitted);
	struct error error = { 0 };

	CHECK(rules != NULL);
	CHECK_NUMBER(rules_add(rules, text, &error), 0);
	CHECK(rules_omit_shared(rules, &omitted) == want_left);
	CHECK_TEXT(buffer_string(&omitted), want);
	CHECK_NUMBER(rules_close(rules, false, &error), 0);
	rules_free(rules);
}

TEST(rules_that_need_all_tasks_are_omitted)
{
	check_omitted("block", false, "block:request, block:flush, block:inflight");
	check_omitted("syscalls", true, "");
	check_omitted("irq", true, "");
	check_omitted("state a:b on=x:one scope=cpu name=busy", false, "a:b");
}

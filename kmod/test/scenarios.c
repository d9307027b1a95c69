// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of scenarios: the records of a round, their order and their context. No other records
 * are written. Comments explain the tracks that a reader should show if that is not obvious.
 *
 * Without a context, a step is written by the process that runs the scenario; without a CPU, on
 * the first CPU that this process may use.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include <ktrack/fields.h>

#include "test.h"

#define B	.type = KTRACK_TYPE_BEGIN
#define E	.type = KTRACK_TYPE_END
#define I	.type = KTRACK_TYPE_INSTANT
#define C	.type = TEST_TYPE_SAMPLE

/* Nested slices, with an instant in the innermost. */
static const struct test_step test_nested[] = {
	{ B, .event = TEST_THREAD, .name = "outer" },
	{ B, .event = TEST_THREAD, .name = "middle" },
	{ B, .event = TEST_THREAD, .name = "inner" },
	{ I, .event = TEST_THREAD, .name = "mark" },
	{ E, .event = TEST_THREAD },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "second" },
	{ E, .event = TEST_THREAD },
	{ E, .event = TEST_THREAD },
};

/* Slices that overlap, on tracks of one scope: on each track they nest. */
static const struct test_step test_interleaved[] = {
	{ B, .event = TEST_TGID_TRACK, .track = "red", .name = "red outer" },
	{ B, .event = TEST_TGID_TRACK, .track = "blue", .name = "blue outer" },
	{ B, .event = TEST_TGID_TRACK, .track = "red", .name = "red inner" },
	{ I, .event = TEST_TGID_TRACK, .track = "blue", .name = "mark" },
	{ E, .event = TEST_TGID_TRACK, .track = "red" },
	{ B, .event = TEST_TGID_TRACK, .track = "blue", .name = "blue inner" },
	{ E, .event = TEST_TGID_TRACK, .track = "red" },
	{ E, .event = TEST_TGID_TRACK, .track = "blue" },
	{ E, .event = TEST_TGID_TRACK, .track = "blue" },
	{ B, .event = TEST_ID_TRACK, .scope = 1, .track = "red", .name = "first" },
	{ B, .event = TEST_ID_TRACK, .scope = 2, .track = "red", .name = "second" },
	{ E, .event = TEST_ID_TRACK, .scope = 1, .track = "red" },
	{ E, .event = TEST_ID_TRACK, .scope = 2, .track = "red" },
};

/* A slice and a sample in every scope, with and without a track name; all slices are open at once. */
static const struct test_step test_scopes[] = {
	{ B, .event = TEST_THREAD, .name = "thread" },
	{ B, .event = TEST_THREAD_TRACK, .track = "named", .name = "thread, named" },
	{ B, .event = TEST_TGID, .name = "process" },
	{ B, .event = TEST_TGID_TRACK, .track = "named", .name = "process, named" },
	{ B, .event = TEST_CPU, .name = "cpu" },
	{ B, .event = TEST_CPU_TRACK, .track = "named", .name = "cpu, named" },
	{ B, .event = TEST_LANE, .scope = 7, .name = "custom" },
	{ B, .event = TEST_ID_TRACK, .scope = 7, .track = "named", .name = "custom, named" },
	{ C, .event = TEST_S64, .value = 1 },
	{ C, .event = TEST_LEVEL_TGID, .track = "named", .value = 2 },
	{ C, .event = TEST_LEVEL_CPU, .value = 3 },
	{ C, .event = TEST_LEVEL_ID, .scope = 7, .track = "named", .value = 4 },
	{ E, .event = TEST_THREAD },
	{ E, .event = TEST_THREAD_TRACK, .track = "named" },
	{ E, .event = TEST_TGID },
	{ E, .event = TEST_TGID_TRACK, .track = "named" },
	{ E, .event = TEST_CPU },
	{ E, .event = TEST_CPU_TRACK, .track = "named" },
	{ E, .event = TEST_LANE, .scope = 7 },
	{ E, .event = TEST_ID_TRACK, .scope = 7, .track = "named" },
};

/* Minimum and maximum of a custom scope, and numbers that equal them in fewer bits. */
static const struct test_step test_ids[] = {
	{ B, .event = TEST_LANE, .scope = S8_MIN, .name = "least" },
	{ B, .event = TEST_LANE, .scope = S8_MAX, .name = "greatest" },
	{ B, .event = TEST_LANE, .scope = -1, .name = "minus one" },
	{ E, .event = TEST_LANE, .scope = -1 },
	{ E, .event = TEST_LANE, .scope = S8_MAX },
	{ E, .event = TEST_LANE, .scope = S8_MIN },
	{ B, .event = TEST_ID_TRACK, .scope = 0, .track = "id", .name = "zero" },
	{ B, .event = TEST_ID_TRACK, .scope = 1ULL << 32, .track = "id", .name = "33 bits" },
	{ B, .event = TEST_ID_TRACK, .scope = 1ULL << 53, .track = "id", .name = "54 bits" },
	{ B, .event = TEST_ID_TRACK, .scope = (1ULL << 53) + 1, .track = "id", .name = "more" },
	{ B, .event = TEST_ID_TRACK, .scope = U64_MAX, .track = "id", .name = "greatest" },
	{ E, .event = TEST_ID_TRACK, .scope = 0, .track = "id" },
	{ E, .event = TEST_ID_TRACK, .scope = 1ULL << 32, .track = "id" },
	{ E, .event = TEST_ID_TRACK, .scope = 1ULL << 53, .track = "id" },
	{ E, .event = TEST_ID_TRACK, .scope = (1ULL << 53) + 1, .track = "id" },
	{ E, .event = TEST_ID_TRACK, .scope = U64_MAX, .track = "id" },
};

/* Counters of every integer type at their extremes and between them. */
static const struct test_step test_values[] = {
	{ C, .event = TEST_S8, .value = S8_MIN },
	{ C, .event = TEST_S8, .value = -1 },
	{ C, .event = TEST_S8, .value = S8_MAX },
	{ C, .event = TEST_U8, .value = 0 },
	{ C, .event = TEST_U8, .value = U8_MAX },
	{ C, .event = TEST_S16, .value = S16_MIN },
	{ C, .event = TEST_S16, .value = -1 },
	{ C, .event = TEST_S16, .value = S16_MAX },
	{ C, .event = TEST_U16, .value = 0 },
	{ C, .event = TEST_U16, .value = U16_MAX },
	{ C, .event = TEST_S32, .value = S32_MIN },
	{ C, .event = TEST_S32, .value = -1 },
	{ C, .event = TEST_S32, .value = S32_MAX },
	{ C, .event = TEST_U32, .value = 0 },
	{ C, .event = TEST_U32, .value = U32_MAX },
	{ C, .event = TEST_S64, .value = S64_MIN },
	{ C, .event = TEST_S64, .value = -1 },
	{ C, .event = TEST_S64, .value = S64_MAX },
	{ C, .event = TEST_U64, .value = 0 },
	{ C, .event = TEST_U64, .value = (1ULL << 53) + 1 },
	{ C, .event = TEST_U64, .value = U64_MAX },
	{ C, .event = TEST_LEVEL_ID, .scope = 1, .track = "level", .value = -2,
	  .times = 5, .is_numbered = true },
};

/* Fields that do not select a track: numbers at their extremes, wide and truncated. */
static const struct test_step test_fields[] = {
	{ B, .event = TEST_FIELDS, .value = U64_MAX, .track = "text", .name = "all bits" },
	{ I, .event = TEST_FIELDS, .value = S8_MIN, .track = "", .name = "least" },
	{ I, .event = TEST_FIELDS, .value = (1ULL << 53) + 127, .track = "\"a\"\\b\n\xff",
	  .name = "greatest" },
	{ E, .event = TEST_FIELDS, .value = 0, .track = NULL },
};

/* Instants, alone and in a slice, several with the same name. */
static const struct test_step test_instants[] = {
	{ I, .event = TEST_THREAD, .name = "alone" },
	{ I, .event = TEST_CPU_TRACK, .track = "marks", .name = "here" },
	{ B, .event = TEST_THREAD, .name = "slice" },
	{ I, .event = TEST_THREAD, .name = "tick", .times = 3 },
	{ I, .event = TEST_THREAD, .name = "tock", .times = 3, .is_numbered = true },
	{ E, .event = TEST_THREAD },
	{ I, .event = TEST_THREAD, .name = "alone" },
};

/* Empty and missing text. NULL is written as (null). */
static const struct test_step test_names_empty[] = {
	{ B, .event = TEST_THREAD, .name = "" },
	{ I, .event = TEST_THREAD, .name = "" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = NULL },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD_TRACK, .track = "", .name = "on an empty name" },
	{ E, .event = TEST_THREAD_TRACK, .track = "" },
	{ B, .event = TEST_THREAD_TRACK, .track = NULL, .name = "on none" },
	{ E, .event = TEST_THREAD_TRACK, .track = NULL },
};

/* 63 bytes. */
#define WORDS	"A name that is a little longer than others would ever want it. "

/*
 * At the limit of 127 bytes and beyond: cut at the limit, but not inside a character (the last
 * name is not UTF-8).
 */
static const struct test_step test_names_long[] = {
	{ B, .event = TEST_THREAD, .name = WORDS WORDS "." },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS ".!" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS WORDS WORDS WORDS WORDS },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS "\xc3\xa9" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS "\xe2\x82\xac" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS "\xf0\x9f\x8e\xb5" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS "\x80\x80\x80\x80" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = WORDS WORDS, .is_numbered = true },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD_TRACK, .track = WORDS WORDS ".!", .name = "on a long name" },
	{ E, .event = TEST_THREAD_TRACK, .track = WORDS WORDS ".!" },
};

/* Bytes that readers may handle wrongly. */
static const struct test_step test_names_odd[] = {
	{ B, .event = TEST_THREAD, .name = " blanks " },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "a=b,c:d;e|f" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "\"quotes\" and \\backslashes\\" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "%s %n %" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "one\ntwo\r\tthree" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "\x01\x1b[31mred\x7f" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "\xe2\x82\xac and \xf0\x9f\x8e\xb5" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "\377a\303b\200c" },
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD_TRACK, .track = "a\"b\\c\nd\xff", .name = "on odd bytes" },
	{ E, .event = TEST_THREAD_TRACK, .track = "a\"b\\c\nd\xff" },
};

/* Two ends without a begin, before and after a complete slice. */
static const struct test_step test_unmatched[] = {
	{ E, .event = TEST_THREAD },
	{ B, .event = TEST_THREAD, .name = "whole" },
	{ E, .event = TEST_THREAD },
	{ E, .event = TEST_THREAD },
};

/* Two nested slices without an end, with a complete one in both. */
static const struct test_step test_unfinished[] = {
	{ B, .event = TEST_TGID, .name = "never ends" },
	{ B, .event = TEST_TGID, .name = "nor does this" },
	{ B, .event = TEST_TGID, .name = "ends" },
	{ E, .event = TEST_TGID },
};

/* Three records of unknown types in a slice, which they do not affect. */
static const struct test_step test_unknown[] = {
	{ B, .event = TEST_THREAD, .name = "whole" },
	{ .type = 'X', .event = TEST_THREAD, .name = "complete, elsewhere" },
	{ .type = 'b', .event = TEST_THREAD, .name = "asynchronous, elsewhere" },
	{ .type = 0, .event = TEST_THREAD, .name = "nothing" },
	{ E, .event = TEST_THREAD },
};

/* One event name in two systems, on one thread: the tracks are independent. */
static const struct test_step test_twins[] = {
	{ B, .event = TEST_TWIN, .name = "one" },
	{ B, .event = TEST_OTHER_TWIN, .name = "other" },
	{ I, .event = TEST_TWIN, .name = "mark" },
	{ E, .event = TEST_TWIN },
	{ I, .event = TEST_OTHER_TWIN, .name = "mark" },
	{ E, .event = TEST_OTHER_TWIN },
};

/*
 * A thousand nested slices: "level 0" to "level 999". The instant in the innermost has the name of
 * one of them, since a reader may count only a thousand names separately.
 */
static const struct test_step test_deep[] = {
	{ B, .event = TEST_THREAD, .name = "level", .times = 1000, .is_numbered = true },
	{ I, .event = TEST_THREAD, .name = "level", .is_numbered = true },
	{ E, .event = TEST_THREAD, .times = 1000 },
};

/*
 * Tracks whose records come from two CPUs, so that a reader must merge them in time order. The
 * tracks of CPUs have records of one CPU.
 */
static const struct test_step test_two_cpus[] = {
	{ B, .event = TEST_THREAD, .name = "moves" },
	{ B, .event = TEST_ID_TRACK, .scope = 1, .track = "shared", .name = "from the first" },
	{ B, .event = TEST_CPU, .name = "stays on the first" },
	{ C, .event = TEST_LEVEL_TGID, .track = "shared", .value = 1 },
	{ B, .on_second_cpu = true, .event = TEST_THREAD, .name = "inner" },
	{ E, .on_second_cpu = true, .event = TEST_ID_TRACK, .scope = 1, .track = "shared" },
	{ B, .on_second_cpu = true, .event = TEST_ID_TRACK, .scope = 1, .track = "shared",
	  .name = "from the second" },
	{ I, .on_second_cpu = true, .event = TEST_CPU, .name = "on the second" },
	{ C, .on_second_cpu = true, .event = TEST_LEVEL_TGID, .track = "shared", .value = 2 },
	{ C, .on_second_cpu = true, .event = TEST_LEVEL_CPU, .value = 2 },
	{ E, .event = TEST_THREAD },
	{ E, .event = TEST_ID_TRACK, .scope = 1, .track = "shared" },
	{ E, .event = TEST_CPU },
	{ C, .event = TEST_LEVEL_CPU, .value = 3 },
	{ E, .on_second_cpu = true, .event = TEST_THREAD },
};

/* One track, written from every context except NMI. */
static const struct test_step test_contexts[] = {
	{ B, .event = TEST_TGID, .name = "task" },
	{ B, .context = TEST_IN_SPINLOCK, .event = TEST_TGID, .name = "spinlock" },
	{ B, .context = TEST_IN_SOFTIRQ, .event = TEST_TGID, .name = "softirq" },
	{ B, .context = TEST_IN_HARDIRQ, .event = TEST_TGID, .name = "hardirq" },
	{ I, .context = TEST_IN_HARDIRQ, .event = TEST_TGID, .name = "mark",
	  .is_numbered = true },
	{ E, .context = TEST_IN_HARDIRQ, .event = TEST_TGID },
	{ E, .context = TEST_IN_SOFTIRQ, .event = TEST_TGID },
	{ E, .context = TEST_IN_SPINLOCK, .event = TEST_TGID },
	{ C, .context = TEST_IN_SOFTIRQ, .event = TEST_LEVEL_CPU, .value = 1 },
	{ C, .context = TEST_IN_HARDIRQ, .event = TEST_LEVEL_CPU, .value = 2 },
	{ C, .context = TEST_IN_SPINLOCK, .event = TEST_LEVEL_CPU, .value = 3 },
	{ E, .event = TEST_TGID },
};

/* Slices, formatted and cut names, and samples from NMIs, within a task's slice. */
static const struct test_step test_nmi[] = {
	{ B, .event = TEST_CPU_TRACK, .track = "nmi", .name = "task" },
	{ B, .context = TEST_IN_NMI, .event = TEST_CPU_TRACK, .track = "nmi", .name = "nmi" },
	{ B, .context = TEST_IN_NMI, .event = TEST_CPU_TRACK, .track = "nmi",
	  .name = "formatted", .is_numbered = true },
	{ I, .context = TEST_IN_NMI, .event = TEST_CPU_TRACK, .track = "nmi",
	  .name = WORDS WORDS WORDS },
	{ E, .context = TEST_IN_NMI, .event = TEST_CPU_TRACK, .track = "nmi", .times = 2 },
	{ C, .context = TEST_IN_NMI, .event = TEST_LEVEL_CPU, .value = 1 },
	{ E, .event = TEST_CPU_TRACK, .track = "nmi" },
};

/* Every online CPU writes these at the same time, on its own tracks. */
static const struct test_step test_everywhere[] = {
	{ B, .context = TEST_ON_EVERY_CPU, .event = TEST_CPU, .name = "everywhere" },
	{ B, .context = TEST_ON_EVERY_CPU, .event = TEST_CPU, .name = "inner" },
	{ C, .context = TEST_ON_EVERY_CPU, .event = TEST_LEVEL_CPU, .value = 1,
	  .times = 2, .is_numbered = true },
	{ E, .context = TEST_ON_EVERY_CPU, .event = TEST_CPU, .times = 2 },
};

#define SCENARIO(name)	{ #name, test_##name, ARRAY_SIZE(test_##name) }

const struct test_scenario test_scenarios[] = {
	SCENARIO(nested),
	SCENARIO(interleaved),
	SCENARIO(scopes),
	SCENARIO(ids),
	SCENARIO(values),
	SCENARIO(fields),
	SCENARIO(instants),
	SCENARIO(names_empty),
	SCENARIO(names_long),
	SCENARIO(names_odd),
	SCENARIO(unmatched),
	SCENARIO(unfinished),
	SCENARIO(unknown),
	SCENARIO(twins),
	SCENARIO(deep),
	SCENARIO(two_cpus),
	SCENARIO(contexts),
	SCENARIO(nmi),
	SCENARIO(everywhere),
};

const u32 test_nr_scenarios = ARRAY_SIZE(test_scenarios);

const struct test_scenario *test_scenario_find(const char *name)
{
	u32 index;

	for (index = 0; index < test_nr_scenarios; index++)
		if (!strcmp(test_scenarios[index].name, name))
			return &test_scenarios[index];
	return NULL;
}

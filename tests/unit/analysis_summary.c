// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sums of many small parts. */
#include "fixtures/past.h"

#include "fixtures/tap.h"

#include <stdio.h>

#define RIVALS 500
#define FIRST 1000
#define LARGE 50

/* The caller is preempted by each rival once, and by a large one each time; @split has few parts. */
static void explain_rivals(struct past *past, struct split *split, size_t limit, const char *name)
{
	int64_t now_ns = 100, begin_ns = now_ns;

	past_init(past);
	switch_to(past, now_ns, 0, 0, THREAD_UNKNOWN, CALLER);
	thread_of(past, LARGE)->comm = name_of(past, "large");
	for (int i = 0; i < RIVALS; i++) {
		char comm[16];

		snprintf(comm, sizeof(comm), name, i);
		/* Without digits, no two names have anything in common. */
		for (char *at = comm; *name == '_' && *at; at++)
			*at += *at >= '0' && *at <= '9' ? 'a' - '0' : 0;
		thread_of(past, FIRST + i)->comm = name_of(past, comm);
		switch_to(past, now_ns += 10, 0, CALLER, THREAD_RUNNABLE, FIRST + i);
		switch_to(past, now_ns += 20, 0, FIRST + i, THREAD_BLOCKED, CALLER);
		switch_to(past, now_ns += 10, 0, CALLER, THREAD_RUNNABLE, LARGE);
		switch_to(past, now_ns += 10, 0, LARGE, THREAD_BLOCKED, CALLER);
	}
	*split = (struct split){ .limit = limit, .names = &past->names };
	CHECK_NUMBER(split_slice(&past->splitter, thread_of(past, CALLER),
				 (struct span){ begin_ns, now_ns + 10 }, 3, split),
		     0);
	CHECK_NUMBER(sum_of(split), now_ns + 10 - begin_ns);
	split_sort(split);
	CHECK_NUMBER(split_summarize(split, &past->history, &past->names, now_ns + 10 - begin_ns,
				     SUMMARY_PARTS),
		     0);
	CHECK_NUMBER(sum_of(split), now_ns + 10 - begin_ns);
}

static const struct part *part_behind(struct past *past, const struct split *split,
				      const char *name)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].key.name == name_of(past, name))
			return &split->parts[i];
	}
	return NULL;
}

static void check_rivals(size_t limit, const char *comm, const char *sum)
{
	const struct part *rivals, *large;
	SCOPED(past) past;
	SCOPED(split) split;

	explain_rivals(&past, &split, limit, comm);
	rivals = part_behind(&past, &split, sum);
	large = part_behind(&past, &split, "large");
	CHECK(split.nr_parts <= SUMMARY_PARTS);
	if (CHECK(rivals) && CHECK(large)) {
		CHECK_NUMBER(rivals->total_ns, RIVALS * 20);
		CHECK_NUMBER(rivals->count, RIVALS);
		CHECK(rivals->nr_threads <= RIVALS);
		CHECK_NUMBER(rivals->nr_threads == RIVALS, !rivals->is_at_least);
		CHECK_NUMBER(large->total_ns, RIVALS * 10);
		CHECK_NUMBER(large->key.tid, LARGE);
		CHECK_NUMBER(large->nr_threads, 0);
	}
}

TEST(rivals_of_one_name_are_summed_up)
{
	check_rivals(SPLIT_PARTS_SINGLE, "check", "check");
}

TEST(names_with_numbers_are_summed_up)
{
	check_rivals(SPLIT_PARTS_SINGLE, "pool%03d", "pool*");
}

TEST(beyond_the_limit_sums_are_exact_and_threads_a_lower_bound)
{
	check_rivals(64, "check", "check");
	check_rivals(64, "pool%03d", "pool*");
	check_rivals(100, "pool%03d", "pool*");
}

TEST(too_many_names_are_summed_up_by_kind)
{
	SCOPED(past) past;
	SCOPED(split) split;
	int64_t runnable_ns = 0;

	explain_rivals(&past, &split, 64, "_%d");
	for (size_t i = 0; i < split.nr_parts; i++)
		runnable_ns += split.parts[i].key.kind == PART_RUNNABLE ? split.parts[i].total_ns
									: 0;
	CHECK_NUMBER(runnable_ns, RIVALS * 30);
	CHECK(split.nr_parts <= SUMMARY_PARTS);
}

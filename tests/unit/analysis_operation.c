// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what threads wait for: requests and timers; and of their instants. */
#include "analysis/internal.h"
#include "fixtures/past.h"

#include "fixtures/tap.h"

/* The caller waits from 200 for a request that OTHER begins at 300, and that ends at 500. */
static void request_make(struct past *past, int64_t due_ns)
{
	struct operation request = { .begin_ns = 300,
				     .due_ns = due_ns,
				     .name = name_of(past, "block:request/R@8,0") };

	switch_to(past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(past, 150, 1, 0, THREAD_UNKNOWN, OTHER);
	switch_to(past, 200, 0, CALLER, THREAD_BLOCKED, 30);
	request.writer = history_waker(&past->history, OTHER, 1);
	interrupt_begin(past, 480, 0, CONTEXT_SOFT, "BLOCK");
	history_end_operation(&past->history, history_cpu(&past->history, 0), &request);
	change(past, 500, CALLER, THREAD_RUNNABLE, 0, 30);
	interrupt_end(past, 510, 0);
	switch_to(past, 520, 0, 30, THREAD_RUNNABLE, CALLER);
}

/* Recordings may have any numbers. */
TEST(jiffies_of_any_size_are_counted)
{
	SCOPED(timers) timers = { 0 };

	timers_count_jiffies(&timers, INT64_MIN, 0);
	timers_count_jiffies(&timers, INT64_MAX, 1000);
	CHECK_NUMBER(timers.jiffy_ns, 0);
	timers_count_jiffies(&timers, INT64_MIN + 1000, 4000000);
	CHECK_NUMBER(timers.jiffy_ns, 4000);
}

TEST(a_wait_for_an_operation_goes_on_with_what_led_to_it)
{
	struct split split;
	const struct part *blocked;
	FIXTURE(past, past);

	request_make(&past, INT64_MAX);
	split = explain(&past, 100, 600);
	blocked = part_of(&split, PART_BLOCKED);
	CHECK_NUMBER(blocked->key.object, name_of(&past, "block:request/R@8,0"));
	if (CHECK(blocked->waker)) {
		CHECK_NUMBER(blocked->waker->total_ns, 300);
		CHECK_NUMBER(time_of(blocked->waker, PART_WAITING), 200);
		CHECK_NUMBER(time_of(blocked->waker, PART_RUNNING), 100);
		CHECK_NUMBER(part_of(blocked->waker, PART_RUNNING)->key.owner, OTHER);
	}
	split_release(&split);

	/* An operation of an interrupt that ended before is not the reason of the next wake-up. */
	switch_to(&past, 700, 0, CALLER, THREAD_BLOCKED, 30);
	interrupt_begin(&past, 750, 0, CONTEXT_HARD, "IRQ 1");
	change(&past, 760, CALLER, THREAD_RUNNABLE, 0, 30);
	interrupt_end(&past, 770, 0);
	switch_to(&past, 780, 0, 30, THREAD_RUNNABLE, CALLER);
	split = explain(&past, 690, 800);
	CHECK_NUMBER(part_of(&split, PART_BLOCKED)->key.object, NAMES_NONE);
	split_release(&split);
}

/* A timer expires in an interrupt on top of the soft one that wakes. */
TEST(an_operation_of_a_nested_interrupt_is_not_the_reason)
{
	const struct operation timer = {
		.begin_ns = 150, .due_ns = INT64_MAX, .asked_ns = INT64_MAX, .kind = OPERATION_TIMER
	};
	SCOPED(split) split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, 30);
	interrupt_begin(&past, 480, 0, CONTEXT_HARD, "IRQ 27 virtio0");
	interrupt_begin(&past, 484, 0, CONTEXT_HARD, "hrtimer tick");
	history_end_operation(&past.history, history_cpu(&past.history, 0), &timer);
	interrupt_end(&past, 488, 0);
	change(&past, 500, CALLER, THREAD_RUNNABLE, 0, 30);
	interrupt_end(&past, 510, 0);
	switch_to(&past, 520, 0, 30, THREAD_RUNNABLE, CALLER);
	split = explain(&past, 100, 600);
	CHECK_NUMBER(part_of(&split, PART_BLOCKED)->key.interrupt,
		     name_of(&past, "IRQ 27 virtio0"));
	CHECK(!part_of(&split, PART_BLOCKED)->waker);
}

TEST(an_operation_is_late_because_of_what_used_the_cpu)
{
	SCOPED(split) split;
	const struct part *blocked;
	FIXTURE(past, past);

	request_make(&past, 350);
	split = explain(&past, 100, 600);
	blocked = part_of(&split, PART_BLOCKED);
	if (CHECK(blocked->waker)) {
		CHECK_NUMBER(time_of(blocked->waker, PART_LATE), 150);
		/* The rest of it is that of the interrupt itself. */
		CHECK_NUMBER(part_of(blocked->waker, PART_LATE)->key.tid, 30);
		CHECK_NUMBER(part_of(blocked->waker, PART_LATE)->total_ns, 130);
		CHECK_NUMBER(time_of(blocked->waker, PART_WAITING), 50);
		CHECK_NUMBER(time_of(blocked->waker, PART_RUNNING), 100);
	}
}

TEST(an_operation_that_was_overwritten_is_unknown)
{
	static const struct operation other;
	SCOPED(split) split;
	FIXTURE(past, past);

	request_make(&past, INT64_MAX);
	/* The request is the second one: its soft interrupt was raised before. */
	for (uint32_t i = 1; i < HISTORY_OPERATIONS; i++)
		history_end_operation(&past.history, history_cpu(&past.history, 1), &other);
	CHECK(history_operation(&past.history, 2));
	history_end_operation(&past.history, history_cpu(&past.history, 1), &other);
	CHECK(!history_operation(&past.history, 2));
	split = explain(&past, 100, 600);
	CHECK_NUMBER(part_of(&split, PART_BLOCKED)->key.object, NAMES_NONE);
	CHECK(!part_of(&split, PART_BLOCKED)->waker);
}

TEST(instants_are_counted_while_a_thread_runs_and_the_last_one_is_kept_for_its_wait)
{
	struct split split;
	struct thread_history *caller;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	caller = thread_of(&past, CALLER);
	history_add_instant(caller, name_of(&past, "rare"));
	for (unsigned int i = 0; i < 7; i++)
		history_add_instant(caller, name_of(&past, "fault"));
	interrupt_begin(&past, 120, 0, CONTEXT_HARD, "IRQ 1");
	interrupt_end(&past, 130, 0);
	history_add_instant(caller, name_of(&past, "throttled"));
	/* A slice that ends shows those of the open segment. */
	split = explain(&past, 100, 150);
	CHECK_NUMBER(part_of(&split, PART_RUNNING)->nr_instants, 7);
	split_release(&split);

	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, 0);
	change(&past, 300, CALLER, THREAD_RUNNABLE, 1, OTHER);
	switch_to(&past, 310, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 400, 0, CALLER, THREAD_BLOCKED, 0);
	change(&past, 450, CALLER, THREAD_RUNNABLE, 1, OTHER);
	split = explain(&past, 100, 250);
	CHECK_NUMBER(part_of(&split, PART_RUNNING)->nr_instants, 7);
	CHECK_NUMBER(part_of(&split, PART_RUNNING)->key.instant, name_of(&past, "fault"));
	CHECK_NUMBER(part_of(&split, PART_RUNNING)->count, 2);
	CHECK_NUMBER(part_of(&split, PART_BLOCKED)->key.instant, name_of(&past, "throttled"));
	split_release(&split);
	/* The next wait has none before it. */
	split = explain(&past, 310, 450);
	CHECK_NUMBER(part_of(&split, PART_RUNNING)->nr_instants, 0);
	CHECK_NUMBER(part_of(&split, PART_BLOCKED)->key.instant, NAMES_NONE);
	split_release(&split);
}

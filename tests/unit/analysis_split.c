// SPDX-License-Identifier: GPL-2.0-only
/* Tests of splits: the parts of made histories, whose sums are exact. */
#include "fixtures/past.h"

#include "fixtures/random.h"
#include "fixtures/tap.h"

/* The caller runs from 100, waits for the other one from 200 to 500, and runs again from 600. */
static void wait_make(struct past *past)
{
	switch_to(past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(past, 150, 1, 0, THREAD_UNKNOWN, OTHER);
	switch_to(past, 200, 0, CALLER, THREAD_BLOCKED, 0);
	change(past, 500, CALLER, THREAD_RUNNABLE, 1, OTHER);
	switch_to(past, 600, 0, 0, THREAD_UNKNOWN, CALLER);
}

TEST(running_blocked_and_runnable_add_up)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	wait_make(&past);
	split = explain(&past, 120, 700);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 180);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), 300);
	CHECK_NUMBER(time_of(&split, PART_RUNNABLE), 100);
	CHECK_NUMBER(part_of(&split, PART_BLOCKED)->key.tid, OTHER);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.tid, 0);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.cpu, 0);
}

TEST(the_waker_is_followed_in_the_time_of_the_wait)
{
	SCOPED(split) split;
	const struct part *blocked;
	FIXTURE(past, past);

	wait_make(&past);
	split = explain(&past, 120, 700);
	blocked = part_of(&split, PART_BLOCKED);
	if (CHECK(blocked->waker)) {
		CHECK_NUMBER(blocked->waker->total_ns, 300);
		CHECK_NUMBER(time_of(blocked->waker, PART_RUNNING), 300);
	}
}

TEST(nested_interrupts_are_apart_and_not_running)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	interrupt_begin(&past, 200, 0, CONTEXT_SOFT, "NET_RX");
	interrupt_begin(&past, 230, 0, CONTEXT_HARD, "IRQ 27 virtio0");
	interrupt_end(&past, 250, 0);
	interrupt_end(&past, 300, 0);
	/* An interrupt of another CPU has no effect. */
	interrupt_begin(&past, 310, 1, CONTEXT_HARD, "IRQ 9 acpi");
	interrupt_end(&past, 390, 1);
	split = explain(&past, 150, 400);
	CHECK_NUMBER(time_of(&split, PART_SOFT), 80);
	CHECK_NUMBER(time_of(&split, PART_HARD), 20);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 150);
	CHECK_NUMBER(part_of(&split, PART_SOFT)->count, 2);
}

TEST(an_interrupt_that_wakes_is_the_waker)
{
	SCOPED(split) split;
	const struct part *blocked;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, OTHER);
	interrupt_begin(&past, 290, 0, CONTEXT_HARD, "IRQ 27 virtio0");
	change(&past, 300, CALLER, THREAD_RUNNABLE, 0, OTHER);
	interrupt_end(&past, 310, 0);
	switch_to(&past, 350, 0, OTHER, THREAD_RUNNABLE, CALLER);
	split = explain(&past, 100, 400);
	blocked = part_of(&split, PART_BLOCKED);
	CHECK_NUMBER(blocked->total_ns, 100);
	CHECK_NUMBER(blocked->key.context, CONTEXT_HARD);
	CHECK_NUMBER(blocked->key.interrupt, name_of(&past, "IRQ 27 virtio0"));
	CHECK_NUMBER(blocked->key.tid, -1);
	CHECK(!blocked->waker);
	/* 10 behind the interrupt, 40 behind the thread that it interrupted. */
	CHECK_NUMBER(time_of(&split, PART_RUNNABLE), 50);
}

TEST(a_thread_that_migrates_waits_for_the_cpu_where_it_runs)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 150, 1, 0, THREAD_UNKNOWN, 30);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, OTHER);
	change(&past, 300, CALLER, THREAD_RUNNABLE, 0, OTHER);
	switch_to(&past, 400, 1, 30, THREAD_BLOCKED, CALLER);
	split = explain(&past, 100, 450);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.cpu, 1);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.tid, 30);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 150);
}

TEST(a_loss_makes_the_time_undecided_until_a_record_proves_the_state)
{
	struct split split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 150, 1, 0, THREAD_UNKNOWN, OTHER);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, 0);
	CHECK_NUMBER(history_lose(&past.history, 1, 250, 280), 0);
	change(&past, 500, CALLER, THREAD_RUNNABLE, 1, OTHER);
	switch_to(&past, 600, 0, 0, THREAD_UNKNOWN, CALLER);
	split = explain(&past, 100, 700);
	/* It was woken at 500, so it was blocked since the loss. */
	CHECK_NUMBER(undecided(&split, UNDECIDED_LOSS), 30);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), 270);
	split_release(&split);

	/* It runs at 900, but its waking was lost. */
	switch_to(&past, 700, 0, CALLER, THREAD_BLOCKED, 0);
	CHECK_NUMBER(history_lose(&past.history, 1, 750, 800), 0);
	switch_to(&past, 900, 0, 0, THREAD_UNKNOWN, CALLER);
	split = explain(&past, 700, 950);
	CHECK_NUMBER(undecided(&split, UNDECIDED_LOSS), 150);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), 50);
	split_release(&split);
}

TEST(a_loss_on_another_cpu_does_not_affect_a_thread_that_runs)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	CHECK_NUMBER(history_lose(&past.history, 1, 150, 250), 0);
	CHECK_NUMBER(history_lose(&past.history, 0, 300, 320), 0);
	switch_to(&past, 400, 0, CALLER, THREAD_BLOCKED, 0);
	split = explain(&past, 100, 400);
	CHECK_NUMBER(undecided(&split, UNDECIDED_LOSS), 20);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 280);
}

TEST(a_slice_without_an_end_is_split_until_the_recording_ends)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, 0);
	split = explain(&past, 150, 900);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), 700);
	CHECK(!part_of(&split, PART_BLOCKED)->key.is_woken);
}

TEST(without_the_schedulers_records_only_inner_slices_are_known)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	past.history.has_states = false;
	history_see_thread(&past.history, thread_of(&past, CALLER), 100, 0);
	split = explain(&past, 100, 200);
	CHECK_NUMBER(undecided(&split, UNDECIDED_NO_STATES), 100);
}

TEST(segments_that_were_overwritten_are_undecided)
{
	SCOPED(split) split;
	int64_t now_ns = 1000;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, 0);
	for (size_t i = 0; i < HISTORY_SIZE; i++, now_ns += 2) {
		interrupt_begin(&past, now_ns, 1, CONTEXT_HARD, "IRQ 1");
		interrupt_end(&past, now_ns + 1, 1);
	}
	change(&past, now_ns, CALLER, THREAD_RUNNABLE, 1, OTHER);
	switch_to(&past, now_ns + 10, 0, 0, THREAD_UNKNOWN, CALLER);
	split = explain(&past, 100, now_ns + 20);
	CHECK_NUMBER(undecided(&split, UNDECIDED_HISTORY), 100);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), now_ns - 200);
}

/* Adds segments to the line of another CPU; returns the time of the last one. */
static int64_t fill(struct past *past, int64_t time_ns, uint32_t nr_segments)
{
	history_run_thread(&past->history, history_cpu(&past->history, 1), time_ns, OTHER);
	nr_segments += past->history.nr_segments;
	while (past->history.nr_segments != nr_segments)
		history_run_thread(&past->history, history_cpu(&past->history, 1), ++time_ns, OTHER);
	return time_ns;
}

TEST(the_oldest_segment_of_the_ring_is_valid_until_the_next_one)
{
	struct split split;
	int64_t now_ns;
	FIXTURE(past, past);

	now_ns = fill(&past, 10, 5);
	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, 0);
	/* The last segment is the thread's: the CPU changed before it. */
	now_ns = fill(&past, 300, HISTORY_SIZE - 2);
	split = explain(&past, 100, now_ns);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 100);
	split_release(&split);

	now_ns = fill(&past, now_ns, 1);
	split = explain(&past, 100, now_ns);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 0);
	CHECK_NUMBER(undecided(&split, UNDECIDED_HISTORY), 100);
	split_release(&split);
}

TEST(what_the_limit_of_steps_leaves_out_is_undecided)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	wait_make(&past);
	past.splitter.is_limited = true;
	past.splitter.nr_steps = 3;
	split = explain(&past, 120, 700);
	/* The last 100 need two steps, the one before has one for its thread. */
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 100);
	CHECK_NUMBER(undecided(&split, UNDECIDED_LIMIT), 480);
}

TEST(what_an_explanation_visits_takes_steps_also_without_a_limit)
{
	SCOPED(split) split;
	uint32_t fsync;
	FIXTURE(past, past);

	fsync = name_of(&past, "fsync");
	name_table_get(&past.names, fsync)->is_call = true;
	switch_to(&past, 10, 0, 0, THREAD_UNKNOWN, OTHER);
	history_begin_label(&past.history, thread_of(&past, OTHER), 20, fsync);
	switch_to(&past, 30, 0, OTHER, THREAD_BLOCKED, CALLER);
	history_begin_label(&past.history, thread_of(&past, CALLER), 40, fsync);
	switch_to(&past, 50, 0, CALLER, THREAD_BLOCKED, 0);
	change(&past, 500, OTHER, THREAD_RUNNABLE, 1, 0);
	change(&past, 600, CALLER, THREAD_RUNNABLE, 1, 0);
	past.splitter.nr_steps = 0;
	split = explain(&past, 40, 600);
	CHECK_NUMBER(split.companion.tid, OTHER);
	/* The other thread has two segments, and is one of two threads. */
	CHECK(past.splitter.nr_steps <= -SPLITTER_WALK - 4 * SPLITTER_VISIT);
}

/* The other thread has the CPU for so many ticks of 4 ms, then the caller has it for one. */
static int64_t turn_make(struct past *past, int64_t time_ns, int nr_ticks)
{
	switch_to(past, time_ns, 0, CALLER, THREAD_RUNNABLE, OTHER);
	history_set_prio(&past->history, thread_of(past, OTHER), time_ns, PRIO_NORMAL);
	for (int i = 0; i < nr_ticks; i++) {
		time_ns += 4000000;
		interrupt_begin(past, time_ns - 1000, 0, CONTEXT_HARD, "local timer");
		interrupt_end(past, time_ns, 0);
	}
	switch_to(past, time_ns, 0, OTHER, THREAD_RUNNABLE, CALLER);
	return time_ns + 4000000;
}

TEST(turns_of_threads_with_one_priority_are_no_weight)
{
	struct split split;
	int64_t time_ns = 4000000;
	FIXTURE(past, past);

	thread_of(&past, CALLER)->prio = PRIO_NORMAL;
	switch_to(&past, 0, 0, 0, THREAD_UNKNOWN, CALLER);
	for (int i = 0; i < 20; i++)
		time_ns = turn_make(&past, time_ns, 3);
	split = explain(&past, 0, time_ns);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.prio, PRIO_NORMAL);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.reason, RUNNABLE_OTHER);
	split_release(&split);
	time_ns = turn_make(&past, time_ns, 20);
	split = explain(&past, 0, time_ns);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.reason, RUNNABLE_LIGHT);
	split_release(&split);
}

TEST(a_thread_that_keeps_the_cpu_without_ticks_has_no_more_weight)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	thread_of(&past, CALLER)->prio = PRIO_NORMAL;
	switch_to(&past, 0, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 100, 0, CALLER, THREAD_RUNNABLE, OTHER);
	history_set_prio(&past.history, thread_of(&past, OTHER), 100, PRIO_NORMAL);
	switch_to(&past, 80000100, 0, OTHER, THREAD_RUNNABLE, CALLER);
	split = explain(&past, 0, 80000200);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.prio, PRIO_NORMAL);
	CHECK_NUMBER(part_of(&split, PART_RUNNABLE)->key.reason, RUNNABLE_OTHER);
}

TEST(a_stopped_thread_is_neither_blocked_nor_runnable)
{
	SCOPED(split) split;
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	switch_to(&past, 200, 0, CALLER, THREAD_STOPPED, 0);
	change(&past, 300, CALLER, THREAD_RUNNABLE, 1, OTHER);
	switch_to(&past, 300, 0, 0, THREAD_UNKNOWN, CALLER);
	split = explain(&past, 100, 400);
	CHECK_NUMBER(time_of(&split, PART_STOPPED), 100);
	CHECK_NUMBER(part_of(&split, PART_STOPPED)->key.tid, OTHER);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 200);
}

/* Device, its interrupt, the soft one that it raises, a worker. */
TEST(a_chain_goes_from_the_end_back_to_the_device)
{
	SCOPED(split) split = { 0 };
	const struct waker end = { .tid = OTHER, .cpu = 1 };
	FIXTURE(past, past);

	switch_to(&past, 50, 1, 0, THREAD_UNKNOWN, OTHER);
	switch_to(&past, 90, 1, OTHER, THREAD_BLOCKED, 0);
	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	interrupt_begin(&past, 500, 0, CONTEXT_HARD, "IRQ 27 virtio0");
	interrupt_end(&past, 510, 0);
	interrupt_begin(&past, 515, 0, CONTEXT_SOFT, "BLOCK");
	change(&past, 530, OTHER, THREAD_RUNNABLE, 0, CALLER);
	interrupt_end(&past, 540, 0);
	switch_to(&past, 560, 1, 0, THREAD_UNKNOWN, OTHER);
	CHECK_NUMBER(split_chain(&past.splitter, &end, (struct span){ 110, 600 }, &split), 0);
	CHECK_NUMBER(sum_of(&split), 490);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 40);
	CHECK_NUMBER(time_of(&split, PART_RUNNABLE), 30);
	CHECK_NUMBER(time_of(&split, PART_SOFT), 20);
	CHECK_NUMBER(time_of(&split, PART_HARD), 10);
	CHECK_NUMBER(time_of(&split, PART_WAITING), 390);
	CHECK_NUMBER(part_of(&split, PART_WAITING)->key.interrupt, name_of(&past, "IRQ 27 virtio0"));
	CHECK_NUMBER(part_of(&split, PART_RUNNING)->key.owner, OTHER);
}

/* Time until a device's interrupt, if a soft one begins @between_ns behind it. */
static int64_t wait_for_device(int64_t between_ns)
{
	const int64_t soft_ns = 510 + between_ns;
	struct past past;
	struct split split = { 0 };
	struct waker end;
	int64_t wait_ns;

	past_init(&past);
	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	interrupt_begin(&past, 500, 0, CONTEXT_HARD, "IRQ 27 virtio0");
	interrupt_end(&past, 510, 0);
	interrupt_begin(&past, soft_ns, 0, CONTEXT_SOFT, "BLOCK");
	end = history_waker(&past.history, CALLER, 0);
	interrupt_end(&past, soft_ns + 20, 0);
	CHECK_NUMBER(split_chain(&past.splitter, &end, (struct span){ 110, soft_ns + 20 }, &split),
		     0);
	wait_ns = time_of(&split, PART_WAITING);
	CHECK_NUMBER(sum_of(&split), soft_ns + 20 - 110);
	split_release(&split);
	past_release(&past);
	return wait_ns;
}

/* A soft interrupt that begins later than that was raised by something else. */
TEST(a_hard_interrupt_raises_a_soft_one_within_100_us)
{
	CHECK_NUMBER(wait_for_device(100000), 500 - 110);
	/* Then it is the thread's. */
	CHECK_NUMBER(wait_for_device(100001), 0);
}

/* The worker did other work before, and was woken by nobody since. */
TEST(a_chain_attributes_a_workers_other_work)
{
	SCOPED(split) split = { 0 };
	const struct waker end = { .tid = OTHER, .cpu = 1 };
	struct thread_history *worker;
	FIXTURE(past, past);

	switch_to(&past, 50, 1, 0, THREAD_UNKNOWN, OTHER);
	worker = thread_of(&past, OTHER);
	history_begin_label(&past.history, worker, 60, name_of(&past, "slow"));
	history_end_label(&past.history, worker, 400, name_of(&past, "slow"));
	history_begin_label(&past.history, worker, 410, name_of(&past, "quick"));
	CHECK_NUMBER(split_chain(&past.splitter, &end, (struct span){ 100, 450 }, &split), 0);
	CHECK_NUMBER(sum_of(&split), 350);
	split_sort(&split);
	CHECK_NUMBER(split.nr_parts, 3);
	CHECK_NUMBER(split.parts[0].key.label, name_of(&past, "slow"));
	CHECK_NUMBER(split.parts[0].total_ns, 300);
	CHECK_NUMBER(split.parts[1].key.label, name_of(&past, "quick"));
}

static void end_random_operation(struct past *past, struct random *random, unsigned int cpu,
				 int64_t now_ns)
{
	const struct operation operation = {
		.name = name_of(past, "request"),
		.begin_ns = now_ns - random_below(random, 300),
		.due_ns = random_below(random, 2) ? INT64_MAX : now_ns - random_below(random, 300),
		.writer = history_waker(&past->history, CALLER + random_below(random, 4), cpu),
	};

	history_end_operation(&past->history, history_cpu(&past->history, cpu), &operation);
}

/* Any history: sums are exact for every span and thread, also along chains. */
TEST(random_histories_add_up)
{
	struct random random = { .state = 1 };
	int running[2] = { 0, 0 };
	int64_t now_ns = 0;
	FIXTURE(past, past);

	for (size_t i = 0; i < 20000; i++) {
		unsigned int cpu = random_below(&random, 2);
		int tid = CALLER + random_below(&random, 4);

		now_ns += random_below(&random, 20);
		switch (random_below(&random, 10)) {
		case 0:
			interrupt_begin(&past, now_ns, cpu, 1 + random_below(&random, 2), "I");
			break;
		case 1:
		case 2:
			interrupt_end(&past, now_ns, cpu);
			break;
		case 3:
			change(&past, now_ns, tid, THREAD_RUNNABLE, cpu, running[cpu]);
			break;
		case 4:
			end_random_operation(&past, &random, cpu, now_ns);
			break;
		case 5:
			history_add_instant(thread_of(&past, tid), name_of(&past, "instant"));
			break;
		case 6:
			if (random_below(&random, 200) == 0)
				history_lose(&past.history, cpu, now_ns, now_ns + 50);
			break;
		default:
			switch_to(&past, now_ns, cpu, running[cpu],
				  THREAD_RUNNABLE + random_below(&random, 3), tid);
			running[cpu] = tid;
			break;
		}
		if (i % 16 == 0 && now_ns > 0) {
			int64_t from_ns = random_below(&random, now_ns);
			const struct waker end = history_waker(&past.history, tid, cpu);
			struct split split = explain(&past, from_ns, now_ns);

			split_release(&split);
			CHECK_NUMBER(split_chain(&past.splitter, &end,
						 (struct span){ from_ns, now_ns }, &split),
				     0);
			CHECK_NUMBER(sum_of(&split), now_ns - from_ns);
			split_release(&split);
		}
	}
}

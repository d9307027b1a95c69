// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what a history concludes from few records. */
#include "fixtures/past.h"

#include "fixtures/tap.h"

/* Whoever is switched out has run before, whoever is woken was blocked. */
TEST(the_first_record_of_a_thread_shows_its_state_before)
{
	struct past past;
	struct split split;

	past_init(&past);
	switch_to(&past, 200, 0, CALLER, THREAD_BLOCKED, OTHER);
	split = explain(&past, 100, 250);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 100);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), 50);
	split_release(&split);
	past_release(&past);

	past_init(&past);
	change(&past, 200, CALLER, THREAD_RUNNABLE, 0, OTHER);
	split = explain(&past, 100, 250);
	CHECK_NUMBER(time_of(&split, PART_BLOCKED), 100);
	CHECK_NUMBER(time_of(&split, PART_RUNNABLE), 50);
	split_release(&split);
	past_release(&past);
}

TEST(each_cpu_has_an_idle_thread_of_its_own)
{
	struct thread_history *idle, *other;
	FIXTURE(past, past);

	idle = history_thread_add(&past.history, 0, 0);
	other = history_thread_add(&past.history, 0, 1);
	CHECK(idle && other && idle != other);
	CHECK(history_thread(&past.history, 0, 0) == idle);
	CHECK(history_thread_add(&past.history, CALLER, 0) ==
	      history_thread_add(&past.history, CALLER, 1));
}

/* Those that a track refers to are kept, wherever the table has them. */
TEST(threads_of_which_nothing_is_known_make_room_for_others)
{
	FIXTURE(past, past);

	for (int tid = 1; tid <= HISTORY_THREADS_MAX; tid++)
		history_thread_add(&past.history, tid, 0)->nr_tracks = tid % 3 == 0;
	CHECK_NUMBER(past.history.threads.size, HISTORY_THREADS_MAX);
	CHECK(history_thread_add(&past.history, HISTORY_THREADS_MAX + 1, 0));
	CHECK_NUMBER(past.history.threads.size, HISTORY_THREADS_MAX / 3 + 1);
	for (int tid = 3; tid <= HISTORY_THREADS_MAX; tid += 3)
		CHECK(history_thread(&past.history, tid, 0));
}

static bool has_gap(const struct past *past, int64_t from_ns, int64_t to_ns)
{
	return history_find_gap(&past->history, 0, &from_ns, &to_ns);
}

/* What was undecided stays so. */
TEST(gaps_beyond_the_limit_make_the_last_one_longer)
{
	const int64_t last_ns = 10 * (HISTORY_GAPS_MAX - 1);
	FIXTURE(past, past);

	for (int64_t i = 0; i < HISTORY_GAPS_MAX; i++)
		CHECK_NUMBER(history_lose(&past.history, 0, 10 * i, 10 * i + 5), 0);
	CHECK(has_gap(&past, last_ns + 4, last_ns + 6));
	CHECK(!has_gap(&past, last_ns + 5, last_ns + 100));
	CHECK(!has_gap(&past, last_ns - 4, last_ns - 1));
	CHECK_NUMBER(history_lose(&past.history, 1, last_ns - 4, last_ns - 2), 0);
	CHECK_NUMBER(past.history.nr_gaps, HISTORY_GAPS_MAX);
	CHECK(has_gap(&past, last_ns - 4, last_ns - 1));
	CHECK(has_gap(&past, last_ns + 4, last_ns + 6));
	CHECK_NUMBER(history_lose(&past.history, 0, last_ns + 50, last_ns + 60), 0);
	CHECK(has_gap(&past, last_ns + 55, last_ns + 100));
}

/* The thread is switched at the end of the interrupt: what follows is not its interrupt's. */
TEST(a_soft_interrupt_of_another_thread_was_not_raised_by_the_hard_one)
{
	struct waker end;
	SCOPED(split) split = { 0 };
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	interrupt_begin(&past, 500, 0, CONTEXT_HARD, "IRQ 27 virtio0");
	interrupt_end(&past, 510, 0);
	switch_to(&past, 510, 0, CALLER, THREAD_RUNNABLE, OTHER);
	interrupt_begin(&past, 515, 0, CONTEXT_SOFT, "BLOCK");
	end = history_waker(&past.history, OTHER, 0);
	interrupt_end(&past, 540, 0);
	CHECK_NUMBER(split_chain(&past.splitter, &end, (struct span){ 110, 540 }, &split), 0);
	CHECK_NUMBER(time_of(&split, PART_SOFT), 25);
	CHECK_NUMBER(time_of(&split, PART_HARD), 0);
	/* The other thread raised it, which is known since it runs. */
	CHECK_NUMBER(time_of(&split, PART_WAITING), 0);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 5);
	CHECK_NUMBER(undecided(&split, UNDECIDED_UNSEEN), 400);
}

/* The thread of the raise that a soft interrupt on top of OTHER is attributed to. */
static int raiser_behind_loss(int lost_cpu)
{
	struct past past;
	struct waker caller;
	const struct operation *raise;
	int tid;

	past_init(&past);
	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	caller = history_waker(&past.history, CALLER, 0);
	history_raise(&past.history, name_of(&past, "BLOCK"), 300, &caller);
	CHECK_NUMBER(history_lose(&past.history, lost_cpu, 310, 320), 0);
	switch_to(&past, 510, 0, CALLER, THREAD_RUNNABLE, OTHER);
	interrupt_begin(&past, 515, 0, CONTEXT_SOFT, "BLOCK");
	raise = history_operation(&past.history,
				  history_interrupt(history_cpu(&past.history, 0))->operation);
	tid = raise ? raise->writer.tid : -1;
	past_release(&past);
	return tid;
}

TEST(a_raise_is_forgotten_where_its_begin_may_be_lost)
{
	CHECK_NUMBER(raiser_behind_loss(1), CALLER);
	CHECK_NUMBER(raiser_behind_loss(0), OTHER);
}

TEST(a_soft_interrupt_that_a_thread_raised_is_late_if_not_handled_at_once)
{
	const int64_t soft_ns = 500 + RAISE_NS + 10;
	struct waker end;
	SCOPED(split) split = { 0 };
	FIXTURE(past, past);

	switch_to(&past, 100, 0, 0, THREAD_UNKNOWN, CALLER);
	end = history_waker(&past.history, CALLER, 0);
	history_raise(&past.history, name_of(&past, "BLOCK"), 500, &end);
	switch_to(&past, 510, 0, CALLER, THREAD_RUNNABLE, OTHER);
	interrupt_begin(&past, soft_ns, 0, CONTEXT_SOFT, "BLOCK");
	end = history_waker(&past.history, OTHER, 0);
	interrupt_end(&past, soft_ns + 20, 0);
	CHECK_NUMBER(split_chain(&past.splitter, &end, (struct span){ 110, soft_ns + 20 }, &split),
		     0);
	CHECK_NUMBER(time_of(&split, PART_SOFT), 20);
	CHECK_NUMBER(time_of(&split, PART_LATE), RAISE_NS + 10);
	CHECK_NUMBER(time_of(&split, PART_RUNNING), 390);
}

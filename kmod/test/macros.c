// SPDX-License-Identifier: GPL-2.0-only
/* Emits by every macro, for all kinds of attributes, in every context. */
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "test.h"
#include "ktrack_test_trace.h"

#define TEST_NR_TRIES	1000

static void test_emit_guards(u64 id)
{
	u64 flow = ktrack_flow_new(ktrack_test_request);
	char text[] = "copied";

	ktrack_guard(ktrack_test_global, "guard", "track");
	ktrack_guard_printf(ktrack_test_global, ("guard %u", 1), "track");
	ktrack_guard_named(named, ktrack_test_request, "named", id, id, TEST_READ);
	ktrack_guard_named_printf(formatted, ktrack_test_request, ("named %u", 1), id + 1, flow,
				  TEST_WRITE);
	ktrack_guard_copy(ktrack_test_key, "copy", 1, KTRACK_THIS_CPU, 3, text);

	memset(text, 'x', sizeof(text) - 1);
	ktrack_guard_set(named, result, -5);
	ktrack_guard_set(formatted, result, 5);
}

void test_emit_macros(const struct test_record *record)
{
	u64 id = ktrack_id(record), flow = test_flow_new();

	ktrack_begin(ktrack_test_request, "begin", id, id, TEST_READ);
	ktrack_begin_printf(ktrack_test_request, ("begin %u", 2), id, 0, TEST_WRITE);
	ktrack_instant(ktrack_test_request, "instant", id, flow, TEST_READ);
	ktrack_instant_printf(ktrack_test_key, ("instant %u", 2), 1, record->cpu, 1, "text");
	ktrack_end(ktrack_test_request, id, id, TEST_READ, -5);
	ktrack_end(ktrack_test_request, id, 0, TEST_WRITE, 5);
	ktrack_sample(ktrack_test_state, 1, TEST_WRITE);
	test_emit_guards(id);
}

static void test_emit_if_idle(void *argument)
{
	struct test_run **run = argument;

	if (*run && is_idle_task(current)) {
		test_emit(*run);
		*run = NULL;
	}
}

/* Interrupts other CPUs until one of them was idle. */
static int test_emit_in_idle(struct test_run *run)
{
	int cpu, this_cpu, nr_tries;

	for (nr_tries = 0; run && nr_tries < TEST_NR_TRIES; nr_tries++) {
		this_cpu = get_cpu();
		for_each_online_cpu(cpu)
			if (cpu != this_cpu)
				smp_call_function_single(cpu, test_emit_if_idle, &run, true);
		put_cpu();
		usleep_range(100, 200);
	}
	return run ? -ENXIO : 0;
}

static int test_macros_run_round(struct test_run *run, struct test_step *step)
{
	static const enum test_context contexts[] = {
		TEST_IN_TASK, TEST_IN_SPINLOCK, TEST_IN_SOFTIRQ, TEST_IN_HARDIRQ, TEST_IN_NMI,
	};
	u32 index;
	int error = 0;

	for (index = 0; !error && index < ARRAY_SIZE(contexts); index++) {
		step->context = contexts[index];
		error = test_emit_in_context(run);
		/* Not every architecture has NMIs here. */
		if (error == -EOPNOTSUPP)
			error = 0;
	}
	return error ?: test_emit_in_idle(run);
}

/* Returns -ENXIO if no other CPU was idle. */
int test_macros_run(u32 nr_rounds)
{
	struct test_step step = { .event = TEST_MACROS };
	struct test_run *run;
	int error = 0;

	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run)
		return -ENOMEM;
	run->step = &step;
	test_contexts_init(run);
	while (!error && nr_rounds--)
		error = test_macros_run_round(run, &step);
	test_contexts_release(run);
	kfree(run);
	return error;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a scenario at a steady rate on every CPU: a timer writes all rounds that are due by the
 * kernel's clock, delayed ones included.
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "compat.h"
#include "test.h"

#define TEST_LOAD_PERIOD_NS	NSEC_PER_MSEC

/* The load of one CPU. */
struct test_load_cpu {
	struct test_load *load;
	struct test_run run;
	struct hrtimer timer;
	u32 nr_written;
};

struct test_load {
	u32 nr_rounds;
	u32 rounds_per_s;
	ktime_t begin;
	atomic_t nr_busy;
	struct completion done;
	struct test_load_cpu cpus[];
};

static void test_load_write_round(struct test_run *run)
{
	const struct test_step *end = run->scenario->steps + run->scenario->nr_steps;

	for (run->step = run->scenario->steps; run->step < end; run->step++)
		for (run->number = 0; run->number < (run->step->times ?: 1); run->number++)
			test_emit(run);
}

static u32 test_load_due(const struct test_load *load)
{
	u64 passed_ns = ktime_to_ns(ktime_sub(ktime_get(), load->begin));

	return min_t(u64, load->nr_rounds,
		     mul_u64_u32_div(passed_ns, load->rounds_per_s, NSEC_PER_SEC));
}

static enum hrtimer_restart test_load_tick(struct hrtimer *timer)
{
	struct test_load_cpu *cpu = container_of(timer, struct test_load_cpu, timer);
	struct test_load *load = cpu->load;
	u32 nr_due = test_load_due(load);

	for (; cpu->nr_written < nr_due; cpu->nr_written++)
		test_load_write_round(&cpu->run);
	if (cpu->nr_written < load->nr_rounds) {
		hrtimer_forward_now(timer, ns_to_ktime(TEST_LOAD_PERIOD_NS));
		return HRTIMER_RESTART;
	}
	if (atomic_dec_and_test(&load->nr_busy))
		complete(&load->done);
	return HRTIMER_NORESTART;
}

static void test_load_start_here(void *argument)
{
	struct test_load *load = argument;

	hrtimer_start(&load->cpus[smp_processor_id()].timer, ns_to_ktime(TEST_LOAD_PERIOD_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void test_load_start(struct test_load *load)
{
	cpus_read_lock();
	atomic_set(&load->nr_busy, num_online_cpus());
	load->begin = ktime_get();
	on_each_cpu(test_load_start_here, load, true);
	cpus_read_unlock();
}

static struct test_load *test_load_new(const struct test_scenario *scenario)
{
	struct test_load *load = kvzalloc(struct_size(load, cpus, nr_cpu_ids), GFP_KERNEL);
	unsigned int cpu;

	if (!load)
		return NULL;
	init_completion(&load->done);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		load->cpus[cpu].load = load;
		load->cpus[cpu].run.scenario = scenario;
		hrtimer_setup(&load->cpus[cpu].timer, test_load_tick, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	return load;
}

static bool test_load_is_possible(const struct test_scenario *scenario)
{
	u32 index;

	for (index = 0; index < scenario->nr_steps; index++)
		if (scenario->steps[index].context != TEST_ON_EVERY_CPU)
			return false;
	return true;
}

/*
 * Runs that many rounds on each CPU that is online now. Returns 0 when all records are written;
 * -EINTR after a fatal signal; -EINVAL if the scenario has steps that are not for all CPUs.
 */
int test_load_run(const struct test_scenario *scenario, u32 nr_rounds, u32 rounds_per_s)
{
	struct test_load *load;
	unsigned int cpu;
	int error;

	if (!test_load_is_possible(scenario))
		return -EINVAL;
	load = test_load_new(scenario);
	if (!load)
		return -ENOMEM;
	load->nr_rounds = nr_rounds;
	load->rounds_per_s = rounds_per_s;
	test_counts_reset();
	test_load_start(load);
	error = wait_for_completion_killable(&load->done) ? -EINTR : 0;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		hrtimer_cancel(&load->cpus[cpu].timer);
	kvfree(load);
	return error;
}

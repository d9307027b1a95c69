// SPDX-License-Identifier: GPL-2.0-only
/* Runs a scenario: its steps in order, round after round, each on its CPU. */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "test.h"
#include "twin.h"

static bool test_scenario_has(const struct test_scenario *scenario,
			      bool (*is_wanted)(const struct test_step *step))
{
	u32 index;

	for (index = 0; index < scenario->nr_steps; index++)
		if (is_wanted(&scenario->steps[index]))
			return true;
	return false;
}

static bool test_step_is_twin(const struct test_step *step)
{
	return step->event == TEST_OTHER_TWIN;
}

static bool test_step_is_elsewhere(const struct test_step *step)
{
	return step->on_second_cpu;
}

/* The writer is bound to one CPU at a time, so that the CPU of each record is known beforehand. */
static int test_run_stay_on(const struct test_run *run, bool is_second)
{
	int cpu = run->cpus[is_second];

	if (cpumask_equal(current->cpus_ptr, cpumask_of(cpu)))
		return 0;
	return set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static int test_run_step(struct test_run *run)
{
	u32 times = run->step->times ?: 1;
	int error;

	error = test_run_stay_on(run, run->step->on_second_cpu);
	for (run->number = 0; !error && run->number < times; run->number++)
		error = test_emit_in_context(run);
	return error;
}

static int test_run_round(struct test_run *run)
{
	u32 index;
	int error;

	for (index = 0; index < run->scenario->nr_steps; index++) {
		run->step = &run->scenario->steps[index];
		error = test_run_step(run);
		if (error)
			return error;
	}
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int test_run_choose_cpus(struct test_run *run)
{
	cpumask_copy(run->affinity, current->cpus_ptr);
	run->cpus[0] = cpumask_first_and(run->affinity, cpu_online_mask);
	run->cpus[1] = cpumask_next_and(run->cpus[0], run->affinity, cpu_online_mask);
	if (run->cpus[1] < nr_cpu_ids)
		return 0;
	run->cpus[1] = run->cpus[0];
	return test_scenario_has(run->scenario, test_step_is_elsewhere) ? -ENXIO : 0;
}

static int test_run_all(struct test_run *run, u32 nr_rounds)
{
	int error;

	error = test_run_choose_cpus(run);
	while (!error && nr_rounds--)
		error = test_run_round(run);
	set_cpus_allowed_ptr(current, run->affinity);
	return error;
}

/* Keeps the twin tracepoint's module during the run if the scenario needs it. */
static int test_run_with_twin(struct test_run *run, u32 nr_rounds)
{
	int error;

	if (!test_scenario_has(run->scenario, test_step_is_twin))
		return test_run_all(run, nr_rounds);

	run->emit_twin = symbol_get(ktrack_twin_emit);
	if (!run->emit_twin)
		return -EUNATCH;
	error = test_run_all(run, nr_rounds);
	symbol_put(ktrack_twin_emit);
	return error;
}

/*
 * Returns 0 when all records are written; -EINTR after a fatal signal; -ENXIO if the scenario
 * needs a second CPU, -EUNATCH if it needs ktrack_twin.ko, -EOPNOTSUPP if it needs NMIs. Only in
 * the last of these cases records may have been written.
 */
int test_run_rounds(const struct test_scenario *scenario, u32 nr_rounds)
{
	struct test_run *run;
	int error = -ENOMEM;

	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run)
		return -ENOMEM;
	if (!zalloc_cpumask_var(&run->affinity, GFP_KERNEL))
		goto out;

	run->scenario = scenario;
	run->tgid = current->tgid;
	test_counts_reset();
	test_contexts_init(run);
	error = test_run_with_twin(run, nr_rounds);
	test_contexts_release(run);
	free_cpumask_var(run->affinity);
out:
	kfree(run);
	return error;
}

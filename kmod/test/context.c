// SPDX-License-Identifier: GPL-2.0-only
/* Writes a step's record in the step's context, and returns when it is written. */
#include <linux/preempt.h>
#include <linux/smp.h>

#include "test.h"

const char *const test_context_names[TEST_NR_CONTEXTS] = {
	[TEST_IN_TASK] = "task",
	[TEST_IN_SPINLOCK] = "spinlock",
	[TEST_IN_SOFTIRQ] = "softirq",
	[TEST_IN_HARDIRQ] = "hardirq",
	[TEST_IN_NMI] = "nmi",
	[TEST_ON_EVERY_CPU] = "everywhere",
};

/*
 * The number is taken and the record written on one CPU without another record of this module in
 * between: the ring buffer has a CPU's records in the order of their numbers.
 */
void test_emit(const struct test_run *run)
{
	struct test_record record = {
		.step = run->step,
		.number = run->number,
		.tgid = run->tgid,
		.emit_twin = run->emit_twin,
	};

	preempt_disable();
	record.cpu = smp_processor_id();
	record.sequence = test_count_record();
	test_events[run->step->event].emit(&record);
	preempt_enable();
}

static void test_emit_in_spinlock(struct test_run *run)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&run->lock, flags);
	test_emit(run);
	raw_spin_unlock_irqrestore(&run->lock, flags);
}

static void test_tasklet(struct tasklet_struct *tasklet)
{
	struct test_run *run = container_of(tasklet, struct test_run, tasklet);

	test_emit(run);
	complete(&run->done);
}

/* The tasklet runs when bottom halves are enabled again, or soon after. */
static void test_emit_in_softirq(struct test_run *run)
{
	local_bh_disable();
	tasklet_schedule(&run->tasklet);
	local_bh_enable();
	wait_for_completion(&run->done);
}

static void test_irq_work(struct irq_work *irq_work)
{
	test_emit(container_of(irq_work, struct test_run, irq_work));
}

static void test_emit_in_hardirq(struct test_run *run)
{
	irq_work_queue(&run->irq_work);
	irq_work_sync(&run->irq_work);
}

static void test_call(void *argument)
{
	test_emit(argument);
}

/* Writes the current record of the current step. */
int test_emit_in_context(struct test_run *run)
{
	switch (run->step->context) {
	case TEST_IN_TASK:
		test_emit(run);
		return 0;
	case TEST_IN_SPINLOCK:
		test_emit_in_spinlock(run);
		return 0;
	case TEST_IN_SOFTIRQ:
		test_emit_in_softirq(run);
		return 0;
	case TEST_IN_HARDIRQ:
		test_emit_in_hardirq(run);
		return 0;
	case TEST_IN_NMI:
		return test_emit_in_nmi(run);
	case TEST_ON_EVERY_CPU:
		on_each_cpu(test_call, run, true);
		return 0;
	default:
		return -EINVAL;
	}
}

void test_contexts_init(struct test_run *run)
{
	raw_spin_lock_init(&run->lock);
	tasklet_setup(&run->tasklet, test_tasklet);
	run->irq_work = IRQ_WORK_INIT_HARD(test_irq_work);
	init_completion(&run->done);
}

/* A tasklet ends a little later than its completion. */
void test_contexts_release(struct test_run *run)
{
	tasklet_kill(&run->tasklet);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deliberate bugs, one for each debugging aid of the test kernels. The parameter "bug" names the
 * one that the module's init commits. Loading fails afterwards, so that there is nothing to unload.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#define RACE_MS		20000

static char *bug = "";
module_param(bug, charp, 0);

static DEFINE_MUTEX(first_lock);
static DEFINE_MUTEX(second_lock);
static DEFINE_SPINLOCK(spin_lock_held);

static void bug_use_after_free(void)
{
	int *number = kzalloc(sizeof(*number), GFP_KERNEL);

	if (!number)
		return;
	OPTIMIZER_HIDE_VAR(number);
	kfree(number);
	pr_info("freed: %d\n", READ_ONCE(*number));
}

static void bug_overflow(void)
{
	char *text = kzalloc(24, GFP_KERNEL);

	if (!text)
		return;
	OPTIMIZER_HIDE_VAR(text);
	WRITE_ONCE(text[24], 'x');
	kfree(text);
}

static void bug_shift(void)
{
	int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	pr_info("shifted: %d\n", 1 << bits);
}

static void bug_bounds(void)
{
	static int numbers[4];
	int index = 4;

	OPTIMIZER_HIDE_VAR(index);
	/* The next variable of the module, or padding: it is only read. */
	pr_info("beyond: %d\n", numbers[index]);
}

static void bug_lock_order(void)
{
	mutex_lock(&first_lock);
	mutex_lock(&second_lock);
	mutex_unlock(&second_lock);
	mutex_unlock(&first_lock);
	mutex_lock(&second_lock);
	mutex_lock(&first_lock);
	mutex_unlock(&first_lock);
	mutex_unlock(&second_lock);
}

static void bug_rcu(void)
{
	static int number;
	static int __rcu *pointer;

	RCU_INIT_POINTER(pointer, &number);
	pr_info("unprotected: %d\n", *rcu_dereference(pointer));
}

static void bug_atomic_sleep(void)
{
	spin_lock(&spin_lock_held);
	might_sleep();
	spin_unlock(&spin_lock_held);
}

static void bug_preempt(void)
{
	pr_info("on CPU %u\n", smp_processor_id());
}

static void bug_list(void)
{
	LIST_HEAD(list);
	struct list_head entry;

	list_add(&entry, &list);
	entry.prev = &entry;
	list_del(&entry);
}

static void bug_timer_ends(struct timer_list *timer)
{
}

static void bug_active_timer(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, bug_timer_ends, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void bug_leak(void)
{
	void *memory = kzalloc(4000, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
}

static int bug_counter;

/* Neither marked nor locked. */
static int bug_race_run(void *unused)
{
	while (!kthread_should_stop()) {
		bug_counter++;
		barrier();
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static void bug_race(void)
{
	struct task_struct *other = kthread_run(bug_race_run, NULL, "bug_race");
	unsigned long end = jiffies + msecs_to_jiffies(RACE_MS);

	if (IS_ERR(other))
		return;
	while (time_before(jiffies, end)) {
		bug_counter++;
		barrier();
		cpu_relax();
		cond_resched();
	}
	kthread_stop(other);
}

static const struct {
	const char *name;
	void (*commit)(void);
} bugs[] = {
	{ "use_after_free", bug_use_after_free },
	{ "overflow", bug_overflow },
	{ "shift", bug_shift },
	{ "bounds", bug_bounds },
	{ "lock_order", bug_lock_order },
	{ "rcu", bug_rcu },
	{ "atomic_sleep", bug_atomic_sleep },
	{ "preempt", bug_preempt },
	{ "list", bug_list },
	{ "active_timer", bug_active_timer },
	{ "leak", bug_leak },
	{ "race", bug_race },
};

static int __init bugs_init(void)
{
	size_t index;

	for (index = 0; index < ARRAY_SIZE(bugs); index++) {
		if (!strcmp(bug, bugs[index].name)) {
			bugs[index].commit();
			return -ECANCELED;
		}
	}
	return -EINVAL;
}

module_init(bugs_init);

MODULE_DESCRIPTION("Deliberate bugs for the debugging aids of test kernels");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");

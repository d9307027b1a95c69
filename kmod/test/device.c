// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test module's device file. Writing "NAME COUNT" runs a scenario COUNT times, and returns
 * when all records are written. "NAME COUNT RATE" runs it COUNT times on each CPU, RATE times a
 * second, if all its steps are for every CPU. "requests COUNT" and "macros COUNT" run requests.c
 * and macros.c; "INCIDENT MILLISECONDS" runs one of incidents.c. Reading prints the last run as
 *
 *	run NAME COUNT ERROR
 *	cpu N fired RECORDS sequence NUMBER
 *
 * (the number of records of that CPU in the run, and the last sequence number), followed by the
 * output of list.c.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "test.h"

#define TEST_COMMAND_MAX	64

/* The last run, or the current one; locked during a run. */
static DEFINE_MUTEX(test_lock);
static const struct test_scenario *test_last;
static u32 test_last_nr_rounds;
static int test_last_error;

static int test_run_command(const struct test_scenario *scenario, u32 nr_rounds, u32 rate)
{
	int error;

	error = mutex_lock_killable(&test_lock);
	if (error)
		return error;
	test_last = scenario;
	test_last_nr_rounds = nr_rounds;
	error = rate ? test_load_run(scenario, nr_rounds, rate) :
		       test_run_rounds(scenario, nr_rounds);
	test_last_error = error;
	mutex_unlock(&test_lock);
	return error;
}

/* Runs that are no lists of steps. They leave the last scenario as it is. */
static const struct {
	const char *name;
	int (*run)(u32 nr_rounds);
} test_programs[] = {
	{ "requests", test_requests_run },
	{ "macros", test_macros_run },
};

static int test_program_run(const char *name, u32 nr_rounds)
{
	u32 index;
	int error;

	for (index = 0; index < ARRAY_SIZE(test_programs); index++)
		if (!strcmp(test_programs[index].name, name))
			break;
	if (index == ARRAY_SIZE(test_programs))
		return test_incident_run(name, nr_rounds);
	error = mutex_lock_killable(&test_lock);
	if (error)
		return error;
	error = test_programs[index].run(nr_rounds);
	mutex_unlock(&test_lock);
	return error;
}

int test_device_run(const char *name, u32 nr_rounds, u32 rate)
{
	const struct test_scenario *scenario = test_scenario_find(name);

	if (nr_rounds < 1 || nr_rounds > TEST_NR_ROUNDS_MAX)
		return scenario ? -ERANGE : -ENOENT;
	if (!scenario)
		return test_program_run(name, nr_rounds);
	return test_run_command(scenario, nr_rounds, rate);
}

static ssize_t test_write(struct file *file, const char __user *text, size_t size_bytes,
			  loff_t *position)
{
	char command[TEST_COMMAND_MAX], *rest = command, *name, *count;
	u32 nr_rounds, rate = 0;

	if (size_bytes >= sizeof(command))
		return -EINVAL;
	if (copy_from_user(command, text, size_bytes))
		return -EFAULT;
	command[size_bytes] = '\0';

	name = strsep(&rest, " ");
	count = strsep(&rest, " ");
	if (!count || kstrtou32(count, 10, &nr_rounds))
		return -EINVAL;
	if (rest && (kstrtou32(rest, 10, &rate) || rate == 0))
		return -EINVAL;
	return test_device_run(name, nr_rounds, rate) ?: size_bytes;
}

static int test_show(struct seq_file *file, void *unused)
{
	unsigned int cpu;
	int error;

	error = mutex_lock_killable(&test_lock);
	if (error)
		return error;
	if (test_last)
		seq_printf(file, "run %s %u %d\n", test_last->name, test_last_nr_rounds,
			   test_last_error);
	for_each_possible_cpu(cpu)
		seq_printf(file, "cpu %u fired %u sequence %u\n", cpu, test_count_fired(cpu),
			   test_count_sequence(cpu));
	mutex_unlock(&test_lock);
	test_list_all(file);
	return 0;
}

static int test_open(struct inode *inode, struct file *file)
{
	/* Replaces the misc device's pointer, since a sequence file sets its own. */
	file->private_data = NULL;
	return single_open(file, test_show, NULL);
}

static const struct file_operations test_operations = {
	.owner = THIS_MODULE,
	.open = test_open,
	.read = seq_read,
	.write = test_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct miscdevice test_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrack_test",
	.fops = &test_operations,
	.mode = 0600,
};

int test_device_register(void)
{
	return misc_register(&test_misc);
}

void test_device_unregister(void)
{
	misc_deregister(&test_misc);
}

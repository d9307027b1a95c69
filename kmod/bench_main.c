// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the cost of records: a device file and its module.
 *
 * Writing "NAME ROUNDS" to /dev/ktrack_bench runs a row with interrupts off. Reading lists all
 * rows, one line "NAME EVENT RECORDS-PER-ROUND" each ("-" for no event); the line of the last
 * row that ran ends with " CYCLES EVALUATIONS". Cycles are those of the timestamp counter; an
 * emulated processor counts instructions with it. The caller enables the events.
 */
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/uaccess.h>

#include "bench.h"

#define BENCH_NR_ROUNDS_MAX	1000000
#define BENCH_COMMAND_BYTES	64

/**
 * struct bench_device - the device and its last run
 * @misc: the device file
 * @lock: protects the members below
 * @row: the row that ran, NULL before the first run
 * @nr_cycles: its duration, loop included
 * @nr_evaluated: its return value
 */
struct bench_device {
	struct miscdevice misc;
	struct mutex lock;
	const struct bench_row *row;
	u64 nr_cycles;
	u32 nr_evaluated;
};

static struct bench_device *bench_device_of(struct file *file)
{
	struct seq_file *seq = file->private_data;

	return container_of(seq->private, struct bench_device, misc);
}

static const struct bench_row *bench_row_find(const char *name)
{
	const struct bench_row *row;

	for (row = bench_rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

static void bench_row_run(struct bench_device *device, const struct bench_row *row,
			  u32 nr_rounds)
{
	unsigned long flags;
	u64 begin;

	local_irq_save(flags);
	begin = get_cycles();
	device->nr_evaluated = row->run(nr_rounds);
	device->nr_cycles = get_cycles() - begin;
	local_irq_restore(flags);
	device->row = row;
}

static int bench_command_run(struct bench_device *device, const char *command)
{
	const struct bench_row *row;
	char name[BENCH_COMMAND_BYTES];
	u32 nr_rounds;

	if (sscanf(command, "%63s %u", name, &nr_rounds) != 2)
		return -EINVAL;
	row = bench_row_find(name);
	if (!row)
		return -ENOENT;
	if (nr_rounds > BENCH_NR_ROUNDS_MAX)
		return -ERANGE;

	mutex_lock(&device->lock);
	bench_row_run(device, row, nr_rounds);
	mutex_unlock(&device->lock);
	return 0;
}

static ssize_t bench_write(struct file *file, const char __user *text, size_t size_bytes,
			   loff_t *position)
{
	char command[BENCH_COMMAND_BYTES];
	int error;

	if (size_bytes >= sizeof(command))
		return -EINVAL;
	if (copy_from_user(command, text, size_bytes))
		return -EFAULT;
	command[size_bytes] = '\0';
	error = bench_command_run(bench_device_of(file), command);
	return error ?: size_bytes;
}

static int bench_show(struct seq_file *seq, void *unused)
{
	struct bench_device *device = container_of(seq->private, struct bench_device, misc);
	const struct bench_row *row;

	mutex_lock(&device->lock);
	for (row = bench_rows; row->name; row++) {
		seq_printf(seq, "%s %s %u", row->name, row->event ?: "-", row->nr_events);
		if (row == device->row)
			seq_printf(seq, " %llu %u", device->nr_cycles, device->nr_evaluated);
		seq_putc(seq, '\n');
	}
	mutex_unlock(&device->lock);
	return 0;
}

static int bench_open(struct inode *inode, struct file *file)
{
	struct miscdevice *misc = file->private_data;

	file->private_data = NULL;
	return single_open(file, bench_show, misc);
}

static const struct file_operations bench_operations = {
	.owner = THIS_MODULE,
	.open = bench_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.write = bench_write,
	.release = single_release,
};

static struct bench_device bench = {
	.misc = {
		.minor = MISC_DYNAMIC_MINOR,
		.name = "ktrack_bench",
		.fops = &bench_operations,
		.mode = 0600,
	},
	.lock = __MUTEX_INITIALIZER(bench.lock),
};

static int __init ktrack_bench_init(void)
{
	return misc_register(&bench.misc);
}

static void __exit ktrack_bench_exit(void)
{
	misc_deregister(&bench.misc);
}

module_init(ktrack_bench_init);
module_exit(ktrack_bench_exit);

MODULE_DESCRIPTION("Counts what ktrack's macros cost");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/* A module that traces on ktrack.ko's generic tracepoints: writing to "fire" uses each once. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <ktrack/generic.h>

static void borrower_slices(void)
{
	ktrack_guard(ktrack_slice, "thread");
	ktrack_guard_printf(ktrack_slice_track, ("thread %d", 1), "track");

	ktrack_instant(ktrack_slice_tgid, "process", 1);
	ktrack_instant(ktrack_slice_tgid_track, "process", 1, "track");
	ktrack_instant(ktrack_slice_cpu, "cpu", 0);
	ktrack_instant(ktrack_slice_cpu_track, "cpu", 0, "track");
	ktrack_instant(ktrack_slice_scope_track, "scope", S64_MIN, "track");
}

static void borrower_counters(void)
{
	ktrack_sample(ktrack_counter, -1);
	ktrack_sample(ktrack_counter_track, -2, "track");
	ktrack_sample(ktrack_counter_tgid, -3, 1);
	ktrack_sample(ktrack_counter_tgid_track, -4, 1, "track");
	ktrack_sample(ktrack_counter_cpu, -5, 0);
	ktrack_sample(ktrack_counter_cpu_track, -6, 0, "track");
	ktrack_sample(ktrack_counter_scope_track, S64_MIN, S64_MAX, "track");
}

static int borrower_fire(const char *value, const struct kernel_param *param)
{
	borrower_slices();
	borrower_counters();
	return 0;
}

static const struct kernel_param_ops borrower_fire_ops = {
	.set = borrower_fire,
};

module_param_cb(fire, &borrower_fire_ops, NULL, 0200);

MODULE_DESCRIPTION("A driver that borrows ktrack's tracepoints");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test module: named scenarios that write exactly known records. scenarios.c has their
 * table, device.c runs them, context.c has the contexts that write records.
 */
#include <linux/module.h>

#include "test.h"

static char *run;
module_param(run, charp, 0444);
MODULE_PARM_DESC(run, "the scenario that init runs (default: none)");

static uint rounds = 1;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "number of rounds that init runs");

static int __init ktrack_test_start(void)
{
	int error;

	error = test_device_register();
	if (error || !run)
		return error;
	error = test_device_run(run, rounds, 0);
	if (error)
		test_device_unregister();
	return error;
}

static int __init ktrack_test_init(void)
{
	int error;

	error = test_nmi_register();
	if (error)
		return error;
	error = ktrack_test_start();
	if (error)
		test_nmi_unregister();
	return error;
}

static void __exit ktrack_test_exit(void)
{
	test_device_unregister();
	test_nmi_unregister();
}

module_init(ktrack_test_init);
module_exit(ktrack_test_exit);

MODULE_DESCRIPTION("Scenarios that write exactly known track events");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");

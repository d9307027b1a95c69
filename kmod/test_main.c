// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test module: named scenarios that write exactly known records. test_scenarios.c has the
 * table of them, test_device.c tells how to run one, test_context.c where records are written.
 */
#include <linux/module.h>

#include "test.h"

static int __init ktrack_test_init(void)
{
	int error;

	error = test_nmi_register();
	if (error)
		return error;
	error = test_device_register();
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

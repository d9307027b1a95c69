// SPDX-License-Identifier: GPL-2.0-only
/*
 * The outside driver's module: writing to its parameter "fire" makes all of its calls, reading
 * it reports how many arguments they have evaluated.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "outside.h"

#define CREATE_TRACE_POINTS
#include "outside_trace.h"

static int outside_fire(const char *value, const struct kernel_param *param)
{
	unsigned int *nr_evaluated = param->arg;

	*nr_evaluated = outside_calls_make() + outside_attributes_make() +
			outside_quiet_make();
	outside_names_write();
	return 0;
}

static const struct kernel_param_ops outside_fire_ops = {
	.set = outside_fire,
	.get = param_get_uint,
};

static unsigned int fire;
module_param_cb(fire, &outside_fire_ops, &fire, 0600);

static int __init outside_init(void)
{
	return 0;
}

static void __exit outside_exit(void)
{
}

module_init(outside_init);
module_exit(outside_exit);

MODULE_DESCRIPTION("A driver outside of ktrack's tree");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");

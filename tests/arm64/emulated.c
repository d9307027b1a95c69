// SPDX-License-Identifier: GPL-2.0-only
/* For programs under qemu-user, which has no seccomp: print formats are parsed all the same. units.t tests the real filter. */
#include <seccomp.h>

scmp_filter_ctx seccomp_init(uint32_t def_action)
{
	static int filter;

	(void)def_action;
	return &filter;
}

int seccomp_rule_add(scmp_filter_ctx filter, uint32_t action, int call, unsigned int nr_arguments, ...)
{
	(void)filter;
	(void)action;
	(void)call;
	(void)nr_arguments;
	return 0;
}

int seccomp_load(const scmp_filter_ctx filter)
{
	(void)filter;
	return 0;
}

void seccomp_release(scmp_filter_ctx filter)
{
	(void)filter;
}

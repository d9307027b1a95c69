// SPDX-License-Identifier: GPL-2.0-only
/* Limits the system calls of a process. */
#include "event/system_calls.h"

#include <errno.h>
#include <seccomp.h>

bool system_calls_limit(const int *calls, size_t nr_calls)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	bool is_filtered = filter;

	for (size_t i = 0; i < nr_calls && is_filtered; i++)
		is_filtered = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
	is_filtered = is_filtered && seccomp_load(filter) == 0;
	if (filter)
		seccomp_release(filter);
	return is_filtered;
}

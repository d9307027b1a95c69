// SPDX-License-Identifier: GPL-2.0-only
/* Gives up the privileges of a child that parses what others wrote. */
#include "event/sandbox.h"

#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define LIMIT(resource, limit) setrlimit(resource, &(struct rlimit){ limit, limit })

/* Allocating memory, reading and writing these files, and exiting are enough to parse. */
static bool filter_add(scmp_filter_ctx filter, const struct sandbox *sandbox)
{
	static const int calls[] = { SCMP_SYS(mmap), SCMP_SYS(munmap),	   SCMP_SYS(mremap),
				     SCMP_SYS(brk),  SCMP_SYS(madvise),	   SCMP_SYS(exit_group),
				     SCMP_SYS(exit), SCMP_SYS(sched_yield) };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) != 0)
			return false;
	}
	if (sandbox->read_fd >= 0 && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(pread64), 1,
						      SCMP_A0(SCMP_CMP_EQ, sandbox->read_fd)) != 0)
		return false;
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
				SCMP_A0(SCMP_CMP_EQ, sandbox->write_fd)) == 0;
}

bool sandbox_enter(const struct sandbox *sandbox)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int a = sandbox->read_fd, b = sandbox->write_fd;
	int first = a < b ? a : b, last = a < b ? b : a;
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;
	bool is_filtered;

	/* Memory that is mapped already: sanitizers map terabytes that they do not use. */
	if (file && fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	/* A handler would return by a call that the filter refuses. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	LIMIT(RLIMIT_AS, pages * sysconf(_SC_PAGESIZE) + sandbox->memory);
	LIMIT(RLIMIT_CPU, sandbox->cpu_s);
	LIMIT(RLIMIT_CORE, 0);
	LIMIT(RLIMIT_FSIZE, sandbox->file_size);
	prctl(PR_SET_DUMPABLE, 0);
	/* Other files; the first one may be -1. */
	if (first > 0)
		close_range(0, first - 1, 0);
	if (last > first + 1)
		close_range(first + 1, last - 1, 0);
	close_range(last + 1, ~0U, 0);
	is_filtered = filter && filter_add(filter, sandbox) && seccomp_load(filter) == 0;
	if (filter)
		seccomp_release(filter);
	return is_filtered;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Gives up the privileges of the child that parses print formats. */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "event/symbol_child.h"

#define CPU_S 2
#define MEMORY_MAX (UINT64_C(64) << 20)

/* Memory that is mapped already: sanitizers map terabytes that they do not use. */
static uint64_t memory_mapped(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static void limits_set(void)
{
	rlim_t memory = memory_mapped() + MEMORY_MAX;

	setrlimit(RLIMIT_AS, &(struct rlimit){ memory, memory });
	setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_S, CPU_S });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, 0 });
	prctl(PR_SET_DUMPABLE, 0);
}

static void files_close(int fd)
{
	if (fd > 0)
		close_range(0, fd - 1, 0);
	close_range(fd + 1, ~0U, 0);
}

/* Allocating memory, writing to the pipe and exiting are enough to parse. */
static bool filter_add(scmp_filter_ctx filter, int fd)
{
	static const int calls[] = { SCMP_SYS(mmap), SCMP_SYS(munmap),	   SCMP_SYS(mremap),
				     SCMP_SYS(brk),  SCMP_SYS(madvise),	   SCMP_SYS(exit_group),
				     SCMP_SYS(exit), SCMP_SYS(sched_yield) };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) != 0)
			return false;
	}
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
				SCMP_A0(SCMP_CMP_EQ, fd)) == 0;
}

bool sandbox_enter(int fd)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	bool is_filtered;

	limits_set();
	files_close(fd);
	is_filtered = filter && filter_add(filter, fd) && seccomp_load(filter) == 0;
	if (filter)
		seccomp_release(filter);
	return is_filtered;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guard that is open while the process forks, and ends in both, in the child twice: at once, and
 * after its first record.
 */
#define KTRACK_SYSTEM co
#include <ktrack/user.h>
#include <sys/wait.h>

KTRACK_SLICE(co_work, KTRACK_FIELD(uint32_t, number));

static pid_t process_fork(uint32_t number)
{
	ktrack_guard(co_work, "inner", number);

	return fork();
}

int main(void)
{
	ktrack_guard(co_work, "outer", 0);

	if (process_fork(1) > 0) {
		while (wait(NULL) > 0)
			;
		return 0;
	}
	ktrack_instant(co_work, "child", 0);
	return 0;
}

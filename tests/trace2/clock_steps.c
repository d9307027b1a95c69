// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports itself while the clock on the wall is set: to three hours later, then to an hour before
 * the beginning. No other clock is touched.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <trace2/process.h>

static time_t step_s;

/* Stands in front of libc's, also for the library. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	long status = syscall(SYS_clock_gettime, clock, out);

	if (clock == CLOCK_REALTIME)
		out->tv_sec += step_s;
	return status;
}

int main(void)
{
	static const struct trace2_program program = { .version = "1.0", .has_sigpipe = true };

	trace2_initialize(&program);
	trace2_cmd_mode("before");
	step_s = 3 * 3600;
	trace2_region_enter("steps", "later", NULL);
	step_s = -3600;
	trace2_region_leave("steps", "later", NULL);
	raise(SIGPIPE);
	return 1;
}

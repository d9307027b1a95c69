// SPDX-License-Identifier: GPL-2.0-only
/* Test: what the kernel reports of the error of the wall clock. */
#include <errno.h>
#include <sys/timex.h>

#include "base/base.h"
#include "fixtures/tap.h"

/** struct clock_state - what the kernel's clock is said to be */
static struct clock_state {
	bool has_failed;
	int status;
	long maxerror;
} kernel;

/* Instead of the C library's. */
int adjtimex(struct timex *state)
{
	if (kernel.has_failed) {
		errno = EPERM;
		return -1;
	}
	CHECK_NUMBER(state->modes, 0);
	state->status = kernel.status;
	state->maxerror = kernel.maxerror;
	return TIME_OK;
}

TEST(a_synchronized_clock_has_a_limit)
{
	kernel = (struct clock_state){ .status = STA_PLL | STA_NANO, .maxerror = 1500 };
	CHECK_NUMBER(time_wall_error_ns(), 1500000);
}

TEST(other_clocks_have_none)
{
	kernel = (struct clock_state){ .status = STA_PLL | STA_UNSYNC, .maxerror = 1500 };
	CHECK_NUMBER(time_wall_error_ns(), -1);
	kernel = (struct clock_state){ .has_failed = true };
	CHECK_NUMBER(time_wall_error_ns(), -1);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Leads out of a fault in a mapped file: it became shorter than it was, or its disk fails. */
#include "cli/fault.h"

#include <setjmp.h>
#include <signal.h>

/* A signal's handler has nobody to ask. */
static sigjmp_buf way_out;

/* A fault of any other kind is ours, and comes again, as deadly as ever. */
static void fault_handle(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == BUS_ADRERR)
		siglongjmp(way_out, 1);
	signal(number, SIG_DFL);
}

int fault_guard(int (*run)(void *context), void *context, int *out)
{
	struct sigaction action = { .sa_sigaction = fault_handle, .sa_flags = SA_SIGINFO };

	if (sigsetjmp(way_out, 1) != 0) {
		signal(SIGBUS, SIG_DFL);
		return -1;
	}
	sigaction(SIGBUS, &action, NULL);
	*out = run(context);
	signal(SIGBUS, SIG_DFL);
	return 0;
}

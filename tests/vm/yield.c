// SPDX-License-Identifier: GPL-2.0-only
/* Guest: lets the other processors of an emulator that runs one at a time have their turn, and then what waits on its own. */
#include <sched.h>

int main(void)
{
	for (;;) {
		__builtin_ia32_pause();
		sched_yield();
	}
}

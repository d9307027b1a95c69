// SPDX-License-Identifier: GPL-2.0-only
/* Executes itself as often as the first argument says, with a slice each time; then waits for input. */
#include "events.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 0;
	char next[16];

	ktrack_begin(prog_one, "again", (uint32_t)left);
	ktrack_end(prog_one, (uint32_t)left);
	snprintf(next, sizeof(next), "%d", left - 1);
	if (left > 1)
		execl("/proc/self/exe", argv[0], next, NULL);
	dprintf(1, "last\n");
	return read(0, next, 1) < 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Emits events, with "lock" after it has locked all of its memory, and prints the rings that it has and the KiB that are locked. */
#include "events.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static long locked_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (status && fgets(line, sizeof(line), status) && sscanf(line, "VmLck: %ld", &kib) != 1)
		;
	if (status)
		fclose(status);
	return kib;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "lock") == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		return 2;
	for (unsigned int i = 0; i < 1000; i++) {
		ktrack_begin(prog_one, "limited", i);
		ktrack_end(prog_one, i);
	}
	printf("rings %u of %u locked %ld\n", ktrack_user3_control.nr_rings, ktrack_user3_control.ring_size, locked_kib());
	return 0;
}

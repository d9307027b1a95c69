// SPDX-License-Identifier: GPL-2.0-only
/* Reads the kernel's lockdown level, once tracefs cannot be used. */
#include "tracefs/lockdown.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CLOSED_LEVEL "[confidentiality]"

bool lockdown_forbids_tracing(struct text levels)
{
	return levels.size > 0 &&
	       memmem(levels.data, levels.size, CLOSED_LEVEL, strlen(CLOSED_LEVEL));
}

/* A kernel that booted locked down makes no files in tracefs; later ones cannot be opened. */
static bool can_open(const char *directory)
{
	struct error ignored = { 0 };
	int fd = file_open_in(directory, "trace_clock", O_RDONLY, &ignored);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int lockdown_check(const char *directory, struct error *error)
{
	struct buffer levels = { 0 };
	bool is_closed = !can_open(directory) && file_read(LOCKDOWN_PATH, &levels) == 0 &&
			 lockdown_forbids_tracing(buffer_text(&levels));

	buffer_release(&levels);
	if (!is_closed)
		return 0;
	return error_set(error,
			 "%s: the kernel is locked down (confidentiality), so that nobody may "
			 "trace; see kernel_lockdown(7)",
			 directory);
}

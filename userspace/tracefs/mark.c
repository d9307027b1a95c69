// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mark is the time of the directory's last change: nothing changes the directory of an instance
 * but whoever makes it, and tracefs keeps the time.
 */
#include "tracefs/mark.h"

#include <fcntl.h>
#include <sys/stat.h>

/* A time in nanoseconds since 1970 that no clock shows. */
#define MARK_NS 0x6b7472

void mark_set(int directory_fd)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = MARK_NS } };

	/* Not every user who may make instances may set their times. */
	if (futimens(directory_fd, times) < 0)
		return;
}

bool mark_is_set(const char *directory)
{
	struct stat about;

	return stat(directory, &about) == 0 && about.st_mtim.tv_sec == 0 &&
	       about.st_mtim.tv_nsec == MARK_NS;
}

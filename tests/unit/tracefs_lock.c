// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the lock of an instance that is removed while somebody waits for it. */
#include "tracefs/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixtures/tap.h"

static char folder[] = "/tmp/ktrack-lock-XXXXXX";

/* What another process does to the directory before the lock is had. */
static enum { KEEP, REMOVE, REPLACE } meanwhile;

/* Instead of the C library's. */
int flock(int fd, int operation)
{
	char old[64];

	snprintf(old, sizeof(old), "%s.old", folder);
	if (meanwhile != KEEP)
		rename(folder, old);
	if (meanwhile == REPLACE)
		mkdir(folder, 0700);
	rmdir(old);
	return (int)syscall(SYS_flock, fd, operation);
}

static bool lock_is_had(void)
{
	int fd = lock_take(folder);

	file_close(fd);
	return fd >= 0;
}

TEST(only_the_directory_that_is_there_is_locked)
{
	CHECK(mkdtemp(folder) != NULL);
	meanwhile = KEEP;
	CHECK(lock_is_had());
	meanwhile = REPLACE;
	CHECK(!lock_is_had());
	meanwhile = REMOVE;
	CHECK(!lock_is_had());
	meanwhile = KEEP;
	CHECK(!lock_is_had());
	rmdir(folder);
}

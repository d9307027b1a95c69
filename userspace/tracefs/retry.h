/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls for control files, repeated if a signal interrupts them. The kernel takes each text whole. */
#ifndef TRACEFS_RETRY_H
#define TRACEFS_RETRY_H

#include <errno.h>
#include <unistd.h>

static inline ssize_t retry_write(int fd, const char *text, size_t size)
{
	return TEMP_FAILURE_RETRY(write(fd, text, size));
}

/* From the beginning of the file. */
static inline ssize_t retry_pwrite(int fd, const char *text, size_t size)
{
	return TEMP_FAILURE_RETRY(pwrite(fd, text, size, 0));
}

static inline ssize_t retry_pread(int fd, char *out, size_t size)
{
	return TEMP_FAILURE_RETRY(pread(fd, out, size, 0));
}

#endif

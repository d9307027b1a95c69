/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whole files and whole writes. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"

/**
 * file_read - append all that can be read from @path
 *
 * Works for files that do not know their size (procfs, tracefs). Returns 0, or -1 with errno as the
 * system left it;
 * @out may then hold a part.
 */
int file_read(const char *path, struct buffer *out);

/** file_read_at - the same with what @name is in a directory */
int file_read_at(int directory_fd, const char *name, struct buffer *out);

/**
 * file_read_anew - the same with a file that is open, from its beginning, which files of procfs and
 * tracefs make anew each time
 */
int file_read_anew(int fd, struct buffer *out);

/**
 * file_sync - bring what was written to the disk; of files that are on none that is done
 *
 * Returns 0, or -1 with errno.
 */
int file_sync(int fd);

/** file_close - close a descriptor; of none, which is negative, there is nothing to do */
void file_close(int fd);

/**
 * file_open_in - open what @name is in @directory
 * @flags: as for open(2)
 *
 * Returns a descriptor, or -1 with @error.
 */
int file_open_in(const char *directory, const char *name, int flags, struct error *error);

/**
 * struct file_wait - what to do where a file takes nothing now
 * @wait: waits until @fd takes something, or where that is -1 for a moment; returns 0 for another
 * try, -1 with errno to give up; NULL for waiting without end
 */
struct file_wait {
	int (*wait)(void *context, int fd);
	void *context;
};

/** file_await - do what @wait says, which may be NULL; returns likewise */
int file_await(const struct file_wait *wait, int fd);

/**
 * file_open_unblocked - open a file for writing, so that writing does not block
 * @flags, @mode: as for open(2)
 * @wait: what to do where nobody reads a FIFO yet, may be NULL
 *
 * Returns a descriptor, or -1 with errno as the system or @wait left it.
 */
int file_open_unblocked(const char *path, int flags, mode_t mode, const struct file_wait *wait);

/** file_read_boot_id - what tells this boot from all others, added to @out; nothing where it is
 * unknown */
void file_read_boot_id(struct buffer *out);

/**
 * file_write_all - write @size bytes, however many calls that takes
 * @wait: for descriptors that do not block, may be NULL
 *
 * Returns 0, or -1 with errno as the system or @wait left it.
 */
int file_write_all(int fd, const char *data, size_t size, const struct file_wait *wait);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Files: whole reads, whole writes, temporary files, and writes that must not block. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"

/* How far a long operation is. */

/** struct byte_progress - counts the bytes that an operation has read or written */
struct byte_progress {
	/* called for each block of bytes; @done is at most @total, which is 0 if it is unknown */
	void (*advanced)(void *context, uint64_t done, uint64_t total);
	void *context;
	uint64_t done; /* bytes until now; data that is read again counts again */
};

/**
 * byte_progress_add - count @size bytes of @total, 0 if that is unknown
 *
 * A NULL @progress counts nothing. With @size 0, only the time has advanced.
 */
static inline void byte_progress_add(struct byte_progress *progress, uint64_t size, uint64_t total)
{
	if (!progress)
		return;
	progress->done += size;
	progress->advanced(progress->context,
			   progress->done < total || total == 0 ? progress->done : total, total);
}

/**
 * struct input_settings - how an input is read; zeroed for the default, as a NULL pointer
 * @max_kib: limit of the size of an input that is compressed as a whole; 0 for 100 times its size,
 * or 16 MiB if that is more
 */
struct input_settings {
	/* counts the bytes of a pipe, which is copied; NULL for none */
	struct byte_progress *progress;
	uint64_t max_kib;
};

/** path_base_name - the part of @path behind its last slash; @path itself if it has none */
const char *path_base_name(const char *path);

/**
 * file_read - append the whole file @path to @out
 *
 * Also reads files without a size, such as those of procfs and tracefs. Returns 0, or -1 with
 * errno; @out may then contain a part.
 */
int file_read(const char *path, struct buffer *out);

/** file_read_up_to - file_read(); -1 with EFBIG if the file has more than about @size_max bytes */
int file_read_up_to(const char *path, size_t size_max, struct buffer *out);
/** file_read_at - file_read() of @name, relative to a directory */
int file_read_at(int directory_fd, const char *name, struct buffer *out);

/**
 * file_open_built, file_read_built - openat() and file_read_at() of a path that was built in a
 * buffer
 * @flags: as for open(2); O_CLOEXEC is added
 *
 * Return -1 with ENOMEM if memory for the path ran out, which must not pass for a missing file.
 */
int file_open_built(int directory_fd, struct buffer *path, int flags);
int file_read_built(int directory_fd, struct buffer *path, struct buffer *out);

/** file_find_built - whether there is such a file: 0, or -1 with errno, as above */
int file_find_built(int directory_fd, struct buffer *path);
/** file_read_in - file_read() of @directory/@name; -1 with errno, as above */
int file_read_in(const char *directory, const char *name, struct buffer *out);
/** file_read_anew - file_read() of an open file from its begin; procfs and tracefs make it again */
int file_read_anew(int fd, struct buffer *out);
/** file_sync - flush a file to its disk, if it has one; returns 0, or -1 with errno */
int file_sync(int fd);

/** FILES_SPARE - how many files a step of a run may have open for a moment */
#define FILES_SPARE 16

/** files_are_left - whether this process may open FILES_SPARE files more */
bool files_are_left(void);
/** file_close - close @fd, unless it is negative */
void file_close(int fd);
/** file_open_in - open @name in @directory, O_CLOEXEC; returns a descriptor, or -1 with @error */
int file_open_in(const char *directory, const char *name, int flags, struct error *error);

/**
 * file_open_temporary - create an unnamed file, which vanishes when it is closed
 * @path: preferably in the directory of this file; NULL for none
 *
 * The other choice is TMPDIR or /tmp. Returns a descriptor for reading and writing, or -1 with
 * errno.
 */
int file_open_temporary(const char *path);

/**
 * struct file_wait - what to do when a descriptor would block
 * @wait: wait until @fd is writable, or a moment if @fd is -1; returns 0 to try again, -1 with
 * errno to give up. NULL: wait forever
 */
struct file_wait {
	int (*wait)(void *context, int fd);
	void *context; /* passed to @wait */
};

/** file_await - call @wait, which may be NULL; returns its result */
int file_await(const struct file_wait *wait, int fd);

/**
 * file_open_unblocked - open a file for writing without blocking, then or later
 * @flags, @mode: as for open(2)
 * @wait: called while a FIFO has no reader; may be NULL
 *
 * Returns a descriptor, or -1 with errno, which may be that of @wait.
 */
int file_open_unblocked(const char *path, int flags, mode_t mode, const struct file_wait *wait);

/** file_read_block - read @size bytes at @offset; returns how many there are, or -1 with errno */
ssize_t file_read_block(int fd, void *out, size_t size, off_t offset);
/** file_is_unread - whether it is a pipe or a socket whose reader has gone */
bool file_is_unread(int fd);
/** file_read_boot_id - append the kernel's id of this boot; nothing if it cannot be read */
void file_read_boot_id(struct buffer *out);

/**
 * file_write_all - write @size bytes with as many calls as needed
 * @wait: called while a descriptor would block; may be NULL
 *
 * Returns 0, or -1 with errno, which may be that of @wait.
 */
int file_write_all(int fd, const char *data, size_t size, const struct file_wait *wait);
/** file_write_parts - the same by @write_part, which writes a part, or returns -1 with errno */
int file_write_parts(int fd, const char *data, size_t size, const struct file_wait *wait,
		     ssize_t (*write_part)(const void *context, int fd, const char *data,
					   size_t size),
		     const void *context);

#endif

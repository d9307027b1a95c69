/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that is read by position, a part at a time. */
#ifndef SOURCE_INPUT_H
#define SOURCE_INPUT_H

#include <stddef.h>

#include "base/base.h"

/**
 * struct input - an open file
 * @fd: -1 if there is none
 * @size: when it was opened; it may be another one later
 */
struct input {
	int fd;
	uint64_t size;
};

/** INPUT_NONE - no open file */
#define INPUT_NONE ((struct input){ .fd = -1 })

/**
 * input_open - open the file at @path, or standard input if that is "-"
 *
 * What cannot be read by position (a pipe) is copied into a file without a name first. Returns 0,
 * or -1 with @error.
 */
int input_open(struct input *input, const char *path, struct error *error);

/** input_name - what errors call the file at @path */
const char *input_name(const char *path);

void input_close(struct input *input);

/**
 * input_read - read up to @size bytes at @offset
 *
 * Returns how many there are; if that is less than @size, errno is 0 at the end of the file, and
 * otherwise why the rest cannot be read.
 */
size_t input_read(const struct input *input, void *out, size_t size, uint64_t offset);

#endif

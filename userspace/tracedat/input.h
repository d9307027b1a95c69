/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that is read by offset. */
#ifndef TRACEDAT_INPUT_H
#define TRACEDAT_INPUT_H

#include <stddef.h>

#include "base/base.h"

/**
 * struct input - an open file
 * @fd: -1 if there is none
 * @size: at open; it may change later
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
 * A pipe is copied to an unnamed temporary file first. Returns 0, or -1 with @error.
 */
int input_open(struct input *input, const char *path, struct error *error);

/** input_name - name of the file at @path in errors */
const char *input_name(const char *path);

void input_close(struct input *input);

/**
 * input_read - read up to @size bytes at @offset
 *
 * Returns the number of bytes; if that is less than @size, errno is 0 at the end of the file, and
 * the reason otherwise.
 */
size_t input_read(const struct input *input, void *out, size_t size, uint64_t offset);

#endif

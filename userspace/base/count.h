/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts in messages for people: "1 gap", "2 gaps". */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

#include <stdint.h>

#include "base/buffer.h"

/** buffer_append_count - a number and a noun, whose plural has an s at its end */
void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun);

/** buffer_append_grouped - a number whose thousands are apart: "12,034" */
void buffer_append_grouped(struct buffer *buffer, uint64_t count);

#endif

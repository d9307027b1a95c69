/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts in messages for people: "1 gap", "2 gaps". */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

#include <stdint.h>

#include "base/buffer.h"

/** buffer_append_count - append a number and a noun, with an "s" unless the number is 1 */
void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun);

/** buffer_append_grouped - append a number with grouped digits: "12,034" */
void buffer_append_grouped(struct buffer *buffer, uint64_t count);

#endif

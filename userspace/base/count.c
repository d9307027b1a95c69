// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writes counts in words that agree with them. */
#include "base/count.h"

void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun)
{
	buffer_printf(buffer, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Counts with grammatical nouns. */
#include "base/count.h"

void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun)
{
	buffer_printf(buffer, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void buffer_append_grouped(struct buffer *buffer, uint64_t count)
{
	uint64_t unit = 1;

	while (count / unit >= 1000)
		unit *= 1000;
	buffer_printf(buffer, "%u", (unsigned int)(count / unit));
	while ((unit /= 1000) > 0)
		buffer_printf(buffer, ",%03u", (unsigned int)(count / unit % 1000));
}

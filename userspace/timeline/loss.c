// SPDX-License-Identifier: GPL-2.0-only
/* Wording of losses, the same in all outputs. */
#include "timeline/timeline.h"

void timeline_append_loss(struct buffer *buffer, uint64_t records, uint64_t gaps,
			  uint64_t gaps_unknown)
{
	buffer_append_string(buffer, "lost ");
	if (records > 0)
		buffer_append_count(buffer, records, "record");
	else
		buffer_append_string(buffer, "an unknown number of records");
	if (gaps == 0)
		return;
	buffer_append_string(buffer, " in ");
	buffer_append_count(buffer, gaps, "gap");
	if (records > 0 && gaps_unknown > 0)
		buffer_printf(buffer, ", %llu of unknown size", (unsigned long long)gaps_unknown);
}

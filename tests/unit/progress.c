// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the line that tells how far a recording has come. */
#include "cli/progress.h"

#include "tap.h"

TEST(the_line_tells_number_rate_losses_and_how_full_the_buffers_are)
{
	struct progress progress = { .room_bytes = 4000, .shown_ns = NS_PER_S, .shown.read = 100 };
	struct source_counts now = { .read = 1100, .lost = 7, .held_bytes = 1000 };
	struct buffer line = { 0 };

	progress_text(&progress, &now, 0, NS_PER_S + 500 * NS_PER_MS, &line);
	CHECK_TEXT(buffer_string(&line), "1100 events, 2000/s, 7 lost, buffers 25% full");
	buffer_clear(&line);
	progress_text(&progress, &now, 81920, NS_PER_S + 500 * NS_PER_MS, &line);
	CHECK_TEXT(buffer_string(&line), "1100 events, 2000/s, 7 lost, buffers 25% full, 80 KiB");
	buffer_release(&line);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the line that reports how far a recording has come. */
#include "session/read_loop.h"

#include "fixtures/tap.h"

TEST(the_line_reports_number_rate_losses_and_how_full_the_buffers_are)
{
	struct progress progress = { .buffer_bytes = 4000,
				     .shown_ns = NS_PER_S,
				     .shown.read = 100 };
	struct progress_counts now = {
		.records = { .read = 1100, .lost = 7, .held_bytes = 1000 },
	};
	struct buffer line = { 0 };

	progress_text(&progress, &now, NS_PER_S + 500 * NS_PER_MS, &line);
	CHECK_TEXT(buffer_string(&line), "1100 events, 2000/s, 7 lost, buffers 25% full");
	buffer_clear(&line);
	now.file_bytes = 81920;
	progress_text(&progress, &now, NS_PER_S + 500 * NS_PER_MS, &line);
	CHECK_TEXT(buffer_string(&line), "1100 events, 2000/s, 7 lost, buffers 25% full, 80 KiB");
	buffer_release(&line);
}

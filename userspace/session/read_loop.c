// SPDX-License-Identifier: GPL-2.0-only
/* Reads records in rounds. */
#include "session/read_loop.h"

static void loop_wait(const struct read_loop *loop)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);

	if (loop->wait)
		loop->wait(loop->context, loop->wake_fd,
			   stop_wait_ms(loop->stop, now_ns, loop->wait_max_ms));
}

static void loop_show_progress(const struct read_loop *loop)
{
	int64_t now_ns = time_now_ns(CLOCK_BOOTTIME);
	struct progress_counts counts;

	if (!progress_is_due(loop->progress, now_ns))
		return;
	loop->count(loop->context, &counts);
	progress_show(loop->progress, &counts, now_ns);
}

int read_loop_run(const struct read_loop *loop, struct error *error)
{
	bool is_over = false;

	while (!is_over) {
		loop_wait(loop);
		is_over = stop_is_due(loop->stop, time_now_ns(CLOCK_BOOTTIME));
		if (loop->read(loop->context, error) < 0)
			return -1;
		loop_show_progress(loop);
		is_over = is_over || (loop->is_full && loop->is_full(loop->context));
	}
	progress_end(loop->progress);
	return 0;
}

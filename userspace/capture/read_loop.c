// SPDX-License-Identifier: GPL-2.0-only
/* Reads rounds of records; shows events, their rate, lost records and the use of the buffers. */
#include "capture/read_loop.h"

#define SHOW_EVERY_NS (500 * NS_PER_MS)

void progress_begin(struct progress *progress, const struct report *report, uint64_t buffer_bytes,
		    int64_t now_ns)
{
	*progress = (struct progress){ .report = report && report->progress ? report : NULL,
				       .buffer_bytes = buffer_bytes,
				       .shown_ns = now_ns };
}

void progress_text(const struct progress *progress, const struct progress_counts *now,
		   int64_t now_ns, struct buffer *out)
{
	double passed_s = (double)(now_ns - progress->shown_ns) / NS_PER_S;
	double rate = (double)(now->records.read - progress->shown.read) / passed_s;

	buffer_printf(out, "%llu events, %.0f/s, %llu lost, buffers %.0f%% full",
		      (unsigned long long)now->records.read, rate,
		      (unsigned long long)now->records.lost,
		      100.0 * (double)now->records.held_bytes / (double)progress->buffer_bytes);
	if (now->file_bytes > 0)
		buffer_printf(out, ", %llu KiB", (unsigned long long)now->file_bytes / 1024);
}

bool progress_is_due(const struct progress *progress, int64_t now_ns)
{
	return progress->report && now_ns - progress->shown_ns >= SHOW_EVERY_NS;
}

void progress_show(struct progress *progress, const struct progress_counts *now, int64_t now_ns)
{
	struct buffer line = { 0 };

	progress_text(progress, now, now_ns, &line);
	progress->report->progress(progress->report->context, buffer_string(&line));
	buffer_release(&line);
	progress->shown = now->records;
	progress->shown_ns = now_ns;
}

void progress_end(struct progress *progress)
{
	if (progress->report)
		progress->report->progress(progress->report->context, "");
	progress->report = NULL;
}

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

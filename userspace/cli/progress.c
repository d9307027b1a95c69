// SPDX-License-Identifier: GPL-2.0-only
/* Shows events, their rate, what was lost, how full the buffers are, and how large the file is. */
#include "cli/progress.h"

#include <unistd.h>

#include "cli/note.h"

#define SHOW_EVERY_NS (500 * NS_PER_MS)

void progress_begin(struct progress *progress, uint64_t room_bytes, int64_t now_ns)
{
	*progress = (struct progress){ .is_on = isatty(STDERR_FILENO),
				       .room_bytes = room_bytes,
				       .shown_ns = now_ns };
}

void progress_text(const struct progress *progress, const struct source_counts *now,
		   uint64_t size_bytes, int64_t now_ns, struct buffer *out)
{
	double passed_s = (double)(now_ns - progress->shown_ns) / NS_PER_S;
	double rate = (double)(now->read - progress->shown.read) / passed_s;

	buffer_printf(out, "%llu events, %.0f/s, %llu lost, buffers %.0f%% full",
		      (unsigned long long)now->read, rate, (unsigned long long)now->lost,
		      100.0 * (double)now->held_bytes / (double)progress->room_bytes);
	if (size_bytes > 0)
		buffer_printf(out, ", %llu KiB", (unsigned long long)size_bytes / 1024);
}

bool progress_is_due(const struct progress *progress, int64_t now_ns)
{
	return progress->is_on && now_ns - progress->shown_ns >= SHOW_EVERY_NS;
}

void progress_show(struct progress *progress, const struct source_counts *now, uint64_t size_bytes,
		   int64_t now_ns)
{
	struct buffer line = { 0 };

	progress_text(progress, now, size_bytes, now_ns, &line);
	note_progress(buffer_string(&line));
	buffer_release(&line);
	progress->shown = *now;
	progress->shown_ns = now_ns;
}

void progress_end(struct progress *progress)
{
	if (progress->is_on)
		note_progress("");
	progress->is_on = false;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Reports lost records in one line: how many, in how many gaps, and what helps. */
#include "cli/loss.h"

#include "base/base.h"
#include "cli/cli.h"
#include "cli/note.h"
#include "cli/quantity.h"
#include "timeline/timeline.h"

/* How much larger the buffer is that is suggested. */
#define MORE_FACTOR 8

static void advice_append(struct buffer *line, const struct loss_report *report)
{
	uint64_t kib = report->buffer_kib;
	uint64_t more = kib < SIZE_KIB_MAX / MORE_FACTOR ? MORE_FACTOR * kib : SIZE_KIB_MAX;

	if (kib == 0 || kib >= SIZE_KIB_MAX)
		return;
	buffer_printf(line, "; %llu KiB for each CPU are too small, ", (unsigned long long)kib);
	if (report->is_attached)
		buffer_printf(line, "write a larger number to its buffer_size_kb");
	else
		buffer_printf(line, "try -b %llu", (unsigned long long)more);
}

void loss_print(const struct loss_report *report)
{
	struct buffer line = { 0 };

	if (!report->has_lost)
		return;
	if (report->object)
		buffer_printf(&line, "%s: ", report->object);
	timeline_append_loss(&line, report->records, report->gaps, report->gaps_unknown);
	advice_append(&line, report);
	if (report->is_failure)
		buffer_printf(&line, "; exit status %d because of --fail-on-loss", STATUS_LOST);
	if (!line.failed)
		note_say("%s", buffer_string(&line));
	buffer_release(&line);
}

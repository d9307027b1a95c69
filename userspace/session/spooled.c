// SPDX-License-Identifier: GPL-2.0-only
/* Reports which part of a recording is complete. */
#include "session/spooled.h"

#include "session/loss.h"
#include "session/output.h"

struct spool_owner spool_owner_find(void)
{
	struct spool_owner owner = { .is_other = false };
	unsigned int user, group;

	if (output_owner(&user, &group))
		owner = (struct spool_owner){ .is_other = true, .user = user, .group = group };
	return owner;
}

static void moment_report(const char *preposition, int64_t time_ns, const char *path,
			  const struct report *report)
{
	struct buffer text = { 0 };

	buffer_append_decimal(&text, time_ns, 9);
	report_message(report, "%s is complete %s %s on the trace's clock", path, preposition,
		       buffer_string(&text));
	buffer_release(&text);
}

void spool_report_span(const struct spool_summary *summary, const char *path,
		       const struct report *report)
{
	loss_report_sideband(summary->lost_sideband, report);
	if (summary->has_begin)
		moment_report("from", summary->begin_ns, path, report);
	if (summary->has_end)
		moment_report("up to", summary->end_ns, path, report);
}

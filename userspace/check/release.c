// SPDX-License-Identifier: GPL-2.0-only
/* Makes running ktracks drain and disable tracepoints. */
#include "check/check.h"
#include "output/output.h"
#include "tracefs/tracefs.h"

static void release_waits(void *context, const char *what)
{
	transfer_wait(context, what);
}

/* Shows what a long release waits for. */
static int pattern_release(const char *pattern, size_t *nr_released, const struct report *report,
			   const struct report *writes, struct error *error)
{
	struct transfer transfer;
	const struct release_watcher watcher = { .writes = writes,
						 .waits = release_waits,
						 .context = &transfer };
	int status;

	transfer_begin(&transfer, report, pattern, NULL);
	status = tracepoints_release(pattern, &watcher, nr_released, error);
	transfer_end(&transfer);
	return status;
}

int release_run(const char *const *patterns, size_t nr_patterns, size_t *nr_released,
		const struct report *report, const struct report *writes, struct error *error)
{
	*nr_released = 0;
	for (size_t i = 0; i < nr_patterns; i++) {
		size_t released;

		if (pattern_release(patterns[i], &released, report, writes, error) < 0)
			return STATUS_FAILED;
		if (released == 0)
			report_message(report,
				       "%s: no running ktrack records it; its module can be "
				       "unloaded unless another program uses it",
				       patterns[i]);
		*nr_released += released;
	}
	return STATUS_DONE;
}

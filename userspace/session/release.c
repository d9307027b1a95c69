// SPDX-License-Identifier: GPL-2.0-only
/* Makes running ktracks drain and disable tracepoints. */
#include "session/session.h"
#include "tracefs/tracefs.h"

int release_run(const char *const *patterns, size_t nr_patterns, size_t *nr_released,
		const struct report *report, const struct report *writes, struct error *error)
{
	*nr_released = 0;
	for (size_t i = 0; i < nr_patterns; i++) {
		size_t released;

		if (tracepoints_release(patterns[i], writes, &released, error) < 0)
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

// SPDX-License-Identifier: GPL-2.0-only
/* Ends sessions during a recording, for consumers that process complete sessions. */
#include "capture/renewal.h"

/* Skips times that passed while an output was blocked. */
static void renewal_set_due(struct renewal *renewal, int64_t now_ns)
{
	int64_t late_ns = now_ns - renewal->due_ns;

	if (renewal->every_ns >= INT64_MAX - now_ns)
		renewal->due_ns = INT64_MAX;
	else
		renewal->due_ns += (late_ns / renewal->every_ns + 1) * renewal->every_ns;
}

void renewal_begin(struct renewal *renewal, int64_t start_ns)
{
	renewal->due_ns = start_ns;
	if (renewal->every_ns > 0)
		renewal_set_due(renewal, start_ns);
}

bool renewal_is_due(const struct renewal *renewal, int64_t now_ns)
{
	return renewal->every_ns > 0 && now_ns >= renewal->due_ns;
}

int renewal_wait_ms(const struct renewal *renewal, int64_t now_ns, int max_ms)
{
	int64_t left_ns = renewal->due_ns - now_ns;

	if (renewal->every_ns == 0 || left_ns >= max_ms * NS_PER_MS)
		return max_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

static int renewal_end(struct renewal *renewal, struct pipeline *pipeline, int64_t now_ns,
		       int64_t wall_drift_ns, struct error *error)
{
	uint64_t lost = pipeline->lost - renewal->lost_before;

	tracks_drift(pipeline->tracks, wall_drift_ns);
	if (tracks_suspend(pipeline->tracks, now_ns, lost, error) < 0 ||
	    timeline_flush(&pipeline->timeline, error) < 0)
		return -1;
	renewal->lost_before = pipeline->lost;
	timeline_release(&pipeline->timeline);
	return 0;
}

int renewal_run(struct renewal *renewal, struct pipeline *pipeline, struct recording *recording,
		int64_t now_ns, int64_t wall_offset_ns, struct error *error)
{
	int64_t drift_ns = wall_offset_ns - recording->wall_offset_ns;

	renewal_set_due(renewal, now_ns);
	if (renewal_end(renewal, pipeline, now_ns, drift_ns, error) < 0 ||
	    identity_renew(&renewal->identity, error) < 0)
		return -1;
	recording->start_ns = now_ns;
	recording->wall_offset_ns = wall_offset_ns;
	if (outputs_open(renewal->outputs, &pipeline->timeline, &renewal->identity, error) < 0 ||
	    timeline_open(&pipeline->timeline, recording, error) < 0)
		return -1;
	return tracks_resume(pipeline->tracks, error);
}

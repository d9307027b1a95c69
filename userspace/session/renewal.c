// SPDX-License-Identifier: GPL-2.0-only
/* Ends sessions during a recording, for consumers that process complete sessions. */
#include "session/renewal.h"

/* Skips times that passed while an output was blocked. */
static void session_set_due(struct session *session, int64_t now_ns)
{
	int64_t late_ns = now_ns - session->due_ns;

	if (session->every_ns >= INT64_MAX - now_ns)
		session->due_ns = INT64_MAX;
	else
		session->due_ns += (late_ns / session->every_ns + 1) * session->every_ns;
}

void session_begin(struct session *session, int64_t start_ns)
{
	session->due_ns = start_ns;
	if (session->every_ns > 0)
		session_set_due(session, start_ns);
}

bool session_is_due(const struct session *session, int64_t now_ns)
{
	return session->every_ns > 0 && now_ns >= session->due_ns;
}

int session_wait_ms(const struct session *session, int64_t now_ns, int max_ms)
{
	int64_t left_ns = session->due_ns - now_ns;

	if (session->every_ns == 0 || left_ns >= max_ms * NS_PER_MS)
		return max_ms;
	return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

static int session_end(struct session *session, struct pipeline *pipeline, int64_t now_ns,
		       int64_t wall_drift_ns, struct error *error)
{
	uint64_t lost = pipeline->lost - session->lost_before;

	tracks_drift(pipeline->tracks, wall_drift_ns);
	if (tracks_suspend(pipeline->tracks, now_ns, lost, error) < 0 ||
	    timeline_flush(&pipeline->timeline, error) < 0)
		return -1;
	session->lost_before = pipeline->lost;
	timeline_release(&pipeline->timeline);
	return 0;
}

int session_renew(struct session *session, struct pipeline *pipeline, struct recording *recording,
		  int64_t now_ns, int64_t wall_offset_ns, struct error *error)
{
	int64_t drift_ns = wall_offset_ns - recording->wall_offset_ns;

	session_set_due(session, now_ns);
	if (session_end(session, pipeline, now_ns, drift_ns, error) < 0 ||
	    identity_renew(&session->identity, error) < 0)
		return -1;
	recording->start_ns = now_ns;
	recording->wall_offset_ns = wall_offset_ns;
	if (outputs_open(session->outputs, &pipeline->timeline, &session->identity, error) < 0 ||
	    timeline_open(&pipeline->timeline, recording, error) < 0)
		return -1;
	return tracks_resume(pipeline->tracks, error);
}

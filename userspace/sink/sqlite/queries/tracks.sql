-- SPDX-License-Identifier: GPL-2.0-only
-- All tracks, the busiest first.
SELECT t.id, t.category, t.label AS track, t.kind,
    (SELECT count(*) FROM slice WHERE track_id = t.id) AS slices,
    (SELECT count(*) FROM instant WHERE track_id = t.id) AS instants,
    (SELECT count(*) FROM counter WHERE track_id = t.id) AS samples,
    (SELECT sum(dur_ns) FROM slice WHERE track_id = t.id AND depth = 1) AS busy_ns
FROM track t ORDER BY slices + instants + samples DESC, t.id;

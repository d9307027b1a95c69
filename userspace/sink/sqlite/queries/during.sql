-- SPDX-License-Identifier: GPL-2.0-only
-- What ran while the slice :id was open, on every track: the common time, the longest first.
WITH it AS (SELECT id, ts_ns AS begin_ns, ts_ns + dur_ns AS end_ns FROM slice WHERE id = :id)
SELECT s.id, t.category, s.name, t.label AS track, s.ts_ns - it.begin_ns AS from_ns,
    min(s.ts_ns + s.dur_ns, it.end_ns) - max(s.ts_ns, it.begin_ns) AS common_ns, s.dur_ns
FROM it JOIN slice s ON s.ts_ns < it.end_ns AND s.ts_ns + s.dur_ns > it.begin_ns
    AND s.id <> it.id
JOIN track t ON t.id = s.track_id
ORDER BY common_ns DESC, s.id LIMIT ifnull(:limit, 20);

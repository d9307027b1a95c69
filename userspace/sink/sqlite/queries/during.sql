-- SPDX-License-Identifier: GPL-2.0-only
-- A slice, and what ran while it was open, on every track: the common time, the longest first.
-- :id: the slice, otherwise the slowest with :name; :category: of what ran, both patterns as in glob(7); :limit: rows.
WITH it AS (
    SELECT id, ts_ns AS begin_ns, ts_ns + dur_ns AS end_ns FROM slice
    WHERE id = ifnull(:id, (SELECT id FROM slice WHERE name GLOB ifnull(:name, '*')
                            ORDER BY dur_ns DESC, id LIMIT 1)))
SELECT s.id, t.category, s.name, t.label AS track, s.ts_ns - it.begin_ns AS from_ns,
    min(s.ts_ns + s.dur_ns, it.end_ns) - max(s.ts_ns, it.begin_ns) AS common_ns, s.dur_ns
FROM it JOIN slice s ON s.ts_ns < it.end_ns AND s.ts_ns + s.dur_ns > it.begin_ns
    OR s.id = it.id
JOIN track t ON t.id = s.track_id
WHERE s.id = it.id OR t.category GLOB ifnull(:category, '*')
ORDER BY s.id = it.id DESC, common_ns DESC, s.id LIMIT ifnull(:limit, 20);

-- SPDX-License-Identifier: GPL-2.0-only
-- The slowest slices, with their args. :name, :category: patterns as in glob(7); :limit: rows.
SELECT s.id, t.category, s.name, t.label AS track, s.ts_ns, s.dur_ns, s.self_ns,
    (SELECT json_group_object(CASE at_end WHEN 1 THEN 'end:' ELSE '' END || a.name, a.value)
     FROM arg a WHERE a.event_id = s.id) AS args,
    CASE WHEN s.is_suspect THEN 'suspect' WHEN s.is_unfinished THEN 'unfinished'
         WHEN s.is_continued THEN 'continued' WHEN s.is_foreign THEN 'foreign' END AS doubt
FROM slice s JOIN track t ON t.id = s.track_id
WHERE s.name GLOB ifnull(:name, '*') AND t.category GLOB ifnull(:category, '*')
ORDER BY s.dur_ns DESC, s.id LIMIT ifnull(:limit, 10);

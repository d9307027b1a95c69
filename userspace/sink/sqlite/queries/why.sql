-- SPDX-License-Identifier: GPL-2.0-only
-- Where the time of the slowest explained slices went. :name, :category: patterns as in glob(7); :limit: rows.
SELECT s.id, t.category, s.name, t.label AS track, s.ts_ns, s.dur_ns, w.running_ns, w.runnable_ns,
    w.blocked_ns, w.interrupted_ns, w.other_ns,
    (SELECT p.what FROM why_part p WHERE p.slice_id = s.id ORDER BY p.ns DESC LIMIT 1) AS most
FROM why_split w JOIN slice s ON s.id = w.slice_id JOIN track t ON t.id = s.track_id
WHERE s.name GLOB ifnull(:name, '*') AND t.category GLOB ifnull(:category, '*')
ORDER BY s.dur_ns DESC, s.id LIMIT ifnull(:limit, 10);

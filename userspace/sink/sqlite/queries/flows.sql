-- SPDX-License-Identifier: GPL-2.0-only
-- The time from one step of a flow to the next, by the names of both.
WITH event AS (
    SELECT id, track_id, name FROM slice UNION ALL SELECT id, track_id, name FROM instant)
SELECT f.name AS flow, a.name AS from_name, b.name AS to_name, count(*) AS count,
    sum(f.dur_ns) AS total_ns, min(f.dur_ns) AS min_ns, sum(f.dur_ns) / count(*) AS mean_ns,
    max(f.dur_ns) AS max_ns
FROM flow_step f JOIN event a ON a.id = f.from_id JOIN event b ON b.id = f.to_id
WHERE a.name GLOB ifnull(:name, '*')
GROUP BY f.name, a.name, b.name ORDER BY total_ns DESC, flow, from_name, to_name;

-- SPDX-License-Identifier: GPL-2.0-only
-- The time of slices by the names of the slices directly in them; "(self)" is the rest.
WITH outer_slice AS (
    SELECT s.id, t.category, s.name, s.self_ns FROM slice s JOIN track t ON t.id = s.track_id
    WHERE s.name GLOB ifnull(:name, '*') AND NOT (s.is_unfinished OR s.is_continued)),
part AS (
    SELECT o.category, o.name, i.name AS inner_name, i.dur_ns
    FROM outer_slice o JOIN slice i ON i.parent_id = o.id
    UNION ALL
    SELECT category, name, '(self)', self_ns FROM outer_slice)
SELECT category, name, inner_name, count(*) AS count, sum(dur_ns) AS total_ns,
    round(100.0 * sum(dur_ns) / sum(sum(dur_ns)) OVER (PARTITION BY category, name), 1) AS percent
FROM part GROUP BY category, name, inner_name
ORDER BY sum(sum(dur_ns)) OVER (PARTITION BY category, name) DESC, category, name,
    total_ns DESC, inner_name;

-- SPDX-License-Identifier: GPL-2.0-only
-- Complete slices by name; a percentile is the shortest time that so many do not exceed.
WITH ranked AS (
    SELECT t.category, s.name, s.dur_ns, s.self_ns,
        row_number() OVER (PARTITION BY t.category, s.name ORDER BY s.dur_ns) AS place,
        count(*) OVER (PARTITION BY t.category, s.name) AS number
    FROM slice s JOIN track t ON t.id = s.track_id
    WHERE s.name GLOB ifnull(:name, '*')
      AND NOT (s.is_suspect OR s.is_unfinished OR s.is_continued OR s.is_foreign))
SELECT category, name, count(*) AS count, sum(dur_ns) AS total_ns, sum(self_ns) AS self_ns,
    min(dur_ns) AS min_ns, sum(dur_ns) / count(*) AS mean_ns,
    max(CASE WHEN place = (number * 50 + 99) / 100 THEN dur_ns END) AS p50_ns,
    max(CASE WHEN place = (number * 99 + 99) / 100 THEN dur_ns END) AS p99_ns,
    max(dur_ns) AS max_ns
FROM ranked GROUP BY category, name ORDER BY total_ns DESC, category, name;

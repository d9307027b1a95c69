-- SPDX-License-Identifier: GPL-2.0-only
-- Counters; first and last are by time.
SELECT category, track, count(*) AS samples,
    max(CASE WHEN place = 1 THEN value END) AS first,
    max(CASE WHEN place = number THEN value END) AS last, min(value) AS min, max(value) AS max
FROM (SELECT t.category, t.label AS track, c.track_id, c.value,
          row_number() OVER (PARTITION BY c.track_id ORDER BY c.id) AS place,
          count(*) OVER (PARTITION BY c.track_id) AS number
      FROM counter c JOIN track t ON t.id = c.track_id)
GROUP BY track_id ORDER BY category, track;

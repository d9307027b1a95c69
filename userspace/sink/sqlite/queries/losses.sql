-- SPDX-License-Identifier: GPL-2.0-only
-- Each loss, and the number of suspect slices that were open during it.
SELECT l.cpu, l.buffer, l.begin_ns, l.end_ns, l.records,
    (SELECT count(*) FROM slice s WHERE s.is_suspect AND s.ts_ns < ifnull(l.end_ns, s.ts_ns)
        AND s.ts_ns + s.dur_ns > l.begin_ns) AS suspect_slices
FROM loss l ORDER BY l.begin_ns, l.cpu;

-- SPDX-License-Identifier: GPL-2.0-only
-- The recording as a whole.
SELECT schema, source, kernel, clock, cpus,
    strftime('%Y-%m-%dT%H:%M:%SZ', unix_start_ns / 1000000000, 'unixepoch') AS start,
    duration_ns, is_complete, lost_records, lost_gaps_unknown, suspect, unfinished
FROM recording;

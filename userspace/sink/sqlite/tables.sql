-- SPDX-License-Identifier: GPL-2.0-only
-- The tables and views of a database, documented in ktrack-sql(5). user_version changes if a query
-- that worked no longer does. Columns without a type have integers, or decimal texts beyond 2^63.

PRAGMA application_id = 0x6b74726b; -- "ktrk"
PRAGMA user_version = 1;

CREATE TABLE recording(
    schema INTEGER, ktrack TEXT, command TEXT, source TEXT, recording_id TEXT, mode TEXT,
    clock TEXT, counts_ticks INTEGER, time_source TEXT, kernel TEXT, cpus INTEGER,
    buffer_kib INTEGER, start_ns INTEGER, unix_start_ns INTEGER, is_complete INTEGER,
    duration_ns INTEGER, lost_records, lost_gaps, lost_gaps_unknown, lost_task_records,
    late_records, unmatched_ends, filtered_ends, foreign_ends, malformed, unfinished, suspect,
    retired_tracks, renamed_threads, evicted_slices, complete_from_ns INTEGER,
    complete_until_ns INTEGER, wall_drift_ns INTEGER, host TEXT, labels TEXT,
    selection TEXT);

CREATE TABLE track(
    id INTEGER PRIMARY KEY, category TEXT, kind TEXT, scope TEXT, name TEXT, label TEXT,
    field TEXT, scope_id, tid INTEGER, tgid INTEGER, comm TEXT, cpu INTEGER, lane INTEGER,
    buffer TEXT, begin_ns INTEGER, end_ns INTEGER, identity TEXT, host TEXT);

-- If several recordings are merged: their times in the database are their own plus shift_ns.
CREATE TABLE machine(
    number INTEGER PRIMARY KEY, host TEXT, source TEXT, recording_id TEXT, clock TEXT,
    kernel TEXT, cpus INTEGER, labels TEXT, shift_ns INTEGER, wall_error_ns INTEGER);

CREATE TABLE slice(
    id INTEGER PRIMARY KEY, track_id INTEGER REFERENCES track,
    parent_id INTEGER REFERENCES slice, depth INTEGER, name TEXT, ts_ns INTEGER,
    dur_ns INTEGER, self_ns INTEGER, tid INTEGER, cpu INTEGER, end_tid INTEGER,
    end_cpu INTEGER, is_suspect INTEGER, is_unfinished INTEGER, is_continued INTEGER,
    is_foreign INTEGER, row INTEGER, is_crossing INTEGER);

CREATE TABLE instant(
    id INTEGER PRIMARY KEY, track_id INTEGER REFERENCES track,
    slice_id INTEGER REFERENCES slice, name TEXT, ts_ns INTEGER, tid INTEGER, cpu INTEGER);

CREATE TABLE counter(
    id INTEGER PRIMARY KEY, track_id INTEGER REFERENCES track, ts_ns INTEGER, value,
    tid INTEGER, cpu INTEGER);

-- Clustered: the args of an event are next to each other, without an index of their own.
CREATE TABLE arg(
    event_id INTEGER, position INTEGER, name TEXT, value, at_end INTEGER,
    PRIMARY KEY(event_id, position)) WITHOUT ROWID;

CREATE TABLE flow(name TEXT, flow_id, event_id INTEGER, ts_ns INTEGER, at_end INTEGER);

CREATE TABLE loss(
    cpu INTEGER, begin_ns INTEGER, end_ns INTEGER, records INTEGER, buffer TEXT, host TEXT);

CREATE TABLE message(ts_ns INTEGER, text TEXT);

-- Of slices that ktrack why explained: what it prints with --json.
CREATE TABLE explanation(slice_id INTEGER PRIMARY KEY REFERENCES slice, json TEXT);

-- Their parts. No view: those of databases from elsewhere may not call functions for JSON.
CREATE TABLE why_part(
    slice_id INTEGER REFERENCES slice, kind TEXT, what TEXT, ns INTEGER, count INTEGER,
    longest_ns INTEGER, longest_at_ns INTEGER, cpu INTEGER, state TEXT, behind_tid INTEGER,
    waker_tid INTEGER, waker TEXT, json TEXT);

CREATE VIEW event_args AS
SELECT event_id,
    json_group_object(CASE at_end WHEN 1 THEN 'end:' ELSE '' END || name, value) AS args
FROM arg GROUP BY event_id;

-- The last columns of a slice's begin, its track and its parent; args as one JSON object.
CREATE VIEW slices AS
SELECT s.id, t.category, s.name, t.label AS track, s.ts_ns, s.dur_ns, s.self_ns, s.depth,
    p.name AS parent,
    (SELECT json_group_object(CASE at_end WHEN 1 THEN 'end:' ELSE '' END || a.name, a.value)
     FROM arg a WHERE a.event_id = s.id) AS args,
    t.tgid, t.comm, s.tid, s.cpu, s.end_tid, s.end_cpu,
    s.is_suspect OR s.is_unfinished OR s.is_continued OR s.is_foreign AS is_doubtful,
    s.is_suspect, s.is_unfinished, s.is_continued, s.is_foreign, s.track_id, s.parent_id,
    s.is_crossing
FROM slice s JOIN track t ON t.id = s.track_id LEFT JOIN slice p ON p.id = s.parent_id;

CREATE VIEW self_time AS
SELECT t.category, s.name, count(*) AS count, sum(s.dur_ns) AS total_ns,
    sum(s.self_ns) AS self_ns
FROM slice s JOIN track t ON t.id = s.track_id
WHERE NOT (s.is_suspect OR s.is_unfinished OR s.is_continued OR s.is_foreign)
GROUP BY t.category, s.name;

CREATE VIEW ancestor AS
WITH RECURSIVE up(slice_id, ancestor_id, distance) AS (
    SELECT id, parent_id, 1 FROM slice WHERE parent_id IS NOT NULL
    UNION ALL
    SELECT up.slice_id, s.parent_id, up.distance + 1
    FROM up JOIN slice s ON s.id = up.ancestor_id WHERE s.parent_id IS NOT NULL)
SELECT slice_id, ancestor_id, distance FROM up;

CREATE VIEW flow_step AS
SELECT name, flow_id, event_id AS from_id, ts_ns AS from_ns, to_id, to_ns,
    to_ns - ts_ns AS dur_ns
FROM (SELECT name, flow_id, event_id, ts_ns, lead(event_id) OVER steps AS to_id,
          lead(ts_ns) OVER steps AS to_ns
      FROM flow WINDOW steps AS (PARTITION BY name, flow_id ORDER BY ts_ns, rowid))
WHERE to_id IS NOT NULL;

CREATE VIEW why_split AS
SELECT slice_id, sum(ns) AS total_ns,
    sum(CASE kind WHEN 'running' THEN ns ELSE 0 END) AS running_ns,
    sum(CASE kind WHEN 'runnable' THEN ns ELSE 0 END) AS runnable_ns,
    sum(CASE kind WHEN 'blocked' THEN ns ELSE 0 END) AS blocked_ns,
    sum(CASE WHEN kind IN ('hard interrupt', 'soft interrupt') THEN ns ELSE 0 END)
        AS interrupted_ns,
    sum(CASE WHEN kind IN ('running', 'runnable', 'blocked', 'hard interrupt',
                           'soft interrupt') THEN 0 ELSE ns END) AS other_ns
FROM why_part GROUP BY slice_id;

-- SPDX-License-Identifier: GPL-2.0-only
-- What Perfetto's trace_processor makes of a trace of ours, an object in each row. The results in golden/ are those
-- of its source of August 2026 (after v58.2, commit ec5d16b14b743ba6063d720956d6d6af6610fd72), with SQLite 3.40.1.
SELECT json_object('track', t.name, 'pid', coalesce(p.pid, tp.pid), 'tid', th.tid, 'ts', s.ts, 'dur', s.dur,
	'depth', s.depth, 'category', s.category, 'name', s.name, 'args',
	(SELECT json_group_object(key, value) FROM
		(SELECT flat_key AS key, display_value AS value FROM args WHERE arg_set_id = s.arg_set_id ORDER BY flat_key))
) AS slice
FROM slice s JOIN track t ON s.track_id = t.id
LEFT JOIN thread_track tt ON tt.id = t.id LEFT JOIN thread th ON th.utid = tt.utid
LEFT JOIN process tp ON tp.upid = th.upid
LEFT JOIN process_track pt ON pt.id = t.id LEFT JOIN process p ON p.upid = pt.upid
ORDER BY s.ts, s.id;
SELECT json_object('track', t.name, 'ts', c.ts, 'value', format('%!.17g', c.value), 'args',
	(SELECT json_group_object(key, value) FROM
		(SELECT flat_key AS key, display_value AS value FROM args WHERE arg_set_id = c.arg_set_id ORDER BY flat_key))
) AS counter
FROM counter c JOIN counter_track t ON c.track_id = t.id
ORDER BY c.ts, c.id;
SELECT json_object('tid', thread.tid, 'name', thread.name, 'pid', process.pid, 'process', process.name) AS thread
FROM thread LEFT JOIN process ON process.upid = thread.upid WHERE thread.tid > 0 ORDER BY thread.tid;
SELECT json_object('clock', clock_name, 'value', clock_value, 'ts', ts) AS clock FROM clock_snapshot ORDER BY clock_name;
SELECT json_object('problem', name, 'value', value) AS problem FROM stats
WHERE severity IN ('error', 'data_loss') AND value > 0 ORDER BY name;

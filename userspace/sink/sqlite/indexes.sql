-- SPDX-License-Identifier: GPL-2.0-only
-- Created when all rows are there, which is faster.

CREATE INDEX slice_by_name ON slice(name, dur_ns);
CREATE INDEX slice_by_track ON slice(track_id, ts_ns);
CREATE INDEX slice_by_parent ON slice(parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX instant_by_track ON instant(track_id, ts_ns);
CREATE INDEX counter_by_track ON counter(track_id, ts_ns);
CREATE INDEX flow_by_id ON flow(name, flow_id, ts_ns);
CREATE INDEX flow_by_event ON flow(event_id);
CREATE INDEX why_part_by_slice ON why_part(slice_id);

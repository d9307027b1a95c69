# SPDX-License-Identifier: GPL-2.0-only
"""The tracepoints that each interface of ktrack.ko has, as their callers see them.

An interface never changes: whoever changes a tracepoint gives KTRACK_INTERFACE in include/ktrack/generic.h
the next number, and adds what it then has here.
"""

ONE = """\
ktrack_slice(char track_event_type, const char *slice_name)
ktrack_slice_track(char track_event_type, const char *slice_name, const char *track_name)
ktrack_slice_tgid(char track_event_type, const char *slice_name, s32 scope_tgid)
ktrack_slice_tgid_track(char track_event_type, const char *slice_name, s32 scope_tgid, const char *track_name)
ktrack_slice_cpu(char track_event_type, const char *slice_name, s32 scope_cpu)
ktrack_slice_cpu_track(char track_event_type, const char *slice_name, s32 scope_cpu, const char *track_name)
ktrack_slice_scope_track(char track_event_type, const char *slice_name, s64 scope_id, const char *track_name)
ktrack_counter(s64 counter_value)
ktrack_counter_track(s64 counter_value, const char *track_name)
ktrack_counter_tgid(s64 counter_value, s32 scope_tgid)
ktrack_counter_tgid_track(s64 counter_value, s32 scope_tgid, const char *track_name)
ktrack_counter_cpu(s64 counter_value, s32 scope_cpu)
ktrack_counter_cpu_track(s64 counter_value, s32 scope_cpu, const char *track_name)
ktrack_counter_scope_track(s64 counter_value, s64 scope_id, const char *track_name)
"""

INTERFACES = {"1": set(ONE.splitlines())}

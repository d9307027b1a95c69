# SPDX-License-Identifier: GPL-2.0-only
"""Damage to tracks, their records and their sums: (rule, stream, what it is, mutation)."""

from damage.mutate import (
    chain,
    drop,
    edit,
    everywhere,
    later,
    move,
    put,
    put_value,
    remove,
    repeat,
)

IO = {"category": "ktrack_demo:ktrack_demo_io"}
TRACK = {"category": "track"}
SUMMARY = {"category": "summary"}
RETRY = {"key": "retry"}
FLOWS = {"label": "submit", "category": "drv:flow"}
FIRST = "th01:ktrack_slice tid 537 sh"


def flow_first(members):
    """Puts flow before args."""
    return members | {"args": members.pop("args")}


THREADS = [
    ("thread-known", "demo", "a track without thread_start", drop("thread_start")),
    ("thread-exited", "demo", "a th_timer after thread_exit", put("th_timer", nth=1, thread=FIRST)),
    ("thread-once", "demo", "a thread starts twice", repeat("thread_start", steps=2)),
    ("thread-number", "demo", "a number left out", everywhere(b'"th02:', b'"th99:')),
    ("track-follows", "demo", "no identity", drop("data_json")),
    ("track-place", "demo", "the key with the name", put("data_json", where=TRACK, key="th01:ktrack_slice")),
    ("track-place", "demo", "the identity on nesting 2", put("data_json", where=TRACK, nesting=2)),
    ("track-schema", "demo", "an unknown kind", put_value("data_json", kind="sample")),
    ("track-schema", "demo", "an unknown scope", put_value("data_json", scope="tid")),
    (
        "track-scope",
        "demo",
        "a thread with a field",
        chain(
            put_value("data_json", scope="thread", nth=1), put_value("data_json", tgid=537, nth=1)
        ),
    ),
    ("track-scope", "demo", "a process by another field", put_value("data_json", field="scope_pid", nth=1)),
    (
        "track-shape",
        "demo",
        "one of a tracepoint's tracks has another field",
        edit(
            "data_json",
            lambda members: members["value"].update(field="scope_x"),
            thread="th15:completed cpu 0",
        ),
    ),
    (
        "track-unique",
        "demo",
        "two tracks of one lane",
        edit(
            "data_json", lambda members: members["value"].update(lane=1), thread="th08:queue0 lane 2"
        ),
    ),
    ("track-name", "demo", "a name without its id", everywhere(b'"th05:depth queue 0"', b'"th05:depth queue"')),
    ("thread_exit-t_rel", "demo", "a track a nanosecond longer", later("thread_exit", "t_rel", 1)),
    ("thread_exit-open", "cut", "an open slice without its end", drop("region_leave", unfinished=True)),
    ("thread-ended", "demo", "no thread_exit", drop("thread_exit", nth=-1)),
    ("closing", "demo", "thread_exit after the next track's sums", move("thread_exit", 2)),
    (
        "thread-first",
        "demo",
        "a track a nanosecond before its first record",
        chain(
            later("thread_start", "t_abs", -1),
            later("data_json", "t_abs", -1),
            later("thread_exit", "t_rel", 1),
        ),
    ),
]

REGIONS = [
    ("track-kind", "demo", "a slice on a counter's track", put("region_enter", nth=-1, thread="th05:depth queue 0")),
    ("category", "demo", "a slice of another tracepoint", put("region_enter", category="drv:io")),
    ("nesting", "demo", "a slice too deep", put("region_enter", where={"label": "prepare"}, nesting=3)),
    ("leave-open", "demo", "an end without a begin", repeat("region_leave", label="batch")),
    ("moved", "rare", "an end that moved to its own thread", put("region_leave", where=FLOWS, args={"moved_to": 98}, msg="moved_to=98 batch:0x1")),
    ("leave-label", "demo", "an end with another name", put("region_leave", label="other")),
    ("leave-t_rel", "demo", "a slice a nanosecond longer", later("region_leave", "t_rel", 1)),
    ("data-t_rel", "demo", "a sample a nanosecond later", later("data", "t_rel", 1)),
    ("data-key", "demo", "a sample under the bare name", put("data", key="depth")),
    ("instant-value", "demo", "an instant with an object in it", put("data_json", where=RETRY, value={"a": {}})),
    ("msg", "demo", "msg with another value", put("region_enter", where=IO, msg="request=1 op=write bytes=512 ktrack_demo_request:0x1")),
    ("msg", "rare", "msg without the flow", put("region_leave", where=FLOWS, msg="bytes=5")),
    ("flow-once", "rare", "a flow of the begin again", put("region_leave", where=FLOWS, flow=["request:0x1"], msg="bytes=5 request:0x1")),
    ("flow-fields", "rare", "a flow that is a field", put("data_json", where={"key": "queued"}, flow=["bytes:0x6"])),
    ("type", "rare", "a flow of 0", put("data_json", where={"key": "queued"}, flow=["request:0x0"])),
    ("type", "rare", "two ids of a flow", put("data_json", where={"key": "queued"}, flow=["a:0x1", "a:0x2"])),
    ("type", "rare", "no flow", put("data_json", where={"key": "queued"}, flow=[])),
    ("keys", "rare", "a flow before args", edit("region_enter", flow_first, **FLOWS)),
    ("continued", "demo", "a slice that is continued in the middle", put("region_enter", nth=40, continued=True)),
    ("unfinished-time", "cut", "a slice unfinished before the end", put("region_leave", unfinished=True)),
    (
        "unfinished-last",
        "demo",
        "a record after an unfinished slice",
        put("region_leave", where={"label": "submit"}, unfinished=True),
    ),
    (
        "suspect-missing",
        "lossy",
        "a slice around a loss is not suspect",
        remove("region_leave", "suspect", label="batch", suspect=True),
    ),
    ("suspect-alone", "demo", "suspicion without a loss", put("region_leave", suspect=True)),
]

TOTALS = [
    ("th_timer", "demo", "one interval more", put("th_timer", intervals=2)),
    ("th_timer", "demo", "a total a nanosecond longer", later("th_timer", "t_total", 1)),
    ("th_timer-all", "demo", "a th_timer left out", drop("th_timer")),
    ("timer", "demo", "one interval more", put("timer", intervals=2)),
    ("timer-all", "demo", "a timer left out", drop("timer", nth=-1)),
    ("summary", "demo", "one sample more", put_value("data_json", where=SUMMARY, samples=99)),
    ("summary", "demo", "another last value", put_value("data_json", where=SUMMARY, last="99")),
    ("summary-once", "demo", "no summary", drop("data_json", **SUMMARY)),
    ("counter", "rare", "an unknown counter", put("counter", name="found_records")),
    ("counter", "rare", "another category", put("counter", category="main")),
    ("counter-marks", "cut", "one unfinished slice more", put("counter", where={"name": "unfinished"}, count=99)),
    ("counter-lost", "lossy", "less lost than the errors say", drop("counter", name="lost_records")),
    ("counter-lost", "rare", "more lost than the errors say", put("counter", where={"name": "lost_records"}, count=8)),
    ("loss-args", "lossy", "a loss without args", remove("error", "args")),
    ("loss-args", "lossy", "another number of records", put("error", args={"cpu": 0, "records": 1})),
    ("type", "lossy", "a loss with an unknown key", put("error", args={"cpu": 0, "records": 1, "lost": 1})),
    ("counter-malformed", "rare", "malformed records not counted", drop("counter", name="malformed")),
    ("counter-unmatched", "cut", "ends that closed nothing are on no track", drop("th_counter")),
    ("th_counter", "cut", "a track counts something else", put("th_counter", name="other")),
    ("counter-retired", "rare", "more retired than tracks", put("counter", where={"name": "retired_tracks"}, count=9)),
    (
        "counter-foreign",
        "rare",
        "foreign ends without an error",
        put("counter", where={"name": "retired_tracks"}, name="foreign_ends"),
    ),
    ("counter-other", "rare", "names put together and not counted", drop("counter", name="other_names")),
    ("error", "rare", "msg does not fit fmt", put("error", nth=1, msg="drv:io: unknown type ?")),
]

MUTATIONS = THREADS + REGIONS + TOTALS

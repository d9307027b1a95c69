# SPDX-License-Identifier: GPL-2.0-only
"""What an export says, record by record: ktrack's stream and the naive exporter's lines in one form."""

import json

KINDS = {"region_enter": "B", "region_leave": "E", "data_json": "I", "data": "C"}
OWN_CATEGORIES = ("track", "summary")
NAMED = ("track_event_type", "slice_name", "track_name", "counter_value")


def nanoseconds(seconds):
    """A JSON number with nine decimals, exactly."""
    whole, fraction = seconds.split(".")
    return int(whole) * 1000000000 + int(fraction)


def own_values(stream):
    """(time, kind, tracepoint, track, id, name, fields) of each record in an EVENT stream."""
    tracks = {}
    for line in stream:
        event = json.loads(line, parse_float=str)
        kind, thread = KINDS.get(event["event"]), event["thread"]
        if event.get("category") == "track":
            tracks[thread] = event["value"]
        if not kind or event["category"] in OWN_CATEGORIES:
            continue
        track, time = tracks[thread], nanoseconds(event["t_abs"])
        name = event.get("label", event["key"] if kind == "I" else None)
        fields = event["value"] if kind == "I" else event.get("args", {})
        value = int(event["value"]) if kind == "C" else None
        place = (event["category"], track["name"], track["id"])
        yield time, kind, *place, None if kind == "E" else name, value, fields


def scope_of(record):
    """The name of the scope field, None where the writing thread is the scope."""
    return next((name for name in record if name.startswith("scope_")), None)


def naive_values(lines):
    """The same of the naive exporter's lines."""
    start = None
    for line in lines:
        record = json.loads(line)
        start = record["time"] if start is None else start
        head = {name: record.pop(name) for name in ("time", "cpu", "tid", "category")}
        kind = chr(record["track_event_type"]) if "track_event_type" in record else "C"
        scope = scope_of(record)
        identity = record.pop(scope) if scope else head["tid"]
        named = {name: record.pop(name, None) for name in NAMED}
        track = named["track_name"]
        if track is None:
            track = head["category"].partition(":")[2]
        name = named["slice_name"] if kind in "BI" else None
        place = (head["category"], track, identity)
        yield head["time"] - start, kind, *place, name, named["counter_value"], record

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: one firing says the same live, from an instance and from files, trace-cmd's and ours; their records are as it has them."""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "golden")]

import machine  # noqa: E402
from making.event import read_captured  # noqa: E402
from tap import tested  # noqa: E402

SCENARIOS = (
    "nested", "interleaved", "scopes", "ids", "values", "fields", "instants", "names_empty", "names_long",
    "names_odd", "unmatched", "unfinished", "unknown", "twins", "deep", "two_cpus", "contexts", "nmi", "everywhere",
)
TRACKS_AT_LEAST = 40
SOURCES = ("live", "instance", "saved", "file", "own")
# Streams of files, and what trace-cmd reports of those.
REPORTS = {"file": "report", "own": "own.report", "saved": "saved.report"}
TRACE_CMD = "/usr/bin/trace-cmd"

# What differs from source to source: who names a task when, and when records were timestamped.
SCRUBBED = ("sid", "thread", "time", "t_abs", "t_rel", "tid", "cpu")
TRACK_EVENTS = ("region_enter", "region_leave", "data", "data_json")
IDENTITY = ("tracepoint", "name", "kind", "scope", "id", "cpu")
COUNTED = ("unmatched_ends", "malformed", "unfinished")


def read(text):
    """The events of a stream."""
    return [json.loads(line) for line in text.splitlines()]


def tracks(events):
    """What each track says, without times and threads; the totals; the errors."""
    identities, said = {}, defaultdict(list)
    for event in events:
        if event["event"] == "data_json" and event["category"] == "track":
            identities[event["thread"]] = json.dumps([event["value"].get(key) for key in IDENTITY])
        elif event["event"] in TRACK_EVENTS and event["category"] != "summary":
            left = {key: value for key, value in event.items() if key not in SCRUBBED}
            if left["event"] == "data":
                left["key"] = None  # It names the task.
            said[identities[event["thread"]]].append(json.dumps(left, sort_keys=True))
    own = [event for event in events if event["event"] == "counter" and event["category"] == "ktrack"]
    totals = {event["name"]: event["count"] for event in own}
    errors = sorted(event["msg"] for event in events if event["event"] == "error")
    return said, {name: totals.get(name, 0) for name in COUNTED}, errors


def differences(one, other):
    """Tracks that do not say the same."""
    for track in sorted(set(one) | set(other)):
        if one.get(track) != other.get(track):
            yield f"{track}: {one.get(track, [])[:3]} ... and {other.get(track, [])[:3]} ..."


def check_same(tap, what, result):
    """The streams of one firing."""
    streams = [tracks(read(result.text(source))) for source in SOURCES]
    tap.ok(len(streams[0][0]) > TRACKS_AT_LEAST, f"{what}: the stream has the scenarios' tracks", len(streams[0][0]))
    for source, stream in zip(SOURCES[1:], streams[1:]):
        tap.nothing(list(differences(streams[0][0], stream[0])), f"{what}: live and {source} are the same")
        tap.ok(streams[0][1:] == stream[1:], f"{what}: live and {source} count the same", streams[0][1:], stream[1:])


HEAD = re.compile(rb"^ *\S.*-(?P<tid>\d+) +\[(?P<cpu>\d+)\] *(?P<time>[\d.]+): (?P<event>\w+): +", re.MULTILINE)
SIDEBAND = b"ktrack-durable:"
ARRAY = re.compile(rb"ARRAY\[(.*)\]", re.DOTALL)
LINES = {"region_enter": "B", "region_leave": "E", "data": "C", "data_json": "I"}
REPLACED = re.compile("\ufffd+")


def read_formats(folder):
    """The tracepoints by name."""
    return {path.name: read_captured(path) for path in (folder / "formats").glob("*/*")}


def text_of(shown):
    """A text that trace-cmd shows, as bytes where it has odd ones, in the form of a JSON stream."""
    found = ARRAY.fullmatch(shown)
    data = bytes.fromhex(found[1].replace(b", ", b"").decode()) if found else shown
    return REPLACED.sub("\ufffd", data.partition(b"\0")[0].decode(errors="replace"))


def shown_values(event, rest):
    """What trace-cmd shows of a record: texts and numbers, by the field's name."""
    pattern = b" ".join(b"%s=(.*)" % field.name.encode() for field in event.fields)
    found = re.fullmatch(pattern, rest, re.DOTALL)
    values = {}
    for field, shown in zip(event.fields, found.groups()):
        values[field.name] = text_of(shown) if field.is_text else int(shown)
    return values


def reported(data, formats):
    """
    (time, cpu, tid, event, sequence): what each record says that trace-cmd reports, but for those that report who threads
    are; names may hold newlines.
    """
    heads = list(HEAD.finditer(data))
    ends = [head.start() - 1 for head in heads[1:]] + [len(data) - 1]
    records = [(head, data[head.end() : end]) for head, end in zip(heads, ends) if not head[0].startswith(SIDEBAND)]
    times = [int(head["time"].replace(b".", b"")) for head, _ in records]
    for (head, rest), time_ns in zip(records, times):
        event = formats[head["event"].decode()]
        values = shown_values(event, rest)
        place = (time_ns - min(times), int(head["cpu"]), int(head["tid"]), event.name, values["sequence"])
        yield place, values


def said_values(event, track, fields):
    """The same of a record in a stream, but for names of ends, which have none."""
    kind = LINES[event["event"]]
    values = dict(event["value"] if kind == "I" else event["args"])
    for field in fields:
        if field.name.startswith("scope_"):
            values[field.name] = track["id"]
    names = {"B": event.get("label"), "I": event.get("key")}
    if kind == "C":
        values["counter_value"] = event["value"]
    else:
        values["track_event_type"] = ord(kind)
    if kind in names:
        values["slice_name"] = names[kind]
    if any(field.name == "track_name" for field in fields):
        values["track_name"] = track["name"]
    return values


def exported(events, formats):
    """The same of each record in a stream."""
    tracks = {}
    for event in events:
        if event["event"] == "data_json" and event["category"] == "track":
            tracks[event["thread"]] = event["value"]
        if event["event"] not in LINES or "cpu" not in event:
            continue
        name = event["category"].partition(":")[2]
        values = said_values(event, tracks[event["thread"]], formats[name].fields)
        time_ns = round(float(event["t_abs"]) * 1e9)
        yield (time_ns, event["cpu"], event["tid"], name, values["sequence"]), values


def same_value(field, shown, said):
    """A stream shows large numbers as text."""
    return shown == (REPLACED.sub("\ufffd", said) if field.is_text else int(said))


def wrong_values(event, shown, said):
    """The fields of a record that are not exported as they are reported."""
    for field in event.fields:
        if field.name not in said:
            if (field.name, said.get("track_event_type")) != ("slice_name", ord("E")):
                yield f"{event.name}: {field.name} is missing"
        elif not same_value(field, shown[field.name], said[field.name]):
            yield f"{event.name}: {field.name} is {said[field.name]!r}, reported is {shown[field.name]!r}"


def check_report(tap, what, result, source):
    """Every record that trace-cmd reports is exported with all it says, but for those that have no place in a stream."""
    events, formats = read(result.text(source)), read_formats(result.folder)
    _, totals, _ = tracks(events)
    found = dict(exported(events, formats))
    wanted = dict(reported((result.folder / REPORTS[source]).read_bytes(), formats))
    tap.nothing(sorted(set(found) - set(wanted)), f"{what}: every exported record is reported")
    wrong = [line for place in found if place in wanted for line in wrong_values(formats[place[3]], wanted[place], found[place])]
    tap.nothing(wrong, f"{what}: with the same type, names and values")
    missing = set(wanted) - set(found)
    dropped = totals["unmatched_ends"] + totals["malformed"]
    tap.ok(wanted and len(missing) == dropped, f"{what}: every reported record is exported, or counted", *sorted(missing, key=str)[:5])


@tested
def main(tap):
    for kernel in machine.ONE_6_12:
        options = (*machine.SINGLE, "--add", f"{TRACE_CMD}:/bin/trace-cmd")
        with machine.ran(kernel, "sources.sh", *SCENARIOS, options=options) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: all sources are recorded and read")
            check_same(tap, kernel, result)
            for source in REPORTS:
                check_report(tap, f"{kernel}: {source}", result, source)

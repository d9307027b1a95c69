#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: one firing says the same live, from an instance and from a file; and the file's records are as trace-cmd has them."""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import Tap  # noqa: E402

SCENARIOS = (
    "nested", "interleaved", "scopes", "ids", "values", "fields", "instants", "names_empty", "names_long",
    "names_odd", "unmatched", "unfinished", "unknown", "twins", "deep", "two_cpus", "contexts", "everywhere",
)
TRACKS_AT_LEAST = 40
SOURCES = ("live", "instance", "file")
TRACE_CMD = "/usr/bin/trace-cmd"

# What differs from source to source: who names a task when, and when records were stamped.
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
    """The three streams of one firing."""
    streams = [tracks(read(result.text(source))) for source in SOURCES]
    tap.ok(len(streams[0][0]) > TRACKS_AT_LEAST, f"{what}: the stream has the scenarios' tracks", len(streams[0][0]))
    for source, stream in zip(SOURCES[1:], streams[1:]):
        tap.nothing(list(differences(streams[0][0], stream[0])), f"{what}: live and {source} are the same")
        tap.ok(streams[0][1:] == stream[1:], f"{what}: live and {source} count the same", streams[0][1:], stream[1:])


HEAD = re.compile(r"^ *\S.*-(?P<tid>\d+) +\[(?P<cpu>\d+)\] *(?P<time>[\d.]+): (?P<event>\w+): +", re.MULTILINE)
LINES = {"region_enter": "B", "region_leave": "E", "data": "C", "data_json": "I"}
LETTERS = {66: "B", 69: "E", 73: "I"}


def reported(text):
    """(time, cpu, tid, event, kind, sequence) of each record that trace-cmd reports; names may hold newlines."""
    heads = list(HEAD.finditer(text))
    times = [int(head["time"].replace(".", "")) for head in heads]
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, time_ns, end in zip(heads, times, ends):
        rest = text[head.end() : end]
        letter = re.search(r"\btrack_event_type=(-?\d+)", rest)
        kind = LETTERS.get(int(letter[1])) if letter else "C"
        sequence = int(re.findall(r"\bsequence=(\d+)", rest)[-1])
        yield time_ns - min(times), int(head["cpu"]), int(head["tid"]), head["event"], kind, sequence


def exported(events):
    """The same of each record in a stream."""
    for event in events:
        if event["event"] not in LINES or "cpu" not in event:
            continue
        fields = event["value"] if event["event"] == "data_json" else event["args"]
        time_ns = round(float(event["t_abs"]) * 1e9)
        name = event["category"].partition(":")[2]
        yield time_ns, event["cpu"], event["tid"], name, LINES[event["event"]], fields["sequence"]


def check_report(tap, what, result):
    """Every record that trace-cmd reports is exported, but for those that have no place in a stream."""
    events = read(result.text("file"))
    _, totals, _ = tracks(events)
    found, wanted = set(exported(events)), set(reported(result.text("report")))
    tap.nothing(sorted(found - wanted), f"{what}: every exported record is reported")
    missing = wanted - found
    dropped = totals["unmatched_ends"] + totals["malformed"]
    tap.ok(wanted and len(missing) == dropped, f"{what}: every reported record is exported, or counted", *sorted(missing, key=str)[:5])


def main():
    tap = Tap()
    for kernel in machine.KERNELS:
        options = ("--add", f"{TRACE_CMD}:/bin/trace-cmd")
        with machine.ran(kernel, "sources.sh", *SCENARIOS, options=options) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: all sources are recorded and read")
            check_same(tap, kernel, result)
            check_report(tap, kernel, result)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a thousand overlapping requests, and every macro in every context, come out of stream and record as they went in."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "stream", "vm")]

import machine  # noqa: E402
from reading.regions import is_record  # noqa: E402
from reading.stream import read_events  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = machine.PROJECT / "build/ktrack"
CHECK_STREAM = machine.PROJECT / "tests/stream/check-stream"

ROUNDS = {"requests": 3, "macros": 4, "lossy": 20}
IN_FLIGHT, THREADS = 1000, 4
CONTEXTS = ("task", "spinlock", "softirq", "hardirq", "idle", "NMI")
FLOW = "ktrack_test_flow"
OPERATIONS = ("read", "write")

# What all macros write in one context, by track; ID is the address of a record, and NEXT the one behind it;
# NEW is a number that the record has alone.
REQUEST, KEY, GLOBAL, STATE = (f"ktrack_test:ktrack_test_{name}" for name in ("request", "key", "global", "state"))
SYNC, BOTH = {"flags": "sync", "text": "text"}, {"flags": "sync|discard"}
MACROS = [
    (REQUEST, "B", "begin", 1, {"request": "ID", "op": "read"}, "ID"),
    (REQUEST, "B", "begin 2", 2, {"request": "ID", "op": "write"}, None),
    (REQUEST, "I", "instant", 3, {"request": "ID", "op": "read"}, "NEW"),
    (KEY, "I", "instant 2", 1, SYNC, None),
    (REQUEST, "E", "begin 2", 2, {"request": "ID", "op": "read", "result": -5}, "ID"),
    (REQUEST, "E", "begin", 1, {"request": "ID", "op": "write", "result": 5}, None),
    (STATE, "C", "1", 1, {"op": "write"}, None),
    (GLOBAL, "B", "guard", 1, {}, None),
    (GLOBAL, "B", "guard 1", 2, {}, None),
    (REQUEST, "B", "named", 1, {"request": "ID", "op": "read"}, "ID"),
    (REQUEST, "B", "named 1", 1, {"request": "NEXT", "op": "write"}, "NEW"),
    (KEY, "B", "copy", 1, BOTH | {"text": "copied"}, None),
    (KEY, "E", "copy", 1, BOTH, None),
    (REQUEST, "E", "named 1", 1, {"request": "NEXT", "op": "write", "result": 5}, None),
    (REQUEST, "E", "named", 1, {"request": "ID", "op": "read", "result": -5}, None),
    (GLOBAL, "E", "guard 1", 2, {}, None),
    (GLOBAL, "E", "guard", 1, {}, None),
]
KINDS = {"region_enter": "B", "region_leave": "E", "data_json": "I", "data": "C"}


def fired(kernel, name):
    """How many records a program writes."""
    nr_contexts = len(CONTEXTS) if machine.has_nmi(kernel) else len(CONTEXTS) - 1
    return ROUNDS[name] * (nr_contexts * len(MACROS) if name == "macros" else 2 * IN_FLIGHT)


class Record:
    """One record as a stream shows it."""

    def __init__(self, event):
        self.event = event
        self.kind = KINDS[event.kind]
        self.name = event[{"I": "key", "C": "value"}.get(self.kind, "label")]
        self.fields = event["value"] if self.kind == "I" else event.get("args") or {}
        self.request = int(self.fields.get("request", 0))
        self.flows = event.get("flow") or []

    def expected(self, number):
        """Whether this is what test_requests.c writes for a request: the texts, the result of an end alone, its flow."""
        if self.kind == "B":
            fields = {"request": number, "op": OPERATIONS[(number - 1) % 2]}
            return (self.name, self.fields, self.flows) == ("request", fields, [f"{FLOW}:0x{number:x}"])
        fields = {"request": number, "op": "write", "result": -number}
        return (self.name, self.fields, self.flows) == ("request", fields, [])

    def __str__(self):
        return f"line {self.event.number}: {self.kind} {self.name} {self.fields} {self.flows}"


class Stream:
    """Records of a stream in their order, without the ends that ktrack adds, and its counters."""

    def __init__(self, path):
        self.records, self.counters, self.tracks = [], Counter(), Counter()
        with open(path, "rb") as lines:
            for event in read_events(lines):
                if event.kind == "data_json" and event["category"] == "track":
                    self.tracks[event["value"]["tracepoint"]] += 1
                elif event.kind in KINDS and is_record(event) and "unfinished" not in event.members:
                    self.records.append(Record(event))
                elif event.kind == "counter" and event["category"] == "ktrack":
                    self.counters[event["name"]] = event["count"]


def wrong_pairs(records):
    """Every end that is not on the track of its request's begin, or comes from the same thread, and what is written wrongly."""
    opened = {}
    for record in records:
        key = record.event.thread, record.event["nesting"]
        if not record.expected(record.request):
            yield f"{record}: expected is another record"
        elif record.kind == "B":
            opened[key] = record
        elif opened.get(key) is None or opened.pop(key).request != record.request:
            yield f"{record}: ends another request"
    yield from (f"{record}: has no end" for record in opened.values())


def most_in_flight(records):
    """How many requests are open at once."""
    level = most = 0
    for record in records:
        level += 1 if record.kind == "B" else -1
        most = max(most, level)
    return most


def check_form(tap, what, path, wanted):
    """The strict reader has nothing to say, and every record is there or counted. None for a stream that cannot be read."""
    done = subprocess.run([CHECK_STREAM, path], capture_output=True, text=True, check=False)
    if not tap.nothing((done.stdout + done.stderr).splitlines()[:20], f"{what}: a well-formed stream"):
        return None
    stream = Stream(path)
    silent = sum(stream.counters[counter] for counter in ("lost_records", "unmatched_ends", "malformed"))
    account = f"{len(stream.records)} exported, {dict(stream.counters)}"
    tap.ok(len(stream.records) + silent == wanted, f"{what}: {wanted} fired = exported + lost", account)
    return stream


def check_requests(tap, what, stream):
    """All requests, none of them odd."""
    tap.ok(not stream.counters, f"{what}: nothing is lost, unmatched, unfinished, suspect or foreign", stream.counters)
    tap.nothing(list(wrong_pairs(stream.records)), f"{what}: each request's end closes its begin, and all fields are right")
    begun = Counter(record.request for record in stream.records if record.kind == "B")
    wanted = Counter(range(1, IN_FLIGHT * ROUNDS["requests"] + 1))
    tap.ok(begun == wanted, f"{what}: each request begins once", len(begun))
    most = most_in_flight(stream.records)
    tap.ok(most == IN_FLIGHT, f"{what}: {IN_FLIGHT} are in flight", most)
    tap.ok(stream.tracks == {REQUEST: IN_FLIGHT}, f"{what}: on as many lanes", stream.tracks)


def check_threads(tap, what, stream):
    """Who begins and who ends, and where."""
    begun, same, places = {}, 0, set()
    for record in stream.records:
        tid, cpu = record.event["tid"], record.event["cpu"]
        places.add((tid, cpu))
        same += record.kind == "E" and begun.get(record.request) == tid
        begun[record.request] = tid
    threads, cpus = ({place[index] for place in places} for index in (0, 1))
    is_right = len(threads) == len(places) == THREADS and len(cpus) == 2 and same == 0
    tap.ok(is_right, f"{what}: of {THREADS} threads on 2 CPUs, each of which ends another's", places, same)


def new_flow(record, seen):
    """The number of a record's flow, which no record had before; 0 if it has none, or not one."""
    flows = [int(one.removeprefix(f"{FLOW}:"), 16) for one in record.flows]
    is_new = len(flows) == 1 and flows[0] not in seen
    seen.update(flows)
    return flows[0] if is_new else 0


def expected_macros(records, seen):
    """The records of one context with the ids that they have."""
    number = records[0].request
    for record, (tracepoint, kind, name, nesting, fields, flow) in zip(records, MACROS):
        ids = {"ID": number, "NEXT": number + 1, "NEW": new_flow(record, seen) if flow == "NEW" else 0}
        shown = {key: ids.get(value, value) for key, value in fields.items()}
        flows = [f"{FLOW}:0x{ids[flow]:x}"] if flow else []
        yield tracepoint, kind, name, nesting, shown, flows


def found_macros(records):
    """The same of what a stream shows."""
    for record in records:
        fields = {key: int(value) if key == "request" else value for key, value in record.fields.items()}
        yield record.event["category"], record.kind, record.name, record.event["nesting"], fields, record.flows


def check_macros(tap, what, stream):
    """Every context's records are those of all macros."""
    tap.ok(not stream.counters, f"{what}: nothing is lost, unmatched, unfinished, suspect or foreign", stream.counters)
    wrong, seen = [], set()
    for start in range(0, len(stream.records), len(MACROS)):
        call = stream.records[start : start + len(MACROS)]
        pairs = zip(found_macros(call), expected_macros(call, seen))
        wrong += [f"{found}, expected is {wanted}" for found, wanted in pairs if found != wanted]
    tap.nothing(wrong, f"{what}: slices, texts, results and flows are those of every macro in every context")


def check_lossy(tap, what, stream):
    """What is left of many requests in small buffers."""
    tap.ok(stream.counters["lost_records"] > 0, f"{what}: records are lost", stream.counters)
    is_odd = any(stream.counters[name] for name in ("malformed", "foreign_ends"))
    tap.ok(not is_odd, f"{what}: nothing is malformed or foreign", stream.counters)
    wrong = [found for found in wrong_pairs(stream.records) if "has no end" not in found]
    tap.nothing(wrong, f"{what}: what is left is paired with its own")


CHECKS = {"requests": check_requests, "macros": check_macros, "lossy": check_lossy}


def check_file(tap, kernel, folder, name):
    """One recording, exported here."""
    what, path = f"{kernel}: {name}, recorded", folder / f"{name}.export.json"
    done = subprocess.run([KTRACK, "export", f"--event={path}", "--with=tid,cpu", folder / f"{name}.dat"], capture_output=True, text=True, check=False)
    if not tap.ok(done.returncode == 0, f"{what}: exported", done.stderr):
        return
    stream = check_form(tap, what, path, fired(kernel, name))
    if stream:
        CHECKS[name](tap, what, stream)


@tested
def main(tap):
    for kernel in machine.kernels_with_newest(tap, machine.ONE_6_1):
        with machine.ran(kernel, "requests.sh", *ROUNDS.values()) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: the programs run to their ends")
            for name in ("requests", "macros"):
                what = f"{kernel}: {name}, streamed"
                stream = check_form(tap, what, result.folder / f"{name}.json", fired(kernel, name))
                if stream:
                    CHECKS[name](tap, what, stream)
                if stream and name == "requests":
                    check_threads(tap, what, stream)
            for name in ROUNDS:
                check_file(tap, kernel, result.folder, name)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the lines of --otlp and --otlp-metrics keep OTLP's JSON mapping for every golden case, and show what EVENT reports.

With --update the golden files are written again.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import otlp  # noqa: E402
from tap import tested  # noqa: E402

GOLDEN = ("flows-connect-slices-and-instants", "clock-tai-is-wall-time", "loss-on-two-cpus", "extremes-of-64-bits")
GOLDEN_METRICS = ("counters-above-2-to-the-53-are-exact", "loss-on-two-cpus")
# What whole.t compares: the machine, the recording and the version.
HEAD = re.compile(rb'"resource":\{.*?"version":"[^"]+"\}')
FLOWS = "flows-connect-slices-and-instants"
REQUEST_MAX = 64 << 10
EVENTS_MAX = 128

SLICES = "event demo:io 100 char track_event_type; string slice_name; u32 bytes\n"
COUNTERS = "event demo:depth 100 s64 counter_value\n"


def export(text, *words):
    """(file, what is wrong) of records."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(text, Path(folder, "trace.dat"))
        return cases.run(folder, "export", *words, "trace.dat")


def check_golden(tap, name, output):
    """The spans or metrics of a file, byte by byte."""
    path = HERE / "golden" / f"{name}.{output}.jsonl"
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", *cases.rules_of(name), f"--{output}=-", "trace.dat")
    data = HEAD.sub(b"HEAD", data)
    if "--update" in sys.argv:
        path.write_bytes(data)
    tap.ok(not wrong and path.read_bytes() == data, f"{output} of {name}, byte by byte", *wrong, data.decode())


def spans_of(text, *words):
    """(spans, what is wrong) of records."""
    data, wrong = export(text, "--otlp=-", *words)
    spans = otlp.read_spans(data)[1]
    return [one for one in spans if "ktrack.track" in one["attributes"]], wrong


def check_traces(tap):
    """A trace for each root, joined along flows."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(FLOWS, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--otlp=-", "trace.dat")
        again = cases.run(folder, "export", "--otlp=-", "trace.dat")[0]
        resources, spans = otlp.read_spans(data)
    by_name = {one["name"]: one for one in spans}
    submit, handle, inner, done = (by_name[name] for name in ("submit", "handle", "inner", "done"))
    tap.nothing(wrong, "flows are exported")
    joined = {one["traceId"] for one in (submit, handle, inner, done)}
    tap.ok(len(joined) == 1, "a flow continues the trace of the span that it is from", joined)
    parents = [one.get("parentSpanId") for one in (submit, handle, inner, done)]
    expected = [None, submit["spanId"], handle["spanId"], handle["spanId"]]
    tap.ok(parents == expected, "the parent is the enclosing slice, or else the one of the flow", parents)
    links = [(one["spanId"], one["attributes"]["ktrack.flow"]) for one in inner["links"]]
    tap.ok(links == [(submit["spanId"], "request:0x20")], "a flow of an instant links its slice", links)
    tap.ok(by_name["late"]["traceId"] not in joined, "other roots have traces of their own")
    tap.ok(again == data, "the same recording has the same ids")
    tap.ok(resources[0]["service.name"] == "linux" and resources[0]["ktrack.recording_id"], "resources", resources)
    with tempfile.TemporaryDirectory() as folder:
        cases.make("instant-inside-a-slice", Path(folder, "trace.dat"))
        other = otlp.read_spans(cases.run(folder, "export", "--otlp=-", "--label=site=Lab 2", "trace.dat")[0])
    tap.ok(other[0][0]["ktrack.label.site"] == "Lab 2" and other[0][0]["host.name"], "the resource has the machine and its labels", other[0])
    other = other[1]
    tap.ok(other and not {one["spanId"] for one in spans} & {one["spanId"] for one in other}, "other slices have other ids")


def check_twins(tap):
    """Slices that cannot be distinguished have ids of their own."""
    lines = "".join(f'0 7@0 io B a {number}\n0 7@0 io E "" 0\n' for number in range(3))
    spans, wrong = spans_of(SLICES + lines)
    tap.ok(not wrong and len(spans) == 3, "three slices at the same time", *wrong, spans)


def check_limits(tap):
    """Requests and events of spans are limited."""
    inside = "".join(f"{number}us 7@0 io I at {number}\n" for number in range(1, 301))
    spans, wrong = spans_of(f'{SLICES}0 7@0 io B outer 1\n{inside}400us 7@0 io E "" 1\n')
    kept = (len(spans), len(spans[0]["events"]), spans[0].get("droppedEventsCount"))
    tap.ok(not wrong and kept == (1, EVENTS_MAX, 300 - EVENTS_MAX), "dropped events are counted", *wrong, kept)
    many = "".join(f'{number}us 7@0 io B one {number}\n{number}us 7@0 io E "" {number}\n' for number in range(1000))
    data, wrong = export(SLICES + many, "--otlp=-")
    sizes = [len(line) for line in data.splitlines()]
    tap.ok(not wrong and len(sizes) > 2 and max(sizes) < REQUEST_MAX, "requests are limited", *wrong, sizes)
    tap.ok(len(otlp.read_spans(data)[1]) == 1000 + 1, "and have all spans")
    samples = "".join(f"{number}us {7 + number % 3}@0 depth {number}\n" for number in range(2000))
    data, wrong = export(COUNTERS + samples, "--otlp-metrics=-")
    values = sorted(point[3] for point in otlp.read_points(data))
    tap.ok(not wrong and values == list(range(2000)) and data.count(b"\n") > 2, "so have those of samples", *wrong, len(values))


def check_emitters(tap):
    """The writer of a record is reported if requested."""
    text = SLICES + 'task 7 server 70\n0 7@0 io B a 1\n1us 7@1 io E "" 1\n2us 7@0 io I b 1\n'
    spans, wrong = spans_of(text, "--with=tid,cpu,comm")
    own = {key: value for one in spans for key, value in one["attributes"].items() if re.match(r"(end\.)?ktrack\.(tid|cpu|comm)", key)}
    expected = {"ktrack.tid": 7, "ktrack.cpu": 0, "ktrack.comm": "server", "end.ktrack.tid": 7, "end.ktrack.cpu": 1, "end.ktrack.comm": "server"}
    tap.ok(not wrong and own == expected, "emitters, where asked for", *wrong, own)
    thread = {key: spans[0]["attributes"].get(key) for key in ("thread.id", "thread.name", "process.pid")}
    tap.ok(thread == {"thread.id": 7, "thread.name": "server", "process.pid": 70}, "the track's thread", thread)


def check_losses(tap):
    """A loss lasts as long as nothing was read, and is an error."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(cases.LOSSES_CASE, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--otlp=-", "trace.dat")
        metrics, _ = cases.run(folder, "export", "--otlp-metrics=-", "trace.dat")
    lost = [one for one in otlp.read_spans(data)[1] if "status" in one and "cpu.logical_number" in one["attributes"]]
    first = min(one["startTimeUnixNano"] for one in lost)
    spans = [(one["startTimeUnixNano"] - first, one["endTimeUnixNano"] - first) for one in lost]
    tap.ok(not wrong and spans == cases.LOSSES, "when losses were", *wrong, spans)
    counts = [value for name, _, _, value in otlp.read_points(metrics) if name == "ktrack.lost_records"]
    tap.ok(counts == [one["attributes"]["ktrack.lost_records"] for one in lost], "metrics count them", counts)


def check_files(tap):
    """Files that are appended to, that cannot be written, and that are shared."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(FLOWS, Path(folder, "trace.dat"))
        once, _ = cases.run(folder, "export", "--otlp=-", "trace.dat")
        for _ in range(2):
            _, wrong = cases.run(folder, "export", "--append", "--otlp=out", "trace.dat")
        tap.ok(not wrong and Path(folder, "out").read_bytes() == once * 2, "--append adds lines", *wrong)
        _, said = cases.run(folder, "export", "--otlp=/dev/full", "trace.dat", status=1)
        tap.ok(said == ["ktrack: cannot write to /dev/full: No space left on device"], "a full disk", *said)
        _, said = cases.run(folder, "export", "--otlp=same", "--otlp-metrics=same", "trace.dat", status=1)
        tap.ok(len(said) == 1 and "named twice" in said[0], "spans and metrics are files of their own", *said)
        cases.make("nothing-in-it", Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--otlp=-", "trace.dat")
        spans = otlp.read_spans(data)[1]
        tap.ok(not wrong and [one["name"] for one in spans] == ["recording"], "an empty recording has the last span only", *wrong, data)


@tested
def main(tap):
    """All checks."""
    for name, stream, data, wrong in cases.export_all("otlp"):
        cases.check(tap, name, stream, data, wrong, otlp.compare)
    for name, stream, data, wrong in cases.export_all("otlp-metrics"):
        cases.check(tap, f"metrics of {name}", stream, data, wrong, otlp.compare_metrics)
    for name in GOLDEN:
        check_golden(tap, name, "otlp")
    for name in GOLDEN_METRICS:
        check_golden(tap, name, "otlp-metrics")
    check_traces(tap)
    check_twins(tap)
    check_limits(tap)
    check_emitters(tap)
    check_losses(tap)
    check_files(tap)

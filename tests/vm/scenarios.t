#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: every scenario of the test module becomes exactly the tracks that its records mean. In make check on one kernel."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "stream", "vm")]
sys.path.append(str(Path(__file__).resolve().parents[1] / "outputs"))

import chrome  # noqa: E402
import otlp  # noqa: E402
import machine  # noqa: E402
import fxt  # noqa: E402
import perfetto  # noqa: E402
import scenario  # noqa: E402
from reading.regions import is_record  # noqa: E402
from reading.stream import read_events  # noqa: E402
from tap import tested  # noqa: E402

CHECK_STREAM = Path(__file__).resolve().parents[1] / "stream/check-stream"

# What a round writes: an independent word on the module's table, which the rest takes as it is.
RECORDS = {
    "nested": 9,
    "interleaved": 13,
    "scopes": 20,
    "ids": 16,
    "values": 26,
    "fields": 4,
    "instants": 11,
    "names_empty": 9,
    "names_long": 18,
    "names_odd": 18,
    "unmatched": 4,
    "unfinished": 4,
    "unknown": 5,
    "twins": 6,
    "deep": 2001,
    "two_cpus": 15,
    "contexts": 12,
    "nmi": 8,
    "everywhere": 12,
}
ODD = {
    "unmatched": {"unmatched_ends": 2},
    "unfinished": {"unfinished": 2},
    "unknown": {"malformed": 3},
}
RUNS = [(name, 3) for name in RECORDS] + [("nested", 2000), ("two_cpus", 40), ("contexts", 200), ("nmi", 200)]

# A record's preemption context in the trace, by the slices that are written there.
CONTEXTS = {
    "task": ".",
    "spinlock": ".",
    "softirq": "s",
    "hardirq": "h",
    "mark 0": "h",
    "nmi": "Z",
}
RECORD = re.compile(r"\[\d+\] (.).(.)\S* +[\d.]+: ktrack_test_\w+: [BI] slice_name=(.*?) scope_")


class Stream:
    """What a stream shows."""

    def __init__(self, path):
        self.tracks, self.counters, self.writer = {}, {}, None
        threads = {}
        with open(path, "rb") as lines:
            for event in read_events(lines):
                if event.kind == "data_json" and event["category"] == "track":
                    threads[event.thread] = self.tracks.setdefault(key_of(event["value"]), [])
                elif event.kind in STEPS and is_record(event):
                    threads[event.thread].append(STEPS[event.kind](event))
                elif event.kind == "counter" and event["category"] == "ktrack":
                    self.counters[event["name"]] = event["count"]
                elif event.kind == "child_exit":
                    self.writer = event["pid"]


STEPS = {
    "region_enter": lambda event: ("B", event["label"], event["nesting"], event.get("args")),
    "region_leave": lambda event: ("E", event["label"], event["nesting"], event.get("args")),
    "data_json": lambda event: ("I", event["key"], event["nesting"], event["value"]),
    "data": lambda event: ("C", int(event["value"]), event["nesting"], event.get("args")),
}


def key_of(identity):
    """A track's key as the model has it."""
    return tuple(identity.get(key) for key in ("tracepoint", "scope", "id", "name"))


def wrong_tracks(found, wanted):
    """Every track that is missing, too many, or leaves the expected steps."""
    for key in found.keys() - wanted.keys():
        yield f"{key}: nobody wrote it"
    for key, steps in wanted.items():
        shown = found.get(key, [])
        for one, other in zip(shown, steps):
            if one != other:
                yield f"{key}: {one}, expected is {other}"
                break
        if len(shown) != len(steps):
            yield f"{key}: {len(shown)} steps, expected are {len(steps)}"


def device_counts(text):
    """Records of the last run, and the last number, by CPU."""
    words = [line.split() for line in text.splitlines() if line.startswith("cpu ")]
    return {int(cpu): (int(fired), int(sequence)) for _, cpu, _, fired, _, sequence in words}


def wrong_counts(steps, rounds, text):
    """Every CPU whose count is not that of its records."""
    fired = Counter(record.cpu for record in scenario.list_records(steps, rounds))
    for cpu, counts in device_counts(text).items():
        if counts != (fired[cpu], fired[cpu]):
            yield f"CPU {cpu}: fired and last number {counts}, expected is {fired[cpu]}"


def wrong_form(path):
    """What the strict reader says."""
    done = subprocess.run([CHECK_STREAM, path], capture_output=True, text=True, check=False)
    found = (done.stdout + done.stderr).splitlines()
    return found or ([f"status {done.returncode}"] if done.returncode else [])


def check_run(tap, what, path, steps, rounds):
    """One stream: its form, its tracks with every number, its counters."""
    form = wrong_form(path)
    if not tap.nothing(form, f"{what}: a well-formed stream"):
        return
    stream = Stream(path)
    tracks, counters = scenario.expect(steps, rounds, stream.writer)
    wrong = list(wrong_tracks(stream.tracks, tracks))
    tap.nothing(wrong, f"{what}: every record on its track, and no other")
    found = dict(stream.counters)
    # An interrupt's records have the thread that it interrupted, which may be another one at a slice's end.
    if any(step.context == "everywhere" for step in steps):
        found.pop("foreign_ends", None)
    tap.ok(found == counters, f"{what}: counted is {counters or 'nothing'}", stream.counters)


def check_output_files(tap, what, path):
    """The files for viewers show what the stream reports, no more and no less."""
    stream = path.read_bytes()
    wrong = {
        "perfetto": perfetto.compare(stream, path.with_suffix(".pf").read_bytes(), is_live=True),
        "fxt": fxt.compare(stream, path.with_suffix(".fxt").read_bytes()),
        "chrome": chrome.compare(stream, path.with_suffix(".chrome").read_bytes()),
        "otlp": otlp.compare(stream, path.with_suffix(".otlp").read_bytes()),
        "otlp-metrics": otlp.compare_metrics(stream, path.with_suffix(".metrics").read_bytes()),
    }
    for name, found in wrong.items():
        tap.nothing(found, f"{what}: {name} shows the same")


def check_live(tap, kernel, folder):
    """Live statistics are renewed, and end with what the stream of the same scenario reports."""
    lines = [json.loads(line) for line in (folder / "live.json").read_text().splitlines()]
    tap.ok(len(lines) > 1, f"{kernel}: live statistics are reported while it records", len(lines))
    with open(folder / "nested.3.json", "rb") as stream:
        timers = [event for event in read_events(stream) if event.kind == "th_timer"]
    expected = Counter({(timer["category"], timer["name"]): 0 for timer in timers})
    for timer in timers:
        expected[timer["category"], timer["name"]] += timer["intervals"]
    found = Counter()
    for row in lines[-1]["slices"]:
        found[row["tracepoint"], row["name"]] += row["count"]
    is_same = found == expected and sum(expected.values()) > 0
    tap.ok(is_same and "totals" in lines[-1], f"{kernel}: and are right at the end", found)


def check_table(tap, kernel, scenarios):
    """The list that the rest relies on."""
    sizes = {name: len(list(scenario.list_records(steps, 1))) for name, steps in scenarios.items()}
    tap.ok(sizes == RECORDS, f"{kernel}: every scenario is there, with all its records", sizes)
    odd = {name: scenario.expect(steps, 1, 1)[1] for name, steps in scenarios.items()}
    odd = {name: counters for name, counters in odd.items() if counters}
    tap.ok(odd == ODD, f"{kernel}: three scenarios are odd on purpose", odd)


def check_contexts(tap, kernel, text):
    """Each record is written in the context that the scenario names."""
    found = {}
    for flag, context, name in RECORD.findall(text):
        found.setdefault(name, set()).add((flag == ".", context))
    for name, context in CONTEXTS.items():
        if name == "nmi" and not machine.has_nmi(kernel):
            continue
        wanted = {(name in ("task", "softirq"), context)}
        is_right = found.get(name) == wanted
        tap.ok(is_right, f"{kernel}: {name} is written in its context", found.get(name))


def runs_of(kernel):
    """Scenarios and rounds."""
    return [(name, rounds) for name, rounds in RUNS if name != "nmi" or machine.has_nmi(kernel)]


def check_kernel(tap, kernel, result):
    """All runs of one boot."""
    machine.check_end(tap, kernel, result)
    strange = result.output.splitlines()
    tap.nothing(strange, f"{kernel}: scenarios run in order, others are refused")
    scenarios = scenario.read_list(result.text("list.txt"))
    check_table(tap, kernel, scenarios)
    check_live(tap, kernel, result.folder)
    check_contexts(tap, kernel, result.text("contexts.trace"))
    for name, rounds in runs_of(kernel):
        what, steps = f"{kernel}: {name} x {rounds}", scenarios.get(name, [])
        counts = result.text(f"{name}.{rounds}.txt")
        tap.ok(f"run {name} {rounds} 0\n" in counts, f"{what}: the device reports the run", counts)
        wrong = list(wrong_counts(steps, rounds, counts))
        tap.nothing(wrong, f"{what}: the device counts its records")
        check_run(tap, what, result.folder / f"{name}.{rounds}.json", steps, rounds)
        check_output_files(tap, what, result.folder / f"{name}.{rounds}.json")


@tested
def main(tap):
    for kernel in machine.ONE_6_12:
        arguments = [f"{name}:{rounds}" for name, rounds in runs_of(kernel)]
        with machine.ran(kernel, "scenarios.sh", *arguments) as result:
            check_kernel(tap, kernel, result)

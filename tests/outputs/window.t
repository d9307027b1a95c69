#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: --from and --to show the slices that overlap the window whole, and the instants and samples in it: those of the whole recording.

Names of golden cases as arguments choose these, with more windows.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "outputs", "stream")]

import cases  # noqa: E402
from model import FLOW, read_event  # noqa: E402
from reading.stream import check_lines  # noqa: E402
from tap import tested  # noqa: E402
from window import times_of, windows_of  # noqa: E402

WINDOWS = 3
# A thread's slices that continue under another id are one slice if both were before the window.
OTHERS = ("rules-exec-by-a-thread",)


def slices_of(tracks, from_ns, to_ns, is_whole):
    """The slices that overlap the window, as they are marked there; an end that no record states is where the reading ends."""
    found = []
    for track in tracks.values():
        for begin, end, name, before, behind, marks, _ in track.slices:
            if is_whole and (begin > to_ns or end < from_ns):
                continue
            is_open = "unfinished" in marks
            marks = set(marks) - {"suspect", "foreign"} - ({"crossing"} if is_open else set())
            if is_whole and (begin < from_ns or end > to_ns) and not is_open:
                marks.add("crossing")
            args = without_flows(before), without_flows(behind)
            found.append((begin, None if is_open else end, track.category, name, *args, sorted(marks)))
    return sorted(found, key=str)


def without_flows(args):
    """Other args than ids of flows, which count from the begin of the window."""
    return {name: value for name, value in args.items() if name != FLOW}


def points_of(tracks, from_ns, to_ns):
    """The instants and samples of a time."""
    found = []
    for track in tracks.values():
        found += [(time, track.category, name, without_flows(args)) for time, name, args in track.instants if from_ns <= time <= to_ns]
        found += [(time, track.category, *rest) for time, *rest in track.samples if from_ns <= time <= to_ns]
    return sorted(found, key=str)


def is_sum(one, from_ns):
    """A counter that ktrack sums up begins with its sum."""
    return one[0] == from_ns and len(one) == 3


def compare(folder, name, tracks, from_ns, to_ns):
    """Differences between what a window shows, and what the whole has of that time."""
    words = (f"--from={from_ns}ns", f"--to={to_ns}ns", *cases.rules_of(name))
    stream, wrong = cases.run(folder, "export", "--event", *words, "trace.dat")
    wrong = [line for line in wrong if "no track events match" not in line]
    wrong += [f"line {number}: {rule}: {text}" for number, rule, text in check_lines(stream.splitlines(keepends=True))]
    found = read_event(stream)
    pairs = (
        (slices_of(tracks, from_ns, to_ns, True), slices_of(found, from_ns, to_ns, False)),
        (points_of(tracks, from_ns, to_ns), points_of(found, 0, to_ns)),
    )
    for wanted, shown in pairs:
        wrong += [f"missing: {one}" for one in wanted if one not in shown]
        wrong += [f"more: {one}" for one in shown if one not in wanted and not is_sum(one, from_ns)]
    return [f"{from_ns} to {to_ns}: {line}" for line in wrong]


def check_statistics(tap, folder):
    """Durations are those of whole slices, shares those of the window."""
    cases.make("filters", folder / "trace.dat")
    text, wrong = cases.run(folder, "stat", "--json", "--from=20us", "--to=40us", "trace.dat")
    tap.nothing(wrong, "statistics of a window")
    found = json.loads(text)
    rows = {row["name"]: tuple(row[key] for key in ("count", "total_ns", "self_ns", "share")) for row in found["slices"]}
    tap.ok(found["duration_ns"] == 20000, "the recorded time is that of the window", found["duration_ns"])
    wanted = {"a": (1, 30000, 10000, 0.5), "b": (1, 50000, 20000, 1), "c": (1, 10000, 0, 0)}
    tap.ok(rows == wanted, "totals are of whole slices, shares and SELF of the window", rows)


@tested
def main(tap):
    """All golden cases, or those that are named."""
    chosen = sys.argv[1:]
    for name in chosen or sorted(set(cases.names()) - set(OTHERS)):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            cases.make(name, folder / "trace.dat")
            stream, _ = cases.run(folder, "export", "--event", *cases.rules_of(name), "trace.dat")
            tracks = read_event(stream)
            times = times_of(tracks)
            wrong = [line for one in (windows_of(name, times, 8 * WINDOWS if chosen else WINDOWS) if times else ()) for line in compare(folder, name, tracks, *one)]
            tap.nothing(wrong, name.replace("-", " "))
    with tempfile.TemporaryDirectory() as place:
        check_statistics(tap, Path(place))

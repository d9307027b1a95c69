#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the file of --perfetto, decoded by protoc, shows what EVENT tells, in every golden case."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from perfetto import compare, read_sequence  # noqa: E402
from protobuf import one  # noqa: E402
from tap import Tap  # noqa: E402

WALL = "2020-01-02T03:04:05Z"
WALL_NS = 1577934245 * 1000000000


def check_case(tap, name, stream, data, wrong):
    """The file of one case."""
    try:
        wrong = wrong + compare(stream, data)
    except (ValueError, KeyError, IndexError) as problem:
        wrong = [*wrong, f"cannot be read: {problem!r}"]
    tap.nothing(wrong, name.replace("-", " "))


def export(name, *words):
    """The sequence of a case exported with more options."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--perfetto=-", *words, "trace.dat")
    sequence, _, more = read_sequence(data)
    return sequence, wrong + more


def check_clocks(tap):
    """Wall time is right where it is known, and not made up where it is not."""
    sequence, wrong = export("begin-never-closed", f"--wall-clock={WALL}")
    clocks = {one(c, "clock_id"): one(c, "timestamp") for c in sequence.snapshots[0]["clocks"]}
    tap.nothing(wrong + ([] if clocks.get(1) == WALL_NS else [clocks]), "the wall clock")
    sequence, wrong = export("begin-never-closed")
    clocks = [one(clock, "clock_id") for clock in sequence.snapshots[0]["clocks"]]
    tap.nothing(wrong + ([] if clocks == [6] else [clocks]), "no wall clock")
    tap.ok(one(sequence.snapshots[0], "primary_trace_clock") == 6, "boot time")


def check_losses(tap):
    """A loss lasts as long as nothing was read."""
    sequence, wrong = export(cases.LOSSES_CASE)
    start_ns = one(sequence.snapshots[0]["clocks"][0], "timestamp")
    times = [time_ns - start_ns for time_ns, _, kind, _, _ in sequence.own if "SLICE" in kind]
    spans = list(zip(times[::2], times[1::2]))
    tap.nothing(wrong + ([] if spans == cases.LOSSES else [spans]), "when losses were")


def check_open(tap):
    """Slices that nothing ended are left open."""
    sequence, wrong = export("begin-never-closed")
    left = sum(len(track.stack) for track in sequence.tracks.values())
    tap.nothing(wrong + ([] if left > 0 else ["all are closed"]), "unfinished slices are open")


def check_emitters(tap):
    """Who began a slice and who ended it are two arguments of it."""
    sequence, wrong = export("demo-tracepoints", "--with=tid,cpu,comm")
    slices = [one_slice for track in sequence.tracks.values() for one_slice in track.slices]
    told = [{"ktrack:tid", "ktrack:cpu"} <= set(args) for _, _, _, *both, _, _ in slices for args in both]
    crossed = [(before["ktrack:tid"], behind["ktrack:tid"]) for *_, before, behind, _, _ in slices if behind]
    is_told = sum(told) > len(slices) and any(begin != end for begin, end in crossed)
    tap.nothing(wrong + ([] if is_told else [slices]), "who began and who ended a slice")


def main():
    """Returns the exit status."""
    tap = Tap()
    for case in cases.export_all("perfetto"):
        check_case(tap, *case)
    check_clocks(tap)
    check_open(tap)
    check_emitters(tap)
    check_losses(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

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
from model import differences, losses_of, read_event  # noqa: E402
from perfetto import read_sequences  # noqa: E402
from protobuf import decode, one  # noqa: E402
from tap import Tap  # noqa: E402

WALL = "2020-01-02T03:04:05Z"
WALL_NS = 1577934245 * 1000000000


def to_trace_time(tracks, start_ns):
    """EVENT's times count from the start, Perfetto's are the trace clock's."""
    for track in tracks.values():
        for one_slice in track.slices:
            one_slice[0] += start_ns
            one_slice[1] += start_ns
        track.instants = [(time_ns + start_ns, *rest) for time_ns, *rest in track.instants]
        track.samples = [(time_ns + start_ns, *rest) for time_ns, *rest in track.samples]


def forget_ends(tracks):
    """When unfinished slices ended is told by EVENT only."""
    for track in tracks.values():
        for one_slice in track.slices + track.stack:
            if one_slice[1] is None or one_slice[5] == ("unfinished",):
                one_slice[1], one_slice[5] = None, ("unfinished",)


def read_sequence(data):
    """(the one sequence of a file, its start, what is wrong)."""
    packets, wrong = decode(data)
    sequences = read_sequences(packets)
    if list(sequences) != [1]:
        return None, 0, [*wrong, f"sequences {list(sequences)}"]
    clocks = sequences[1].snapshots[0]["clocks"]
    return sequences[1], one(clocks[0], "timestamp"), wrong


def wrong_parent(sequence, track):
    """What is wrong with what a track is below."""
    parent = sequence.descriptors.get(one(track.descriptor, "parent_uuid"), {})
    scope, tgid = track.identity["scope"], track.identity.get("tgid")
    number = track.identity["id"]
    if scope == "thread" and tgid:
        found = parent.get("thread", [{}])[0]
        if (one(found, "pid"), one(found, "tid")) != (tgid, number):
            yield f"{track.label} is below {parent}"
    elif scope == "process" and isinstance(number, int) and 0 < number < 1 << 31:
        if one(parent.get("process", [{}])[0], "pid") != number:
            yield f"{track.label} is below {parent}"
    elif one(parent, "name") != track.identity["tracepoint"]:
        yield f"{track.label} is below {parent}"


def wrong_tracks(sequence):
    """What is wrong with the tracks themselves."""
    for uuid in sequence.order:
        track = sequence.tracks[uuid]
        yield from wrong_parent(sequence, track)
        if one(track.descriptor, "sibling_merge_behavior") != "SIBLING_MERGE_BEHAVIOR_NONE":
            yield f"{track.label} may be merged"
        if ("counter" in track.descriptor) != (track.identity["kind"] == "counter"):
            yield f"{track.label} is no {track.identity['kind']}"


def losses_in(sequence):
    """How often each loss is told, and whether every one has an end."""
    found, depth = {}, 0
    for _, uuid, kind, name, _ in sequence.own:
        if not one(sequence.descriptors[uuid], "name").startswith("lost records"):
            continue
        depth += 1 if kind == "TYPE_SLICE_BEGIN" else -1
        if kind == "TYPE_SLICE_BEGIN":
            found[name] = found.get(name, 0) + 1
    return found if depth == 0 else f"{depth} without an end"


def compare(stream, data):
    """How a file differs from the EVENT stream."""
    sequence, start_ns, wrong = read_sequence(data)
    if not sequence:
        return wrong
    expected = read_event(stream)
    found = dict(enumerate((sequence.tracks[uuid] for uuid in sequence.order), 1))
    to_trace_time(expected, start_ns)
    forget_ends(expected)
    forget_ends(found)
    for number in set(expected) & set(found):
        track = found[number]
        track.label = expected[number].label
        track.category = track.category or expected[number].category
        if track.identity != expected[number].identity:
            wrong.append(f"track {number}: {track.identity}, not {expected[number].identity}")
    wrong += [*differences(expected, found), *wrong_tracks(sequence)]
    if losses_in(sequence) != losses_of(stream):
        wrong.append(f"losses {losses_in(sequence)} instead of {losses_of(stream)}")
    return wrong


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


def check_open(tap):
    """Slices that nothing ended are left open."""
    sequence, wrong = export("begin-never-closed")
    left = sum(len(track.stack) for track in sequence.tracks.values())
    tap.nothing(wrong + ([] if left > 0 else ["all are closed"]), "unfinished slices are open")


def main():
    """Returns the exit status."""
    tap = Tap()
    for case in cases.export_all("perfetto"):
        check_case(tap, *case)
    check_clocks(tap)
    check_open(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

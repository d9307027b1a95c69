# SPDX-License-Identifier: GPL-2.0-only
"""What a recording shows, whatever output reports it: tracks with slices, instants and samples.

EVENT lines come from the strict reader, tests/stream/reading/, which refuses lines that ktrack does not write. The readers of the
other outputs make the same tracks, so that an output is compared with EVENT, of which every rule is known.
"""

import math
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "stream")]

from reading.line import Real, double_text  # noqa: E402
from reading.session import LOSS_FORMATS, LOSS_SUM  # noqa: E402
from reading.stream import read_events  # noqa: E402

MARKS = ("suspect", "unfinished", "foreign", "crossing")
FLOW = "ktrack:flow"
OWN = {f"ktrack:{mark}" for mark in MARKS}
DEPTH_MAX = 512


class Track:
    """One track: its name for people and what happened on it, in the order of its beginnings.

    A slice is [begin, end, name, args of its begin, args of its end, marks, slices around it].
    """

    def __init__(self, label, category=None):
        self.label, self.category = label, category
        self.slices, self.instants, self.samples = [], [], []
        self.stack, self.nestings, self.identity = [], [], None
        self.depths = []  # how many slices are open around each instant of an EVENT stream

    def begin(self, time_ns, name, args, nesting=None):
        """A slice begins."""
        one = [time_ns, None, name, dict(args), {}, (), len(self.stack) if nesting is None else nesting - 1]
        self.slices.append(one)
        self.stack.append(one)
        self.nestings.append(nesting)

    def end(self, time_ns, args, marks, nesting=None):
        """The innermost slice ends, or that with a nesting."""
        place = len(self.stack) - 1 if nesting is None else self.nestings.index(nesting)
        one = self.stack.pop(place)
        self.nestings.pop(place)
        one[1], one[4], one[5] = time_ns, dict(args), tuple(marks)

    def describe(self):
        """All of it, to be compared."""
        return [
            (self.label, self.category),
            *(("slice", *one) for one in self.slices),
            *(("instant", *one) for one in self.instants),
            *(("sample", *one) for one in self.samples),
        ]


def read_event(stream):
    """The tracks of an EVENT stream by their number."""
    tracks = {}
    for event in read_events(stream.splitlines(keepends=True)):
        number, _, label = event.thread.partition(":")
        if event.kind == "thread_start":
            tracks[int(number[2:])] = Track(label)
        elif number.startswith("th") and label:
            read_record(tracks[int(number[2:])], event)
    return tracks


def plain(value):
    """A value of any output as Python has it: what no JSON number can be is a word."""
    number = float(value.text) if type(value) is Real else float(value) if isinstance(value, Decimal) else value
    return double_text(number) if isinstance(number, float) and not math.isfinite(number) else number


def plain_args(args):
    """Extra fields with plain values."""
    return {name: plain(value) for name, value in args.items()}


def sample_text(value):
    """The value of a sample as ktrack writes it."""
    return double_text(value) if isinstance(value, float) else str(value)


def args_of(event, key="args"):
    """The extra fields of a line, and its flows."""
    return plain_args(event.get(key) or {}) | ({FLOW: event["flow"]} if event.get("flow") else {})


def read_record(track, event):
    """What a line says of its track."""
    kind, category = event.kind, event.get("category")
    if kind == "data_json" and category == "track":
        track.identity = event["value"]
        track.category = track.identity["tracepoint"]
    elif kind == "region_enter":
        track.begin(event.abs_ns, event["label"], args_of(event), event["nesting"])
    elif kind == "region_leave":
        marks = [mark for mark in MARKS if event.get(mark)]
        track.end(event.abs_ns, args_of(event), marks, event["nesting"])
    elif kind == "data_json" and category != "summary":
        track.instants.append((event.abs_ns, event["key"], args_of(event, "value")))
        track.depths.append(len(track.stack))
    elif kind == "data":
        track.samples.append((event.abs_ns, event["value"]))


def points_of(tracks):
    """The points of flows: (time, track, flow), the slices' in the order of their ids' records."""
    points = []
    for number, track in tracks.items():
        for begin, end, _, before, behind, *_ in track.slices:
            points += [(begin, number, flow) for flow in before.get(FLOW, [])]
            points += [(end, number, flow) for flow in behind.get(FLOW, [])]
        points += [(time, number, flow) for time, _, args in track.instants for flow in args.get(FLOW, [])]
    return sorted(points)


def leave_out_deep(tracks):
    """Slices and instants that Perfetto cannot show are left out."""
    for track in tracks.values():
        track.instants = [one for one, depth in zip(track.instants, track.depths) if depth < DEPTH_MAX]
        track.slices = [one_slice for one_slice in track.slices if one_slice[6] < DEPTH_MAX]


def differences(expected, found):
    """How two sets of tracks differ, a line each."""
    for number in sorted(set(expected) | set(found)):
        if number not in found or number not in expected:
            yield f"track {number} is only in {'EVENT' if number in expected else 'the file'}"
            continue
        one, other = expected[number].describe(), found[number].describe()
        if len(one) != len(other):
            yield f"track {number}: {len(one)} things in EVENT, {len(other)} in the file"
        yield from (f"track {number}: {a} became {b}" for a, b in zip(one, other) if a != b)


def losses_of(stream):
    """How often an EVENT stream reports each gap."""
    found = defaultdict(int)
    for event in read_events(stream.splitlines(keepends=True)):
        if event.kind == "error" and LOSS_FORMATS.get(event["fmt"], LOSS_SUM) is not LOSS_SUM:
            found[event["msg"]] += 1
    return dict(found)

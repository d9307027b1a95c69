# SPDX-License-Identifier: GPL-2.0-only
"""What a file of JSON trace events shows: its events, as tracks with slices and samples.

It accepts the array form of Chrome's "Trace Event Format" with the phases that ktrack-outputs(7) lists: B and E, i, C, X for losses and slices
without length, s and t for points of flows, M for names and for what the recording is. Each event has the members that the format requires of its phase (times in microseconds,
which keep all nanoseconds), its track was named before it, and no object has a member twice.
"""

import json
from decimal import Decimal

from model import MARKS, OWN, Track, differences, leave_out_deep, losses_of, plain_args, points_of, read_event, sample_text

OWN_PID = 4194304
NS_PER_US = 1000


def split_args(event):
    """What a record said, and what ktrack says of it."""
    args = plain_args(event.get("args", {})) if event["ph"] != "C" else event["args"]
    marks = [mark for mark in MARKS if args.get(f"ktrack:{mark}")]
    args = {name: value for name, value in args.items() if name not in OWN}
    if event["ph"] == "E":
        args = {without_end(name): value for name, value in args.items()}
    return args, marks


def without_end(name):
    """The name of a field of the record that ends a slice."""
    if not name.startswith("end:"):
        raise ValueError(f"{name} would replace what the begin says")
    return name.removeprefix("end:")


def read_track_event(track, event):
    """One event on one of the recording's tracks."""
    time_ns = int(event["ts"] * NS_PER_US)
    args, marks = split_args(event)
    track.category = event["cat"]
    if event["ph"] == "B":
        track.begin(time_ns, event["name"], args)
    elif event["ph"] == "E":
        track.end(time_ns, args, marks)
    elif event["ph"] == "X":
        before = {name: value for name, value in args.items() if not name.startswith("end:")}
        track.begin(time_ns, event["name"], before)
        track.end(time_ns, {name.removeprefix("end:"): value for name, value in args.items() if name not in before}, marks)
        if event["dur"] != 0:
            raise ValueError(f"{event} has a length")
    elif event["ph"] == "i":
        track.instants.append((time_ns, event["name"], args))
    elif event["ph"] == "C":
        value = args["value"]
        is_whole = isinstance(value, Decimal) and value == value.to_integral_value()
        track.samples.append((time_ns, sample_text(float(value) if isinstance(value, Decimal) and not is_whole else value).removesuffix(".0")))
        if isinstance(args["value"], int) and args["value"] >= 1 << 63:
            raise ValueError(f"{event} has a value that Perfetto reads as a negative one")


def read_point(points, number, track, event):
    """A point of a flow: the first one begins it, and each belongs to the slice or instant at that time."""
    time_ns, flow = int(event["ts"] * NS_PER_US), f"{event['name']}:{event['id']}"
    is_first = not any(flow == other for _, _, other in points)
    if event["ph"] != ("s" if is_first else "t") or event["cat"] != "flow":
        raise ValueError(f"{event} of {points}")
    if not track.stack and track.instants[-1][0] != time_ns:
        raise ValueError(f"{event} is in no slice")
    points.append((time_ns, number, flow))


PHASES = {"B": ("name", "cat", "ts", "tid"), "E": ("ts", "tid"), "i": ("name", "cat", "ts", "tid", "s"), "C": ("name", "ts", "args")}
PHASES |= {"X": ("name", "ts", "dur", "tid"), "s": ("name", "cat", "id", "ts", "tid"), "M": ("name", "args")}
PHASES["t"] = PHASES["s"]


def unique(pairs):
    """An object, whose members are there once."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError(f"a member is there twice: {pairs}")
    return dict(pairs)


def read_events(data):
    """The events of a file, each with what its phase requires."""
    for event in json.loads(data, parse_float=Decimal, object_pairs_hook=unique):
        lacks = [member for member in (*PHASES[event["ph"]], "pid") if member not in event]
        if lacks:
            raise ValueError(f"{event} lacks {lacks}")
        yield event


def read_chrome(data):
    """(tracks by number, how often each loss is reported, points of flows) of a file."""
    tracks, losses, points, numbers = {}, {}, [], {}
    for event in read_events(data):
        if event["pid"] == OWN_PID:
            if event["ph"] == "X":
                losses[event["name"]] = losses.get(event["name"], 0) + 1
        elif event["ph"] in "stf":
            read_point(points, numbers[event["tid"]], tracks[numbers[event["tid"]]], event)
        elif event["ph"] != "M":
            read_track_event(tracks[numbers[event["tid"]]], event)
        elif event["name"] == "thread_name":
            numbers[event["tid"]] = len(tracks) + 1  # it may continue another
            tracks[len(tracks) + 1] = Track(event["args"]["name"], event["cat"])
    return tracks, losses, points


def compare(stream, data):
    """How a file differs from the EVENT stream."""
    tracks, losses, points = read_chrome(data)
    expected = read_event(stream)
    leave_out_deep(expected)
    wrong = list(differences(expected, tracks))
    if sorted(points) != points_of(tracks):
        wrong.append(f"points of flows {points} instead of {points_of(tracks)}")
    if losses != losses_of(stream):
        wrong.append(f"losses {losses} instead of {losses_of(stream)}")
    return wrong

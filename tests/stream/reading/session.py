# SPDX-License-Identifier: GPL-2.0-only
"""What a stream has said so far: the state that the rules compare each event with."""

import re
from collections import Counter

from reading.schema import DECIMAL, timestamp_to_us

PLACE = r" on cpu (?P<cpu>[0-9]+)(?: in buffer '.*?')?(?: of machine '.*')?"
COUNTED_LOSS = re.compile(r"lost (?P<count>[0-9]+) records?" + PLACE, re.DOTALL)
UNCOUNTED_LOSS = re.compile(r"lost an unknown number of records" + PLACE, re.DOTALL)
LOSS_SUM = re.compile(r"lost (?P<count>[0-9]+) records? in gaps of unknown size" + PLACE, re.DOTALL)
LOSS_FORMATS = {
    f"{what} on cpu %d{buffer}{machine}": pattern
    for what, pattern in (
        ("lost %lu records", COUNTED_LOSS),
        ("lost an unknown number of records", UNCOUNTED_LOSS),
        ("lost %lu records in gaps of unknown size", LOSS_SUM),
    )
    for buffer in ("", " in buffer '%s'")
    for machine in ("", " of machine '%s'")
}

FOREIGN_FORMAT = (
    "%s: a thread ended another thread's slice while slices overlapped; "
    "give each thread or request its own scope or track name"
)


class Event:
    """One line whose shape is right, with its times as integers."""

    __slots__ = ("number", "kind", "members", "thread", "abs_ns", "rel_ns", "time_us")

    def __init__(self, number, members):
        self.number = number
        self.members = members
        self.kind = members["event"]
        self.thread = members["thread"]
        self.time_us = timestamp_to_us(members["time"])
        self.abs_ns = members["t_abs"].to_ns() if "t_abs" in members else None
        self.rel_ns = members["t_rel"].to_ns() if "t_rel" in members else None

    def __getitem__(self, key):
        return self.members[key]

    def get(self, key):
        """The value of a key that may be absent."""
        return self.members.get(key)

    def is_complete(self):
        """For a region_leave: its slice was seen whole, nothing was lost meanwhile, and its end is its own."""
        return not any(mark in self.members for mark in ("continued", "suspect", "unfinished", "foreign"))


class Statistics:
    """Number, total and extremes of a set of durations."""

    __slots__ = ("intervals", "total", "least", "most")

    def __init__(self, intervals=0, total=0, least=None, most=None):
        self.intervals, self.total, self.least, self.most = intervals, total, least, most

    def add(self, duration_ns):
        """One duration more."""
        self.merge(Statistics(1, duration_ns, duration_ns, duration_ns))

    def merge(self, other):
        """All durations of another set more; that set is not empty."""
        self.intervals += other.intervals
        self.total += other.total
        self.least = other.least if self.least is None else min(self.least, other.least)
        self.most = other.most if self.most is None else max(self.most, other.most)

    def __eq__(self, other):
        return self.as_tuple() == other.as_tuple()

    def as_tuple(self):
        """(intervals, t_total, t_min, t_max), times in nanoseconds."""
        return (self.intervals, self.total, self.least, self.most)


class Track:
    """One thread of the stream other than main: a track with its stack of open slices."""

    def __init__(self, start):
        self.name = start.thread
        self.start = start
        self.identity = None
        self.open = []
        self.slices = {}
        self.timers = {}
        self.samples = []
        self.summary = None
        self.has_record = False
        self.has_unfinished = False
        self.last_unfinished = None
        self.restarted = []
        self.is_closed = False
        self.exit_ns = None

    def is_of_task(self):
        """Whether it ends with a thread or a process, whose number may pass on to another."""
        return bool(self.identity) and self.identity.get("scope") in ("thread", "process")

    def is_restarted_by(self, event):
        """Whether a slice begins on a lane just when the last one ended there as unfinished: its id began again."""
        return (
            self.has_unfinished
            and event.kind == "region_enter"
            and not self.open
            and bool(self.identity)
            and self.identity.get("lane", 0) > 0
            and self.last_unfinished.abs_ns == event.abs_ns
        )

    def expected_nesting(self, kind):
        """The nesting of what comes next: a region takes the lowest that is free, others are in the region that was entered last."""
        taken = {enter["nesting"] for enter in self.open}
        if kind == "region_enter":
            return next(nesting for nesting in range(1, len(taken) + 2) if nesting not in taken)
        return (self.open[-1]["nesting"] if self.open else 0) + 1

    def enter_of(self, leave):
        """The open region that a region_leave closes, by its nesting: regions of coroutines cross. None if there is none."""
        return next((enter for enter in self.open if enter["nesting"] == leave["nesting"]), None)

    def reference_ns(self):
        """What t_rel of an instant or a sample counts from."""
        return (self.open[-1] if self.open else self.start).abs_ns

    def count_sample(self, value):
        """Keeps first, last, least, most and number of a counter's values."""
        if not self.samples:
            self.samples = [0, value, value, value, value]
        count, first, _, least, most = self.samples
        if least != least:
            least = most = value
        self.samples = [count + 1, first, value, value if value < least else least, value if value > most else most]


class Session:
    """All of a stream up to the present line."""

    def __init__(self, wanted_sid=None):
        self.wanted_sid = wanted_sid
        self.sid = None
        self.origin_us = None
        self.last_kind = None
        self.seen = Counter()
        self.tracks = {}
        self.newest_track = None
        self.identities = {}
        self.shapes = {}
        self.parameters = {}
        self.child = None
        self.closing = None
        self.abs_ns = 0
        self.time_us = 0
        self.exit = None
        self.slices = {}
        self.timers = {}
        self.counters = {}
        self.losses = []
        self.lost_known = 0
        self.lost_unknown = 0
        self.other_errors = 0
        self.unmatched = 0
        self.malformed = {}
        self.suspect = []
        self.unfinished = []
        self.early_unfinished = 0
        self.has_unloaded = False
        self.foreign = 0
        self.foreign_errors = 0
        self.has_new_foreign = False
        self.exit_times = []
        self.late_starts = 0

    def recording_end_ns(self):
        """When the last tracks ended; the session may go on, for as long as a traced command does."""
        return max(self.exit_times, default=0)

    def track_of(self, event):
        """The track that an event stands on; None on main and where there was no thread_start."""
        return self.tracks.get(event.thread)

    def apply(self, event):
        """Takes an event into the state, after the rules have looked at it."""
        self.seen[event.kind] += 1
        self.last_kind = event.kind
        self.time_us = event.time_us
        if event.abs_ns is not None:
            self.abs_ns = event.abs_ns
        step = STEPS.get(event.kind)
        track = self.track_of(event)
        if step and (track or event.kind not in ON_TRACKS):
            step(self, event, track)


def begin_stream(session, event, _track):
    """version names the session and its time zero."""
    if session.sid is None:
        session.sid = event["sid"]
        session.origin_us = event.time_us


def keep_parameter(session, event, _track):
    """def_param: one setting of the recording."""
    session.parameters[event["param"]] = event["value"]


def note_error(session, event, _track):
    """error: a loss, counted or not, or something else."""
    pattern = LOSS_FORMATS.get(event["fmt"])
    match = pattern and pattern.fullmatch(event["msg"])
    if event["fmt"] == FOREIGN_FORMAT:
        session.foreign_errors += 1
    elif not match:
        session.other_errors += 1
    if not match:
        return
    if pattern is not UNCOUNTED_LOSS:
        session.lost_known += int(match["count"])
    if pattern is LOSS_SUM:
        return
    session.lost_unknown += pattern is UNCOUNTED_LOSS
    session.losses.append((event.abs_ns, int(match["cpu"])))


def begin_child(session, event, _track):
    """child_start: the traced command."""
    session.child = event


def begin_track(session, event, _track):
    """thread_start: a track appears."""
    session.newest_track = session.tracks[event.thread] = Track(event)


def note_record(session, event, track):
    """The first record of a track begins it, unless only something uncounted came before."""
    if not track.has_record:
        track.has_record = True
        session.late_starts += event.abs_ns != track.start.abs_ns


def take_json(session, event, track):
    """data_json: a track's identity, its summary, or an instant; on main that a module was loaded or unloaded."""
    if track is None:
        session.has_unloaded = session.has_unloaded or event["value"].get("recorded") == "until_now"
    elif event["category"] == "track":
        identify_track(session, event, track)
    elif event["category"] == "summary":
        track.summary = event
        session.closing = track.name
    else:
        note_record(session, event, track)


def identify_track(session, event, track):
    """The identity of a track, once; it is free again after thread_exit."""
    if track.identity is None:
        value = event["value"]
        track.identity = value
        session.identities[key_of_identity(value)] = track.name
        session.shapes.setdefault(tracepoint_of_identity(value), shape_of_identity(value))


def key_of_identity(value):
    """What makes a track another one; tgid and comm may become known later."""
    return tuple(
        str(value.get(key))
        for key in ("tracepoint", "name", "kind", "scope", "field", "id", "outer", "lane", "buffer", "host")
    ) + (value.get("cpu"),)


def tracepoint_of_identity(value):
    """Machines may have different tracepoints with one name."""
    return value.get("tracepoint"), value.get("host")


def shape_of_identity(value):
    """What all tracks of a tracepoint have in common."""
    return tuple(value.get(key) for key in ("kind", "scope", "field"))


def open_region(session, event, track):
    """region_enter: a slice begins."""
    note_record(session, event, track)
    if track.is_restarted_by(event):
        track.restarted.append(track.last_unfinished)
        track.has_unfinished = False
    track.open.append(event)


def close_region(session, event, track):
    """region_leave: a slice ends and is counted where it is complete."""
    enter = track.enter_of(event)
    if not enter:
        return
    track.open.remove(enter)
    if "suspect" in event.members:
        session.suspect.append(event)
    if "foreign" in event.members:
        session.foreign += 1
        session.has_new_foreign = session.has_new_foreign or "continued" not in event.members
    if "unfinished" in event.members:
        session.unfinished.append(event)
        track.last_unfinished = event
        track.has_unfinished = track.has_unfinished or "suspect" not in event.members
    if event.is_complete() and "continued" not in enter.members:
        key = (event["category"], event["label"])
        track.slices.setdefault(key, Statistics()).add(event.rel_ns)
        session.slices.setdefault(key, Statistics()).add(event.rel_ns)


def take_sample(session, event, track):
    """data: a sample of a counter."""
    note_record(session, event, track)
    text = event["value"]
    track.count_sample(int(text) if DECIMAL.fullmatch(text) else float(text))


def statistics_of_timer(event):
    """What a timer or th_timer line says."""
    times = [event[key].to_ns() for key in ("t_total", "t_min", "t_max")]
    return Statistics(event["intervals"], *times)


def take_track_timer(session, event, track):
    """th_timer: the sum of a track's slices of one name."""
    track.timers[(event["category"], event["name"])] = statistics_of_timer(event)
    session.closing = track.name


def close_track(session, event, track):
    """thread_exit: nothing comes after it on this track."""
    track.is_closed = True
    track.exit_ns = event.abs_ns
    session.closing = None
    session.exit_times.append(event.abs_ns)
    session.late_starts += not track.has_record
    if track.identity:
        session.identities.pop(key_of_identity(track.identity), None)


def note_exit(session, event, _track):
    """exit: the end of the trace."""
    session.exit = event


def take_timer(session, event, _track):
    """timer: the sum over all tracks."""
    session.timers[(event["category"], event["name"])] = statistics_of_timer(event)


def take_counter(session, event, _track):
    """counter: one of ktrack's own numbers, or a tracepoint's malformed records."""
    if ":" in event["category"]:
        session.malformed[event["category"]] = event["count"]
        return
    session.counters[event["name"]] = event["count"]


def take_track_counter(session, event, track):
    """th_counter: what a track counted."""
    session.unmatched += event["count"]
    session.closing = track.name


ON_TRACKS = {"th_counter", "thread_exit", "region_enter", "region_leave", "data", "th_timer"}

STEPS = {
    "version": begin_stream,
    "def_param": keep_parameter,
    "error": note_error,
    "child_start": begin_child,
    "thread_start": begin_track,
    "data_json": take_json,
    "region_enter": open_region,
    "region_leave": close_region,
    "data": take_sample,
    "th_timer": take_track_timer,
    "th_counter": take_track_counter,
    "thread_exit": close_track,
    "exit": note_exit,
    "timer": take_timer,
    "counter": take_counter,
}

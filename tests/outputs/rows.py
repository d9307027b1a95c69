# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a timeline: what is drawn on each, and what that is in all.

Readers of files whose rows are threads, not tracks. A slice may be in two pieces: the first one is cut, the second one on another row
has the time of its begin. Whatever the rows are, all pieces of a name are as many slices, and as long, as in EVENT.
"""

import json
from collections import Counter, defaultdict
from decimal import Decimal

from model import DEPTH_MAX, leave_out_deep, read_event
from protobuf import decode, one

OWN_PID, NS_PER_US = 4194304, 1000
CUT, BEGIN, UNFINISHED = "ktrack:cut", "ktrack:begin_ns", "ktrack:unfinished"


class Rows:
    """Rows by any key: each has a stack, and pieces (category, name, begin, end, args, depth)."""

    def __init__(self):
        self.stacks, self.pieces, self.instants, self.wrong = defaultdict(list), defaultdict(list), defaultdict(list), []
        self.left = set()

    def begin(self, key, time_ns, category, name, args):
        """A slice begins."""
        self.stacks[key].append((category, name, time_ns, args))

    def end(self, key, time_ns, category, args, name=None):
        """The innermost slice of the row ends: the one that the record is about."""
        if not self.stacks[key]:
            self.wrong.append(f"{key}: {category} ends, but no slice is open")
            return
        begun_category, begun_name, begin_ns, before = self.stacks[key].pop()
        if category not in (None, begun_category) or name not in (None, begun_name) or time_ns < begin_ns:
            self.wrong.append(f"{key}: {category} {name} ends {begun_category} {begun_name} of {begin_ns} at {time_ns}")
        self.pieces[key].append((begun_category, begun_name, begin_ns, time_ns, before | args, len(self.stacks[key])))

    def close(self, end_ns):
        """What is open lasts to the end of the recording. In Perfetto also what ended before, on a track that then ended."""
        for key in list(self.stacks):
            self.left |= {(category, name) for category, name, *_ in self.stacks[key]}
            while self.stacks[key]:
                self.end(key, end_ns, None, {UNFINISHED: True})

    def totals(self):
        """{(category, name): [slices, their time]}, and instants by both."""
        sums = defaultdict(lambda: [0, 0])
        for category, name, begin, end, args, _ in (piece for row in self.pieces.values() for piece in row):
            sums[category, name][0] += BEGIN not in args
            sums[category, name][1] += end - begin
        return dict(sums), Counter(one for row in self.instants.values() for one in row)


def event_totals(stream):
    """The same of an EVENT stream, without what viewers do not show; and when the recording ends."""
    sums, instants, tracks = defaultdict(lambda: [0, 0]), Counter(), read_event(stream)
    end_ns = max([time for track in tracks.values() for one in track.slices for time in one[:2]], default=0)
    leave_out_deep(tracks)
    for track in tracks.values():
        for begin, end, name, *_ in track.slices:
            sums[track.category, name][0] += 1
            sums[track.category, name][1] += end - begin
        instants.update((track.category, name) for _, name, _ in track.instants)
    return (dict(sums), instants), end_ns


def read_chrome(data):
    """The rows of JSON trace events by their process and thread, and the names of these."""
    rows, names = Rows(), {}
    for event in json.loads(data, parse_float=Decimal):
        key, time_ns = (event["pid"], event.get("tid")), int(event["ts"] * NS_PER_US)
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[key] = event["args"]["name"]
        if event["pid"] == OWN_PID:
            continue
        if event["ph"] in "BX":
            rows.begin(key, time_ns, event["cat"], event["name"], event.get("args", {}))
        if event["ph"] in "EX":
            rows.end(key, time_ns, event["cat"], event.get("args", {}), event["name"])
        elif event["ph"] == "i":
            rows.instants[key].append((event["cat"], event["name"]))
    return rows, names


class PerfettoReader:
    """The rows of a trace by the ids of tracks, and their names; a thread's own is that of the thread."""

    def __init__(self, data):
        self.rows, self.names, self.strings = Rows(), {}, defaultdict(dict)
        packets, self.wrong = decode(data)
        self.start_ns = one(packets[0]["clock_snapshot"][0]["clocks"][0], "timestamp")
        for packet in packets:
            for interned in packet.get("interned_data", []):
                for kind, entries in interned.items():
                    self.strings[kind].update({one(entry, "iid"): one(entry, "name", "") for entry in entries})
            for descriptor in packet.get("track_descriptor", []):
                self.describe(descriptor)
            for event in packet.get("track_event", []):
                self.read(one(packet, "timestamp") - self.start_ns, event)

    def describe(self, descriptor):
        """A track, or a thread."""
        thread = descriptor.get("thread", [None])[0]
        if thread:
            self.names[one(descriptor, "uuid")] = f"{one(thread, 'thread_name', 'thread')} {one(thread, 'tid')}"
        elif "name" in descriptor:
            self.names[one(descriptor, "uuid")] = one(descriptor, "name")

    def args_of(self, event):
        """Annotations of ktrack's own."""
        names = self.strings["debug_annotation_names"]
        found = {names.get(one(each, "name_iid")): each for each in event.get("debug_annotations", [])}
        return {name: one(found[name], kind) for name, kind in ((CUT, "bool_value"), (BEGIN, "int_value"), (UNFINISHED, "bool_value")) if name in found}

    def read(self, time_ns, event):
        """An event on a row."""
        key, kind, name = one(event, "track_uuid"), one(event, "type"), one(event, "name")
        category = self.strings["event_categories"].get(one(event, "category_iids"))
        if "name_iid" in event:
            name = self.strings["event_names"][one(event, "name_iid")]
        if one(event, "categories") is not None:
            return
        if kind == "TYPE_SLICE_BEGIN":
            self.rows.begin(key, time_ns, category, name, self.args_of(event))
        elif kind == "TYPE_SLICE_END":
            self.rows.end(key, time_ns, category, self.args_of(event))
        elif kind == "TYPE_INSTANT":
            self.rows.instants[key].append((category, name))


def read_perfetto(data):
    """(rows, names) of a trace."""
    reader = PerfettoReader(data)
    reader.rows.wrong += reader.wrong
    return reader.rows, reader.names


def compare(stream, data, read):
    """How the totals of a file's rows differ from the EVENT stream's."""
    rows, _ = read(data)
    expected, end_ns = event_totals(stream)
    rows.close(end_ns)
    found = rows.totals()
    deep = [f"{key}: {len(row)}" for key, row in rows.pieces.items() if any(piece[5] >= DEPTH_MAX for piece in row)]
    differ = []
    for want, got in zip(expected, found):
        for key in {*want, *got}:
            is_left = key in rows.left and key in want and key in got and isinstance(want[key], list) and want[key][0] == got[key][0]
            if want.get(key) != got.get(key) and not is_left:
                differ.append(f"{key}: {want.get(key)} became {got.get(key)}")
    return rows.wrong + deep + differ

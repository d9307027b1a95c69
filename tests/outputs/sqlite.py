# SPDX-License-Identifier: GPL-2.0-only
"""Reads a database of --sqlite as tracks.

It accepts SQLite's file format as the library reads it, with the tables and views of ktrack-outputs(7), in which each row of a slice,
an instant or a sample refers to a track that is there.
"""

import sqlite3
from collections import defaultdict

from model import FLOW, MARKS, Track, differences, read_event, sample_text


def args_by_event(database):
    """{event: (args of its begin, args of its end)}, with flows."""
    found = defaultdict(lambda: ({}, {}))
    for event, name, value, at_end in database.execute(
        "SELECT event_id, name, value, at_end FROM arg ORDER BY event_id, position"
    ):
        found[event][at_end][name] = value
    for event, name, flow, at_end in database.execute("SELECT event_id, name, flow_id, at_end FROM flow ORDER BY rowid"):
        found[event][at_end].setdefault(FLOW, []).append(f"{name}:{int(flow):#x}")
    return found


def read_database(path):
    """The tracks by their number."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    args = args_by_event(database)
    tracks = {}
    for number, label, category in database.execute("SELECT id, label, category FROM track"):
        tracks[number] = Track(label, category)
    for event, number, depth, name, begin, duration, *marks in database.execute(
        "SELECT id, track_id, depth - 1, name, ts_ns, dur_ns, is_suspect, is_unfinished, is_foreign, is_crossing FROM slice ORDER BY id"
    ):
        marks = tuple(mark for mark, is_set in zip(MARKS, marks) if is_set)
        tracks[number].slices.append([begin, begin + duration, name, *args[event], marks, depth])
    for event, number, name, time in database.execute("SELECT id, track_id, name, ts_ns FROM instant ORDER BY id"):
        tracks[number].instants.append((time, name, args[event][0]))
    for number, time, value in database.execute("SELECT track_id, ts_ns, value FROM counter ORDER BY id"):
        tracks[number].samples.append((time, "NaN" if value is None else sample_text(value)))
    database.close()
    return tracks


def plain(value):
    """A value of JSON as the database has it, as text."""
    if value is None:
        return "NaN"
    return str(int(value)) if isinstance(value, bool) else sample_text(value)


def normalize(tracks):
    """Values are compared as texts; the name of a thread is bounded, and may be escaped."""
    for track in tracks.values():
        track.label = None
        for one in track.slices:
            one[3], one[4] = ({name: plain(value) for name, value in args.items()} for args in one[3:5])
        track.instants = [(time, name, {key: plain(v) for key, v in args.items()}) for time, name, args in track.instants]
    return tracks


def compare(stream, path):
    """How a database differs from an EVENT stream, a line each."""
    return list(differences(normalize(read_event(stream)), normalize(read_database(path))))

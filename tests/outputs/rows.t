#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: slices of a thread are on one row as far as they nest, in all outputs that draw; none is lost or longer by that."""

import json
import sqlite3
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from protobuf import decode, one  # noqa: E402
from rows import BEGIN, CUT, OWN_PID, UNFINISHED, compare, event_totals, read_chrome, read_perfetto  # noqa: E402
from tap import tested  # noqa: E402

# A thread of an unknown process, which an exec names while a slice is open.
LATE = """format ../formats/6.12/sched/sched_process_exec
0us 6@0 call B first
1us 6@1 sched_process_exec filename=/bin/child pid=6 old_pid=6
2us 6@0 long B request
3us 6@0 call E
4us 6@0 long E
"""
READERS = {"chrome": read_chrome, "perfetto": read_perfetto}
EVENTS = """event drv:io 100 char track_event_type; string slice_name
event app:call 101 char track_event_type; string slice_name
event app:named 102 char track_event_type; string slice_name; string track_name
event lib:long 103 char track_event_type; string slice_name
event lib:level 104 s64 counter_value
event lib:async 105 char track_event_type; string slice_name; u64 async_id
task 7 worker 7
task 8 other 8
"""
NESTED = """1us 7@0 call B outer
2us 7@0 io B read
3us 7@0 named B step queue
4us 7@0 io I now
5us 7@0 named E "" queue
6us 7@0 io E
7us 7@0 level 4
8us 7@0 call E
9us 7@0 io B read
10us 7@0 call B open
11us 7@0 io I last
"""
# Twice, so that the second time no slice is cut; the third time, on another thread, at the end of the recording.
CROSSING = """1us 7@0 call B first
2us 7@0 long B request
3us 7@0 io B read
4us 7@0 io E
6us 7@0 call E
9us 7@0 long E
11us 7@0 call B first
12us 7@0 long B request
13us 7@0 long I inside
16us 7@0 call E
19us 7@0 long E
20us 8@1 call B never
21us 8@1 long B never
22us 8@1 io I last
"""


def export(text, *words, outputs=READERS):
    """({output: its file}, EVENT, what is wrong) of a script."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(EVENTS + text, Path(folder, "trace.dat"))
        names = [f"--{output}=out.{output}" for output in outputs]
        stream, wrong = cases.run(folder, "export", "--event", *names, *words, "trace.dat")
        return {output: Path(folder, f"out.{output}").read_bytes() for output in outputs}, stream, wrong


def check_totals(tap):
    """Of every recording of tests/golden/, each name has as many slices and as much time as in EVENT, whatever the rows are."""
    for name in cases.names():
        wrong = []
        with tempfile.TemporaryDirectory() as folder:
            cases.make(name, Path(folder, "trace.dat"))
            for kind in ("thread", "tracepoint"):
                words = [f"--{output}=out.{output}" for output in READERS]
                stream, said = cases.run(folder, "export", "--event", f"--rows={kind}", *words, *cases.rules_of(name), "trace.dat")
                wrong += said if name != cases.DEEP_CASE else []
                for output, read in READERS.items():
                    wrong += [f"{output}, {kind}: {one}" for one in compare(stream, Path(folder, f"out.{output}").read_bytes(), read)]
        tap.nothing(wrong, f"totals of {name.replace('-', ' ')}")


def check_nested(tap):
    """All tracepoints of a thread are on its row, with the names of their tracks; a counter is not."""
    for output, data in export(NESTED)[0].items():
        rows, names = READERS[output](data)
        keys = set(rows.pieces) | set(rows.stacks) | set(rows.instants)
        found = [names.get(key) for key in keys]
        depths = {(name, depth) for row in rows.pieces.values() for _, name, _, _, _, depth in row}
        tap.ok(found == ["worker 7"] and {("step", 2), ("read", 1), ("outer", 0)} <= depths, f"one row in {output}", found, depths)
    events = json.loads(export(NESTED, outputs=["chrome"])[0]["chrome"])
    args = {one["name"]: one.get("args", {}) for one in events if one["ph"] in "Bi"}
    tap.ok(args["step"] == {"ktrack:track": "queue"} and args["read"] == {}, "the name of a track is an argument", args)


def check_crossing(tap):
    """A slice that crosses is cut once, goes on in a second row with the time of its begin, and later ones of its track are there."""
    files, stream, wrong = export(CROSSING)
    for output, data in files.items():
        rows, names = READERS[output](data)
        wrong = [*wrong, *compare(stream, data, READERS[output])]
        on = {names[key]: [piece[1] for piece in row] for key, row in rows.pieces.items()}
        tap.ok(on.get("worker 7") == ["read", "request", "first", "first"] and on.get("worker 7 (2)") == ["request", "request"], f"two rows in {output}", on)
        second = next((row for key, row in rows.pieces.items() if names[key] == "worker 7 (2)"), [])
        cut = [piece for row in rows.pieces.values() for piece in row if CUT in piece[4]]
        tap.ok([piece[1:4] for piece in cut] == [("request", 1000, 5000)], f"it is cut once in {output}", cut)
        offset = second[0][4].get(BEGIN, 0) - cut[0][2] if second and cut else -1
        is_begin = offset in (0, int(1e9) + 1000) and all(BEGIN not in piece[4] for piece in second[1:])
        tap.ok(is_begin, f"and has its begin in {output}", second)
    tap.nothing(wrong, "its time is that of EVENT")


def check_late(tap):
    """The rows of a thread whose process becomes known late, by its exec, stay together, and unknown threads keep the name of their group."""
    for output, data in export(LATE)[0].items():
        rows, names = READERS[output](data)
        drawn = {names[key]: key for key in rows.pieces}
        if output == "chrome":
            group = [event["args"]["name"] for event in json.loads(data) if event["name"] == "process_name" and event["pid"] != OWN_PID]
            tap.ok(len({pid for pid, _ in drawn.values()}) == 1 and group == ["threads of unknown processes"], "one process in chrome", drawn, group)
        else:
            parents = {one(each, "name"): one(each, "parent_uuid") for packet in decode(data)[0] for each in packet.get("track_descriptor", [])}
            found = [parents.get(name, "none of this name") for name in drawn]
            tap.ok(found == [None, None], "no process in perfetto", found, drawn)
        tap.ok(len(drawn) == 2 and "child 6 (2)" in drawn, f"the second row has the new name in {output}", drawn)


def check_end(tap):
    """Slices that are open at the end of the recording do not cross each other, whichever began first."""
    for output, data in export(CROSSING)[0].items():
        rows, names = READERS[output](data)
        keys = [key for key, name in names.items() if name.endswith(" 8")]
        ended = [(piece[1], UNFINISHED in piece[4]) for key in keys for piece in rows.pieces[key]]
        left = [one[1] for key in keys for one in rows.stacks[key]]
        expected = ([("never", True)] * 2, []) if output == "chrome" else ([], ["never"] * 2)
        tap.ok((ended, left) == expected and not any("(2)" in name and " 8" in name for name in names.values()), f"nothing is cut at the end in {output}", ended, left)


def check_followed(tap):
    """A slice without an end has one in Perfetto if the recording goes on: what follows on the row would be drawn inside of it."""
    for case, name, length_ns in (("tids-that-are-used-again", ("demo:io", "first"), 6000), ("rules-syscalls", ("syscalls:call", "exit"), 2000)):
        with tempfile.TemporaryDirectory() as folder:
            cases.make(case, Path(folder, "trace.dat"))
            _, wrong = cases.run(folder, "export", "--perfetto=out", *cases.rules_of(case), "trace.dat")
            rows, _ = read_perfetto(Path(folder, "out").read_bytes())
        found = [piece for row in rows.pieces.values() for piece in row if piece[:2] == name]
        tap.ok([piece[3] - piece[2] for piece in found] == [length_ns] and not wrong, f"{name[1]} ended", found, wrong)


def check_database(tap):
    """SQLite has the number of the row: slices of one thread and row nest."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(EVENTS + CROSSING + "30us 7@0 async B a 1\n31us 7@0 async E a 1\n", Path(folder, "trace.dat"))
        _, wrong = cases.run(folder, "export", "--sqlite=s", "trace.dat")
        found = sqlite3.connect(Path(folder, "s")).execute("SELECT name, row FROM slice ORDER BY id").fetchall()
    expected = [("first", 1), ("request", 2), ("read", 1), ("first", 1), ("request", 2), ("never", 1), ("never", 1)]
    tap.ok(found[:7] == expected and not wrong, "rows in the database", found, wrong)


def check_word(tap):
    """Another word is refused."""
    _, wrong = cases.run("/", "export", "--rows=cpu", "trace.dat", status=2)
    tap.ok(len(wrong) == 1 and "--rows=cpu: unknown; write thread or tracepoint" in wrong[0], "--rows=cpu", *wrong)


@tested
def main(tap):
    """All checks."""
    for check in (check_nested, check_crossing, check_late, check_end, check_followed, check_database, check_word, check_totals):
        tap.isolated(check)(tap)

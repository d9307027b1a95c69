#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the file of --chrome is JSON for every golden case, and shows what EVENT reports."""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from chrome import compare  # noqa: E402
from tap import tested  # noqa: E402

COUNTER_WITH_FIELDS = """event demo:depth 100 s64 counter_value; u32 bytes; string why
+10 7@0 depth -5 4096 "</it>"
"""


def check_process_id(tap):
    """A process id that no kernel gives is no index of a group; the thread belongs to the group of unknown processes."""
    with tempfile.TemporaryDirectory() as folder:
        text = "event demo:call 100 u32 size\ntask 7 server 671088640\n0 7@0 call 1\n"
        cases.make_of(text, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "-r", "instant my:call event=demo:call", "--chrome=-", "trace.dat")
    names = [one["args"]["name"] for one in json.loads(data) if one["name"] == "process_name"]
    tap.ok(not wrong and "threads of unknown processes" in names, "a process id beyond the limit", wrong, names)


def check_emitters(tap):
    """The writer of a record is reported if requested."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("names-of-tasks", Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--with=tid,cpu", "--chrome=-", "trace.dat")
    begins = [one for one in json.loads(data) if one["ph"] in "BEi"]
    without = [
        one
        for one in begins
        for name in ("ktrack:tid", "ktrack:cpu")
        if (f"end:{name}" if one["ph"] == "E" else name) not in one["args"]
    ]
    tap.nothing(wrong + without + ([] if begins else ["no event"]), "emitters, where asked for")


def events_of(text):
    """(the events of a script, what is wrong)."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(text, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "-r", "convention", "--chrome=-", "trace.dat")
    return json.loads(data), wrong


LENGTHS = """event demo:io 1 char track_event_type; string slice_name; u32 bytes
event demo:bare 2 char track_event_type; string slice_name
0us  7@0 io B zero 1
0us  7@0 io E "" 2
1us  7@0 bare B none
1us  7@0 bare E ""
2us  7@0 io B outer 3
2us  7@0 io B inner 4
2us  7@0 io E "" 5
9us  7@0 io E "" 6
"""


def check_lengths(tap):
    """Slices without length are complete events: speedscope would read the end first."""
    events, wrong = events_of(LENGTHS)
    found = [(one["ph"], one["name"], one.get("dur"), one.get("args")) for one in events if one["ph"] in "BEX"]
    expected = [("X", "zero", 0, {"bytes": 1, "end:bytes": 2}), ("X", "none", 0, None), ("B", "outer", None, {"bytes": 3})]
    expected += [("X", "inner", 0, {"bytes": 4, "end:bytes": 5}), ("E", "outer", None, {"end:bytes": 6})]
    tap.ok(found == expected and not wrong, "slices without length", found, wrong)


TASKS = """format ../formats/6.12/task/task_newtask
format ../formats/6.12/task/task_rename
event demo:io 1 char track_event_type; string slice_name
event demo:depth 2 s64 counter_value
0us   1@1 task_newtask pid=20 comm=sh clone_flags=0x1200000
1us   20@1 io I one
2us   20@1 depth 1
3us   20@1 task_newtask pid=21 comm=worker clone_flags=0x10000
4us   21@1 io I two
5us   20@1 task_rename pid=20 oldcomm=sh newcomm=cat oom_score_adj=0
6us   20@1 io I three
7us   20@1 depth 2
8us   21@1 task_rename pid=21 oldcomm=worker newcomm=helper oom_score_adj=0
9us   21@1 io I four
"""


def check_names(tap):
    """A thread that is renamed keeps its row; a process has the name of its main thread, whatever other threads do."""
    events, wrong = events_of(TASKS)
    rows = {one["name"]: one["tid"] for one in events if one["ph"] == "i"}
    is_row = rows["one"] == rows["three"] != rows["two"] == rows["four"]
    tap.ok(is_row and not wrong, "rows of threads that are renamed", rows, wrong)
    counters = {(one["tid"], one["id"]) for one in events if one["ph"] == "C"}
    tap.ok(len(counters) == 1, "and their counters", counters)
    names = [one["args"]["name"] for one in events if one["name"] == "process_name" and one["pid"] == 20]
    tap.ok(names == ["sh", "sh", "cat", "cat"], "the name of a process", names)
    labels = [one["args"]["labels"] for one in events_of("cgroup 20 /a\n" + TASKS)[0] if one["name"] == "process_labels"]
    tap.ok(labels == ["/a"] * len(labels) != [], "its cgroup", labels)
    events, wrong = events_of(TASKS.replace("1us   20@1 io I one\n2us   20@1 depth 1\n", ""))
    names = [one["args"]["name"] for one in events if one["name"] == "process_name" and one["pid"] == 20]
    tap.ok(names == ["sh", "cat", "cat"] and not wrong, "the name of a process whose main thread writes late", names, wrong)
    events, wrong = events_of("\n".join(line for line in TASKS.splitlines() if "20@1 io" not in line and "20@1 depth" not in line) + "\n")
    names = [one["args"]["name"] for one in events if one["name"] == "process_name" and one["pid"] == 20]
    tap.ok(names == ["sh"] and not wrong, "the name of a process whose main thread writes nothing", names, wrong)


def check_large(tap):
    """A sample that Perfetto would read as a negative integer is none."""
    events, wrong = events_of(f"event demo:depth 1 u64 counter_value\n0 7@0 depth {2**64 - 1}\n1us 7@0 depth {2**63 - 1}\n")
    found = [repr(one["args"]["value"]) for one in events if one["ph"] == "C"]
    tap.ok(found == ["1.8446744073709552e+19", str(2**63 - 1)] and not wrong, "samples beyond 63 bits", found, wrong)


def check_killed(tap):
    """A file whose writer was killed lacks only the end of the array: EVENT's pipe is full, and nobody reads it."""
    with tempfile.TemporaryDirectory() as folder:
        text = "event demo:io 100 char track_event_type; string slice_name\nrepeat 2000\n"
        cases.make_of(text + f'+1us 7@0 io I "$i {"x" * 2000}"\nend\n', Path(folder, "trace.dat"))
        pipe, adding = process.fill_pipe([cases.KTRACK, "export", "--chrome=out", "--event=pipe", "trace.dat"], folder)
        adding.kill()
        adding.wait()
        os.close(pipe)
        data = Path(folder, "out").read_bytes()
    events = json.loads(data + b"]")
    names = [one["name"].partition(" ")[0] for one in events if one["ph"] == "i"]
    is_right = names == [str(i) for i in range(len(names))] and 10 < len(names) < 2000
    tap.ok(is_right and data.endswith(b"}"), "a file of a killed writer", names[:3], len(names), data[-100:])


def check_counter_fields(tap):
    """Extra fields of a sample are not in the args, because viewers would draw them as counters."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(COUNTER_WITH_FIELDS, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--chrome=-", "trace.dat")
    reported = [(one["args"], one["fields"]) for one in json.loads(data) if one["ph"] == "C"]
    is_reported = reported == [({"value": -5}, {"bytes": 4096, "why": "</it>"})]
    tap.nothing(wrong + ([] if is_reported else [reported]), "extra fields of a counter")


def losses_of(make):
    """When the losses of a recording were, the names of tracks, and what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--chrome=-", "trace.dat")
    events = json.loads(data)
    names = [one["args"]["name"] for one in events if one["name"] == "thread_name"]
    losses = [one for one in events if one["ph"] == "X"]
    return [(round(one["ts"] * 1000), round((one["ts"] + one["dur"]) * 1000)) for one in losses], names, wrong


def check_losses(tap):
    """A loss lasts as long as nothing was read, and begins with the recording at the earliest."""
    spans, names, wrong = losses_of(lambda path: cases.make(cases.LOSSES_CASE, path))
    is_right = spans == cases.LOSSES and "lost records cpu 0" in names
    tap.ok(is_right and not wrong, "when losses were", spans, names, wrong)
    spans, _, wrong = losses_of(cases.make_early)
    tap.ok(spans == cases.EARLY_LOSSES and not wrong, "losses before the first record", spans, wrong)


def check_refusals(tap):
    """What cannot be done is said, and no file is made."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("nothing-in-it", Path(folder, "trace.dat"))
        words = ("export", "--append", "--chrome=out", "trace.dat")
        _, said = cases.run(folder, *words, status=2)
        tap.ok(
            said == ["ktrack: --append: files of --chrome cannot be appended to; leave out one of the two"]
            and not Path(folder, "out").exists(),
            "a file that cannot be added to",
            *said,
        )
        _, said = cases.run(folder, "export", "--chrome=", "trace.dat", status=2)
        tap.ok(
            said == ["ktrack: --chrome=: no value; write --chrome=FILE"], "no file named", *said
        )
        _, said = cases.run(folder, "export", "--chrome=/dev/full", "trace.dat", status=1)
        full = "ktrack: cannot write to /dev/full: No space left on device"
        tap.ok(said == [full], "a full disk", *said)
        shared = "ktrack: standard output: a file for a viewer cannot share it; write the others to files"
        for words in (("--event", "--chrome=-"), ("--html=-", "--perfetto=-")):
            out, said = cases.run(folder, "export", *words, "trace.dat", status=2)
            tap.ok(said == [shared] and not out, f"not {' and '.join(words)}", *said)
        out, said = cases.run(folder, "export", "--event", "--perf", "trace.dat")
        tap.ok(not said and out, "but lines share it", *said)


@tested
def main(tap):
    """All checks."""
    for one in cases.export_all("chrome", cases.nested_names):
        cases.check(tap, *one, compare)
    check_emitters(tap)
    check_process_id(tap)
    check_counter_fields(tap)
    check_killed(tap)
    check_lengths(tap)
    check_names(tap)
    check_large(tap)
    check_losses(tap)
    check_refusals(tap)

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
from tap import Tap  # noqa: E402

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


def main():
    """Returns the exit status."""
    tap = Tap()
    for one in cases.export_all("chrome"):
        cases.check(tap, *one, compare)
    check_emitters(tap)
    check_process_id(tap)
    check_counter_fields(tap)
    check_killed(tap)
    check_losses(tap)
    check_refusals(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

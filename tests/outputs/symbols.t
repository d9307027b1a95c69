#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: fields whose print format has texts are texts in PERF, too; a format that crashes libtraceevent leaves numbers."""

import json
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from tap import tested  # noqa: E402

CASE = "symbols"
PERF = (
    b"demo:io | label:read op=read flags=SYNC state=R mask=none plain=-1 sync=sync kind=seven",
    b'mark:{"op":"write","flags":"SYNC|META|0x100","state":"S","mask":"TOP|LOW",',
)
CRASHING = """event demo:io 100 char track_event_type; string slice_name; u8 op
print demo:io "%s %s", __print_symbolic(REC->op, { 1, "write" }), __print_symbolic(REC->absent, { 1, "one" })
event demo:other 101 char track_event_type; string slice_name; u8 op
print demo:other "%s", __print_symbolic(REC->op, { 1, "write" })
0 7@0 io I mark 1
1 7@0 other I mark 1
"""
NOTE = "ktrack: demo:io: libtraceevent crashed on the print format; symbolic fields are numbers"


def squeeze(line):
    """A line without what aligns its columns."""
    return b" ".join(line.split())


def check_perf(tap, folder):
    """The message of PERF is that of EVENT."""
    cases.make(CASE, folder / "trace.dat")
    data, wrong = cases.run(folder, "export", "--perf=-", "trace.dat")
    lines = [squeeze(line) for line in data.splitlines()]
    wrong += [text for text in PERF if not any(text in line for line in lines)]
    tap.nothing(wrong + (lines if wrong else []), "PERF")


def check_crash(tap, folder):
    """One line reports the crash, and other tracepoints have their texts."""
    cases.make_of(CRASHING, folder / "trace.dat")
    data, wrong = cases.run(folder, "export", "trace.dat")
    values = [line["value"]["op"] for line in map(json.loads, data.splitlines()) if line.get("key") == "mark"]
    tap.nothing([] if wrong == [NOTE] else wrong or ["nothing"], "a crash is reported")
    tap.nothing([] if values == [1, "write"] else values, "numbers after a crash, texts of others")


def check_stat(tap, folder):
    """Tables do not show fields, so that nothing is parsed."""
    _, wrong = cases.run(folder, "stat", "trace.dat")
    tap.nothing(wrong, "stat parses no print formats")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_perf(tap, Path(folder))
        check_crash(tap, Path(folder))
        check_stat(tap, Path(folder))

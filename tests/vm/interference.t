#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: if another program empties the buffers of a recording, or changes its clock, the recording reports it."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

EMPTIED = "another program emptied its buffers"
RECLOCKED = "another program changed its clock; the recording ends"
# Name of the run, its status, its message, how many requests it has at least, and whether the stream has unknown losses. What
# nobody had read is gone: that is all from before where the buffers are read at the end only.
RUNS = (
    ("emptied-stream", 0, EMPTIED, 50, True),
    ("emptied-cpu", 0, EMPTIED, 50, True),
    ("emptied-circular", 0, EMPTIED, 30, True),
    ("emptied-resized", 0, EMPTIED, 50, True),
    ("emptied-record", 3, EMPTIED, 30, True),
    ("emptied-sideband", 0, f".sideband: {EMPTIED}", 50, False),
    ("reclocked-stream", 1, RECLOCKED, 20, True),
    ("reclocked-circular", 1, RECLOCKED, 0, True),
    ("reclocked-record", 1, RECLOCKED, 0, True),
    ("reclocked-sideband", 1, RECLOCKED, 20, True),
    ("reclocked-command", 125, RECLOCKED, 20, True),
)
# A record with another clock would be decades away.
LONGEST_S = 600
# What the kernel says, once, if a record is begun with one clock and written with another: the time between them is 2^59 ns or more.
DELTA = r"WARNING: .* kernel/trace/ring_buffer\.c:\d+ (__rb_reserve_next|rb_\w*timestamp)"


def check_run(tap, what, result, name, wanted):
    status, report, requests, is_lossy = wanted
    found = result.text(f"{name}.status").strip()
    tap.ok(found == str(status), f"{what}: status {status}", f"it was {found}")
    lines = [line for line in result.text(f"{name}.errors").splitlines() if "another program" in line]
    tap.ok(len(lines) == 1 and lines[0].startswith("ktrack: ktrack-") and report in lines[0], f"{what}: it is reported once", *lines)
    events = [json.loads(line) for line in result.text(f"{name}.json").splitlines()]
    tap.ok(events and events[-1]["event"] == "atexit", f"{what}: the stream is whole")
    if name != "emptied-record" and "reclocked-record" != name:
        tap.ok(events and events[-1]["code"] == status, f"{what}: and has the status")
    begun = sum(event["event"] == "region_enter" and event["category"] == "ktrack_demo:ktrack_demo_io" for event in events)
    tap.ok(begun >= requests, f"{what}: {requests} requests", f"{begun} of them")
    lost = [event for event in events if event["event"] == "error" and event["fmt"].startswith("lost an unknown number")]
    tap.ok(bool(lost) == is_lossy, f"{what}: {'an' if is_lossy else 'no'} unknown loss", *lost)
    strange = [str(event) for event in events if event.get("t_abs", 0) > LONGEST_S or event.get("name") == "late_records"]
    tap.nothing(strange[:3], f"{what}: no record shows another clock")


@tested
def main(tap):
    for kernel in machine.ONE_6_1:
        with machine.ran(kernel, "interference.sh") as result:
            machine.check_end(tap, kernel, result, DELTA)
            tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
            for name, *wanted in RUNS:
                check_run(tap, f"{kernel}: {name}", result, name, wanted)

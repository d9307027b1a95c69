#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the interactive view of ktrack stat --live shows a driver's slices, and leaves nothing behind."""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "outputs")]

import machine  # noqa: E402
from tap import tested  # noqa: E402
from view import ENTER_VIEW, LEAVE_VIEW, pyte  # noqa: E402

# Debian's terminals without ncurses-term.
TERMINFO = "/lib/terminfo"


def parts(result, name):
    """What the view wrote, and what followed it."""
    raw = (result.folder / f"{name}.log").read_bytes()
    return raw.partition(ENTER_VIEW)[2].rpartition(LEAVE_VIEW)[0], raw.rpartition(LEAVE_VIEW)[2].decode(errors="replace")


def screens(raw):
    """The screen after each frame."""
    screen = pyte.Screen(120, 60)
    stream = pyte.ByteStream(screen)
    for frame in re.split(rb"(?=\x1b\[H\x1b\[2J|\x1b\[[0-9]+;[0-9]+H)", raw):
        stream.feed(frame)
        yield screen.display


def check_run(tap, what, result, name):
    """The end is that of a run without a view."""
    view, after = parts(result, name)
    tap.ok(result.text(f"{name}.status") == "0\n" and view, f"{what}: the view is left, the terminal restored", result.text(f"{name}.status"), after[-500:])
    tap.ok("transfer" in after and "percentiles are within" in after, f"{what}: the tables of the recording follow", after[-1500:])
    tap.ok(result.text(f"{name}.left") == "", f"{what}: no instance is left", result.text(f"{name}.left"))
    return view


def check_kernel(tap, kernel, result):
    """One kernel."""
    view = check_run(tap, f"{kernel}: keys", result, "keys")
    rows = [line for screen in screens(view) for line in screen]
    tap.ok(any(re.search(r"events, \d+/s, \d+ lost", line) for line in rows), f"{kernel}: the header has events in a second and losses", *rows[:60])
    tap.ok(any(re.search(r" transfer +[1-9]\d* ", line) for line in rows), f"{kernel}: rows have new slices in an interval", *rows[:60])
    tap.ok(any("PAUSED" in line and "filter: transfer" in line for line in rows), f"{kernel}: keys filter and pause", *rows[-60:])
    tap.ok(any(line.startswith("percentile 90") for line in rows), f"{kernel}: and show a row's details", *rows[-60:])
    check_run(tap, f"{kernel}: SIGTERM", result, "signal")
    check_run(tap, f"{kernel}: --duration", result, "duration")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        options = (*machine.SINGLE, *machine.program(folder, "terminal"), "--add", f"{TERMINFO}:/terminfo")
        for kernel in machine.ONE_6_12:
            with machine.ran(kernel, "top.sh", options=options) as result:
                check_kernel(tap, kernel, result)

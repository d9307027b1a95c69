#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: check-stream, check-demo and list-tracks: what they print, and their exit status."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from reading.stream import all_rules  # noqa: E402
from tap import tested  # noqa: E402

SLICES = "golden/nested-slices.event"
COUNTERS = "golden/counters-and-loss.event"
NOTHING = "golden/nothing.event"

TABLE = """\
TRACK                       KIND     SCOPE   EVENTS  SLICES  NAMES
th01:temperature sensor -3  counter  custom       3       0  -40..9223372036854775807, last 0
th02:bus cpu 1              slice    cpu          2       1  transfer x1
"""


def run(command, *words, stdin=b""):
    """Runs one of the commands; returns status, output and errors."""
    done = process.run(
        [str(HERE / command), *words], cwd=HERE, input=stdin, capture_output=True
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check(tap, what, found, wanted):
    """One result: status and output are as wanted."""
    tap.ok(found == wanted, what, f"got {found}", f"wanted {wanted}")


def check_golden(tap):
    """Streams written by hand are right; check-stream prints nothing."""
    check(tap, "streams written by hand are right", run("check-stream", SLICES, COUNTERS), (0, "", ""))
    named = run("check-stream", "--sid", "a-recording", NOTHING)
    check(tap, "an empty recording with a sid of its own is right", named, (0, "", ""))


def check_refusal(tap):
    """Violations are named by file and line; their number is limited."""
    lines = (HERE / SLICES).read_bytes().splitlines(keepends=True)
    status, output, _ = run("check-stream", "-", stdin=b"".join(lines[:9] + lines[10:]))
    is_named = status == 1 and output.startswith("standard input:10: nesting: ")
    tap.ok(is_named, "a violation is file:line: rule: message", status, output)
    status, output, _ = run("check-stream", "--max", "3", "-", stdin=b"{}\n" * 50)
    shown = output.splitlines()
    tap.ok(status == 1 and len(shown) == 4 and shown[-1].endswith(" more"), "--max limits the output", status, *shown)
    for command, words in (("check-stream", []), ("check-demo", ["1"]), ("list-tracks", [])):
        wanted = (2, "", f"{command}: nowhere/x: No such file or directory\n")
        check(tap, f"{command} of a missing file", run(command, *words, "nowhere/x"), wanted)
    status, output, _ = run("check-stream", "--rules")
    names = [row.split()[0] for row in output.splitlines()]
    tap.ok(status == 0 and names == list(all_rules()), "--rules lists every rule", status, output)


def check_demo(tap):
    """check-demo prints the sum, with and without loss."""
    for words, name, requests, counts in (
        ([], "demo", 17, "17 requests, 301 records requested = 301 exported + 0 lost, 16 tracks"),
        (["--with-loss"], "lossy", 8, "8 requests, 143 records requested = 141 exported + 2 lost, 15 tracks"),
    ):
        found = run("check-demo", *words, str(requests), f"golden/{name}.event")
        check(tap, f"check-demo {' '.join(words)}", found, (0, f"golden/{name}.event: {counts}\n", ""))
    status, output, _ = run("check-demo", "18", "golden/demo.event")
    is_refused = status == 1 and "golden/demo.event:-: demo-total: " in output
    tap.ok(is_refused, "check-demo refuses a batch of another size", status, output)


def check_table(tap):
    """list-tracks prints one row per track, without control characters."""
    check(tap, "list-tracks prints a table", run("list-tracks", COUNTERS), (0, TABLE, ""))
    escape = (HERE / COUNTERS).read_bytes().replace(b"transfer", b"tr\\u001b[2Jfer")
    status, output, _ = run("list-tracks", "-", stdin=escape)
    tap.ok(status == 0 and "tr?[2Jfer x1" in output, "list-tracks escapes control characters", status, output)


@tested
def main(tap):
    """Runs all of it."""
    check_golden(tap)
    check_refusal(tap)
    check_demo(tap)
    check_table(tap)

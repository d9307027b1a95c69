#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: check-stream, check-demo and list-tracks: what they print, and their exit status."""

import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from reading.stream import all_rules  # noqa: E402
from tap import Tap  # noqa: E402
from writing.bases import REQUESTS, play_demo, write_demo, write_lossy  # noqa: E402

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
    done = subprocess.run(
        [str(HERE / command), *words], cwd=HERE, input=stdin, capture_output=True, timeout=60
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check(tap, what, found, wanted):
    """One result: status and output are as wanted."""
    tap.ok(found == wanted, what, f"got {found}", f"wanted {wanted}")


def check_golden(tap):
    """Streams written by hand are right, and say nothing."""
    check(
        tap, "streams written by hand are right", run("check-stream", SLICES, COUNTERS), (0, "", "")
    )
    named = run("check-stream", "--sid", "a-recording", NOTHING)
    check(tap, "an empty recording with a sid of its own is right", named, (0, "", ""))
    status, output, _ = run("check-stream", NOTHING, "--sid", "another")
    is_refused = status == 1 and output.startswith(f"{NOTHING}:1: sid-form: ")
    tap.ok(is_refused, "another sid is refused", status, output)


def check_refusal(tap):
    """Violations are named by file and line; their number is bounded."""
    lines = (HERE / SLICES).read_bytes().splitlines(keepends=True)
    status, output, _ = run("check-stream", "-", stdin=b"".join(lines[:9] + lines[10:]))
    first = output.splitlines()[0]
    is_named = status == 1 and first.startswith("standard input:10: nesting: ")
    tap.ok(is_named, "a violation is file:line: rule: message", status, first)
    status, output, _ = run("check-stream", "--max", "3", "-", stdin=b"{}\n" * 50)
    shown = output.splitlines()
    is_bounded = status == 1 and len(shown) == 4 and shown[-1].endswith(" more")
    tap.ok(is_bounded, "--max bounds what is printed", status, *shown)
    status, output, _ = run("check-stream", SLICES, "/dev/null", COUNTERS)
    is_one = status == 1 and all(line.startswith("/dev/null:1: ") for line in output.splitlines())
    tap.ok(is_one, "one bad stream among good ones", status, output)


def check_unreadable(tap):
    """What cannot be read or understood is said in one line, status 2."""
    missing = "No such file or directory"
    for command, words in (("check-stream", []), ("check-demo", ["1"]), ("list-tracks", [])):
        wanted = (2, "", f"{command}: nowhere/x: {missing}\n")
        check(tap, f"{command} of a missing file", run(command, *words, "nowhere/x"), wanted)
        status, _, errors = run(command)
        is_usage = status == 2 and "usage" in errors
        tap.ok(is_usage, f"{command} without a file tells its usage", status, errors)


def check_rules(tap):
    """--rules tells every rule in one sentence."""
    status, output, _ = run("check-stream", "--rules")
    rows = output.splitlines()
    names = [row.split()[0] for row in rows]
    is_complete = (
        status == 0 and names == list(all_rules()) and all(row.endswith(".") for row in rows)
    )
    tap.ok(is_complete, "--rules tells every rule", status, output)


def check_demo(tap):
    """check-demo tells the sum, with and without loss."""
    records = play_demo()
    complete, lossy = [b"".join(write(records)) for write in (write_demo, write_lossy)]
    total = len(records)
    for what, words, stream, lost in (
        ("complete", [], complete, 0),
        ("lossy", ["--with-loss"], lossy, 2),
    ):
        text = (
            f"standard input: {REQUESTS} requests, {total} records requested"
            f" = {total - lost} exported + {lost} lost, 16 tracks\n"
        )
        found = run("check-demo", *words, str(REQUESTS), "-", stdin=stream)
        check(tap, f"check-demo of a {what} batch", found, (0, text, ""))
    status, output, _ = run("check-demo", str(REQUESTS + 1), "-", stdin=complete)
    is_refused = status == 1 and "standard input:-: demo-total: " in output
    tap.ok(is_refused, "check-demo refuses a batch of another size", status, output)
    status, output, _ = run("check-demo", "--slots", "3", str(REQUESTS), "-", stdin=complete)
    tap.ok(status == 1 and ": demo-slots: " in output, "check-demo knows the slots", status, output)
    status, output, _ = run("check-demo", "1", "-", stdin=b"{}\n")
    tap.ok(status == 1 and ":1: kind: " in output, "check-demo refuses what is no stream", output)


def check_table(tap):
    """list-tracks prints one row per track, and nothing that a terminal obeys."""
    check(tap, "list-tracks prints a table", run("list-tracks", COUNTERS), (0, TABLE, ""))
    escape = (HERE / COUNTERS).read_bytes().replace(b"transfer", b"tr\\u001b[2Jfer")
    status, output, _ = run("list-tracks", "-", stdin=escape)
    is_harmless = status == 0 and "tr?[2Jfer x1" in output
    tap.ok(is_harmless, "list-tracks keeps control characters from the terminal", status, output)
    status, output, errors = run("list-tracks", "-", stdin=b"[]\n")
    is_refused = (status, output) == (1, "") and len(errors.splitlines()) == 1
    tap.ok(is_refused, "list-tracks refuses what is no stream", status, output, errors)


def main():
    """Runs all of it."""
    tap = Tap()
    for part in (
        check_golden,
        check_refusal,
        check_unreadable,
        check_rules,
        check_demo,
        check_table,
    ):
        part(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

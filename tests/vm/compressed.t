#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a live stream into a compressed file can be read while it runs, after SIGKILL, and after its end; directories keep limits."""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

ROUNDS = 2000
ZSTD = "/usr/bin/zstd"
CLOCKED = re.compile(r"^cpu (\d+) records (\d+) first (\d+) last (\d+) breaks (\d+)", re.MULTILINE)


def records(result, name):
    """(records, first, last, breaks) of each CPU."""
    return [tuple(map(int, row[1:])) for row in CLOCKED.findall(result.text(f"{name}.clocked"))]


def fired(result, name):
    """How many records the module wrote on each CPU."""
    return list(map(int, re.findall(r"^cpu \d+ fired (\d+)", result.text(f"{name}.fired"), re.MULTILINE)))


def number(result, name):
    """A file with a number."""
    return int(result.text(name) or -1)


def check_ends(tap, kernel, result):
    """In order, and with several sessions."""
    for name in ("ended", "sessions"):
        found = records(result, name)
        tap.ok([cpu[0] for cpu in found] == fired(result, name), f"{kernel}: {name}: all records", found, fired(result, name))
        tap.ok(not any(cpu[3] for cpu in found), f"{kernel}: {name}: in their order", found)
        tap.ok(number(result, f"{name}.status") == 0, f"{kernel}: {name}: the last frame is complete", result.text(f"{name}.status"))
        tap.ok('"event":"atexit"' in result.text(f"{name}.last"), f"{kernel}: {name}: and so is the stream", result.text(f"{name}.last"))
    tap.ok(number(result, "sessions.sessions") >= 5, f"{kernel}: a file has many sessions", result.text("sessions.sessions"))


def check_killed(tap, kernel, result):
    """SIGKILL."""
    idle, before = number(result, "killed.idle"), number(result, "killed.before")
    tap.ok(0 < idle < before, f"{kernel}: an idle stream's file is complete, and goes on", f"{idle}, {before}")
    found = records(result, "killed")
    # A round is a slice, an instant and more; each slice that could be read before is there.
    tap.ok(len(found) == 2 and not any(cpu[3] for cpu in found), f"{kernel}: killed: no record is missing between others", found)
    tap.ok(sum(cpu[0] for cpu in found) >= 2 * before, f"{kernel}: what could be read before the kill can be read after it", found, before)


def check_limits(tap, kernel, result):
    """A directory of sessions."""
    names, left = result.text("names").split(), result.text("left").split("\n")[:-1]
    tap.ok(len(names) >= 10, f"{kernel}: a directory gets many sessions", names)
    # The new file is there before the oldest is removed; and the user's own file.
    tap.ok(4 <= number(result, "most") <= 5, f"{kernel}: --max-files limits them at any time", result.text("most"))
    sessions = [line for line in left if not line.endswith("/notes")]
    tap.ok(len(sessions) == 3 and len(left) == 4, f"{kernel}: other files stay", left)
    tap.ok(all(line.startswith("user ") for line in sessions), f"{kernel}: they are the user's", left)
    tap.nothing(result.text("limited.errors").splitlines(), f"{kernel}: without a message")


@tested
def main(tap):
    """On each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        options = (*machine.program(folder, "clocked"), "--add", f"{ZSTD}:{ZSTD}")
        for kernel in sys.argv[1:] or machine.ONE_6_12:
            with machine.ran(kernel, "compressed.sh", ROUNDS, options=options) as result:
                machine.check_end(tap, kernel, result)
                tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
                for check in (check_ends, check_killed, check_limits):
                    check(tap, kernel, result)

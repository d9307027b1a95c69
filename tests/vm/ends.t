#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: however a stream ends or is refused, there is one clear line, the right status, and no instance left."""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# Name of the attempt, status, and words of its one line; without words there must be no line.
FAILURES = (
    ("user-stream", 1, ("/sys/kernel/tracing", "Permission denied", "root")),
    ("user-list", 1, ("/sys/kernel/tracing", "Permission denied", "root")),
    ("unknown-event", 1, ("nosuch:event", "no tracepoint", "ktrack list")),
    ("full-disk", 125, ("/small/x", "No space left", "free some space")),
    ("full-device", 1, ("/dev/full", "No space left")),
    ("no-command", 127, ("/no/such/command", "No such file")),
    ("no-program", 126, ("/tmp/plain", "Permission denied")),
    ("not-read", 1, ("standard output", "nobody reads it")),
    ("never-read", 1, ("/tmp/fifo", "nobody reads it")),
    ("never-read-command", 125, ("/tmp/fifo", "nobody reads it")),
    ("file-size-limit", 125, ("/tmp/limited", "File too large")),
    ("reported-at-once", 125, ("/small/y", "No space left")),
    ("busy", 1, ("somebody has its files open", "ktrack clean")),
    ("kept-no-command", 127, ("/no/such/command", "No such file")),
    ("kept-no-interpreter", 127, ("/tmp/no-interpreter", "No such file")),
    ("kept-no-memory", 1, ("Cannot allocate memory", "use smaller ones (-b)")),
    ("no-folder", 1, ("/no/such/folder/x", "No such file")),
    ("nothing-to-record", 1, ("follows the convention", "load a module")),
    ("no-tracefs", 1, ("not mounted", "mount -t tracefs")),
)
ENDS = (
    ("command-status", 7),
    ("command-killed", 128 + 9),
    ("interrupted", 0),
    ("terminated", 0),
    ("hung-up", 0),
    ("quit", 0),
    ("user-signal", 0),
    ("real-time-signal", 0),
    ("signalled-twice", 0),
    ("signalled-late", 0),
    ("signal-passed-on", 9),
    ("hung-up-leader", 9),
    ("ignored-signal", 0),
    ("comes-online", 4),
    ("duration", 0),
    ("read-late", 0),
    ("shared", 0),
    ("followed", 4),
    ("one-cpu", 4),
    ("as-user", 4),
)
# Of these only the status matters.
STATUSES = (
    ("clean-in-vain", 1),
    ("lossy", 3),
    ("lossy-command", 4),
    ("stat-done", 0),
    ("stat-command", 7),
    ("stat-killed", 128 + 9),
    ("closed-pipe", 128 + 13),
    ("closed-pipe-beside", 128 + 13),
)
CAP_DAC_OVERRIDE, CAP_KILL = 1 << 1, 1 << 5
OUTLASTED = "ktrack: the recording is over, 'sh' still runs; a signal is forwarded to it, a second one ends ktrack without it\n"

# GNU's env starts a program whose signals act as ever; script starts one on a terminal of its own.
HELPERS = ("--add", "/usr/bin/env:/bin/gnu-env", "--add", "/usr/bin/script:/bin/script")


def check_attempt(tap, what, result, name, status):
    """What every attempt has to keep to."""
    found = result.text(f"{name}.status").strip()
    tap.ok(found == str(status), f"{what}: status {status}", f"it was {found}", result.text(f"{name}.errors"))
    tap.nothing(result.text(f"{name}.left").split(), f"{what}: no instance left")


def check_failure(tap, kernel, result, name, status, words):
    """One line that says what is wrong."""
    what = f"{kernel}: {name}"
    lines = result.text(f"{name}.errors").splitlines()
    check_attempt(tap, what, result, name, status)
    tap.ok(len(lines) == 1 and lines[0].startswith("ktrack: "), f"{what}: one line", *lines)
    tap.nothing([word for word in words if word not in "".join(lines)], f"{what}: the line says why")


def check_end(tap, kernel, result, name, status, said=""):
    """A whole stream, and nothing else said."""
    what = f"{kernel}: {name}"
    check_attempt(tap, what, result, name, status)
    tap.ok(result.text(f"{name}.errors") == said, f"{what}: nothing else to say", result.text(f"{name}.errors"))
    last = result.text(f"{name}.output").splitlines()[-1:]
    tap.ok(last and last[0].startswith('{"event":"atexit"'), f"{what}: the stream is whole", *last)
    tap.ok(last and last[0].endswith(f'"code":{status}}}'), f"{what}: and says the status", *last)


def count_begins(result, name, category):
    """How many slices of a category begin."""
    words = ('"event":"region_enter"', f'"category":"ktrack_demo:{category}"')
    return sum(all(word in line for word in words) for line in result.text(f"{name}.output").splitlines())


def check_records(tap, kernel, result, name, requests):
    """What the demo did is all there."""
    found = count_begins(result, name, "ktrack_demo_io")
    tap.ok(found == requests, f"{kernel}: {name}: {requests} requests", f"{found} of them")


def check_narrowed(tap, kernel, result):
    """What is left out where only one command, or one CPU, is wanted."""
    submitted = count_begins(result, "followed", "ktrack_demo_submit")
    tap.ok(submitted == 101, f"{kernel}: followed: all of the command's child", submitted)
    worked = count_begins(result, "followed", "ktrack_demo_work")
    tap.ok(worked == 0, f"{kernel}: followed: nothing of kernel threads", worked)
    text = result.text("one-cpu.output")
    tap.ok('"cpu":1' in text, f"{kernel}: one-cpu: something was recorded")
    tap.ok('"cpu":0' not in text, f"{kernel}: one-cpu: nothing of the other")


def check_progress(tap, kernel, result):
    """How far the recording is, shown on a terminal, unless the stream itself is there."""
    for name in ("progress", "no-progress", "event-on-terminal", "quiet"):
        check_attempt(tap, f"{kernel}: {name}", result, name, 0)
    shown = result.text("progress.output")
    line = r"\x1b\[Kktrack: the buffers use \d+ KiB of kernel memory\s+(0 events, 0/s, 0 lost, buffers 0% full\x1b\[K\s)+(\x1b\[K\s)+"
    closing = r"\x1b\[Kktrack: /tmp/terminal\.json: 0 events, nothing lost; next: ktrack stream --html=\S+ draws a timeline\s"
    tap.ok(re.fullmatch(line + closing, shown), f"{kernel}: progress: there is a line, and it goes", repr(shown))
    shown = result.text("no-progress.output")
    tap.ok("buffers" not in shown, f"{kernel}: no-progress: the stream is not disturbed")
    tap.ok(shown.count("PERF lines, because it is a terminal; add --event for EVENT lines") == 1, f"{kernel}: the way to EVENT is shown", shown)
    tap.ok("| atexit " in shown and '{"event"' not in shown, f"{kernel}: no-progress: a terminal gets PERF lines", shown)
    shown = result.text("event-on-terminal.output")
    tap.ok('"event":"atexit"' in shown and "PERF" not in shown, f"{kernel}: with --event it gets EVENT lines", shown)
    shown = result.text("quiet.output")
    tap.ok("| atexit " in shown and "ktrack:" not in shown, f"{kernel}: with --quiet without the remark", shown)


def check_privileges(tap, kernel, result):
    """Who reads has given up what root may do, and the command has it all."""
    check_attempt(tap, f"{kernel}: privileges", result, "privileges", 0)
    sets = [int(line.split()[1], 16) for line in result.text("privileges.output").splitlines()]
    tap.ok(len(sets) == 7 and sets[:2] == [0, 0], f"{kernel}: privileges: nothing is left", *map(hex, sets))
    tap.ok(sets[2:4] == [CAP_DAC_OVERRIDE, CAP_DAC_OVERRIDE], f"{kernel}: privileges: but to open files of other sessions", *map(hex, sets))
    tap.ok(sets[4:6] == [CAP_KILL, CAP_KILL], f"{kernel}: privileges: or to send a command signals", *map(hex, sets))
    tap.ok(sets and sets[-1] not in (0, CAP_KILL), f"{kernel}: privileges: which has it all")


def check_clean(tap, kernel, result):
    """Instances of a killed run are reported and removed."""
    left = result.text("after-kill.left").split()
    tap.ok(left[1:] == [f"{name}.sideband" for name in left[:1]], f"{kernel}: after-kill: an instance is left, and its sideband", *left)
    said = result.text("after-kill.errors")
    tap.ok(said.startswith("ktrack: 1 killed run ") and said.count("\n") == 1 and left and f"tracefs:{left[0]}'" in said and "ktrack clean" in said, f"{kernel}: and reported", said)
    check_attempt(tap, f"{kernel}: cleaned", result, "cleaned", 0)
    removed = "".join(f"removed {name}\n" for name in left)
    tap.ok(result.text("cleaned.output") == removed, f"{kernel}: it is all that is removed", result.text("cleaned.output"))
    left = "ktrack: ktrack-5: not made by ktrack; 'rmdir /sys/kernel/tracing/instances/ktrack-5' removes it\n"
    tap.ok(result.text("cleaned.errors") == left, f"{kernel}: nothing else is touched, and what looks like it is named", result.text("cleaned.errors"))


@tested
def main(tap):
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "ends.sh", options=(*machine.pair(), *HELPERS)) as result:
            machine.check_end(tap, kernel, result)
            for name, status, words in FAILURES:
                check_failure(tap, kernel, result, name, status, words)
            for name, status in ENDS:
                check_end(tap, kernel, result, name, status)
            for name, status in (*STATUSES, ("not-read-at-all", 1)):
                check_attempt(tap, f"{kernel}: {name}", result, name, status)
            tap.ok(not result.text("closed-pipe.errors"), f"{kernel}: closed-pipe: no message", result.text("closed-pipe.errors"))
            lines = result.text("beside.json").splitlines()
            tap.ok(lines and lines[-1].startswith('{"event":"atexit"'), f"{kernel}: closed-pipe-beside: the other output is whole", *lines[-1:])
            check_end(tap, kernel, result, "outlasted", 5, OUTLASTED)
            tap.ok('"event":"child_exit"' in result.text("outlasted.output"), f"{kernel}: and reports the command's end")
            check_progress(tap, kernel, result)
            check_privileges(tap, kernel, result)
            check_clean(tap, kernel, result)
            check_narrowed(tap, kernel, result)
            for name in ("ignored-signal", "user-signal", "real-time-signal"):
                check_records(tap, kernel, result, name, 10)
            check_records(tap, kernel, result, "comes-online", 200)
            tap.ok('"late_records"' not in result.text("comes-online.output"), f"{kernel}: comes-online: no record is late")
            tap.ok(result.text("nothing-to-list.status") == "0\n", f"{kernel}: an empty list is no failure")

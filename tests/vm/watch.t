#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: recordings of ktrack watch are complete around their triggers, whatever happens to the watch or its disk.

An hour at 50,000 events/s is scaled to some seconds at 6,000 (48,000 in make check-full), with 2 MB of memory instead of 64: the
memory is replaced several times, as in an hour.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

TRIGGERS, RATE = machine.rounds(20, 8), machine.rounds(4000, 500)
# Records of a round on one CPU, and the time of a recording: before and behind its trigger.
ROUND, LENGTH_S = 6, 0.15
# The bound of the memory in KiB: 32 MB, and what is kept.
MEMORY_KIB = (32 + 2) << 10

CLOCKED = re.compile(r"^cpu (\d+) records (\d+) first (\d+) last (\d+) breaks (\d+)", re.MULTILINE)
WRITTEN = re.compile(r"^ktrack: (ktrack-\S+\.dat): (.*); ([0-9.]+) s, (\d+) records(.*)$", re.MULTILINE)


def records(result, name, number):
    """(records, first, last, breaks) of each CPU in a recording."""
    return [tuple(map(int, row[1:])) for row in CLOCKED.findall(result.text(f"{name}.{number}.clocked"))]


def reported(result, name):
    """The lines about recordings: file, triggers, seconds, records, losses."""
    return WRITTEN.findall(result.text(f"{name}.errors"))


def fired(result, name):
    """How many records the module wrote."""
    return sum(map(int, re.findall(r"^cpu \d+ fired (\d+)", result.text(f"{name}.fired"), re.MULTILINE)))


def counted(result, name, number, counter):
    """A counter of a recording."""
    found = re.search(rf'"name":"{counter}","count":(\d+)', result.text(f"{name}.{number}.counters"))
    return int(found[1]) if found else 0


def is_whole(recording, unmatched):
    """Whether both CPUs' records are there. Ends whose begin is before the recording are counted instead of printed."""
    missing = sum(last - first + 1 - number for number, first, last, _ in recording)
    return len(recording) == 2 and missing <= unmatched and all(breaks <= 1 for *_, breaks in recording)


def check_rate(tap, kernel, result):
    """All triggers at a high rate."""
    lines, wanted = reported(result, "rate"), RATE * ROUND * LENGTH_S
    tap.ok(len(lines) == TRIGGERS, f"{kernel}: {TRIGGERS} triggers, each with a recording", len(lines), result.text("rate.errors"))
    tap.ok(len(result.text("rate.list").splitlines()) == TRIGGERS, f"{kernel}: that is in the directory", result.text("rate.list"))
    found = [records(result, "rate", number) for number in range(1, TRIGGERS + 1)]
    whole = [number for number, recording in enumerate(found, 1) if is_whole(recording, counted(result, "rate", number, "unmatched_ends"))]
    tap.ok(len(whole) == TRIGGERS, f"{kernel}: no sequence number is missing in any", found)
    gaps = [number for number in range(1, TRIGGERS + 1) if counted(result, "rate", number, "lost_records")]
    tap.nothing(gaps, f"{kernel}: nothing was lost")
    fewest = min((cpu[0] for recording in found for cpu in recording), default=0)
    tap.ok(fewest >= 0.9 * wanted, f"{kernel}: each has the time around its trigger", f"{fewest} of {wanted} records on a CPU")
    lengths = [float(line[2]) for line in lines]
    tap.ok(lengths and all(abs(length - LENGTH_S) < 0.001 for length in lengths), f"{kernel}: and no more", lengths)
    used = int((re.findall(r"(\d+) kB", result.text("rate.memory")) or [0])[0])
    tap.ok(0 < used <= MEMORY_KIB, f"{kernel}: memory is bounded", f"{used} KiB")
    tap.comment(f"{kernel}: {used} KiB, {fewest} records of {wanted:.0f}")
    triggers = result.text("rate.triggers").count("clock_nanosleep@sleep > 100ms: clock_nanosleep on ")
    tap.ok(triggers == TRIGGERS, f"{kernel}: each names its trigger", result.text("rate.triggers"))


def check_stopped(tap, kernel, result):
    """A reader that fell behind."""
    lines, gone = reported(result, "stopped"), counted(result, "stopped", 2, "lost_records")
    tap.ok(len(lines) == 2 and lines[0][1].startswith("loss: cpu "), f"{kernel}: a loss fires", lines)
    tap.ok(gone > 0, f"{kernel}: a recording reports lost records", gone)
    # Ends whose begin is lost are counted instead of printed.
    kept = sum(cpu[0] for cpu in records(result, "stopped", 2)) + counted(result, "stopped", 2, "unmatched_ends")
    wanted = fired(result, "stopped")
    tap.ok(kept + gone == wanted, f"{kernel}: each record is kept or lost", f"{kept} + {gone} of {wanted}")
    tap.ok("; a larger buffer (-b) tolerates longer stalls" in result.text("stopped.errors"), f"{kernel}: a message reports it")


def check_behind(tap, kernel, result):
    """A reader that finds its trigger in the middle of more records than memory holds."""
    lines, found = reported(result, "behind"), records(result, "behind", 1)
    tap.ok(len(lines) == 1 and abs(float(lines[0][2]) - 0.01) < 0.001, f"{kernel}: behind by more than its memory: as long as asked", lines)
    fewest = min((cpu[0] for cpu in found), default=0)
    whole = is_whole(found, counted(result, "behind", 1, "unmatched_ends")) and not counted(result, "behind", 1, "lost_records")
    tap.ok(whole and fewest >= 0.8 * ROUND * 10, f"{kernel}: and whole", found)


def check_full(tap, kernel, result):
    """A disk that was full, and then was not."""
    errors = result.text("full.errors")
    failures = [line for line in errors.splitlines() if "No space left on device" in line]
    tap.ok(len(failures) == 1, f"{kernel}: a full disk is one line", errors)
    tap.nothing(result.text("full.left").splitlines(), f"{kernel}: nothing is left of the recording")
    found = records(result, "full", 1)
    tap.ok([cpu[0] for cpu in found] == [24000, 24000], f"{kernel}: the next one has all records", found)


def check_jump(tap, kernel, result):
    """A wall clock that was set, and a directory that was moved away."""
    moved, names = result.text("moved.list").splitlines(), result.text("jump.list").splitlines()
    years = sorted(name[len("ktrack-") :][:4] for name in moved)
    tap.ok(len(years) == 3 and years[0] == "2001" and years[2] == "2037", f"{kernel}: names have the wall clock's time", moved)
    tap.ok(len(names) == 1, f"{kernel}: SIGHUP opens the directory again", names)
    tap.ok('"param":"label.site","value":"lab2"' in result.text("jump.labels"), f"{kernel}: recordings have the label", result.text("jump.labels"))
    tap.ok([cpu[0] for cpu in records(result, "jump", 1)] == [60, 60], f"{kernel}: recordings go on", result.text("jump.errors"))


def check_killed(tap, kernel, result):
    """SIGKILL."""
    left = result.text("killed.left").split()
    tap.ok(len(left) == 2, f"{kernel}: a killed watch leaves its instances", left)
    tap.ok(left and left[0] in result.text("killed.cleaned"), f"{kernel}: ktrack clean removes them", result.text("killed.cleaned"))
    tap.ok(len(reported(result, "killed")) == 1, f"{kernel}: the next watch works", result.text("killed.errors"))


def check_closing(tap, kernel, result):
    """The last line on a terminal."""
    wanted = "1 recording in /tmp/closing; next: ktrack export --html=page.html /tmp/closing/ktrack-"
    text = result.text("closing.errors")
    tap.ok(wanted in text, f"{kernel}: the last line on a terminal shows how to see a recording", text)


def check_hook(tap, kernel, result):
    """A hook gets the path of each recording, and its failure is reported."""
    paths, written = result.text("hook.paths").split(), result.text("hook.written").split()
    tap.ok(len(paths) == 2 and sorted(paths) == sorted(written), f"{kernel}: a hook of the working directory runs", paths, written)
    failures = [line for line in result.text("hook.errors").splitlines() if "--hook" in line]
    tap.ok(failures == ["ktrack: --hook=./hooks/run: ended with status 7"], f"{kernel}: a hook that fails is reported", failures)


def check_kernel(tap, kernel, programs):
    """All of it, on one kernel."""
    with machine.ran(kernel, "watch.sh", TRIGGERS, RATE, options=programs) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        for check in (check_rate, check_stopped, check_behind, check_full, check_jump, check_killed, check_closing, check_hook):
            check(tap, kernel, result)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        programs = (*machine.COUNTED, *machine.program(folder, "clocked"), *machine.program(folder, "yield"), "--add", "/usr/bin/script:/bin/script")
        for kernel in sys.argv[1:] or machine.ONE_6_12:
            check_kernel(tap, kernel, programs)

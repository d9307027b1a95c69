#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: no record of a program is lost at up to a million events in a second, nor in bursts, nor after a pause, and beyond at most LTTng-UST's loss; on an idle machine."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "programs")]

from lttng import PACKAGES, Lttng, is_installed  # noqa: E402
from programs import FLAGS, KTRACK, own_socket  # noqa: E402
from tap import tested  # noqa: E402

# Threads, events up to a pause, the pause in nanoseconds, events of a thread, and the seconds before.
LOADS = {
    "1,000 events in a second of one thread": (1, 1, 900_000, 2_000, 0),
    "300,000 events in a second of one thread": (1, 300, 900_000, 600_000, 0),
    "a million events in a second of one thread": (1, 1000, 900_000, 1_000_000, 0),
    "2 million events in a second of two threads": (2, 1000, 900_000, 1_000_000, 0),
    "2 million events in a second of eight threads": (8, 250, 900_000, 250_000, 0),
    "bursts of 10,000 events of two threads": (2, 10_000, 10_000_000, 300_000, 0),
    "bursts of 10,000 events of two threads, after ten seconds without any": (2, 10_000, 10_000_000, 300_000, 10),
}
BEYOND = (8, 1000, 900_000, 500_000, 0)
RING_BYTES = 4 << 20
NUMBERED = re.compile(rb'"thread":"([^"]*)".*"number":(\d+)')


def number_of(words):
    """How many events a load has."""
    return 1 + words[0] * words[3]


def build(folder, name, *more):
    """The program, with ktrack/user.h or LTTng-UST."""
    program = Path(folder) / name
    subprocess.run(["gcc", *FLAGS, "-o", program, HERE / "user_burst.c", *more], check=True)
    return program


def threads_of(path):
    """The numbers of the events of each thread, in the order of the recording."""
    threads = {}
    with subprocess.Popen([KTRACK, "export", "--event=-", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as export:
        for line in export.stdout:
            if found := NUMBERED.search(line):
                threads.setdefault(found[1], []).append(int(found[2]))
    return list(threads.values())


def are_numbered(path, words, lost):
    """Whether the first event is alone, and each thread has the numbers from 0 on: all, or in their order those that are not lost."""
    threads = threads_of(path)
    if lost == 0:
        return sorted(threads) == sorted([[0], *[list(range(words[3]))] * words[0]])
    return all(numbers == sorted(set(numbers)) and numbers[-1] < words[3] for numbers in threads)


def lost_by_ktrack(folder, program, words):
    """How many events are lost, and whether all others are recorded."""
    path, number = f"{folder}/trace.dat", number_of(words)
    command = [program, *map(str, words)]
    subprocess.run([KTRACK, "record", "--programs", "-o", path, "--", *command], capture_output=True, check=True)
    stat = json.loads(subprocess.run([KTRACK, "stat", "--json", path], capture_output=True, check=True).stdout)
    lost = stat["totals"]["lost_records"]
    is_counted = sum(instant["count"] for instant in stat["instants"]) + lost == number and not stat["totals"]["lost_gaps_unknown"]
    return lost, is_counted and are_numbered(path, words, lost)


def check_beyond(tap, folder, program):
    """Rings with as much memory, in the same run."""
    name = "8 million events in a second of eight threads: at most LTTng-UST's loss"
    if not is_installed():
        tap.skip(name, f"{PACKAGES} are not installed; see apt-get(8)")
        return
    words = [str(word) for word in BEYOND]
    other = build(folder, "other_burst", f"-I{HERE}", "-DBURST_LTTNG", "-llttng-ust", "-ldl")
    Path(folder).chmod(0o755)
    with Lttng(f"{folder}/lttng", BEYOND[0] * RING_BYTES) as lttng:
        lttng_lost = lttng.record([other, *words])
    lost, is_exact = lost_by_ktrack(folder, program, BEYOND)
    tap.ok(is_exact and lost <= lttng_lost, name, f"ktrack {lost}, LTTng-UST {lttng_lost} of {number_of(BEYOND)}")
    print(f"# lost of {number_of(BEYOND)}: ktrack {lost}, LTTng-UST {lttng_lost}")


@tested
def main(tap):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        own_socket(folder)
        program = build(folder, "user_burst")
        for name, words in LOADS.items():
            lost, is_exact = lost_by_ktrack(folder, program, words)
            tap.ok(lost == 0 and is_exact, f"nothing is lost: {name}", lost)
        check_beyond(tap, folder, program)

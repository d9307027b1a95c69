#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: both CPUs open /dev/ktrack, switch events, load and unload modules, write and read at once, under each debugging aid."""

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

HERE = Path(__file__).resolve().parent
KERNELS = machine.CHOSEN or ("6.12-debug", "6.12-kcsan")
ATTEMPTS = machine.rounds(500, 100)
ACTIVITIES = ("open", "switch", "instance", "module", "write", "read")


def check_kernel(tap, kernel, race):
    """One boot: no report, and every activity succeeded at times."""
    with machine.ran(kernel, HERE / "guest/races.sh", ATTEMPTS, options=["--add", f"{race}:/race"]) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: nothing is left behind")
        successes = defaultdict(int)
        for line in result.text("races").splitlines():
            activity, count = line.split()
            successes[activity] += int(count)
        tap.comment(f"{kernel}: {dict(successes)}")
        for activity in ACTIVITIES:
            tap.ok(successes[activity] > 0, f"{kernel}: {activity} succeeds at times")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        race = Path(folder) / "race"
        command = ["gcc", "-O2", "-pthread", "-o", race, HERE / "race.c"]
        subprocess.run(command, check=True)
        for kernel in KERNELS:
            check_kernel(tap, kernel, race)

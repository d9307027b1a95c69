#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: recover and record are killed when they begin a system call: the first, the last, and some at even distances between them."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "programs")]

import process  # noqa: E402
from faults import IS_FULL  # noqa: E402
from programs import build, own_socket  # noqa: E402
from recordings import KTRACK, Programs, Recover  # noqa: E402
from tap import tested  # noqa: E402

MOMENTS = 200 if IS_FULL else 40
KILLED = 128 + 9


class Killed:
    """One run, in a folder that is filled for it; it is not killed if @number is 0."""

    def __init__(self, scenario, stopper, number):
        with tempfile.TemporaryDirectory() as folder:
            self.number, self.folder = number, Path(folder) / "run"
            self.folder.mkdir()
            scenario.prepare(self.folder)
            calls = Path(folder) / "calls"
            words = [stopper, str(number), calls, KTRACK, *scenario.words_of(self.folder)]
            environment = {**os.environ, **scenario.environment_of(self.folder), "TMPDIR": folder}
            done = process.run(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
            self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr.decode(errors="replace")
            self.calls, self.fired, self.exported = int(calls.read_text()), 0, 0
            self.is_silent = False
            self.problems = list(scenario.verify(self))

    def judge(self):
        """Yields what is wrong."""
        yield from self.problems
        if self.status != (KILLED if self.number else 0) and self.calls >= self.number:
            yield f"status {self.status}: {self.errors}"
        if self.is_silent:
            yield f"{self.fired} fired, {self.exported} exported, and the file does not report a loss"
        if self.exported > self.fired:
            yield f"{self.fired} fired, {self.exported} exported"


def moments_of(calls):
    """Numbers of system calls."""
    return sorted({1, calls, *(1 + calls * place // (MOMENTS + 1) for place in range(1, MOMENTS + 1))})


def check_scenario(tap, scenario, stopper):
    """One command: whole, and killed at each moment. Threads can make the number of calls differ from run to run."""
    sound = Killed(scenario, stopper, 0)
    tap.nothing(list(sound.judge()), f"{scenario.name}: is not killed")
    # On a busy machine, ktrack waits more often for its helper and for programs than in the first run.
    moments = moments_of(sound.calls * 4 // 3)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda number: Killed(scenario, stopper, number), moments))
    problems = [f"call {run.number}: {problem}" for run in runs for problem in run.judge()]
    ends = Counter("killed" if run.status == KILLED else "ended before" for run in runs)
    tap.nothing(problems, f"{scenario.name}: {sound.calls} system calls, {len(moments)} moments: {dict(ends)}")
    tap.ok(ends["killed"] > len(moments) // 2, f"{scenario.name}: most runs are killed")
    if sound.fired:
        tap.ok(sound.fired == sound.exported, f"{scenario.name}: all {sound.fired} records are exported if it is not killed", sound.exported)
        kept = [run.exported for run in runs]
        tap.ok(any(kept), f"{scenario.name}: some files have records", kept)
        # What no ktrack has read ends with the program.
        tap.comment(f"{scenario.name}: {sum(run.fired for run in runs)} records fired, {sum(kept)} exported")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        load, stopper = build(folder), Path(folder) / "stopper"
        subprocess.run(["gcc", "-O1", "-o", stopper, HERE / "stopper.c"], check=True)
        check_scenario(tap, Recover(), stopper)
        check_scenario(tap, Programs("record", ["record", "-o", "trace.dat"], load), stopper)

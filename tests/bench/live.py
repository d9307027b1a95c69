# SPDX-License-Identifier: GPL-2.0-only
"""What live recording costs in instructions, next to trace-cmd record in the same virtual machine."""

import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "vm")]

import machine  # noqa: E402

BURSTS = 400
IDLE_S = 10
LOADS = {"field": "slices and samples with a field", "plain": "slices without fields"}
# They are linked statically, so that their own start costs little.
PROGRAMS = ("necessary", "interruptible")


class Row:
    """One recorder under one load."""

    def __init__(self, numbers):
        self.start, self.idle, load, self.events, wakeups, self.busy = map(int, numbers)
        self.idle /= IDLE_S
        self.wakeups = wakeups / IDLE_S
        self.event = load / self.events


class Costs:
    """The rows of each load by name, and the instructions of the necessary writes to tracefs."""

    def __init__(self, text):
        self.rows = {load: {} for load in LOADS}
        self.necessary = {}
        for line in text.splitlines():
            load, name, *numbers = line.split()
            if name == "necessary":
                self.necessary[load] = int(numbers[0])
            else:
                self.rows[load][name] = Row(numbers)

    def ratio(self, load, name):
        """The instructions of an event, in those of trace-cmd."""
        return self.rows[load][name].event / self.rows[load]["trace-cmd"].event


def program(folder, name):
    """Compiles a C program of this folder; returns the option that brings it into the machine."""
    path = Path(folder) / name
    source = Path(__file__).resolve().parent / f"{name}.c"
    subprocess.run(["gcc", "-O2", "-static", "-o", path, source], check=True)
    return "--add", f"{path}:/bin/{name}"


def run(folder, kernel):
    """The raw result, to be looked at before it is read."""
    added = [part for name in PROGRAMS for part in program(folder, name)]
    return machine.run(folder, kernel, "live_cost.sh", BURSTS, options=("--icount", "--add", "/usr/bin/trace-cmd:/bin/trace-cmd", *added))

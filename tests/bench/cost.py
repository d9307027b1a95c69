# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel's macros cost: the bench run in an emulated machine that counts instructions."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "vm")]

import machine  # noqa: E402

KERNELS = machine.KERNELS
ROUNDS = 20000

# What is not the row's own: the loop, and for some what the slice encloses.
LOOP = "nothing"
ENCLOSED = {"work_guard": "work", "work_scope_guard": "work", "work_result_guard": "work"}


class Row:
    """One way to write records, in numbers for each round."""

    def __init__(self, line):
        name, records, *numbers = line.split()
        off, off_evaluated, on, on_evaluated, size = map(float, numbers)
        self.name, self.records, self.bytes = name, int(records), size
        self.disabled, self.enabled = off / ROUNDS, on / ROUNDS
        self.evaluated = {"disabled": off_evaluated / ROUNDS, "enabled": on_evaluated / ROUNDS}

    def without(self, other):
        """Takes off what is not its own."""
        self.disabled -= other[0]
        self.enabled -= other[1]


class Costs:
    """All rows on one kernel, by name."""

    def __init__(self, text):
        rows = [Row(line) for line in text.splitlines()]
        self.rows = {row.name: row for row in rows}
        spent = {row.name: (row.disabled, row.enabled) for row in rows}
        for row in rows:
            row.without(spent[ENCLOSED.get(row.name, LOOP)])
        for name in {LOOP, *ENCLOSED.values()}:
            del self.rows[name]

    def ratio(self, name):
        """The instructions of a record, in those of one with two ints."""
        row = self.rows[name]
        return row.enabled / row.records / self.rows["two_ints"].enabled


def run(folder, kernel):
    """The raw result of the bench, to be looked at before it is read."""
    return machine.run(folder, kernel, "kernel_cost.sh", ROUNDS, options=("--icount",))

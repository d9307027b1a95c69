#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack's macros cost in the kernel stays below its bars, in instructions on each kernel."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import cost  # noqa: E402
import machine  # noqa: E402
from tap import Tap  # noqa: E402

# The loop around a row may differ by a little between rows.
EPSILON = 0.01

BOUND = ("guard", "scope_guard", "guard_printf", "guard_evaluating", "work_guard")
KEPT = {"work_scope_guard": 2}
NOT_OURS = ("two_ints", "plain_begin", "trace_printk")

DISABLED_CALL_MAX = 1
DISABLED_BOUND_MAX = 5
# To save and restore a register, for each attribute that is kept till the slice's end.
KEEP_MAX = 2

RATIOS = {"begin": 1.15, "like_begin": 1.15, "scope_begin": 1.35}
BOUND_MORE_MAX = 10
PAIRS = {"guard": ("begin", "end"), "scope_guard": ("scope_begin", "scope_end")}


def disabled_max(name):
    """The most that a row may cost while nobody records."""
    if name in BOUND:
        return DISABLED_BOUND_MAX
    return DISABLED_BOUND_MAX + KEEP_MAX * KEPT[name] if name in KEPT else DISABLED_CALL_MAX


def check_disabled(tap, kernel, costs):
    """What instrumented code pays while nobody records."""
    for row in costs.rows.values():
        if row.name in NOT_OURS:
            continue
        most = disabled_max(row.name)
        tap.ok(
            0 < row.disabled <= most + EPSILON,
            f"{kernel}: disabled, {row.name} takes at most {most}",
            row.disabled,
        )


def check_evaluated(tap, kernel, costs):
    """An argument with a side effect shows when it is evaluated."""
    for name in ("begin_evaluating", "sample_evaluating", "guard_evaluating"):
        found = costs.rows[name].evaluated
        tap.ok(
            found == {"disabled": 0, "enabled": 1},
            f"{kernel}: {name} evaluates its argument once, and only while enabled",
            found,
        )


def check_recorded(tap, kernel, costs):
    """What a record takes, against the cheapest that the kernel has."""
    for name, most in RATIOS.items():
        ratio = costs.ratio(name)
        tap.ok(1 < ratio <= most, f"{kernel}: {name} takes at most {most} of two ints", ratio)
    for name, ends in PAIRS.items():
        more = costs.rows[name].enabled - sum(costs.rows[end].enabled for end in ends)
        tap.ok(
            more <= BOUND_MORE_MAX,
            f"{kernel}: {name} takes at most {BOUND_MORE_MAX} more than its two records",
            more,
        )


def main():
    tap = Tap()
    for kernel in cost.KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            result = cost.run(folder, kernel)
            machine.check_end(tap, kernel, result)
        if result.status == 0:
            costs = cost.Costs(result.output)
            for check in (check_disabled, check_evaluated, check_recorded):
                check(tap, kernel, costs)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

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
import page_costs  # noqa: E402
import sizes  # noqa: E402
from tap import tested  # noqa: E402

# The loop around a row may differ by a little between rows.
EPSILON = 0.01

# A guard with its two events.
BOUND = {
    "guard": ("begin", "end"),
    "work_guard": ("begin", "end"),
    "scope_guard": ("scope_begin", "scope_end"),
    "copy_guard": ("scope_begin", "scope_end"),
    "work_scope_guard": ("scope_begin", "scope_end"),
    "guard_evaluating": ("begin_evaluating", "scope_end"),
    "work_result_guard": ("result_begin", "result_end"),
    "guard_printf": ("begin_printf", "end"),
}
NOT_OURS = ("two_ints", "plain_begin", "trace_printk")

RATIOS = {"begin": 1.15, "like_begin": 1.15, "scope_begin": 1.35}
DISABLED_CALL_MAX = 1
DISABLED_BOUND_MAX = 5
BOUND_MORE_MAX = 10
# A string that the begin copies.
COPY_MORE_MAX = 30

# What ktrack_guard_set() adds: a test, and while traced a store; and its slice has one attribute
# more than those with scope and track name, to be kept till the end.
DISABLED_SET_MAX = 2
SET_MORE_MAX = 4
WITH_SET = ("work_result_guard",)

# What a field of its own costs in a record.
FIELDS = {"async_begin": ("begin", 10), "async_end": ("end", 10), "flow_begin": ("begin", 10)}

# Bytes of .text and static branches of a call with a scope and a field.
CALL_MAX = (40, 1)
GUARD_MAX = (120, 2)
CALLS = {"begin": CALL_MAX, "end": CALL_MAX, "instant": CALL_MAX, "sample": CALL_MAX, "guard": GUARD_MAX}
# All sections of a tracepoint. A kernel whose plain TRACE_EVENT is larger than 7.2's makes it larger, too.
TRACEPOINT_MAX, TRACEPOINT_MORE_MAX = 2850, 426

# What the page reports may be off by so much: other compilers, and later kernels of a series.
REPORTED_SHARE = 0.05
# It also says that a formatted name takes about twice an ordinary one.
FORMATTED = (1.5, 2.5)


def disabled_max(name):
    """The most that a row may cost while nobody records."""
    if name not in BOUND:
        return DISABLED_CALL_MAX
    return DISABLED_BOUND_MAX + (DISABLED_SET_MAX if name in WITH_SET else 0)


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
    for name, (plain, most) in FIELDS.items():
        more = costs.rows[name].enabled - costs.rows[plain].enabled
        tap.ok(0 < more <= most, f"{kernel}: {name} takes at most {most} more than {plain}", more)
    for name, ends in BOUND.items():
        most = BOUND_MORE_MAX + (SET_MORE_MAX if name in WITH_SET else 0)
        most += COPY_MORE_MAX if name == "copy_guard" else 0
        more = costs.rows[name].enabled - sum(costs.rows[end].enabled for end in ends)
        tap.ok(more <= most, f"{kernel}: {name} takes at most {most} more than its two records", more)


def check_reported(tap, kernel, costs):
    """The page for driver authors reports what was measured."""
    page = page_costs.lines()
    if kernel not in page_costs.KERNELS:
        return
    place = page_costs.KERNELS.index(kernel)
    missing = [what for what in page_costs.LINES if what not in page]
    tap.nothing(missing, f"{kernel}: the page reports every form")
    times = costs.rows["begin_printf"].enabled / costs.rows["begin"].enabled
    tap.ok(FORMATTED[0] <= times <= FORMATTED[1], f"{kernel}: a formatted name takes about twice a plain one", times)
    for what, names in page_costs.LINES.items():
        disabled, recorded, size = page.get(what, ([], [], []))
        for row in (costs.rows[name] for name in names if recorded):
            said = f"disabled {disabled}, recorded {recorded[place]}, bytes {size}"
            found = f"disabled {row.disabled}, recorded {row.enabled}, bytes {row.bytes}"
            is_right = abs(row.enabled / recorded[place] - 1) <= REPORTED_SHARE and row.bytes == size[0]
            if disabled and row.name not in NOT_OURS:
                is_right &= disabled[0] - EPSILON <= row.disabled <= disabled[-1] + EPSILON
            tap.ok(is_right, f"{kernel}: {row.name} costs what the page reports", said, found)


def check_sizes(tap, kernel):
    """What instrumented code adds to a module."""
    with tempfile.TemporaryDirectory() as folder:
        calls, points = sizes.measure(folder, kernel)
    for name, (text, branches) in CALLS.items():
        found = calls[name]
        is_ok = 0 < found.text <= text and round(found.branches, 1) <= branches
        tap.ok(is_ok, f"{kernel}: {name} takes at most {text} bytes and {branches} branches", found.text, found.branches)
    found, plain = points["KTRACK_SLICE"].total, points["TRACE_EVENT"].total
    most = max(TRACEPOINT_MAX, plain + TRACEPOINT_MORE_MAX)
    tap.ok(0 < found <= most, f"{kernel}: a tracepoint takes at most {most:.0f} bytes, {plain:.0f} as a plain TRACE_EVENT", found)


@tested
def main(tap):
    for kernel in machine.kernels_with_newest(tap):
        with tempfile.TemporaryDirectory() as folder:
            result = cost.run(folder, kernel)
            machine.check_end(tap, kernel, result)
        check_sizes(tap, kernel)
        if result.status == 0:
            costs = cost.Costs(result.output)
            for check in (check_disabled, check_evaluated, check_recorded, check_reported):
                check(tap, kernel, costs)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a call of ktrack/user.h costs less than trace_marker and a static tracepoint in the same run, and what the page reports."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import user_cost  # noqa: E402
from tap import tested  # noqa: E402

import machine  # noqa: E402

INSTRUCTIONS_MAX = 120
# A call that is off, with its call and return.
OFF_MAX = 6
# The page's numbers may be off by so much, with other compilers and C libraries.
REPORTED_SHARE = 0.1
REPORTED_MORE = 2


def check_costs(tap, kernel, own):
    """The bars, and what is more expensive."""
    for name in ("begin", "end"):
        tap.ok(0 < own[name] <= INSTRUCTIONS_MAX, f"{kernel}: {name} with one field takes at most {INSTRUCTIONS_MAX} instructions without the clock", own)
        complete = own[name] + own["clock"]
        tap.ok(complete < own["tracepoint"] < own["marker"], f"{kernel}: with it, less than a static tracepoint and trace_marker", complete, own)
    tap.ok(own["off"] <= OFF_MAX, f"{kernel}: a call that is off takes at most {OFF_MAX}", own["off"])


def check_page(tap, kernel, own):
    """The page reports what was measured."""
    lines, place = user_cost.page_lines(), user_cost.KERNELS.index(kernel)
    tap.ok(set(lines) == set(user_cost.LINES), f"{kernel}: the page has all rows", lines)
    for what, name in user_cost.LINES.items():
        reported = lines.get(what, [0, 0])[place]
        is_near = abs(reported - own[name]) <= REPORTED_SHARE * own[name] + REPORTED_MORE
        tap.ok(is_near, f"{kernel}: the page's number: {what}", reported, own[name])


@tested
def main(tap):
    """All checks."""
    for kernel in sys.argv[1:] or user_cost.KERNELS:
        result = user_cost.run(kernel)
        machine.check_end(tap, kernel, result)
        if result.status == 0:
            own = user_cost.costs(result.output)
            check_costs(tap, kernel, own)
            check_page(tap, kernel, own)

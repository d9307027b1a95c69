#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what live recording costs stays below its bars, in instructions or compared with trace-cmd record in the same run."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import live  # noqa: E402
import machine  # noqa: E402
from tap import tested  # noqa: E402

KERNEL = "6.12"

# Millions of instructions until recording, more than the writes to tracefs alone take. All limits are what was measured and 3% more.
START_MAX = {("field", "record"): 8.6, ("field", "stream"): 6.7, ("plain", "record"): 6.7, ("plain", "stream"): 5.3}
IDLE_MAX = {"record": 20000, "stream": 100000}
# In those of trace-cmd, and in instructions.
RECORD_RATIO_MAX = 1.03
STREAM_EVENT_MAX = {"plain": 718, "field": 1070}


def check_start(tap, costs):
    """Start-up, compared with the least that a recording takes."""
    for (load, name), limit in START_MAX.items():
        start = costs.rows[load][name].start
        own = (start - costs.necessary[load]) / 1e6
        claim = f"{name} of {live.LOADS[load]} starts in at most {limit} million instructions more than the writes to tracefs take"
        tap.ok(own <= limit, claim, f"{start} and {costs.necessary[load]} instructions")
        tap.comment(f"{name}, {load}: {start} instructions until it records, {own:.2f} million above the necessary ones")


def check_idle(tap, costs, load):
    for name, limit in IDLE_MAX.items():
        idle = costs.rows[load][name].idle
        tap.ok(idle <= limit, f"idle, {name} of {live.LOADS[load]} takes at most {limit} instructions a second", f"{idle:.0f}")


def check_events(tap, costs, load):
    """An event that is recorded, and one that is exported."""
    ratio, event = costs.ratio(load, "record"), costs.rows[load]["stream"].event
    tap.ok(ratio <= RECORD_RATIO_MAX, f"record of {live.LOADS[load]} costs no more than trace-cmd record", f"{ratio:.3f} times")
    limit = STREAM_EVENT_MAX[load]
    tap.ok(event <= limit, f"stream of {live.LOADS[load]} takes at most {limit} instructions for each event", f"{event:.0f}")
    tap.comment(f"{load}: record {ratio:.3f} times trace-cmd, stream {event:.0f} instructions for each event")


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        result = live.run(folder, KERNEL)
    machine.check_end(tap, KERNEL, result)
    if result.status == 0:
        costs = live.Costs(result.output)
        check_start(tap, costs)
        for load in live.LOADS:
            check_idle(tap, costs, load)
            check_events(tap, costs, load)

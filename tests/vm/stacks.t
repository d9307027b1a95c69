#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: kernel stacks follow their records, a storm of them is limited and reported, and tracepoints of modules are refused."""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

LIMIT = 50
# All symbols of a kernel have 8 MB.
SIZE_MAX = 400_000
NS_PER_S = 1000000000
CALLS = 100000
# Instructions for a stack of a system call, which has few functions; one is so many nanoseconds of the guest's clock.
COST_MAX, NS_PER_INSTRUCTION = 6000, 4
LIMITED = f"--stack=sched:sched_switch if prev_state != 0: more than {LIMIT} stacks in a second; the others are not recorded"


class Report:
    """The lines of trace-cmd: (CPU, time in ns, tracepoint)."""

    def __init__(self, text):
        found = re.findall(r"^ *\S.*?-\d+ +\[(\d+)\] *(\d+): +(\w+):", text, re.M)
        self.records = [(int(cpu), int(time), name) for cpu, time, name in found]

    def times(self, name):
        """When a tracepoint was recorded."""
        return [time for _, time, found in self.records if found == name]

    def before_stacks(self):
        """The tracepoint of the record before each stack on its CPU."""
        last = {}
        for cpu, _, name in self.records:
            if name == "kernel_stack":
                yield last.get(cpu)
            last[cpu] = name


def check_storm(tap, kernel, result):
    """Each second has no more than the limit, the next one has some again."""
    text = result.report("storm")
    report = Report(text)
    switches, stacks = report.times("sched_switch"), report.times("kernel_stack")
    tap.ok(len(switches) > 10 * LIMIT, f"{kernel}: many switches", len(switches))
    most = max((sum(begin <= time < begin + NS_PER_S for time in stacks) for begin in stacks), default=0)
    # A second may have the end of one interval and the begin of the next one.
    tap.ok(LIMIT <= most <= 2 * LIMIT, f"{kernel}: few stacks in a second", most)
    last = max(switches, default=0)
    tap.ok(any(time > last - NS_PER_S for time in stacks), f"{kernel}: stacks again after the storm", stacks[-3:], last)
    errors = [line for line in result.text("storm.errors").splitlines() if "stacks in a second" in line]
    wanted = [f"ktrack: {LIMITED}; write a filter for it, or a larger --stack-limit"]
    tap.ok(errors == wanted, f"{kernel}: the limit is reported once", *errors)
    tap.ok(LIMITED in text, f"{kernel}: and in the recording")
    before = set(report.before_stacks())
    tap.ok(before == {"sched_switch"}, f"{kernel}: stacks follow their records on the CPU", before)


def check_outputs(tap, kernel, result):
    """Waits have their stacks in ktrack why, also live; messages of refused options."""
    result.attempt("why", "ktrack", "why", "--folded=why.folded", "quiet.dat", "sched:thread/S@usleep")
    tap.ok(" at " in result.text("why.output") and "schedule_timeout" not in result.text("quiet.errors"), f"{kernel}: a stack in ktrack why", result.text("why.output"), result.text("why.errors"))
    size = (result.folder / "quiet.dat").stat().st_size
    tap.ok(size < SIZE_MAX, f"{kernel}: a short recording with stacks is small", size)
    tap.comment(f"{kernel}: a short recording with stacks has {size} bytes")
    tap.ok("nanosleep" in result.text("why.folded"), f"{kernel}: and folded", result.text("why.folded"))
    tap.ok("test_incident_sleep" in result.text("live.output"), f"{kernel}: a stack of a stream", result.text("live.output"), result.text("live.errors"))
    tap.ok(";test_incident_sleep;" in result.text("live.folded"), f"{kernel}: and folded", result.text("live.folded"))
    lines = [line for line in result.text("live.event").splitlines() if '"category":"ftrace:kernel_stack"' in line]
    tap.ok(any(";msleep;test_incident_sleep;" in line for line in lines), f"{kernel}: and as an instant of its thread", *lines[:3])
    tap.ok("stacks in a second" not in result.text("quiet.errors"), f"{kernel}: few stacks are not limited", result.text("quiet.errors"))
    wanted = (
        "ktrack: --stack=ktrack_test:ktrack_test_thread: a tracepoint of module ktrack_test, which could not be unloaded; write one that is built into "
        "the kernel, such as sched:sched_switch\n"
    )
    tap.ok(result.text("module.errors") == wanted, f"{kernel}: a tracepoint of a module is refused", result.text("module.errors"))
    wanted = "ktrack: --stack=sched:sched_switch: not recorded; select it with -e or -r\n"
    tap.ok(result.text("unselected.errors") == wanted, f"{kernel}: a tracepoint that is not recorded, too", result.text("unselected.errors"))


def check_cost(tap, kernel, result):
    """What a stack costs."""
    times = {}
    for kind in ("plain", "stacks"):
        begin, end = (float(line) for line in result.text(f"{kind}.times").split())
        times[kind] = end - begin
    cost = (times["stacks"] - times["plain"]) * 1e9 / NS_PER_INSTRUCTION / CALLS
    tap.ok(500 < cost < COST_MAX, f"{kernel}: a stack takes less than {COST_MAX} instructions", cost, times)
    tap.comment(f"{kernel}: {cost:.0f} instructions for a stack of a system call")


@tested
def main(tap):
    """All checks."""
    for kernel in sys.argv[1:] or machine.ONE_6_1:
        with machine.ran(kernel, "stacks.sh", options=machine.pair()) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: all are recorded")
            check_storm(tap, kernel, result)
            check_outputs(tap, kernel, result)
            check_cost(tap, kernel, result)

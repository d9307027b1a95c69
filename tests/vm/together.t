#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ten programs with ktrack/user.h, probes of functions and static tracepoints at once: fired = exported + lost, and slices nest."""

import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "programs")]

import machine  # noqa: E402
from programs import PATIENCE, lost, read_plain, unmatched  # noqa: E402
from tap import tested  # noqa: E402

PROGRAMS, THREADS, CALLS = 10, 2, 100
# From the outermost to the innermost.
NESTED = ("together:together_call", "uprobe:outer", "usdt:begin..end")


def fired(output):
    """What each program counted: (slices, functions, tracepoints) by its process."""
    lines = [[int(number) for number in line.split()] for line in output.splitlines() if re.fullmatch(r"\d+( \d+){3}", line)]
    return {pid: tuple(counts) for pid, *counts in lines}


class Stream:
    """An EVENT stream: slices by thread, in the order of their begins."""

    def __init__(self, text):
        self.events = read_plain(text)
        self.slices, self.nr_records, self.processes = defaultdict(list), Counter(), defaultdict(set)
        tracks, stacks = {}, defaultdict(list)
        for event in self.events:
            thread = event.get("thread")
            if event["event"] == "data_json" and event["category"] == "track":
                tracks[thread] = event["value"]
            elif event["event"] == "region_enter":
                self.nr_records[event["category"]] += 1
                stacks[thread].append(event)
            elif event["event"] == "region_leave":
                begin = stacks[thread].pop()
                self.nr_records[event["category"]] += not event.get("unfinished")
                self.processes[event["category"]].add(tracks[thread].get("tgid"))
                self.slices[tracks[thread]["id"]].append((begin["t_abs"], event["t_abs"], event["category"], number_of(begin)))
        for slices in self.slices.values():
            slices.sort(key=lambda slice: (slice[0], NESTED.index(slice[2])))


def number_of(begin):
    """The call's number, which each mechanism has as an argument."""
    arguments = begin["args"]
    return arguments.get("number", arguments.get("arg1"))


def not_nested(stream):
    """Calls whose three slices are not those of one call inside each other."""
    for tid, slices in stream.slices.items():
        for place in range(0, len(slices), len(NESTED)):
            call = slices[place : place + len(NESTED)]
            begins, ends, names, numbers = zip(*call)
            if names != NESTED or len(set(numbers)) != 1 or sorted(ends, reverse=True) != list(ends):
                yield f"thread {tid} at {begins[0]}: {call}"


def check_complete(tap, what, stream, counts, errors):
    """Every call of every program is three slices inside each other."""
    wanted = {(THREADS * CALLS,) * len(NESTED)}
    tap.ok(len(counts) == PROGRAMS and set(counts.values()) == wanted, f"{what}: ten programs counted", counts)
    found = {name: stream.nr_records[name] for name in NESTED}
    sums = {name: 2 * sum(count[place] for count in counts.values()) for place, name in enumerate(NESTED)}
    tap.ok(found == sums and lost(stream.events) == (0, False), f"{what}: fired = exported by each mechanism", found, sums, lost(stream.events), errors)
    tap.ok(len(stream.slices) == PROGRAMS * THREADS, f"{what}: threads are the same for all mechanisms", len(stream.slices))
    tap.nothing(list(not_nested(stream))[:5], f"{what}: the slices of a call nest")


def check_full(tap, what, stream, counts, errors):
    """Little memory: what is missing is counted, by the kernel for its part and by the rings for theirs."""
    total = 2 * sum(sum(count) for count in counts.values())
    exported = sum(stream.nr_records.values()) + unmatched(stream.events)
    number, is_unknown = lost(stream.events)
    tap.ok(len(counts) == PROGRAMS and total == exported + number and not is_unknown, f"{what}: fired = exported + lost", total, exported, number, errors)
    own = [event["args"]["records"] or 0 for event in stream.events if event["event"] == "error" and event.get("args", {}).get("buffer") == "programs"]
    tap.ok(0 < sum(own) < number, f"{what}: both the kernel and the programs lose records", sum(own), number)


def check_kernel(tap, kernel, options):
    """All of it on one kernel."""
    with machine.ran(kernel, "together.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: nothing is left behind")
        tap.ok(result.text("definitions") == "", f"{kernel}: nor are dynamic events", result.text("definitions"))
        for name in ("live", "file", "file_export", "full", "full_export"):
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        for name in ("live", "file"):
            check_complete(tap, f"{kernel}: {name}", Stream(result.text(f"{name}.json")), fired(result.text(f"{name}.output")), result.text(f"{name}.errors"))
        check_full(tap, f"{kernel}: full", Stream(result.text("full.json")), fired(result.text("full.output")), result.text("full.errors"))


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "together"
        source = machine.PROJECT / "tests/vm/together.c"
        subprocess.run(["gcc", "-O2", PATIENCE, f"-I{machine.PROJECT / 'include'}", "-o", program, source], check=True)
        for kernel in sys.argv[1:] or machine.ONE_6_1:
            check_kernel(tap, kernel, ("--add", f"{program}:/together"))

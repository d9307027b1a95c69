#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what an event costs in instructions, how that grows, and that speed changed no value."""

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import growth  # noqa: E402
import inputs  # noqa: E402
import process  # noqa: E402
from baseline import BASELINE  # noqa: E402
from tap import tested  # noqa: E402
from values import naive_values, own_values  # noqa: E402

KTRACK = PROJECT / "build/ktrack"
NAIVE = PROJECT / "build/bench/naive"
SID = "20260101T000000.000000Z-H00000000-P00000001"

# Other compilers and C libraries count otherwise; `make bench` is stricter.
SLACK = 1.25
SIZE = 9000
TRACKS_SIZE = 40000

# Rules make 1.8 lines of each record on average. Valgrind has no seccomp, so that symbolic fields are
# numbers here. The ratio is a limit for this test; `make bench` has the bar.
RULES_SIZE, RULES_RATIO = 4750, 13.5

# Inputs, and slices of them that are explained.
EXPLAINED = {"mixed": "mydrv:io/*", "kernel": "syscalls:call/read"}


def export(path):
    """The stream of a file."""
    command = [KTRACK, "export", f"--sid={SID}", path.name]
    return process.run(command, cwd=path.parent, capture_output=True).stdout


def first_difference(own, naive):
    """The first record that two exporters report differently."""
    for number, (a, b) in enumerate(itertools.zip_longest(own, naive)):
        if a != b:
            return [f"record {number}:", f"ktrack {a}", f"naive  {b}"]
    return [] if number else ["there is nothing"]


def check_values(tap, folder):
    """All records of the benches' inputs, against the naive exporter."""
    scripts = {
        "plain": inputs.plain(SIZE),
        "mixed": inputs.mixed(SIZE),
        "16 CPUs": inputs.on_cpus(SIZE, 16),
        "100 tracks": inputs.on_tracks(SIZE, 100),
        "20 deep": inputs.nested(SIZE, 20),
    }
    for name, script in scripts.items():
        path = inputs.make(folder, "values", script)
        naive = process.run([NAIVE, path], capture_output=True, check=True)
        found = first_difference(
            own_values(export(path).splitlines()), naive_values(naive.stdout.splitlines())
        )
        tap.nothing(found, f"{name}: every value is that of the naive exporter")


def check_baseline(tap, folder):
    """Instructions for each event, against those that were committed."""
    for name, script, rules in inputs.PROFILED:
        for form, options in (("event", []), ("perf", ["--perf=-"])):
            costs = growth.marginal_cost(KTRACK, folder, script, SIZE, *rules, *options)
            now, then = growth.total(costs), BASELINE[f"{name} {form}"]
            modules = ", ".join(f"{module} {cost:.0f}" for module, cost in costs.most_common())
            what = f"{name} as {form}: an event costs what it did"
            tap.ok(now <= then * SLACK, what, f"{now:.0f} instructions, {then} before", modules)
            tap.comment(f"{name} as {form}: {now:.0f} instructions for each event: {modules}")


def check_rules(tap, folder):
    """Instructions for each record of the kernel's tracepoints, against trace-cmd report."""
    own = [KTRACK, "export", "-r", inputs.KERNEL_RULES]
    costs = [
        growth.marginal_total([*map(str, command)], folder, inputs.kernel, RULES_SIZE)
        for command in (own, ["trace-cmd", "report", "-i"])
    ]
    ratio = costs[1] / costs[0]
    claim = f"with rules, a record costs {RULES_RATIO} times fewer instructions than in trace-cmd report"
    tap.ok(ratio >= RULES_RATIO, claim, f"{costs[0]:.0f} and {costs[1]:.0f} instructions")
    tap.comment(f"with rules: {costs[0]:.0f} and {costs[1]:.0f} instructions, {ratio:.1f} times")


def check_growth(tap, folder, what, script, size, counts, limit):
    """The last of some counts costs no more than so many times the first."""
    costs = []
    for count in counts:

        def sized(number, count=count):
            return script(number, count)

        costs.append(growth.total(growth.marginal_cost(KTRACK, folder, sized, size)))
    ratio = costs[1] / costs[0]
    claim = f"an event costs at most {limit} times as much with {counts[1]} {what} as with {counts[0]}"
    tap.ok(ratio <= limit, claim, f"{costs[0]:.0f} and {costs[1]:.0f} instructions")
    tap.comment(f"{counts[0]} to {counts[1]} {what}: {ratio:.2f} times")


def check_overview(tap, folder):
    """Instructions of an overview for each record, against those of statistics."""
    for name, script, _ in inputs.PROFILED:
        own, statistics = [growth.marginal_total([str(KTRACK), command], folder, script, SIZE) for command in ("why", "stat")]
        claim = f"{name}: a record costs ktrack why without a slice at most twice what it costs ktrack stat"
        tap.ok(own <= 2 * statistics, claim, f"{own:.0f} and {statistics:.0f} instructions")
        tap.comment(f"{name}: {own:.0f} instructions in ktrack why, {statistics:.0f} in ktrack stat")


def check_slice(tap, folder):
    """Instructions of an explained slice for each record, against those of statistics with the same packs."""
    scripts = {name: script for name, script, _ in inputs.PROFILED}
    for name, slices in EXPLAINED.items():
        script = scripts[name]
        own = growth.marginal_total([str(KTRACK), "why"], folder, script, SIZE, slices)
        statistics = growth.marginal_total([str(KTRACK), "stat"], folder, script, SIZE)
        claim = f"{name}: a record costs ktrack why of a slice no more than ktrack stat"
        tap.ok(own <= statistics, claim, f"{own:.0f} and {statistics:.0f} instructions")


@tested
def main(tap):
    subprocess.run(["make", "-s", "bench-tools"], cwd=PROJECT, check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_values(tap, folder)
        check_baseline(tap, folder)
        check_rules(tap, folder)
        check_overview(tap, folder)
        check_slice(tap, folder)
        check_growth(tap, folder, "CPUs", inputs.on_cpus, 9600, (1, 16), 2)
        check_growth(tap, folder, "tracks", inputs.on_tracks, TRACKS_SIZE, (10, 10000), 3)

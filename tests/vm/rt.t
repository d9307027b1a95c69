#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the pack rt has all records of the tracers osnoise and timerlat of a kernel with PREEMPT_RT; soft interrupts are threads'."""

import json
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "cli")]

import blocks  # noqa: E402
import machine  # noqa: E402
from rule_stream import SOFTIRQS, Stream  # noqa: E402
from tap import tested  # noqa: E402

KERNEL = "6.12-rt"
# examples.t leaves these out.
OF_TRACERS = "current_tracer"
NOISE = {"irq_noise": "irq", "softirq_noise": "softirq", "thread_noise": "thread", "nmi_noise": "nmi", "sample_threshold": "noise"}


def values_of(text):
    """The durations of noise and the values of counters in a stream, by the first word of their name or their rule."""
    found, tracks = defaultdict(list), {}
    for line in text.splitlines():
        event = json.loads(line)
        if event["event"] == "data_json" and event["category"] == "track":
            tracks[event["thread"]] = event["value"]
        elif event["event"] == "data_json" and event["category"] == "rt:noise":
            found[event["key"].split()[0]].append(event["value"]["duration"])
        elif event["event"] == "data" and event["category"].startswith("rt:"):
            found[event["category"]].append(int(event["value"]))
    return found


def check_noise(tap, what, trace, found):
    """All noise, with its durations; the kernel's text is the measure."""
    for tracepoint, word in NOISE.items():
        wanted = [int(ns) for ns in re.findall(rf": {tracepoint}: .*duration (\d+) ns", trace)]
        tap.ok(found[word] == wanted, f"{what}: {tracepoint}", len(found[word]), len(wanted))
    tap.ok(found["irq"] and found["thread"], f"{what}: there is some")


def check_softirqs(tap, result):
    """They run in threads, which other soft interrupts of the CPU may preempt; hard interrupts are the CPU's."""
    tap.ok(result.text("softirqs.status") == "0\n", f"{KERNEL}: irq ends well", result.text("softirqs.errors"))
    tracks = Stream(result.text("softirqs.event")).tracks
    soft, hard = ({key[1] for key, slices in tracks.items() for one in slices if (one.label in SOFTIRQS) == is_soft} for is_soft in (True, False))
    tap.ok(soft == {"thread"}, f"{KERNEL}: soft interrupts are slices of threads", soft)
    tap.ok("cpu" in hard, f"{KERNEL}: hard interrupts are slices of CPUs", hard)


def example_write(path):
    """The page's commands that start a tracer, which keeps the CPUs busy: for a second instead of ten."""
    found = [block for block in blocks.blocks("shell") if OF_TRACERS in block.text and " -d 10 " in block.text]
    path.write_text(blocks.commands_of(found[0]).replace(" -d 10 ", " -d 1 "))
    return len(found)


def check_machine(tap, example):
    """What the guest found."""
    with machine.ran(KERNEL, "rt.sh", options=["--add", f"{example}:/example"]) as result:
        machine.check_end(tap, KERNEL, result)
        tap.nothing(result.output.splitlines(), f"{KERNEL}: no complaints")
        absent = [line for line in result.text("list.output").splitlines() if line.startswith("rt:") and not line.endswith("yes")]
        tap.nothing(absent, f"{KERNEL}: all records exist")
        for tracer in ("osnoise", "timerlat"):
            trace, found = result.text(f"{tracer}.trace"), values_of(result.text(f"{tracer}.event"))
            tap.ok(result.text(f"{tracer}-file.status") == "0\n", f"{KERNEL}: {tracer} in a file", result.text(f"{tracer}-record.errors"), result.text(f"{tracer}-file.errors"))
            check_noise(tap, f"{KERNEL}: {tracer}", trace, found)
        for context in ("irq", "thread"):
            wanted = [int(ns) for ns in re.findall(rf"context +{context} timer_latency +(\d+) ns", trace)]
            counted = found[f"rt:{context}_latency"]
            tap.ok(counted == wanted != [], f"{KERNEL}: latencies of {context}", len(counted), len(wanted))
        found = values_of(result.text("osnoise.event"))
        tap.ok(found["rt:noise_sum"] and found["rt:noise_max"], f"{KERNEL}: sums of noise", dict(found).keys())
        check_softirqs(tap, result)
        tap.ok(result.text("example.status") == "0\n", f"{KERNEL}: the page's example works", result.text("example.errors"))


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as scratch:
        example = Path(scratch) / "example"
        tap.ok(example_write(example) == 1, "the page has one example that starts a tracer")
        check_machine(tap, example)

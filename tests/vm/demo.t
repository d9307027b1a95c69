#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the demo shows the way of the data, the first lines and the tracks, and a program with the driver; it keeps the streams."""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "stream", "vm")]

import machine  # noqa: E402
from contract import Batch  # noqa: E402
from tap import tested  # noqa: E402

BATCH = Batch(20)
JOBS = 20
# The slices with the flow of a request, in order: tracepoint and name.
STAGES = [
    ("demo_client:client_job", "make"), ("demo_client:client_job", "submit"), ("ktrack_demo:ktrack_demo_submit", "submit"),
    ("ktrack_demo:ktrack_demo_io", "request"), ("ktrack_demo:ktrack_demo_work", "handle"),
]


def check_program(tap, text):
    """Program, driver and scheduler in one stream, with flows between them."""
    stages, states, wakeups = defaultdict(list), Counter(), 0
    for line in text.splitlines():
        event = json.loads(line)
        for flow in event.get("flow", ()) if event["event"] == "region_enter" else ():
            stages[flow].append((event["category"], event["label"]))
        if event["event"] == "region_enter" and event["category"] == "sched:thread" and "demo-client" in event["thread"]:
            states[event["label"]] += 1
        wakeups += event["event"] == "data_json" and event["category"] == "sched:wakeup"
    requests = {f"ktrack_demo_request:0x{BATCH.requests + 1 + job:x}": STAGES for job in range(JOBS)}
    found = {flow: [stage for stage in begun if stage in STAGES] for flow, begun in stages.items() if flow in requests}
    tap.ok(found == requests, "a flow leads from the program's threads to the driver and its worker", found)
    tap.ok(states["Running"] > JOBS and states["S"] > 0, "the states of the program's threads are on the same page", states)
    tap.ok(wakeups > 2 * JOBS, "and who woke whom", wakeups)


def is_in_order(words, text):
    """True where the words follow one another."""
    place = 0
    for word in words:
        place = text.find(word, place)
        if place < 0:
            return False
        place += len(word)
    return True


def check_demo(tap, kept):
    """What it prints, and leaves in a folder."""
    command = [machine.PROJECT / "scripts/demo", "--out", kept, str(BATCH.requests)]
    result = machine.run_again(kept, "6.12", lambda: machine.Result(subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False), kept))
    tap.ok(result.status == 0, "the demo ends well", result.status, result.output, result.errors)
    way = ("ktrack_demo.ko", "tracepoints", "ring buffers", "ktrack stream", "stream.json")
    tap.ok(is_in_order(way, result.output), "it shows the way of the data", result.output)
    # A lane for each request in flight, and a track more where requests are completed on both CPUs.
    went = re.search(rf" {BATCH.records()} records on 1[1-5] tracks\n", result.output)
    tap.ok(went is not None, "and how much went it", result.output)
    lines = ('{"event":"version",', '{"event":"thread_start",', "\nTRACK ", "\nth11:")
    tap.ok(is_in_order(lines, result.output), "it shows lines and tracks", result.output)
    check_program(tap, (kept / "program.json").read_text())
    shown = [f"{category}  {name}  on track" for category, name in STAGES]
    tap.ok(is_in_order(shown, result.output), "it shows the flow of a request", result.output[-2000:])
    missing = [
        name
        for name in ("stream.json", "program.json", "page.html", "tracks.txt", "tracepoints.txt")
        if not (kept / name).exists()
    ]
    tap.nothing(missing, "it keeps what came of it")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_demo(tap, Path(folder, "demo"))

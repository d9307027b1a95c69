#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: texts of trace_marker as slices, counters and instants: live, recorded, of the top level, and of trace-cmd's files; and that
programs and other instances miss none where the kernel copies them."""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

ROUNDS = 50
# These kernels copy texts of the top level's trace_marker to instances.
COPYING = ("newest",)
# They have an instance that the boot makes, which survives a restart.
SURVIVOR = "reserve_mem=1M:4096:trace trace_instance=survivor^traceoff@trace"
HINT = (
    "ktrack: -r marker: this kernel (before 6.16) copies no texts of programs from trace_marker; let them write to "
    "/sys/kernel/tracing/instances/ktrack-{}/trace_marker, or read the top level's buffer with --instance=top\n"
)
# Runs of copies.sh, and the hints of those that get no copies.
COPIES = {
    "record": "",
    "stream": "",
    "oneshot": "because they could not write when a buffer is full",
    "limited": "because those on other CPUs could not write",
    "killed": "",
    "persistent": "",
}
RUNS = {
    "own": "live",
    "recorded": "recorded",
    "top": "the top level, live",
    "snapshot": "the top level, at the end",
    "attached": "a recording of the top level",
    "saved": "a saved buffer of the top level",
    "file": "a file of trace-cmd",
}


class Stream:
    """Slices, samples and instants of an EVENT stream by rule, and the tracks that they are on."""

    def __init__(self, text):
        self.slices, self.values, self.instants = defaultdict(list), defaultdict(list), defaultdict(list)
        self.tracks, self.counters = {}, Counter()
        stacks = defaultdict(list)
        for line in text.splitlines():
            event = json.loads(line)
            kind, thread = event["event"], event.get("thread")
            if kind == "region_enter":
                stacks[thread].append(event)
            elif kind == "region_leave":
                begin = stacks[thread].pop()
                if not event.get("unfinished"):
                    self.slices[event["category"]].append((begin["label"], begin["nesting"], self.tracks[thread]))
            elif kind == "data":
                self.values[event["category"]].append(int(event["value"]))
            elif kind == "data_json" and event["category"] == "track":
                self.tracks[thread] = event["value"]
            elif kind == "data_json" and event["category"].startswith("marker:"):
                self.instants[event["category"]].append(event["key"])
            elif kind == "th_counter":
                self.counters[event["name"]] += event["count"]


def check_stream(tap, what, stream):
    """All texts of one run of the program."""
    calls, requests = stream.slices["marker:call"], stream.slices["marker:async"]
    wanted = Counter({(f"frame {number}", 1): 1 for number in range(ROUNDS)}) + Counter({("inner", 2): ROUNDS})
    found = Counter((label, nesting) for label, nesting, _ in calls)
    tap.ok(found == wanted, f"{what}: a slice for each begin and end, nested", found - wanted, wanted - found)
    tap.ok(len(requests) == ROUNDS, f"{what}: slices that other threads end", len(requests))
    threads = {track["id"] for _, _, track in calls}
    processes = {track["id"] for _, _, track in requests}
    tap.ok(len(threads) == 1 and threads == processes, f"{what}: on the writer's track, and on its process's", threads, processes)
    tap.ok(stream.values["marker:counter"] == [-number for number in range(ROUNDS)], f"{what}: a counter", stream.values)
    tap.ok(stream.instants["marker:instant"] == ["tap"] and stream.instants["marker:track_instant"] == ["key"], f"{what}: instants", stream.instants)
    tap.ok([label for label, _, _ in stream.slices["marker:track"]] == ["read"], f"{what}: a slice on a named track")
    texts = stream.instants["marker:text"]
    plain = [text for text in texts if not text.startswith("0")]
    tap.ok(plain[0] == "hello from a script" and plain[1].startswith("B|") and plain[2].startswith("C|") and len(plain) == 4, f"{what}: other texts", plain)
    # The kernel may split a long text, of which a name has the first 512 bytes.
    tap.ok("0" * 512 in texts and all(set(text) <= {"0", "7"} for text in texts if text not in plain), f"{what}: a long text", [text[:9] for text in texts])
    tap.nothing(list(stream.counters.items()), f"{what}: every end has a begin")


def check_copies(tap, kernel, result):
    """Other programs write all their texts, and other instances get all, whatever ktrack does."""
    machine.check_end(tap, kernel, result)
    tap.nothing(result.output.splitlines(), f"{kernel}: programs that write: no complaints")
    tap.ok(result.text("persistent.option") == "1\n" * 2, f"{kernel}: an instance of the boot gets copies, too", result.text("persistent.errors"))
    for name, hint in COPIES.items():
        writes, failed, copies = map(int, result.text(f"{name}.counts").split() or (0, 0, 0))
        what = f"{kernel}: {name}"
        tap.ok(writes > 100 and failed == 0 and copies == writes, f"{what}: all texts are written, and copied to others", writes, failed, copies)
        if hint:
            tap.ok(hint in result.text(f"{name}.errors"), f"{what}: why ktrack gets no copies", result.text(f"{name}.errors"))


def check_kernel(tap, kernel):
    """All of it on one kernel."""
    copies = kernel in COPYING
    scripts = {"marker.sh": ("copies",), "copies.sh": ()} if copies else {"marker.sh": ()}
    options = (*machine.SINGLE, "--add", "/usr/bin/trace-cmd:/bin/trace-cmd", *["--append", SURVIVOR][: 2 * copies])
    with machine.ran_together(kernel, scripts, options=options) as (result, *others):
        for other in others:
            check_copies(tap, kernel, other)
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        for name, what in RUNS.items():
            text = result.text(f"{name}.json")
            if tap.ok(text, f"{kernel}: {what}: there is a stream", result.text(f"{name}.errors")):
                check_stream(tap, f"{kernel}: {what}", Stream(text))
        tap.ok(result.text("saved.status") == "0\n", f"{kernel}: a saved buffer is not damaged", result.text("saved.errors"))
        for name, texts in {"attached": [": print: "], "saved": [": print: "], "stack": ["kernel_stack: ", ": function: "]}.items():
            report = result.text(f"{name}.report")
            tap.ok(all(text in report for text in texts) and "UNKNOWN" not in report, f"{kernel}: trace-cmd reads the file {name}", report[-500:])
        tap.ok('"key":"do_sys_openat2' in result.text("calls.json"), f"{kernel}: functions of a saved buffer have names", result.text("calls.errors"), result.text("calls.json")[-500:])
        if copies:
            check_stream(tap, f"{kernel}: texts of the top level, copied", Stream(result.text("copied.json")))
        source = next((json.loads(line)["value"] for line in result.text("own.json").splitlines() if '"param":"source"' in line), "-")
        errors = result.text("own.errors")
        tap.ok((HINT.format(source.rpartition("-")[2]) in errors) != copies, f"{kernel}: where programs have to write", errors)
        for name in ("strings", "kept"):
            events = map(json.loads, result.text(f"{name}.json").splitlines())
            texts = [event["key"] for event in events if event.get("category") == "rcu:use"]
            are_strings = len(texts) > 10 and all(text.startswith(("Start ", "End ")) for text in texts)
            tap.ok(are_strings, f"{kernel}: strings of the kernel, {name}", texts[:5])
        tap.ok(int(result.text("strings.printed")) > 5, f"{kernel}: trace-cmd reads the strings of a recording", result.text("strings.printed"))
        tap.ok(result.text("top.state").startswith("nop\n"), f"{kernel}: the top level has its settings", result.text("top.state"))


@tested
def main(tap):
    """All checks."""
    for kernel in sys.argv[1:] or machine.kernels_with_newest(tap, machine.ONE_6_12):
        check_kernel(tap, kernel)

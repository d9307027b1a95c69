#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: rules wait for a module's tracepoint, and follow it through loads of builds with different formats; nothing is decoded by another format."""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
import modules  # noqa: E402
from tap import tested  # noqa: E402

TRACEPOINT = "ktrack_test:ktrack_test_cpu"
RULE = f"instant my:number event={TRACEPOINT} name=number {{sequence}} args=sequence,scope_cpu"
HEADER = "kmod/ktrack_test_trace.h"
ONE = "KTRACK_SLICE(ktrack_test_cpu, KTRACK_SCOPE_CPU, KTRACK_FIELD(u32, sequence));"
OTHER = ONE.replace("KTRACK_FIELD(u32, sequence)", "KTRACK_FIELD(u64, sequence)")
LOADS = 4
# Kernels that give ids of tracepoints that have gone to others at once.
REUSING = ("6.12",)


def builds(kernel, folder):
    """The options that copy both builds of the module."""
    for name, edits in (("one", ()), ("other", [(HEADER, ONE, OTHER)])):
        (folder / name).mkdir()
        path = modules.build(kernel, folder / name, ["ktrack_test"], "-DKTRACK_NO_PIN", edits)[0]
        yield from ("--add", f"{path}:/{name}/ktrack_test.ko")


def numbers_of(events):
    """How often each number of each CPU is read; the name, which the format renders, has to have it, too."""
    found = Counter()
    for event in events:
        if event.get("category") == "my:number":
            args = event["value"]
            found[args["scope_cpu"], args["sequence"] if event["key"] == f"number {args['sequence']}" else event["key"]] += 1
    return found


def check_load(tap, what, events, fired):
    """The tracepoint writes some of all records of a load: the last number is the last of its CPU that the scenario gives it."""
    found = numbers_of(events)
    last = {int(cpu): int(number) for cpu, number in re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)", fired, re.MULTILINE)}
    wrong = [key for key, count in found.items() if count != 1 or not isinstance(key[1], int) or not 0 < key[1] <= last.get(key[0], 0)]
    tap.ok(found and not wrong, f"{what}: each number of each CPU once", wrong[:5], last)
    by_cpu = {cpu: sorted(number for one, number in found if one == cpu) for cpu in last}
    tap.ok(len(set(map(tuple, by_cpu.values()))) == 1 and all(len(one) > 10 for one in by_cpu.values()), f"{what}: the same ones on all CPUs", by_cpu)
    return by_cpu


def check_stream(tap, kernel, result):
    """A stream that has released the module before each unload misses nothing."""
    loads, said = [[]], []
    for line in result.text("stream.json").splitlines():
        event = json.loads(line)
        if event.get("key") == "tracepoint":
            said.append(event["value"]["recorded"])
            loads += [[]] if said[-1] == "until_now" else []
        loads[-1].append(event)
    tap.ok(said == ["from_now", "until_now"] * LOADS, f"{kernel}: stream: from when to when it is recorded", said)
    found = [check_load(tap, f"{kernel}: stream: load {number}", loads[number - 1], result.text(f"stream.{number}.fired")) for number in range(1, LOADS + 1)]
    tap.ok(found == found[:1] * LOADS, f"{kernel}: stream: each load has the same records")
    tap.nothing(result.text("stream.errors").splitlines(), f"{kernel}: stream: nothing to say")


def exported(path):
    """The events of a recording, and the messages."""
    command = [machine.PROJECT / "build/ktrack", "export", "--include-self", "-r", RULE, "--event=/dev/stdout", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check_files(tap, kernel, result):
    """A recording of one build is exact. What was written before and after an unload is exported only if it is sure what it means."""
    events, errors = exported(result.folder / "whole.dat")
    tap.nothing(errors.splitlines(), f"{kernel}: recording: is exported")
    check_load(tap, f"{kernel}: recording", events, result.text("whole.1.fired"))
    lines = result.text("record.errors").splitlines()
    tap.ok(lines and "unloaded while it was recorded" in lines[0], f"{kernel}: recording of two builds: the unload is reported", *lines)
    ids = [line.split()[2] for line in result.text("ids").splitlines() if line.startswith("record ")]
    events, errors = exported(result.folder / "record.dat")
    if ids[0] != ids[1]:
        check_load(tap, f"{kernel}: recording of two builds: the second one", events, result.text("record.2.fired"))
        return
    is_reported = any("records with these ids cannot be decoded" in line for line in lines)
    tap.ok(is_reported and not numbers_of(events), f"{kernel}: recording of two builds with one id: records are not decoded", *lines)


def check_kernel(tap, kernel):
    """All of it on one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        options = (*machine.SINGLE, *builds(kernel, Path(folder)))
        with machine.ran(kernel, "rule_modules.sh", RULE, options=options) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
            check_stream(tap, kernel, result)
            check_files(tap, kernel, result)
            ids = {tuple(line.split()[2:]) for line in result.text("ids").splitlines()}
            tap.ok(kernel not in REUSING or len(ids) == 1, f"{kernel}: both builds have the same id", *ids)


@tested
def main(tap):
    for kernel in sys.argv[1:] or machine.ONE_6_1:
        check_kernel(tap, kernel)

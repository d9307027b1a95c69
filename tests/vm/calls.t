#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: system calls of 32-bit programs have their own names, live, from files, and from trace-cmd's files."""

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# The program's own calls, and those of its child.
PARENT, CHILD = {"getpid", "fork", "waitpid", "nanosleep", "exit"}, {"getuid", "exit"}
STREAMS = {"live": "live", "record": "file", "killed": "recovered", "trace-cmd": "theirs"}


def calls_read(text):
    """Names by thread: of the calls that are marked as a 32-bit program's, and of all others."""
    marked, others, tids = defaultdict(Counter), defaultdict(Counter), {}
    for line in text.splitlines():
        event = json.loads(line)
        if event["event"] == "data_json" and event["category"] == "track":
            tids[event["thread"]] = event["value"]["id"]
        elif event["event"] == "region_enter":
            is_marked = event.get("args", {}).get("abi") == "i386"
            (marked if is_marked else others)[tids[event["thread"]]][event["label"]] += 1
    return marked, others


def check_stream(tap, what, text, early, has_executed):
    """One output: a 32-bit program from before the recording, unless @early is None, and one during it."""
    marked, others = calls_read(text)
    if early:
        tap.ok(set(marked[early]) == PARENT - {"exit"}, f"{what}: the program from before the recording", marked[early])
        tap.nothing(sorted(others[early]), f"{what}: all of its calls are marked")
    executed = [tid for tid in marked if tid != early and "getpid" in marked[tid]]
    tap.ok(len(executed) == has_executed, f"{what}: a program is executed", executed)
    for tid in executed:
        tap.ok(set(marked[tid]) == PARENT and others[tid]["execve"] == 1, f"{what}: its calls", marked[tid], others[tid])
    children = [names for tid, names in marked.items() if tid != early and tid not in executed]
    tap.ok(children and all(set(names) <= CHILD for names in children), f"{what}: calls of its children", children)
    tap.ok(any(set(names) == CHILD for names in children), f"{what}: all calls of a child", children)
    rest = {name for tid, names in others.items() for name in names}
    tap.ok({"brk", "execve", "wait4", "clock_nanosleep"} <= rest or not has_executed, f"{what}: 64-bit programs have theirs", rest)


def check_kernel(tap, kernel, folder):
    """All of it on one kernel."""
    program = Path(folder) / "calls"
    source = machine.PROJECT / "tests/vm/calls.c"
    options = ["-m32", "-O2", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-fno-stack-protector"]
    subprocess.run(["gcc", *options, "-o", program, source], check=True)
    options = (*machine.SINGLE, "--add", f"{program}:/calls", "--add", "/usr/bin/trace-cmd:/bin/trace-cmd")
    with machine.ran(kernel, "calls.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        for name in ("live", "record", "recover", "other", "file", "recovered", "theirs"):
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        for what, name in STREAMS.items():
            early = None if what == "trace-cmd" else int(result.text("early"))
            check_stream(tap, f"{kernel}: {what}", result.text(f"{name}.json"), early, int(what != "killed"))


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        for kernel in machine.ONE_6_1:
            check_kernel(tap, kernel, folder)

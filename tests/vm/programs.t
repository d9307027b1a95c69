#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: records of programs and of the kernel are merged by time: a thread emits events only while the scheduler ran it; and they
are not taken for each other.
"""

import bisect
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "programs")]

import machine  # noqa: E402
from programs import exported, fired, lost  # noqa: E402
from tap import tested  # noqa: E402

# Two threads of the program and of its child, a begin and an end for each pair.
NR_RECORDS = 2 * 2 * 2 * 300


def begins_read(events):
    """Times of slices of the program by thread, and times at which each thread began to run, and stopped."""
    tids, own, running, waiting = {}, defaultdict(list), defaultdict(list), defaultdict(list)
    for event in events:
        if event["event"] == "data_json" and event["category"] == "track":
            tids[event["thread"]] = event["value"].get("id")
        if event["event"] not in ("region_enter", "region_leave"):
            continue
        tid = tids[event["thread"]]
        if event["category"] == "prog:prog_one":
            own[tid].append(event["t_abs"])
        elif event["category"] == "sched:thread" and event["event"] == "region_enter":
            (running if event["label"] == "Running" else waiting)[tid].append(event["t_abs"])
    return own, running, waiting


def not_running(events):
    """Events of the program at a time at which its thread waited."""
    own, running, waiting = begins_read(events)
    for tid, times in own.items():
        for time in times:
            began = bisect.bisect(running[tid], time)
            stopped = bisect.bisect_left(waiting[tid], time)
            last_stop = waiting[tid][stopped - 1] if stopped else -1
            if not began or last_stop > running[tid][began - 1]:
                yield f"thread {tid} at {time}"


def check_output(tap, what, text, output):
    """One output: complete, and in order."""
    events = [json.loads(line) for line in text.splitlines()]
    mine = [event for event in events if event.get("category") in ("prog:prog_one", "ktrack") or event["event"] in ("error", "data_json")]
    tap.ok(fired(output) == exported(mine) == NR_RECORDS and lost(events) == (0, False), f"{what}: fired = exported", fired(output), exported(mine), lost(events))
    times = [event["t_abs"] for event in events if event["event"] in ("region_enter", "region_leave")]
    tap.ok(times == sorted(times), f"{what}: in time order")
    return events


def check_forged(tap, what, text):
    """Names of the kernel that a program gives its events: the scheduler's tracks have nothing of them."""
    events = [json.loads(line) for line in text.splitlines()]
    forged = [event for event in events if "FORGED" in json.dumps(event) and event.get("category") not in ("track", "summary")]
    own = {event["category"] for event in forged if event["event"] != "def_param"}
    tap.ok(own and all(category.startswith("program:sched:") for category in own), f"{what}: forged records are a program's", own)
    states = {event["label"] for event in events if event["event"] == "region_enter" and event["category"] == "sched:thread"}
    tap.ok(states and states <= {"Running", "Runnable", *"RSDTtXZPI", "R+"}, f"{what}: states are the scheduler's", states)


def check_kernel(tap, kernel, programs):
    """All of it on one kernel."""
    added = [word for program in programs for word in ("--add", f"{program}:/{program.name}")]
    with machine.ran(kernel, "programs.sh", options=(*machine.SINGLE, *added)) as result:
        machine.check_end(tap, kernel, result)
        for name in ("live", "record", "file", "chosen", "unchosen", "waiting", "waiting_file", "other", "forged_live", "forged_record", "forged_file", "forged_why", "alone"):
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        for name in ("live", "file", "chosen"):
            events = check_output(tap, f"{kernel}: {name}", result.text(f"{name}.json"), result.text(f"{name}.fired"))
            tap.nothing(list(not_running(events)), f"{kernel}: {name}: threads emit events while they run")
        waiting, other = ([json.loads(line) for line in result.text(f"{name}.json").splitlines()] for name in ("waiting", "other"))
        tap.ok(exported(waiting) == 1200, f"{kernel}: waiting: events of the command are recorded without --programs", exported(waiting))
        tap.ok(exported(other) == 2, f"{kernel}: other: a short program of another user has found ktrack", exported(other))
        unchosen, errors = result.text("unchosen.json"), result.text("unchosen.errors")
        tap.ok('"sched:thread"' in unchosen and "prog_one" not in unchosen, f"{kernel}: unchosen: the scheduler's tracks, and none of the program", unchosen[:300])
        tap.ok("'prog:nothing': no tracepoint, and no program has emitted such an event; " in errors, f"{kernel}: unchosen: that is reported", errors)
        for name in ("forged_live", "forged_file"):
            check_forged(tap, f"{kernel}: {name}", result.text(f"{name}.json"))
        check_output(tap, f"{kernel}: without tracefs", result.text("alone.json"), result.text("alone.fired"))


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        programs = [Path(folder) / name for name in ("load", "forge")]
        for program in programs:
            source = machine.PROJECT / f"tests/programs/{program.name}.c"
            subprocess.run(["gcc", "-O2", "-static", f"-I{machine.PROJECT / 'include'}", "-o", program, source], check=True)
        for kernel in machine.ONE_6_12:
            check_kernel(tap, kernel, programs)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: instructions and memory of ktrack why against those of ktrack stat: many slices, and such that overlap or grow."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / part) for part in ("tests", "tests/bench")]

import inputs  # noqa: E402
from tap import tested  # noqa: E402

MKTRACE = PROJECT / "tests/golden/mktrace"
KTRACK = PROJECT / "build/ktrack"
PACKS = "sched,irq,locks,workqueue,block,timers,writeback,reclaim"
LIMIT_KIB = 64 * 1024
LIMIT_RATIO = 3
SLICES = 1000000
# Instructions are proportional to slices: callgrind counts those of fewer.
COUNTED_SLICES = 40000

EVENTS = f"task 7 reader\nevent mydrv:io 5000 char track_event_type; string slice_name\n{inputs.TASKS_AND_INTERRUPTS}"
# Four slices, one of which waits for a disk.
ROUND = """
+300 7@0 io B read
+300 7@0 io E read
+300 7@0 io B read
+100 7@0 io B check
+300 7@0 io E check
+200 7@0 sched_switch prev_comm=reader prev_pid=7 prev_state=2 next_comm=swapper/0 next_pid=0
+{delay} 0@0 irq_handler_entry irq=11 name=virtio0
+300 0@0 sched_waking comm=reader pid=7 target_cpu=0
+100 0@0 irq_handler_exit irq=11 ret=1
+200 0@0 softirq_entry vec=4
+300 0@0 softirq_exit vec=4
+400 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 next_comm=reader next_pid=7
+300 7@0 io E read
+300 7@0 io B write
+300 7@0 io E write
"""
ROUND_SLICES = 4

# A worker with a long queue: each request waits for thousands of others.
IN_FLIGHT, OVERLAPPING = 2000, 12000
OVERLAP_RATIO = 20
OVERLAP_EVENTS = """event mydrv:request 5001 char track_event_type; string slice_name; ktrack_async_id scope_id
event mydrv:work 5002 char track_event_type; string slice_name
1us 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=reader next_pid=7
1us 0@1 sched_switch prev_comm=swapper/1 prev_pid=0 prev_state=0 next_comm=worker next_pid=8
"""


def make(path, slices):
    """A trace.dat in which every fiftieth wait is long."""
    rounds = slices // ROUND_SLICES
    parts = [f"repeat {rounds * share // 1000}{ROUND.format(delay=delay)}end\n" for share, delay in ((98, 900), (2, 9000)) * 10]
    subprocess.run([MKTRACE, "-", path], input=f"{EVENTS}\n{''.join(parts)}".encode(), check=True)
    return path


def instructions(*words):
    """What a command executes, without its children."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", KTRACK, *words]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return max(int(count.replace(",", "")) for count in re.findall(r"Collected : ([\d,]+)", done.stderr))


def memory(*words):
    """The largest memory of a command in KiB, and its output."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([KTRACK, *words], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return child.returncode, usage.ru_maxrss, out.read().decode()


def check_memory(tap, path):
    """A million slices."""
    make(path, SLICES)
    status, size_kib, text = memory("why", "--aggregate", path, "mydrv:*/*")
    tap.ok(status == 0 and text.startswith(f"{SLICES} slices; "), "a million slices are compared", status, text)
    tap.ok(size_kib <= LIMIT_KIB, "in no more than 64 MiB", f"{size_kib} KiB")
    tap.comment(f"{size_kib} KiB")


def check_instructions(tap, path):
    """Statistics of the slices alone are the measure, although the explanation also needs the tracks of the packs."""
    make(path, COUNTED_SLICES)
    stat = instructions("stat", path)
    why = instructions("why", "--aggregate", path, "mydrv:*/*")
    tap.ok(why <= LIMIT_RATIO * stat, "at most three times the instructions of stat", why, stat)
    with_packs = instructions("stat", "-e", "mydrv", "-r", PACKS, path)
    ratios = f"{why / stat:.2f} times those of stat, {why / with_packs:.2f} times those of stat with the same rules"
    tap.comment(f"{why / COUNTED_SLICES:.0f} instructions for each slice, {ratios}")


def check_overlap(tap, path):
    """Thousands of requests in flight: as many are explained as linear time allows, each of them completely."""
    begins = "".join(f"+100 7@0 request B read {i}\n" for i in range(IN_FLIGHT))
    rounds = "".join(
        f'+100 8@1 work B item\n+100 8@1 work E item\n+10 8@1 request E "" {i}\n+10 7@0 request B read {i + IN_FLIGHT}\n'
        for i in range(OVERLAPPING)
    )
    subprocess.run([MKTRACE, "-", path], input=f"{EVENTS}\n{OVERLAP_EVENTS}{begins}{rounds}".encode(), check=True)
    answer = json.loads(memory("why", "--aggregate", "--json", path, "read")[2])
    found = answer["aggregate"]
    total = found["count"] + found["not_counted"] + found["not_explained"]
    tap.ok(total == answer["matched"] == OVERLAPPING + IN_FLIGHT, "all requests are counted", found)
    tap.ok(0 < found["count"] < OVERLAPPING / 2, "of requests that overlap, some are explained", found["count"])
    kinds = {part["kind"] for part in found["parts"]}
    tap.ok(kinds == {"running"}, "those completely", kinds)
    stat = instructions("stat", "-e", "mydrv", "-r", PACKS, path)
    why = instructions("why", "--aggregate", path, "read")
    tap.ok(why <= OVERLAP_RATIO * stat, f"at most {OVERLAP_RATIO} times the instructions of stat", why, stat)


# Threads that take turns on a CPU, each in a slice until its next turn; threads that run behind one slice.
THREADS, TURNS, RIVALS = 10000, 3, 100000
SWITCH = "sched_switch prev_comm=t{0} prev_pid={0} prev_state={2} prev_prio=120 next_comm=t{1} next_pid={1} next_prio=120"


def turns(growth_ns):
    """Each slice is longer than all before, or they are equal; woken by the thread before, or preempted."""
    for turn in range(TURNS):
        for tid in range(1000, 1000 + THREADS):
            after = 1000 + (tid - 999) % THREADS
            if turn:
                yield f"+{300 + turn * growth_ns} {tid}@0 io E turn"
            yield f"+100 {tid}@0 io B turn"
            if tid % 2:
                yield f"+100 {tid}@0 sched_waking comm=t{after} pid={after} target_cpu=0"
            yield f"+100 {tid}@0 {SWITCH.format(tid, after, tid % 2)}"


def rivals():
    """A thread waits for a CPU that many others use, one after the other."""
    yield "+300 7@0 io B turn"
    for tid in range(1000, 1000 + RIVALS):
        yield f"+300 {7 if tid == 1000 else tid - 1}@0 {SWITCH.format(7 if tid == 1000 else tid - 1, tid, 0)}"
    yield f"+300 {999 + RIVALS}@0 {SWITCH.format(999 + RIVALS, 7, 1)}"
    yield "+300 7@0 io E turn"


def check_single(tap, path):
    """A slice costs no more than statistics, and an overview at most twice as much, with the same packs."""
    cases = {
        f"{THREADS} threads": turns(0),
        f"{THREADS} threads whose slices overlap, each slower than the one before": turns(1),
        f"{RIVALS} rivals": rivals(),
    }
    for claim, lines in cases.items():
        subprocess.run([MKTRACE, "-", path], input="\n".join((EVENTS, *lines, "")).encode(), check=True)
        stat = instructions("stat", "-e", "mydrv", "-r", PACKS, path)
        own, overview = instructions("why", path, "mydrv:io/turn"), instructions("why", path)
        tap.ok(own <= stat, f"{claim}: a slice takes no more than statistics", own, stat)
        tap.ok(overview <= 2 * stat, f"{claim}: an overview at most twice as much", overview, stat)
        tap.comment(f"{claim}: {own / stat:.2f} times the instructions of stat, {overview / stat:.2f} times without a slice")


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_memory(tap, Path(folder) / "large.dat")
        check_instructions(tap, Path(folder) / "small.dat")
        check_overlap(tap, Path(folder) / "overlap.dat")
        check_single(tap, Path(folder) / "single.dat")

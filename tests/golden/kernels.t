#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: packs fit the kernels of tests/formats/kernels, whose formats are those that were captured."""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from making.event import read_captured  # noqa: E402
from making.kernels import Kernels  # noqa: E402
from making.layout import write_file  # noqa: E402
from making.script import Reader  # noqa: E402
from tap import Tap  # noqa: E402

CAPTURED = HERE.parent / "formats"
PACKS = HERE.parents[1] / "userspace" / "rules" / "packs"
KTRACK = HERE.parents[1] / "build" / "ktrack"
USE = re.compile(r"(?:begin|end|on|or|event|from|to) *= *(\w+:[\w*]+)")
TEXT = re.compile(r'\{ *(\w+), "([^"]+)" \}')

# The last kernel without it, what -v reports of a rule, and why. Anything else that is reported fails.
ABSENT = (
    ("6.1", "irq:cpu: skipped, does not exist: csd:csd_function_entry, csd:csd_function_exit", "new in 6.5"),
    ("4.4", "sched:cpu: skipped, does not exist: cpuhp:cpuhp_exit", "CPUs have no steps"),
    ("4.19", "sched:freezer: skipped, does not exist: cgroup:cgroup_freeze, cgroup:cgroup_unfreeze", "new in 5.2"),
    ("3.18", "sched:thread: skipped, does not exist: sched:sched_waking", "wake-ups have one record"),
    ("5.15", "locks:contention: skipped, does not exist: lock:contention_begin, lock:contention_end", "new in 5.19"),
    (
        "4.19",
        "net:receive: skipped, does not exist: "
        "net:napi_gro_receive_exit, net:netif_receive_skb_exit, net:netif_rx_exit",
        "begins alone make no slices",
    ),
    ("4.4", "net:poll: args left out, napi:napi_poll has none: work, budget", "the name is enough"),
    (
        "4.19",
        "memory:reclaim: skipped, does not exist: "
        "vmscan:mm_vmscan_node_reclaim_begin, vmscan:mm_vmscan_node_reclaim_end",
        "new in 5.3",
    ),
    ("5.10", "memory:compaction: skipped, does not exist: migrate:mm_migrate_pages_start", "an end alone is not used"),
    ("4.19", "timers:expired: args left out, timer:timer_expire_entry has none: baseclk", "new in 5.3"),
    (
        "5.10",
        "rt:noise: skipped, does not exist: osnoise:irq_noise, osnoise:softirq_noise, osnoise:thread_noise, "
        "osnoise:nmi_noise, osnoise:sample_threshold",
        "the tracer is new in 5.14",
    ),
    ("4.9", "reclaim:oom: skipped, does not exist: oom:mark_victim", "new in 4.13"),
    ("5.10", "rt:irq_latency: skipped, does not exist: ftrace:timerlat", "likewise"),
    ("5.10", "rt:thread_latency: skipped, does not exist: ftrace:timerlat", "likewise"),
    ("5.10", "rt:noise_sum: skipped, does not exist: ftrace:osnoise", "likewise"),
    ("5.10", "rt:noise_max: skipped, does not exist: ftrace:osnoise", "likewise"),
)

# A thread is preempted, sleeps, parks or exits; its number is used again before it is freed.
RECORDS = """
0    40@0 sched_switch prev_comm=a prev_pid=40 prev_state={preempted} next_comm=b next_pid=41
1us  41@0 sched_switch prev_comm=b prev_pid=41 prev_state=1 next_comm=a next_pid=40
2us  40@0 {wake} comm=b pid=41
3us  40@0 sched_process_exit comm=a pid=40
3us  40@0 sched_switch prev_comm=a prev_pid=40 prev_state={gone} next_comm=b next_pid=41
4us  41@0 task_newtask pid=40 comm=b
5us  41@0 sched_wakeup_new comm=b pid=40
6us  41@0 sched_process_free comm=a pid=40
7us  41@0 sched_switch prev_comm=b prev_pid=41 prev_state={parked} next_comm=b next_pid=40
8us  40@0 sys_enter id=0
9us  40@0 sys_exit id=0 ret=5
10us 40@0 block_rq_issue dev=8388608 sector=8 nr_sector=8 bytes=4096 rwbs=R comm=b
11us 40@0 block_rq_complete dev=8388608 sector=8 nr_sector=8 rwbs=R
"""
PREEMPTED = {"3.18": 1024, "4.4": 2048, "4.9": 4096}
STATES = (
    "R+ 0-1 Running 1-3",  # of 40
    "Running 0-1 S 1-2 Runnable 2-3 Running 3-7 P 7-11+",  # of 41
    "Runnable 4-7 Running 7-11+",  # of the second 40
)
CALL = """
1us 40@0 sys_enter_openat {number}=257
2us 40@0 sys_exit_openat {number}=257 ret=3
"""
# Without the exit of handlers, only soft interrupts are slices.
HALF = """formats 6.12 irq:irq_handler_entry irq:softirq_entry irq:softirq_exit
1us 40@0 irq_handler_entry irq=5 name=disk
2us 40@0 softirq_entry vec=4
3us 40@0 softirq_exit vec=4
"""


def seen(field):
    """A field as rules see it."""
    is_signed = None if field.is_array else field.is_signed
    return field.name, field.offset, field.size, field.is_text, field.is_dynamic, is_signed


def texts(event, field):
    """The texts of a field's numbers, by the print format."""
    shown = event.text.decode().partition("print fmt: ")[2]
    if f"REC->{field}" not in shown:
        return None
    return [(int(number, 0), text) for number, text in TEXT.findall(shown)]


def captured(kernels, kernel, event):
    """The differences of a captured format to its line."""
    path = CAPTURED / kernel / event.replace(":", "/")
    if not path.exists():
        return None
    real, made = read_captured(path), kernels.find(kernel, event)
    if not made:
        return [f"{event} is captured"]
    differences = set(map(seen, real.fields)) ^ set(map(seen, made.fields))
    if event in ("sched:sched_switch", "irq:softirq_entry"):
        field = {"sched:sched_switch": "prev_state"}.get(event, "vec")
        differences |= set(texts(real, field)) ^ set(texts(made, field))
    return sorted(map(str, differences))


def check_captured(tap, kernels, kernel):
    """The lines of a kernel are what it printed."""
    found = {event: captured(kernels, kernel, event) for event in kernels.events}
    compared = [event for event in found if found[event] is not None]
    wrong = [f"{event}: {', '.join(found[event])}" for event in compared if found[event]]
    tap.nothing(wrong, f"formats of {kernel} are those that were captured")
    tap.ok(len(compared) > 60, f"many were captured of {kernel}", len(compared))


def check_lines(tap, kernels):
    """Every tracepoint of a pack has lines, one for a kernel."""
    named = {use for path in PACKS.glob("*.rules") for use in USE.findall(path.read_text())}
    named = {use for use in named if not use.startswith("atrace:") and "*" not in use}
    tap.nothing(sorted(named - set(kernels.events)), "every tracepoint of a pack has a line")
    twice = [
        f"{name} {event}"
        for at, name in enumerate(kernels.names)
        for event in kernels.events
        if sum(line[0] == event and line[1] <= at <= line[2] for line in kernels.lines) > 1
    ]
    tap.nothing(twice, "no tracepoint has two lines for a kernel")


class Made:
    """Makes recordings, and exports them."""

    def __init__(self, folder):
        self.path = str(folder / "made.dat")

    def export(self, script, *options):
        """EVENT lines as dictionaries, and standard error."""
        reader = Reader("script", HERE)
        with open(self.path, "wb") as out:
            write_file(out, reader.read(script.encode().splitlines(keepends=True)))
        command = [KTRACK, "export", *options, "--sid=x", "--event=-", self.path]
        run = process.run(command, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in run.stdout.splitlines()], run.stderr


def slices(lines, category):
    """By thread: the names of its slices, and their times in microseconds; + if there is no end."""
    found = {}
    for line in lines:
        if line["event"] == "region_leave" and line["category"] == category:
            end = round(line["t_abs"] * 1e6)
            begin = end - round(line["t_rel"] * 1e6)
            mark = "+" if "unfinished" in line else ""
            found.setdefault(line["thread"], []).append(f"{line['label']} {begin}-{end}{mark}")
    return [" ".join(found[thread]) for thread in sorted(found)]


def check_absent(tap, made, kernels):
    """Of each kernel, what ABSENT says is reported, and nothing else."""
    packs = ",".join(sorted(path.stem for path in PACKS.glob("*.rules") if path.stem != "irq_rt"))
    for at, kernel in enumerate(kernels.names):
        script = f"formats {kernel}\nsymbol 0x1000 T some\n"
        reported = made.export(script, "-v", "-r", packs)[1].splitlines()
        reported = {line.removeprefix("ktrack: ") for line in reported if made.path not in line}
        expected = {text for last, text, _ in ABSENT if at <= kernels.names.index(last)}
        tap.nothing(sorted(reported ^ expected), f"the packs' rules fit {kernel}, but those that are listed")


def check_records(tap, made, kernels):
    """Records of the same happen to be the same tracks, whatever the kernel's numbers are."""
    for kernel in kernels.names:
        is_old = kernel in PREEMPTED
        script = RECORDS.format(
            preempted=PREEMPTED.get(kernel, 256),
            gone=64 if is_old else 16,
            parked=512 if is_old else 64,
            wake="sched_wakeup" if kernel == "3.18" else "sched_waking",
        )
        lines, _ = made.export(f"formats {kernel}\n{script}", "-r", "sched,syscalls,block")
        states = slices(lines, "sched:thread")
        tap.ok(states == list(STATES), f"states of threads that exit and begin again, {kernel}", states)
        flows = [line["flow"] for line in lines if line.get("category") == "sched:wakeup" and "flow" in line]
        others = slices(lines, "syscalls:call") + slices(lines, "block:request")
        is_same = others == ["read 8-9", "R 4096 10-11"] and flows == [["wakeup:0x1"]] * 2
        tap.ok(is_same, f"calls, requests and wake-ups, {kernel}", others, flows)
        results = [line["args"] for line in lines if line.get("category") == "block:request" and "t_rel" in line]
        name = "errors" if is_old else "error"
        tap.ok(results[:1] == [{name: 0}], f"the result of a request, {kernel}", results)


def check_choice(tap, made, kernels):
    """Tracepoints of single calls are used without those of all; a begin without an end is not."""
    for kernel in kernels.names:
        events = "syscalls:sys_enter_openat syscalls:sys_exit_openat"
        call = CALL.format(number="nr" if kernel in ("3.18", "4.4") else "__syscall_nr")
        found = slices(made.export(f"formats {kernel} {events}\n{call}", "-r", "syscalls")[0], "syscalls:call")
        tap.ok(found == ["openat 0-1"], f"a call of its own tracepoints, {kernel}", found)
        both = f"{events} raw_syscalls:sys_enter raw_syscalls:sys_exit"
        call += "3us 40@0 sys_enter id=0\n4us 40@0 sys_exit id=0\n"
        found = slices(made.export(f"formats {kernel} {both}\n{call}", "-r", "syscalls")[0], "syscalls:call")
        tap.ok(found == ["read 2-3"], f"only the tracepoints of all calls if they exist, {kernel}", found)
    lines, _ = made.export(HALF, "-r", "irq")
    found = slices(lines, "irq:cpu")
    tap.ok(found == ["BLOCK 1-2"], "a begin without an end is not used", found)


def main():
    """Returns the exit status."""
    tap, kernels = Tap(), Kernels()
    for kernel in ("6.1", "6.12"):
        check_captured(tap, kernels, kernel)
    check_lines(tap, kernels)
    with tempfile.TemporaryDirectory() as folder:
        made = Made(Path(folder))
        check_absent(tap, made, kernels)
        check_records(tap, made, kernels)
        check_choice(tap, made, kernels)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of the benches: scripts of many track events, and the trace.dat files that they become."""

import subprocess
from pathlib import Path

MKTRACE = Path(__file__).resolve().parents[1] / "golden/mktrace"

PLAIN_EVENTS = """
event demo:io 100 char track_event_type; string slice_name; u32 scope_slot; string track_name
event demo:work 101 char track_event_type; string slice_name
event demo:depth 102 s64 counter_value; u32 scope_queue; string track_name
"""
PLAIN_ROUND = """
+100 7@0 io B read 1 queue0
+100 8@1 work B handle
+100 8@1 work E handle
+100 7@0 io E read 1 queue0
"""
PLAIN_SIZE = 4

# A driver's work: a submitter, a queue with extra fields, a counter, and workers that nest three deep
# under names by the printf form. Two of its 18 records have extra fields.
MIXED_EVENTS = """
task 7 submitter
task 8 worker/0
task 9 worker/1
event mydrv:submit 99 char track_event_type; string slice_name; u32 scope_tgid; string track_name
event mydrv:io 100 char track_event_type; string slice_name; u32 scope_slot; string track_name;
 u32 request; u32 bytes; s32 result
event mydrv:work 101 char track_event_type; string slice_name
event mydrv:depth 102 s64 counter_value; u32 scope_queue; string track_name
"""
MIXED_ROUND = """
+300 7@0 submit B submit 7 submit
+200 7@0 io B read $i%8 queue0 $i 4096 0
+150 7@0 depth $i%4 0 depth
+250 7@0 submit E submit 7 submit
+300 8@1 work B handle
+200 8@1 work B prepare
+400 8@1 work E prepare
+200 8@1 work B transfer
+200 8@1 work B "checksum $i%4"
+150 9@0 work B handle
+250 9@0 work B "flush $i%4"
+200 8@1 work E
+250 9@0 work I retry
+200 8@1 work E
+250 9@0 work E
+300 8@1 io E read $i%8 queue0 $i 4096 4096
+150 9@0 work E
+100 8@1 work E
"""
MIXED_SIZE = 18
LOSSES = 10

# What the kernel reports of two threads that read from a disk and through a pipe, without the convention.
FORMATS = MKTRACE.parents[1] / "formats/6.12"
KERNEL_RULES = "sched,irq,syscalls,block"
TASKS_AND_INTERRUPTS = "\n".join(
    f"format {FORMATS}/{name}"
    for name in (
        "sched/sched_switch",
        "sched/sched_waking",
        "irq/irq_handler_entry",
        "irq/irq_handler_exit",
        "irq/softirq_entry",
        "irq/softirq_exit",
    )
)
CALLS_AND_REQUESTS = "\n".join(
    f"format {FORMATS}/{name}"
    for name in ("raw_syscalls/sys_enter", "raw_syscalls/sys_exit", "block/block_rq_issue", "block/block_rq_complete")
)
KERNEL_EVENTS = f"{TASKS_AND_INTERRUPTS}\n{CALLS_AND_REQUESTS}"
KERNEL_CALL = """
+300 7@0 sys_enter id=0
+400 7@0 sys_exit id=0 ret=4096
"""
KERNEL_ROUND = (
    KERNEL_CALL * 4
    + """
+200 7@0 sys_enter id=0
+300 7@0 block_rq_issue dev=0x800010 sector=$i nr_sector=8 bytes=4096 rwbs=R comm=reader
+200 7@0 sched_switch prev_comm=reader prev_pid=7 prev_state=2 next_comm=swapper/0 next_pid=0
+900 0@0 irq_handler_entry irq=11 name=virtio0
+200 0@0 block_rq_complete dev=0x800010 sector=$i nr_sector=8 rwbs=R
+300 0@0 sched_waking comm=reader pid=7 target_cpu=0
+100 0@0 irq_handler_exit irq=11 ret=1
+200 0@0 softirq_entry vec=4
+300 0@0 softirq_exit vec=4
+400 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 next_comm=reader next_pid=7
+300 7@0 sys_exit id=0 ret=4096
"""
)
KERNEL_SIZE = 19


def repeated(events, rounds, text):
    """A script that does one thing again and again."""
    return f"{events}repeat {rounds}{text}end\n"


def plain(size):
    """Two tracks on two CPUs; nothing but what the convention asks for."""
    return repeated(PLAIN_EVENTS, size // PLAIN_SIZE, PLAIN_ROUND)


def mixed(size):
    """A driver's work, with records lost now and then while no slice is open."""
    rounds = size // MIXED_SIZE // LOSSES
    parts = [repeated("", rounds, MIXED_ROUND) for _ in range(LOSSES)]
    return MIXED_EVENTS + "lost 0 5\n".join(parts)


def kernel(size):
    """Tracepoints of the kernel, of which rules make tracks."""
    return repeated(f"task 7 reader\n{KERNEL_EVENTS}\n", size // KERNEL_SIZE, "\n" + KERNEL_ROUND)


# Inputs whose cost is committed: name, script, and options of an export.
PROFILED = (
    ("plain", plain, ()),
    ("mixed", mixed, ()),
    ("kernel", kernel, ("-r", KERNEL_RULES)),
)


def on_cpus(size, cpus):
    """A thread on each CPU; each record is on another CPU than the one before."""
    lines = [f"+100 {100 + cpu}@{cpu} work {kind} handle\n" for kind in "BE" for cpu in range(cpus)]
    return repeated(PLAIN_EVENTS, size // len(lines), "\n" + "".join(lines))


def on_tracks(size, tracks):
    """So many tracks in turn."""
    text = f"\n+100 7@0 io B read $i%{tracks} queue0\n+100 7@0 io E read $i%{tracks} queue0\n"
    return repeated(PLAIN_EVENTS, size // 2, text)


def nested(size, depth):
    """Slices so many deep."""
    text = "+100 7@0 work B handle\n" * depth + "+100 7@0 work E handle\n" * depth
    return repeated(PLAIN_EVENTS, size // (2 * depth), "\n" + text)


def make(folder, name, script, *settings):
    """The trace.dat of a script."""
    path = folder / f"{name}.dat"
    options = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([MKTRACE, *options, "-", path], input=script.encode(), check=True)
    return path

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

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a guard ends its own slice, also in coroutines that take turns or go on in another thread, and none in a child of its process."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import KTRACK, build, own_socket, read_events, stream, unmatched  # noqa: E402
from tap import tested  # noqa: E402

COMPILERS = ("g++", "clang++-14")
# What the main thread, and a thread with a guard, have on their tracks. Each resumed coroutine ends on the main thread's.
MAIN = re.compile(r"\+main (\+coroutine -coroutine> !joined ){100}-main $")
HOPPER = re.compile(r"(\+hopper !resumed !after -hopper |!resumed )$")
# What one thread has on its track whose coroutines take turns; the last one goes on in another one.
TURN = "+main +A +B !resumed -A +C +inner -inner !resumed -B -C> +after -after -main "


def tracks_of(events):
    """For each track, what it has: +BEGIN, -END, of one on another thread -END>, and !INSTANT. The strict reader compares times."""
    tracks = {}
    for event in events:
        name = event.get("thread")
        if event["event"] == "region_enter":
            tracks[name] = tracks.get(name, "") + f"+{event['label']} "
        elif event["event"] == "region_leave":
            marks = "?" if event.get("unfinished") else "", ">" if "moved_to" in event.get("args", {}) else ""
            tracks[name] = tracks.get(name, "") + f"-{marks[0]}{event['label']}{marks[1]} "
        elif event["event"] == "data_json" and event.get("category") == "co:co_work":
            tracks[name] = tracks.get(name, "") + f"!{event['key']} "
    return tracks


def check_fork(tap, folder):
    """A child ends no slice of its parent, and none of its own."""
    events = stream([build(folder, "fork", source="fork.c")])[1]
    tracks = sorted(tracks_of(events).values())
    tap.ok(tracks == ["!child ", "+outer +inner -inner -outer "], "a guard that is open in fork() ends in the parent", tracks)
    tap.ok(unmatched(events) == 0, "and in the child, no record is written", unmatched(events))


def check_hops(tap, compiler, program):
    """Coroutines that end on another thread."""
    output, events, _ = stream([program])
    tracks = list(tracks_of(events).values())
    wrong = [track for track in tracks if not HOPPER.match(track)]
    tap.ok(len(wrong) == 1 and MAIN.match(wrong[0]), f"{compiler}: slices end on the thread where they began", wrong, tracks[:4])
    tap.ok(len(tracks) == 101, f"{compiler}: each other thread has its own", len(tracks))
    moved = [event["args"]["moved_to"] for event in events if event["event"] == "region_leave" and "moved_to" in event["args"]]
    threads = [int(line.split()[1]) for line in output.splitlines()]
    tap.ok(moved == threads, f"{compiler}: the end has the thread that ended the slice", moved[:4], threads[:4])


def check_turns(tap, folder, compiler, program):
    """Coroutines that take turns on one thread, while they are recorded and from a file."""
    events = stream([program, "turns"])[1]
    turns = max(tracks_of(events).values(), key=len)
    tap.ok(turns == 100 * TURN, f"{compiler}: each guard ends its own slice", turns[:200])
    tap.ok(unmatched(events) == 0, f"{compiler}: each end has a begin", unmatched(events))
    file, target = Path(folder, "turns.dat"), Path(folder, "turns.event")
    subprocess.run([KTRACK, "record", "--programs", "-o", file, "--", program, "turns"], check=True, capture_output=True)
    subprocess.run([KTRACK, "export", file, f"--event={target}"], check=True, capture_output=True)
    turns = max(tracks_of(read_events(target)).values(), key=len)
    tap.ok(turns == 100 * TURN, f"{compiler}: a recording has that, too", turns[:200])


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        check_fork(tap, folder)
        for compiler in COMPILERS:
            if not shutil.which(compiler):
                tap.skip(compiler, "not installed")
                continue
            program = build(folder, "coroutine", compiler=(compiler, "-std=gnu++20"), source="coroutine.cpp")
            check_hops(tap, compiler, program)
            check_turns(tap, folder, compiler, program)

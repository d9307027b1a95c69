#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a guard ends its own slice, also in a coroutine that goes on in another thread, and none in a child of its process."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import build, own_socket, stream, unmatched  # noqa: E402
from tap import Tap  # noqa: E402

COMPILERS = ("g++", "clang++-14")
# What the main thread, and a thread with a guard, have on their tracks. Each resumed coroutine ends on the main thread's.
MAIN = re.compile(r"\+main (\+coroutine -coroutine !joined ){100}-main $")
HOPPER = re.compile(r"(\+hopper !resumed !after -hopper |!resumed )$")


def tracks_of(events):
    """For each track, what it has: +BEGIN, -END and !INSTANT."""
    tracks, stacks = {}, {}
    for event in events:
        name = event.get("thread")
        stack = stacks.setdefault(name, [])
        if event["event"] == "region_enter":
            stack.append(event["label"])
            tracks[name] = tracks.get(name, "") + f"+{event['label']} "
        elif event["event"] == "region_leave":
            mark = "?" if event.get("unfinished") else ""
            tracks[name] = tracks.get(name, "") + f"-{mark}{stack.pop()} "
        elif event["event"] == "data_json" and event.get("category") == "co:co_work":
            tracks[name] = tracks.get(name, "") + f"!{event['key']} "
    return tracks


def check_fork(tap, folder):
    """A child ends no slice of its parent, and none of its own."""
    events = stream([build(folder, "fork", source="fork.c")])[1]
    tracks = sorted(tracks_of(events).values())
    tap.ok(tracks == ["!child ", "+outer +inner -inner -outer "], "a guard that is open in fork() ends in the parent", tracks)
    tap.ok(unmatched(events) == 0, "and in the child, no record is written", unmatched(events))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        check_fork(tap, folder)
        for compiler in COMPILERS:
            if not shutil.which(compiler):
                tap.skip(compiler, "not installed")
                continue
            program = build(folder, "coroutine", compiler=(compiler, "-std=gnu++20"), source="coroutine.cpp")
            tracks = list(tracks_of(stream([program])[1]).values())
            wrong = [track for track in tracks if not HOPPER.match(track)]
            tap.ok(len(wrong) == 1 and MAIN.match(wrong[0]), f"{compiler}: slices end on the thread where they began", wrong, tracks[:4])
            tap.ok(len(tracks) == 101, f"{compiler}: each other thread has its own", len(tracks))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

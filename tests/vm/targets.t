#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the demo in all three targets at once, and a traced git whose session is a child of ktrack's in the same file."""

import json
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "trace2")]

import machine  # noqa: E402
from derived import disagreements  # noqa: E402
from tap import tested  # noqa: E402

STREAM_CHECKS = Path(__file__).resolve().parents[1] / "stream"
REQUESTS = 200
GIT = "/usr/bin/git"


def findings(program, *arguments):
    """What one of the stream checks finds wrong; nothing if all is well."""
    done = subprocess.run([STREAM_CHECKS / program, *map(str, arguments)], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).splitlines() or [f"status {done.returncode}"]


def check_batch(tap, kernel, result):
    """EVENT is right, and the other two say the same."""
    path = result.folder / "batch.event"
    tap.nothing(findings("check-stream", path), f"{kernel}: EVENT is a well-formed stream")
    tap.nothing(findings("check-demo", REQUESTS, path), f"{kernel}: and says what the demo did")
    events = [json.loads(line) for line in result.text("batch.event").splitlines()]
    found = list(disagreements(events, result.text("batch.perf"), result.text("batch.normal")))
    tap.nothing(found, f"{kernel}: PERF and NORMAL say the same, byte by byte", most=4)
    tap.ok(result.text("batch.normal").count("\n") > 20, f"{kernel}: NORMAL is a summary", result.text("batch.normal"))


def is_whole(events):
    """A session from its version to its atexit."""
    return bool(events) and events[0]["event"] == "version" and events[-1]["event"] == "atexit"


def check_family(tap, kernel, text):
    """One file, two sessions, each whole; git's sid and hierarchy continue ktrack's."""
    events, broken = [], []
    for line in text.splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            broken.append(line)
    tap.nothing(broken, f"{kernel}: ktrack and git mix no line in one file")
    sids = sorted({event["sid"] for event in events}, key=len)
    if not tap.ok(len(sids) == 2, f"{kernel}: there are two sessions", *sids):
        return
    parent, child = ([event for event in events if event["sid"] == sid] for sid in sids)
    tap.ok(is_whole(parent) and is_whole(child), f"{kernel}: both are whole", parent[:1], child[-1:])
    tap.ok(sids[1].rpartition("/")[0] == sids[0], f"{kernel}: git's session is a child of ktrack's", *sids)
    names = [event["hierarchy"] for event in child if event["event"] == "cmd_name"]
    tap.ok(names == ["stream/status"], f"{kernel}: and so is its command", *names)
    started = [event["argv"] for event in parent if event["event"] == "child_start"]
    tap.ok(started == [["git", "status"]], f"{kernel}: which ktrack started", *started)


@tested
def main(tap):
    """On each kernel."""
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "targets.sh", REQUESTS, options=(*machine.SINGLE, "--add", f"{GIT}:{GIT}")) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: nothing went wrong")
            check_batch(tap, kernel, result)
            check_family(tap, kernel, result.text("family.event"))

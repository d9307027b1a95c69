#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the same records give the same tracks, to the nanosecond: live, from ktrack's file, and from trace-cmd's files of both versions."""

import json
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import Tap  # noqa: E402

PACKS = "sched,irq,block"
# Events of tracks, in the order of the stream.
OF_TRACKS = ("region_enter", "region_leave", "data", "data_json", "thread_start", "th_timer", "th_counter", "counter", "error")
# These members depend on the run: it has another time and another version of this text.
OF_RUN = ("sid", "time", "file", "line")
LEAST = {"sched:cpu": 1000, "sched:thread": 2000, "sched:wakeup": 500, "irq:cpu": 300, "block:request": 200, "block:inflight": 400}


def tracks_read(text):
    """
    All that a stream has of tracks, and how many events of which rule. The processes of threads are in no record: only who reads
    live can look them up. What is open at the end is closed when the recording ends, which for a live one is later.
    """
    events, counts = [], {}
    for line in text.splitlines():
        event = json.loads(line, parse_float=str)
        if event["event"] not in OF_TRACKS:
            continue
        for name in OF_RUN:
            event.pop(name, None)
        if event.get("category") == "track":
            event["value"].pop("tgid", None)
        if event.get("unfinished") or event.get("category") == "summary":
            event = {name: value for name, value in event.items() if name not in ("t_abs", "t_rel")}
        events.append(event)
        category = event.get("category")
        counts[category] = counts.get(category, 0) + 1
    return events, counts


def exported(path):
    """The stream of a file."""
    command = [machine.PROJECT / "build/ktrack", "export", "--include-self", "-r", PACKS, "--event=/dev/stdout", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_same(tap, what, wanted, found):
    """Two streams, event by event."""
    differences = [f"{number}: {one} {other}" for number, (one, other) in enumerate(zip(wanted, found)) if one != other]
    tap.nothing(differences[:3], f"{what}: the same events in the same order")
    tap.ok(len(wanted) == len(found), f"{what}: as many", len(wanted), len(found))


def check_kernel(tap, kernel, folder):
    """All of it on one kernel."""
    options = (*machine.SINGLE, "--add", f"{folder / 'more/loop.ko'}:/more/loop.ko", "--add", "/usr/bin/trace-cmd:/bin/trace-cmd")
    with machine.ran(kernel, "same_records.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        for name in ("live", "saved"):
            tap.ok(result.text(f"{name}.status").strip() == "0" and not result.text(f"{name}.errors"), f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        theirs, compressed = result.folder / "theirs.dat", result.folder / "compressed.dat"
        subprocess.run(["trace-cmd", "convert", "-i", theirs, "-o", compressed, "--file-version", "7", "--compression", "zstd"], capture_output=True, check=True)
        live, counts = tracks_read(result.text("live.json"))
        too_few = {rule: counts.get(rule, 0) for rule, least in LEAST.items() if counts.get(rule, 0) < least}
        tap.ok(not too_few, f"{kernel}: live: tracks of all rules", too_few)
        tap.nothing([event for event in live if event["event"] == "error"], f"{kernel}: live: nothing is lost")
        for path in (theirs, compressed, result.folder / "ours.dat"):
            check_same(tap, f"{kernel}: {path.name}", live, tracks_read(exported(path))[0])


def main():
    tap = Tap()
    for kernel in sys.argv[1:] or machine.ONE_6_1:
        folder = machine.kernel_folder(kernel)
        if (folder / "more/loop.ko").exists():
            check_kernel(tap, kernel, folder)
        else:
            tap.skip(f"{kernel}: the same records", "no loop.ko; remove build/vm, and it is fetched again")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

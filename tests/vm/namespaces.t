#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: in a PID namespace, ktrack records a command and names threads by the kernel's numbers; in a time namespace it refuses."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

# Threads of the kernel have the first numbers, whatever processes of the namespace have them.
KERNEL_TIDS = range(2, 30)
REFUSED = {
    "process": "-p: the kernel's numbers of processes are unknown in a PID namespace; run ktrack outside of it, or record a command: --pid -- COMMAND",
    "shifted": "a time namespace shifts the clock boottime by 100000 s; run ktrack outside of it: nsenter --time --target 1 ktrack",
}
REFUSED["snapshot"] = REFUSED["shifted"]
ENDED = ("clean", "command", "live", "circular", "all", "all_live", "back")


def tracks_of(result, name):
    """The values of all tracks of a stream."""
    events = [json.loads(line) for line in result.text(f"{name}.json").splitlines()]
    return [event["value"] for event in events if event["event"] == "data_json" and event["category"] == "track"]


def check_command(tap, what, tracks, comms):
    """Only the command and its children are recorded, with their names."""
    found = {track.get("comm") for track in tracks if track["tracepoint"].startswith("syscalls:")}
    tap.ok(found and found <= comms and "cat" in found, f"{what}: the command's system calls are recorded", found)


def check_all(tap, what, tracks):
    """No thread of the kernel has the name of a process of the namespace, and ktrack leaves itself out."""
    threads = {(track["id"], track.get("comm", "")) for track in tracks if track["scope"] == "thread"}
    wrong = [thread for thread in threads if int(thread[0]) in KERNEL_TIDS and thread[1] in ("sleep", "namespaces.sh", "ktrack")]
    tap.nothing(wrong, f"{what}: threads of the kernel have their names")
    tap.ok(any(int(thread[0]) in KERNEL_TIDS for thread in threads), f"{what}: threads of the kernel are there", threads)
    tap.nothing([thread for thread in threads if thread[1] == "ktrack"], f"{what}: ktrack is not a thread of its recording")


@tested
def main(tap):
    """All checks."""
    added = [word for path in ("/usr/bin/unshare", "/usr/bin/nsenter") for word in ("--add", f"{path}:{path}")]
    for kernel in machine.ONE_6_12:
        with machine.ran(kernel, "namespaces.sh", options=(*machine.SINGLE, *added)) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
            for name in ENDED:
                tap.ok(result.text(f"{name}.status") == "0\n", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
            for name, message in REFUSED.items():
                tap.ok(message in result.text(f"{name}.errors") and result.text(f"{name}.status") == "1\n", f"{kernel}: {name} is refused", result.text(f"{name}.errors"))
            for name in ("command", "live", "circular"):
                check_command(tap, f"{kernel}: {name}", tracks_of(result, name), {"sh", "cat", "exe", "ktrack"})
            for name in ("all", "all_live"):
                check_all(tap, f"{kernel}: {name}", tracks_of(result, name))

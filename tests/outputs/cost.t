#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what an event costs in other outputs, in instructions, as a multiple of what it costs in --event."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

SCRIPT = """event demo:io 100 char track_event_type; string slice_name; u32 scope_slot; u32 bytes; s32 result
event demo:work 101 char track_event_type; string slice_name
event demo:depth 102 s64 counter_value
repeat {}
+100 7@0 io B read $i%4 4096 0
+100 7@0 depth 1
+150 8@1 work B handle
+150 8@1 work I retry
+150 8@1 work E ""
+100 7@0 io E "" $i%4 4096 -5
end
"""
EVENTS = 6
FEW, MANY = 1000, 3000
# At most. A span of --otlp has two ids in hexadecimal, and its attributes are JSON objects.
MOST = {"perfetto": 2.0, "fxt": 2.0, "otlp": 4.0, "otlp-metrics": 2.0, "event=null.zst": 4.0}
REFERENCES = re.compile(r"refs:\s+([\d,]+)")


def count(folder, output):
    """Instructions of one export, with all that comes around."""
    name, _, path = output.partition("=")
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [cases.KTRACK, "export", f"--{name}={path or '/dev/null'}", "trace.dat"]
    done = process.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    )
    return int(REFERENCES.search(done.stderr)[1].replace(",", ""))


def measure(output):
    """Instructions for an event: what more of them cost."""
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "null.zst").symlink_to("/dev/null")
        for times in (FEW, MANY):
            cases.make_of(SCRIPT.format(times), Path(folder, "trace.dat"))
            counts.append(count(folder, output))
    return (counts[1] - counts[0]) / ((MANY - FEW) * EVENTS)


def main():
    """Returns the exit status."""
    tap = Tap()
    if not shutil.which("valgrind"):
        tap.skip("other outputs cost little more than --event", "valgrind is not installed")
        return tap.finish()
    event = measure("event")
    for output, most in MOST.items():
        cost = measure(output)
        tap.ok(0 < cost <= most * event, f"--{output} costs at most {most} times what --event does", f"{event:.0f}, {cost:.0f}")
        tap.comment(f"{event:.0f} and {cost:.0f} instructions for an event")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

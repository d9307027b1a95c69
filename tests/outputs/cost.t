#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what an event costs in other outputs, in instructions, as a multiple of what it costs in --event, and an instant of many tracepoints."""

import functools
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
# So many tracepoints that no rule takes have more fields than the outputs keep for one.
TRACEPOINTS, CROWD_MAX = 48, 1.15
# At most. A span of --otlp has two ids in hexadecimal, and its attributes are JSON objects.
MOST = {"perfetto": 2.0, "fxt": 2.0, "otlp": 4.0, "otlp-metrics": 2.0, "event=null.zst": 4.0}
REFERENCES = re.compile(r"refs:\s+([\d,]+)")


def crowd(tracepoints, times):
    """As many records, of so many tracepoints in turn."""
    formats = [f"event other:e{i} {200 + i} u32 number{i}; s64 value{i}\n" for i in range(tracepoints)]
    records = [f"+100 7@0 e{i % tracepoints} $i%8 -1\n" for i in range(TRACEPOINTS)]
    return "".join([*formats, f"repeat {times}\n", *records, "end\n"])


def count(folder, output):
    """Instructions of one export, with all that comes around."""
    name, _, path = output.partition("=")
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [cases.KTRACK, "export", f"--{name}={path or '/dev/null'}", "trace.dat"]
    done = process.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    )
    # A child parses print formats.
    return max(int(number.replace(",", "")) for number in REFERENCES.findall(done.stderr))


def measure(output, script=SCRIPT.format, events=EVENTS, numbers=(FEW, MANY)):
    """Instructions for an event: what more of them cost."""
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "null.zst").symlink_to("/dev/null")
        for times in numbers:
            cases.make_of(script(times), Path(folder, "trace.dat"))
            counts.append(count(folder, output))
    return (counts[1] - counts[0]) / ((numbers[1] - numbers[0]) * events)


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
    for output in ("event", "perfetto"):
        few, many = (measure(output, functools.partial(crowd, number), TRACEPOINTS, (20, 100)) for number in (2, TRACEPOINTS))
        claim = f"--{output}: an instant costs the same if there are many tracepoints"
        tap.ok(0 < many <= CROWD_MAX * few, claim, f"{few:.0f}, {many:.0f}")
        tap.comment(f"{few:.0f} instructions for an instant of 2 tracepoints, {many:.0f} of {TRACEPOINTS}")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

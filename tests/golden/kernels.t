#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tests/formats/kernels has all that packs name, as the captured formats have it."""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from making.event import read_captured  # noqa: E402
from making.kernels import Kernels  # noqa: E402
from tap import Tap  # noqa: E402

CAPTURED = HERE.parent / "formats"
PACKS = HERE.parents[1] / "userspace" / "rules" / "packs"
USE = re.compile(r"(?:begin|end|on|or|event|from|to) *= *(\w+:[\w*]+)")
TEXT = re.compile(r'\{ *(\w+), "([^"]+)" \}')


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


def main():
    """Returns the exit status."""
    tap, kernels = Tap(), Kernels()
    for kernel in ("6.1", "6.12"):
        check_captured(tap, kernels, kernel)
    check_lines(tap, kernels)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

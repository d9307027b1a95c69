# SPDX-License-Identifier: GPL-2.0-only
"""Formats of the tracepoints that packs name, in kernels of many years: tests/formats/kernels."""

import re
from pathlib import Path

from making.event import read_short
from making.words import Trouble

PATH = Path(__file__).resolve().parents[2] / "formats" / "kernels"
FIRST_ID = 1000
LINE = re.compile(r"(\w+:\w+) ([\d.]+)(?:-([\d.]+))? (.+)")
TEXTS = re.compile(r" (\w+) \{(.+?)\}")


def print_format(name, texts):
    """How a kernel prints a field with texts: flags, if one of them is +, which follows the others."""
    pairs = [pair.split("=") for pair in texts.split()]
    last = dict(pairs).get("+")
    values = ", ".join(f'{{ {number}, "{text}" }}' for text, number in pairs if text != "+")
    if last is None:
        return f'"{name}=%s", __print_symbolic(REC->{name}, {values})'
    bits = f"REC->{name} & {int(last) - 1}"
    return (
        f'"{name}=%s%s", ({bits}) ? __print_flags({bits}, "|", {values}) : "R", '
        f'REC->{name} & {last} ? "+" : ""'
    )


class Kernels:
    """All lines of the file."""

    def __init__(self):
        self.names, self.lines, self.events = [], [], []
        for line in PATH.read_text().splitlines():
            if line.startswith("kernels "):
                self.names = line.split()[1:]
            elif line and not line.startswith("#"):
                self.add(line)

    def add(self, line):
        """SYSTEM:EVENT KERNEL[-KERNEL] FIELD; FIELD..."""
        event, first, last, fields = LINE.fullmatch(line).groups()
        if event not in self.events:
            self.events.append(event)
        place = self.names.index(first), self.names.index(last or first)
        self.lines.append((event, *place, fields))

    def find(self, kernel, event):
        """The event in a kernel; None if that does not have it."""
        if kernel not in self.names or event not in self.events:
            raise Trouble(f"{PATH.name} has no {event} of {kernel}")
        at, number = self.names.index(kernel), FIRST_ID + self.events.index(event)
        found = [line for line in self.lines if line[0] == event and line[1] <= at <= line[2]]
        if not found:
            return None
        fields = found[0][3]
        declared = TEXTS.sub(" \\1", fields)
        made = read_short(f"{event} {number} {declared}", 8)
        texts = [print_format(*pair) for pair in TEXTS.findall(fields)]
        if texts:
            made.set_print_format(texts[0].encode())
        return made

    def all(self, kernel):
        """All events of a kernel."""
        return [made for made in (self.find(kernel, event) for event in self.events) if made]

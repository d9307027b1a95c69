# SPDX-License-Identifier: GPL-2.0-only
"""Small deliberate damage to a right stream: makers of functions from lines to lines."""

import json
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


class Seconds:
    """A time in nanoseconds that is spelled in seconds with nine decimals."""

    def __init__(self, time_ns):
        self.time_ns = time_ns

    @classmethod
    def parse(cls, text):
        """Reads the spelling."""
        return cls(int(text.replace(".", "")))

    def __str__(self):
        return f"{self.time_ns // 10**9}.{self.time_ns % 10**9:09d}"


def dump(value):
    """JSON without white space."""
    if isinstance(value, Seconds):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dump(key)}:{dump(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def load(line):
    """The object of a line that dump() wrote."""
    return json.loads(line, parse_float=Seconds.parse)


def golden_lines(name):
    """The lines of a right stream."""
    return (GOLDEN / f"{name}.event").read_bytes().splitlines(keepends=True)


def find(lines, kind, nth, wanted):
    """The place of the nth event of a kind with these values; nth may count from the end."""
    events = [load(line) for line in lines]
    places = [
        place
        for place, event in enumerate(events)
        if event["event"] == kind and all(event.get(key) == value for key, value in wanted.items())
    ]
    return places[nth]


def at(kind, nth, wanted, change):
    """Changes the lines; change gets those before the event, its line, and those behind it."""

    def mutate(lines):
        place = find(lines, kind, nth, wanted)
        return change(lines[:place], lines[place], lines[place + 1 :])

    return mutate


def edit(kind, change, /, nth=0, **wanted):
    """Changes the members of an event; change works in place or returns others."""

    def rewrite(before, line, behind):
        members = load(line)
        return [*before, dump(change(members) or members).encode() + b"\n", *behind]

    return at(kind, nth, wanted, rewrite)


def put(kind, /, nth=0, where=None, **values):
    """Sets keys of an event; a key that is new comes last."""
    return edit(kind, lambda members: members.update(values), nth=nth, **(where or {}))


def put_value(kind, /, nth=0, where=None, **values):
    """Sets keys of the object that is an event's value."""
    return edit(kind, lambda members: members["value"].update(values), nth=nth, **(where or {}))


def later(kind, key, time_ns, /, nth=0, **wanted):
    """Adds to a time of an event."""
    return edit(kind, lambda members: {**members, key: Seconds(members[key].time_ns + time_ns)}, nth=nth, **wanted)


def remove(kind, key, /, nth=0, **wanted):
    """Removes a key from an event."""
    return edit(kind, lambda members: {name: members[name] for name in members if name != key}, nth=nth, **wanted)


def spell(kind, old, new, /, nth=0, **wanted):
    """Replaces bytes in an event's line, once."""

    def rewrite(before, line, behind):
        assert old in line, (old, line)
        return [*before, line.replace(old, new, 1), *behind]

    return at(kind, nth, wanted, rewrite)


def drop(kind, /, nth=0, **wanted):
    """Removes an event."""
    return at(kind, nth, wanted, lambda before, line, behind: before + behind)


def move(kind, steps, /, nth=0, **wanted):
    """Moves an event by some lines."""

    def insert(before, line, behind):
        rest, place = before + behind, len(before) + steps
        return [*rest[:place], line, *rest[place:]]

    return at(kind, nth, wanted, insert)


def repeat(kind, /, nth=0, steps=1, **wanted):
    """Writes an event a second time, some lines later."""
    return at(kind, nth, wanted, lambda before, line, behind: [*before, line, *behind[: steps - 1], line, *behind[steps - 1 :]])


def chain(*mutations):
    """Applies one mutation after the other."""

    def mutate(lines):
        for mutation in mutations:
            lines = mutation(lines)
        return lines

    return mutate


def everywhere(old, new):
    """Replaces bytes in every line."""
    return lambda lines: [line.replace(old, new) for line in lines]

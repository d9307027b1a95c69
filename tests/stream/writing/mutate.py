# SPDX-License-Identifier: GPL-2.0-only
"""Small deliberate damage to a right stream: makers of functions from lines to lines."""

from writing.writer import Seconds, dump, load


def matches(members, kind, wanted):
    """True for an event of this kind that has these values."""
    return members["event"] == kind and all(
        members.get(key) == value for key, value in wanted.items()
    )


def find(lines, kind, /, nth=0, **wanted):
    """The place of the nth event of a kind with these values; nth may count from the end."""
    places = [place for place, line in enumerate(lines) if matches(load(line), kind, wanted)]
    return places[nth]


def edit(kind, change, /, nth=0, **wanted):
    """Changes the members of an event; change works in place or returns others."""

    def mutate(lines):
        place = find(lines, kind, nth=nth, **wanted)
        members = load(lines[place])
        members = change(members) or members
        return [*lines[:place], dump(members).encode() + b"\n", *lines[place + 1 :]]

    return mutate


def put(kind, /, nth=0, where=None, **values):
    """Sets keys of an event; a key that is new comes last."""
    return edit(kind, lambda members: members.update(values), nth=nth, **(where or {}))


def put_value(kind, /, nth=0, where=None, **values):
    """Sets keys of the object that is an event's value."""
    return edit(kind, lambda members: members["value"].update(values), nth=nth, **(where or {}))


def later(kind, key, time_ns, /, nth=0, **wanted):
    """Adds to a time of an event."""

    def change(members):
        members[key] = Seconds(members[key].time_ns + time_ns)

    return edit(kind, change, nth=nth, **wanted)


def remove(kind, key, /, nth=0, **wanted):
    """Takes a key out of an event."""
    return edit(
        kind,
        lambda members: {name: value for name, value in members.items() if name != key},
        nth=nth,
        **wanted,
    )


def spell(kind, old, new, /, nth=0, **wanted):
    """Replaces bytes in an event's line, once."""

    def mutate(lines):
        place = find(lines, kind, nth=nth, **wanted)
        assert old in lines[place], (old, lines[place])
        return [*lines[:place], lines[place].replace(old, new, 1), *lines[place + 1 :]]

    return mutate


def drop(kind, /, nth=0, **wanted):
    """Leaves an event out."""

    def mutate(lines):
        place = find(lines, kind, nth=nth, **wanted)
        return lines[:place] + lines[place + 1 :]

    return mutate


def move(kind, steps, /, nth=0, **wanted):
    """Moves an event by some lines."""

    def mutate(lines):
        place = find(lines, kind, nth=nth, **wanted)
        rest = lines[:place] + lines[place + 1 :]
        return rest[: place + steps] + [lines[place]] + rest[place + steps :]

    return mutate


def repeat(kind, /, nth=0, steps=1, **wanted):
    """Writes an event a second time, some lines later."""

    def mutate(lines):
        place = find(lines, kind, nth=nth, **wanted)
        return lines[: place + steps] + [lines[place]] + lines[place + steps :]

    return mutate


def chain(*mutations):
    """One after the other."""

    def mutate(lines):
        for mutation in mutations:
            lines = mutation(lines)
        return lines

    return mutate


def everywhere(old, new):
    """Replaces bytes in every line."""
    return lambda lines: [line.replace(old, new) for line in lines]

# SPDX-License-Identifier: GPL-2.0-only
"""Damage to what the demo does: streams that are well-formed, of a demo that broke its promise."""

from copy import copy

from contract import BYTES, COMPLETED, DEPTH, HANDLED, IO, SUBMIT, TICK, WORK, Tracepoint


def find(records, tracepoint, kind, nth=0):
    """The place of the nth record of a tracepoint and type."""
    same = (tracepoint, kind)
    places = [place for place, one in enumerate(records) if (one.tracepoint, one.kind) == same]
    return places[nth]


def change(tracepoint, kind, nth=0, /, **values):
    """Another value in one record."""

    def damage(records):
        place = find(records, tracepoint, kind, nth)
        record = copy(records[place])
        for name, value in values.items():
            setattr(record, name, value)
        return [*records[:place], record, *records[place + 1 :]]

    return damage


def change_all(tracepoint, /, **values):
    """Another value in all records of a tracepoint."""

    def damage(records):
        records = [copy(record) for record in records]
        for record in [one for one in records if one.tracepoint is tracepoint]:
            for name, value in values.items():
                setattr(record, name, value)
        return records

    return damage


def lose(tracepoint, kind, nth=0, /):
    """One record is not there."""

    def damage(records):
        place = find(records, tracepoint, kind, nth)
        return records[:place] + records[place + 1 :]

    return damage


def delay(tracepoint, kind, nth=0, /):
    """A record comes after all others."""

    def damage(records):
        place = find(records, tracepoint, kind, nth)
        record = copy(records[place])
        record.time_ns = records[-1].time_ns + 1
        return [*records[:place], *records[place + 1 :], record]

    return damage


def chain(*damages):
    """One after the other."""

    def damage(records):
        for one in damages:
            records = one(records)
        return records

    return damage


OTHER_NAME = Tracepoint(IO.name, "slice", "scope_slot", "queue1")

# (the check that must refuse it, what it is, the damage); of 33 requests, 2 workers, 4 slots.
COMPLETE = [
    ("demo-identity", "another track name", change_all(IO, tracepoint=OTHER_NAME)),
    ("demo-tracks", "a slot too much", change(IO, "B", 4, scope=4)),
    ("demo-total", "a record too few", lose(HANDLED, "C", -1)),
    ("demo-submitter", "batch is called otherwise", change(SUBMIT, "B", 0, what="patch")),
    ("demo-slots", "a write that should be a read", change(IO, "B", 2, what="write")),
    ("demo-depth", "a jump", change(DEPTH, "C", 5, what=9)),
    ("demo-workers", "no preparation", chain(lose(WORK, "B", 1), lose(WORK, "E", 0))),
    ("demo-cpus", "a tick too few", chain(lose(TICK, "B", 2), lose(TICK, "E", 2))),
    ("demo-run", "a completion after the end", delay(COMPLETED, "C", -1)),
]

# The same for a batch that lost records; here less is sure.
WITH_LOSS = [
    ("demo-identity", "another track name", change_all(IO, tracepoint=OTHER_NAME)),
    ("demo-sum", "a record that nobody counts", lose(BYTES, "C", 0)),
    ("demo-labels", "a name that the demo does not give", change(WORK, "B", 0, what="mishandle")),
    ("demo-slots", "a request of another slot", change(IO, "B", 0, scope=1)),
    ("demo-rising", "a total that is no total", change(BYTES, "C", 1, what=513)),
    ("demo-depth", "a depth below zero", change(DEPTH, "C", 3, what=-1)),
]

# SPDX-License-Identifier: GPL-2.0-only
"""Damage to what the demo does: streams that are well-formed, of a demo that broke its promise."""

from copy import copy

from contract import BYTES, COMPLETED, DEPTH, HANDLED, IO, SUBMIT, TICK, WORK, Tracepoint, begin_fields, end_fields, flow
from writing.mutate import chain


def at(tracepoint, kind, nth, change):
    """Replaces the nth record of a tracepoint and type; change gets its copy and the last time, and returns records."""

    def damage(records):
        places = [place for place, one in enumerate(records) if (one.tracepoint, one.kind) == (tracepoint, kind)]
        place = places[nth]
        inside, behind = change(copy(records[place]), records[-1].time_ns)
        return [*records[:place], *inside, *records[place + 1 :], *behind]

    return damage


def with_values(record, values):
    """The record with other values."""
    for name, value in values.items():
        setattr(record, name, value)
    return record


def change(tracepoint, kind, nth=0, /, **values):
    """Another value in one record."""
    return at(tracepoint, kind, nth, lambda record, _: ([with_values(record, values)], []))


def change_all(tracepoint, /, **values):
    """Another value in all records of a tracepoint."""
    return lambda records: [with_values(copy(one), values) if one.tracepoint is tracepoint else one for one in records]


def lose(tracepoint, kind, nth=0, /):
    """One record is not there."""
    return at(tracepoint, kind, nth, lambda record, _: ([], []))


def delay(tracepoint, kind, nth=0, /):
    """A record comes after all others."""
    return at(tracepoint, kind, nth, lambda record, last_ns: ([], [with_values(record, {"time_ns": last_ns + 1})]))


OTHER_NAME = Tracepoint(IO.name, "slice", track_name="queue1", is_async=True)

# (the check that must refuse it, what it is, the damage); of 33 requests, 2 workers, 4 slots.
COMPLETE = [
    ("demo-identity", "another track name", change_all(IO, tracepoint=OTHER_NAME)),
    ("demo-tracks", "a request too much in flight", delay(IO, "E", 4)),
    ("demo-total", "a record too few", lose(HANDLED, "C", -1)),
    ("demo-submitter", "batch is called otherwise", change(SUBMIT, "B", 0, what="patch")),
    ("demo-requests", "a write that should be a read", change(IO, "B", 2, fields=begin_fields(2) | {"op": "write"})),
    ("demo-requests", "an end of another request", change(IO, "E", 2, fields=end_fields(20))),
    ("demo-flows", "a flow of another request", change(WORK, "B", 0, flows=[flow(1)])),
    ("demo-flows", "a slice that is no point of a flow", change(SUBMIT, "B", 3, flows=[])),
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
    ("demo-requests", "a write that should be a read", change(IO, "B", 2, fields=begin_fields(2) | {"op": "write"})),
    ("demo-requests", "an end of another request", change(IO, "E", 0, fields=end_fields(20))),
    ("demo-rising", "a total that is no total", change(BYTES, "C", 1, what=513)),
    ("demo-depth", "a depth below zero", change(DEPTH, "C", 3, what=-1)),
]

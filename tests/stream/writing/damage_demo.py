# SPDX-License-Identifier: GPL-2.0-only
"""Damage to what the demo does: streams that are well-formed, of a demo that broke its promise."""

from copy import copy

from contract import BYTES, COMPLETED, DEPTH, HANDLED, IO, RUN, SUBMIT, TICK, WORK, Tracepoint


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


def lose_all(tracepoint):
    """No record of a tracepoint is there."""
    return lambda records: [record for record in records if record.tracepoint is not tracepoint]


def add_one(tracepoint, kind, nth=0, /, **values):
    """A record too much, at the time of another one."""

    def damage(records):
        place = find(records, tracepoint, kind, nth)
        record = copy(records[place])
        for name, value in values.items():
            setattr(record, name, value)
        return [*records[: place + 1], record, *records[place + 1 :]]

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
OTHER_FIELD = Tracepoint(DEPTH.name, "counter", "scope_depth", "depth")
OTHER_EVENT = Tracepoint("ktrack_demo:ktrack_demo_other", "slice")
LAST_FIELDS = {"request": 0, "bytes": 512, "result": 511}

# (the check that must refuse it, what it is, the damage); of 33 requests, 2 workers, 4 slots.
COMPLETE = [
    ("demo-identity", "another track name", change_all(IO, tracepoint=OTHER_NAME)),
    ("demo-identity", "another scope field", change_all(DEPTH, tracepoint=OTHER_FIELD)),
    ("demo-identity", "a tracepoint that the demo lacks", change_all(WORK, tracepoint=OTHER_EVENT)),
    ("demo-tracks", "a slot too much", change(IO, "B", 4, scope=4)),
    ("demo-tracks", "a tracepoint without a track", lose_all(TICK)),
    ("demo-tracks", "two queues", change(DEPTH, "C", 3, scope=1)),
    ("demo-total", "a record too few", lose(HANDLED, "C", -1)),
    ("demo-total", "a record twice", add_one(BYTES, "C", 5)),
    ("demo-total", "an end without a begin", lose(SUBMIT, "B", 4)),
    ("demo-submitter", "batch is called otherwise", change(SUBMIT, "B", 0, what="patch")),
    ("demo-submitter", "no batch around", chain(lose(SUBMIT, "B", 0), lose(SUBMIT, "E", -1))),
    ("demo-submitter", "a submission too few", chain(lose(SUBMIT, "B", 9), lose(SUBMIT, "E", 8))),
    (
        "demo-submitter",
        "batch ends before its last request",
        chain(
            lose(SUBMIT, "B", 33),
            lose(SUBMIT, "E", 32),
            add_one(SUBMIT, "E", 32),
            add_one(SUBMIT, "E", 33, kind="B", what="submit"),
            add_one(SUBMIT, "E", 33),
        ),
    ),
    ("demo-submitter", "a running total off by one", change(BYTES, "C", 7, what=1)),
    ("demo-submitter", "bytes of another process", change_all(BYTES, scope=538)),
    ("demo-slots", "a write that should be a read", change(IO, "B", 2, what="write")),
    ("demo-slots", "another result", change(IO, "E", 0, fields=LAST_FIELDS)),
    ("demo-slots", "an end without fields", change(IO, "E", 0, fields=())),
    (
        "demo-slots",
        "a begin with the end's result",
        change(IO, "B", 0, fields={"request": 0, "bytes": 512, "result": 512}),
    ),
    (
        "demo-slots",
        "two requests in each other's slots",
        chain(change(IO, "B", 0, scope=1), change(IO, "B", 1, scope=0)),
    ),
    (
        "demo-slots",
        "a slot that is taken before it is free",
        chain(lose(IO, "E", 0), add_one(IO, "B", 4, kind="E")),
    ),
    ("demo-depth", "a jump", change(DEPTH, "C", 5, what=9)),
    ("demo-depth", "a sample that repeats", change(DEPTH, "C", 1, what=1)),
    ("demo-depth", "a last sample that is not zero", lose(DEPTH, "C", -1)),
    ("demo-depth", "another queue", change_all(DEPTH, scope=1)),
    (
        "demo-depth",
        "deeper than the queue",
        chain(*[add_one(DEPTH, "C", 0, what=9 - depth) for depth in range(1, 9)]),
    ),
    ("demo-workers", "no preparation", chain(lose(WORK, "B", 1), lose(WORK, "E", 0))),
    ("demo-workers", "another checksum", change(WORK, "B", 3, what="checksum 3")),
    ("demo-workers", "no retry", lose(WORK, "I", 0)),
    ("demo-workers", "a retry too much", add_one(WORK, "E", 1, kind="I", what="retry")),
    ("demo-workers", "a request of the other worker", change(WORK, "B", 3, what="checksum 1")),
    ("demo-workers", "requests counted from zero", change(HANDLED, "C", 0, what=0)),
    ("demo-workers", "a request that is not counted", lose(HANDLED, "C", -1)),
    ("demo-workers", "a third worker", change_all(WORK, scope=542)),
    ("demo-cpus", "a tick too few", chain(lose(TICK, "B", 2), lose(TICK, "E", 2))),
    ("demo-cpus", "a tick called otherwise", change(TICK, "B", 1, what="tock")),
    (
        "demo-cpus",
        "a tick within a tick",
        chain(add_one(TICK, "B", 1), lose(TICK, "B", 3), lose(TICK, "E", 3), add_one(TICK, "E", 1)),
    ),
    ("demo-cpus", "a CPU's completions off by one", change(COMPLETED, "C", -1, what=99)),
    ("demo-cpus", "a completion on another CPU", change(COMPLETED, "C", 0, scope=0)),
    ("demo-cpus", "a completion too few", lose(COMPLETED, "C", -1)),
    ("demo-run", "a completion after the end", delay(COMPLETED, "C", -1)),
    ("demo-run", "a run that is not done", lose(RUN, "I", 0)),
    ("demo-run", "done after run", delay(RUN, "I", 0)),
]

# The same for a batch that lost records; here less is sure.
WITH_LOSS = [
    ("demo-identity", "another track name", change_all(IO, tracepoint=OTHER_NAME)),
    ("demo-sum", "a record that nobody counts", lose(BYTES, "C", 0)),
    ("demo-sum", "a record twice", add_one(TICK, "E", 0, kind="I", what="tick")),
    ("demo-labels", "a name that the demo does not give", change(WORK, "B", 0, what="mishandle")),
    ("demo-labels", "fields where there are none", change(SUBMIT, "B", 1, fields={"request": 1})),
    ("demo-slots", "a request of another slot", change(IO, "B", 0, scope=1)),
    ("demo-slots", "a result that is not possible", change(IO, "E", 0, fields=LAST_FIELDS)),
    ("demo-slots", "a write that should be a read", change(IO, "B", 2, what="write")),
    ("demo-rising", "a total that is no total", change(BYTES, "C", 1, what=513)),
    ("demo-rising", "a count that falls", change(HANDLED, "C", 2, what=1)),
    ("demo-depth", "a depth below zero", change(DEPTH, "C", 3, what=-1)),
    ("demo-depth", "a depth above the slots", change(DEPTH, "C", 3, what=5)),
]

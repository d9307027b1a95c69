# SPDX-License-Identifier: GPL-2.0-only
"""Holds the stream of a batch of ktrack_demo that lost records against what is still sure then."""

from contract import (
    BYTES,
    COMPLETED,
    DEPTH,
    HANDLED,
    IO,
    RUN,
    SUBMIT,
    TICK,
    WORK,
    begin_fields,
    end_fields,
    number,
)
from reading.demo import BEGIN, END, check_identities, running_totals

LABELS = {
    SUBMIT: {"batch", "submit"},
    WORK: {
        "handle",
        "prepare",
        "transfer",
        "retry",
        *(f"checksum {number}" for number in range(4)),
    },
    TICK: {"tick"},
    RUN: {"run", "done"},
}


def is_unfinished(step):
    """True for an end that ktrack made, not the demo."""
    return "unfinished" in step.event.members


def exported(demo):
    """How many of the demo's records reached the stream, be it only as a number."""
    steps = sum(not is_unfinished(step) for track in demo.tracks.values() for step in track.steps)
    return steps + demo.counters.get("unmatched_ends", 0) + demo.counters.get("malformed", 0)


def check_sum(demo):
    """Requested is exported and lost, and something was lost."""
    lost, found = demo.counters.get("lost_records", 0), exported(demo)
    if not lost:
        yield None, "nothing was lost"
    if demo.batch.records() != found + lost:
        yield None, f"{demo.batch.records()} records requested, {found} exported, {lost} lost"


def check_labels(demo):
    """No slice or instant has a name that the demo does not give."""
    for tracepoint, labels in LABELS.items():
        for track in demo.of(tracepoint):
            for step in track.steps:
                if step.what[1] not in labels or step.what[3]:
                    yield step.event, f"{step} is nothing that {tracepoint.name} emits"


def io_is_possible(batch, step, begun):
    """True for the begin of a request, and for the end of the request that was begun."""
    kind, label, _, fields = step.what
    if is_unfinished(step):
        return True
    request = (fields or {}).get("request", 0) - number(0)
    if request not in range(batch.requests) or label != "request":
        return False
    if kind == BEGIN:
        return fields == begin_fields(request)
    return kind == END and request == begun and fields == end_fields(request)


def check_io(demo):
    """Every request that is left has its fields, and its end is its own."""
    for track in demo.of(IO):
        begun = None
        for step in track.steps:
            if not io_is_possible(demo.batch, step, begun):
                yield step.event, f"{step} is no request, or not the one that began"
            begun = (step.what[3] or {}).get("request", 0) - number(0)


def check_rising(demo):
    """The counters that only rise do so, within their limits."""
    totals = {BYTES: set(running_totals(demo.batch))}
    for tracepoint in (BYTES, HANDLED, COMPLETED):
        possible = totals.get(tracepoint, range(1, demo.batch.requests + 1))
        for track in demo.of(tracepoint):
            for step, before in zip(track.steps, [0, *track.values()]):
                if step.what[1] <= before or step.what[1] not in possible:
                    yield step.event, f"{step} after {before}"


def check_depth(demo):
    """The queue's depth stays within the queue."""
    for track in demo.of(DEPTH):
        for step in track.steps:
            if not 0 <= step.what[1] <= demo.batch.slots:
                yield step.event, f"{step} in a queue of {demo.batch.slots}"


CHECKS = {
    "demo-identity": check_identities,
    "demo-sum": check_sum,
    "demo-labels": check_labels,
    "demo-requests": check_io,
    "demo-rising": check_rising,
    "demo-depth": check_depth,
}

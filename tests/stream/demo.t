#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: streams of batches that keep the demo's promise pass, each small breach is refused."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

from contract import BYTES, COMPLETED, DEPTH, HANDLED, IO, Batch  # noqa: E402
from damage.mutate import chain, drop, edit, everywhere, golden_lines, later, put, remove  # noqa: E402
from reading import demo, demo_loss  # noqa: E402
from reading.stream import read_events  # noqa: E402
from tap import tested  # noqa: E402

REQUESTS = 17
REQUESTS_WITH_LOSS = 8


def of(tracepoint):
    """Records of a tracepoint."""
    return {"category": tracepoint.name}


def drop_slice(label):
    """Removes the first slice with a name."""
    return chain(drop("region_enter", label=label), drop("region_leave", label=label))


def field(kind, nth, **values):
    """Other values of fields of a request."""
    return edit(kind, lambda members: members["args"].update(values), nth=nth, **of(IO))


OTHER_NAME = everywhere(b'"name":"queue0"', b'"name":"queue1"')

# (the check that must refuse it, what it is, the damage)
COMPLETE = [
    ("demo-identity", "another track name", OTHER_NAME),
    ("demo-tracks", "a lane too high", everywhere(b'"lane":2', b'"lane":5')),
    ("demo-total", "a record too few", drop("data", **of(HANDLED))),
    ("demo-submitter", "batch is called otherwise", everywhere(b'"label":"batch"', b'"label":"patch"')),
    ("demo-requests", "a read that should be a write", field("region_enter", 1, op="read")),
    ("demo-requests", "an end of another request", field("region_leave", 2, request=20)),
    ("demo-flows", "a flow of another request", put("region_enter", where={"label": "handle"}, flow=["ktrack_demo_request:0x2"])),
    ("demo-flows", "a slice that is no point of a flow", remove("region_enter", "flow", nth=3, label="submit")),
    ("demo-depth", "a jump", put("data", nth=5, where=of(DEPTH), value="9")),
    ("demo-workers", "no preparation", drop_slice("prepare")),
    ("demo-cpus", "a tick too few", drop_slice("tick")),
    ("demo-run", "a completion after the end", later("data", "t_abs", 10**9, nth=-1, **of(COMPLETED))),
]

# The same for a batch that lost records; here less is sure.
WITH_LOSS = [
    ("demo-identity", "another track name", OTHER_NAME),
    ("demo-sum", "a record that is not counted", drop("data", **of(BYTES))),
    ("demo-labels", "a name that the demo does not give", put("region_enter", where={"label": "handle"}, label="mishandle")),
    ("demo-requests", "a read that should be a write", field("region_enter", 1, op="read")),
    ("demo-requests", "an end of another request", field("region_leave", 0, request=20)),
    ("demo-rising", "a total that is no total", put("data", nth=1, where=of(BYTES), value="513")),
    ("demo-depth", "a depth below zero", put("data", nth=1, where=of(DEPTH), value="-1")),
]


def broken(lines, requests, checks):
    """The promises that a stream breaks."""
    found = demo.Demo(Batch(requests))
    for event in read_events(lines):
        found.add(event)
    return list(demo.broken_promises(found, checks))


def check_damages(tap, name, requests, checks, damages):
    """The stream keeps all promises; each breach is refused by its check."""
    lines = golden_lines(name)
    tap.nothing(broken(lines, requests, checks), f"{name}: right")
    tap.ok(broken(lines, requests + 1, checks), f"{name}: of another batch")
    for check, what, damage in damages:
        found = broken(damage(lines), requests, checks)
        tap.ok(any(check == one for _, one, _ in found), f"{name}: {check} refuses {what}", *found[:3])
    tap.nothing(sorted(set(checks) - {damage[0] for damage in damages}), f"{name}: every check refuses something")


@tested
def main(tap):
    """Runs all of it."""
    check_damages(tap, "demo", REQUESTS, demo.CHECKS, COMPLETE)
    check_damages(tap, "lossy", REQUESTS_WITH_LOSS, demo_loss.CHECKS, WITH_LOSS)
    tap.ok(broken(golden_lines("lossy"), REQUESTS_WITH_LOSS, demo.CHECKS), "a batch with losses is not complete")
    tap.ok(broken(golden_lines("demo"), REQUESTS, demo_loss.CHECKS), "a complete batch has no losses")

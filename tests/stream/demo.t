#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: every batch that keeps the demo's promise is right, each small breach is refused."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

from contract import Batch  # noqa: E402
from reading import demo, demo_loss  # noqa: E402
from reading.stream import check_lines, read_events  # noqa: E402
from tap import Tap  # noqa: E402
from writing import damage_demo  # noqa: E402
from writing.bases import REQUESTS, play_demo, write_demo, write_lossy  # noqa: E402

# requests, workers, slots, CPUs
BATCHES = (
    (1, 2, 4, 1),
    (2, 2, 4, 2),
    (15, 2, 4, 2),
    (16, 2, 4, 2),
    (64, 1, 1, 1),
    (65, 3, 2, 4),
    (200, 5, 16, 3),
    (33, 40, 3, 2),
)


def broken(lines, batch, checks):
    """The promises that a stream breaks."""
    found = demo.Demo(batch)
    for event in read_events(lines):
        found.add(event)
    return list(demo.broken_promises(found, checks))


def check_batches(tap):
    """Batches of many sizes are right."""
    for requests, workers, slots, cpus in BATCHES:
        lines = write_demo(play_demo(requests, workers, slots, cpus, seed=requests))
        batch = Batch(requests, workers, slots)
        wrong = [*check_lines(lines), *broken(lines, batch, demo.CHECKS)]
        tap.nothing(wrong, f"{requests} requests, {workers} workers, {slots} slots, {cpus} CPUs")


def check_damages(tap, kind, damages, checks, write):
    """Each breach leaves a well-formed stream, and is refused by its check."""
    for name, what, damage in damages:
        lines = write(damage(play_demo()))
        malformed = list(check_lines(lines))
        found = broken(lines, Batch(REQUESTS), checks)
        is_refused = not malformed and any(name == check for _, check, _ in found)
        tap.ok(is_refused, f"{name} refuses: {what} ({kind})", *malformed[:3], *found[:3])
    untried = set(checks) - {damage[0] for damage in damages}
    tap.nothing(sorted(untried), f"every check refuses something ({kind})")


def main():
    """Runs all of it."""
    tap = Tap()
    check_batches(tap)
    check_damages(tap, "complete", damage_demo.COMPLETE, demo.CHECKS, write_demo)
    lossy = write_lossy(play_demo())
    tap.nothing(broken(lossy, Batch(REQUESTS), demo_loss.CHECKS), "a batch with losses")
    tap.ok(broken(lossy, Batch(REQUESTS), demo.CHECKS), "a batch with losses is not complete")
    complete = broken(write_demo(play_demo()), Batch(REQUESTS), demo_loss.CHECKS)
    tap.ok(complete, "a complete batch has no losses")
    check_damages(tap, "with loss", damage_demo.WITH_LOSS, demo_loss.CHECKS, write_lossy)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

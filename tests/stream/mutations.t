#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: right streams pass the strict reader, each small damage is refused by its rule."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

from damage import lines, tracks  # noqa: E402
from damage.mutate import golden_lines  # noqa: E402
from reading.stream import all_rules, check_lines  # noqa: E402
from tap import tested  # noqa: E402

MUTATIONS = lines.MUTATIONS + tracks.MUTATIONS
# A batch of the demo, one with losses, one cut at both ends; odd names, flows, tracks that are evicted, malformed records.
BASES = ("demo", "lossy", "cut", "rare")


def check_mutation(tap, bases, mutation):
    """One damage: the stream changes, and the rule that it breaks is among those that refuse it."""
    rule, base, what, mutate = mutation
    damaged = mutate(bases[base])
    found = list(check_lines(damaged))
    is_refused = damaged != bases[base] and any(rule == broken for _, broken, _ in found)
    tap.ok(is_refused, f"{rule} refuses: {what} ({base})", *found[:5])


@tested
def main(tap):
    """Runs all of it."""
    bases = {name: golden_lines(name) for name in BASES}
    for name, base in bases.items():
        tap.nothing([f"{number}: {rule}: {message}" for number, rule, message in check_lines(base)], f"the stream {name!r} is right")
    for mutation in MUTATIONS:
        check_mutation(tap, bases, mutation)
    untried = set(all_rules()) - {mutation[0] for mutation in MUTATIONS}
    tap.nothing(sorted(untried), "every rule refuses something")

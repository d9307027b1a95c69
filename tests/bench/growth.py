# SPDX-License-Identifier: GPL-2.0-only
"""How many instructions an event costs, without what a run costs anyhow."""

from collections import Counter

import inputs
import instructions


def export_cost(ktrack, path, *options):
    """Instructions of a whole export, by room."""
    return instructions.count([str(ktrack), "export", *options, str(path)])


def marginal_cost(ktrack, folder, script, size, *options):
    """Instructions for each event, by room: of a file twice as long, less those of a file."""
    costs = []
    for factor in (1, 2):
        path = inputs.make(folder, f"growth{factor}", script(factor * size))
        costs.append(export_cost(ktrack, path, *options))
        path.unlink()
    return Counter({room: (costs[1][room] - costs[0][room]) / size for room in costs[1]})


def total(costs):
    """Instructions for each event in all rooms."""
    return sum(costs.values())

# SPDX-License-Identifier: GPL-2.0-only
"""How many instructions an event costs, without what a run costs anyhow."""

from collections import Counter

import inputs
import instructions


def export_cost(ktrack, path, *options):
    """Instructions of a whole export, by module."""
    return instructions.count([str(ktrack), "export", *options, str(path)])


def marginal_cost(ktrack, folder, script, size, *options):
    """Instructions for each event, by module: of a file twice as long, less those of a file."""
    costs = []
    for factor in (1, 2):
        path = inputs.make(folder, f"growth{factor}", script(factor * size))
        costs.append(export_cost(ktrack, path, *options))
        path.unlink()
    return Counter({module: (costs[1][module] - costs[0][module]) / size for module in costs[1]})


def marginal_total(command, folder, script, size, *behind):
    """Instructions for each event of any command, to which the path of a file is appended, and what is behind it."""
    costs = []
    for factor in (1, 2):
        path = inputs.make(folder, f"growth{factor}", script(factor * size))
        costs.append(instructions.total([*command, str(path), *behind]))
        path.unlink()
    return (costs[1] - costs[0]) / size


def total(costs):
    """Instructions for each event in all modules."""
    return sum(costs.values())

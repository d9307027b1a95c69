#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the tree follows the style rules."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from rules import calls, descriptions, headers, manual, modules, paper, shell, size, words  # noqa: E402
from rules.tree import Skip, Tree  # noqa: E402
from tap import tested  # noqa: E402

AREAS = (headers, descriptions, modules, paper, size, words, calls, shell, manual)


def run_check(tap, tree, check):
    """One rule over the whole tree."""
    try:
        tap.nothing(list(check(tree)), check.__doc__, most=10000 if "--all" in sys.argv else 20)
    except Skip as why:
        tap.skip(check.__doc__, why)


@tested
def main(tap):
    """Runs every rule; --all shows everything that it finds."""
    tree = Tree(HERE.parents[1])
    tap.comment(f"{len(tree.files)} files")
    for check in [check for area in AREAS for check in area.CHECKS]:
        run_check(tap, tree, check)
    for remark in size.REMARKS:
        tap.comment("\n".join(remark(tree)))

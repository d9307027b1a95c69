#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the tree keeps the house rules."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from house import calls, descriptions, headers, manual, rooms, shell, size, words  # noqa: E402
from house.tree import Skip, Tree  # noqa: E402
from tap import Tap  # noqa: E402

AREAS = (headers, descriptions, rooms, size, words, calls, shell, manual)


def run_check(tap, tree, check):
    """One rule over the whole tree."""
    try:
        tap.nothing(list(check(tree)), check.__doc__)
    except Skip as why:
        tap.skip(check.__doc__, why)


def main():
    """Runs every rule on this tree, or on the one that is named."""
    tap = Tap()
    tree = Tree(sys.argv[1] if sys.argv[1:] else HERE.parents[1])
    tap.comment(f"{len(tree.files)} files")
    for check in [check for area in AREAS for check in area.CHECKS]:
        run_check(tap, tree, check)
    for remark in size.REMARKS:
        tap.comment("\n".join(remark(tree)))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

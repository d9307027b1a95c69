# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions in public headers: kernel-doc parses all of them."""

from pathlib import Path

import process

from rules.tree import Skip

# Of the kernels that the tests boot; it comes with what builds their modules.
READERS = Path(__file__).resolve().parents[3] / "build/vm"
READER = "*/usr/lib/linux-kbuild-*/scripts/kernel-doc"


def check_descriptions(tree):
    """kernel-doc accepts the descriptions in public headers"""
    headers = [file.name for file in tree.of("c") if file.name.startswith("include/") and file.name.endswith(".h")]
    readers = sorted(READERS.glob(READER))
    if not readers:
        raise Skip("there is no kernel-doc; scripts/deps installs it")
    done = process.run(
        [readers[-1], "-none", *headers], cwd=tree.root, capture_output=True, text=True
    )
    found = [line for line in done.stderr.splitlines() if ": warning: " in line or ": error: " in line]
    yield from found
    if done.returncode != 0 and not found:
        yield f"kernel-doc: status {done.returncode}: {done.stderr.strip()}"


CHECKS = (check_descriptions,)

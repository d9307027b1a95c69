# SPDX-License-Identifier: GPL-2.0-only
"""Shell scripts: shellcheck accepts them, and they stop at the first failure."""

import re
import shutil

import process

from rules.tree import Skip

STRICT = re.compile(r"^set -(?:[a-z]*e[a-z]*u|[a-z]*u[a-z]*e)", re.MULTILINE)
# These go on after a failure, for a reason.
LENIENT = {"scripts/vm-init": "the kernel panics if its first process ends"}


def check_shellcheck(tree):
    """shellcheck accepts every shell script"""
    scripts = [file.name for file in tree.of("shell")]
    if not scripts:
        raise Skip("there are no shell scripts yet")
    if not shutil.which("shellcheck"):
        raise Skip("shellcheck is not installed; scripts/deps installs it")
    command = ["shellcheck", "--format=gcc", "--external-sources", *scripts]
    done = process.run(command, cwd=tree.root, capture_output=True, text=True)
    if done.returncode not in (0, 1) or done.stderr:
        yield f"shellcheck: status {done.returncode}: {done.stderr.strip()}"
    yield from done.stdout.splitlines()


def check_strict(tree):
    """Every shell script runs under set -eu"""
    for file in tree.of("shell"):
        is_program = file.text.startswith("#!") and file.name not in LENIENT
        if is_program and not STRICT.search(file.text):
            yield f"{file.name}: no set -eu"


CHECKS = (check_shellcheck, check_strict)

# SPDX-License-Identifier: GPL-2.0-only
"""Man pages: every command of ktrack has one."""

import re
from pathlib import PurePosixPath

import process

from rules.tree import Skip

PROGRAM = "build/ktrack"
COMMAND = re.compile(r"^ {2,}([a-z][a-z-]*) {2,}\S", re.MULTILINE)


def commands_of(tree):
    """The commands in the program's help."""
    if not (tree.root / PROGRAM).is_file():
        raise Skip(f"{PROGRAM} is not built")
    words = [str(tree.root / PROGRAM), "--help"]
    done = process.run(words, capture_output=True, text=True)
    return COMMAND.findall(done.stdout)


def check_pages(tree):
    """Every command in ktrack --help has a man page ktrack-COMMAND.1, every page a command"""
    pages = [PurePosixPath(file.name).name for file in tree.of("man")]
    found = {name[len("ktrack-") : -2] for name in pages if re.fullmatch(r"ktrack-.*\.1", name)}
    if not found:
        raise Skip("there are no man pages of commands yet")
    commands = set(commands_of(tree))
    if not commands:
        yield f"{PROGRAM} --help lists no command"
    yield from (f"ktrack {name} has no man page" for name in sorted(commands - found))
    yield from (f"ktrack-{name}.1 describes no command" for name in sorted(found - commands))


CHECKS = (check_pages,)

# SPDX-License-Identifier: GPL-2.0-only
"""Only cli prints to stderr, only main exits."""

import re

from rules.tree import matches_in

TALK = re.compile(
    r"\bstderr\b|\bSTDERR_FILENO\b|\bv?(?:warn|err)x?\s*\(|\bperror\s*\(|\bd?printf\s*\(\s*2\s*,"
    r"|\bwrite\s*\(\s*2\s*,|\berror\s*\(\s*[0-9]"
)
EXIT = re.compile(r"\b(?:exit|quick_exit|abort|err|errx|verr|verrx|raise)\s*\(")
CHILD_EXIT = re.compile(r"\b(?:_exit|_Exit)\s*\(")
FORK = re.compile(r"\bv?fork\s*\(|\bclone3?\s*\(")
MAIN = "userspace/cli/main.c"


def check_talk(tree):
    """Only cli prints to stderr"""
    for file in tree.of("c"):
        if not file.is_below("userspace") or file.is_below("userspace/cli"):
            continue
        for number, match in matches_in(file, file.code(), TALK):
            yield f"{file.name}:{number}: {match.group()}"


def check_exits(tree):
    """Only main ends the program; _exit is for a child where it was forked"""
    for file in tree.of("c"):
        code = file.code() if file.is_below("userspace") else ""
        exits = list(matches_in(file, code, EXIT)) if file.name != MAIN else []
        exits += [] if FORK.search(code) else list(matches_in(file, code, CHILD_EXIT))
        for number, match in exits:
            yield f"{file.name}:{number}: {match.group()}"


CHECKS = (check_talk, check_exits)

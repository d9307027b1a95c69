# SPDX-License-Identifier: GPL-2.0-only
"""The interfaces of ktrack, from the program and from the tables of its sources."""

import re
import subprocess
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SOURCES = PROJECT / "userspace"
KTRACK = PROJECT / "build/ktrack"
LIMIT_S = 60


@cache
def said(*words):
    """What ktrack prints."""
    return subprocess.run([KTRACK, *words], capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout


@cache
def source(name):
    """The text of a source."""
    return (SOURCES / name).read_text()


@cache
def options():
    """The value of each option, '-' without one, of each command, by its long and short name. The command '' is ktrack itself."""
    tables = {"": {}}
    for line in said("--help-options").splitlines():
        kind, command, *rest = line.split("\t")
        table = tables.setdefault(command, {})
        if kind == "option":
            table.update({name: rest[2] for name in rest[:2] if name != "-"})
    main = source("cli/main.c").replace('"--" OPTION_LIST', '"--help-options"')
    tables[""] = {name.lstrip("-"): "-" for name in re.findall(r'"(-[a-z]|--[a-z-]+)"', main)}
    return tables


STATUS = re.compile(r"(?:^|[;:,.] |\bor |\n)(\d+(?:\+N)?) ")
OF_COMMAND = {"125", "126", "127", "128+N"}
AS_STREAM = re.compile(r"as for .?ktrack.stream")


def statuses_of(text):
    """The exit statuses that a text lists; one text refers to ktrack stream for those of a traced command."""
    found = {word for word in STATUS.findall(text) if len(word) < 4 or word.endswith("+N")}
    return found | (OF_COMMAND if AS_STREAM.search(text) else set())


@cache
def statuses():
    """The exit statuses of each command, as its help lists them."""
    found = {}
    for command in set(options()) - {""}:
        notes = said(command, "--help-all").rpartition("Exit status")[2].partition(" ")[2].replace("\n", " ")
        found[command] = statuses_of(notes)
    return found


def possible_statuses(command):
    """The exit statuses that follow from the options and the usage of a command: the help must have them."""
    table = options()[command]
    possible = {"0", "1", "2"} | ({"3"} if {"fail-on-loss", "budget", "compare"} & set(table) else set())
    possible |= {"4"} if "budget" in table else set()
    return possible | (OF_COMMAND if "[-- COMMAND" in said(command, "--help") else set())


@cache
def known_statuses():
    """All of them, by the numbers of enum exit_status."""
    return set(re.findall(r"STATUS_\w+ = (\d+),", source("session/session.h")))

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

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: regions of trace2/region.h end with their blocks, in C and C++, and take literals only."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from tap import tested  # noqa: E402
from driver import ROOT, events_of, run  # noqa: E402

COMPILERS = {
    "C, gcc": ("gcc", "-std=c99", "-xc"),
    "C, clang": ("clang", "-std=c11", "-xc"),
    "C++, g++": ("g++", "-std=c++11", "-xc++"),
    "C++, clang++": ("clang++", "-std=c++20", "-xc++"),
}
WORDS = {"region_enter": "+", "region_leave": "-"}
EXPECTED = ["+block outer", "+block inner", "-block inner", "-block outer"] + ["+loop ", "-loop "] * 2
THROWN = ["+block throws", "-block throws", "caught"]


def compiled(compiler, *words):
    """What a compiler says of a program."""
    flags = ("-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror", "-O2", f"-I{ROOT}/include")
    return process.run([*COMPILERS[compiler], *flags, *words], capture_output=True, text=True)


def check_blocks(tap, folder):
    """Each way out of a block ends its regions, with the place of their beginning."""
    for name in COMPILERS:
        program = Path(folder) / "region"
        done = compiled(name, "-o", program, HERE / "region.c", "-xnone", f"-L{ROOT}/build", "-ltrace2", f"-Wl,-rpath,{ROOT}/build")
        tap.ok(done.returncode == 0 and not done.stderr, f"{name}: without warnings", done.stderr)
        streams, ended = run([program], stdout=-1)
        events = [event for text in streams["event"].values() for event in events_of(text)]
        found = [WORDS[one["event"]] + f"{one['category']} {one['label']}" if one["event"] in WORDS else one["key"] for one in events if one["event"] in (*WORDS, "data")]
        wanted = EXPECTED + (THROWN if "++" in name else [])
        tap.ok(found == wanted and ended.returncode == 0, f"{name}: regions end with their blocks", *found)
        lines = [one["line"] for one in events if one["event"] in WORDS]
        tap.ok(lines[0] == lines[3] and lines[1] == lines[2] == lines[0] + 1, f"{name}: they have the place of the guard", *lines)


def check_literals(tap, folder):
    """Text that may be freed before the end is refused."""
    source = Path(folder) / "text.c"
    source.write_text('#include <trace2/region.h>\nvoid f(const char *text);\nvoid f(const char *text) { trace2_region_guard("a", text, NULL); }\n')
    for name in COMPILERS:
        done = compiled(name, "-fsyntax-only", source)
        tap.ok(done.returncode != 0 and "text.c:3" in done.stderr, f"{name}: a label is a literal", done.stderr)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_blocks(tap, folder)
        check_literals(tap, folder)

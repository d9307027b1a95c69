#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: libtrace2's headers compile without a warning, each alone, with both compilers, in every standard since C99 and C++11."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent)]

import process  # noqa: E402
from tap import tested  # noqa: E402

HEADERS = ("event.h", "trace2.h", "process.h", "region.h")
COMPILERS = {
    "gcc": ("c", ("c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x")),
    "clang": ("c", ("c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x")),
    "g++": ("c++", ("c++11", "gnu++11", "c++14", "c++17", "gnu++17", "c++20", "c++2b")),
    "clang++": ("c++", ("c++11", "gnu++11", "c++14", "c++17", "gnu++17", "c++20", "c++2b")),
}


def complaints(compiler, language, standard):
    """What a compiler prints for the headers, each in a source file of its own."""
    for header in HEADERS:
        words = [compiler, f"-x{language}", f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Iinclude", "-fsyntax-only", "-"]
        text = f"#include <trace2/{header}>\n"
        done = process.run(words, input=text, text=True, capture_output=True, cwd=ROOT)
        if done.returncode != 0 or done.stderr:
            yield f"{standard} {header}: {done.returncode} {done.stderr[:500]}"


@tested
def main(tap):
    """A point for each compiler."""
    for compiler, (language, standards) in COMPILERS.items():
        found = [line for standard in standards for line in complaints(compiler, language, standard)]
        tap.nothing(found, f"{compiler}: {', '.join(standards)}", most=3)

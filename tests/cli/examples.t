#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: every code block of README and of the man pages is run or built by a test; here those that need no kernel."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import blocks  # noqa: E402
from tap import Tap  # noqa: E402

ROOT = blocks.PROJECT
# What builds or runs the blocks of each kind. A synopsis and a diagram are no code.
TESTED_BY = {
    "driver": "tests/kernel/page.t",
    "program": "tests/cli/examples.t",
    "shell": "tests/vm/examples.t",
    "console": "tests/vm/examples.t",
    "rules": "tests/cli/rules.t",
    "grammar": None,
    "synopsis": None,
    "diagram": None,
}
# Slices of all sizes, in an order that is no one's; tools print the shortest as 1e-07 or the like.
DURATIONS = ("0.500000000", "0.000000100", "12.000000000", "0.000052000", "0.000009000", "3.000000000", "0.001000000")

PROGRAM = """\
#include <stddef.h>
#include <trace2/process.h>

int main(int argc, char **argv)
{{
	size_t count = argc;

{body}
	return trace2_cmd_exit(0);
}}
"""


def run(*words, **more):
    """A command's end and words."""
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, **more)


def check_kinds(tap):
    """No block may be of a kind that nobody looks at."""
    found = blocks.blocks()
    pages = {block.place.partition(":")[0] for block in found}
    tap.ok(len(found) >= 25 and len(pages) >= 7, "blocks are found in README and in the pages", len(found), *sorted(pages))
    strange = [block.place for block in found if block.kind not in TESTED_BY]
    tap.nothing(strange, "each is of a kind that a test builds or runs")
    absent = [test for test in TESTED_BY.values() if test and not (ROOT / test).exists()]
    tap.nothing(absent, "and these tests are there")


def check_targets(tap):
    """Targets of our own Makefile, which are too much to be made here."""
    words = re.findall(r"^make\b(?! -C)(.*)$", "".join(block.text for block in blocks.blocks("shell")), re.MULTILINE)
    for target in sorted({word for line in words for word in line.split()}):
        done = run("make", "-n", "KDIR=/nonexistent", target, cwd=ROOT)
        tap.ok(done.returncode == 0, f"make {target} is something", done.stderr)


def check_pages_named(tap):
    """Pages to be read out of the tree are there."""
    names = re.findall(r"`(?:man -l )?((?:userspace|include)/[\w/.-]+\.\d)`", (ROOT / "README.md").read_text())
    tap.ok(len(names) >= 2, "README names pages", *names)
    tap.nothing([name for name in names if not (ROOT / name).exists()], "all of which are there")


def check_program(tap):
    """The example of the library, inside of a main function."""
    library = ROOT / "build/libtrace2.so"
    if not library.exists():
        tap.skip("the program of README", "the library is not built")
        return
    for block in blocks.blocks("program"):
        with tempfile.TemporaryDirectory() as scratch:
            source, program = Path(scratch) / "program.c", Path(scratch) / "program"
            source.write_text(PROGRAM.format(body=block.text))
            done = run(
                "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-o", program, source,
                f"-L{ROOT}/build", "-ltrace2", f"-Wl,-rpath,{ROOT}/build",
            )  # fmt: skip
            tap.ok(done.returncode == 0, f"{block.place}: the program builds", done.stderr)
            done = run(program, env=os.environ | {"MYPROG_TRACE2_PERF": "1"})
            is_right = done.returncode == 0 and "region_leave" in done.stderr and "label:read" in done.stderr
            tap.ok(is_right, f"{block.place}: and shows where the time goes", done.stderr)


def sorting_filters():
    """What the pages put behind a stream to sort its slices."""
    for block in blocks.blocks("shell"):
        for line in block.text.splitlines():
            stream, bar, rest = line.partition(" | ")
            if stream.startswith("ktrack stream") and bar and "sort" in rest:
                yield block, rest


def check_sorted(tap):
    """Longest last, whatever way jq prints numbers."""
    lines = [
        json.dumps({"event": "region_leave", "t_rel": 0.0, "label": duration}).replace("0.0", duration, 1)
        for duration in DURATIONS
    ]
    found = list(sorting_filters())
    tap.ok(found, "a page shows how slices are sorted")
    for block, words in found:
        done = run("sh", "-c", words, input="\n".join(lines) + "\n")
        order = [line.split("\t")[1] for line in done.stdout.splitlines()]
        tap.ok(order == sorted(DURATIONS, key=float), f"{block.place}: slices are sorted by their length", *order, done.stderr)


def check_rules(tap):
    """The examples of rules are rules, one of each kind; every key of the grammar is one that the parser has."""
    kinds = set()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "example.rules"
        for block in blocks.blocks("rules"):
            path.write_text(block.text)
            done = run(ROOT / "build/ktrack", "list", "--json", "-r", path)
            kinds |= {json.loads(line)["kind"] for line in done.stdout.splitlines()}
            tap.ok(done.returncode == 0, f"{block.place}: these are rules", done.stderr)
    tap.ok(kinds == {"slice", "state", "counter", "instant", "flow"}, "there is an example of every kind", *kinds)
    keys = set(re.findall(r'= "(\w+)"', (ROOT / "userspace/rules/line.c").read_text()))
    grammar = "".join(block.text for block in blocks.blocks("grammar"))
    tap.nothing([key for key in keys if f'"{key}"' not in grammar], "the grammar has every key", len(keys))


def check_packs(tap):
    """The page has a section for each pack, with the kernels on which it was tried."""
    page = (ROOT / "userspace/cli/ktrack-rules.5").read_text()
    done = run(ROOT / "build/ktrack", "list", "--json", "--rules")
    packs = {line["pack"]: line["tried_on"] or "not tried" for line in map(json.loads, done.stdout.splitlines())}
    tap.ok(len(packs) >= 9, "there are packs", *packs)
    tap.nothing([name for name, tried in packs.items() if f".SS {name} ({tried})" not in page], "each has its section")


def main():
    tap = Tap()
    check_kinds(tap)
    check_targets(tap)
    check_pages_named(tap)
    check_program(tap)
    check_sorted(tap)
    check_rules(tap)
    check_packs(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

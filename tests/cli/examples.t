#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: every code block of the documents is run or built by a test; here those that need no kernel."""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "stream")]

import blocks  # noqa: E402
import process  # noqa: E402
from reading import schema  # noqa: E402
from reading.line import Violation, read_real  # noqa: E402
from tap import tested  # noqa: E402

ROOT = blocks.PROJECT
# What builds or runs the blocks of each kind. Only the others contain code.
TESTED_BY = {
    "driver": "tests/kernel/page.t",
    "program": "tests/cli/examples.t",
    "shell": "tests/vm/examples.t",
    "console": "tests/vm/examples.t",
    "parameters": "tests/vm/examples.t",
    "rules": "tests/cli/rules.t",
    "grammar": None,
    "synopsis": None,
    "diagram": None,
    "lines": "tests/cli/examples.t",
    "recipe": "tests/recipes/",
    "output": None,
}
# What a command line begins with; nobody runs those among output.
COMMAND = re.compile(r"^[ \t]*(?:\$ |# |sudo |ktrack |make |scripts/|insmod |cat >)", re.MULTILINE)
# Slices of all sizes, in an order that is no one's; tools print the shortest as 1e-07 or the like.
DURATIONS = ("0.500000000", "0.000000100", "12.000000000", "0.000052000", "0.000009000", "3.000000000", "0.001000000")

README_LINES, IMAGE_BYTES = 108, 100_000
# The recording behind the example lines of ktrack-outputs(7).
RECORDING = """\
event mydrv:mydrv_work 100 char track_event_type; string slice_name; u32 bytes; ktrack_flow_id request
event mydrv:mydrv_depth 101 u32 counter_value; u32 scope_queue
task 7 worker
wall 1700000000000000

0    7@0 mydrv_depth 3 1
1us  7@0 mydrv_work B handle 4096 0x1f
5us  7@0 mydrv_work I retry 512 0
9us  7@0 mydrv_work E \"\" 4096 0x1f
10us 7@0 mydrv_work E \"\" 0 0
20us 7@0 mydrv_work B late 512 0
lost 0 12
30us 7@0 mydrv_work E \"\" 512 0
"""
# Members that the page leaves out; the version differs.
OFTEN = re.compile(r'"(?:sid|time)":"[^"]*",|"file":"[^"]*","line":\d+,|,"exe":"[^"]*"(?=})')
LIVE = re.compile(r'"event":"(?:cmd_mode|child_start|child_exit)"|"category":"ktrack","key":"tracepoint"')
HAS_PLACE = re.compile(r'"event":"(?:cmd_mode|child_\w+)"')
# Written instead of a session if a folder has too many files.
NOT_SHOWN = {"too_many_files"}

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
    return process.run(words, capture_output=True, text=True, **more)


def check_kinds(tap):
    """No block may be of a kind that nobody looks at."""
    found = blocks.blocks()
    pages = {block.place.partition(":")[0] for block in found}
    tap.ok(len(found) >= 25 and len(pages) >= 8, "blocks are found in the texts and in the pages", len(found), *sorted(pages))
    strange = [block.place for block in found if block.kind not in TESTED_BY]
    tap.nothing(strange, "each is of a kind that a test builds or runs")
    absent = [test for test in TESTED_BY.values() if test and not (ROOT / test).exists()]
    tap.nothing(absent, "and these tests are there")
    hidden = [f"{block.place}: {COMMAND.search(block.text)[0]}" for block in found if block.kind == "output" and COMMAND.search(block.text)]
    tap.nothing(hidden, "no command is shown as output")


def check_targets(tap):
    """Targets of our own Makefile, which are too much to be made here."""
    words = re.findall(r"^(?:sudo )?make\b(?! -C)([^#\n]*)", "".join(block.text for block in blocks.blocks("shell")), re.MULTILINE)
    for target in sorted({word for line in words for word in line.split() if not word.startswith("-")}):
        done = run("make", "-n", "KDIR=/nonexistent", target, cwd=ROOT)
        tap.ok(done.returncode == 0, f"make {target} is something", done.stderr)


def check_files_named(tap):
    """Pages to be read out of the tree are there, as are the targets of links."""
    names, links = [], []
    for file in blocks.TEXTS:
        text = file.read_text()
        names += re.findall(r"`(?:man -l )?((?:userspace|include)/[\w/.-]+\.\d)`", text)
        links += re.findall(r"\]\((?!https?:)([^)]+)\)", text)
    tap.ok(len(names) >= 2 and len(links) >= 4, "the texts name pages, and link to files", *names, *links)
    tap.nothing([name for name in names + links if not (ROOT / name).exists()], "all of which are there")


def check_images(tap):
    """Images are small; the one of the architecture is what its script draws; pages name images that are there."""
    files = sorted((ROOT / "userspace/doc").glob("*.png"))
    tap.ok(files and all(file.stat().st_size < IMAGE_BYTES for file in files), f"images have less than {IMAGE_BYTES} bytes", *files)
    done = run(ROOT / "scripts/pictures/architecture")
    tap.ok(done.stdout == (ROOT / "scripts/pictures/architecture.svg").read_text(), "make pictures was run after a change", done.stderr)
    done = run(ROOT / "scripts/pictures/timelines", "--inputs")
    tap.ok(done.stdout == (ROOT / "scripts/pictures/timelines.sha256").read_text(), "make pictures was run after a change of the page", done.stderr)
    named = names_in(r"\\fI\S+/(\S+\.png)\\fR", blocks.PAGES)
    tap.ok(named == {file.name for file in files}, "pages show the images", *named)


def check_readme(tap):
    """README is short, and names the command that runs the tests."""
    lines = (ROOT / "README.md").read_text().splitlines()
    tap.ok(len(lines) <= README_LINES, f"README has at most {README_LINES} lines", len(lines))
    tap.ok(any("`make check`" in line for line in lines), "and names the command that runs the tests")


def check_program(tap):
    """The example of the library, inside of a main function."""
    library = ROOT / "build/libtrace2.so"
    if not library.exists():
        tap.skip("the program of libtrace2(3)", "the library is not built")
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
    keys = set(re.findall(r'= "(\w+)"', (ROOT / "userspace/rules/parse.c").read_text()))
    grammar = "".join(block.text for block in blocks.blocks("grammar"))
    tap.nothing([key for key in keys if f'"{key}"' not in grammar], "the grammar has every key", len(keys))


def check_packs(tap):
    """The page has a section for each pack, with the kernels on which it was tried."""
    page = (ROOT / "userspace/cli/ktrack-rules.5").read_text()
    done = run(ROOT / "build/ktrack", "list", "--json", "--rules")
    packs = {line["pack"]: line["tried_on"] or "not tried" for line in map(json.loads, done.stdout.splitlines())}
    tap.ok(len(packs) >= 9, "there are packs", *packs)
    tap.nothing([name for name, tried in packs.items() if f".SS {name} ({tried})" not in page], "each has its section")


def names_in(pattern, files):
    """All matches of a pattern in files."""
    return {name for file in files for name in re.findall(pattern, file.read_text(), re.MULTILINE)}


def check_reference(tap):
    """The pages name every function of the library and every macro for drivers, and no others."""
    page = (ROOT / "userspace/trace2/libtrace2.3").read_text()
    functions = {name for name in names_in(r"\b(trace2_\w+) ?\(", (ROOT / "include/trace2").glob("*.h")) if not re.search("_(at|va)$", name)}
    shown = set(re.findall(r"^\\fB(trace2_\w+)\\fR\(", page, re.MULTILINE))
    tap.nothing(sorted(functions ^ shown), "libtrace2(3) has every function", len(functions))
    page = (ROOT / "include/ktrack/ktrack-instrument.7").read_text()
    macros = names_in(r"^#define ((?:ktrack|KTRACK)_\w+)\(", (header for header in (ROOT / "include/ktrack").glob("*.h") if header.name != "user.h"))
    tap.nothing(sorted(name for name in macros if not re.search(rf"\b{name}\b", page)), "ktrack-instrument(7) has every macro", len(macros))
    page += (ROOT / "include/ktrack/ktrack-user.7").read_text()
    headers = [ROOT / "include/ktrack/user.h", *(ROOT / "include/ktrack/user").glob("*.h")]
    macros = {name for name in names_in(r"^#define ((?:ktrack|KTRACK)_\w+)\(", headers) if not name.startswith("ktrack_user_")}
    tap.nothing(sorted(name for name in macros if not re.search(rf"\b{name}\b", page)), "ktrack-user(7) and ktrack-instrument(7) have every macro for programs", len(macros))


def as_shown(text):
    """EVENT lines without the members that the page leaves out, and without the version."""
    return {OFTEN.sub("", line) for line in text.splitlines()}


def shape_problem(line):
    """What is wrong with the shape of a line of the page; empty if nothing is."""
    place = '"file":"x.c","line":1,' if HAS_PLACE.search(line) else ""
    whole = line.replace('"thread"', '"sid":"x","thread"', 1).replace('"main",', f'"main","time":"2026-01-01T00:00:00.000000Z",{place}', 1)
    try:
        schema.check_shape(json.loads(whole, parse_float=read_real))
    except Violation as wrong:
        return f"{wrong}: {whole}"
    return ""


def check_lines(tap):
    """The example lines are those of a recording, or have the shape of lines that only live recordings have; no kind is missing."""
    shown = as_shown("".join(block.text for block in blocks.blocks("lines")))
    with tempfile.TemporaryDirectory() as folder:
        run(ROOT / "tests/golden/mktrace", "-", f"{folder}/trace.dat", input=RECORDING)
        done = run("ktrack", "export", "trace.dat", cwd=folder, env=os.environ | {"PATH": f"{ROOT / 'build'}:{os.environ['PATH']}"})
    others = sorted(shown - as_shown(done.stdout))
    tap.nothing([line for line in others if not LIVE.search(line)], "the example lines are those of a recording")
    tap.nothing(list(filter(None, map(shape_problem, others))), "or have the shape of lines of live recordings", len(others))
    kinds = {json.loads(line)["event"] for line in shown}
    tap.nothing(sorted({*schema.EVENTS} - kinds - NOT_SHOWN), "there is an example line of every kind", len(kinds))


@tested
def main(tap):
    check_kinds(tap)
    check_targets(tap)
    check_files_named(tap)
    check_readme(tap)
    check_images(tap)
    check_program(tap)
    check_sorted(tap)
    check_rules(tap)
    check_packs(tap)
    check_lines(tap)
    check_reference(tap)

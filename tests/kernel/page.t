#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the driver of the page for driver authors and the example build as they are printed, and teach no side effects."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "cli")]

import build  # noqa: E402
import manpage  # noqa: E402
from tap import tested  # noqa: E402

PAGE = build.PAGE
EXAMPLE = build.PROJECT / "include/ktrack/example"
# A call whose argument changes something.
EFFECT = re.compile(r"ktrack_\w+\([^;]*(\+\+|--|[^=!<>]=[^=]|_return\(|xchg\(|_fetch_\w+\()[^;]*\);")

# The page's text says this in words: a file for the generic tracepoints is added.
PAGE_REST = {"Kbuild": "\nmydrv-y += mydrv_probe.o\n"}

# Declarations of which there are ten, and how many bytes each takes, which the page reports in KB.
SIZED = {
    "one": "",
    "slices": "KTRACK_SLICE(slice{0});",
    "scoped": "KTRACK_SLICE(slice{0}, KTRACK_SCOPE(u32, slot), KTRACK_TRACK_NAME);",
    "likes": "KTRACK_SLICE_LIKE(first, slice{0});",
}
SIZES = {"slices": (1600, 2500), "scoped": (2000, 3250), "likes": (400, 600)}


def example_files():
    """Likewise those of the example that is installed."""
    return {file.name: file.read_text() for file in sorted(EXAMPLE.iterdir())}


def check_tutorial(tap, example):
    """What the tutorial prints, with its patch, is the example."""
    files = build.tutorial_examples()
    tap.ok(set(files) == {"Kbuild", "relay.c", "relay_trace.h", "relay.patch"}, "the tutorial prints a driver and a patch", *files)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        done = subprocess.run(["patch", "-l", "relay.c", "relay.patch"], cwd=folder, capture_output=True, text=True, check=False)
        made = {name: (Path(folder) / name).read_text() for name in example}
    tap.ok(done.returncode == 0, "the patch applies", done.stdout, done.stderr)
    tap.nothing([name for name in example if made[name] != example[name]], "the result is the example that is installed")


def write_driver(folder, files, rest):
    """A driver as its reader would have it."""
    folder.mkdir()
    for name in files.keys() | rest.keys():
        (folder / name).write_text(files.get(name, "") + rest.get(name, ""))
    build.copy_headers(folder)


def check_sizes(tap, kernel):
    """How much of a module a tracepoint takes, by ten more of them."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        build.copy_headers(folder)
        for name, declaration in SIZED.items():
            more = "".join(declaration.format(index) for index in range(10))
            build.write_trace_header(folder, name, "KTRACK_SLICE(first);" + more)
            (folder / f"{name}.c").write_text(f'#define CREATE_TRACE_POINTS\n#include "{name}_trace.h"\n')
        (folder / "Kbuild").write_text("ccflags-y += -I$(src)/include -I$(src)\n")
        built = build.make(build.headers(kernel), folder, *(f"{name}.o" for name in SIZED))
        if tap.ok(built.status == 0, f"{kernel}: tracepoints in numbers build", built.log[-3000:]):
            sizes = {name: build.size_bytes(folder / f"{name}.o") for name in SIZED}
            for name, (least, most) in SIZES.items():
                each = (sizes[name] - sizes["one"]) / 10
                tap.ok(least <= each <= most, f"{kernel}: {name} take {least} to {most} bytes each", each)


def check_built(tap, what, kernel, files, rest):
    """ktrack.ko's tracepoints are no part of this build: what is missing is only said."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "mydrv"
        write_driver(folder, files, rest)
        built = build.make(build.headers(kernel), folder, "KBUILD_MODPOST_WARN=1", "modules")
        remarks = [line for line in built.remarks() if "undefined!" not in line]
        tap.ok(built.status == 0, f"{kernel}: {what} builds", built.log[-3000:])
        tap.nothing(remarks, f"{kernel}: {what} builds without a warning")


def check_printable(tap):
    """man has no complaints about any page, on a terminal of 80 columns."""
    if not shutil.which("groff"):
        tap.skip("the page can be printed", "groff is not installed")
        return
    for page in manpage.PAGES:
        # The length is one at which no table meets the end of a page: groff would warn, and man never breaks pages on a terminal.
        command = ["groff", "-t", "-man", "-Tutf8", "-rLL=80n", "-ww", "-z", "-", page]
        done = subprocess.run(command, input=".pl 9999v\n", capture_output=True, text=True, check=False)
        tap.nothing(done.stderr.splitlines(), f"{page.name} can be printed")


def check_effects(tap, what, files):
    """Arguments are evaluated only while somebody records, so an example's must change nothing."""
    found = [found[0] for text in files.values() for found in EFFECT.finditer(text)]
    tap.nothing(found, f"{what} passes no argument with a side effect")


def demo_sources():
    """The demo, from which people copy."""
    return {file.name: file.read_text() for file in sorted((build.PROJECT / "kmod").glob("demo_*.c"))}


@tested
def main(tap):
    page, example = build.page_examples(), example_files()
    wanted = {"Kbuild", "mydrv.h", "mydrv_trace.h", "mydrv_main.c", "mydrv_io.c", "mydrv_irq.c", "mydrv_probe.c"}
    tap.ok(set(page) == wanted, "the page prints a whole driver", *page)
    for what, files in {"the page": page, "the example": example, "the demo": demo_sources()}.items():
        check_effects(tap, what, files)
    tap.ok("Arguments must not have side effects." in PAGE.read_text(), "the page warns of side effects")
    check_tutorial(tap, example)
    check_printable(tap)
    for kernel in build.KERNELS:
        check_built(tap, "the page's driver", kernel, page, PAGE_REST)
        check_built(tap, "the example", kernel, example, {})
    for kernel in build.ONE_6_12:
        check_sizes(tap, kernel)

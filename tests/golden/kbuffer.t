#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: exports of the golden tests' files, and of a bench's, are the same if libtraceevent's kbuffer walks their sub-buffers."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bench")]

import inputs  # noqa: E402
import process  # noqa: E402
from making.layout import write_file  # noqa: E402
from making.script import Reader  # noqa: E402
from tap import tested  # noqa: E402

PROGRAMS = ("build/ktrack", "build/bench/ktrack-kbuffer")
SIZE = 2000
# The program's own name.
NAME = re.compile(rb'("argv":\[)"[^"]*"')


def exports(path):
    """The stream of a file by both programs, without their names."""
    words = ("export", "--sid=golden", path.name)
    done = [process.run([PROJECT / program, *words], cwd=path.parent, capture_output=True) for program in PROGRAMS]
    return [NAME.sub(rb'\1"ktrack"', one.stdout) for one in done]


@tested
def main(tap):
    # The rest of ktrack was built before.
    subprocess.run(["make", "-s", PROGRAMS[1]], cwd=PROJECT, check=True, stdout=sys.stderr)
    wrong, sizes = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        paths = [inputs.make(folder, "mixed", inputs.mixed(SIZE))]
        for script in sorted(HERE.glob("*.script")):
            paths.append(folder / f"{script.stem}.dat")
            with open(script, "rb") as lines, open(paths[-1], "wb") as out:
                write_file(out, Reader(script.stem, script.parent).read(lines))
        for path in paths:
            own, other = exports(path)
            sizes.append(len(own))
            if own != other:
                wrong.append(path.stem)
    tap.nothing(wrong, "exports are the same through kbuffer, byte by byte")
    tap.ok(len(sizes) > 100 and min(sizes) > 100 and sizes[0] > 100 * SIZE, "of many files, each with lines", min(sizes), sizes[0])

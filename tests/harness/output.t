#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a new output is a file and a row; options, help, completion and checks follow, and pages.t asks for its sentence."""

import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "outputs")]

import cases  # noqa: E402
from tap import tested  # noqa: E402
from tree import build, copy, edit, run  # noqa: E402

ROW = "\tapply(stat)\n"
OWN_ROWS = "\tapply(stat) apply(null_example) apply(null_folder)\n"


def add(tree):
    """Adds the outputs: a file and a row each."""
    shutil.copy(HERE / "null_example.c", tree / "userspace/sink/null_example.c")
    edit(tree, "userspace/sink/sink.c", ROW, OWN_ROWS)


def check_exports(tap, tree, ktrack):
    """The outputs write files, and what applies to all outputs applies to them."""
    def export(*options):
        return run(tree, ktrack, "export", *options, "trace.dat")

    cases.make("end-closes-the-top-slice", tree / "trace.dat")
    output, status = export("--null-example=one", "--null-folder=two")
    found = (tree / "one").read_text() if status == 0 else output
    tap.ok(found.endswith(" slices\n"), "an output is a file", output)
    tap.ok(status == 0 and (tree / "two/count").read_text() == found and (tree / "two/done").exists(), "or a directory of files", output)
    output, status = export("--null-example=-", "--null-example-prefix=there are ")
    tap.ok(f"there are {found}" in output, "its own option sets its own settings", output)
    output, status = export("--null-example-prefix=there are ")
    tap.ok(status == 2 and "--null-example: not given, but an option of it; add --null-example" in output,
           "which is refused without the output", output)
    output, status = export("--null-folder=-")
    tap.ok(status != 0 and "--null-folder=-: not a directory; write --null-folder=DIRECTORY" in output, "standard output is no directory", output)
    output, status = export("--null-example=one", "--append")
    tap.ok(status == 2 and "files of --null-example cannot be appended to" in output, "--append is refused", output)
    output, status = export("--null-folder=three.zst")
    tap.ok(status == 2 and "three.zst: --null-folder does not compress" in output, "compression is refused", output)


@tested
def main(tap):
    """Checks all."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        copy(tree)
        add(tree)
        compiled, output = build(tree)
        wanted = ["userspace/sink/null_example.c", "userspace/sink/sink.c"]
        tap.ok(compiled == wanted, "two more outputs compile their file and the list alone", output[-2000:])
        ktrack = tree / "build/ktrack"
        output, _ = run(tree, ktrack, "export", "--help-all")
        wanted = ("--null-example=FILE ", "--null-example-prefix=TEXT ", "--null-folder=DIRECTORY ")
        tap.ok(all(word in output for word in wanted), "--help-all has their options", output)
        output, _ = run(tree, ktrack, "--help-options")
        rows = [line.split("\t") for line in output.splitlines()]
        found = {tuple(row[1:5]) for row in rows if row[0] == "option" and row[3].startswith("null")}
        wanted = {(command, "-", name, argument) for command in ("export", "stream")
                  for name, argument in (("null-example", "FILE"), ("null-example-prefix", "TEXT"), ("null-folder", "DIRECTORY"))}
        tap.ok(found == wanted, "completion has them", found)
        check_exports(tap, tree, ktrack)
        output, status = run(tree, "tests/cli/pages.t")
        missing = [name for name in ("null-example", "null-folder") if f"ktrack-outputs.7: output {name} is not in the page" not in output]
        tap.ok(status != 0 and not missing, "a page without them is a failure", output[-3000:])

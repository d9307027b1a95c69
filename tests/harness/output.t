#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a new output is a file and a row; options, help, completion and checks follow, and pages.t asks for its sentence."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "outputs")]

import cases  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

# The variables of a make that called us are not meant for this one.
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX", "CPPFLAGS", "BUILD", "KDIR")
COPIED = ("Makefile", "include", "userspace", "scripts", "tests", "build/userspace")
# Data, of which neither make nor tests/cli/pages.t needs any.
LEFT_OUT = shutil.ignore_patterns("golden", "formats", "found")
ROW = "\tapply(stat)\n"
OWN_ROWS = "\tapply(stat) apply(null_example) apply(null_folder)\n"


def run(tree, *words):
    """Runs a program in the copy; returns its output and status."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN and "TRACE2" not in name}
    done = process.run([str(word) for word in words], cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, cpu_s=300)
    return done.stdout, done.returncode


def copy(tree):
    """Copies the tree with its objects, whose times make compares, and adds the outputs: a file and a row each."""
    for name in COPIED:
        if (PROJECT / name).is_dir():
            shutil.copytree(PROJECT / name, tree / name, symlinks=True, ignore=LEFT_OUT if name == "tests" else None)
        else:
            shutil.copy2(PROJECT / name, tree / name)
    shutil.copy(HERE / "null_example.c", tree / "userspace/sink/null_example.c")
    rows = tree / "userspace/sink/sink.c"
    text = rows.read_text()
    rows.write_text(text.replace(ROW, OWN_ROWS))
    return ROW in text


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


def main():
    """Checks all."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        (tree / "build").mkdir(parents=True)
        tap.ok(copy(tree), "sink.c has a list of outputs")
        output, status = run(tree, "make", "--no-print-directory", "build/ktrack")
        compiled = [line.split()[-1] for line in output.splitlines() if line.split()[:1] == ["CC"]]
        wanted = ["userspace/sink/null_example.c", "userspace/sink/sink.c"]
        tap.ok(status == 0 and sorted(compiled) == wanted, "two more outputs compile their file and the list alone", output[-2000:])
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
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-only
"""A copy of the tree with its objects, for tests that add something to it."""

import os
import shutil
import subprocess
from pathlib import Path

import process

PROJECT = Path(__file__).resolve().parents[2]
# The variables of a make that called us are not meant for this one.
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX", "CPPFLAGS", "BUILD", "KDIR")
COPIED = ("Makefile", "include", "userspace", "scripts", "tests", "build/userspace")
# Data, of which neither make nor tests/cli/pages.t needs any.
LEFT_OUT = shutil.ignore_patterns("golden", "formats", "found")


def run(tree, *words):
    """Runs a program in the copy; returns its output and status."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN and "TRACE2" not in name}
    done = process.run([str(word) for word in words], cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, cpu_s=300)
    return done.stdout, done.returncode


def copy(tree):
    """Copies the tree with its objects, whose times make compares."""
    (tree / "build").mkdir(parents=True)
    for name in COPIED:
        if (PROJECT / name).is_dir():
            shutil.copytree(PROJECT / name, tree / name, symlinks=True, ignore=LEFT_OUT if name == "tests" else None)
        else:
            shutil.copy2(PROJECT / name, tree / name)


def edit(tree, name, text, replacement):
    """Replaces a text that is in a file once."""
    path = tree / name
    before = path.read_text()
    if before.count(text) != 1:
        raise ValueError(f"{name} has not once: {text}")
    path.write_text(before.replace(text, replacement))


def declare(tree, name, text, replacement):
    """Does so in a header, for which others that include it need not be compiled: they would be the same. Its time stays."""
    path = tree / name
    times = path.stat()
    edit(tree, name, text, replacement)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def build(tree):
    """Builds ktrack; returns the files that were compiled, None if that failed, and the output."""
    output, status = run(tree, "make", "--no-print-directory", "build/ktrack")
    compiled = sorted(line.split()[-1] for line in output.splitlines() if line.split()[:1] == ["CC"])
    return compiled if status == 0 else None, output

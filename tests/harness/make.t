#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: make's targets honor CPPFLAGS, install and clean only what they should, and the demo asks for little."""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import process  # noqa: E402
from tap import tested  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
# The variables of a make that called us are not meant for this one.
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX", "CPPFLAGS", "BUILD", "KDIR")
FLAG = "-DCPPFLAGS_OF_A_TEST=1"
COMPILED = ("userspace", "library", "unit-tests", "trace2-tools", "bench-tools", "fuzz-replay", "fault-programs")
FUZZED = "build/fuzz/fuzz-format"
COMPILER = re.compile(r"\b(gcc|cc|clang)\b")
SOURCE = re.compile(r"\S+\.c\b")


def make(*words):
    """Output and status of make, without a kernel's folder."""
    done = process.run(
        ["make", "--no-print-directory", "KDIR=/nonexistent", *words],
        cwd=PROJECT,
        env={name: value for name, value in os.environ.items() if name not in FOREIGN},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cpu_s=300,
    )
    return done.stdout, done.returncode


def compilations(output):
    """The commands that compile something."""
    lines = output.replace("\\\n", " ").splitlines()
    return [line for line in lines if COMPILER.search(line) and SOURCE.search(line) and not line.startswith("echo")]


def check_flags(tap):
    """CPPFLAGS reach every compilation."""
    for target in (*COMPILED, FUZZED):
        output, status = make("-n", "-B", f"CPPFLAGS={FLAG}", "CC=gcc", target)
        found = compilations(output)
        tap.ok(status == 0 and found, f"{target}: compiles something", output[-2000:])
        missing = [line[:300] for line in found if FLAG not in line]
        tap.nothing(missing, f"{target}: CPPFLAGS are honored")


def check_once(tap):
    """No source is compiled twice in one way, and programs that load a library are not linked again when it changes."""
    output, status = make("-n", "-B", "CC=gcc", "unit-tests")
    found = [(line.partition(" -fsanitize=")[2].split(), SOURCE.findall(line.partition("&&")[0])) for line in compilations(output)]
    counts = Counter((flags[0], source) for flags, sources in found if flags for source in sources)
    tap.ok(status == 0 and counts, "sources are compiled with sanitizers", output[-2000:])
    tap.nothing([key for key, count in counts.items() if count > 1], "each of them once for each sanitizer")
    output, _ = make("-p", "-n", "-q", "unit-tests", "fuzz-replay", "fault-programs", "damage-programs")
    rules = re.findall(r"^(build/\S+):(.*\bbuild/san/libktrack\.so\b.*)$", output, re.MULTILINE)
    tap.ok(len(rules) > 150, "programs of tests need the library before them", len(rules))
    tap.nothing([name for name, needed in rules if "libktrack" in needed.partition("|")[0]], "which does not make them anew")


def check_ldconfig(tap):
    """The loader's cache is rebuilt where something of it has changed, and nowhere else."""
    cases = {
        (): True,
        ("PREFIX=/usr",): True,
        ("PREFIX=/usr/local/",): True,
        ("PREFIX=/opt/ktrack",): False,
        ("PREFIX=/home/user/usr",): False,
        ("DESTDIR=/tmp/stage",): False,
        ("DESTDIR=/tmp/stage", "PREFIX=/usr"): False,
    }
    for words, wanted in cases.items():
        output, status = make("-n", "install", *words)
        is_called = "ldconfig" in output
        what = "runs ldconfig" if wanted else "leaves ldconfig alone"
        tap.ok(status == 0 and is_called == wanted, f"make install {' '.join(words)} {what}", output[-500:])


def files_of(folder):
    """All files below a folder, by their paths in it."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def check_clean(tap):
    """What was downloaded takes long to come again."""
    built = ("ktrack", "san/x.o", "vm/run.abc/console", "vm/6.12.1-amd64/modules/kmod/ktrack.ko")
    fetched = ["vm/6.12.1-amd64/usr/src/Makefile", "vm/6.12.1-amd64/vmlinuz", "vm/6.12.newest", "vm/sid/updated"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "build"
        for name in (*built, *fetched):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("")
        output, status = make("clean", f"BUILD={folder}")
        left = files_of(folder) if folder.exists() else []
        tap.ok(status == 0 and left == fetched, "make clean keeps what was downloaded, and no more", output, *left)
        output, status = make("distclean", f"BUILD={folder}")
        tap.ok(status == 0 and not folder.exists(), "make distclean keeps nothing", output)
        output, status = make("clean", f"BUILD={folder}")
        tap.ok(status == 0, "make clean of nothing is no failure", output)


def check_demo(tap):
    """The demo installs its own groups."""
    output, status = make("-n", "demo")
    lines = [line for line in output.splitlines() if line.startswith("scripts/deps")]
    tap.ok(status == 0 and lines == ["scripts/deps build demo"], "make demo asks for what it needs", *lines)


@tested
def main(tap):
    check_flags(tap)
    check_once(tap)
    check_ldconfig(tap)
    check_clean(tap)
    check_demo(tap)

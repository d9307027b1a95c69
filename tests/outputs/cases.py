# SPDX-License-Identifier: GPL-2.0-only
"""The golden cases as recordings to draw: every script, made into a trace.dat."""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
sys.path[:0] = [str(GOLDEN), str(ROOT / "tests/stream")]

import process  # noqa: E402
from making.layout import write_file  # noqa: E402
from making.script import Reader  # noqa: E402
from reading.line import Violation  # noqa: E402
from reading.stream import check_lines  # noqa: E402

KTRACK = ROOT / "build/ktrack"
# Notes that hold tests/golden/ to the stream.
NOTE = re.compile(
    r"ktrack: .+: (lost .*|the wall clock is unknown .*|.*no track events?(;.*)?|kernel symbols: no functions"
    r"|left out, needs the records of all tasks|\d+ begins? of \S+ without an end, .*"
    r"|no field .*; the rule is not used there|\d+ tracepoints lack fields that they need|the print format has no number for .*)"
)

# A case with slices that Perfetto cannot show.
DEEP_CASE = "nesting-over-512"
DEEP_TEXT = "88 slices or instants below 512 open slices are left out: Perfetto shows no deeper ones"
DEEP_NOTE = f"ktrack: out: {DEEP_TEXT}; --event and --html have all of them"

# A case with slices that cross, which files that have their begins cut: rows.t and fxt.t compare the sums of the pieces.
CROSSING_CASE = "programs-slices-cross"

# A case with three losses, and when they were, in nanoseconds since the start.
LOSSES_CASE = "loss-before-inside-and-between-slices"
LOSSES = [(0, 10000), (30000, 40000), (60000, 70000)]
# Likewise one on a machine that has run for 30 days, of which each CPU lost records before its first one.
EARLY_CASE = "loss-before-the-first-record"
EARLY_LOSSES = [(0, 0), (0, 2000)]


def make_early(path):
    """Makes the trace.dat of EARLY_CASE."""
    make_of("start 2592000s\n" + (GOLDEN / f"{EARLY_CASE}.script").read_text(), path)


def names():
    """All scripts."""
    return sorted(path.stem for path in GOLDEN.glob("*.script"))


def rules_of(name):
    """The options -r that a case's tracks are made by."""
    path = GOLDEN / f"{name}.args"
    lines = path.read_text().splitlines() if path.exists() else []
    runs = [shlex.split(line) for line in lines if line.startswith("-r ")]
    return runs[0] if runs else []


def make(name, path):
    """Makes a case's trace.dat."""
    with open(GOLDEN / f"{name}.script", "rb") as lines, open(path, "wb") as out:
        write_file(out, Reader(name, GOLDEN).read(lines))


def make_of(text, path):
    """Makes a trace.dat of a script's text."""
    with open(path, "wb") as out:
        write_file(out, Reader("own", GOLDEN).read(text.encode().splitlines(keepends=True)))


def run(folder, *words, status=0):
    """Runs ktrack; returns (standard output, what is wrong)."""
    environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
    done = process.run(
        ["ktrack", *words],
        executable=KTRACK,
        cwd=folder,
        env=environment,
        capture_output=True,
    )
    lines = done.stderr.decode(errors="replace").splitlines()
    wrong = [line for line in lines if not NOTE.fullmatch(line)]
    if done.returncode != status:
        wrong.append(f"exit status {done.returncode}, not {status}")
    return done.stdout, wrong


def nested_names():
    """All scripts without the one whose slices cross."""
    return [name for name in names() if name != CROSSING_CASE]


def export_all(output, listed=names):
    """Exports every case as EVENT and as a file of --OUTPUT, with a row for each track; yields (name, EVENT, file, wrong)."""
    for name in listed():
        with tempfile.TemporaryDirectory() as folder:
            make(name, Path(folder, "trace.dat"))
            words = ("--event", f"--{output}=out", "--rows=tracepoint", *rules_of(name))
            stream, wrong = run(folder, "export", *words, "trace.dat")
            path = Path(folder, "out")
            wrong += [f"EVENT, line {number}: {rule}: {text}" for number, rule, text in check_lines(stream.splitlines(keepends=True))]
            yield name, stream, path.read_bytes() if path.exists() else b"", wrong


def check(tap, name, stream, data, wrong, compare):
    """One case of export_all(): nothing was wrong, and @compare finds no difference between EVENT and the file."""
    wrong = [line for line in wrong if name != DEEP_CASE or line != DEEP_NOTE]
    try:
        wrong = wrong + compare(stream, data)
    except (ValueError, KeyError, IndexError, Violation) as problem:
        wrong = [*wrong, f"cannot be read: {problem!r}"]
    tap.nothing(wrong, name.replace("-", " "))

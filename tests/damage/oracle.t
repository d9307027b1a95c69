#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: no damage of ktrack's own recordings is silent; in other programs' files none of those that ktrack-export(1) lists.

Whatever is exported of a damaged file keeps all rules of the strict reader, tests/stream/reading/.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), *(str(HERE.parent / part) for part in ("", "bench", "cli", "golden", "programs", "stream"))]

import inputs  # noqa: E402
import mutate  # noqa: E402
import process  # noqa: E402
import programs  # noqa: E402
import recording  # noqa: E402
import spools  # noqa: E402
from reading.stream import check_lines  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = PROJECT / "build/ktrack"
GOLDEN = PROJECT / "tests/golden"
IS_FULL = os.environ.get("KTRACK_FULL") == "1"
# Of own recordings, of the listed kinds, of all kinds in other programs' files.
NUMBERS = (2500, 500, 2000) if IS_FULL else (300, 120, 120)
SEED = 22
SID = "S"
SCRIPTS = ("demo-tracepoints", "loss-on-two-cpus", "async-slices-overlap-on-lanes", "counters-of-every-integer-type")
# A signal, a sanitizer, a timeout.
CRASH = "crash"
# A stream that breaks a rule.
BROKEN = "broken"


def export(folder, data):
    """Exit status and lines of a file; its name is the same for all."""
    path = folder / "file.dat"
    path.write_bytes(data)
    command = [KTRACK, "export", f"--sid={SID}", path.name]
    try:
        done = process.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
    except process.Overrun:
        return CRASH, b"", b"timeout"
    return (CRASH if done.returncode not in (0, 1) else done.returncode), done.stdout, done.stderr


class Case:
    """A damaged file and what became of it."""

    def __init__(self, base, damage, seed):
        self.base, self.damage, self.seed = base, damage, seed
        self.broken = None
        generator = random.Random(seed)
        self.data = bytearray(base.data)
        while self.data == base.data:
            damage(generator, self.data)

    def judge(self):
        """reported, harmless (the same output), silent, a broken stream, or a crash."""
        with tempfile.TemporaryDirectory() as folder:
            status, out, err = export(Path(folder), self.data)
        if status == CRASH:
            return CRASH
        self.broken = next(check_lines(out.splitlines(keepends=True), SID), None) if out and out != self.base.out else None
        if self.broken:
            return BROKEN
        if status == 1:
            return "reported" if err.startswith(b"ktrack: ") else CRASH
        return "harmless" if out == self.base.out else "silent"

    def __str__(self):
        return f"{self.base.name}, {self.damage.__name__}, seed {self.seed}{f': {self.broken}' if self.broken else ''}"


class Base:
    """A sound file and its output."""

    def __init__(self, folder, path):
        self.name, self.data = path.stem, path.read_bytes()
        status, self.out, err = export(folder, self.data)
        assert status == 0, f"{path}: {err.decode()}"
        assert not list(check_lines(self.out.splitlines(keepends=True), SID)), f"{path}: a broken stream"


def recorded(folder):
    """ktrack records a program."""
    path = folder / "own-program.dat"
    load = programs.build(folder)
    subprocess.run([KTRACK, "record", "--programs", "-o", path, "--", load, "2", "20", "0"], check=True, capture_output=True)
    return path


def recovered(folder):
    """ktrack finishes what a killed ktrack has recorded."""
    path = folder / "own-recovered.dat"
    spool = folder / f"{path.name}.spool"
    spool.mkdir()
    spools.fill(spool)
    subprocess.run([KTRACK, "recover", path], check=True, capture_output=True)
    return path


def own_files(folder):
    """Recordings with checksums."""
    yield recorded(folder)
    yield recovered(folder)
    yield recording.make(folder / "own-mixed.dat", inputs.mixed(400))
    yield recording.make(folder / "own-cpus.dat", inputs.on_cpus(800, 4))
    for name in SCRIPTS:
        yield recording.make(folder / f"own-{name}.dat", GOLDEN / f"{name}.script")


def plain_files(folder):
    """Files of other programs that are not compressed, of both versions; some are trace-cmd's."""
    for version in ("6", "7"):
        yield recording.make(folder / f"mixed-{version}.dat", inputs.mixed(400), f"version={version}", has_checksums=False)
        for name in SCRIPTS:
            path = folder / f"{name}-{version}.dat"
            yield recording.make(path, GOLDEN / f"{name}.script", f"version={version}", has_checksums=False)
    for name in SCRIPTS:
        path = folder / f"trace-cmd-{name}.dat"
        words = ["--file-version", "7", "--compression", "none"]
        subprocess.run(["trace-cmd", "convert", *words, "-i", folder / f"{name}-6.dat", "-o", path], check=True, capture_output=True)
        yield path


def packed_files(folder):
    """Compressed files."""
    for compression in ("zlib", "zstd"):
        path = folder / f"mixed-{compression}.dat"
        yield recording.make(path, inputs.mixed(400), f"compression={compression}", has_checksums=False)


def cases(bases, damages, number, seed):
    """Files and kinds of damage in turn."""
    for i in range(number):
        yield Case(bases[i % len(bases)], damages[(i // len(bases) + i) % len(damages)], seed + i)


def verdicts(made):
    """The cases of each verdict."""
    found = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, verdict in zip(made, pool.map(Case.judge, made)):
            found.setdefault(verdict, []).append(case)
    return found


def show(found):
    """A table: kinds of damage, verdicts."""
    counts = Counter((case.damage.__name__, verdict) for verdict, made in found.items() for case in made)
    for name in sorted({name for name, _ in counts}):
        print(f"# {name:18}", *(f"{verdict} {counts[name, verdict]:4}" for verdict in ("reported", "harmless", "silent", BROKEN, CRASH)))


def check(tap, made, *, allowed, what):
    """No case has a verdict but these."""
    found = verdicts(made)
    show(found)
    bad = [f"{verdict}: {case}" for verdict, cases_of in found.items() if verdict not in allowed for case in cases_of]
    tap.nothing(bad[:20], f"{what} ({len(made)} files)")


@tested
def main(tap):
    """All checks."""
    own_number, listed_number, any_number = NUMBERS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs.own_socket(folder)
        own = [Base(folder, path) for path in own_files(folder)]
        plain = [Base(folder, path) for path in plain_files(folder)]
        packed = [Base(folder, path) for path in packed_files(folder)]
        made = list(cases(own, mutate.ANY, own_number, SEED))
        check(tap, made, allowed={"reported"}, what="any damage of own recordings is reported")
        made = list(cases(plain, mutate.LISTED, listed_number, SEED))
        check(tap, made, allowed={"reported"}, what="listed damage of other programs' files is reported")
        made = list(cases(plain + packed, mutate.ANY, any_number, SEED))
        check(tap, made, allowed={"reported", "harmless", "silent"}, what="other programs' files: no crash")

# SPDX-License-Identifier: GPL-2.0-only
"""Runs ktrack once for each call site of the C library and each failure, and judges what it does."""

import errno
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import process

PROJECT = Path(__file__).resolve().parents[2]
KTRACK, SHIM = PROJECT / "build/fault/ktrack", PROJECT / "build/fault/shim.so"
IS_FULL = bool(os.environ.get("KTRACK_FULL"))
# How many return addresses distinguish two sites: buffers and texts grow in few functions, for many callers.
DEPTH = 4

HEADER = struct.Struct("<QIIIII4x")
SITE = struct.Struct("<QQ24s" + "48s" * 6)
SITES_MAX = 16384
TABLE_SIZE = HEADER.size + SITES_MAX * SITE.size
KINDS = ("memory", "open", "read", "write", "sync", "change", "wait")
ERROR, SHORT = 1, 2
SANITIZERS = {"ASAN_OPTIONS": "verify_asan_link_order=0:abort_on_error=0:exitcode=99:detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
# The failures of each kind: (name, way, errno).
FAILURES = {
    "memory": (("ENOMEM", ERROR, errno.ENOMEM),),
    "open": (("EMFILE", ERROR, errno.EMFILE),),
    "read": (("EIO", ERROR, errno.EIO), ("EINTR", ERROR, errno.EINTR), ("short", SHORT, 0)),
    "write": (("ENOSPC", ERROR, errno.ENOSPC), ("EIO", ERROR, errno.EIO), ("EINTR", ERROR, errno.EINTR), ("short", SHORT, 0)),
    "sync": (("EIO", ERROR, errno.EIO), ("ENOSPC", ERROR, errno.ENOSPC)),
    "change": (("EIO", ERROR, errno.EIO),),
    "wait": (("EINTR", ERROR, errno.EINTR), ("ENOMEM", ERROR, errno.ENOMEM)),
}
# After these a program goes on as if nothing had happened.
HARMLESS = ("EINTR", "short")


@dataclass
class Site:
    """A call of the C library."""

    number: int
    kind: str
    call: str
    places: list

    def describe(self):
        """The functions that call, the innermost first."""
        names = []
        for place in self.places:
            file, _, offset = place.partition("+")
            library = PROJECT / "build/san" / file
            if offset and library.is_file():
                words = ["addr2line", "-sfe", library, hex(int(offset, 16) - 1)]
                names.append(" ".join(subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()))
            elif place:
                names.append(place)
        return f"{self.call} < " + " < ".join(names)


def table_of(number=0, way=0, error=0):
    """The bytes with which a table begins: the site that fails, 0 for none, and how."""
    return HEADER.pack(number, way, error, DEPTH, 0, 0)


def table_read(table):
    """Whether the site of a table failed, and the sites that were reached."""
    *_, has_failed, count = HEADER.unpack_from(table)
    sites = {}
    for place in range(min(count, SITES_MAX)):
        number, kind, call, *places = SITE.unpack_from(table, HEADER.size + place * SITE.size)
        if number:
            sites[number] = Site(number, KINDS[kind], call.rstrip(b"\0").decode(), [text.split(b"\0")[0].decode() for text in places])
    return has_failed, list(sites.values())


class Run:
    """One run, in a folder that is filled for it."""

    def __init__(self, scenario, site=None, failure=("", 0, 0)):
        self.site, self.failure = site, failure
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder) / "run"
            self.folder.mkdir()
            scenario.prepare(self.folder)
            table = Path(folder) / "table"
            table.write_bytes(table_of(site.number if site else 0, failure[1], failure[2]))
            os.truncate(table, TABLE_SIZE)
            self.execute(scenario, {"KTRACK_FAULT_TABLE": str(table), "LD_PRELOAD": str(SHIM)})
            self.has_failed, self.sites = table_read(table.read_bytes())
            self.files = {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            self.problems = list(scenario.verify(self))

    def execute(self, scenario, more):
        """Runs the command; its messages are in self.errors."""
        environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
        environment.update(SANITIZERS, **more, TMPDIR=str(self.folder), **scenario.environment_of(self.folder))
        try:
            done = process.run([KTRACK, *scenario.words_of(self.folder)], cwd=self.folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
            self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr.decode(errors="replace")
        except process.Overrun:
            self.status, self.output, self.errors = None, b"", ""


class Scenario:
    """A command, its inputs, and what it must keep."""

    def __init__(self, name, words, inputs=(), outputs=()):
        self.name, self.words, self.inputs, self.outputs = name, words, inputs, outputs

    def words_of(self, folder):
        """The command line of a run."""
        return self.words

    def environment_of(self, folder):
        """More variables of a run's environment."""
        return {}

    def prepare(self, folder):
        """Copies the inputs."""
        for path in self.inputs:
            shutil.copy(path, folder)

    def results(self, run):
        """What is compared with the undisturbed run."""
        return run.output, *(run.files.get(name) for name in self.outputs)

    def verify(self, run):
        """More problems of a run; yields texts."""
        yield from ()

    def judge(self, run, sound):
        """Yields what is wrong with a run."""
        lines = run.errors.splitlines()
        errors = [line for line in lines if line not in sound.errors.splitlines() and ": lost " not in line and "no track event" not in line]
        is_same = run.status == sound.status and self.results(run) == self.results(sound)
        if run.status is None:
            yield "does not end"
        elif run.status < 0 or "Sanitizer" in run.errors or "runtime error" in run.errors:
            yield f"crash, status {run.status}"
        elif run.failure[0] in HARMLESS and not is_same:
            yield f"{run.failure[0]} changes the result, status {run.status}"
        elif not is_same and run.status == 0 and lines == sound.errors.splitlines():
            yield "a silent difference"
        elif run.status not in (0, sound.status) and (not lines or not all(line.startswith("ktrack: ") for line in lines)):
            yield f"status {run.status} without a message"
        elif run.status not in (0, sound.status) and len(errors) > 2:  # a problem and its consequence
            yield f"{len(errors)} messages"
        yield from run.problems


class Campaign:
    """All failures of a scenario, or every @step-th."""

    def __init__(self, scenario, step=1):
        self.scenario, self.sound = scenario, Run(scenario)
        plan = [(site, failure) for site in sorted(self.sound.sites, key=lambda site: site.number) for failure in FAILURES[site.kind]]
        self.runs, self.outcomes, self.problems = plan[::step], Counter(), []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for run, problems in pool.map(self.try_one, self.runs):
                self.count(run, problems)

    def try_one(self, planned):
        """Returns the run and what is wrong with it."""
        run = Run(self.scenario, *planned)
        return run, list(self.scenario.judge(run, self.sound)) if run.has_failed else []

    def count(self, run, problems):
        """Adds a run to the sums."""
        if not run.has_failed:
            self.outcomes["not reached again"] += 1
        elif self.scenario.results(run) == self.scenario.results(self.sound) and run.status == self.sound.status:
            self.outcomes["same result"] += 1
        else:
            self.outcomes["reported" if run.errors != self.sound.errors else "different"] += 1
        for problem in problems:
            self.problems.append(f"{run.failure[0]}: {problem}: {run.site.describe()}\n    {run.errors[:3000]}")

    def is_idle(self):
        """Whether most failures did not happen: then nothing is tested."""
        return 2 * self.outcomes["not reached again"] > len(self.runs) or not self.runs

    def describe(self):
        """One line with all numbers."""
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(self.outcomes.items()))
        return f"{self.scenario.name}: {len(self.sound.sites)} sites, {len(self.runs)} failures: {outcomes}"


def check_scenarios(tap, scenarios, step):
    """All, or those that contain a word of the command line in their names."""
    names = sys.argv[1:]
    for scenario in scenarios:
        if not names or any(name in scenario.name for name in names):
            campaign = Campaign(scenario, step)
            tap.nothing(campaign.problems, campaign.describe())
            tap.ok(not campaign.is_idle(), f"{scenario.name}: most of these failures happen")

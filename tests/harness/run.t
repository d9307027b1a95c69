#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tests/run counts what tests say, and takes nothing that went wrong for well."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from tap import Tap  # noqa: E402

RUN = Path(__file__).resolve().parents[1] / "run"

# what, script, "passed failed skipped", words that have to be in the output
CASES = (
    ("two passed", "echo 1..2; echo ok 1 - a; echo ok 2 - b", (2, 0, 0), ()),
    ("the plan at the end", "echo ok 1 - a; echo 1..1", (1, 0, 0), ()),
    (
        "a failure and its output",
        "echo 1..2; echo ok 1; echo not ok 2 - b; echo why; exit 1",
        (1, 1, 0),
        ("| why", "| not ok 2 - b"),
    ),
    ("a failure with status 0", "echo 1..1; echo not ok 1 - a", (0, 1, 0), ()),
    ("a failure called to do", "echo 1..1; echo 'not ok 1 - a # TODO later'", (0, 1, 0), ()),
    (
        "a skip and its reason",
        "echo 1..2; echo ok 1; echo 'ok 2 - b # SKIP no such thing'",
        (1, 0, 1),
        ("skip: no such thing",),
    ),
    ("all skipped", "echo '1..0 # SKIP not here'", (0, 0, 1), ("skip: not here",)),
    ("too few", "echo 1..3; echo ok 1; echo ok 2", (2, 1, 0), ("planned 3 but ran 2",)),
    ("too many", "echo 1..1; echo ok 1; echo ok 2", (2, 1, 0), ("planned 1 but ran 2",)),
    ("no plan", "echo ok 1", (1, 1, 0), ("no plan",)),
    ("two plans", "echo 1..1; echo ok 1; echo 1..1", (1, 1, 0), ("a second plan",)),
    ("a number twice", "echo 1..2; echo ok 1; echo ok 1", (2, 1, 0), ("number 1 where 2 was due",)),
    ("silence", "exit 0", (0, 1, 0), ("no plan",)),
    (
        "a crash at the end",
        "echo 1..1; echo ok 1; kill -SEGV $$",
        (1, 1, 0),
        ("exit status 139 without a failure",),
    ),
    (
        "giving up",
        "echo 1..1; echo ok 1; echo 'Bail out! no disk'",
        (1, 1, 0),
        ("it gave up: no disk",),
    ),
    ("too long", "echo 1..1; echo ok 1; sleep 60", (1, 1, 0), ("killed after 1 seconds",)),
    (
        "words that only look like results",
        "echo 1..1; echo okay; echo '    not ok 1'; echo '# not ok'; echo ok 1",
        (1, 0, 0),
        (),
    ),
    ("standard error", "echo 1..1; echo trouble >&2; echo not ok 1", (0, 1, 0), ("| trouble",)),
)


class Project:
    """A scratch tree with a copy of the runner."""

    def __init__(self, folder):
        self.root = Path(folder)
        (self.root / "tests").mkdir()
        shutil.copy(RUN, self.root / "tests/run")

    def add(self, path, script, mode=0o755):
        """One test."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + script + "\n")
        file.chmod(mode)

    def run(self, *words):
        """Runs the runner, from elsewhere."""
        done = subprocess.run(
            [self.root / "tests/run", *words],
            cwd="/",
            capture_output=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout.decode() + done.stderr.decode()


def closing(counts):
    """The last line that counts make."""
    return "{} passed, {} failed, {} skipped".format(*counts)


def check_case(tap, what, script, counts, words):
    """One test on its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.add("tests/some/one.t", script)
        status, output = project.run("--limit", "1")
    is_well = counts[0] > 0 and counts[1] == 0
    tap.ok(output.splitlines()[-1:] == [closing(counts)], f"{what}: counted", output)
    tap.ok((status == 0) == is_well, f"{what}: exit status", status)
    tap.nothing([word for word in words if word not in output], f"{what}: shown")


def check_finding(tap):
    """What is a test, and which of them run."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        tap.ok(
            project.run() == (1, closing((0, 0, 0)) + "\n"),
            "no test at all is no success",
            *project.run(),
        )
        well = "echo 1..1; echo ok 1"
        for path in ("build/tests/unit/base", "tests/vm/one.t", "tests/style/two.t"):
            project.add(path, well)
        project.add("tests/vm/helper.sh", "exit 1")
        project.add("tests/vm/plain.t", "exit 1", mode=0o644)
        project.add("tests/vm/guest/deep.t", "exit 1")
        status, output = project.run()
        tap.ok(
            status == 0 and output.endswith("\n" + closing((3, 0, 0)) + "\n"),
            "executables, and no others",
            output,
        )
        status, output = project.run("vm/", "base")
        tap.ok(
            status == 0 and closing((2, 0, 0)) in output and "two" not in output,
            "names choose",
            output,
        )
        status, output = project.run("nowhere")
        tap.ok(status == 1, "a name that chooses nothing is no success", output)


def check_children(tap):
    """A test out of time takes its children with it."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.add(
            "tests/some/one.t", f"(sleep 3; touch {folder}/alive) & echo 1..1; echo ok 1; sleep 60"
        )
        project.run("--limit", "1")
        time.sleep(3)
        tap.ok(not (Path(folder) / "alive").exists(), "what a test started ends with it")


def check_lanes(tap):
    """Tests of the machine run beside the others, and their counts add up."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        # Each of the first two waits for the other.
        meet = "touch {folder}/{own}; for i in $(seq 100); do [ -e {folder}/{other} ] && break; sleep 0.1; done; " \
            "echo 1..1; [ -e {folder}/{other} ] && echo ok 1 || echo not ok 1; sleep 0.2"
        project.add("tests/vm/one.t", meet.format(folder=folder, own="vm", other="unit"))
        project.add("tests/unit/one.t", meet.format(folder=folder, own="unit", other="vm"))
        project.add("tests/unit/two.t", "echo 1..2; echo not ok 1 - a; echo 'ok 2 # SKIP b'; exit 1")
        status, output = project.run()
        tap.ok(status == 1 and output.endswith("\n" + closing((2, 1, 1)) + "\n"), "a test of the machine runs beside another", output)
        lines = [line for line in output.splitlines() if line.startswith("tests/")]
        tap.ok(len(lines) == 3 and all(" passed, " in line for line in lines), "a line for each test, none mixed", output)
        project.add("tests/vm/two.t", meet.format(folder=folder, own="second", other="third"))
        project.add("tests/vm/three.t", meet.format(folder=folder, own="third", other="second"))
        status, output = project.run("vm/t")
        tap.ok(status == 0 and closing((2, 0, 0)) in output, "a lane without tests takes the other's", output)
        for name in ("vm", "unit"):
            (Path(folder) / name).unlink()
        status, output = project.run("--limit", "2", "-j", "1", "one.t")
        tap.ok(status == 1 and " failed, 0 skipped" in output and "2 passed" not in output, "with -j 1 each runs alone", output)
        tap.ok(project.run("-j", "3")[0] == 2, "there are no three lanes")


def check_signal(tap):
    """A run that is ended takes the tests of both lanes with it, and what they made."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        for name in ("vm", "unit"):
            project.add(f"tests/{name}/one.t", f"touch {folder}/{name}; sleep 3; touch {folder}/alive; sleep 60")
        (Path(folder) / "scratch").mkdir()
        run = subprocess.Popen(
            [project.root / "tests/run"], stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": f"{folder}/scratch"}
        )
        await_paths(Path(folder) / "vm", Path(folder) / "unit")
        run.terminate()
        status = run.wait(30)
        time.sleep(3.5)
        left = list((Path(folder) / "scratch").iterdir())
        tap.ok(status == 143 and not left and not (Path(folder) / "alive").exists(), "a signal ends both lanes", status, left)


def await_paths(*paths):
    """Until all exist."""
    for _ in range(100):
        if all(path.exists() for path in paths):
            return
        time.sleep(0.1)


def main():
    tap = Tap()
    for case in CASES:
        check_case(tap, *case)
    check_finding(tap)
    check_children(tap)
    check_lanes(tap)
    check_signal(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

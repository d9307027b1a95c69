#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tests/run counts results, and no problem counts as success."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from process import run, text_of, wait_for  # noqa: E402
from tap import tested  # noqa: E402

RUN = Path(__file__).resolve().parents[1] / "run"

# what, script, "passed failed skipped", words that have to be in the output
CASES = (
    ("two passed", "echo 1..2; echo ok 1 - a; echo ok 2 - b", (2, 0, 0), ()),
    ("the plan at the end", "echo ok 1 - a; echo 1..1", (1, 0, 0), ()),
    ("a failure", "echo 1..2; echo ok 1; echo not ok 2 - b; echo why >&2; exit 1", (1, 1, 0), ("| why", "| not ok 2 - b")),
    ("a failure called to do", "echo 1..1; echo 'not ok 1 - a # TODO later'", (0, 1, 0), ()),
    ("a skip", "echo 1..2; echo ok 1; echo 'ok 2 - b # SKIP no such thing'", (1, 0, 1), ("skip: no such thing",)),
    ("all skipped", "echo '1..0 # SKIP not here'", (0, 0, 1), ("skip: not here",)),
    ("too few", "echo 1..3; echo ok 1; echo ok 2", (2, 1, 0), ("planned 3 but ran 2",)),
    ("too many", "echo 1..1; echo ok 1; echo ok 2", (2, 1, 0), ("planned 1 but ran 2",)),
    ("no plan", "echo ok 1", (1, 1, 0), ("planned nothing",)),
    ("two plans", "echo 1..1; echo ok 1; echo 1..1", (1, 1, 0), ("a second plan",)),
    ("a number twice", "echo 1..2; echo ok 1; echo ok 1", (2, 1, 0), ("'ok 1' as result 2",)),
    ("silence", "exit 0", (0, 1, 0), ("planned nothing",)),
    ("a crash at the end", "echo 1..1; echo ok 1; kill -SEGV $$", (1, 1, 0), ("exit status -11 without a failure",)),
    ("giving up", "echo 1..1; echo ok 1; echo 'Bail out! no disk'", (1, 1, 0), ("no disk",)),
    ("no CPU", "echo 1..1; echo ok 1; sleep 1000", (1, 1, 0), ("ended: it used no CPU for 2 s",)),
    ("too much CPU", "echo 1..1; echo ok 1; while :; do :; done", (1, 1, 0), ("ended: it used more than 1 s of CPU",)),
    (
        "too much CPU in another session", "echo 1..1; echo ok 1; setsid sh -c 'while :; do :; done' & sleep 1000",
        (1, 1, 0), ("ended: it used more than 1 s of CPU",),
    ),
    ("words that only look like results", "echo 1..1; echo okay; echo '  not ok 1'; echo '# not ok'; echo ok 1", (1, 0, 0), ()),
)


class Project:
    """A scratch tree with a copy of the runner."""

    def __init__(self, folder):
        self.root = Path(folder)
        (self.root / "tests").mkdir()
        for name in ("run", "process.py"):
            shutil.copy(RUN.with_name(name), self.root / "tests" / name)

    def add(self, path, script, mode=0o755):
        """One test."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + script + "\n")
        file.chmod(mode)

    def run(self, *words):
        """Runs the runner, from elsewhere."""
        done = run([self.root / "tests/run", *words], cwd="/", capture_output=True)
        return done.returncode, done.stdout.decode() + done.stderr.decode()


def closing(counts):
    """The last line that counts make."""
    return "{} passed, {} failed, {} skipped".format(*counts)


def check_case(tap, what, script, counts, words):
    """One test on its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.add("tests/some/one.t", script)
        status, output = project.run("--limit", "1", *(["--idle", "2"] if "no CPU" in what else []))
    is_well = counts[0] > 0 and counts[1] == 0
    tap.ok(output.splitlines()[-1:] == [closing(counts)], f"{what}: counted", output)
    tap.ok((status == 0) == is_well, f"{what}: exit status", status)
    tap.nothing([word for word in words if word not in output], f"{what}: shown")


def check_finding(tap, project, folder):
    """Executables are tests; lanes and names select them."""
    tap.ok(project.run() == (1, closing((0, 0, 0)) + "\n"), "no test at all is no success", *project.run())
    for path in ("build/tests/unit/base", "tests/vm/one.t", "tests/bench/two.t", "tests/harness/mutants.t"):
        project.add(path, "echo 1..1; echo ok 1")
    project.add("tests/unit/base.c", "", mode=0o644)
    project.add("build/tests/unit/old", "exit 1")  # its source is gone
    project.add("tests/vm/helper.sh", "exit 1")
    project.add("tests/vm/plain.t", "exit 1", mode=0o644)
    project.add("tests/vm/guest/deep.t", "exit 1")
    for words, count in (((), 3), (("--lane=quick",), 1), (("--lane=full",), 4), (("vm/", "two"), 2)):
        status, output = project.run(*words)
        tap.ok(status == 0 and closing((count, 0, 0)) in output, f"{' '.join(words)} runs {count} tests", output)
    tap.ok(project.run("nowhere")[0] == 1, "a name that selects nothing is no success")


def check_pairs(tap, project, folder):
    """Two tests run side by side; -j 1 runs one after another."""
    script = (
        "touch {folder}/{own}; until [ -e {folder}/{other} ] || [ -e {folder}/alone ]; do sleep 0.1; done; "
        "echo 1..1; [ -e {folder}/{other} ] && echo ok 1 || echo not ok 1; touch {folder}/{own}.seen; "
        "until [ -e {folder}/{other}.seen ] || [ -e {folder}/alone ]; do sleep 0.1; done; rm {folder}/{own}"
    )
    for own, other in (("a", "b"), ("b", "a")):
        project.add(f"tests/some/{own}.t", script.format(folder=folder, own=own, other=other))
    tap.ok(project.run("-j", "2")[0] == 0, "two tests run side by side")
    (Path(folder) / "alone").touch()
    output = project.run("-j", "1")[1]
    tap.ok(closing((0, 2, 0)) in output, "with -j 1 each runs alone", output)


def check_sockets(tap, project, folder):
    """Each test has a socket of its own, where no ktrack can listen, whatever the caller has."""
    for name in ("s", "t"):
        project.add(f"tests/some/{name}.t", f'echo "$KTRACK_USER_SOCKET" >{folder}/{name}.socket; echo 1..1; echo ok 1')
    project.run("some/s", "some/t")
    sockets = [Path(folder, f"{name}.socket").read_text().strip() for name in ("s", "t")]
    is_own = sockets[0] != sockets[1] and all(socket.startswith("/dev/null/") for socket in sockets)
    tap.ok(is_own, "each test has a socket of its own, where nobody listens", *sockets)


def check_repetition(tap, project, folder):
    """Failures are repeated right before the sum."""
    project.add("tests/some/x.t", "echo 1..2; echo ok 1; echo not ok 2 - reads; echo '# of 7'")
    project.add("tests/some/y.t", "for i in $(seq 30); do echo noise; done; echo ok 1; echo not ok 2 - writes")
    project.add("tests/some/z.t", "echo ok 1; echo 1..1")
    end = project.run("-j", "1")[1].splitlines()[-26:]
    x = ["1 passed, 1 failed", "| not ok 2 - reads", "| # of 7"]
    y = ["1 passed, 2 failed", "wrong: planned nothing but ran 2", "| not ok 2 - writes"] + ["| noise"] * 18
    wanted = ["slow: ", *x, *y, "3 passed, 3 failed"]
    tap.ok(len(end) == 26 and all(part in line for part, line in zip(wanted, end)), "failures are repeated", *end)


def check_slowest(tap, project, folder):
    """The ten slowest tests are named, the slowest first, with their CPU time."""
    for number in range(11):
        project.add(f"tests/some/{number}.t", f"echo 1..1; echo ok 1; sleep {2 * (number > 9)}")
    lines = project.run("-j", "1")[1].splitlines()
    slow = [line for line in lines if line.startswith("slow: ")]
    tap.ok(len(slow) == 10 and lines[-11:-1] == slow and lines[-1] == closing((11, 0, 0)), "ten slow tests before the sum", *lines)
    took = {test: int(seconds) for test, seconds in re.findall(r"^(tests/\S+): .*, (\d+) s, \d+ s of CPU$", "\n".join(lines), re.MULTILINE)}
    found = [(int(seconds), test) for seconds, test in re.findall(r"^slow: (\d+) s, \d+ s of CPU: (\S+)$", "\n".join(slow), re.MULTILINE)]
    # A machine that is busy may make any of them the slowest one.
    ordered = sorted(took.values(), reverse=True)[:10]
    is_right = [seconds for seconds, _ in found] == ordered and all(took[test] == seconds for seconds, test in found)
    tap.ok(is_right and took["tests/some/10.t"] >= 2, "the slowest is the first", *lines)


def check_stopped(tap, project, folder):
    """A test that is stopped for longer than its limit goes on."""
    project.add("tests/some/one.t", "echo 1..1; (sleep 4; kill -CONT $$) & kill -STOP $$; echo ok 1")
    status, output = project.run("--limit", "1")
    tap.ok(status == 0, "a test may be stopped", output)


def check_signal(tap, project, folder):
    """Limits and signals end a test and its children, also those of other sessions."""
    begun, alive = Path(folder) / "begun", Path(folder) / "alive"
    project.add("tests/some/one.t", f"setsid sleep 1000 & echo $! >{alive}; (sleep 1000) & touch {begun}; echo 1..1; echo ok 1; sleep 1000")
    project.run("--idle", "2")
    tap.ok(has_ended(alive.read_text()), "a limit ends all")
    begun.unlink()
    started = subprocess.Popen([project.root / "tests/run"], stdout=subprocess.DEVNULL)
    wait_for(begun.exists, started)
    started.terminate()
    status = started.wait()
    tap.ok(status == 143 and has_ended(alive.read_text()), "children of tests end with them", status)


def has_ended(text):
    """Whether there is no process of a number."""
    return text_of(int(text), "stat").rpartition(")")[2].strip()[:1] in ("", "Z")


@tested
def main(tap):
    for case in CASES:
        check_case(tap, *case)
    for check in (check_finding, check_pairs, check_sockets, check_repetition, check_slowest, check_stopped, check_signal):
        with tempfile.TemporaryDirectory() as folder:
            check(tap, Project(folder), folder)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: tests/starve stops and continues all processes of a command, and leaves none that is stopped; limits count CPU time."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS)]

from process import Family, Overrun, Watch, processes, run, wait_for  # noqa: E402
from tap import tested  # noqa: E402

STARVE = TESTS / "starve"
# A process in a session and one in a group of its own, one whose parent has ended, and one that others have stopped.
CHILDREN = """setsid sleep 1000 & echo $! >>pids
timeout 1000 sleep 1000 & echo $! >>pids
(sleep 1000 & echo $! >>pids)
sleep 1000 & echo $! >>pids; kill -STOP $!; echo $! >held
echo $$ >>pids; touch ready
"""


def states(folder):
    """The states of those whose numbers are in a file, but for the one that the test itself stopped."""
    found, held = processes(), int(Path(folder, "held").read_text())
    pids = [int(line) for line in Path(folder, "pids").read_text().split()]
    return "".join(found[pid].state if pid in found else "-" for pid in pids if pid != held), found[held].state if held in found else "-"


def start(folder, *words):
    """A starved command that has children."""
    script = CHILDREN + "while :; do sleep 0.1; done"
    return subprocess.Popen([STARVE, *words, "sh", "-c", script], cwd=folder, stderr=subprocess.PIPE, text=True)


def check_all(tap, number):
    """All processes are stopped together and go on; a signal ends them all."""
    with tempfile.TemporaryDirectory() as folder:
        starved = start(folder, "--seed", "3")
        wait_for(Path(folder, "ready").exists, starved)
        turns = [wait_for(lambda wanted=wanted: set(states(folder)[0]) <= wanted, starved) for wanted in ({"T"}, set("SR"), {"T"})]
        tap.ok(turns == [True] * 3, "stopped, continued, and stopped again", turns, states(folder))
        tap.ok(states(folder)[1] == "T", "who was stopped by others stays so", states(folder))
        starved.send_signal(number)
        errors = starved.communicate()[1]
        left = states(folder)
        tap.ok(starved.returncode == 128 + number and set("".join(left)) <= set("-Z"), f"{number.name} ends all while they are stopped", starved.returncode, left)
        tap.ok(errors.startswith("# tests/starve --seed 3 sh -c"), "the seed is printed", errors)


def check_status(tap):
    """The exit status is that of the command; the first run that fails is the last."""
    for script, wanted in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)):
        tap.ok(run([STARVE, "sh", "-c", script], capture_output=True).returncode == wanted, f"{script}: {wanted}")
    done = run([STARVE, "--times", "3", "--seed", "8", "sh", "-c", "echo run"], capture_output=True, text=True)
    tap.ok(done.stdout == "run\n" * 3 and [line.split()[3] for line in done.stderr.splitlines()] == ["8", "9", "10"], "three times, each with a seed", done.stdout, done.stderr)
    with tempfile.TemporaryDirectory() as folder:
        done = run([STARVE, "--times", "3", "sh", "-c", "echo run; mkdir once"], cwd=folder, capture_output=True, text=True)
    tap.ok((done.returncode, done.stdout) == (1, "run\nrun\n"), "it ends with the run that fails", done.returncode, done.stdout)
    tap.ok(run([STARVE], capture_output=True).returncode == 2, "no command is an error")


def check_limits(tap):
    """A program that uses too much CPU time is ended; so are its children. One that is stopped is not."""
    for what, script in (("itself", "while :; do :; done"), ("in a child", "timeout 1000 sh -c 'while :; do :; done'")):
        try:
            run(["sh", "-c", script], cpu_s=1, capture_output=True)
            problem = None
        except Overrun as found:
            problem = str(found)
        tap.ok(problem and "more than 1 s of CPU" in problem, f"too much CPU time, {what}", problem)
    done = run(["sh", "-c", "(sleep 3; kill -CONT $$) & kill -STOP $$; cat"], cpu_s=1, input="text", text=True, capture_output=True)
    tap.ok((done.returncode, done.stdout) == (0, "text"), "a program that is stopped for longer goes on", done)
    idle = subprocess.Popen(["sleep", "1000"])
    watch = Watch(idle.pid, 1, idle_s=0.5)
    found = wait_for(watch.overrun, idle)
    tap.ok(found == "it used no CPU for 0.5 s", "a program that uses none is ended by the clock", found)
    idle.kill()
    tap.ok(wait_for(lambda: False, idle) is False, "what waits for a program ends with it")
    busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    tap.ok(wait_for(lambda: False, busy, cpu_s=1) is False and busy.poll() is None, "and at its limit of CPU time")
    busy.kill()
    busy.wait()


def check_family(tap):
    """Other processes are not of the family, whatever numbers they have."""
    one, other = (subprocess.Popen(["sleep", "1000"], start_new_session=True) for _ in range(2))
    family = Family(one.pid)
    tap.ok([found.pid for found in family.members()] == [one.pid], "one process", family.keys)
    family.leaders.add(other.pid)
    tap.ok([found.pid for found in family.members()] == [one.pid], "another one with the number of a leader that has ended", family.keys)
    family.end(one.poll)
    tap.ok(one.poll() == -signal.SIGTERM and other.poll() is None, "only the family is ended", one.poll(), other.poll())
    other.kill()
    other.wait()


@tested
def main(tap):
    """All checks."""
    for number in (signal.SIGTERM, signal.SIGINT):
        check_all(tap, number)
    check_status(tap)
    check_limits(tap)
    check_family(tap)

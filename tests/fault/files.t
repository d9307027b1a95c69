#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each failing call of the C library in export, stat, query and recover is survived and reported."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from faults import IS_FULL, PROJECT, Scenario, check_scenarios  # noqa: E402
from tap import tested  # noqa: E402

GOLDEN = PROJECT / "tests/golden"
LINE = "app-{} [001] 1.{:06}: sched_waking: comm=b pid=11 prio=120 target_cpu=000\n"
# Every so many failures outside of the full test.
STEP = 1 if IS_FULL else 40


def recording(folder, name, script, **settings):
    """Makes a trace.dat."""
    path = Path(folder) / name
    options = [f"{key}={value}" for key, value in settings.items()]
    subprocess.run([GOLDEN / "mktrace", *[word for option in options for word in ("-s", option)], GOLDEN / f"{script}.script", path], check=True)
    return path


def scenarios(folder):
    """All commands that read files."""
    plain = recording(folder, "plain.dat", "several-buffers", wall=1577934245)
    packed = recording(folder, "packed.dat", "rules-workload", wall=1577934245, version=7, compression="zstd")
    stacks = recording(folder, "stacks.dat", "stacks", wall=1577934245, version=7, compression="zlib")
    moves = recording(folder, "moves.dat", "cgroup-moves", wall=1577934245, version=7)
    text = Path(folder) / "trace.txt"
    text.write_text("".join(LINE.format(number % 2 + 10, number) for number in range(200)) + "CPU:1 [LOST 2 EVENTS]\n")
    database = Path(folder) / "trace.db"
    subprocess.run([PROJECT / "build/ktrack", "export", f"--sqlite={database}", plain], check=True)
    event = ("--sid=test", "--event=out.event", "--perf=out.perf")
    files = ("out.event", "out.perf")
    yield Scenario("export --event --perf", ["export", *event, "-r", "sched", "packed.dat"], [packed], files)
    yield Scenario("export to other formats", ["export", "--chrome=out.json", "--perfetto=out.pftrace", "--fxt=out.fxt", "--html=out.html", "plain.dat"], [plain], ("out.json", "out.pftrace", "out.fxt", "out.html"))
    yield Scenario("export --sqlite", ["export", "--sqlite=out.db", "stacks.dat"], [stacks], ("out.db",))
    yield Scenario("stat", ["stat", "--json", "stacks.dat"], [stacks])
    yield Scenario("export of processes that move", ["export", "--sid=test", "--event=out.event", "moves.dat"], [moves], ("out.event",))
    yield Scenario("stat of a text", ["stat", "--json", "-r", "sched", "trace.txt"], [text])
    yield Scenario("query of a recording", ["query", "plain.dat", "@names"], [plain])
    yield Scenario("query of a database", ["query", "--csv", "trace.db", "@tracks"], [database])


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        check_scenarios(tap, scenarios(folder), STEP)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stat --compare finds what became slower, in recordings and in seconds of one, and little else."""

import json
import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from tap import tested  # noqa: E402

EVENT = "event demo:io 100 char track_event_type; string slice_name\n"
EQUAL, SETS = 12, 20
FALSE_ALARMS_MAX = 3


def recording_of(seed, factor=1.0, count=60, pause_ns=100):
    """A script: reads become slower by a factor, writes do not; every recording has a level of its own."""
    numbers = random.Random(seed)
    level = numbers.lognormvariate(0, 0.02)
    lines = [EVENT]
    for _ in range(count):
        for name, mean in (("read", 2000 * factor), ("write", 9000)):
            duration = int(mean * level * numbers.lognormvariate(0, 0.4))
            lines.append(f'+{pause_ns} 7@0 io B {name}\n+{duration} 7@0 io E ""\n')
    return "".join(lines)


def make(folder, name, *arguments):
    """A recording."""
    cases.make_of(recording_of(*arguments), Path(folder, name))
    return name


def compare(folder, base, source, *options, status=0):
    """(changed names, JSON, what is wrong)."""
    text, wrong = cases.run(folder, "stat", "--compare", "--json", *options, *base, "--", *source, status=status)
    found = json.loads(text) if text else {"slices": []}
    return {row["name"] for row in found["slices"] if row["changed"]}, found, wrong


def check_recordings(tap, folder, base):
    """Five recordings against five."""
    slower = [make(folder, f"slower{number}", 100 + number, 1.3) for number in range(5)]
    changed, found, wrong = compare(folder, base[:5], slower)
    tap.ok(changed == {"read"} and not wrong, "reads became slower, writes did not", *changed, *wrong)
    (mean,) = (row for row in found["slices"] if row["name"] == "read" and row["what"] == "mean")
    tap.ok(mean["low"] < 0.3 < mean["high"] and mean["low"] > 0, "the interval contains the change", mean)
    changed, _, wrong = compare(folder, base[:5], slower, "--min-change=60%")
    tap.ok(not changed and not wrong, "--min-change", *changed, *wrong)
    text, wrong = cases.run(folder, "stat", "--compare", *base[:5], "--", *slower)
    lines = text.decode().splitlines()
    is_table = lines[0].split()[:2] == ["CHANGE", "INTERVAL"] and any("demo:io/read" in line for line in lines)
    tap.ok(is_table and lines[-1].endswith("comparing 5 recordings with 5 recordings") and not wrong, "the table", *lines)


def check_cgroup(tap, folder):
    """Only tracks of a cgroup."""
    cases.make("cgroups", Path(folder) / "cgroups.dat")
    for cgroup, is_there in (("/system.slice", True), ("/nosuch", False)):
        _, found, wrong = compare(folder, ["cgroups.dat"] * 4, ["cgroups.dat"] * 4, f"--cgroup={cgroup}")
        tap.ok(bool(found["slices"]) == is_there, f"--cgroup={cgroup}", found, *wrong)


def check_equal(tap, folder, base):
    """Equal recordings, in many divisions."""
    numbers, alarms = random.Random(3), 0
    for _ in range(SETS):
        chosen = numbers.sample(base, 10)
        alarms += bool(compare(folder, chosen[:5], chosen[5:], "--min-change=0")[0])
    tap.ok(alarms <= FALSE_ALARMS_MAX, f"{alarms} false alarms in {SETS} comparisons of equal recordings")


def check_seconds(tap, folder):
    """One recording on each side: their seconds."""
    one = make(folder, "one", 1, 1.0, 600, 10000000)
    equal = make(folder, "equal", 1, 1.0, 600, 10000000)
    slower = make(folder, "slower", 1, 1.5, 600, 10000000)
    changed, found, wrong = compare(folder, [one], [slower])
    tap.ok(changed == {"read"} and found["unit"] == "second" and found["base"] >= 10 and not wrong, "seconds", found["base"])
    changed, _, wrong = compare(folder, [one], [equal])
    tap.ok(not changed and not wrong, "the same recording twice", *changed, *wrong)


def check_losses(tap, folder, base):
    """A loss in any of the recordings is the exit status with --fail-on-loss."""
    cases.make_of(recording_of(1) + 'lost 0 3\n+1000 7@0 io B read\n+1000 7@0 io E ""\n', Path(folder, "lossy"))
    for sets in ((["lossy", *base[:4]], base[4:9]), (base[:5], [*base[5:9], "lossy"])):
        _, found, wrong = compare(folder, *sets, "--fail-on-loss", status=3)
        tap.ok(found["slices"] and not wrong, "a loss in one set is the exit status", *sets, found, *wrong)


def check_refusals(tap, folder, base):
    """Too little, and wrong usage."""
    few = "ktrack: --compare: 3 and 3 recordings decide nothing; give at least 4 each"
    _, _, wrong = compare(folder, base[:3], base[3:6], status=3)
    tap.ok(wrong == [few], "three recordings are too few", *wrong)
    others = [f"other{number}" for number in range(4)]
    for number, name in enumerate(others):
        cases.make_of(recording_of(number).replace("read", "get").replace("write", "put"), Path(folder, name))
    out, wrong = cases.run(folder, "stat", "--compare", *base[:4], "--", *others, status=3)
    none = "ktrack: --compare: no slices have the same name in two recordings of each set; give recordings of the same tracepoints, and the same -e and -r"
    tap.ok(wrong == [none] and not out, "nothing in common is undecided", out, *wrong)
    for words, status, said in (
        (("--compare", *base[:2]), 2, "--compare: needs two sets; write BASE... -- SOURCE..."),
        (("--compare", "--", *base[:2]), 2, "--compare: needs two sets; write BASE... -- SOURCE..."),
        (("--compare", *base[:2], "--", base[3]), 2, "--compare: one recording and 2; give one of each, or several of each"),
        (("--compare", "--csv", base[0], "--", base[1]), 2, "--csv: not with --compare; leave it out"),
        (("--compare", "--live"), 2, "--live: not with --compare; leave it out"),
        (("--min-change=5%", base[0]), 2, "--min-change: needs --compare"),
        (("--compare", "--min-change=x", base[0], "--", base[1]), 2, "--min-change=x: not a percentage; write one such as 5%"),
        (("--compare", "--min-change=1001%", base[0], "--", base[1]), 2, "--min-change=1001%: not a percentage; write one such as 5%"),
        (("--compare", "nosuch", "--", base[1]), 1, "cannot open nosuch: No such file or directory"),
    ):
        out, wrong = cases.run(folder, "stat", *words, status=status)
        tap.ok(wrong == [f"ktrack: {said}"] and not out, f"refused: {said}", *wrong)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        base = [make(folder, f"base{number}", number) for number in range(EQUAL)]
        check_recordings(tap, folder, base)
        check_cgroup(tap, folder)
        check_equal(tap, folder, base)
        check_seconds(tap, folder)
        check_losses(tap, folder, base)
        check_refusals(tap, folder, base)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the first lines of ktrack why name the cause of each recorded incident, and another one for its twin."""

import json
import lzma
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE / "incidents")]

import process  # noqa: E402
from cases import CASES, CLAIMS, ROWS, SLICES  # noqa: E402
from sums import wrong_sums  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
# Lines of a whole answer that are no details of others, and bytes of a recording.
ROWS_MAX, SIZE_MAX = 12, 60 << 10
# The head of the table, and lines that explain the row before them.
HEAD = re.compile(r"^ +TIME .*\n", re.MULTILINE)
BELOW = re.compile(r" +(at|meanwhile|up to) ")
SHARE = re.compile(r"^ *[\d.]+[mun]?s +[\d.]+% ", re.MULTILINE)
# A record below a part, and one of trace-cmd's, which may have the name of its buffer before the event's.
EVIDENCE = re.compile(r"^ +(?:from|until) (\d+)\.(\d{9}) CPU (\d+) (?:\S+ )?\S+:(\S+)$", re.MULTILINE)
REPORTED = re.compile(r"\[(\d+)\] *(?:[^ \d]\S* +)?(\d+): +(?:\S+: +)??(\w+): ")


def explain(path, *options):
    """What ktrack why prints."""
    return process.run([KTRACK, "why", *options, path, f"{SLICES}/{path.stem}"], capture_output=True, text=True)


def lead_of(text):
    """What is above the table, and its first rows."""
    above, table = HEAD.split(text, maxsplit=1) if HEAD.search(text) else ("", "")
    return above.partition("\n")[2] + "\n".join([line for line in table.splitlines() if not BELOW.match(line)][:ROWS])


def check_answer(tap, folder, name, cause):
    """One recording; returns the first lines of its answer."""
    path = folder / f"{name}.dat"
    path.write_bytes(lzma.decompress((HERE / f"incidents/{path.name}.xz").read_bytes()))
    done, counted = explain(path), explain(path, "--json")
    lead = lead_of(done.stdout)
    tap.ok(re.search(cause, lead, re.DOTALL), f"{name}: {cause!r} is named first", done.stdout, done.stderr)
    tap.ok(0 < len(SHARE.findall(done.stdout)) <= ROWS_MAX, f"{name}: at most {ROWS_MAX} lines have a share", done.stdout)
    found = json.loads(counted.stdout)["slices"][0] if counted.returncode == 0 else {"parts": [], "ns": -1}
    tap.nothing(list(wrong_sums(found["parts"], found["ns"], name)), f"{name}: the parts add up")
    return lead


def check_incident(tap, folder, name):
    """An incident and its twin: what one names is not in the first lines of the other one. Returns the lines of both."""
    causes = CASES[name]
    leads = [check_answer(tap, folder, *one) for one in zip((name, f"{name}-twin"), causes)]
    tap.ok(leads[0] != leads[1] and not re.search(causes[0], leads[1], re.DOTALL), f"{name}: its twin has another cause", *leads)
    return {name: leads[0], f"{name}-twin": leads[1]}


def check_evidence(tap, folder, name):
    """The records that parts rest on are there for trace-cmd, at the same times."""
    report = process.run(["trace-cmd", "report", "-t", "--raw-ts", folder / f"{name}.dat"], capture_output=True, text=True, errors="replace").stdout
    known = {(int(cpu), int(time), event) for cpu, time, event in REPORTED.findall(report)}
    shown = explain(folder / f"{name}.dat", "--evidence", "--all").stdout
    wanted = {(int(cpu), int(seconds + ns), event) for seconds, ns, cpu, event in EVIDENCE.findall(shown)}
    tap.ok(len(wanted) > 5, f"{name}: parts have evidence", shown)
    tap.nothing(sorted(wanted - known), f"{name}: trace-cmd report finds it")


def check_claims(tap, leads):
    """What is special is said where it happened, and nowhere else."""
    for claim, names in CLAIMS.items():
        tap.nothing([f"{name}: {leads[name]}" for name in names if name in leads and not re.search(claim, leads[name])], f"{claim!r} is said of {names}")
        tap.nothing([f"{name}: {lead}" for name, lead in leads.items() if name not in names and re.search(claim, lead)], f"{claim!r} is said of {names} only")


@tested
def main(tap):
    """All checks."""
    recorded = {path.name.removesuffix(".dat.xz") for path in HERE.glob("incidents/*.dat.xz")}
    tap.ok(recorded == {f"{name}{twin}" for name in CASES for twin in ("", "-twin")}, "each recording is one of an incident", sorted(recorded))
    tap.nothing([path.name for path in HERE.glob("incidents/*.xz") if path.stat().st_size > SIZE_MAX], "each of them is small")
    with tempfile.TemporaryDirectory() as folder:
        leads = {}
        for name in sys.argv[1:] or CASES:
            leads |= check_incident(tap, Path(folder), name) or {}
        for name in {"fifo", "chain"} & leads.keys():
            check_evidence(tap, Path(folder), name)
        check_claims(tap, leads)

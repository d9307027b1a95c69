#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each failing call of the C library in record, stream and watch of a kernel is survived, and all records are exported or reported.

Arguments: commands (record, stream, watch; default: all three), and "all" for each failure at each site: 2,300 runs, an hour or more.
"""

import gzip
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / part) for part in ("", "vm", "fault")]

import machine  # noqa: E402
from faults import FAILURES, HARMLESS, SHIM, TABLE_SIZE, table_of, table_read  # noqa: E402
from tap import Tap  # noqa: E402

KINDS = ("record", "stream", "watch")
# Every so many failures, except with "all", and how many runs a machine has time for.
STEP = 1 if "all" in sys.argv else machine.rounds(60, 120)
RUNS_MAX = 80


def machine_run(tap, kernel, tables):
    """Runs all; returns {name: (status, has failed, fired, exported, lost, unknown, messages)}, and {kind: sites}."""
    rows, sites = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            (Path(folder) / name).write_bytes(table)
        options = ("--add", f"{SHIM}:/shim.so", "--add", f"{folder}:/plan")
        with machine.ran(kernel, "faults.sh", TABLE_SIZE, options=options) as result:
            machine.check_end(tap, kernel, result)
            tap.nothing(result.output.splitlines(), f"{kernel}: nothing is left behind")
            for line in result.text("runs").splitlines():
                name, status, *numbers = line.split()
                rows[name] = (status, *map(int, numbers), result.text(f"{name}.errors"))
            for path in result.folder.glob("*.table.gz"):
                sites[path.name.split(".")[0]] = table_read(gzip.decompress(path.read_bytes()))[1]
    tap.ok(len(rows) == len(tables), f"{kernel}: all of {len(tables)} runs end", sorted(set(tables) - set(rows)))
    return rows, sites


def judge(row, sound, site, failure):
    """Yields what is wrong with a run. Libraries need not go on after an interruption of their own calls, which ktrack reports."""
    status, _, fired, exported, lost, unknown, messages = row
    is_reported = unknown or status != "0" or set(messages.splitlines()) - set(sound[-1].splitlines())
    if status == "hung" or int(status) > 4:
        yield f"status {status}"
    elif failure in HARMLESS and (status, exported) != ("0", fired) and not (is_reported and site.places[0].startswith("lib")):
        yield f"{failure} changes the result"
    elif fired != exported + lost and not is_reported:
        yield "a silent difference"
    elif status != "0" and not messages.startswith("ktrack: "):
        yield "no message"


def check_kind(tap, what, plan, rows, sound):
    """All failures of one command."""
    outcomes, problems = Counter(), []
    for name, (site, failure) in plan.items():
        row = rows.get(name)
        if not row or not row[1]:
            outcomes["not reached again"] += 1
            continue
        status, _, fired, exported, lost, *_ = row
        outcomes["same result" if (status, exported) == ("0", fired) and fired else "reported"] += 1
        sums = f"status {status}, {fired} fired, {exported} exported, {lost} lost"
        problems += [f"{failure[0]}: {problem}: {sums}: {site.describe()}\n    {row[-1]}" for problem in judge(row, sound, site, failure[0])]
    sums = [sum(rows[name][place] for name in plan if name in rows) for place in (2, 3, 4)]
    tap.nothing(problems, f"{what}, {len(plan)} failures: {dict(outcomes)}")
    tap.ok(2 * outcomes["not reached again"] < len(plan), f"{what}: most of these failures happen")
    tap.comment(f"{what}: {sums[0]} fired, {sums[1]} exported, {sums[2]} lost, and what failed runs report")


def main():
    """Returns the exit status."""
    tap, kernel = Tap(), machine.ONE_6_12[-1]
    kinds = [kind for kind in KINDS if kind in sys.argv] or KINDS
    sound, sites = machine_run(tap, kernel, {f"{kind}.0": table_of() for kind in kinds})
    plans, tables = {}, {}
    for kind in kinds:
        status, _, fired, exported, *_ = sound.get(f"{kind}.0", ("none", 0, 0, 0, ""))
        tap.ok(status == "0" and fired == exported > 0, f"{kind}: nothing fails, {fired} fired, {exported} exported", *sound.values())
        reached = sorted(sites.get(kind, ()), key=lambda site: site.number)
        plan = [(site, failure) for site in reached for failure in FAILURES[site.kind]][::STEP]
        plans[kind] = {f"{kind}.{number}": row for number, row in enumerate(plan, 1)}
        tables.update({name: table_of(site.number, way, error) for name, (site, (_, way, error)) in plans[kind].items()})
    rows, names = {}, list(tables)
    for place in range(0, len(names), RUNS_MAX):
        rows.update(machine_run(tap, kernel, {name: tables[name] for name in names[place : place + RUNS_MAX]})[0])
    for kind in kinds:
        check_kind(tap, f"{kind}: {len(sites.get(kind, ()))} sites", plans[kind], rows, sound.get(f"{kind}.0"))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

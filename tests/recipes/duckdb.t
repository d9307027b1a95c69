#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the queries of ktrack-telemetry(7) in DuckDB, over EVENT lines of 50 hosts, have the answers of ktrack stat."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "outputs"), str(HERE.parent)]

import cases  # noqa: E402
import packages  # noqa: E402
import process  # noqa: E402
from tap import Tap  # noqa: E402

PACKAGE = "@duckdb/node-api@1.5.6-r.1"
HOSTS = [f"web-{number:02}" for number in range(1, 51)]
# The host whose disk is slow, the one that lost records, the one whose stream was cut, and the one that writes into a directory.
SLOW, LOSSY, CUT, SESSIONS = HOSTS[17], HOSTS[30], HOSTS[41], HOSTS[5]
LOST = 17
SLICES = 300
NS = Decimal(10) ** 9


def script_of(host):
    """A recording's records: slices of random lengths, some of which records that were lost may affect."""
    rest = random.Random(host)
    lines = ["wall 1700000000000000", "event demo:io 100 char track_event_type; string slice_name; u32 bytes"]
    for number in range(SLICES):
        name, mean = rest.choice((("read", 9), ("write", 10), ("flush", 12)))
        lines.append(f"+{rest.randrange(100, 9000)} 7@0 io B {name} {number}")
        if host == LOSSY and number == SLICES // 2:
            lines.append(f"lost 0 {LOST}")
        lines.append(f"+{int(rest.lognormvariate(mean + (host == SLOW) * 3, 0.3))} 7@0 io E")
    lines.append("+5us 7@0 io B read 1")
    return "\n".join(lines) + "\n"


def hosts_make(folder):
    """A recording of each host, and its compressed EVENT lines; returns {host: statistics} and what is wrong."""
    statistics, wrong = {}, []
    (folder / "events").mkdir()
    for host in HOSTS:
        path = folder / f"{host}.dat"
        cases.make_of(script_of(host), path)
        # The name of the machine, which scripts do not set.
        path.write_bytes(path.read_bytes().replace(b" golden ", f" {host} ".encode()))
        _, problems = cases.run(folder, "export", "--event=events" + ("" if host == SESSIONS else f"/{host}.jsonl.zst"), path.name)
        answer, more = cases.run(folder, "stat", "--by-name", "--json", path.name)
        statistics[host] = json.loads(answer)
        wrong += problems + more
        path.unlink()
    return statistics, wrong


def event_cut(folder):
    """As if the writer of a stream had been killed: its last lines are not there."""
    path = folder / f"events/{CUT}.jsonl.zst"
    lines = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.splitlines(keepends=True)
    last = next(place for place, line in enumerate(lines) if b'"unfinished":true' in line)
    subprocess.run(["zstd", "-qf", "-o", path], input=b"".join(lines[:last]), check=True)


def query(modules, folder, *texts):
    """(rows of the last statement, what is wrong)."""
    done = process.run(["node", HERE / "duckdb.js", modules], input="\n".join(texts), cwd=folder, capture_output=True, text=True)
    return (json.loads(done.stdout.splitlines()[-1]), []) if done.returncode == 0 else ([], [done.stderr[-1500:]])


def quantile_is_near(got, want, statistics):
    """ktrack keeps quantiles with a relative error."""
    return abs(got - want) <= want * Decimal(statistics["quantile_error"]) + 1


def check_row(row, statistics):
    """What differs between the database and ktrack stat, of a host and a name."""
    want = {one["name"]: one for one in statistics[row["host"]]["slices"]}[row["label"]]
    wrong = [] if int(row["count"]) == want["count"] else ["count"]
    for column in ("total", "min", "max"):
        wrong += [] if Decimal(row[column]) * NS == want[f"{column}_ns"] else [column]
    for column in ("p50", "p99"):
        wrong += [] if quantile_is_near(Decimal(row[column]) * NS, want[f"{column}_ns"], statistics[row["host"]]) else [column]
    return [f"{row}: {column}: {want}" for column in wrong]


def check_statistics(tap, rows, statistics):
    """All rows."""
    pairs = {(row["host"], row["label"]) for row in rows}
    wanted = {(host, one["name"]) for host, answer in statistics.items() for one in answer["slices"] if one["count"] > 0}
    tap.ok(pairs == wanted and len(pairs) >= 3 * len(HOSTS), "each name of each host has a row", len(pairs), len(wanted))
    tap.nothing([line for row in rows for line in check_row(row, statistics)][:5], "whose numbers are those of ktrack stat")
    counts = sum(int(row["count"]) for row in rows)
    tap.comment(f"{counts} slices of {len(HOSTS)} hosts")


def check_slowest(tap, rows, statistics):
    """The longest of all, in their order."""
    lengths = [Decimal(row["t_rel"]) * NS for row in rows]
    longest = max(one["max_ns"] for answer in statistics.values() for one in answer["slices"] if one["count"] > 0)
    tap.ok(len(rows) == 10 and lengths == sorted(lengths, reverse=True) and lengths[0] == longest, "the slowest slices are found", rows[:2], longest)
    tap.ok(all(row["host"] == SLOW and row["thread"] and row["time"].startswith("2023-11-14") for row in rows), "with host, track and time", rows[:2])


def check_all(tap, modules, folder, statistics):
    """Each query of the page."""
    texts = packages.recipes("duckdb")
    create = texts.pop("")
    tap.ok(set(texts) == {"statistics", "outliers", "slowest", "trust"}, "the page has queries", *texts)
    rows = {name: query(modules, folder, create, text) for name, text in texts.items()}
    tap.nothing([line for _, wrong in rows.values() for line in wrong], "DuckDB runs them")
    check_statistics(tap, rows["statistics"][0], statistics)
    check_slowest(tap, rows["slowest"][0], statistics)
    outliers = {row["host"] for row in rows["outliers"][0]}
    tap.ok(outliers == {SLOW}, "the slow host is found", *outliers)
    trust = {row["host"]: (int(row["lost"] or 0), int(row["incomplete"])) for row in rows["trust"][0]}
    tap.ok(trust == {LOSSY: (LOST, 0), CUT: (0, 1)}, "and so are the host that lost records, and the stream that was cut", trust)


def main():
    """Returns the exit status."""
    tap = Tap()
    if not shutil.which("npm") or not shutil.which("node") or not shutil.which("zstd"):
        tap.skip("DuckDB has the answers of ktrack stat", "npm, node or zstd is not installed")
        return tap.finish()
    modules, problem = packages.npm("duckdb", PACKAGE)
    if not tap.ok(not problem, "DuckDB is installed", problem):
        return tap.finish()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        statistics, wrong = hosts_make(folder)
        tap.nothing(wrong, f"{len(HOSTS)} hosts are exported")
        event_cut(folder)
        check_all(tap, modules, folder, statistics)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a database of a million slices costs at most four times the CPU of importing its rows with sqlite3, in limited memory."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import inputs  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = PROJECT / "build/ktrack"
SCHEMA = PROJECT / "userspace/sink/sqlite"
SLICES = 1000000
# Two args each: the one of its begin and the one of its end.
SCRIPT = f"""event demo:io 100 char track_event_type; string slice_name; u32 bytes
repeat {SLICES}
+100 7@0 io B read $i
+1000 7@0 io E read 1
end
"""
RATIO_MAX = 4
# 32 MB of ktrack's own, and 32 MB of page cache.
MEMORY_KIB_MAX = 64 * 1024
TABLES = ("recording", "track", "slice", "arg")


def run_measured(*words, script=None):
    """Runs a command; returns (CPU seconds, memory in KiB)."""
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.stdin.write((script or "").encode())
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise RuntimeError(f"{words[0]}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def rows_write(database, folder):
    """A file of each table's rows."""
    for table in TABLES:
        with open(folder / f"{table}.csv", "wb") as out:
            subprocess.run(["sqlite3", "-csv", database, f"SELECT * FROM {table}"], stdout=out, check=True)


def import_script(folder):
    """What sqlite3 does for the same database, without syncs and journal. It imports NULL as an empty text."""
    indexes = (SCHEMA / "indexes.sql").read_text().replace("parent_id IS NOT NULL", "parent_id <> ''")
    imports = "\n".join(f".import '{folder}/{table}.csv' {table}" for table in TABLES)
    settings = "PRAGMA page_size = 8192; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;"
    return f"{settings}\n{(SCHEMA / 'tables.sql').read_text()}\n.mode csv\n{imports}\n{indexes}"


def rows_of(database):
    """The number of slices and args, and the pages of indexes."""
    words = "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM arg), (SELECT count(*) FROM sqlite_schema WHERE type = 'index')"
    return subprocess.run(["sqlite3", database, words], capture_output=True, text=True, check=True).stdout.strip()


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "script").write_text(SCRIPT)
        subprocess.run([inputs.MKTRACE, folder / "script", folder / "trace.dat"], check=True)
        own, memory = run_measured(KTRACK, "export", f"--sqlite={folder}/own.db", folder / "trace.dat")
        rows_write(folder / "own.db", folder)
        theirs, _ = run_measured("sqlite3", folder / "theirs.db", script=import_script(folder))
        rows = rows_of(folder / "own.db"), rows_of(folder / "theirs.db")
        tap.ok(rows[0] == rows[1] and rows[0].startswith(f"{SLICES}|{2 * SLICES}|"), "both have the same rows and indexes", *rows)
        ratio = own / theirs
        tap.comment(f"{own:.2f} s of CPU, sqlite3 {theirs:.2f} s: {ratio:.2f} times; {memory} KiB")
        tap.ok(ratio <= RATIO_MAX, f"at most {RATIO_MAX} times the CPU of an import", f"{ratio:.2f}")
        tap.ok(memory <= MEMORY_KIB_MAX, f"at most {MEMORY_KIB_MAX >> 10} MiB of memory", memory)

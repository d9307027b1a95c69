#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack query of databases that somebody made hostile only reads, with limits, and leaves no file."""

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = HERE.parents[1] / "build/ktrack"
MKTRACE = HERE.parent / "golden/mktrace"
MEMORY_KIB = 400 * 1024


def ask(query, *words):
    """(status, output, errors) of a query of trace.db."""
    done = process.run([KTRACK, "query", *words, "trace.db", query], capture_output=True)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def database_make(*statements):
    """A database of ktrack's, changed by statements that its author ran."""
    Path("trace.db").unlink(missing_ok=True)
    subprocess.run([KTRACK, "export", "--wall-clock=0", "--sqlite=trace.db", "trace.dat"], check=True)
    with sqlite3.connect("trace.db") as base:
        base.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            base.execute(statement)
    base.close()


def refused(tap, what, statements, query, wanted):
    """A query that fails with one line."""
    database_make(*statements)
    before = Path("trace.db").read_bytes()
    status, output, errors = ask(query)
    tap.ok(status == 1 and wanted in errors and errors.count("\n") == 1, f"{what}: {wanted}", status, output[:300], errors[:500])
    tap.ok(Path("trace.db").read_bytes() == before and sorted(os.listdir()) == ["trace.dat", "trace.db"], f"{what}: nothing is written", *os.listdir())


def check_schema(tap):
    """Code in the schema: functions with effects in views, triggers, virtual tables."""
    refused(tap, "a view that loads code", ["CREATE VIEW v AS SELECT load_extension('x.so')"], "SELECT * FROM v", "unsafe use of load_extension()")
    refused(tap, "a view with a function that is not harmless", ["CREATE VIEW v AS SELECT fts3_tokenizer('simple')"], "SELECT * FROM v", "query:")
    refused(tap, "a virtual table that reads pages", ["CREATE VIEW v AS SELECT data FROM sqlite_dbpage"], "SELECT * FROM v", "query:")
    refused(tap, "a trigger on a view", ["CREATE TRIGGER t INSTEAD OF INSERT ON slices BEGIN DELETE FROM slice; END"], "INSERT INTO slices(id) VALUES(1)", "it can only read")
    refused(tap, "an attached file", [], "ATTACH 'other.db' AS other", "it can only read")
    refused(tap, "a schema that can be written", [], "PRAGMA writable_schema = ON", "it can only read")
    refused(tap, "a schema that is no SQL", ["UPDATE sqlite_schema SET sql = 'CREATE TABLE slice(' WHERE name = 'slice'"], "SELECT 1 FROM slice", "malformed")


def check_sizes(tap):
    """Values and results that would take all memory."""
    refused(tap, "a huge value", [], "SELECT length(zeroblob(1000000000))", "too big")
    refused(tap, "a view of huge values", ["CREATE VIEW v AS SELECT hex(zeroblob(500000000)) AS x"], "SELECT * FROM v", "too big")
    database_make("INSERT INTO message SELECT 1, hex(zeroblob(4000000)) FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3)")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    status, output, errors = ask("SELECT group_concat(text) FROM message")
    tap.ok(status == 1 and "too big" in errors, "values that become huge together", status, errors)
    status, output, errors = ask("SELECT text FROM message", "--csv")
    tap.ok(status == 0 and len(output) > 24_000_000, "large ones are printed one by one", status, len(output), errors)
    tap.ok(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) < MEMORY_KIB, "with limited memory", before)


def check_endless(tap):
    """A view in the place of a table that ktrack itself reads."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) AS lost_records, 1 AS lost_gaps, 1 AS lost_gaps_unknown FROM n"
    database_make("DROP TABLE recording", f"CREATE VIEW recording AS {endless}")
    status, output, errors = ask("SELECT 1 AS one", "--json")
    tap.ok(status == 0 and '"one":1' in output, "a view that never ends does not hold up other queries", status, output, errors)


def check_terminal(tap):
    """Texts of a table that would affect a terminal."""
    database_make("INSERT INTO message VALUES(1, char(27) || ']0;owned' || char(7))")
    status, output, _ = ask("SELECT text FROM message")
    tap.ok(status == 0 and "\x1b" not in output and "\x07" not in output, "control characters are not printed", output)


def check_pages(tap):
    """Damaged pages, a short file, a foreign journal mode."""
    database_make()
    sound = Path("trace.db").read_bytes()
    wrong = []
    for place in range(0, len(sound), 97):
        Path("trace.db").write_bytes(sound[:place] + bytes([sound[place] ^ 0xFF]) * 16 + sound[place + 16 :])
        if sound[:16] != Path("trace.db").read_bytes()[:16]:
            continue
        status, _, errors = ask("SELECT count(*) FROM slices JOIN event_args ON id = event_id UNION ALL SELECT count(*) FROM ancestor")
        if status not in (0, 1) or (status == 1 and errors.count("\n") != 1):
            wrong.append(f"byte {place}: {status} {errors[:200]}")
        if place > 97 * 150:
            break
    tap.nothing(wrong, "damaged pages: an error of one line, or an answer")
    Path("trace.db").write_bytes(sound[: len(sound) // 2])
    status, _, errors = ask("SELECT * FROM slices JOIN event_args ON id = event_id")
    tap.ok(status in (0, 1) and errors.count("\n") <= 1, "a short file", status, errors)
    database_make()
    base = sqlite3.connect("trace.db")
    base.execute("PRAGMA journal_mode = WAL")
    base.close()
    os.chmod("trace.db", 0o444)
    status, output, errors = ask("SELECT count(*) AS n FROM slice")
    left = sorted(os.listdir())
    tap.ok(status == 1 and "has a write-ahead log" in errors and left == ["trace.dat", "trace.db"], "a write-ahead log leaves no file", status, errors, *left)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([MKTRACE, HERE.parent / "golden/extra-fields-are-attached.script", "trace.dat"], check=True)
        for check in (check_schema, check_sizes, check_endless, check_terminal, check_pages):
            check(tap)
        os.chdir("/")

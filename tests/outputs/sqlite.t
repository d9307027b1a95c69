#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the database of --sqlite has what EVENT reports, for every golden case, and survives a killed ktrack."""

import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from sqlite import compare  # noqa: E402
from tap import tested  # noqa: E402

# More rows than one transaction has.
LONG = """event demo:io 100 char track_event_type; string slice_name; u32 bytes; u32 sector
repeat 200000
+100 7@0 io B read 512 77
+100 7@0 io E read 0 1
end
"""
NESTED = """event demo:io 100 char track_event_type; string slice_name
+10 7@0 io B outer
+10 7@0 io B inner
+10 7@0 io B deepest
+5 7@0 io E
+10 7@0 io E
+10 7@0 io B inner
+20 7@0 io E
+10 7@0 io I tick
+5 7@0 io E
"""
SELVES = [("outer", None, 80, 35), ("inner", "outer", 25, 20), ("deepest", "inner", 5, 5), ("inner", "outer", 20, 20)]
TURNS = [("main", None, 1, 4), ("A", "main", 2, 2), ("B", "main", 3, 4), ("C", "main", 2, 2), ("D", "main", 2, 1), ("F", "main", 2, 1)]
CROSSING = [*TURNS, ("one", None, 1, 3), ("two", None, 2, 4), ("one", None, 1, 3), ("two", None, 2, 3), ("three", None, 3, 9), ("one", None, 1, 1)]
VERSION = 1


def ask(path, query):
    """The rows of a query."""
    database = sqlite3.connect(path)
    rows = database.execute(query).fetchall()
    database.close()
    return rows


def check_cases(tap):
    """Every golden case."""
    for name in cases.names():
        with tempfile.TemporaryDirectory() as folder:
            cases.make(name, Path(folder, "trace.dat"))
            words = ["export", *cases.rules_of(name), "--event", "--sqlite=trace.db", "trace.dat"]
            stream, wrong = cases.run(folder, *words)
            wrong += compare(stream, Path(folder, "trace.db"))
            if ask(Path(folder, "trace.db"), "PRAGMA integrity_check") != [("ok",)]:
                wrong.append("the database is damaged")
            wrong += [f"{path} is left" for path in Path(folder).glob("*-journal")]
        tap.nothing(wrong, name.replace("-", " "))


def check_views(tap, folder):
    """Parents, self time, ancestors, args."""
    cases.make_of(NESTED, folder / "nested.dat")
    _, wrong = cases.run(folder, "export", "--sqlite=nested.db", "nested.dat")
    path = folder / "nested.db"
    found = ask(path, "SELECT name, parent, dur_ns, self_ns FROM slices ORDER BY id")
    tap.ok(not wrong and found == SELVES, "parents and self times", *wrong, found)
    found = ask(path, "SELECT a.name, distance FROM ancestor JOIN slice a ON a.id = ancestor_id WHERE slice_id = 3 ORDER BY 2")
    tap.ok(found == [("inner", 1), ("outer", 2)], "ancestors", found)
    found = ask(path, "SELECT count, total_ns, self_ns FROM self_time WHERE name = 'inner'")
    tap.ok(found == [(2, 45, 40)], "self times by name", found)
    found = ask(path, "SELECT s.name FROM instant i JOIN slice s ON s.id = i.slice_id")
    tap.ok(found == [("outer",)], "the slice around an instant", found)
    versions = ask(path, "SELECT user_version, schema, is_complete FROM pragma_user_version, recording")
    tap.ok(versions == [(VERSION, VERSION, 1)], "the version of the schema", versions)


def check_crossing(tap, folder):
    """A slice is inside the one that is open around it from its begin to its end, whatever their depths are."""
    cases.make(cases.CROSSING_CASE, folder / "crossing.dat")
    _, wrong = cases.run(folder, "export", "--sqlite=crossing.db", "crossing.dat")
    path = folder / "crossing.db"
    found = ask(path, "SELECT name, parent, depth, self_ns / 1000 FROM slices WHERE category LIKE 'mytool:%' ORDER BY id")
    tap.ok(not wrong and found == CROSSING, "parents and self times of slices that cross", *wrong, found)
    found = ask(path, "SELECT s.name FROM instant i JOIN slice s ON s.id = i.slice_id")
    tap.ok(found == [("B",)], "the slice around an instant is the one that began last", found)


def check_losses(tap, folder):
    """Losses have their time; counts are those of the recording."""
    cases.make(cases.LOSSES_CASE, folder / "losses.dat")
    cases.run(folder, "export", "--sqlite=losses.db", "losses.dat")
    found = ask(folder / "losses.db", "SELECT begin_ns, end_ns FROM loss ORDER BY begin_ns")
    tap.ok(found == cases.LOSSES, "when losses were", found)
    found = ask(folder / "losses.db", "SELECT sum(records) = lost_records, count(*) = lost_gaps FROM loss, recording")
    tap.ok(found == [(1, 1)], "and how many records they have", found)


def check_replaced(tap, folder):
    """A second run replaces the database; one that another program uses is refused."""
    for name in ("nested", "losses"):
        cases.run(folder, "export", "--sqlite=again.db", f"{name}.dat")
    same = ask(folder / "again.db", "SELECT count(*) FROM slice") == ask(folder / "losses.db", "SELECT count(*) FROM slice")
    tap.ok(same, "a database is replaced")
    user = sqlite3.connect(folder / "again.db")
    user.execute("BEGIN IMMEDIATE")
    _, wrong = cases.run(folder, "export", "--sqlite=again.db", "nested.dat", status=1)
    user.close()
    locked = ["ktrack: again.db: another program has locked it; try again when it has ended"]
    tap.ok(wrong == locked, "a database in use is refused", *wrong)


def check_refusals(tap, folder):
    """Only regular files can be databases."""
    for target in ("-", "/dev/null", "/dev/full"):
        name = "standard output" if target == "-" else target
        _, wrong = cases.run(folder, "export", f"--sqlite={target}", "nested.dat", status=1)
        refusal = [f"ktrack: {name}: not a regular file; write a database to a file"]
        tap.ok(wrong == refusal, f"--sqlite={target} is refused", *wrong)
    (folder / "limited.db").unlink(missing_ok=True)
    cases.make_of(LONG, folder / "long.dat")
    command = f'ulimit -f 4096; exec "{cases.KTRACK}" export --sqlite=limited.db long.dat'
    done = process.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "wall clock" not in line]
    too_large = ["ktrack: cannot write to limited.db: File too large"]
    tap.ok(done.returncode == 1 and said == too_large, "a file that may not grow is reported", done.returncode, *said)


def kill_at(folder, size, number):
    """Kills an export when its database has a size; returns whether it was killed."""
    path = folder / "killed.db"
    path.unlink(missing_ok=True)
    child = subprocess.Popen(
        [cases.KTRACK, "export", "--sqlite=killed.db", "long.dat"], cwd=folder, stderr=subprocess.DEVNULL
    )
    while child.poll() is None and (not path.exists() or path.stat().st_size < size):
        time.sleep(0.001)
    child.send_signal(number)
    return process.wait(child) == -number


def check_killed(tap, folder):
    """After Ctrl-C or SIGKILL the database has all rows up to a commit."""
    for number in (signal.SIGINT, signal.SIGKILL):
        for size in (3 << 20, 9 << 20):
            was_killed = kill_at(folder, size, number)
            found = ask(folder / "killed.db", "PRAGMA integrity_check")
            rows = ask(folder / "killed.db", "SELECT count(*), max(id) - count(*) < 2, is_complete FROM slice, recording")
            is_whole = found == [("ok",)] and rows[0][0] > 0 and rows[0][1:] == (1, 0)
            tap.ok(was_killed and is_whole, f"{number.name} at {size >> 20} MiB", found, rows)
    _, wrong = cases.run(folder, "export", "--sqlite=killed.db", "long.dat")
    rows = ask(folder / "killed.db", "SELECT count(*), is_complete FROM slice, recording")
    tap.ok(not wrong and rows == [(200000, 1)], "the next run replaces it", *wrong, rows)
    left = [path.name for path in folder.glob("*-journal")]
    tap.ok(not left, "no journal is left", *left)


@tested
def main(tap):
    """All checks."""
    check_cases(tap)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_views(tap, folder)
        check_crossing(tap, folder)
        check_losses(tap, folder)
        check_replaced(tap, folder)
        check_refusals(tap, folder)
        check_killed(tap, folder)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: root writes nothing through links, FIFOs and folders that a user puts in its way, with sudo and without."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

CHOWN, DAC_OVERRIDE, FOWNER = 1 << 0, 1 << 1, 1 << 3
LINK = "symbolic links are not followed under sudo"

# Name of the attempt, status, words of its errors.
ATTEMPTS = (
    ("sticky-file", 1, "cannot open /sticky/file for writing: Permission denied"),
    ("sticky-html", 1, "cannot open /sticky/file for writing: Permission denied"),
    ("sticky-fifo", 1, "cannot open /sticky/fifo for writing: Permission denied"),
    ("sticky-settings", 1, "/sticky/file"),
    ("sticky-own", 0, ""),
    ("plain", 0, ""),
    ("link", 1, "x.dat.spool/formats: not a file of ktrack's"),
    # It is replaced, like the file whose place it took.
    ("fifo", 0, ""),
    ("hard", 0, ""),
    ("hardformats", 1, "x.dat.spool/formats: Permission denied"),
    ("folder", 0, ""),
    ("renewed", 1, LINK),
    ("sessions", 0, ""),
    ("killed", 0, ""),
    ("database", 0, "': met: "),
    ("exceeded", 4, "': exceeded: "),
    ("failing", 7, "': exceeded: "),
)


def check_kernel(tap, kernel):
    """All attempts on one kernel."""
    with machine.ran(kernel, "folders.sh", options=machine.SINGLE) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no file of root's was touched")
        for name, status, words in ATTEMPTS:
            errors = result.text(f"{name}.errors")
            found = result.text(f"{name}.status").strip()
            tap.ok(found == str(status) and words in errors, f"{kernel}: {name}: status {status}", found, errors)
        rights = int(result.text("rights").split()[1], 16)
        tap.ok(not rights & (CHOWN | DAC_OVERRIDE | FOWNER), f"{kernel}: a recorder behind sudo has no rights to files", hex(rights))
        owners = [result.text(f"{name}.owner").split() for name in ("plain", "killed")]
        tap.ok(owners == [["1000", "600"]] * 2, f"{kernel}: files are the user's", owners)
        tap.ok(result.text("folder.owner").strip() == "1000", f"{kernel}: also in a folder that moved")
        database = result.text("database.owner").split() + [result.text("database.rows").strip()]
        tap.ok(database == ["/h/database/s.db", "1000", "600", "1,1"], f"{kernel}: a database is the user's, without a journal", database)
        count, owner = result.text("sessions.count").split()
        tap.ok(int(count) > 2 and owner == "1000", f"{kernel}: sessions go on in the user's file", count, owner)


@tested
def main(tap):
    for kernel in machine.ONE_6_1:
        check_kernel(tap, kernel)

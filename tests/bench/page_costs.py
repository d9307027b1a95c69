# SPDX-License-Identifier: GPL-2.0-only
"""What the page for driver authors says that the kernel's macros cost."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "include/ktrack/ktrack-instrument.7"
TABLE = re.compile(r"^\.TS\nl r r r\.\n\t.*\n((?:.*\t.*\n)+)\.TE$", re.MULTILINE)
KERNELS = ("6.1", "6.12")

# The page's lines, and the bench's rows that each is about.
LINES = {
    "TRACE_EVENT of two ints": ("two_ints",),
    "begin or instant": ("begin", "instant"),
    "end": ("end",),
    "begin, scope and track name": ("scope_begin",),
    "end, scope and track name": ("scope_end",),
    "begin, async id": ("async_begin",),
    "begin, async id, flow and result": ("request_begin",),
    "end, async id, flow and result": ("request_end",),
    "counter": ("sample",),
    "counter, scope and track name": ("scope_sample",),
    "guard (begin and end)": ("guard", "work_guard"),
    "guard, scope and track name": ("scope_guard", "work_scope_guard"),
    "the same, with a copy": ("copy_guard",),
    "trace_printk(), same content": ("trace_printk",),
}


def words_of(line):
    """(what, disabled, recorded, bytes) of a line: lists of numbers, empty for "-"."""
    what, *cells = line.split("\t")
    return what, *([int(number) for number in re.findall(r"\d+", cell)] for cell in cells)


def lines():
    """The table: {what: (disabled, recorded, bytes)}."""
    found = TABLE.search(PAGE.read_text())
    return {what: cells for what, *cells in map(words_of, found[1].splitlines())} if found else {}

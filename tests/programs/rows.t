#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stream writes a program's slices that cross on two rows while it records; no time is lost by that."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "outputs")]

from programs import KTRACK, own_socket  # noqa: E402
from fxt import read_rows  # noqa: E402
from rows import CUT, compare, read_chrome, read_perfetto  # noqa: E402
from tap import tested  # noqa: E402

ROUNDS = 100
SOURCE = f"""\
#include <ktrack/user.h>
KTRACK_SLICE(rows_call);
KTRACK_SLICE(rows_request);
int main(void)
{{
	for (int i = 0; i < {ROUNDS}; i++) {{
		ktrack_begin(rows_call, "call");
		ktrack_begin(rows_request, "request");
		ktrack_instant(rows_request, "mark");
		ktrack_end(rows_call);
		ktrack_end(rows_request);
	}}
	return 0;
}}
"""


def check_stream(tap, folder, kind):
    """The totals of each file are those of EVENT; a track is cut once, or not at all."""
    environment = {name: value for name, value in os.environ.items() if "TRACE2" not in name}
    command = [KTRACK, "stream", "--programs", f"--rows={kind}", "--event=e", "--chrome=c", "--perfetto=p", "--fxt=f", "--", "./crossing"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    stream = Path(folder, "e").read_bytes()
    for file, read in (("c", read_chrome), ("p", read_perfetto), ("f", read_rows)):
        data = Path(folder, file).read_bytes()
        rows, names = read(data)
        pieces = [piece for row in rows.pieces.values() for piece in row]
        cut, nr_rows = sum(CUT in piece[4] for piece in pieces), sum(1 for row in rows.pieces.values() if row)
        tap.nothing(compare(stream, data, read), f"{read.__name__}: totals of rows by {kind}")
        expected = (1, 2, 2 * ROUNDS + 1) if kind == "thread" else (0, 2, 2 * ROUNDS)
        tap.ok((cut, nr_rows, len(pieces)) == expected, f"{read.__name__}: two rows by {kind}", cut, nr_rows, len(pieces), sorted(names.values()), done.stderr)


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        source = Path(folder, "crossing.c")
        source.write_text(SOURCE)
        subprocess.run(["gcc", f"-I{HERE.parents[1]}/include", "-o", Path(folder, "crossing"), source, "-pthread"], check=True)
        for kind in ("thread", "tracepoint"):
            check_stream(tap, folder, kind)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: one recording in each output, whole, is what golden/whole.OUTPUT.txt keeps; --update rewrites it.

The other tests of outputs compare what a file shows; this one shows what has changed in its bytes, such as a key or an order. A page
is compared without its scripts and styles. What deflate and SQLite make of bytes is read first: their versions write it in their way.
"""

import argparse
import base64
import difflib
import re
import sqlite3
import sys
import tempfile
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import cases  # noqa: E402
import process  # noqa: E402
from fxt import file_text  # noqa: E402
from tap import tested  # noqa: E402

SCRIPT = f"""
{(cases.GOLDEN / "demo-tracepoints.script").read_text()}
9us  500@0 ktrack_demo_submit track_event_type=I slice_name=mark scope_tgid=500 track_name=submit ktrack_demo_request=8
lost 1 20
12us 500@1 ktrack_demo_depth scope_queue=0 track_name=depth counter_value=2
"""
DATA = re.compile(r'<script type="text/plain" id="data">\n(.*?)</script>', re.DOTALL)
# The last word of these lines is deflated, unless it is -.
DEFLATED = re.compile(r"^([civx] .* )([A-Za-z0-9+/]+=*)$", re.MULTILINE)
# Where in ktrack's source an event is from.
PLACE = re.compile(r'"file":"[^"]+","line":[0-9]+|(?<=[ .])[a-z_/0-9]+\.c:[0-9]+')


def page_read(content):
    """The recording in a page."""
    lines = DATA.search(content.decode())[1]
    return DEFLATED.sub(lambda line: line[1] + zlib.decompress(base64.b64decode(line[2]), -zlib.MAX_WBITS).decode(), lines)


def database_read(content):
    """What a database has, as statements."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        return "\n".join(sqlite3.connect(file.name).iterdump())


def perfetto_read(content):
    """A trace as protoc shows it."""
    words = ["protoc", "--decode=Trace", f"--proto_path={HERE}", HERE / "perfetto.proto"]
    return process.run(words, input=content, capture_output=True, check=True).stdout.decode()


# output: how its file is read
FILES = {
    "event": bytes.decode,
    "perf": bytes.decode,
    "normal": bytes.decode,
    "chrome": bytes.decode,
    "perfetto": perfetto_read,
    "fxt": file_text,
    "html": page_read,
    "sqlite": database_read,
    "otlp": bytes.decode,
    "otlp-metrics": bytes.decode,
}
TABLES = {"stat": (), "stat.csv": ("--csv",), "stat.json": ("--json",)}


def outputs_make(folder):
    """The file of each output; returns what is wrong with the runs."""
    names = [f"--{output}=out.{output}" for output in FILES]
    _, wrong = cases.run(folder, "export", "--sid=golden", *names, "trace.dat")
    for name, words in TABLES.items():
        printed, more = cases.run(folder, "stat", *words, "trace.dat")
        wrong += more
        if printed:
            Path(folder, f"out.{name}").write_bytes(printed)
    return wrong


def check_output(tap, folder, name, read, is_updating):
    """One of them."""
    golden, version = HERE / "golden" / f"whole.{name}.txt", cases.run(folder, "--version")[0].decode().split()[1]
    found = PLACE.sub("PLACE", read(Path(folder, f"out.{name}").read_bytes())).replace(version, "VERSION")
    if is_updating:
        golden.write_text(found)
    expected = golden.read_text() if golden.exists() else ""
    changes = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", n=0, lineterm="")
    tap.nothing(list(changes), f"{name} is what it was")


@tested
def main(tap):
    """All checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="expect what comes out now")
    is_updating = parser.parse_args().update
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(SCRIPT, Path(folder, "trace.dat"))
        tap.nothing(outputs_make(folder), "the runs")
        for name, read in {**FILES, **dict.fromkeys(TABLES, bytes.decode)}.items():
            check_output(tap, folder, name, read, is_updating)

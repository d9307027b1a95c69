#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: outputs name the host and the labels of a recording; --label of export replaces labels of the same key."""

import json
import re
import sqlite3
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "outputs", "stream")]

import cases  # noqa: E402
from fxt import File  # noqa: E402
from perfetto import read_sequence  # noqa: E402
from reading.stream import read_plain  # noqa: E402
from tap import tested  # noqa: E402

HOSTILE = {"site": 'Zürich <"b">', "release": "", "a b": "\x1b[31m\ufffd=c"}
GIVEN = {"site": "</script><b>", "x": "1=2"}
WANTED = {**HOSTILE, **GIVEN}


def parameters(text):
    """The labels and the host in EVENT lines."""
    found = {one["param"]: one["value"] for one in read_plain(text) if one["event"] == "def_param"}
    return {key[len("label.") :]: value for key, value in found.items() if key.startswith("label.")}, found.get("host")


def check_same(tap, found, what):
    """Labels and the host of one output."""
    tap.ok(found == (WANTED, "golden"), what, found)


def check(tap, folder):
    """All outputs of one recording."""
    cases.make("labels", folder / "labels.dat")
    words = ["--label=site=</script><b>", "--label=x=1=2", "--event=e", "--chrome=c", "--html=h", "--sqlite=s", "--perf=p", "--perfetto=t", "--fxt=f"]
    cases.run(folder, "export", *words, "labels.dat")
    check_same(tap, parameters((folder / "e").read_text()), "EVENT")
    about = next(event["args"] for event in json.loads((folder / "c").read_text()) if event["name"] == "ktrack")
    check_same(tap, (about["labels"], about["host"]), "Chrome")
    with sqlite3.connect(folder / "s") as database:
        labels, host = database.execute("SELECT labels, host FROM recording").fetchone()
    check_same(tap, (json.loads(labels), host), "SQLite")
    tap.ok(re.search(r"def_param .*label\.x:1=2", (folder / "p").read_text()), "PERF", (folder / "p").read_text()[:2000])
    tap.ok("\x1b" not in (folder / "p").read_text(), "PERF has no control characters")
    about = read_sequence((folder / "t").read_bytes())[0].about[None]
    check_same(tap, ({key[len("label.") :]: value for key, value in about.items() if key.startswith("label.")}, about["host"]), "Perfetto")
    tap.ok(about["kernel"] == "6.12.0" and len(about["recording_id"]) == 16, "Perfetto: kernel and id", about)
    about = {name: value for event in File((folder / "f").read_bytes()).about for name, (_, value) in event["args"].items()}
    check_same(tap, ({key[len("label.") :]: value for key, value in about.items() if key.startswith("label.")}, about["host"]), "Fuchsia")
    recording, = re.findall(r'^r (\{.*\})$', (folder / "h").read_text(), re.MULTILINE)
    about = json.loads(recording)
    check_same(tap, (about["labels"], about["host"]), "page")
    tap.ok("</script><b>" not in (folder / "h").read_text(), "labels are no elements of the page")



@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        check(tap, Path(folder))

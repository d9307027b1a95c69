#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs with texts that mean something to readers, damaged rings, and withheld records: neither outputs nor other programs suffer."""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import KTRACK, Recorder, build, fired, own_socket  # noqa: E402
from tap import tested  # noqa: E402

NR_TEXTS = 16


def controls_in(text):
    """The characters that act on a terminal."""
    return sorted({letter for letter in text if letter != "\n" and (ord(letter) < 32 or 127 <= ord(letter) < 160 or letter in "\u202a\u202b\u202d\u202e")})


def run(folder, *words):
    """What a command prints, both outputs."""
    done = subprocess.run([KTRACK, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode(errors="replace")


def check_texts(tap, odd, folder):
    """Every output of a recording has them all, as texts."""
    run(folder, "record", "--programs", "-o", "odd.dat", "--", odd, "texts")
    printed = run(folder, "export", "--event=out.event", "--perf=out.perf", "--chrome=out.json", "--html=out.html", "--sqlite=out.db", "--perfetto=out.pf", "--fxt=out.fxt", "odd.dat")
    events = [json.loads(line) for line in (folder / "out.event").read_bytes().decode().splitlines()]
    labels = {event["label"] for event in events if event["event"] == "region_enter" and event["category"] == "prog:prog_client"}
    tap.ok(len(labels) == NR_TEXTS and printed == "", "EVENT lines have each", *sorted(labels), printed)
    tap.nothing(controls_in((folder / "out.perf").read_bytes().decode()), "PERF lines do nothing to a terminal")
    tap.ok(json.loads((folder / "out.json").read_bytes().decode()), "JSON for Chrome is JSON")
    page = (folder / "out.html").read_bytes()
    tap.ok(b"<script>alert" not in page and b"<img src" not in page, "the page has no element of theirs")
    rows = list(csv.reader(run(folder, "stat", "--csv", "odd.dat").split("\n")))
    tap.ok(len(rows) > NR_TEXTS and not [cell for row in rows for cell in row if cell[:1] in ("=", "@", "+")], "CSV has no formula", *rows[:3])
    run(folder, "stat", "--prometheus=out.prom", "odd.dat")
    metrics = (folder / "out.prom").read_bytes().decode().strip().split("\n")
    tap.ok(metrics and not [line for line in metrics if not line.startswith(("#", "ktrack_"))], "metrics have no line of theirs", *metrics[:3])


def check_damaged(tap, odd, load, folder):
    """One line names a program whose rings are damaged; another one loses nothing."""
    with Beside(odd, "damage", folder) as beside:
        output = subprocess.run([load, "2", "500", "1000"], stdout=subprocess.PIPE, text=True, check=True).stdout
        listed = run(folder, "list", "--programs")
        own = beside.stop()
    tap.ok("?]0;title? " in listed and not controls_in(listed), "the list of programs does nothing to a terminal", repr(listed))
    lines = [line for line in beside.messages.splitlines() if line.endswith("its rings are damaged; an unknown number of its records is lost")]
    tap.ok(len(lines) == 1 and not controls_in(beside.messages), "a program with damaged rings is named", repr(beside.messages))
    tap.ok(fired(output) == own > 0, "another one loses nothing", fired(output), own, beside.messages)


def check_withheld(tap, odd, load, folder):
    """Whoever withholds its records delays those of others, and they lose none."""
    with Beside(odd, "withhold", folder) as beside:
        output = subprocess.run([load, "2", "500", "200000"], stdout=subprocess.PIPE, text=True, check=True).stdout
        own = beside.stop()
    tap.ok(fired(output) == own > 0, "a program beside one that withholds records loses nothing", fired(output), own, beside.messages)


class Beside:
    """A recorder, and an odd program that it has."""

    def __init__(self, odd, kind, folder):
        self.recorder, self.messages = Recorder(folder, kind), ""
        self.process = subprocess.Popen([odd, kind], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def stop(self):
        """Ends the recorder; returns how many records of load it has."""
        events = self.recorder.stop()
        self.messages = self.recorder.messages
        return sum(event["event"] in ("region_enter", "region_leave") and event["category"] == "prog:prog_one" for event in events)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as name:
        own_socket(name)
        folder = Path(name)
        load, odd = build(folder), build(folder, "odd", source="odd.c")
        check_texts(tap, odd, folder)
        check_damaged(tap, odd, load, folder)
        check_withheld(tap, odd, load, folder)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the demo shows the way of the data, the first lines and the tracks, and keeps the stream."""

import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "stream", "vm")]

import machine  # noqa: E402
from contract import Batch  # noqa: E402
from tap import Tap  # noqa: E402

BATCH = Batch(20)


def is_in_order(words, text):
    """True where the words follow one another."""
    place = 0
    for word in words:
        place = text.find(word, place)
        if place < 0:
            return False
        place += len(word)
    return True


def main():
    tap = Tap()
    done = subprocess.run(
        [machine.PROJECT / "scripts/demo", str(BATCH.requests)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=machine.VM_LIMIT_S,
        check=False,
    )
    tap.ok(done.returncode == 0, "the demo ends well", done.returncode, done.stdout)
    way = ("ktrack_demo.ko", "tracepoints", "ring buffers", "ktrack stream", "stream.json")
    tap.ok(is_in_order(way, done.stdout), "it shows the way of the data", done.stdout)
    # A lane for each request in flight, and a track more where requests are completed on both CPUs.
    went = re.search(rf" {BATCH.records()} records on 1[1-5] tracks\n", done.stdout)
    tap.ok(went is not None, "and how much went it", done.stdout)
    lines = ('{"event":"version",', '{"event":"thread_start",', "\nTRACK ", "\nth11:")
    tap.ok(is_in_order(lines, done.stdout), "it shows lines and tracks", done.stdout)
    kept = machine.PROJECT / "build/demo"
    missing = [
        name
        for name in ("stream.json", "page.html", "tracks.txt", "tracepoints.txt")
        if not (kept / name).exists()
    ]
    tap.nothing(missing, "it keeps what came of it")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

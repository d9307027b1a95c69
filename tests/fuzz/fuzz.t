#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: fuzz targets read sound inputs, random changes of them, and all that was ever found, under the sanitizers.

The streams that the targets trace_dat and merge write keep all rules of the strict reader, tests/stream/reading/.
"""

import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "stream")]

import process  # noqa: E402
from reading.stream import check_lines, split_sessions  # noqa: E402
from tap import tested  # noqa: E402

# Target: how many changes of each seed; make check has a sixth of them.
PART = 1 if os.environ.get("KTRACK_FULL") else 6
CHANGES = {"trace_dat": 60, "format": 60, "record": 2000, "target_value": 200, "config": 500, "symbols": 500, "filter": 3000, "kallsyms": 1000, "rules": 300, "stack": 1000, "selector": 300, "elf": 2000, "budget": 1000, "request": 3000, "database": 100, "marker": 200, "userring": 3000, "described": 300, "batch": 5000, "zstd_frames": 500, "spool": 60, "append": 300, "merge": 60, "text": 1000}

# Targets that export, and the session id of their streams; None for any.
STREAMS = {"trace_dat": "fuzz", "merge": None}


def replay(target, changes, paths, stream=None):
    """What a target says to inputs; nothing where all is well. Those that export write to the stream."""
    command = [PROJECT / f"build/fuzz/replay-{target}", str(changes), *sorted(paths)]
    environment = {**os.environ, **({"FUZZ_STREAM": str(stream)} if stream else {})}
    done = process.run(command, cpu_s=300, cwd=PROJECT, env=environment, capture_output=True)
    said = done.stderr.decode(errors="replace").splitlines()
    return [f"status {done.returncode}; the input is in build/fuzz/last", *said[:20]] if done.returncode else []


def check_stream(tap, target, stream, least):
    """All that a target has exported keeps the rules of streams."""
    sessions = split_sessions(stream.read_bytes())
    wrong = []
    for lines in sessions:
        found = itertools.islice(check_lines(lines, STREAMS[target]), 3)
        wrong += [f"{rule}: {message}: {lines[min(number, len(lines)) - 1][:300]}" for number, rule, message in found]
    tap.ok(not wrong and len(sessions) > least, f"{target}: {len(sessions)} streams keep all rules", *wrong[:20])


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([HERE / "seeds", folder], check=True)
        for target, changes in CHANGES.items():
            changes = changes // PART
            seeds = list((Path(folder) / target).iterdir())
            stream = Path(folder, f"{target}.stream") if target in STREAMS else None
            tap.nothing(replay(target, changes, seeds, stream), f"{target}: {len(seeds)} inputs, {changes} changes of each")
            if stream:
                check_stream(tap, target, stream, len(seeds))
            found = list((HERE / "found" / target).glob("*"))
            tap.nothing(replay(target, 0, found), f"{target}: what was found before")

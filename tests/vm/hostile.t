#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: programs of another user that do their worst, all at once, cost the kernel and honest programs no record, and delay no end."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm", "programs")]

import machine  # noqa: E402
from programs import LEASED, PATIENCE, fired  # noqa: E402
from tap import tested  # noqa: E402

# The module writes six records a round on each of two CPUs: a thousand in a second. The program emits 100 pairs in two threads
# between its pauses.
SECONDS = machine.rounds(600, 3)
RATE, RECORDS_A_ROUND = 84, 12
PAUSE_US, PAIRS_A_PAUSE = 300000, 100
# Three seconds are all beginning: the first records that a signal leaves may be of thousands of new tracks, and the end takes 1 to 2.2 s.
END_MS = machine.rounds(2000, 4000)
NAMES = ("load", "siege", "odd", "hostile", "forge")


def programs(folder):
    """The options that bring all of them into the machine."""
    leased = Path(folder) / "leased.c"
    leased.write_text(LEASED)
    sources = [*(machine.PROJECT / f"tests/programs/{name}.c" for name in NAMES), leased]
    for source in sources:
        path = Path(folder) / source.stem
        words = ["gcc", "-O2", "-static", PATIENCE, f"-I{machine.PROJECT / 'include'}", "-pthread", "-o", path, source]
        subprocess.run(words, check=True)
        yield from ("--add", f"{path}:/{path.name}")


def check_stream(tap, kernel, result):
    """What was written, and what of it came out."""
    text = result.text("stream")
    arrived = {int(cpu): (int(records), int(last), int(breaks)) for cpu, records, last, breaks in re.findall(r"^cpu (\d+) records (\d+) first 1 last (\d+) breaks (\d+)$", text, re.MULTILINE)}
    wrote = {int(cpu): int(last) for cpu, last in re.findall(r"^cpu (\d+) fired \d+ sequence (\d+)$", result.text("stream.fired"), re.MULTILINE)}
    rounds = SECONDS * RATE
    tap.ok(sum(wrote.values()) == rounds * RECORDS_A_ROUND, f"{kernel}: the module wrote", wrote)
    tap.ok(arrived == {cpu: (last, last, 0) for cpu, last in wrote.items()}, f"{kernel}: each of its records came out, in order", wrote, arrived)
    losses = [line for line in text.splitlines() if line.startswith("{") and "on cpu" in line and "in buffer" not in line]
    tap.nothing(losses, f"{kernel}: the kernel lost nothing")
    counted = [int(number) for number in re.findall(r"^counted (\d+)$", text, re.MULTILINE)]
    honest = fired(result.text("honest"))
    tap.ok(counted == [honest] and honest > 0, f"{kernel}: each record of the honest program came out", honest, counted, text[:2000])
    took_ms = int(result.text("took_ms") or -1)
    tap.ok(0 <= took_ms <= END_MS, f"{kernel}: SIGTERM ended ktrack in {END_MS} ms", took_ms)
    tap.comment(f"{kernel}: {sum(wrote.values())} records of the module, {honest} of the program; the end took {took_ms} ms")
    tap.ok("programs were not recorded, or only in part: " in result.text("errors"), f"{kernel}: ktrack names programs that it did not record", result.text("errors"))


@tested
def main(tap):
    pauses = max(1, SECONDS * 1000000 // PAUSE_US * 2 // 3)
    with tempfile.TemporaryDirectory() as folder:
        options = (*machine.COUNTED, "--timeout", str(SECONDS * 12 + 600), *programs(folder), *machine.program(folder, "clocked"), *machine.program(folder, "yield"))
        for kernel in machine.ONE_6_12:
            arguments = (SECONDS * RATE, RATE, PAIRS_A_PAUSE * pauses, PAUSE_US)
            with machine.ran(kernel, "hostile.sh", *arguments, options=options) as result:
                machine.check_end(tap, kernel, result)
                tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
                check_stream(tap, kernel, result)

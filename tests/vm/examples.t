#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what README and the man pages show to be typed works, on a machine with the driver that the page for authors prints."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / part) for part in ("", "vm", "kernel", "cli")]

import blocks  # noqa: E402
import build  # noqa: E402
import machine  # noqa: E402
from tap import Tap  # noqa: E402

KERNEL = "6.12"
PROGRAMS = ("jq", "trace-cmd", "sort")
# The generic tracepoints need ktrack.ko's symbols: without them the driver is as the page prints it first.
NOT_BUILT = ("mydrv_probe.c",)
# make in README builds what the tests have built; its targets boot machines of their own.
TOO_MUCH = ("make demo", "make check")
# rt.t runs these on a kernel with the tracers.
OF_TRACERS = "current_tracer"
# What is watched until somebody ends it.
STOPPED = "ktrack stat --live"
STATUS_STOPPED = ("143", "124")
# The page records its driver's init: the label of a slice in it.
RECORDED_INIT, INIT_LABEL = "-- insmod mydrv.ko", '"label":"handle"'


def driver_build(tap, folder):
    """mydrv.ko."""
    folder.mkdir()
    for name, text in build.page_examples().items():
        if name not in NOT_BUILT:
            (folder / name).write_text(text)
    build.copy_headers(folder)
    built = build.make(build.headers(KERNEL), folder, "modules")
    tap.ok(built.status == 0, "the page's driver is a module", built.log[-2000:])
    return folder / "mydrv.ko"


def blocks_write(folder):
    """A file for each block; returns the blocks by the files' names."""
    folder.mkdir()
    found = [block for block in blocks.blocks("shell", "console") if block.text.strip() not in TOO_MUCH and OF_TRACERS not in block.text]
    named = {f"{number:02}": block for number, block in enumerate(found)}
    for name, block in named.items():
        (folder / name).write_text(blocks.commands_of(block))
    return named


def check_block(tap, block, status, log):
    """It ends well, or as it was made to end."""
    wanted = STATUS_STOPPED if STOPPED in block.text else ("0",)
    first = blocks.commands_of(block).splitlines()[0]
    tap.ok(status in wanted, f"{block.place} works: {first}", f"exit status {status}", log[-1500:])
    if RECORDED_INIT in block.text:
        tap.ok(INIT_LABEL in log, f"{block.place} records the init", log[-1500:])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        module = driver_build(tap, folder / "mydrv")
        named = blocks_write(folder / "blocks")
        tap.ok(len(named) >= 15, "there are blocks to run", len(named))
        added = [f"{module}", f"{folder / 'blocks'}:/blocks", *(f"/usr/bin/{name}:/usr/local/bin/{name}" for name in PROGRAMS)]
        options = [word for name in added for word in ("--add", name)]
        with machine.ran(KERNEL, "examples.sh", options=options) as result:
            machine.check_end(tap, KERNEL, result)
            status = dict(line.split() for line in result.output.splitlines() if len(line.split()) == 2)
            for name, block in named.items():
                check_block(tap, block, status.get(name), result.text(f"{name}.log"))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what the documents show to be typed works, on a machine with the driver that ktrack-instrument(7) prints."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / part) for part in ("", "vm", "kernel", "cli")]

import blocks  # noqa: E402
import build  # noqa: E402
import machine  # noqa: E402
from tap import tested  # noqa: E402

KERNEL = "6.12"
# busybox's shell would prefer its own programs.
PROGRAMS = ("bash", "jq", "trace-cmd", "sort", "patch")
# The generic tracepoints need ktrack.ko's symbols: without them the driver is as the page prints it first.
NOT_BUILT = ("mydrv_probe.c",)
PROGRAM_PAGE = blocks.PROJECT / "include/ktrack/ktrack-user.7"
# Blocks that do not run here, by what they contain, and why.
NOT_RUN = {
    "scripts/deps": "installs packages; tests/harness/install.t and tests/packages/debian.t run make install",
    "current_tracer": "tests/vm/rt.t runs it on a kernel with the tracers",
}
# Durations that are less here.
SHORTER = {"-d 8h": "-d 3", "-d 5": "-d 2"}
# What is watched until somebody ends it.
STOPPED = ("ktrack stat --live", "--serve")
STATUS_STOPPED = ("143", "124")
# What commands print: the reasons that tutorials explain, an initcall by name.
PRINTED = {
    "'syscalls:call/read@tail'": "woken by sort",
    "'relay:*/handle'": "in MUTEX, woken by kworker",
    "./initcall.rules --by-name": "_init ",
    "zcat trace.dat.gz": "ktrack_demo:",
}


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


def tutorial_build(tap, folder):
    """relay.ko of the tutorial, in a folder with what its reader writes."""
    files, driver = build.tutorial_examples(), folder / "finished"
    for name in ("reader", "finished"):
        (folder / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / name / file).write_text(text)
    done = subprocess.run(["patch", "-l", "relay.c", "relay.patch"], cwd=driver, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "the tutorial's patch applies", done.stdout)
    build.copy_headers(driver)
    built = build.make(build.headers(KERNEL), driver, "modules")
    tap.ok(built.status == 0, "the tutorial's driver is a module", built.log[-2000:])
    return driver / "relay.ko"


def program_build(tap, folder):
    """mytool, the program that ktrack-user(7) prints."""
    folder.mkdir()
    for name, text in re.findall(r'^\.\\" example (mytool\.[ch])\n\.EX\n(.*?)^\.EE$', PROGRAM_PAGE.read_text(), re.MULTILINE | re.DOTALL):
        (folder / name).write_text(text.replace("\\-", "-"))
    words = ["gcc", "-O2", f"-I{blocks.PROJECT / 'include'}", "-o", folder / "mytool", folder / "mytool.c"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "the page's program compiles", done.stderr[-2000:])
    return folder / "mytool"


def share_install(tap, folder):
    """share/ktrack of an installation."""
    words = ["make", "-s", "install", f"DESTDIR={folder}", "PREFIX=/usr", "KDIR=/nonexistent"]
    done = subprocess.run(words, cwd=blocks.PROJECT, capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0, "ktrack is installed", done.stderr[-2000:])
    return folder / "usr/share/ktrack"


def blocks_write(folder, found):
    """A file for each block; returns the blocks by the files' names, SERIES-NUMBER."""
    folder.mkdir()
    series = list(dict.fromkeys(block.series for block in found))
    named = {f"{series.index(block.series):02}-{number:02}": block for number, block in enumerate(found)}
    for name, block in named.items():
        text = blocks.commands_of(block)
        for long, short in SHORTER.items():
            text = text.replace(long, short)
        (folder / name).write_text(text)
    return named


def check_block(tap, block, status, log):
    """It ends well, or as it was made to end."""
    wanted = STATUS_STOPPED if any(words in block.text for words in STOPPED) else ("0",)
    first = blocks.commands_of(block).splitlines()[0]
    tap.ok(status in wanted, f"{block.place} works: {first}", f"exit status {status}", log[-1500:])
    for command, printed in PRINTED.items():
        if command in block.text:
            tap.ok(printed in log, f"{block.place} prints {printed}", log[-1500:])


def run_blocks(tap, folder, found, *arguments, options):
    """Runs blocks in a machine."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        named = blocks_write(Path(scratch) / "blocks", found)
        options = [*machine.SINGLE, *options, "--add", f"{scratch}/blocks:/blocks"]
        with machine.ran(KERNEL, "examples.sh", *arguments, options=options) as result:
            machine.check_end(tap, KERNEL, result)
            status = dict(line.split() for line in result.output.splitlines() if len(line.split()) == 2)
            for name, block in named.items():
                check_block(tap, block, status.get(name), result.text(f"{name}.log"))


@tested
def main(tap):
    shown = [block for block in blocks.blocks("shell", "console") if not any(words in block.text for words in NOT_RUN)]
    # Others have tests of their own, without commands that follow: tests/vm/persistent.t.
    boot = {block.series: block.text.strip() for block in blocks.blocks("parameters") if block.series in {other.series for other in shown}}
    tap.ok(len(shown) >= 40 and len(boot) == 1, "there are blocks to run", len(shown), *boot)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        module, relay = driver_build(tap, folder / "mydrv"), tutorial_build(tap, folder / "tutorial")
        share, program = share_install(tap, folder / "installed"), program_build(tap, folder / "program")
        added = [module, relay, f"{program}:/mytool", f"{folder / 'tutorial/reader'}:/tutorial", f"{share}:/usr/share/ktrack"]
        added += [f"/usr/bin/{name}:/usr/local/bin/{name}" for name in PROGRAMS]
        options = [word for name in added for word in ("--add", name)]
        running = [block for block in shown if block.series not in boot]
        run_blocks(tap, folder, running, options=options)
        for series, words in boot.items():
            found = [block for block in shown if block.series == series]
            run_blocks(tap, folder, found, "boot", options=[*options, "--append", words])

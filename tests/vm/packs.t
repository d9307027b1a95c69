#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each pack has slices of real work, as many as the work makes, and rules follow modules that are loaded and unloaded."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from rule_stream import Stream, check_pairs  # noqa: E402
from tap import tested  # noqa: E402

NR_FILES, NR_PINGS, NR_ROUNDS = 5, 200, 2
PACKS = ("workqueue", "locks", "net", "memory", "fs", "timers", "writeback", "bio")
RULES = (
    "workqueue:work", "locks:contention", "net:receive", "net:transmit", "net:poll", "memory:reclaim", "memory:compaction", "memory:fault",
    "fs:ext4", "fs:journal_commit", "writeback:flush", "timers:armed", "timers:expired", "bio:io",
)


def check_work(tap, what, stream, ping):
    """As many slices as the work made."""
    ext4, sent = stream.labels("fs:ext4"), re.search(r"(\d+) packets transmitted", ping)
    tap.ok(ext4["sync file"] == NR_FILES, f"{what}: a slice for each fsync", ext4)
    tap.ok(ext4["unlink"] == NR_FILES, f"{what}: a slice for each file that is removed", ext4)
    tap.ok(stream.labels("fs:journal_commit").total() >= NR_FILES, f"{what}: a commit for each fsync")
    transmitted = stream.labels("net:transmit")["lo"]
    tap.ok(sent and int(sent[1]) == NR_PINGS, f"{what}: all packets of the flood are sent", ping)
    tap.ok(transmitted == 2 * NR_PINGS, f"{what}: a slice for each packet and each reply", transmitted)
    tap.ok(stream.labels("net:receive")["rx lo"] == 2 * NR_PINGS, f"{what}: and for its reception", stream.labels("net:receive"))
    names = [name for name in stream.labels("workqueue:work") if re.fullmatch(r"\w+(\.\w+)*", name) and not name.startswith("0x")]
    tap.ok(names, f"{what}: work items have names of functions", stream.labels("workqueue:work"))
    tap.nothing([error for error in stream.errors if "lost" not in error], f"{what}: no errors")


def check_rounds(tap, what, result):
    """The module was loaded, used and unloaded several times."""
    stream = Stream(result.text("rounds.json"))
    ext4 = stream.labels("fs:ext4")
    for label in ("sync file", "unlink"):
        tap.ok(0 < ext4[label] <= NR_ROUNDS * NR_FILES, f"{what}: modules are loaded and unloaded: {label}", ext4)
    states = [recorded for tracepoint, recorded in stream.recorded if tracepoint == "ext4:ext4_unlink_enter"]
    tap.ok(states == ["from_now", "until_now"] * NR_ROUNDS, f"{what}: modules are loaded and unloaded: the stream reports it", states, result.text("rounds.errors"))


def check_kernel(tap, kernel, folder, image):
    """All of it on one kernel."""
    modules = [option for path in sorted((folder / "more").iterdir()) for option in ("--add", f"{path}:/more/{path.name}")]
    options = (*modules, "--add", f"{image}:/disk.image")
    with machine.ran(kernel, "packs.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        result.attempt("export", "ktrack", "export", "--include-self", "-r", ",".join(PACKS), "--event=packs.json", "packs.dat")
        for name in ("record", "export"):
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        stream = Stream(result.text("packs.json"))
        check_pairs(tap, kernel, stream, result.report("packs"), PACKS, RULES)
        check_work(tap, kernel, stream, result.text("ping"))
        check_rounds(tap, kernel, result)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as name:
        image = Path(name) / "disk.image"
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "1024", image, "16M"], check=True)
        for kernel in machine.KERNELS:
            folder = machine.kernel_folder(kernel)
            if (folder / "more/ext4.ko").exists():
                check_kernel(tap, kernel, folder, image)
            else:
                tap.skip(f"{kernel}: packs", "no ext4.ko; remove build/vm, and it is fetched again")

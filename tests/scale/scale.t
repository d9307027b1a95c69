#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: export's memory stays flat, however many records, tracks or names a file has."""

import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests")]

from tap import Tap  # noqa: E402

MKTRACE = PROJECT / "tests/golden/mktrace"
KTRACK = PROJECT / "build/ktrack"
LIMIT_KIB = 32 * 1024
PAGE = 4096

EVENT = "event demo:io 100 char track_event_type; string slice_name; u32 scope_slot; u32 bytes\n"

# A hundred thousand records, which are copied a hundred times.
BASE_ROUNDS, COPIES = 25000, 100
BASE = (
    EVENT
    + f"repeat {BASE_ROUNDS}\n"
    + "+100 7@0 io B read 1 4096\n+100 8@1 io B write 2 512\n+100 8@1 io E write 2 512\n+100 7@0 io E read 1 4096\nend\n"
)
TRACKS = EVENT + "repeat 100000\n+10 7@0 io B read $i 1\n+10 7@0 io E read $i 1\nend\n"
THREADS = "event demo:io 100 char track_event_type; string slice_name\nrepeat 100000\n+10 $i@0 io B read\n+10 $i@0 io E read\nend\n"
NAMES = EVENT + 'repeat 1000000\n+10 7@0 io B "read $i" 1 1\n+10 7@0 io E "" 1 1\nend\n'


def make(folder, name, script, *settings):
    """A trace.dat out of a script."""
    path = folder / f"{name}.dat"
    options = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([MKTRACE, *options, "-", path], input=script.encode(), check=True)
    return path


def cpu_places(data):
    """Where each CPU's sub-buffers are: behind the last "flyrecord" of a version 6 file."""
    at = data.rindex(b"flyrecord\0") + len(b"flyrecord\0")
    return at, [struct.unpack_from("<QQ", data, at + 16 * cpu) for cpu in range(2)]


def shifted(data, place, time_ns):
    """A CPU's sub-buffers, so much later."""
    offset, size = place
    pages = bytearray(data[offset : offset + size])
    for page in range(0, size, PAGE):
        (stamp,) = struct.unpack_from("<Q", pages, page)
        struct.pack_into("<Q", pages, page, stamp + time_ns)
    return pages


def multiply(path, copies, span_ns):
    """The same records again and again, each time later."""
    data = path.read_bytes()
    table, places = cpu_places(data)
    head = bytearray(data[: places[0][0]])
    offset = len(head)
    for cpu, (_, size) in enumerate(places):
        struct.pack_into("<QQ", head, table + 16 * cpu, offset, size * copies)
        offset += size * copies
    with open(path, "wb") as out:
        out.write(head)
        for place in places:
            for copy in range(copies):
                out.write(shifted(data, place, copy * span_ns))


def export(path):
    """Exports a file; returns status, number of lines, largest memory in KiB."""
    with open("/dev/null", "rb") as nothing:
        counter = subprocess.Popen(["wc", "-l"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child = subprocess.Popen([KTRACK, "export", path], stdin=nothing, stdout=counter.stdin)
        counter.stdin.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        lines = int(counter.stdout.read())
        counter.wait()
    return child.returncode, lines, usage.ru_maxrss


def check(tap, what, path, nr_records):
    """One file."""
    status, lines, size_kib = export(path)
    tap.ok(status == 0 and lines >= nr_records, f"{what}: {nr_records} records are exported", status, lines)
    tap.ok(size_kib <= LIMIT_KIB, f"{what}: in no more than 32 MiB", f"{size_kib} KiB")
    tap.comment(f"{what}: {size_kib} KiB")
    path.unlink()


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        many = make(folder, "many", BASE, "version=6")
        multiply(many, COPIES, BASE_ROUNDS * 400)
        check(tap, "ten million records", many, 4 * BASE_ROUNDS * COPIES)
        check(tap, "compressed", make(folder, "zstd", BASE, "version=7", "compression=zstd"), 4 * BASE_ROUNDS)
        check(tap, "a hundred thousand tracks", make(folder, "tracks", TRACKS), 200000)
        check(tap, "a hundred thousand threads", make(folder, "threads", THREADS), 200000)
        check(tap, "a million names", make(folder, "names", NAMES), 2000000)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: export's memory stays flat and its time linear, however many records, tracks, names or open slices a file has."""

import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests")]

from tap import tested  # noqa: E402

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

# Slices that never end: each on a track of its own, all on one track, and under names that are not kept.
OPEN_TRACKS = EVENT + "repeat 200000\n+10 7@0 io B read $i 1\nend\n"
OPEN_NESTED = EVENT + "repeat 1200000\n+10 7@0 io B read 1 1\nend\n"
OPEN_NAMES = EVENT + f'repeat 10000\n+10 7@0 io B "$i{"x" * 3000}" $i%200 1\nend\n'
TIMERS = EVENT + "repeat 300000\n+10 7@0 io B $i%1000 $i%301 1\n+10 7@0 io E $i%1000 $i%301 1\nend\n"
MAX_TRACKS, TRACK_SIZE = 20480, 256

# Numbers of threads that came beside each other in a table whose hash was their product with this, without a seed.
MULTIPLIER = 0x9E3779B97F4A7C15
COLLIDING = 40000


def colliding(count):
    """Begins by so many threads whose numbers collide."""
    inverse = pow(MULTIPLIER, -1, 1 << 36)
    tids = filter(lambda tid: 0 < tid < 1 << 31, (i * inverse % (1 << 36) for i in range(1 << 30)))
    lines = (f"+10 {next(tids)}@0 io B read" for _ in range(count))
    return "event demo:io 100 char track_event_type; string slice_name\n" + "\n".join(lines) + "\n"


def tracepoints(count):
    """So many tracepoints, and a record of the first and of the last."""
    lines = [f"event d:e{i} {i} u8 counter_value; u8 f{i}" for i in range(count)]
    return "\n".join([*lines, "1us 7@0 e0 1 2", f"2us 7@0 e{count - 1} 1 2"]) + "\n"


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
        (timestamp,) = struct.unpack_from("<Q", pages, page)
        struct.pack_into("<Q", pages, page, timestamp + time_ns)
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
    return child.returncode, lines, usage.ru_maxrss, usage.ru_utime


def check(tap, what, path, nr_records, limit_kib=LIMIT_KIB):
    """One file."""
    status, lines, size_kib, _ = export(path)
    tap.ok(status == 0 and lines >= nr_records, f"{what}: {nr_records} records are exported", status, lines)
    tap.ok(size_kib <= limit_kib, f"{what}: in no more than {limit_kib / 1024:.0f} MiB", f"{size_kib} KiB")
    tap.comment(f"{what}: {size_kib} KiB")
    path.unlink()


def check_large(tap, path):
    """A text that becomes larger than 1 GB is announced while it is small."""
    target = path.with_name("large.event")
    with subprocess.Popen([KTRACK, "export", f"--event={target}", path], stderr=subprocess.PIPE, text=True) as child:
        line = next((line for line in child.stderr if "grows to" in line), "")
        size = target.stat().st_size
        child.terminate()
    tap.ok(f"{target}: grows to about 2." in line and f"write --event={target}.zst" in line, "a large text is announced", line)
    tap.ok(size < 200e6, "it is small then", size)
    target.unlink()


def check_open(tap, folder):
    """Slices that never end."""
    limit_kib = LIMIT_KIB + MAX_TRACKS * TRACK_SIZE // 1024
    check(tap, "200000 open tracks", make(folder, "open", OPEN_TRACKS), 400000, limit_kib)
    check(tap, "1200000 nested slices", make(folder, "nested", OPEN_NESTED), 2400000)
    check(tap, "10000 long names", make(folder, "long", OPEN_NAMES), 20000)
    check(tap, "300000 timers", make(folder, "timers", TIMERS), 600000)


def check_collisions(tap, folder):
    """Twice as many threads take about twice as long."""
    times = []
    for count in (COLLIDING // 2, COLLIDING):
        path = make(folder, "colliding", colliding(count))
        status, _, _, seconds = min((export(path) for _ in range(3)), key=lambda one: one[3])
        times.append(seconds)
        tap.ok(status == 0, f"{count} threads with colliding numbers are exported")
    # What is quadratic takes four times as long, or eight where caches are too small.
    tap.ok(times[1] < 3.5 * times[0] + 0.1, "their time is linear", times)


def check_tracepoints(tap, folder):
    """More tracepoints than are kept: the first ones are, within the memory that there is."""
    path = make(folder, "tracepoints", tracepoints(60000))
    _, lines, size_kib, seconds = export(path)
    tap.ok(lines > 10 and size_kib <= LIMIT_KIB, "60000 tracepoints: in no more than 32 MiB", f"{size_kib} KiB")
    tap.ok(seconds < 5, "60000 tracepoints: in no time", f"{seconds} s")


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        many = make(folder, "many", BASE, "version=6")
        multiply(many, COPIES, BASE_ROUNDS * 400)
        check_large(tap, many)
        check(tap, "ten million records", many, 4 * BASE_ROUNDS * COPIES)
        check(tap, "compressed", make(folder, "zstd", BASE, "version=7", "compression=zstd"), 4 * BASE_ROUNDS)
        check(tap, "a hundred thousand tracks", make(folder, "tracks", TRACKS), 200000)
        check(tap, "a hundred thousand threads", make(folder, "threads", THREADS), 200000)
        check(tap, "a million names", make(folder, "names", NAMES), 2000000)
        check_open(tap, folder)
        check_collisions(tap, folder)
        check_tracepoints(tap, folder)

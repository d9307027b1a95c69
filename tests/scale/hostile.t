#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: small trace.dat files that decompress to gigabytes, or state millions of parts, take little memory and time."""

import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests")]

from tap import tested  # noqa: E402

KTRACK = PROJECT / "build/ktrack"
LIMIT_KIB = 32 * 1024
CPU_KIB = 64
SECONDS = 20
MIB = 1 << 20
PAGE = 4096

END, STATISTICS, BUFFER, WRITER, LAYOUT, FORMATS = 0, 2, 3, 9, 16, 18
SLICE = [("char track_event_type", 8, 1), ("__data_loc char[] slice_name", 12, 4)]


def tracepoint(name, number, fields):
    """The text of a format."""
    common = [("unsigned short common_type", 0, 2), ("int common_pid", 4, 4)]
    lines = [
        [f"\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:0;" for field, offset, size in rows]
        for rows in (common, fields)
    ]
    head = [f"name: {name}", f"ID: {number}", "format:"]
    return "\n".join([*head, *lines[0], "", *lines[1], "", 'print fmt: ""', ""]).encode()


def slice_record(kind, name, number=100):
    """A record of SLICE."""
    text = name + b"\0"
    return struct.pack("<HxxiB3xI", number, 7, kind, len(text) << 16 | 16) + text


def sub_buffer(time_ns, records, size=PAGE):
    """One page of the ring buffer, each record a nanosecond after the last."""
    data = bytearray()
    for record in records:
        record += bytes(-len(record) % 4)
        if len(record) <= 112:
            data += struct.pack("<I", 1 << 5 | len(record) // 4) + record
        else:
            data += struct.pack("<II", 1 << 5, len(record) + 4) + record
    return struct.pack("<QQ", time_ns, len(data)) + data + bytes(size - 16 - len(data))


def one_slice(size=PAGE):
    """A page with a single slice."""
    return sub_buffer(1000, [slice_record(ord("B"), b"work"), slice_record(ord("E"), b"")], size)


def zstd_compress(data):
    """As zlib.compress()."""
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def packed(data, compress=zlib.compress):
    """Both sizes and the compressed bytes."""
    small = compress(data)
    return struct.pack("<II", len(small), len(data)) + small


class Bomb:
    """A version 7 file, with compressed sections, of one tracepoint at least."""

    def __init__(self, path, page=PAGE, fields=(), codec=b"zlib"):
        self.path, self.page = path, page
        self.compress = zlib.compress if codec == b"zlib" else zstd_compress
        self.out = bytearray(b"\x17\x08Dtracing7\0\0\x08" + struct.pack("<I", page) + codec + b"\x001\0")
        self.first = len(self.out)
        self.out += bytes(8)
        rows = [("u64 timestamp", 0, 8), ("local_t commit", 8, 8), ("char data", 16, page - 16)]
        text = "".join(f"\tfield: {name};\toffset:{at};\tsize:{size};\tsigned:0;\n" for name, at, size in rows).encode()
        layout = b"header_page\0" + struct.pack("<Q", len(text)) + text + b"header_event\0" + struct.pack("<Q", 1) + b"-"
        body = tracepoint("io", 100, [*SLICE, *fields])
        formats = struct.pack("<I", 1) + b"demo\0" + struct.pack("<IQ", 1, len(body)) + body
        self.options = [self.part(LAYOUT, layout), self.part(FORMATS, formats)]

    def section(self, number, data, compressed=True):
        """Adds a section; returns where it is."""
        place = len(self.out)
        data = packed(data, self.compress) if compressed else data
        self.out += struct.pack("<HHIQ", number, compressed, 0, len(data)) + data
        return place

    @staticmethod
    def option(number, data):
        """The bytes of an option."""
        return struct.pack("<HI", number, len(data)) + data

    def part(self, number, data):
        """A section, and the option that names it."""
        return self.option(number, struct.pack("<Q", self.section(number, data)))

    def buffer(self, areas, name=b"", compressed=False):
        """A buffer out of (cpu, bytes); a compressed area's size leaves out the number of its chunks."""
        place = len(self.out)
        self.out += struct.pack("<HHIQ", BUFFER, compressed, 0, 0)
        rows = b""
        for cpu, data in areas:
            rows += struct.pack("<IQQ", cpu, len(self.out), len(data) - (4 if compressed else 0))
            self.out += data
        return self.row_option(place, name, rows)

    def row_option(self, place, name, rows):
        """A buffer's option."""
        head = struct.pack("<Q", place) + name + b"\0boot\0" + struct.pack("<II", self.page, len(rows) // 20)
        return self.option(BUFFER, head + rows)

    def done(self, following=0):
        """Writes the last section of options, then the file."""
        place = self.section(END, b"".join(self.options) + self.option(END, struct.pack("<Q", following)))
        self.finish(place)

    def finish(self, place):
        """Writes the file, whose options begin at a place."""
        struct.pack_into("<Q", self.out, self.first, place)
        self.path.write_bytes(self.out)


def chunks_of_cpus(path, nr_cpus=100):
    """Each CPU has a chunk of 16 MiB, all of which are due at once."""
    bomb = Bomb(path)
    area = struct.pack("<I", 1) + packed(one_slice() + bytes(16 * MIB - PAGE))
    bomb.options.append(bomb.buffer([(cpu, area) for cpu in range(nr_cpus)], compressed=True))
    bomb.done()


def chunks_in_turn(path, nr_cpus=10):
    """The same, with records in all sub-buffers, so that CPUs take turns: no chunk is decompressed without end."""
    bomb = Bomb(path)
    area = struct.pack("<I", 1) + packed(
        b"".join(sub_buffer(1000 * number, [slice_record(ord("I"), b"")]) for number in range(4096))
    )
    bomb.options.append(bomb.buffer([(cpu, area) for cpu in range(nr_cpus)], compressed=True))
    bomb.done()


def chunks_in_a_row(path, nr_chunks=150):
    """One CPU has many chunks, most of whose pages are without records."""
    bomb = Bomb(path)
    chunk = packed(one_slice() + sub_buffer(1000, []) * (16 * MIB // PAGE - 1))
    bomb.options.append(bomb.buffer([(0, struct.pack("<I", nr_chunks) + chunk * nr_chunks)], compressed=True))
    bomb.done()


def small_chunks_in_a_row(path, nr_chunks=1000):
    """The same of zeros with another codec, which takes a ten thousandth of their size for them."""
    bomb = Bomb(path, codec=b"zstd")
    chunk = packed(one_slice() + bytes(16 * MIB - PAGE), zstd_compress)
    bomb.options.append(bomb.buffer([(0, struct.pack("<I", nr_chunks) + chunk * nr_chunks)], compressed=True))
    bomb.done()


def statistics_sections(path, nr_sections=128):
    """Many sections of options, each with 16 MiB of statistics."""
    bomb = Bomb(path)
    bomb.options.append(bomb.buffer([(0, one_slice())]))
    place = bomb.section(END, b"".join(bomb.options) + bomb.option(END, bytes(8)))
    big = bomb.option(STATISTICS, b"A" * (16 * MIB - 64))
    for _ in range(nr_sections):
        place = bomb.section(END, big + bomb.option(END, struct.pack("<Q", place)))
    bomb.finish(place)


def statistics_rows(path, nr_rows=700000):
    """As many statistics of CPUs, and CPUs without records."""
    bomb = Bomb(path)
    bomb.options.append(bomb.option(STATISTICS, b"CPU: 1\n" * nr_rows))
    bomb.options.append(bomb.buffer([(0, one_slice())]))
    place = len(bomb.out)
    bomb.out += struct.pack("<HHIQ", BUFFER, 0, 0, 0)
    rows = bomb.section(END, bomb.row_option(place, b"x", struct.pack("<IQQ", 5, 0, 0) * nr_rows) + bomb.option(END, bytes(8)))
    bomb.done(rows)


def buffers_without_records(path, nr_buffers=400000):
    """As many buffers that name one section."""
    bomb = Bomb(path)
    bomb.options.append(bomb.buffer([(0, one_slice())]))
    place = len(bomb.out)
    bomb.out += struct.pack("<HHIQ", BUFFER, 0, 0, 0)
    bomb.options += [bomb.row_option(place, b"", b"")] * nr_buffers
    bomb.done()


def areas_beyond_the_end(path, nr_rows=500000):
    """As many CPUs whose records are not there."""
    bomb = Bomb(path)
    bomb.options.append(bomb.buffer([(0, one_slice())]))
    place = len(bomb.out)
    bomb.out += struct.pack("<HHIQ", BUFFER, 0, 0, 0)
    for number in range(nr_rows // 50000):
        rows = b"".join(struct.pack("<IQQ", cpu, 1 << 40, PAGE) for cpu in range(50000))
        bomb.options.append(bomb.row_option(place, b"%d" % number, rows))
    bomb.done()


def texts_of_one_place(path, nr_fields=1000):
    """As many fields whose text is one and the same of 60 KiB."""
    fields = [(f"__data_loc char[] f{number}", 12, 4) for number in range(nr_fields)]
    bomb = Bomb(path, page=65536, fields=fields)
    record = slice_record(ord("I"), b"\1" * 60000)
    bomb.options.append(bomb.buffer([(0, b"".join(sub_buffer(1000 * at, [record], 65536) for at in range(100)))]))
    bomb.done()


def streams(path, nr_buffers=200, nr_cpus=400):
    """Many CPUs in many buffers, all of which have one small page: more than are read."""
    bomb = Bomb(path, page=64)
    for number in range(nr_buffers):
        areas = [(cpu, sub_buffer(1000, [slice_record(ord("I"), b"w")], 64)) for cpu in range(nr_cpus)]
        bomb.options.append(bomb.buffer(areas, b"b%d" % number))
    bomb.done()


def tracks_of_long_names(path, nr_tracks=10000):
    """An instant, or a begin without an end, on each track; outputs have several copies of a name."""
    bomb = Bomb(path, fields=[("__data_loc char[] track_name", 16, 4)])
    pages = []
    for number in range(nr_tracks):
        name = b"%d" % number + b"y" * 3900 + b"\0"
        head = struct.pack("<HxxiB3xII", 100, 7, b"IB"[number % 2], 2 << 16 | 20, len(name) << 16 | 22)
        pages.append(sub_buffer(1000 * number + 1000, [head + b"w\0" + name]))
    bomb.options.append(bomb.buffer([(0, b"".join(pages))]))
    bomb.done()


def rules_of_many_tracepoints(path, nr_formats=25000, nr_rules=20):
    """A file of ktrack's with rules of its own, each of which uses all of many tracepoints."""
    bomb = Bomb(path)
    formats = [tracepoint(f"e{number}", 200 + number, [("int a", 8, 4), ("u64 b", 16, 8)]) for number in range(nr_formats)]
    rows = b"".join(struct.pack("<Q", len(text)) + text for text in [tracepoint("io", 100, SLICE), *formats])
    bomb.options[1] = bomb.part(FORMATS, struct.pack("<I", 1) + b"demo\0" + struct.pack("<I", nr_formats + 1) + rows)
    rules = b"".join(b"instant m:r%d event=demo:*\n" % number for number in range(nr_rules))
    bomb.options += [bomb.option(WRITER, b"ktrack 0.2.0 thread 1\n" + rules), bomb.buffer([(0, one_slice())])]
    bomb.done()


# Whether it is damage, and how many CPUs have data.
BOMBS = (
    (chunks_of_cpus, 0, 100),
    (chunks_in_turn, 1, 10),
    (chunks_in_a_row, 0, 1),
    (small_chunks_in_a_row, 1, 1),
    (statistics_sections, 0, 1),
    (statistics_rows, 1, 1),
    (buffers_without_records, 1, 1),
    (areas_beyond_the_end, 1, 1),
    (texts_of_one_place, 0, 1),
    (streams, 1, 512),
    (tracks_of_long_names, 0, 1),
    (rules_of_many_tracepoints, 1, 1),
)


def made(make, path):
    """Makes a file in a process of its own, whose memory the exporter's would be counted with."""
    child = os.fork()
    if child == 0:
        make(path)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def export(path, command=("export", "--wall-clock=0")):
    """Runs a command on a file; returns status, CPU seconds, largest memory in KiB, size of the output, and what is on standard error."""
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen([KTRACK, *command, path], stdout=subprocess.PIPE, stderr=errors) as child:
            size = 0
            while part := child.stdout.read(MIB):
                size += len(part)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        seconds = usage.ru_utime + usage.ru_stime
        return child.returncode, seconds, usage.ru_maxrss, size, errors.read().decode()


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bomb.dat"
        for make, want, nr_cpus in BOMBS:
            tap.ok(made(make, path), f"{make.__name__}: made")
            begin = time.monotonic()
            status, seconds, size_kib, size, errors = export(path)
            what = make.__name__.replace("_", " ")
            limit_kib = LIMIT_KIB + CPU_KIB * (nr_cpus if nr_cpus > 1 else 0)
            tap.ok(status == want and size > 0, f"{what}: status {want}", status, errors)
            tap.ok(bool(errors) == bool(want), f"{what}: {'damage' if want else 'nothing'} is reported", errors)
            tap.ok(size_kib <= limit_kib, f"{what}: in no more than {limit_kib} KiB", f"{size_kib} KiB")
            tap.ok(seconds <= SECONDS, f"{what}: in no more than {SECONDS} s of CPU", f"{seconds:.1f} s")
            if make is tracks_of_long_names:
                status, _, size_kib, _, _ = export(path, ("stat",))
                tap.ok(status == 0 and size_kib <= limit_kib, f"{what}: stat takes no more either", status, f"{size_kib} KiB")
            elapsed = time.monotonic() - begin
            tap.comment(f"{what}: {path.stat().st_size} bytes, {size_kib} KiB, {seconds:.2f} s of CPU, {elapsed:.1f} s")

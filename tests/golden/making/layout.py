# SPDX-License-Identifier: GPL-2.0-only
"""The file around the sub-buffers: trace.dat, version 6 and 7."""

import shutil
import subprocess
import zlib

from making.words import Trouble

MAGIC = b"\x17\x08\x44tracing"
CHUNK_PAGES = 10
COPY_SIZE = 1 << 20

# Options of both versions, and those of version 7 that name a section, which has the same number.
DATE, CPUSTAT, BUFFER, CLOCK, UNAME, CPU_COUNT, TRACE_ID, VERSION, SHIFT, TSC = 1, 2, 3, 4, 5, 8, 11, 9, 12, 14
HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, PRINTK, CMDLINES = range(16, 22)

HEADER_EVENT = b"""# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""


def compress_zstd(data):
    """As the command does; it does not report the size of piped input."""
    command = ["zstd", "-q", "-c", "--no-check"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


# name: (version, function)
COMPRESSIONS = {
    "none": (b"", None),
    "zlib": (b"1.2.13", zlib.compress),
    "zstd": (b"1.5.4", compress_zstd),
}


class Writer:
    """Writes numbers in the order of the traced machine."""

    def __init__(self, out, trace):
        self.out, self.trace = out, trace
        self.order = trace.layout.order

    def number(self, number, size):
        """So many bytes of an integer."""
        return number.to_bytes(size, self.order)

    def signed(self, number, size):
        """The same of one that may be negative."""
        return number.to_bytes(size, self.order, signed=True)

    def sized(self, data):
        """Bytes behind their number, which has 8 bytes."""
        return self.number(len(data), 8) + data

    def align(self):
        """Zeros up to the next sub-buffer."""
        page = self.trace.layout.page_size
        self.out.write(bytes(-self.out.tell() % page))

    def initial(self, version):
        """What every file begins with."""
        layout = self.trace.layout
        flags = bytes([layout.order == "big", layout.long_size])
        self.out.write(MAGIC + version + b"\0" + flags + self.number(layout.page_size, 4))

    def header_info(self):
        """How sub-buffers and entries look."""
        layout = self.trace.layout
        long_size, start = layout.long_size, layout.header_size
        rows = (
            ("u64 timestamp", 0, 8, 0),
            ("local_t commit", 8, long_size, 1),
            ("int overwrite", 8, 1, 1),
            ("char data", start, layout.page_size - start, 1),
        )
        page = "".join(
            f"\tfield: {name};\toffset:{offset};\tsize:{size};\tsigned:{is_signed};\n"
            for name, offset, size, is_signed in rows
        ).encode()
        return b"header_page\0" + self.sized(page) + b"header_event\0" + self.sized(HEADER_EVENT)

    def formats(self):
        """All events, by system."""
        systems = {}
        for event in self.trace.events:
            systems.setdefault(event.system, []).append(self.sized(event.text))
        parts = [self.number(len(systems), 4)]
        for system, texts in systems.items():
            parts += [system.encode() + b"\0", self.number(len(texts), 4), *texts]
        return b"".join(parts)

    def cmdlines(self):
        """Names of tasks, and behind a NUL their processes, and the cgroups of these."""
        names = b"".join(b"%d %s\n" % task for task in sorted(self.trace.tasks.items()))
        processes = b"".join(b"%d %d\n" % task for task in sorted(self.trace.processes.items()))
        cgroups = b"".join(b"=%s\n=%d\n" % (path, pid) for pid, path in self.trace.cgroups)
        cgroups += b"".join(b"=%s\n=<%d\n" % (path, pid) if path else b"=>%d\n" % pid for pid, path in self.trace.first_cgroups)
        return self.sized(names + (b"\0" + processes + cgroups if processes or cgroups else b""))

    def symbols(self):
        """The kernel's functions."""
        text = "".join(f"{line}\n" for line in self.trace.symbols).encode()
        return self.number(len(text), 4) + text

    def constants(self):
        """The kernel's constant strings, as printk_formats has them."""
        escapes = str.maketrans({"\n": "\\n", "\t": "\\t", '"': '\\"'})
        text = "".join(f'0x{address:x} : "{string.translate(escapes)}"\n' for address, string in self.trace.constants).encode()
        return self.number(len(text), 4) + text

    def sections(self):
        """(number, bytes) of all that stands before the options."""
        yield HEADER_INFO, self.header_info()
        yield FTRACE_EVENTS, self.number(0, 4)
        yield EVENT_FORMATS, self.formats()
        yield KALLSYMS, self.symbols()
        yield PRINTK, self.constants()
        yield CMDLINES, self.cmdlines()

    def options(self):
        """(number, bytes) of the options that both versions have."""
        trace = self.trace
        for cpu, text in sorted(trace.statistics.items()):
            yield CPUSTAT, f"CPU: {cpu}\n{text}\0".encode()
        if trace.wall_us is not None:
            yield DATE, b"0x%x\0" % trace.wall_us
        if trace.kernel:
            yield UNAME, f"Linux {trace.host} {trace.kernel} #1 SMP {trace.machine}\0".encode()
        if trace.clock:
            yield CLOCK, f"local global counter [{trace.clock}]\0".encode()
        yield TRACE_ID, self.number(trace.number, 8)
        if trace.writer:
            yield VERSION, f"{trace.writer}\0".encode()
        if trace.shifts:
            yield SHIFT, self.shifts()
        if trace.tsc:
            multiplier, shift, offset = trace.tsc
            yield TSC, self.number(multiplier, 4) + self.number(shift, 4) + self.number(offset, 8)

    def shifts(self):
        """By how much a guest's clock is off its host's: of each CPU times, offsets and scales; then the scales' fractions."""
        rows = [self.trace.shifts.get(cpu, [(0, 0, 1, 0)]) for cpu in range(self.trace.cpus)]
        head = self.number(7, 8) + self.number(self.trace.shift_flags, 4) + self.number(len(rows), 4)
        columns = [
            self.number(len(samples), 4)
            + b"".join(self.signed(sample[column], 8) for column in range(3) for sample in samples)
            for samples in rows
        ]
        return head + b"".join(columns) + b"".join(self.signed(sample[3], 8) for samples in rows for sample in samples)

    def option(self, number, data):
        """One option."""
        return self.number(number, 2) + self.number(len(data), 4) + data

    def copy(self, ring):
        """A CPU's sub-buffers as they are; returns (offset, size)."""
        self.align()
        offset = self.out.tell()
        if ring:
            shutil.copyfileobj(ring.pages, self.out, COPY_SIZE)
        return offset, self.out.tell() - offset


class Writer6(Writer):
    """Version 6: all in a row."""

    def put(self, place, data):
        """Fills in what was left out at a place."""
        end = self.out.tell()
        self.out.seek(place)
        self.out.write(data)
        self.out.seek(end)

    def buffer(self, rings, cpus):
        """One buffer's table, clock and sub-buffers."""
        self.out.write(b"flyrecord\0")
        table = self.out.tell()
        self.out.write(bytes(16 * cpus))
        if self.trace.clock:
            self.out.write(self.sized(f"[{self.trace.clock}]".encode()))
        for cpu in range(cpus):
            place = b"".join(self.number(part, 8) for part in self.copy(rings.get(cpu)))
            self.put(table + 16 * cpu, place)

    def write(self):
        """The whole file."""
        trace, places = self.trace, {}
        self.initial(b"6")
        for _, data in self.sections():
            self.out.write(data)
        self.out.write(self.number(trace.cpus, 4) + b"options  \0")
        for number, data in self.options():
            self.out.write(self.option(number, b"" if number == CLOCK else data))
        for name in trace.buffers:
            if name:
                places[name] = self.out.tell() + 6
                self.out.write(self.option(BUFFER, bytes(8) + name.encode() + b"\0"))
        self.out.write(self.number(0, 2))
        self.buffer(trace.buffers[""], trace.cpus)
        for name, place in places.items():
            self.align()
            self.put(place, self.number(self.out.tell(), 8))
            self.buffer(trace.buffers[name], trace.cpus)


class Writer7(Writer):
    """Version 7: sections, found by options."""

    def __init__(self, out, trace):
        super().__init__(out, trace)
        self.version, self.compress = COMPRESSIONS[trace.compression]

    def section_header(self, number, size):
        """The head of a section."""
        head = self.number(number, 2) + self.number(1 if self.compress else 0, 2)
        return head + b"\xff\xff\xff\xff" + self.number(size, 8)

    def packed(self, data):
        """Data behind its two sizes, compressed."""
        small = self.compress(data)
        return self.number(len(small), 4) + self.number(len(data), 4) + small

    def section(self, number, data):
        """A section; returns its offset."""
        offset = self.out.tell()
        data = self.packed(data) if self.compress else data
        self.out.write(self.section_header(number, len(data)) + data)
        return offset

    def copy_chunks(self, ring):
        """A CPU's sub-buffers, a few at a time compressed; returns (offset, size), without the number of chunks as trace-cmd does."""
        self.align()
        offset = self.out.tell()
        if not ring or not ring.size:
            return offset, 0
        step = CHUNK_PAGES * self.trace.layout.page_size
        self.out.write(self.number(-(-ring.size // step), 4))
        while chunk := ring.pages.read(step):
            self.out.write(self.packed(chunk))
        return offset, self.out.tell() - offset - 4

    def buffer(self, name, rings):
        """One buffer's section; returns what its option says."""
        trace, offset = self.trace, self.out.tell()
        clock = (trace.clock or "").encode()
        self.out.write(self.section_header(BUFFER, 0))
        parts = [self.number(offset, 8), name.encode() + b"\0", clock + b"\0"]
        parts += [self.number(trace.layout.page_size, 4), self.number(trace.cpus, 4)]
        copy = self.copy_chunks if self.compress else self.copy
        for cpu in range(trace.cpus):
            start, size = copy(rings.get(cpu))
            parts += [self.number(cpu, 4), self.number(start, 8), self.number(size, 8)]
        end = self.out.tell()
        self.out.seek(offset + 8)
        self.out.write(self.number(end - offset - 16, 8))
        self.out.seek(end)
        return b"".join(parts)

    def write(self):
        """The whole file."""
        self.initial(b"7")
        self.out.write(self.trace.compression.encode() + b"\0" + self.version + b"\0")
        first = self.out.tell()
        self.out.write(bytes(8))
        options = []
        for number, data in self.sections():
            options.append((number, self.number(self.section(number, data), 8)))
        options.append((CPU_COUNT, self.number(self.trace.cpus, 4)))
        options += self.options()
        for name, rings in self.trace.buffers.items():
            options.append((BUFFER, self.buffer(name, rings)))
        options.append((0, bytes(8)))
        place = self.section(0, b"".join(self.option(*option) for option in options))
        self.out.seek(first)
        self.out.write(self.number(place, 8))


WRITERS = {6: Writer6, 7: Writer7}


def write_file(out, trace):
    """Writes a trace into a file that can be sought."""
    if trace.compression == "zstd" and not shutil.which("zstd"):
        raise Trouble("compression zstd needs the zstd command")
    if trace.version == 6 and trace.compression != "none":
        raise Trouble("version 6 has no compression")
    WRITERS[trace.version](out, trace).write()

# SPDX-License-Identifier: GPL-2.0-only
"""The language of scripts: one line after the other becomes settings, tracepoints and records."""

import re

from making.event import read_captured, read_short
from making.kernels import Kernels
from making.layout import COMPRESSIONS, WRITERS
from making.ring import Layout, Ring
from making.words import Trouble, read_count, read_number, read_time, split_line

LANGUAGE = """\
A script has one statement a line; # begins a comment, and a line that begins with a blank goes on
with the one before. Words with blanks, or with a meaning of their own, stand in "quotes", where
\\xNN, \\n, \\t, \\r, \\0, \\" and \\\\ are escapes.

Settings, before the records; in brackets what holds without:
  version 6|7            of the file [7]
  compression WHAT       none, zlib or zstd, of version 7 [none]
  page BYTES             size of a sub-buffer [4096]
  order little|big       of bytes [little]
  long 4|8               size of the kernel's long [8]
  clock NAME             trace clock, or none for a file that does not report [boot]
  kernel RELEASE         or none [6.12.0]
  machine NAME           of the kernel [x86_64]
  host NAME              of the computer [golden]
  cpus N                 at least so many; others as the records need them [1]
  start TIME             on the trace clock, when the script's time is 0 [1s]
  wall MICROSECONDS      to be added to trace time to get the time since 1970
  tsc MULT SHIFT OFFSET  how timestamps of the clock x86-tsc become nanoseconds
  shift CPU TIME OFFSET SCALE FRACTION
                         a guest's clock at TIME: multiplied by SCALE and shifted right by FRACTION
                         it is OFFSET less than its host's; may be repeated
  steady                 the offset of a CPU moves evenly from one such time to the next
  id NUMBER              of the trace [1]
  task TID NAME [TGID]   a saved name of a task, and its process as ktrack saves it
  cgroup PID PATH        the cgroup of a process as ktrack saves it; may be repeated
  first-cgroup PID PATH  likewise, at the begin of the recording; "" if there was no such process
  symbol ADDRESS TYPE NAME [MODULE]
                         a line of the kernel's symbols; may be repeated
  constant ADDRESS TEXT  a string of the kernel, to which records point; may be repeated
  writer TEXT            what wrote the file
  stats CPU NAME=N...    entries, overrun, commit, dropped, read: the kernel's count at the end;
                         mode=WHAT: circular or oneshot, where the buffer was read at the end only

Tracepoints:
  event SYSTEM:NAME ID FIELD; FIELD...
      FIELD is a C declaration, of a type of known size (u8 .. s64, char, bool, int, long, pid_t,
      any *), an array of one (char name[16]), `string name` or `rel_string name` for texts behind
      __data_loc and __rel_loc, or `__data_loc u8[] name`. Offsets follow from the types; @OFFSET,
      size=N and signed=0|1 behind the declaration say them otherwise.
  print EVENT "FORMAT", ARGUMENT...
      the event's print format, up to the end of the line, instead of one of simple conversions
  format PATH
      a captured format file SYSTEM/EVENT, found from the script's folder
  formats KERNEL [SYSTEM:EVENT...]
      formats of a kernel by tests/formats/kernels; all that it has without a list

Records; each CPU's are in the order of time:
  TIME TID@CPU EVENT VALUE...
      TIME is 10, 10ns, 2.5us, 3ms or 1s; +TIME is from the record above. EVENT is NAME, or
      SYSTEM:NAME where a name is used twice, or the ID. VALUEs are in the order of the fields, or
      FIELD=VALUE; fields left out are zero or empty. A number is decimal, 0x.., or a character
      for its code; an array of other than char is hexadecimal bytes; for a dynamic field
      @OFFSET:SIZE is the bare place, wherever it points. A last cut=N leaves only N bytes of the
      record, rounded up to 4.
  TIME TID@CPU discard EVENT VALUE...
      a record that was given up after it had its place; its time is another than the one before
  lost CPU [COUNT]       records were lost before the CPU's next one; without COUNT it is unknown
                         how many
  page CPU               the CPU's next record begins a sub-buffer
  buffer NAME            what follows is of this instance, of the top level where NAME is ""
  repeat N ... end       the records between, N times; their times are +TIME, and $i and $i%M in a
                         word are replaced by the round, from 0
"""

RECORD = re.compile(rb"(\+?)([\d.]+(?:ns|us|ms|s)?)")
WRITER = re.compile(rb"(?:\d|\$i(?:%\d+)?)+@(?:\d|\$i(?:%\d+)?)+")
STATISTICS = {
    "entries": "entries",
    "overrun": "overrun",
    "commit": "commit overrun",
    "dropped": "dropped events",
    "read": "read events",
    "mode": "mode",
}
MODES = ("circular", "oneshot")


class Trace:
    """All that a script says."""

    def __init__(self):
        self.version, self.compression = 7, "none"
        self.layout = Layout()
        self.clock, self.kernel, self.machine, self.host = "boot", "6.12.0", "x86_64", "golden"
        self.cpus, self.start_ns, self.number = 1, 1000000000, 1
        self.wall_us = self.tsc = None
        self.shifts, self.shift_flags = {}, 0
        self.tasks, self.processes, self.cgroups, self.first_cgroups, self.statistics = {}, {}, [], [], {}
        self.symbols, self.constants, self.writer = [], [], None
        self.events, self.by_name = [], {}
        self.buffers = {"": {}}

    def add_event(self, event):
        """A tracepoint, found by its number, and by names that only it has."""
        names = event.name, f"{event.system}:{event.name}"
        if str(event.number) in self.by_name:
            raise Trouble(f"there is an event {event.number} already")
        self.events.append(event)
        self.by_name[str(event.number)] = event
        for name in names:
            self.by_name[name] = None if name in self.by_name else event

    def find_event(self, name):
        """The tracepoint that a record names."""
        if name not in self.by_name:
            raise Trouble(f"no event {name!r}; write it above by event or format")
        if self.by_name[name] is None:
            raise Trouble(f"there are several events {name!r}; write SYSTEM:NAME, or the ID")
        return self.by_name[name]

    def ring(self, buffer, cpu):
        """The ring buffer of a CPU."""
        rings = self.buffers[buffer]
        if cpu not in rings:
            rings[cpu] = Ring(self.layout)
            self.cpus = max(self.cpus, cpu + 1)
        return rings[cpu]


def one_of(word, choices):
    """A word that is one of some."""
    if str(word) not in choices:
        raise Trouble(f"{word} is none of {', '.join(choices)}")
    return str(word)


def set_layout(trace, **changes):
    """Another layout of sub-buffers, as long as there are none."""
    kept = {name: getattr(trace.layout, name) for name in ("order", "long_size", "page_size")}
    trace.layout = Layout(**{**kept, **changes})


def set_page(trace, word):
    """page BYTES."""
    size = read_count(word, 256)
    if size & size - 1:
        raise Trouble(f"{size} is no power of two")
    set_layout(trace, page_size=size)


def add_shift(trace, cpu, time, *numbers):
    """shift CPU TIME OFFSET SCALE FRACTION."""
    cpu = read_count(cpu)
    trace.shifts.setdefault(cpu, []).append((read_time(time.text), *map(read_number, numbers)))
    trace.cpus = max(trace.cpus, cpu + 1)


def set_statistics(trace, cpu, *words):
    """stats CPU NAME=N..."""
    lines = []
    for word in words:
        if word.name not in STATISTICS:
            raise Trouble(f"{word.name or word} is none of {', '.join(STATISTICS)}")
        value = one_of(word, MODES) if word.name == "mode" else read_count(word)
        lines.append(f"{STATISTICS[word.name]}: {value}\n")
    cpu = read_count(cpu)
    trace.statistics[cpu] = "".join(lines)
    trace.cpus = max(trace.cpus, cpu + 1)


def set_task(trace, tid, name, tgid=None):
    """task TID NAME [TGID]."""
    trace.tasks[read_count(tid)] = name.text
    if tgid:
        trace.processes[read_count(tid)] = read_count(tgid)


def add_symbol(trace, address, kind, name, module=None):
    """symbol ADDRESS TYPE NAME [MODULE]."""
    trace.symbols.append(f"{read_number(address):016x} {kind} {name}" + (f"\t[{module}]" if module else ""))


def add_constant(trace, address, text):
    """constant ADDRESS TEXT."""
    trace.constants.append((read_number(address), str(text)))


def none_or_text(word):
    """A text, or None for none."""
    return None if word.text == b"none" and not word.is_quoted else str(word)


# Statement: (least and most words behind it, function).
SETTINGS = {
    "version": (
        1,
        1,
        lambda t, word: setattr(t, "version", int(one_of(word, list(map(str, WRITERS))))),
    ),
    "compression": (1, 1, lambda t, word: setattr(t, "compression", one_of(word, COMPRESSIONS))),
    "page": (1, 1, set_page),
    "order": (1, 1, lambda t, word: set_layout(t, order=one_of(word, ("little", "big")))),
    "long": (1, 1, lambda t, word: set_layout(t, long_size=int(one_of(word, ("4", "8"))))),
    "clock": (1, 1, lambda t, word: setattr(t, "clock", none_or_text(word))),
    "kernel": (1, 1, lambda t, word: setattr(t, "kernel", none_or_text(word))),
    "host": (1, 1, lambda t, word: setattr(t, "host", word)),
    "machine": (1, 1, lambda t, word: setattr(t, "machine", word)),
    "cpus": (1, 1, lambda t, word: setattr(t, "cpus", max(t.cpus, read_count(word, 1)))),
    "start": (1, 1, lambda t, word: setattr(t, "start_ns", read_time(word.text))),
    "wall": (1, 1, lambda t, word: setattr(t, "wall_us", read_count(word))),
    "tsc": (3, 3, lambda t, *words: setattr(t, "tsc", tuple(map(read_count, words)))),
    "shift": (5, 5, add_shift),
    "steady": (0, 0, lambda t: setattr(t, "shift_flags", 1)),
    "id": (1, 1, lambda t, word: setattr(t, "number", read_count(word))),
    "task": (2, 3, set_task),
    "cgroup": (2, 2, lambda trace, pid, path: trace.cgroups.append((read_count(pid), path.text))),
    "first-cgroup": (2, 2, lambda trace, pid, path: trace.first_cgroups.append((read_count(pid), path.text))),
    "symbol": (3, 4, add_symbol),
    "constant": (2, 2, add_constant),
    "writer": (1, 1, lambda t, word: setattr(t, "writer", str(word))),
    "stats": (1, 6, set_statistics),
}


class Record:
    """A record's line, kept so that it can be written again and again."""

    def __init__(self, reader, words):
        found = RECORD.fullmatch(words[0].text)
        writer = WRITER.fullmatch(words[1].text) if len(words) > 2 else None
        if not found or not writer:
            raise Trouble("write: TIME TID@CPU EVENT VALUE..., or a statement that --help lists")
        self.reader, self.is_relative = reader, bool(found[1])
        self.time_ns = read_time(found[2])
        self.writer = words[1]
        self.is_discarded = words[2].text == b"discard" and len(words) > 3
        self.words = words[4:] if self.is_discarded else words[3:]
        self.cut = self.take_cut()
        self.event = reader.trace.find_event(str(words[3 if self.is_discarded else 2]))
        self.is_constant = not any(word.has_index for word in [self.writer, *self.words])
        self.entry = self.ring = None

    def take_cut(self):
        """How many bytes of the record are left, None for all."""
        if self.words and self.words[-1].name == "cut":
            return read_count(self.words.pop(), 1)
        return None

    def read(self, index):
        """(ring, kind, content) of one round."""
        trace = self.reader.trace
        tid, cpu = map(int, self.writer.at(index).text.split(b"@"))
        ring = trace.ring(self.reader.buffer, cpu)
        words = [word.at(index) for word in self.words]
        data = self.event.record(tid, words, trace.layout.order)
        return ring, *trace.layout.entry(data[: self.cut])

    def report(self, time_ns, index):
        """Says what one round is meant to be."""
        tid, cpu = map(int, self.writer.at(index).text.split(b"@"))
        words = [word.at(index) for word in self.words]
        self.reader.note(time_ns, self.reader.buffer, cpu, tid, self.event, words, self.cut)

    def write(self, index):
        """One round of the record."""
        reader = self.reader
        if not self.entry or not self.is_constant:
            self.entry = self.read(index)
        ring, kind, content = self.entry
        reader.time_ns = self.time_ns + (reader.time_ns if self.is_relative else 0)
        time_ns = reader.trace.start_ns + reader.time_ns
        if self.is_discarded:
            ring.discard(time_ns, kind, content)
        else:
            ring.put(time_ns, kind, content)
            if reader.note:
                self.report(time_ns, index)


class Reader:
    """Reads a script, and writes its records into their rings."""

    def __init__(self, path, folder, note=None):
        """note is called with every record: (time, buffer, cpu, tid, event, words, cut)."""
        self.path, self.folder, self.note = path, folder, note
        self.trace = Trace()
        self.buffer = ""
        self.time_ns = 0
        self.number = 0
        self.has_records = False
        self.repeated = None
        self.statements = {
            "format": (1, 1, lambda word: self.trace.add_event(read_captured(folder / str(word)))),
            "formats": (1, 99, self.add_formats),
            "lost": (1, 2, self.lose),
            "page": (1, 1, lambda word: self.ring_of(word).end_page()),
            "buffer": (1, 1, self.set_buffer),
            "repeat": (1, 1, self.begin_repeat),
            "end": (0, 0, self.end_repeat),
        }

    def ring_of(self, word):
        """The ring of a CPU that a statement names."""
        return self.trace.ring(self.buffer, read_count(word))

    def add_formats(self, kernel, *events):
        """formats KERNEL [SYSTEM:EVENT...]."""
        kernels = Kernels()
        for event in events or kernels.events:
            found = kernels.find(str(kernel), str(event))
            if events and not found:
                raise Trouble(f"{kernel} has no {event}")
            if found:
                self.trace.add_event(found)

    def lose(self, cpu, count=None):
        """lost CPU [COUNT]."""
        self.has_records = True
        self.ring_of(cpu).lose(None if count is None else read_number(count))

    def set_buffer(self, word):
        """buffer NAME."""
        self.buffer = str(word)
        self.trace.buffers.setdefault(self.buffer, {})

    def begin_repeat(self, word):
        """repeat N."""
        if self.repeated is not None:
            raise Trouble("repeat stands in another repeat")
        self.times, self.repeated = read_count(word, 1), []

    def end_repeat(self):
        """end: writes what was kept."""
        if self.repeated is None:
            raise Trouble("end without repeat")
        kept, self.repeated = self.repeated, None
        for index in range(self.times):
            for number, statement in kept:
                self.number = number
                statement(index)

    def take(self, line):
        """One statement."""
        if line.startswith(b"event "):
            text = line.decode().partition("#")[0]
            self.trace.add_event(read_short(text[6:].strip(), self.trace.layout.long_size))
            return
        if line.startswith(b"print "):
            name, _, text = line[6:].strip().partition(b" ")
            self.trace.find_event(name.decode()).set_print_format(text.strip())
            return
        words = split_line(line)
        if not words:
            return
        name, rest = str(words[0]), words[1:]
        is_setting = name in SETTINGS and not (name == "page" and self.has_records)
        if is_setting and self.has_records:
            raise Trouble(f"{name} belongs before the records")
        if is_setting:
            self.call(name, SETTINGS[name], rest, self.trace)
        elif name in self.statements:
            self.take_statement(name, rest)
        else:
            self.take_record(Record(self, words))

    def take_statement(self, name, words):
        """A statement that is neither a setting nor a record."""
        statement = self.statements[name]
        if self.repeated is None or name in ("repeat", "end"):
            self.call(name, statement, words)
        else:
            self.repeated.append((self.number, lambda _index: self.call(name, statement, words)))

    def take_record(self, record):
        """A record, now or in each round."""
        self.has_records = True
        if self.repeated is None:
            record.write(None)
        elif record.is_relative:
            self.repeated.append((self.number, record.write))
        else:
            raise Trouble("times between repeat and end are +TIME")

    @staticmethod
    def call(name, row, words, *before):
        """Calls a statement's function where it has as many words as it wants."""
        least, most, function = row
        if not least <= len(words) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise Trouble(f"{name} takes {wanted} words, not {len(words)}")
        function(*before, *words)

    def read(self, lines):
        """A whole script; Trouble names its line."""
        try:
            for number, line in join_lines(lines):
                self.number = number
                self.take(line)
            if self.repeated is not None:
                raise Trouble("repeat without end")
            for rings in self.trace.buffers.values():
                for ring in rings.values():
                    ring.finish()
        except Trouble as trouble:
            raise Trouble(f"{self.path}:{self.number}: {trouble}") from None
        return self.trace


def join_lines(lines):
    """(number, line), where lines that begin with a blank belong to the one before."""
    kept = None
    for number, line in enumerate(lines, 1):
        line = line.rstrip(b"\r\n")
        if line[:1] in (b" ", b"\t") and line.strip() and kept:
            kept = (kept[0], kept[1] + b" " + line.strip())
            continue
        if kept:
            yield kept
        kept = (number, line)
    if kept:
        yield kept

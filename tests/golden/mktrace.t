#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: trace-cmd reads the files of mktrace; errors in scripts name their line."""

import itertools
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from making.layout import write_file  # noqa: E402
from making.script import Reader  # noqa: E402
from making.words import read_number  # noqa: E402
from tap import tested  # noqa: E402

LOSS = re.compile(rb"^( *\S+: )? *CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]\n", re.MULTILINE)
RECORD = re.compile(rb"^ *(?:(\S+): )? *\S.*?-(\d+) +\[(\d+)\] *([\d.]+): (\S+): +", re.MULTILINE)
LAYOUTS = (
    {},
    {"version": "6"},
    {"compression": "zstd"},
    {"order": "big"},
    {"long": "4"},
    {"version": "6", "order": "big", "long": "4", "page": "65536"},
)
LAYOUT_CASES = ("several-buffers", "loss-on-two-cpus", "extra-fields-are-attached")

ONE = "event demo:io 100 char track_event_type; string slice_name; u8 count; char fixed[2]; u8 b[2]\n"
TROUBLES = (
    ("no statement", "what is this\n", 1, "write: TIME TID@CPU EVENT"),
    ("an unknown event", "0 7@0 io B\n", 1, "no event 'io'"),
    ("no such format", "format nowhere/io\n", 1, "nowhere/io: No such file"),
    ("too many values", ONE + "0 7@0 io B a 1 b 00 c\n", 2, "no more than 5 fields"),
    ("a number that is too large", ONE + "0 7@0 io B a 256\n", 2, "does not fit into 1 bytes"),
    ("time that goes back", ONE + "9 7@0 io B\n8 7@0 io E\n", 3, "older by 1 ns"),
    ("a loss with nothing behind it", ONE + "lost 0 5\n", 2, "no record follows"),
    ("a setting behind records", ONE + "0 7@0 io B\nclock mono\n", 3, "belongs before the records"),
    ("repeat without end", ONE + "repeat 2\n", 2, "repeat without end"),
    ("version 6 with compression", "version 6\ncompression zlib\n", None, "no compression"),
)


class Meant:
    """The records of a script, in the order of time."""

    def __init__(self, script, **settings):
        self.records = []
        self.reader = Reader(script, HERE, lambda *record: self.records.append(record))
        for name, value in settings.items():
            self.reader.take(f"{name} {value}".encode())
        with open(HERE / f"{script}.script", "rb") as lines:
            self.trace = self.reader.read(lines)

    def shifted(self, cpu, time):
        """A guest's time as its host's."""
        samples = sorted(self.trace.shifts.get(cpu, []))
        if len(samples) < 2:
            return time + (samples[0][1] if samples else 0)
        place = max([number for number, sample in enumerate(samples[:-1]) if sample[0] <= time], default=0)
        (start, offset, scale, fraction), (end, next_offset, *_) = samples[place : place + 2]
        if self.trace.shift_flags:
            moved = (time - start) * (next_offset - offset) + (end - start) // 2
            offset += abs(moved) // (end - start) * (1 if moved > 0 else -1)
        return (time * scale >> fraction) + offset

    def shown_ns(self, cpu, time_ns):
        """The time of a record as trace-cmd shows it."""
        time_ns = self.shifted(cpu, time_ns)
        if self.trace.tsc:
            multiplier, shift, offset = self.trace.tsc
            return (time_ns * multiplier >> shift) + offset
        return time_ns + 1000 * (self.trace.wall_us or 0)


def report(path):
    """What trace-cmd prints: (records as (buffer, tid, cpu, time, event, fields), losses)."""
    command = ["trace-cmd", "report", "-R", "-t", "-N", "-i", path]
    done = process.run(command, capture_output=True, check=True)
    losses = [tuple(map(int, found.groups(b"-1")[1:])) for found in LOSS.finditer(done.stdout)]
    # The buffer's name is before the loss, and is then missing before the record.
    text = LOSS.sub(rb"\1", done.stdout)
    heads = list(RECORD.finditer(text))
    ends = [head.start() - 1 for head in heads[1:]] + [len(text) - 1]
    records = []
    for head, end in zip(heads, ends):
        buffer, tid, cpu, time, event = head.groups(b"")
        place = (buffer.decode(), int(tid), int(cpu), int(time.replace(b".", b"")), event.decode())
        records.append((place, text[head.end() : end]))
    return records, losses


def value_of(field, text):
    """A field's value as trace-cmd shows it: bytes, or a number without its sign; None for neither.

    It takes bytes that could be read for a text, a struct or a floating value for a number, and goes
    on to the next NUL behind an array that is full; once a text had odd bytes, it shows the field as
    bytes ever after.
    """
    if field.is_floating:
        return None
    is_bytes = text.startswith(b"ARRAY[")
    if is_bytes:
        text = bytes.fromhex(text[6:-1].replace(b", ", b"").decode())
    if field.is_text:
        return text[: field.size if field.count else None].partition(b"\0")[0]
    if field.is_array:
        return text if is_bytes else None
    # A pointer to a function, in a file with symbols.
    if field.size == 8 and re.fullmatch(rb"[a-z_]\w*(\+0x\w+)?", text):
        return None
    return number_of(field, text) % (1 << 8 * field.size)


def number_of(field, text):
    """The number that a text shows: some fields, and pointers, in hexadecimal."""
    if text == b"(nil)":
        return 0
    is_hex = field.name in ("__probe_ip", "clone_flags") or text.startswith(b"0x")
    return int(text, 16 if is_hex else 10)


def wanted_value(field, word):
    """The value that a script gives a field."""
    if field.is_text:
        return word.text.partition(b"\0")[0] if word else b""
    if field.is_array:
        data = bytes.fromhex(str(word)) if word else b""
        return data if field.is_dynamic else data.ljust(field.size, b"\0")
    return (read_number(word) if word else 0) % (1 << 8 * field.size)


def is_plain(word, cut):
    """False for what trace-cmd cannot show: bare places, cut records, unprintable texts."""
    is_place = not word.is_quoted and word.text.startswith(b"@")
    return not cut and not is_place and word.text.isascii() and word.text.decode().isprintable()


def wrong_fields(event, words, cut, text):
    """Every field that trace-cmd shows otherwise; none of records that it cannot show."""
    if not all(is_plain(word, cut) for word in words):
        return
    given = {field.name: word for field, word in event.pair(words)}
    pattern = b" ".join(b"%s=(.*)" % field.name.encode() for field in event.fields)
    found = re.fullmatch(pattern, text, re.DOTALL)
    if not found:
        yield f"{text} does not show the fields of {event.name}"
        return
    for field, shown in zip(event.fields, found.groups()):
        value = value_of(field, shown)
        if value is not None and value != wanted_value(field, given.get(field.name)):
            yield f"{field.name} of {event.name} is {shown}, not {given.get(field.name)}"


def wrong_records(meant, shown):
    """Every difference between a script and a report."""
    wanted = sorted(meant.records, key=lambda record: (meant.shown_ns(record[2], record[0]), record[2]))
    shown = sorted(shown, key=lambda record: (record[0][3], record[0][2]))
    if len(wanted) != len(shown):
        yield f"{len(shown)} records, the script has {len(wanted)}"
    for (time_ns, buffer, cpu, tid, event, words, cut), (place, text) in zip(wanted, shown):
        if cut and cut < 8:
            continue
        if place != (buffer, tid, cpu, meant.shown_ns(cpu, time_ns), event.name):
            yield f"{place}, the script has {(buffer, tid, cpu, time_ns, event.name)}"
        else:
            yield from wrong_fields(event, words, cut, text)


def wanted_losses(script):
    """(CPU, count) of all losses of a script, -1 where the count is not known."""
    lines = [line.split() for line in (HERE / f"{script}.script").read_text().splitlines()]
    words = [line[1:] + ["-1"] for line in lines if line[:1] == ["lost"]]
    return [(int(cpu), int(count)) for cpu, count, *_ in words]


def check_report(tap, script, **settings):
    """One script: trace-cmd shows its records and its losses."""
    meant = Meant(script, **settings)
    with tempfile.NamedTemporaryFile() as out:
        write_file(out, meant.trace)
        out.flush()
        records, losses = report(out.name)
    wrong = list(wrong_records(meant, records))
    if sorted(losses) != sorted(wanted_losses(script)):
        wrong.append(f"losses {losses}, the script has {wanted_losses(script)}")
    layout = "".join(f", {name} {value}" for name, value in settings.items())
    tap.nothing(wrong, f"trace-cmd reads {script}{layout}")


def make(text, path):
    """Runs mktrace on a text; returns (status, errors)."""
    command = [HERE / "mktrace", "-", path]
    done = process.run(command, input=text.encode(), capture_output=True)
    return done.returncode, done.stderr.decode()


def check_troubles(tap):
    """Each trouble is reported in one line with its number."""
    with tempfile.NamedTemporaryFile() as out:
        for what, text, number, message in TROUBLES:
            status, errors = make(text, out.name)
            place = f"mktrace: standard input:{number}: " if number else "mktrace: "
            is_right = errors.startswith(place) and message in errors and errors.count("\n") == 1
            tap.ok(status == 1 and is_right, f"trouble: {what}", status, errors)


@tested
def main(tap):
    """All checks."""
    for path in sorted(HERE.glob("*.script")):
        check_report(tap, path.stem)
    for script, settings in itertools.product(LAYOUT_CASES, LAYOUTS[1:]):
        check_report(tap, script, **settings)
    check_troubles(tap)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: --append adds to a Perfetto trace of the same boot clock, and refuses any other file."""

import os
import signal
import sys
import tempfile
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from perfetto import read_sequences  # noqa: E402
from protobuf import decode, one  # noqa: E402
from tap import tested  # noqa: E402

CASE = "extra-fields-are-attached"
START_NS = 1000000000
WALL_S = 1577934245
BOOT, REALTIME = 6, 1


def varint(number):
    """The bytes of a number."""
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def number_field(field, number):
    """A field that is a number."""
    return varint(field << 3) + varint(number)


def sized_field(field, data):
    """A field that is a message or bytes."""
    return varint(field << 3 | 2) + varint(len(data)) + data


def snapshot(**clocks):
    """A packet of another recorder with clock snapshots."""
    numbers = {"boot": BOOT, "wall": REALTIME, "mono": 3}
    inner = b"".join(
        sized_field(1, number_field(1, numbers[name]) + number_field(2, time_ns))
        for name, time_ns in clocks.items()
    )
    return sized_field(1, sized_field(6, inner) + number_field(10, 1))


def foreign(boot_ns=5 * 10**9, wall_ns=None):
    """A foreign trace: packets of several kinds, some with unknown fields."""
    wall_ns = WALL_S * 10**9 + boot_ns - START_NS if wall_ns is None else wall_ns
    return b"".join(
        (
            sized_field(1, number_field(10, 77) + sized_field(99, b"\xff" * 300)),
            snapshot(mono=3, boot=boot_ns, wall=wall_ns),
            sized_field(1, varint(200 << 3 | 1) + b"8 bytes." + varint(201 << 3 | 5) + b"four"),
            sized_field(1, b""),
        )
    )


def append(before, *words, status=0):
    """Adds to a file that holds some bytes, or that is not there; returns (its bytes, said)."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(CASE, Path(folder, "trace.dat"))
        out = Path(folder, "out")
        if before is not None:
            out.write_bytes(before)
        words = words or (f"--wall-clock={WALL_S}",)
        command = ("export", "--append", "--perfetto=out", *words, "trace.dat")
        _, said = cases.run(folder, *command, status=status)
        return out.read_bytes(), said


def check_added(tap):
    """What was there stays; ours is a sequence of its own."""
    fresh, said = append(None)
    tap.ok(not said and len(read_sequences(decode(fresh)[0])) == 1, "no file yet", *said)
    empty, said = append(b"")
    tap.ok(not said and empty == fresh, "an empty file", *said)
    before = foreign()
    after, said = append(before)
    tap.ok(not said and after.startswith(before), "what was there stays", *said)
    packets, wrong = decode(after[len(before) :])
    sequences = read_sequences(packets)
    (number, added), *others = sequences.items()
    tap.nothing(wrong + others, "what is added can be decoded")
    tap.ok(number > 77 and number != 1, "the sequence has a number of its own", number)
    tap.ok(not added.snapshots, "the clocks are those of the file")
    shown = [track.describe() for track in added.tracks.values()]
    (alone,) = read_sequences(decode(fresh)[0]).values()
    tap.ok(shown == [track.describe() for track in alone.tracks.values()], "the same is shown")


def zstd_frame(data):
    """A frame with one block that is as it was, as zstd's format has it."""
    block = (len(data) << 3 | 1).to_bytes(3, "little") + data
    return b"\x28\xb5\x2f\xfd\x60" + (len(data) - 256).to_bytes(2, "little") + block


def check_packed(tap):
    """Packets that the recorder compressed are packets like others."""
    plain = foreign()
    for what, packed in (
        ("zlib", sized_field(50, zlib.compress(plain))),
        ("zstd", sized_field(133, zstd_frame(plain))),
    ):
        before = sized_field(1, packed)
        after, said = append(before)
        numbers = read_sequences(decode(after[len(before) :])[0])
        tap.ok(not said and after.startswith(before) and numbers, f"packed by {what}", *said)
        after, said = append(sized_field(1, packed[:-9] + bytes(9)), status=1)
        tap.ok(len(said) == 1 and "from byte 0 on" in said[0], f"damaged {what}", *said)
    before = sized_field(1, sized_field(50, zlib.compress(sized_field(1, number_field(10, 2**32 - 2)) + plain)))
    _, said = append(before, status=1)
    tap.ok(len(said) == 1 and "has no packet sequence left" in said[0], "sequences that are packed", *said)


def check_twice(tap):
    """Ours can be added to ours: the tracks are apart, and drawn as those of one recording."""
    once, _ = append(None)
    twice, said = append(once)
    thrice, more = append(twice)
    packets, sequences = decode(thrice)[0], {}
    for packet in packets:
        for event in packet.get("track_event", []):
            if one(event, "type") == "TYPE_SLICE_BEGIN":
                sequences.setdefault(one(packet, "trusted_packet_sequence_id"), set()).add(one(event, "track_uuid"))
    uuids = [uuid for found in sequences.values() for uuid in found]
    tap.nothing(said + more, "added to twice")
    is_apart = len(sequences) == 3 and len(set(uuids)) == len(uuids) > 0
    tap.ok(is_apart, "three sequences, no track of slices in common", uuids)
    rows = [[row_of(track) for track in sequence.tracks.values()] for sequence in read_sequences(packets).values()]
    tap.ok(rows[0] == rows[1] == rows[2] and len(set(rows[0])) == len(rows[0]), "rows are those of one", rows)


def check_counters(tap):
    """A counter of a later recording goes on, below the same group; losses are drawn as one track."""
    text = "event demo:depth 100 s64 counter_value; s32 scope_queue\n0 7@0 depth 5 3\nlost 0 9\n1us 7@0 depth 6 4\n"
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(text, Path(folder, "trace.dat"))
        words = ("export", "--append", "--perfetto=out", f"--wall-clock={WALL_S}", "trace.dat")
        said = cases.run(folder, *words)[1] + cases.run(folder, *words)[1]
        data = Path(folder, "out").read_bytes()
    first, second = read_sequences(decode(data)[0]).values()
    is_one = list(first.tracks) == list(second.tracks) and len(first.tracks) == 2
    tap.ok(is_one and not said, "a counter goes on", *said, list(first.tracks), list(second.tracks))
    rows = [{one(d, "name"): row_of_descriptor(d) for d in sequence.descriptors.values()} for sequence in (first, second)]
    tap.ok(rows[0] == rows[1] and "lost records cpu 0" in rows[0], "losses are one row", rows)


def row_of_descriptor(descriptor):
    """What is one row in Perfetto: the tracks below a parent with one merge key."""
    return one(descriptor, "parent_uuid"), one(descriptor, "sibling_merge_key"), one(descriptor, "name")


def row_of(track):
    """The row of a track."""
    return row_of_descriptor(track.descriptor)


def check_refused(tap):
    """What cannot be added to is said, and stays as it is."""
    other_boot = foreign(wall_ns=WALL_S * 10**9)
    for what, before, said in (
        ("another boot", other_boot, "of another boot"),
        ("no clocks", sized_field(1, number_field(10, 1)), "no snapshot of boot clock"),
        ("one clock", snapshot(boot=5), "no snapshot of boot clock"),
        ("no trace", b"hello\n", "not a Perfetto trace from byte 0 on"),
        ("a trace cut short", foreign()[:-3], "not a Perfetto trace"),
        ("a size beyond the end", foreign() + b"\x0a\xff\x01x", "not a Perfetto trace"),
        ("a size of any size", b"\x0a" + b"\xff" * 12, "from byte 0 on"),
        ("a field beyond its packet", sized_field(1, b"\x0a\x7f"), "from byte 0 on"),
        ("an endless number", sized_field(1, b"\x08" + b"\xff" * 11), "from byte 0 on"),
        ("a type that is none", sized_field(1, b"\x0b"), "from byte 0 on"),
        ("64 bits", foreign() + sized_field(1, number_field(10, 2**32 + 5)), "has no packet sequence"),
        ("no sequence left", foreign() + sized_field(1, number_field(10, 2**32 - 2)), "has no pack"),
    ):
        after, errors = append(before, status=1)
        is_right = len(errors) == 1 and said in errors[0] and after == before
        tap.ok(is_right, f"refused: {what}", *errors)
    after, errors = append(foreign(), "--sid=x", status=1)
    is_right = after == foreign() and "has no wall clock" in errors[0]
    tap.ok(is_right, "refused: no wall clock", *errors)


def check_killed(tap):
    """Who is killed while it adds has added nothing: EVENT's pipe is full, and nobody reads it."""
    with tempfile.TemporaryDirectory() as folder:
        text = "event demo:io 100 char track_event_type; string slice_name\nrepeat 2000\n"
        cases.make_of(text + f'+1us 7@0 io I "$i {"x" * 2000}"\nend\n', Path(folder, "trace.dat"))
        Path(folder, "out").write_bytes(foreign())
        words = ("--append", "--perfetto=out", "--event=pipe", f"--wall-clock={WALL_S}", "trace.dat")
        pipe, adding = process.fill_pipe([cases.KTRACK, "export", *words], folder)
        adding.kill()
        adding.wait()
        os.close(pipe)
        after = Path(folder, "out").read_bytes()
    tap.ok(adding.returncode == -signal.SIGKILL, "killed half way", adding.returncode)
    tap.ok(after == foreign(), "killed: the trace is as it was", f"{len(after)} bytes")


def check_clock(tap):
    """Another clock's times would mean nothing there."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("clock-tai-is-wall-time", Path(folder, "trace.dat"))
        Path(folder, "out").write_bytes(foreign())
        words = ("export", "--append", "--perfetto=out", f"--wall-clock={WALL_S}", "trace.dat")
        _, said = cases.run(folder, *words, status=1)
    tap.ok(len(said) == 1 and "has the clock tai" in said[0], "refused: another clock", *said)


@tested
def main(tap):
    """All checks."""
    check_added(tap)
    check_packed(tap)
    check_twice(tap)
    check_counters(tap)
    check_refused(tap)
    check_clock(tap)
    check_killed(tap)

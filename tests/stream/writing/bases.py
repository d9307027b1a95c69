# SPDX-License-Identifier: GPL-2.0-only
"""Streams that are right: a batch, one with losses, one cut at both ends, rare cases."""

from contract import BYTES, COMPLETED, DEPTH, Batch
from writing.demo import Play, write_record, write_records
from writing.writer import Writer

REQUESTS = 33
AFTER_NS = 1234567


def finish_demo(writer):
    """The command ends, and with it the recording."""
    writer.end_child(writer.now_ns + 5001, 537, 0)
    writer.finish(writer.now_ns + AFTER_NS)
    return encode(writer)


def encode(writer):
    """The stream's lines as bytes."""
    return [line.encode() + b"\n" for line in writer.lines]


def begin_demo():
    """A writer where the traced command has just started."""
    writer = Writer()
    writer.begin()
    writer.begin_child(500000, ["sh", "-c", "echo 33 > /dev/ktrack_demo"])
    return writer


def play_demo(requests=REQUESTS, workers=2, slots=4, cpus=2, seed=1):
    """The records of one batch."""
    return Play(Batch(requests, workers, slots), cpus, seed).run()


def write_demo(records):
    """One batch, complete."""
    writer = begin_demo()
    write_records(writer, records)
    return finish_demo(writer)


def find_gap(records, tracepoints, after=0):
    """The first run of samples on one CPU: (record before it, the run, record after it)."""
    start = next(
        place for place in range(after, len(records)) if records[place].tracepoint in tracepoints
    )
    cpu = records[start].cpu
    same = [record for record in records if record.cpu == cpu]
    first = last = same.index(records[start])
    while same[last].tracepoint in tracepoints:
        last += 1
    return same[first - 1], same[first:last], same[last]


def write_lossy(records):
    """One batch that lost samples twice: counted the first time, not counted the second."""
    before, gone, after = find_gap(records, (DEPTH, BYTES), len(records) // 3)
    other_before, other_gone, other_after = find_gap(records, (COMPLETED,), records.index(after))
    losses = {
        after: lambda: writer.lose(after.time_ns, after.cpu, len(gone), before.time_ns),
        other_after: lambda: writer.lose(
            other_after.time_ns, other_after.cpu, None, other_before.time_ns
        ),
    }
    writer, tracks = begin_demo(), {}
    for record in records:
        losses.get(record, lambda: None)()
        if record not in gone and record not in other_gone:
            write_record(writer, tracks, record)
    writer.lose_sum(records[-1].time_ns, other_after.cpu, len(other_gone))
    return finish_demo(writer)


def write_cut(records):
    """A recording that began and ended in the middle of a batch."""
    writer = Writer()
    writer.begin()
    write_records(writer, records[len(records) // 3 : -len(records) // 4])
    writer.finish(writer.now_ns + 1, code=1)
    return encode(writer)


def identity(tracepoint, name, kind, scope, **more):
    """The identity of a track; more holds field, id and what follows, in order."""
    return {"tracepoint": tracepoint, "name": name, "kind": kind, "scope": scope, **more}


def write_odd_names(writer):
    """Names with control characters, empty names, wide ids and values, idle tasks."""
    name = 'a"b\\c\n\t\x01\x1f/\x7f\u00e9\ufffd'
    wide = identity("drv:io", name, "slice", "custom", field="scope_key", id=str((1 << 64) - 1))
    track = writer.open_track(1000, f"{name} key {wide['id']}", wide)
    fields = {"text": "x y\n", "wide": str(1 << 63), "small": -(1 << 53), "flag": 7}
    writer.enter(track, 1000, name, fields)
    writer.instant(track, 1000, "", fields)
    writer.leave(track, 1000, fields)
    for cpu in (0, 1):
        idle = identity("drv:idle", "idle", "slice", "thread", id=0, comm=f"swapper/{cpu}", cpu=cpu)
        track = writer.open_track(2000 + cpu, f"idle tid 0 swapper/{cpu}", idle)
        writer.enter(track, 2000 + cpu, "sleep")
    level = identity("drv:level", "", "counter", "cpu", field="scope_cpu", id=-1, buffer="sideband")
    track = writer.open_track(3000, " cpu -1", level)
    for value in ((1 << 64) - 1, -(1 << 63), 0):
        writer.sample(track, 3999, value, {"why": "odd"})


def write_flows(writer):
    """Slices and instants that are points of flows."""
    task = identity("drv:flow", "flow", "slice", "thread", id=98)
    track = writer.open_track(4000, "flow tid 98", task)
    writer.enter(track, 4000, "submit", {"bytes": 5}, flows=["request:0x1f"])
    writer.instant(track, 4001, "queued", {"bytes": 6}, flows=["request:0xffff888000001000"])
    writer.leave(track, 4002, {"bytes": 5}, flows=["batch:0x1"])


def write_retired(writer, times_ns):
    """A task whose track is retired and comes back as a new one."""
    for time_ns in times_ns:
        task = identity("drv:work", "work", "slice", "thread", id=99, tgid=90, comm="task")
        track = writer.open_track(time_ns, "work tid 99 task", task)
        for number in range(3):
            writer.enter(track, time_ns + number, f"step {number}", continued=time_ns + number == 0)
            writer.leave(track, time_ns + number + 1)
        writer.close_track(track, time_ns + 500, names=["step 0", "sleep"])
        writer.count("retired_tracks")


def write_rare():
    """What is rare: odd names, retired tracks, names put together, malformed records."""
    writer = Writer('some text/with "quotes"/20260301T235959.999000Z-Localhost-P1ffffffff')
    writer.begin()
    write_retired(writer, [0])
    writer.lose(900, 3, 7)
    write_odd_names(writer)
    write_flows(writer)
    writer.error(5000, "drv:io: unknown type 88", "%s: unknown type %u")
    writer.reject("drv:io", 4)
    write_retired(writer, [6000, 7000])
    writer.count("other_names", 2)
    writer.finish(9999, names=["step 0", "sleep"])
    return encode(writer)


def write_bases():
    """All of them by name."""
    records = play_demo()
    return {
        "demo": write_demo(records),
        "lossy": write_lossy(records),
        "cut": write_cut(records),
        "rare": write_rare(),
    }

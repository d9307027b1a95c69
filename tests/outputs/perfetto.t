#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the file of --perfetto, decoded by protoc, shows what EVENT reports, in every golden case."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from perfetto import compare, read_sequence, tasks_of  # noqa: E402
from protobuf import one  # noqa: E402
from tap import tested  # noqa: E402

WALL = "2020-01-02T03:04:05Z"
WALL_NS = 1577934245 * 1000000000
BOOT, MONOTONIC, MONOTONIC_RAW = 6, 3, 5


def export(name, *words, make=cases.make):
    """The sequence of a case exported with more options."""
    with tempfile.TemporaryDirectory() as folder:
        make(name, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--perfetto=-", "--rows=tracepoint", *words, "trace.dat")
    sequence, _, more = read_sequence(data)
    return sequence, wrong + more


def check_clocks(tap):
    """Wall time is right where it is known, and not made up where it is not."""
    sequence, wrong = export("begin-never-closed", f"--wall-clock={WALL}")
    clocks = {one(c, "clock_id"): one(c, "timestamp") for c in sequence.snapshots[0]["clocks"]}
    tap.nothing(wrong + ([] if clocks.get(1) == WALL_NS else [clocks]), "the wall clock")
    sequence, wrong = export("begin-never-closed")
    clocks = [one(clock, "clock_id") for clock in sequence.snapshots[0]["clocks"]]
    tap.nothing(wrong + ([] if clocks == [6] else [clocks]), "no wall clock")
    tap.ok(one(sequence.snapshots[0], "primary_trace_clock") == 6, "boot time")


def check_clock(tap, name, number):
    """Boot time is in every snapshot, since Perfetto relates all clocks to it."""
    with tempfile.TemporaryDirectory() as folder:
        text = (cases.GOLDEN / "begin-never-closed.script").read_text()
        cases.make_of(f"clock {name}\n{text}", Path(folder, "trace.dat"))
        words = ("export", "--perfetto=-", "--rows=tracepoint", f"--wall-clock={WALL}", "trace.dat")
        data, wrong = cases.run(folder, *words)
    sequence, start_ns, more = read_sequence(data)
    snapshots = sequence.snapshots
    clocks = [{one(c, "clock_id"): one(c, "timestamp") for c in s["clocks"]} for s in snapshots]
    primary = [one(snapshot, "primary_trace_clock") for snapshot in snapshots]
    is_right = clocks == [{number: start_ns, BOOT: start_ns, 1: WALL_NS}] and primary == [number]
    tap.nothing(wrong + more + ([] if is_right else [snapshots]), f"the clock {name}")


def check_deep(tap):
    """What Perfetto would drop is left out with its ends, counted in the file and on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(cases.DEEP_CASE, Path(folder, "trace.dat"))
        words = ("export", "--perfetto=out", "--rows=tracepoint", "trace.dat")
        _, said = cases.run(folder, *words)
        data = Path(folder, "out").read_bytes()
    sequence, _, wrong = read_sequence(data)
    notes = [name for _, _, _, name, _ in sequence.own]
    tap.ok(said == [cases.DEEP_NOTE] and cases.DEEP_TEXT in notes and not wrong, "slices below 512", said, notes)
    check_deep_instants(tap)


def check_deep_instants(tap):
    """Likewise instants; one at the last depth is shown."""
    records = ("repeat 511", "+1us 7@0 io B", "end", "+1us 7@0 io I", "+1us 7@0 io B", "+1us 7@0 io I")
    with tempfile.TemporaryDirectory() as folder:
        event = "event demo:io 100 char track_event_type; string slice_name"
        cases.make_of("\n".join((event, *records)), Path(folder, "trace.dat"))
        data, said = cases.run(folder, "export", "--perfetto=-", "--rows=tracepoint", "trace.dat")
    sequence, _, wrong = read_sequence(data)
    (track,) = sequence.tracks.values()
    is_said = len(said) == 1 and "standard output: 1 slice or instant below 512 open slices is" in said[0]
    tap.ok(is_said and len(track.instants) == 1 and not wrong, "instants below 512", *said, *wrong)


def export_of(text):
    """{name: descriptor} of the tracks of a script, and all descriptors by their id."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(text, Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "-r", "convention", "--perfetto=-", "--rows=tracepoint", "trace.dat")
    sequence, _, more = read_sequence(data)
    names = {one(track.descriptor, "name"): track.descriptor for track in sequence.tracks.values()}
    return names, sequence.descriptors, wrong + more


IO = "event demo:io 100 char track_event_type; string slice_name"


def check_order(tap):
    """Siblings are sorted by their number; a single one needs no group."""
    queues = (2, 10, 1 << 40, -3)
    records = [f"{i}us 7@0 q I x {queue}" for i, queue in enumerate(queues)]
    event = "event demo:q 101 char track_event_type; string slice_name; s64 scope_queue"
    names, every, wrong = export_of("\n".join((IO, event, *records, "9us 7@0 io I x")))
    ranks = {name: one(track, "sibling_order_rank") for name, track in names.items()}
    expected = {"q queue 2": 2, "q queue 10": 10, f"q queue {1 << 40}": (1 << 31) - 1, "q queue -3": -3}
    tap.ok(ranks == expected | {"demo:io tid 7": None} and not wrong, "ranks of siblings", ranks, wrong)
    groups = [one(one_track, "name") for one_track in every.values() if "child_ordering" in one_track]
    tap.ok(groups == ["ktrack", "demo:q"], "groups", groups)


def check_names(tap):
    """Tracks of one name below one process have different names; a buffer is named if there are several."""
    fields = "char track_event_type; string slice_name; string track_name; pid_t scope_tgid"
    events = [f"event {system}:io {100 + i} {fields}" for i, system in enumerate(("one", "two", "three"))]
    records = ["0 7@0 one:io I x io 7", "1us 7@0 two:io I x io 7", "2us 7@0 three:io I x rx 7"]
    records += ["3us 7@0 two:io I x rx 7", "4us 7@0 one:io I x '' 7".replace("''", '""')]
    names, _, wrong = export_of("\n".join((*events, *records)))
    expected = {"io", "io (two:io)", "rx", "rx (two:io)", "one:io"}
    tap.ok(set(names) == expected and not wrong, "names below a process", sorted(names), wrong)
    names, _, wrong = export_of(f'{IO}\nbuffer only\n0 7@0 io I x')
    tap.ok(set(names) == {"demo:io tid 7"} and not wrong, "the only buffer", sorted(names), wrong)
    names, _, wrong = export_of(f'{IO}\nbuffer a\n0 7@0 io I x\nbuffer b\n1us 7@0 io I x')
    tap.ok(set(names) == {"io tid 7 in a", "io tid 7 in b"} and not wrong, "two buffers", sorted(names), wrong)


def check_reuse(tap):
    """A number that is used again is another process in Perfetto too."""
    formats = "../formats/6.1/task/task_newtask", "../formats/6.1/sched/sched_process_exit"
    event = "event demo:p 101 char track_event_type; string slice_name; pid_t scope_tgid"
    lines = [f"format {path}" for path in formats] + [event, "buffer ktrack-durable"]
    lines += ["5us 5@1 task_newtask pid=7 comm=second", 'buffer ""']
    lines += ["0 7@0 demo:p I x 7", "1us 7@0 demo:p B open 7", "9us 7@0 demo:p I x 7"]
    _, every, wrong = export_of("\n".join(lines))
    found = [track["process"][0] for track in every.values() if "process" in track]
    numbers = [one(process, "pid") for process in found]
    starts = [one(process, "start_timestamp_ns") for process in found]
    tap.ok(numbers == [7, 7, 7] and starts == [None, 10**9 + 5000, 10**9 + 5000] and not wrong, "a reused pid", found, wrong)
    parents = [one(track, "parent_uuid") for track in every.values() if "tracepoint" in one(track, "description", "")]
    check_tasks(tap, every, parents, "a pid that is used twice")


def check_tasks(tap, every, parents, what):
    """Perfetto takes each of some processes or threads for another one."""
    for keeps_ids in (False, True):
        tasks = tasks_of(every, keeps_ids)
        found = [tasks[uuid] for uuid in parents]
        tap.ok(len(set(found)) == len(found) > 1, f"{what}: each is one{' if ids are kept' * keeps_ids}", every)


LIFE = """{at}0us   1@1 task_newtask pid=20 comm=p{at} clone_flags=0x1200000
{at}1us   20@1 io I x
{at}2us   20@1 p I x 20
"""
THREAD_LIFE = """{at}3us   20@1 task_newtask pid=21 comm=t{at} clone_flags=0x10000
{at}4us   21@1 io I x
{at}5us   21@1 sched_process_exit comm=t{at} pid=21
"""
DEATH = "{at}8us   20@1 sched_process_exit comm=p{at} pid=20\n"


def check_reuse_again(tap):
    """Likewise the third and fourth process, or thread of a process, with one number."""
    paths = "task/task_newtask", "sched/sched_process_exit"
    event = "event demo:p 101 char track_event_type; string slice_name; pid_t scope_tgid"
    lines = [f"format ../formats/6.12/{path}" for path in paths] + [IO, event]
    lives = [LIFE + DEATH] * 3 + [LIFE] + [THREAD_LIFE] * 4
    text = "".join(life.format(at=at + 1) for at, life in enumerate(lives))
    _, every, wrong = export_of("\n".join((*lines, "cgroup 20 /a", text)))
    labels = {one(track["process"][0], "process_labels") for track in every.values() if "process" in track and "process_labels" in track["process"][0]}
    tap.ok(labels == {"/a"}, "cgroups of processes", labels)
    parents = [one(track, "parent_uuid") for track in every.values() if "tracepoint" in one(track, "description", "")]
    tap.ok(len(parents) == 12 and not wrong, "four processes, four threads", parents, wrong)
    names = {one(track["process"][0], "process_name") for track in map(every.get, parents) if "process" in track}
    tap.ok(names >= {"p1", "p2", "p3"}, "names of processes", names)
    check_tasks(tap, every, parents, "numbers that are used four times")


def losses_of(sequence):
    """When losses were."""
    start_ns = one(sequence.snapshots[0]["clocks"][0], "timestamp")
    times = [time_ns - start_ns for time_ns, _, kind, _, _ in sequence.own if "SLICE" in kind]
    return list(zip(times[::2], times[1::2]))


RENAMED = """format ../formats/6.12/task/task_newtask
format ../formats/6.12/task/task_rename
event demo:depth 102 s64 counter_value
0us   1@1 task_newtask pid=20 comm=sh clone_flags=0x1200000
"""
RENAMED_EVENTS = """2us   20@1 io B one
3us   20@1 io E ""
4us   20@1 depth 1
5us   20@1 task_rename pid=20 oldcomm=sh newcomm=cat oom_score_adj=0
6us   20@1 io B two
7us   20@1 io E ""
8us   20@1 depth 2
"""


def check_renamed(tap):
    """Tracks of a thread before and after its new name are one row, and so are its counters; other tracks of its are others."""
    text = f"{IO}\nevent demo:other 101 char track_event_type; string slice_name; string track_name\n{RENAMED}"
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(f"{text}1us   20@1 other I x io\n{RENAMED_EVENTS}", Path(folder, "trace.dat"))
        data, wrong = cases.run(folder, "export", "--perfetto=-", "--rows=tracepoint", "trace.dat")
    sequence, _, more = read_sequence(data)
    tracks = sequence.tracks.values()
    keys = [one(track.descriptor, "sibling_merge_key") for track in tracks if track.identity["tracepoint"] == "demo:io"]
    others = [one(track.descriptor, "sibling_merge_key") for track in tracks if track.identity["tracepoint"] == "demo:other"]
    is_row = len(keys) == 2 and len(set(keys)) == 1 and not set(keys) & set(others)
    tap.ok(is_row and not wrong + more, "a renamed thread is one row", keys, others, wrong + more)
    samples = [track.samples for track in tracks if track.identity["kind"] == "counter"]
    tap.ok([[value for _, value in one_track] for one_track in samples] == [["1", "2"]], "and its counter", samples)


def check_losses(tap):
    """A loss lasts as long as nothing was read, and begins with the recording at the earliest."""
    sequence, wrong = export(cases.LOSSES_CASE)
    tap.ok(losses_of(sequence) == cases.LOSSES and not wrong, "when losses were", losses_of(sequence), wrong)
    sequence, wrong = export(cases.EARLY_CASE, make=lambda _, path: cases.make_early(path))
    tap.ok(losses_of(sequence) == cases.EARLY_LOSSES and not wrong, "losses before the first record", losses_of(sequence), wrong)


def check_open(tap):
    """Slices that nothing ended are left open."""
    sequence, wrong = export("begin-never-closed")
    left = sum(len(track.stack) for track in sequence.tracks.values())
    tap.nothing(wrong + ([] if left > 0 else ["all are closed"]), "unfinished slices are open")


def check_emitters(tap):
    """Who began a slice and who ended it are two arguments of it."""
    sequence, wrong = export("demo-tracepoints", "--with=tid,cpu,comm")
    slices = [one_slice for track in sequence.tracks.values() for one_slice in track.slices]
    reported = [{"ktrack:tid", "ktrack:cpu"} <= set(args) for _, _, _, *both, _, _ in slices for args in both]
    crossed = [(before["ktrack:tid"], behind["ktrack:tid"]) for *_, before, behind, _, _ in slices if behind]
    is_reported = sum(reported) > len(slices) and any(begin != end for begin, end in crossed)
    tap.nothing(wrong + ([] if is_reported else [slices]), "who began and who ended a slice")


@tested
def main(tap):
    """All checks."""
    for case in cases.export_all("perfetto", cases.nested_names):
        cases.check(tap, *case, compare)
    check_clocks(tap)
    check_clock(tap, "mono", MONOTONIC)
    check_clock(tap, "mono_raw", MONOTONIC_RAW)
    check_deep(tap)
    check_order(tap)
    check_names(tap)
    check_reuse(tap)
    check_reuse_again(tap)
    check_open(tap)
    check_emitters(tap)
    check_losses(tap)
    check_renamed(tap)

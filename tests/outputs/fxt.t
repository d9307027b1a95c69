#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the file of --fxt keeps Fuchsia's trace format for every golden case, and shows what EVENT reports.

Arguments: checks ("strings") and golden cases; all without one.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
import process  # noqa: E402
from fxt import IDLE_WEIGHT, MACHINE_KOIDS, OWN_KOIDS, STATES_OF_THREADS, File, Reader, compare, compare_rows, file_text  # noqa: E402
from model import read_event  # noqa: E402
from reading.stream import check_lines  # noqa: E402
from tap import Tap  # noqa: E402

IS_FULL = bool(os.environ.get("KTRACK_FULL"))


def export(text, *words):
    """(EVENT, the file, what is wrong) of a script."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(text, Path(folder, "trace.dat"))
        stream, wrong = cases.run(folder, "export", "--event", "--fxt=out", *words, "trace.dat")
        return stream, Path(folder, "out").read_bytes(), wrong


def both(tap, text, title, *words):
    """A script whose file is compared with EVENT in both forms; returns the file with a thread for each track."""
    for rows, read in (("thread", compare_rows), ("tracepoint", compare)):
        stream, data, wrong = export(text, f"--rows={rows}", *words)
        cases.check(tap, f"{title}: --rows={rows}", stream, data, wrong, read)
    return data


def check_case(tap, name):
    """A golden case with rows of threads, and with a thread for each track, on which slices that cross are cut."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(name, Path(folder, "trace.dat"))
        for rows, read in (("thread", compare_rows), ("tracepoint", compare_rows if name == cases.CROSSING_CASE else compare)):
            stream, wrong = cases.run(folder, "export", "--event", "--fxt=out", f"--rows={rows}", *cases.rules_of(name), "trace.dat")
            wrong += [f"EVENT, line {number}: {rule}: {text}" for number, rule, text in check_lines(stream.splitlines(keepends=True))]
            cases.check(tap, name, stream, Path(folder, "out").read_bytes(), wrong, read)


SLICE = "event demo:io 100 char track_event_type; string slice_name"
SCHED = """format ../formats/6.12/sched/sched_switch
format ../formats/6.12/sched/sched_waking
task 40 make 40
task 41 helper 40
task 20 kworker 20
"""


def check_bits(tap):
    """The reader itself: no bit of a file can change without a difference."""
    text = f"""{SCHED}{SLICE}; s64 big; u32 small; double part; string text
event demo:level 101 s64 counter_value
event demo:lane 102 char track_event_type; string slice_name; ktrack_async_id scope_request; ktrack_flow_id request
0   40@0 sched_switch prev_comm=make prev_pid=40 prev_state=2 next_comm=kworker next_pid=20
1us 20@0 sched_waking comm=make pid=40
2us 41@1 io B one -5000000000 7 0.5 letters
3us 41@1 io E "" 1 2 3 x
4us 41@1 io I now 0 0 0 y
5us 41@1 level 4
6us 41@1 lane B a 1 2
6us 41@1 lane I b 1 2
7us 41@1 lane E a 1 0
lost 1 3
9us 41@1 level 5
"""
    _, data, wrong = export(text, "-r", "sched", "-e", "demo")
    whole, ignored = file_text(data), []
    for at in range(8, len(data)):
        for bit in range(8) if IS_FULL else ((at + at // 8) % 8,):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            try:
                ignored += [(at, bit)] if file_text(bytes(changed)) == whole else []
            except ValueError:
                pass
    kinds = {line.partition(" |")[0].partition(" time")[0].partition(" koid")[0].partition(" index")[0] for line in whole.splitlines()}
    tap.ok(len(kinds) == 20 and not wrong, "a file with records of all kinds that ktrack writes", *sorted(kinds), *wrong)
    tap.nothing(ignored, "the reader ignores no bit" if IS_FULL else "the reader ignores none of the bits that are tried, one of each byte")


def check_types(tap):
    """Numbers, texts and truth have their types; integers the shorter one into which they fit."""
    fields = "s64 a; s64 b; u64 c; u64 d; s8 e; u16 f; bool g; float h; double i; string j; u8 k[3]"
    values = f"-1 {-2**31 - 1} {2**32 - 1} {2**32} -128 65535 1 0.5 -1e300 word 0102ff"
    data = both(tap, f"{SLICE}; {fields}\n0 7@0 io I x {values}\n", "types of fields")
    wanted = {"a": ("int32", -1), "b": ("int64", -(2**31) - 1), "c": ("uint32", 2**32 - 1), "d": ("uint64", 2**32), "e": ("int32", -128), "f": ("uint32", 65535)}
    wanted |= {"g": ("bool", True), "h": ("double", 0.5), "i": ("double", -1e300), "j": ("string", "word"), "k": ("string", "0102ff")}
    found = File(data).events[0]["args"]
    tap.ok(found == wanted, "are those of the format", found)


def check_arguments(tap):
    """An event has 15 arguments; the last one counts the others, and marks are never among these."""
    names = [f"f{index}" for index in range(20)]
    text = f"{SLICE}; {'; '.join(f'u32 {name}' for name in names)}\n"
    numbers = " ".join(map(str, range(20)))
    data = both(tap, f"{text}0 7@0 io B x {numbers}\nlost 0 5\n9us 7@0 io E x {numbers}\n", "20 fields")
    begin, end = [list(event["args"].items()) for event in File(data).events]
    tap.ok(begin == [(name, ("uint32", index)) for index, name in enumerate(names[:14])] + [("ktrack:more", ("uint32", 6))], "six of them are counted", begin)
    tap.ok(end[0] == ("ktrack:suspect", ("bool", True)) and end[1][0] == "end:f0" and end[-1] == ("ktrack:more", ("uint32", 7)), "a mark is not", end)
    for number in (14, 15, 16):
        text = f"{SLICE}; {'; '.join(f'u32 {name}' for name in names[:number])}\n0 7@0 io I x {' '.join(map(str, range(number)))}\n"
        args = File(both(tap, text, f"{number} fields")).events[0]["args"]
        tap.ok(len(args) == min(number, 15) and ("ktrack:more" in args) == (number == 16), f"{number} fields: {min(number, 15)} arguments", args)


def check_long(tap):
    """Long texts end behind a whole character, and arguments that do not fit into a record are counted."""
    text = f"page 65536\n{SLICE}; {'; '.join(f'string t{index}' for index in range(8))}\n"
    names = " ".join(['"' + "\\xff" * 3000 + '"'] * 6 + ["short", "end"])
    _, data, wrong = export(f"{text}0 7@0 io I x {names}\n1us 7@0 io I {'n' * 9000} {names}\n")
    first, second = File(data).events
    cut = ("string", "\ufffd" * 2666)
    tap.ok(list(first["args"].values()) == [cut] * 4 + [("uint32", 4)] and not wrong, "what does not fit is counted", list(first["args"]), *wrong)
    tap.ok(list(second["args"].values()) == [cut] * 3 + [("uint32", 5)] and second["name"] == "n" * 8000, "behind a long name, too", list(second["args"]))


def check_strings(tap):
    """The table of strings has 32,767, and those of values take half of it; further ones are inline."""
    data = both(tap, f"{SLICE}\nrepeat 33000\n+100 7@0 io I name$i\nend\n", "33,000 names")
    tap.ok(File(data).registered["strings"] == 32767, "the table of strings is full", File(data).registered)
    data = both(tap, f"{SLICE}; string text\nrepeat 17000\n+100 7@0 io I x value$i\nend\n10ms 7@0 io I late late\n", "17,000 values")
    strings = [found["text"] for kind, found in Reader(data).records() if kind == "string"]
    tap.ok(len(strings) == 32767 // 2 + 1 and strings[-1] == "late", "values leave the other half to names", len(strings), strings[-3:])
    data = both(tap, f"{SLICE}; string text\n0 7@0 io I {'a' * 64} {'b' * 65}\n", "long strings")
    strings = {found["text"] for kind, found in Reader(data).records() if kind == "string"}
    tap.ok("a" * 64 in strings and "b" * 65 not in strings, "long strings are inline", *strings)


def check_threads(tap):
    """The table of threads has 255; further ones are inline."""
    lines = "".join(f"{index}us {1000 + index % 300}@0 io I x\n" for index in range(600))
    file = File(both(tap, f"{SLICE}\n{lines}", "300 threads"))
    inline = {event["place"] for event in file.events if event["is_inline"]}
    tap.ok(file.registered["threads"] == 255 and len(inline) == 45, "the table of threads is full", file.registered, len(inline))
    _, data, _ = export(f"{SLICE}\n{lines}")
    koids = {event["place"][1] for event in File(data).events}
    tap.ok(koids == {*range(1000, 1300)}, "threads are those of the kernel", len(koids))


def check_places(tap):
    """Threads are in their processes; rows, lanes and others in that of the machine; renamed threads have their new names."""
    text = f"""format ../formats/6.12/task/task_newtask
format ../formats/6.12/task/task_rename
host tower
{SLICE}
event demo:cpu 101 char track_event_type; string slice_name; s32 scope_cpu
event demo:lane 102 char track_event_type; string slice_name; ktrack_async_id scope_request
event demo:other 103 char track_event_type; string slice_name
event demo:level 104 s64 counter_value
0us   1@1 task_newtask pid=20 comm=sh clone_flags=0x1200000
1us   20@1 io I one
2us   20@1 task_newtask pid=21 comm=worker clone_flags=0x10000
3us   21@1 io B outer
4us   21@1 other B crossing
5us   21@1 io E outer
6us   21@1 other E crossing
7us   21@1 cpu I two 3
8us   21@1 lane B three 5
9us   21@1 lane E three 5
10us  20@1 task_rename pid=20 oldcomm=sh newcomm=cat oom_score_adj=0
11us  20@1 io I four
12us  21@1 level 1
13us  99@1 io I elsewhere
"""
    file = File(export(text)[1])
    places = {event["name"]: event["place"] for event in file.events}
    tap.ok(places["one"] == places["four"] == (20, 20) and places["outer"] == (20, 21), "a thread is its TID, its process the TGID", places)
    others = [places[name] for name in ("crossing", "two", "three", "level tid 21 worker")]
    tap.ok({process for process, _ in others} == {OWN_KOIDS} and file.processes[OWN_KOIDS] == "tower", "all else is in the machine's process", others, file.processes)
    tap.ok(len({koid for _, koid in others}) == 4 and min(koid for _, koid in others) > OWN_KOIDS, "with koids that no thread has", others)
    tap.ok(places["elsewhere"] == (OWN_KOIDS, 99), "so is a thread of an unknown process", places)
    tap.ok((file.processes[20], file.threads[20][1], file.threads[21][1]) == ("cat", "cat", "worker"), "the names at the end", file.processes, file.threads)
    kinds = [event["kind"] for event in file.events if event["name"] in ("crossing", "three")]
    tap.ok(kinds == ["begin", "end", "begin", "end", "async begin", "async end"], "lanes have async events", kinds)
    named = [found["name"] for kind, found in Reader(export(text)[1]).records() if kind == "object" and found["koid"] == 20]
    tap.ok(named == ["sh", "sh", "cat", "cat"], "process and thread are named, and again when that changes", named)


def schedule(text, *words):
    """(switches and wakeups, what is wrong) of a script."""
    _, data, wrong = export(text if text.startswith("#") else SCHED + text, "-r", "sched", *words)
    found = []
    for kind, one in Reader(data).records():
        if kind in ("switch", "wakeup"):
            args = {name: value for name, (_, value) in one["args"].items()}
            found.append((kind, one["time"] - 1000000000, one["cpu"], *(one[key] for key in ("out", "in", "thread", "state") if key in one), args))
    return found, wrong


def check_schedule(tap):
    """Context switches have both threads; a thread that is idle, or not known, is marked."""
    found, wrong = schedule("""0   40@0 sched_switch prev_comm=make prev_pid=40 prev_state=2 next_comm=kworker next_pid=20
1us 20@0 sched_waking comm=make pid=40
2us 20@0 sched_switch prev_comm=kworker prev_pid=20 prev_state=1 next_comm=make next_pid=40
3us 40@0 sched_switch prev_comm=make prev_pid=40 prev_state=256 next_comm=swapper/0 next_pid=0
4us 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=make next_pid=40
5us 40@0 sched_switch prev_comm=make prev_pid=40 prev_state=16 next_comm=kworker next_pid=20
""")
    idle = next((one[4] for one in found if one[0] == "switch" and one[1] == 3000), None)
    wanted = [
        ("switch", 0, 0, 40, 20, "blocked", {"ktrack:state": "D"}),
        ("wakeup", 1000, 0, 40, {"waker": 20}),
        ("switch", 2000, 0, 20, 40, "blocked", {"ktrack:state": "S"}),
        ("switch", 3000, 0, 40, idle, "running", {"incoming_weight": IDLE_WEIGHT, "ktrack:state": "R+"}),
        ("switch", 4000, 0, idle, 40, "running", {"outgoing_weight": IDLE_WEIGHT, "ktrack:state": "R"}),
        ("switch", 5000, 0, 40, 20, "dead", {"ktrack:state": "X"}),
    ]
    tap.ok(found == wanted and idle > OWN_KOIDS and not wrong, "records of the scheduler", *found, *wrong)
    two = "".join(f"0 {prev}@{cpu} sched_switch prev_comm=x prev_pid={prev} prev_state=1 next_comm=y next_pid={next_}\n" for prev, cpu, next_ in ((40, 0, 20), (41, 1, 99)))
    found, wrong = schedule(two)
    tap.ok([one[:5] for one in found] == [("switch", 0, 0, 40, 20), ("switch", 0, 1, 41, 99)] and not wrong, "switches of two CPUs at one time", *found, *wrong)
    found, wrong = schedule("0 40@2 sched_switch prev_comm=make prev_pid=40 prev_state=64 next_comm=kworker next_pid=20\n", "--pid=40")
    tap.ok([one[:3] for one in found] == [("switch", 0, 2)] and not wrong, "one whose threads are selected", *found, *wrong)
    found, wrong = schedule("""format ../formats/6.12/task/task_rename
0   20@0 sched_switch prev_comm=kworker prev_pid=20 prev_state=1 next_comm=make next_pid=40
1us 40@0 task_rename pid=40 oldcomm=make newcomm=cc oom_score_adj=0
2us 40@0 sched_switch prev_comm=cc prev_pid=40 prev_state=1 next_comm=kworker next_pid=20
""")
    tap.ok([one[1:5] for one in found] == [(0, 0, 20, 40), (2000, 0, 40, 20)] and not wrong, "a thread that is renamed goes on", *found, *wrong)
    found, wrong = schedule(Path(cases.GOLDEN, "rules-exec-by-a-thread.script").read_text())
    tap.ok([one[2:5] for one in found if one[1] == 7000] == [(1, 51, 50)] and not wrong, "one that takes the number of its process stays on its CPU", *found, *wrong)
    kept, _, wrong = export(SCHED + two, "-r", "sched", "--rows=tracepoint")
    names = [track.category for track in read_event(kept).values()]
    _, data, _ = export(SCHED + two, "-r", "sched", "--rows=tracepoint")
    categories = {event["category"] for event in File(data).events}
    tap.ok(STATES_OF_THREADS in names and STATES_OF_THREADS not in categories and "sched:cpu" in categories, "states of threads are no slices, those of CPUs are", *categories)


def check_emitters(tap):
    """The writer of a record is reported if requested."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("names-of-tasks", Path(folder, "trace.dat"))
        cases.run(folder, "export", "--with=tid,cpu,comm", "--fxt=out", "trace.dat")
        events = File(Path(folder, "out").read_bytes()).events
    lacks = [event for event in events if event["kind"] != "counter" and {"ktrack:tid", "ktrack:cpu"} - {name.removeprefix("end:") for name in event["args"]}]
    tap.ok(events and not lacks, "emitters, where asked for", *lacks)


def check_losses(tap):
    """A loss lasts as long as nothing was read, and begins with the recording at the earliest."""
    for make, wanted in ((lambda path: cases.make(cases.LOSSES_CASE, path), cases.LOSSES), (cases.make_early, cases.EARLY_LOSSES)):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder, "trace.dat"))
            cases.run(folder, "export", "--fxt=out", "trace.dat")
            file = File(Path(folder, "out").read_bytes())
        start = file.about[0]["time"]
        found = [(event["time"] - start, event["word"] - start) for event in file.own if event["kind"] == "complete"]
        tap.ok(found == wanted and "lost records cpu 0" in {name for _, name in file.threads.values()}, "when losses were", found, file.threads)


def check_deep(tap):
    """The file says what it omits."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make(cases.DEEP_CASE, Path(folder, "trace.dat"))
        _, said = cases.run(folder, "export", "--fxt=out", "trace.dat")
        own = [event["name"] for event in File(Path(folder, "out").read_bytes()).own]
    tap.ok(cases.DEEP_TEXT in own and said == [cases.DEEP_NOTE], "slices that are too deep", own, said)


def check_before_zero(tap):
    """A machine whose records are older than the first one's clock: no time is negative."""
    with tempfile.TemporaryDirectory() as folder:
        for host, wall in (("alpha", 1700000010000000), ("beta", 1700000000000000)):
            cases.make_of(f"host {host}\nstart 5s\nwall {wall - 5000000}\n{SLICE}\n0 7@0 io B x\n1us 7@0 io E x\n", Path(folder, f"{host}.dat"))
        stream, wrong = cases.run(folder, "export", "--event", "--rows=tracepoint", "--fxt=out", "alpha.dat", "beta.dat")
        data = Path(folder, "out").read_bytes()
    wrong = [line for line in wrong if "clock" not in line]
    cases.check(tap, "times before 0", stream, data, wrong, compare)
    file = File(data)
    tap.ok([event["time"] for event in file.events] == [0, 1000, 10000000000, 10000001000], "the file begins at 0", *file.events)
    tids = sorted({event["place"][1] for event in File(export(f"{SLICE}\n0 7@0 io I x\n")[1]).events})
    tap.ok(tids == [7], "a single machine has its own TIDs", tids)


def check_machines(tap):
    """Machines that are merged have numbers of their own: threads, and the CPUs of the second one follow those of the first."""
    with tempfile.TemporaryDirectory() as folder:
        for host in ("alpha", "beta"):
            text = f"host {host}\nstart 5s\nwall 1700000000000000\n{SCHED}"
            cases.make_of(f"{text}0 40@1 sched_switch prev_comm=make prev_pid=40 prev_state=2 next_comm=kworker next_pid=20\n", Path(folder, f"{host}.dat"))
        _, wrong = cases.run(folder, "export", "-r", "sched", "--fxt=out", "alpha.dat", "beta.dat")
        data = Path(folder, "out").read_bytes()
    switches = [found for kind, found in Reader(data).records() if kind == "switch"]
    places = [(found["cpu"], found["out"], found["in"]) for found in switches]
    wrong = [line for line in wrong if "clock" not in line]
    tap.ok(places == [(1, MACHINE_KOIDS + 40, MACHINE_KOIDS + 20), (3, 2 * MACHINE_KOIDS + 40, 2 * MACHINE_KOIDS + 20)] and not wrong, "threads and CPUs of two machines", *places, *wrong)
    names = {name: koid for koid, name in File(data).processes.items()}
    tap.ok(names["alpha"] == OWN_KOIDS + 1 and names["beta"] == OWN_KOIDS + 2 and names["make"] == 2 * MACHINE_KOIDS + 40, "and their processes", names)


def check_killed(tap):
    """A file whose writer was killed is whole up to its last record: EVENT's pipe is full, and nobody reads it."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make_of(f'{SLICE}\nrepeat 2000\n+1us 7@0 io I "$i {"x" * 2000}"\nend\n', Path(folder, "trace.dat"))
        pipe, adding = process.fill_pipe([cases.KTRACK, "export", "--fxt=out", "--event=pipe", "trace.dat"], folder)
        adding.kill()
        adding.wait()
        os.close(pipe)
        data = Path(folder, "out").read_bytes()
    reader = Reader(data, may_be_cut=True)
    names = [found["name"].partition(" ")[0] for kind, found in reader.records() if kind == "event" and found["category"] == "demo:io"]
    tap.ok(names == [str(i) for i in range(len(names))] and 10 < len(names) < 2000 and not reader.rest, "a file of a killed writer", names[:3], len(names), len(reader.rest))
    reader = Reader(data[:-5], may_be_cut=True)
    cut = sum(kind == "event" and found["category"] == "demo:io" for kind, found in reader.records())
    tap.ok(cut == len(names) - 1 and reader.rest, "one that is cut lacks its last record", cut, len(names))


def check_refusals(tap):
    """What cannot be done is said."""
    with tempfile.TemporaryDirectory() as folder:
        cases.make("nothing-in-it", Path(folder, "trace.dat"))
        _, said = cases.run(folder, "export", "--append", "--fxt=out", "trace.dat", status=2)
        wanted = ["ktrack: --append: files of --fxt cannot be appended to; leave out one of the two"]
        tap.ok(said == wanted and not Path(folder, "out").exists(), "a file that cannot be added to", *said)
        _, said = cases.run(folder, "export", "--fxt=/dev/full", "trace.dat", status=1)
        tap.ok(said == ["ktrack: cannot write to /dev/full: No space left on device"], "a full disk", *said)


CHECKS = (check_bits, check_types, check_arguments, check_long, check_strings, check_threads, check_places, check_schedule, check_emitters)
CHECKS += (check_losses, check_deep, check_before_zero, check_machines, check_killed, check_refusals)


def main():
    """Returns the exit status."""
    tap, wanted = Tap(), sys.argv[1:]
    for name in cases.names():
        if not wanted or name in wanted:
            check_case(tap, name)
    for check in CHECKS:
        if not wanted or check.__name__.removeprefix("check_") in wanted:
            check(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the page puts the tracks of packs together: machine, process, thread; CPUs and disks by rule; threads with nothing but states."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cases  # noqa: E402
from pages import DRAW, visit_pages  # noqa: E402
from tap import Tap  # noqa: E402

FORMATS = "".join(
    f"format ../formats/6.12/{system}/{name}\n"
    for system, names in {
        "sched": ("sched_switch", "sched_waking"),
        "raw_syscalls": ("sys_enter", "sys_exit"),
        "irq": ("irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit"),
        "block": ("block_rq_issue", "block_rq_complete"),
    }.items()
    for name in names
)
# Threads 40 and 41 of a process, a process of one thread, two CPUs, two disks, a rule for each process. The rows of 41 begin with
# its wake-up of 60, and with its system call before its state.
RECORDS = """event drv:size 100 s64 size
task 40 make 40
task 41 maker 40
task 60 dd 60
+1us 0@1 irq_handler_entry irq=11 name=virtio0
+1us 0@1 irq_handler_exit irq=11 ret=1
+1us 41@0 sched_waking comm=dd pid=60
+1us 41@0 sys_enter 1
+1us 41@0 sys_exit 1 4096
+1us 41@0 sched_switch prev_comm=maker prev_pid=41 prev_state=1 next_comm=make next_pid=40
+1us 0@1 sched_switch prev_comm=swapper/1 prev_pid=0 prev_state=0 next_comm=dd next_pid=60
+1us 60@1 sys_enter 0
+1us 60@1 block_rq_issue dev=8388608 sector=100 nr_sector=8 bytes=4096 rwbs=R comm=dd
+1us 60@1 block_rq_issue dev=8388608 sector=200 nr_sector=16 bytes=8192 rwbs=R comm=dd
+1us 60@1 block_rq_issue dev=8388624 sector=100 nr_sector=1 bytes=512 rwbs=R comm=dd
+1us 60@1 size 5
+1us 40@0 size 6
+1us 40@0 softirq_entry vec=4
+1us 40@0 block_rq_complete dev=8388608 sector=200 nr_sector=16 rwbs=R error=0
+1us 40@0 block_rq_complete dev=8388624 sector=100 nr_sector=1 rwbs=R error=0
+1us 40@0 block_rq_complete dev=8388608 sector=100 nr_sector=8 rwbs=R error=0
+1us 40@0 softirq_exit vec=4
+1us 60@1 sys_exit 0 4096
+1us 60@1 sched_switch prev_comm=dd prev_pid=60 prev_state=1 next_comm=swapper/1 next_pid=0
"""
RULES = ("-r", "sched,irq,syscalls,block", "-r", "counter drv:size event=drv:size value=size scope=process args=-")
# Nine threads of which only the states are known: more than are always drawn.
IDLE = "".join(f"+1us {tid}@1 sched_switch prev_comm=worker prev_pid={tid} prev_state=1 next_comm=worker next_pid={tid + 1}\n" for tid in range(70, 78))
# The tree as lines: depth, kind and label of each node, and rule, id and lane of its tracks.
TREE = """const lines = [];
const walk = (node, depth) => {
	const tracks = node.tracks.map(({ identity }) => [identity.tracepoint, identity.id, identity.lane ?? 0].join(" "));
	lines.push([depth, node.kind, node.label, ...tracks]);
	node.children.forEach((child) => walk(child, depth + 1));
};
TREE_OF.children.forEach((node) => walk(node, 0));
return lines;"""


def load(pages, text):
    """Loads the page of a recording; returns the lines of its tree."""
    _, wrong = pages.load(lambda path: cases.make_of(FORMATS + text, path), *RULES)
    assert not wrong, wrong
    return tree(pages, "treeOf(ktrack.recording.tracks)")


def tree(pages, which):
    """The lines of a tree."""
    return [tuple(line) for line in pages.browser.run(TREE.replace("TREE_OF", which))]


def children(lines, kind, label):
    """The lines below one; None if it is not there."""
    index = next((index for index, line in enumerate(lines) if line[1:3] == (kind, label)), None)
    if index is None:
        return None
    below = []
    for line in lines[index + 1 :]:
        if line[0] <= lines[index][0]:
            break
        below.append(line[1:])
    return below


def check_threads(tap, pages):
    """A thread's rows are together, states above and wake-ups below; threads are below their process, if it has several."""
    lines = load(pages, RECORDS)
    top = [line[1:] for line in lines if line[0] == 0]
    maker = ("thread", "maker 41", "sched:thread 41 0", "syscalls:call 41 0", "sched:wakeup 41 0")
    make = ("thread", "make 40", "sched:thread 40 0")
    below = children(lines, "process", "process 40 make")
    tap.ok(below is not None and maker in below and make in below, "threads below their process, states above, wake-ups below", *lines)
    single = ("thread", "dd 60", "sched:thread 60 0", "syscalls:call 60 0", "sched:wakeup 60 0")
    other = children(lines, "process", "process 60 dd") or ()
    tap.ok(single in other, "a process of one thread that has tracks of its own", *lines)
    sizes = [line for line in lines if any(track.startswith("drv:size") for track in line[3:])]
    tap.ok(("group", "size pid 40 make", "drv:size 40 0") in (below or ()), "tracks of a process are below it", *sizes)
    tap.ok(("group", "size pid 60 dd", "drv:size 60 0") in other, "and those of another one below that", *sizes)


def check_others(tap, pages):
    """Tracks of CPUs are together by rule; so are the lanes of a disk."""
    lines = load(pages, RECORDS)
    top = [line[1:] for line in lines if line[0] <= 1]
    for rule, name in (("irq:cpu", "interrupts cpu 0"), ("sched:cpu", "running cpu 0")):
        found = [line for line in top if any(track.startswith(f"{rule} ") for track in line[2:])]
        tap.ok(len(found) == 1 and found[0][:2] == ("group", name) and sorted(found[0][2:]) == [f"{rule} 0 0", f"{rule} 1 0"], f"{rule}: both CPUs are together", *found)
    disks = [line[2:] for line in top if any(track.startswith("block:request") for track in line[2:])]
    tap.ok(sorted(disks) == [("block:request 8388608 1", "block:request 8388608 2"), ("block:request 8388624 1",)], "disks, and their lanes", *top)
    drawn = pages.browser.run(DRAW + "return p.lines.map((line) => line.tracks.length > 0 ? p.labelOf(line) : line.node.label);")
    wanted = ["CPUs", "running cpu 0", "running cpu 1", "processes, the busiest first", "process 40 make", "maker 41", "kernel threads", "swapper/1 0", "drivers and devices", "interrupts and timers"]
    places = [drawn.index(label) if label in drawn else -1 for label in wanted]
    tap.ok(-1 not in places and places == sorted(places), "lines are drawn in this order", *drawn)
    lanes = pages.browser.run("""const { joined } = ktrack.picture.lines.find((line) => line.node.label === "maker 41");
        return joined?.rows.map((rows) => rows[0].track.identity.tracepoint) ?? [];""")
    tap.ok(lanes == ["sched:thread", "syscalls:call"], "a thread is one line: its states, its system calls below", *lanes)


# Of each thread: how long it ran, and its slices of that; how the threads of process 40 are sorted; what is shown above one of them.
RAN = """const p = ktrack.picture, { names, tracks } = p.recording, nodes = p.tree.all.filter((node) => node.isThread && node.tracks.some(({ identity }) => identity.tracepoint === STATE_TRACKS && identity.cpu === undefined));
const exact = (node) => {
	let sum = 0;
	for (const row of node.tracks.filter(({ identity }) => identity.tracepoint === STATE_TRACKS).flatMap(({ rows }) => rows))
		row.visit(-Infinity, Infinity, (chunk, i, { begin, end, name }) => { sum += names[name[i]] === "Running" ? end[i] - begin[i] : 0; });
	return sum;
};
const line = p.lines.find(({ node }) => node.label === arguments[0]), shared = p.tree.all.find(({ label }) => label === "process 40 make");
return [nodes.map((node) => [node.label, node.ran, exact(node)]), p.sorted(shared).filter((node) => node.isThread).map(({ label }) => label), shared.ran, ktrack.labelAt({ offsetX: 5, offsetY: p.body - p.scroll + line.top + 5 })];
"""


def check_ran(tap, pages):
    """Threads of a process are in the order of their use of the CPUs, which is shown above their lines."""
    load(pages, RECORDS)
    pages.browser.run(DRAW)
    threads, order, both, tip = pages.browser.run(RAN, "make 40")
    ran = {label: ns for label, ns, _ in threads}
    tap.ok(len(ran) >= 3 and all(ns == exact for _, ns, exact in threads) and both == ran["make 40"] + ran["maker 41"], "how long threads ran", *threads)
    tap.ok(order == sorted(order, key=lambda label: -ran[label]) and ran["make 40"] != ran["maker 41"], "the busiest thread of a process is its first", order, threads)
    tap.ok(tip[-1] == "ran for 14 \u00b5s, 73.7 % of a CPU", "a thread's time is shown above its line", *tip)


DEVICES = ["8,0 sda lane 1", "8,0 sda lane 2", "8,16 sdb lane 1", "8,32 dev 8388640 lane 1", "inflight dev 8388640", "inflight sda", "inflight sdb"]


def check_devices(tap, pages):
    """Labels have the names of block devices that a recording, or a part of it, keeps."""
    _, wrong = pages.load_case("devices")
    found = sorted(pages.browser.run("return ktrack.recording.tracks.map(({ label }) => label);"))
    tap.ok(found == DEVICES and not wrong, "names of devices on the page", *found, *wrong)
    cases.run(pages.folder, "export", "--save=part.dat", "--from=0.000000s", "--to=0.000005s", "trace.dat")
    for name in ("trace.dat", "part.dat"):
        answer = json.loads(cases.run(pages.folder, "stat", "--json", "-r", "block", "--group-by=track", name)[0])
        found = sorted({row["track"] for row in [*answer["slices"], *answer["counters"]]})
        tap.ok(found == DEVICES, f"names of devices in stat of {name}", *found)


SECTIONS = """const { tracks, names } = ktrack.recording, overview = { processes: [{ pid: 60, running_ns: 9 }, { pid: 40, running_ns: 5 }] };
const tree = treeOf(tracks, { names, overview, marks: [{ text: arguments[0] }] }), shown = ktrack.picture.sorted(tree);
return shown.map((node) => [node.label, ...ktrack.picture.sorted(node).map(({ label }) => label)]);"""

# Two machines with the same processes; on the first one ktrack became process 60. The mark of process 40 may be of either.
TWO_COMMANDS = """const { tracks, names } = ktrack.recording, on = (host, list) => list.map((track) => ({ ...track, identity: { ...track.identity, host } }));
const before = tracks.filter(({ identity: { id, scope } }) => scope === "thread" && id === 60).map((track) => ({ ...track, identity: { ...track.identity, comm: "ktrack" } }));
const { children } = treeOf([...on("one", [...before, ...tracks]), ...on("two", tracks)], { names, marks: [{ text: "end of process 40 with status 0" }] });
return children.map((machine) => [machine.label, machine.children.filter(({ label }) => label === "recorded command").flatMap((node) => node.children.map(({ label }) => label))]);"""
PROGRAMS = ("md5sum", "md5deep", "kvm", "xfs_repair", "xfs_io", "btrfs-convert", "btrfs-image", "dm-tool", "nvme-cli", "nvme", "watchdog", "irqbalance", "loopback", "raid-check", "nfsdcld")
KERNEL_THREADS = ("xfsaild/sda1", "xfs-conv/sda1", "nfsd", "kdamond.0", "mld", "ipv6_addrconf", "cryptd", "scsi_tmf_0", "md127_raid1", "irq/24-pciehp", "loop0", "nvme-reset-wq", "btrfs-transacti", "kworker/0:1-events", "rcu_preempt", "jbd2/sda1-8", "watchdog/0", "watchdogd", "swapper/1")
KERNEL = """const lineOf = (comm, i) => ({ identity: { tracepoint: "sched:thread", scope: "thread", id: i + 1, tgid: i + 1, comm }, number: i, rows: [], label: comm });
const isKernel = kernelOf(arguments[0].map((comm, i) => groupNode([lineOf(comm, i)])));
return arguments[0].filter((_, i) => isKernel.get(i + 1));"""
# A process with a thread of another name, one that calls the kernel, one that executed a program, one in a cgroup, a kernel thread.
TORN = """const all = [[902, 902, "loop0"], [903, 902, "CPU 0/KVM"], [50, 50, "loop1", "syscalls:call"], [51, 51, "loop2", "sched:exec"], [52, 52, "loop3", "sched:thread", "/pod/a"], [53, 53, "loop4", "sched:thread", "/"]];
const isKernel = kernelOf(all.map(([id, tgid, comm, tracepoint = "sched:thread", cgroup], number) => groupNode([{ identity: { tracepoint, scope: "thread", id, tgid, comm, cgroup }, number, rows: [], label: comm }])));
return [...isKernel];"""
# Each process forks the next one; the last one is the first track.
FORK_CHAIN = """let nrReads = 0;
const names = Array.from({ length: 301 }, (_, i) => `sh ${i}`), read = (i) => () => ++nrReads && { name: [i + 1] };
const tracks = Array.from({ length: 300 }, (_, i) => ({ identity: { tracepoint: "sched:fork", id: i }, instants: { chunks: [{ read: read(i) }] } })).reverse();
return [familyOf(tracks, names, 0).size, nrReads];"""


def check_sections(tap, pages):
    """The recorded command is apart with what it forked, other processes are in the order of their use of CPUs."""
    load(pages, RECORDS)
    found = {one[0]: one[1:] for one in pages.browser.run(SECTIONS, "")}
    tap.ok(found["processes, the busiest first"] == ["process 60 dd", "process 40 make"], "processes by their use of CPUs", found)
    found = {one[0]: one[1:] for one in pages.browser.run(SECTIONS, "end of process 40 with status 0")}
    tap.ok((found.get("recorded command"), found["processes, the busiest first"]) == (["process 40 make"], ["process 60 dd"]), "the recorded command", found)
    found = pages.browser.run(TWO_COMMANDS)
    tap.ok(found == [["machine one", ["process 60 dd"]], ["machine two", []]], "each machine has its own", *found)
    found = pages.browser.run(KERNEL, [*PROGRAMS, *KERNEL_THREADS])
    tap.ok(found == list(KERNEL_THREADS), "kernel threads by their names", [one for one in found if one in PROGRAMS], [one for one in KERNEL_THREADS if one not in found])
    found = pages.browser.run(TORN)
    tap.ok(found == [[902, False], [50, False], [51, False], [52, False], [53, True]], "what a program's threads tell", *found)
    wrong = pages.load_text(FORKS, "-r", "sched")[1]
    found = pages.browser.run("const { tracks, names } = ktrack.recording; return [[...familyOf(tracks, names, 40)], [...familyOf(tracks, names, 50)], commandOf(tracks, {})];")
    tap.ok(not wrong and sorted(found[0]) == [40, 41, 42] and found[1] == [50, 52], "what it forked, and what that forked", *found, *wrong)
    found = pages.browser.run('return commandOf(ktrack.recording.tracks, { marks: [{ time: 1, text: "end of process 50 with status 0" }] });')
    tap.ok(found == 50, "its end is recorded", found)
    wrong = pages.load_text('writer "ktrack 0.2.0 thread 1\\n# command 40\\n"\n' + FORKS, "-r", "sched")[1]
    found = pages.browser.run("return commandOf(ktrack.recording.tracks, ktrack.recording);")
    tap.ok(found == 40 and not wrong, "the recording has its number", found, *wrong)
    found = pages.browser.run(FORK_CHAIN)
    tap.ok(found == [301, 300], "of a long chain of forks each is read once", *found)


FORKS = (
    "".join(f"format ../formats/6.12/sched/{name}\n" for name in ("sched_switch", "sched_process_fork"))
    + """+1us 40@0 sched_process_fork parent_comm=sh parent_pid=40 child_comm=sh child_pid=41
+1us 50@1 sched_process_fork parent_comm=cron parent_pid=50 child_comm=cron child_pid=52
+1us 41@0 sched_process_fork parent_comm=sh parent_pid=41 child_comm=sh child_pid=42
+1us 42@0 sched_switch prev_comm=sh prev_pid=42 prev_state=1 next_comm=sh next_pid=40
"""
)


def check_idle(tap, pages):
    """Threads with nothing but states are together, closed, if they are many."""
    lines = load(pages, RECORDS + IDLE)
    below = children(lines, "idle", "10 threads with nothing but states")
    wanted = [("thread", f"worker {tid}", f"sched:thread {tid} 0") for tid in range(70, 79)]
    tap.ok(below is not None and set(wanted) <= set(below), "they are below one line", *lines)
    shown = pages.browser.run(DRAW + "return p.lines.map((line) => line.tracks.length > 0 ? p.labelOf(line) : line.node.label);")
    tap.ok(not any("worker" in label for label in shown) and any("maker 41" in label for label in shown), "which is closed", *shown)
    busy = "+1us 78@1 sched_switch prev_comm=worker prev_pid=78 prev_state=1 next_comm=busy next_pid=90\n+500us 90@1 sched_switch prev_comm=busy prev_pid=90 prev_state=1 next_comm=swapper/1 next_pid=0\n"
    load(pages, RECORDS + IDLE + busy)
    closed = pages.browser.run('return ktrack.picture.tree.all.filter(({ kind }) => kind === "idle").flatMap(({ children }) => children.map(({ label }) => label));')
    tap.ok("worker 71" in closed and "busy 90" not in closed, "but for one that used the CPUs", *closed)


# One of two such lines is open, as in its address; then after t, t again, and in that address.
OPENED = """const nodes = () => ktrack.picture.tree.all.filter((node) => node.kind === "idle"), states = [];
const note = () => states.push(nodes().map(({ isOpen }) => isOpen));
nodes()[0].isOpen = true;
const text = ktrack.fragment.text();
for (const act of [() => ktrack.onLetter("t"), () => ktrack.onLetter("t"), () => (history.replaceState(null, "", `#${text}`), ktrack.fragment.read())]) {
	act();
	note();
}
return states;"""


def check_opened(tap, pages):
    """The key t opens all lines of idle threads, or closes all; an address opens those that were open."""
    load(pages, RECORDS + IDLE + IDLE.replace("=worker", "=kworker/1:1").replace("pid=", "pid=1"))
    found = pages.browser.run(OPENED)
    tap.ok(found == [[True, True], [False, False], [True, False]], "lines of two sections", *found)


# A CPU without work for most of the time, first in many short slices, then in a long one.
QUIET = "".join(f"{n}0us 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=work next_pid=9\n{n}1us 9@0 sched_switch prev_comm=work prev_pid=9 prev_state=1 next_comm=swapper/0 next_pid=0\n" for n in range(1, 101))
QUIET += "9ms 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=work next_pid=9\n10ms 9@0 sched_switch prev_comm=work prev_pid=9 prev_state=1 next_comm=swapper/0 next_pid=0\n"
FEW = "1us 9@0 sched_switch prev_comm=work prev_pid=9 prev_state=1 next_comm=swapper/0 next_pid=0\n9ms 0@0 sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=0 next_comm=work next_pid=9\n10ms 9@0 sched_switch prev_comm=work prev_pid=9 prev_state=1 next_comm=swapper/0 next_pid=0\n"
# How high the overview is at times, and the colours of idle, a state, and work.
QUIET_LOOK = """const p = ktrack.picture, grey = p.palette.grey, busy = p.overviewOf(), context = busy.getContext("2d");
const filled = (time) => {
	const { data } = context.getImageData(Math.floor(p.overviewX(time) - GUTTER), 0, 1, busy.height);
	let sum = 0;
	for (let i = 0; i < data.length; i += 4)
		sum += data[i] === grey[0] && data[i + 1] === grey[1];
	return sum / busy.height;
};
const of = (tracepoint, name) => p.palette.of({ identity: { tracepoint } }, p.recording.names.indexOf(name)).css, idle = of("sched:cpu", "swapper/0");
return [filled(5e6), filled(9.5e6), idle === of("sched:thread", "I") || idle === p.palette.make("I", true).css, idle !== of("sched:cpu", "work"), of("drv:io", "swapper/0") !== idle];"""


def check_quiet(tap, pages):
    """A CPU without work looks idle, on its track and in the overview; states are explained by a word."""
    for name, text in (("many", QUIET), ("few", FEW)):
        load(pages, text)
        idle, work, *colours = pages.browser.run(DRAW + QUIET_LOOK.replace("const p = ktrack.picture, ", "const ", 1))
        tap.ok(idle < 0.1 < 0.9 < work and colours == [True] * 3, f"idle in {name} slices", idle, work, *colours)
    states = pages.browser.run('return ["S", "R+", "D|K", "Running"].map(stateOf);')
    tap.ok(states == ["S (sleeping)", "R+ (preempted)", "D|K", "Running"], "words of states", *states)
    pages.browser.run('const t = ktrack.recording.tracks.find(({ identity }) => identity.tracepoint === "sched:thread" && identity.id === 9); ktrack.show(thing(t.rows[0], t.rows[0].chunks[0], 0));')
    head = pages.details().split("\n")[0]
    tap.ok(head.startswith("S (sleeping) 8.999 ms"), "in the details", head)


def check_machines(tap, pages):
    """Processes of two machines with the same number are apart; one machine has no line of its own."""
    lines = load(pages, RECORDS)
    tap.nothing([line for line in lines if line[1] == "machine"], "no line for the only machine")
    two = """treeOf([...ktrack.recording.tracks.map((track) => ({ ...track, identity: { ...track.identity, host: "one" } })),
        ...ktrack.recording.tracks.map((track) => ({ ...track, identity: { ...track.identity, host: "two" } }))])"""
    found = tree(pages, two)
    tap.ok([line[1:3] for line in found if line[0] == 0] == [("machine", "machine one"), ("machine", "machine two")], "two machines", *found)
    for host in ("one", "two"):
        wanted = [line[1:] for line in lines]
        tap.ok(children(found, "machine", f"machine {host}") == wanted, f"all of machine {host} is below it", *found)


# CPU 1 has no work for 7 ms.
NO_WORK = """+7ms 0@1 sched_switch prev_comm=swapper/1 prev_pid=0 prev_state=0 next_comm=dd next_pid=60
+1us 60@1 sched_switch prev_comm=dd prev_pid=60 prev_state=1 next_comm=swapper/1 next_pid=0
"""
STATES = """const r = ktrack.recording, states = r.tracks.filter(({ identity }) => identity.tracepoint === "sched:thread"), running = r.names.indexOf("Running");
const [idle, thread] = [true, false].map((wanted) => states.find(({ identity }) => (identity.cpu !== undefined) === wanted)), { palette } = ktrack.picture;
ktrack.range.select(0, 1e9);
await ktrack.range.show();
const most = Math.max(...ktrack.range.statistics.slices.filter((one) => one.tracepoint === "sched:thread" && one.name === "Running").map((one) => one.max));
return [palette.of(idle, running).css, palette.of(thread, running).css, palette.make("I", true).css, most];"""


def check_idle_task(tap, pages):
    """An idle task is no thread: it has the colour of no work, and is not in statistics of threads."""
    load(pages, RECORDS + NO_WORK)
    idle, thread, no_work, most = pages.browser.run(STATES)
    tap.ok(idle == no_work != thread and 0 < most < 100e3, "an idle task is no thread", idle, thread, no_work, most)


CHECKS = (check_idle_task, check_threads, check_ran, check_devices, check_others, check_sections, check_idle, check_opened, check_quiet, check_machines)


if __name__ == "__main__":
    sys.exit(visit_pages(Tap(), CHECKS))

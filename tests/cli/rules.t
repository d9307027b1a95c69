#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: the examples of rules in ktrack-rules(5) make the tracks that the page promises, of a recording with their tracepoints; hostile files are refused."""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "stream")]

import blocks  # noqa: E402
import process  # noqa: E402
from reading.stream import read_plain  # noqa: E402
from tap import tested  # noqa: E402

KTRACK = blocks.PROJECT / "build/ktrack"

# Fields as kernel 6.12 has them, without those that no example uses.
RECORDING = """\
event vmscan:mm_vmscan_direct_reclaim_begin 100 int order
event vmscan:mm_vmscan_direct_reclaim_end 101 unsigned long nr_reclaimed
event block:block_rq_issue 102 u32 dev; u64 sector; unsigned int nr_sector; unsigned int bytes; char rwbs[8]
event block:block_rq_complete 103 u32 dev; u64 sector; unsigned int nr_sector; int error
event power:cpu_idle 104 u32 state; u32 cpu_id
event power:cpu_frequency 105 u32 state; u32 cpu_id
event kmem:kmalloc 106 u64 bytes_req; u64 bytes_alloc
event sched:sched_process_exec 107 string filename; pid_t pid; pid_t old_pid
event sched:sched_waking 108 char comm[16]; pid_t pid
event sched:sched_switch 109 char prev_comm[16]; pid_t prev_pid; char next_comm[16]; pid_t next_pid

0    7@0 mm_vmscan_direct_reclaim_begin 0
1us  7@0 mm_vmscan_direct_reclaim_begin 3
2us  7@0 mm_vmscan_direct_reclaim_end 32
3us  7@0 mm_vmscan_direct_reclaim_end 1
10us 7@0 block_rq_issue 0x800010 2048 8 4096 WS
11us 8@1 block_rq_issue 0x800010 4096 16 8192 R
12us 8@1 block_rq_issue 0x800010 0 0 0 FF
13us 0@1 block_rq_complete 0x800010 2048 8 -5
14us 0@1 block_rq_complete 0x800010 4096 16 0
20us 0@0 cpu_idle 1 0
21us 0@1 cpu_idle 2 1
22us 0@0 cpu_idle 4294967295 0
23us 0@1 cpu_idle 4294967295 1
30us 7@0 cpu_frequency 1200000 0
31us 7@0 cpu_frequency 2400000 1
32us 7@0 cpu_frequency 3600000 0
40us 7@0 kmalloc 100 128
41us 8@1 kmalloc 28 32
50us 7@0 sched_process_exec /bin/true 7 7
51us 7@0 sched_waking worker 9
52us 8@1 sched_switch idle 8 worker 9
"""

SLICES = {
    ("my:reclaim", "reclaim", 7): [("order 3", 1, 1)],
    ("my:request", "disk 8,16", 8388624): [("WS 4096", 10, 3), ("R 8192", 11, 3)],
    ("my:idle", "idle", 0): [("C1", 20, 2)],
    ("my:idle", "idle", 1): [("C2", 21, 2)],
}
SAMPLES = {
    ("my:open", "open", 8388624): ["1", "2", "1", "0"],
    ("my:frequency", "frequency (kHz)", 0): ["1200000", "3600000"],
    ("my:frequency", "frequency (kHz)", 1): ["2400000"],
    ("my:requested", "requested (bytes)", None): ["100", "128"],
}


class Stream:
    """Slices, samples and instants of an output, by (rule, name of the track, id)."""

    def __init__(self, text):
        self.slices, self.samples, self.instants = defaultdict(list), defaultdict(list), []
        self.tracks, self.open = {}, defaultdict(list)
        for event in read_plain(text):
            self.take(event)

    def take(self, event):
        """One line."""
        what, thread = event["event"], event["thread"]
        value = event.get("value")
        if what == "data_json" and event["category"] == "track":
            self.tracks[thread] = (value["tracepoint"], value["name"], value.get("id"))
        elif what == "data_json" and event["category"].startswith("my:"):
            self.instants.append((event["category"], event["key"], self.tracks[thread][2], tuple(event.get("flow", ()))))
        elif what == "data":
            self.samples[self.tracks[thread]].append(value)
        elif what == "region_enter":
            self.open[thread].append((event["label"], round(1e6 * event["t_abs"])))
        elif what == "region_leave":
            label, begin_us = self.open[thread].pop()
            end_us = round(1e6 * event["t_abs"])
            self.slices[self.tracks[thread]].append((label, begin_us, end_us - begin_us))


def export(folder):
    """The output of the examples' rules, all at once."""
    script, trace, rules = folder / "examples.script", folder / "trace.dat", folder / "page.rules"
    script.write_text(RECORDING)
    rules.write_text("\n".join(block.text for block in blocks.blocks("rules")))
    subprocess.run([blocks.PROJECT / "tests/golden/mktrace", script, trace], check=True)
    return subprocess.run([KTRACK, "export", "-v", "-r", rules, "--event", trace], capture_output=True, text=True, check=False)


# Hostile files of rules, and what is reported.
REFUSED = {
    b"slice a:b begin=s:x\0 end=s:y\n": "not a text file",
    b"# x\n" * 300000: "no file of rules: too large",
    b"".join(b"instant m:r%d event=s:e\n" % i for i in range(1025)): "more than 1024 rules",
    b"instant m:g event=s:e where=" + b"(" * 5000 + b"id == 1" + b")" * 5000 + b"\n": "the filter exceeds 4095 bytes",
    b"instant m:g event=s:e\ninstant m:g event=s:f\n": "m:g is also in",
    b"root:x:0:0:secret\n": "expected slice, state, counter, instant or flow",
}


def check_refused(tap, folder):
    """Files that are no rules are refused in one line without their content; patterns of any depth end."""
    path = folder / "hostile.rules"
    for text, problem in REFUSED.items():
        path.write_bytes(text)
        done = process.run([KTRACK, "list", "-r", path], capture_output=True, text=True)
        is_refused = done.returncode == 2 and problem in done.stderr and done.stderr.count("\n") == 1
        tap.ok(is_refused and "secret" not in done.stderr, f"refused: {problem}", done.returncode, done.stderr)
    done = process.run([KTRACK, "list", "-r", f"{folder}/"], capture_output=True, text=True)
    tap.ok(done.returncode == 2 and "directory" in done.stderr, "refused: a directory", done.stderr)
    path.write_bytes(b"instant m:g event=raw_syscalls:" + b"*s" * 500 + b"*" * 500 + b"q\n")
    done = process.run([KTRACK, "stat", "-r", path, folder / "trace.dat"], capture_output=True, text=True)
    tap.ok(done.returncode == 1 and "none of the tracepoints" in done.stderr, "a deep pattern matches nothing", done.stderr)


def check_too_many(tap, folder):
    """Of too many pairs of rules and tracepoints those are left out that come last, in one line with their number."""
    trace, path = folder / "many.dat", folder / "many.rules"
    lines = ["event raw:first 100 u32 id", "event raw:second 101 u32 id", "event raw:third 102 u32 id"]
    lines += ["0 7@0 raw:first 1", "1us 7@0 raw:second 1", "2us 7@0 raw:third 1"]
    (folder / "many.script").write_text("\n".join(lines) + "\n")
    subprocess.run([blocks.PROJECT / "tests/golden/mktrace", folder / "many.script", trace], check=True)
    uses = " ".join(["event=raw:*"] * 64)
    path.write_text("".join(f"instant m:r{number} {uses} args=-\n" for number in range(100)))
    done = process.run([KTRACK, "export", "-q", "-r", path, "--event", trace], capture_output=True, text=True)
    nr_instants = sum('"category":"m:r' in line for line in done.stdout.splitlines())
    tap.ok(5000 < nr_instants < 10000 and done.returncode == 0, "too many pairs: those before them make tracks", nr_instants)
    nr_left = 3 * 100 * 64 - nr_instants
    want = f"ktrack: rules: left out {nr_left} uses of tracepoints: all take at most 16 MiB; use fewer rules with wildcards"
    tap.ok(want in done.stderr.splitlines(), "too many pairs: a line has their number", want, done.stderr)


def check_pair(tap, folder):
    """A pack that is given twice is used once; a pipe can contain rules."""
    words = [KTRACK, "list", "--json", "-r", "syscalls,syscalls", "-r", "/dev/stdin"]
    done = process.run(words, input="instant m:g event=s:e\n", capture_output=True, text=True, cwd=folder)
    names = [json.loads(line)["rule"] for line in done.stdout.splitlines()]
    tap.ok(sorted(names) == ["m:g", "syscalls:call"], "a pack given twice, and rules of a pipe", names, done.stderr)


# Systems with tracepoints that follow the convention, in the order of their numbers of records.
SYSTEMS = ("demo", "fast", "late", "mid", "next", "other", "past")


def left_out(folder, nr_systems, *words):
    """The lines of an export, except about the clock, of a recording of several systems and a tracepoint that rules use."""
    trace = folder / "left.dat"
    lines = [f"event {name}:io {100 + number} char track_event_type; string slice_name" for number, name in enumerate(SYSTEMS[:nr_systems])]
    lines += ["event raw:begin 200 u32 id", "event raw:other 201 u32 id", "0 7@0 raw:begin 1", "1us 7@0 raw:other 1"]
    for number, name in enumerate(SYSTEMS[:nr_systems]):
        lines += [f"+1us 7@0 {name}:io I x"] * (len(SYSTEMS) - number)
    (folder / "left.script").write_text("\n".join(lines) + "\n")
    subprocess.run([blocks.PROJECT / "tests/golden/mktrace", folder / "left.script", trace], check=True)
    done = subprocess.run([KTRACK, "export", *words, trace], capture_output=True, text=True, check=False)
    return [line for line in done.stderr.replace(str(trace), "left.dat").splitlines() if "wall clock" not in line], done.stdout


def check_left_out(tap, folder):
    """Rules without -e leave out records that follow the convention: a line names the option that adds them."""
    rule = ("-r", "instant my:begin event=raw:begin")
    lines, _ = left_out(folder, 2, *rule)
    tap.ok(lines == ["ktrack: left.dat: -r leaves out track events: 13 records of demo, fast; add -e demo,fast"], "they are counted", *lines)
    lines, output = left_out(folder, 2, *rule, "-e", "demo,fast")
    tap.ok(not lines and output.count('"category":"demo:io"') == 7 and "my:begin" in output, "and that option adds them", *lines)
    lines, _ = left_out(folder, 7, *rule)
    tap.ok(len(lines) == 1 and lines[0].endswith("next and 2 other systems; add -r convention"), "of many systems, five are named", *lines)
    lines, output = left_out(folder, 7, *rule, "-r", "convention")
    tap.ok(not any("leaves out" in line for line in lines) and '"category":"past:io"' in output, "and one word adds all", *lines)
    for words, what in (((*rule, "-q"), "--quiet"), ((*rule, "-e", "demo"), "-e for some of them"), ((*rule, "--track=begin*"), "--track")):
        lines, _ = left_out(folder, 2, *words)
        tap.ok(not any("leaves out" in line for line in lines), f"no line with {what}", *lines)
    lines, _ = left_out(folder, 0, *rule)
    tap.ok(not lines, "nor if nothing else follows the convention", *lines)


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder:
        done = export(Path(folder))
        check_refused(tap, Path(folder))
        check_too_many(tap, Path(folder))
        check_pair(tap, Path(folder))
        check_left_out(tap, Path(folder))
    said = [line for line in done.stderr.splitlines() if "wall clock" not in line]
    tap.ok(done.returncode == 0 and not said, "the rules of all examples apply to a recording", *said)
    stream = Stream(done.stdout)
    found = defaultdict(list)
    for key, slices in stream.slices.items():
        found[key] += sorted(slices, key=lambda one: one[1])
    tap.ok(dict(found) == SLICES, "slices and states", dict(found))
    tap.ok(dict(stream.samples) == SAMPLES, "counters: levels, sums, open slices", dict(stream.samples))
    instants = [one[:3] for one in stream.instants]
    tap.ok(instants == [("my:exec", "exec /bin/true", 7), ("my:wakeup", "wakeup", 7), ("my:wakeup", "wakeup", 9)], "instants", instants)
    flows = [one[3] for one in stream.instants if one[0] == "my:wakeup"]
    tap.ok(len(flows) == 2 and flows[0] == flows[1] and flows[0], "the flow connects the waker and the woken thread", flows)

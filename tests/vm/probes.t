#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: probes of functions in the kernel and in programs, static tracepoints, and functions of a module as slices: every call has one."""

import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import tested  # noqa: E402

CALLS = 200
FULL = 5000
STORM = 20000
# Requests that the demo driver gets.
REQUESTS = 20
# The first word of a slice of the demo driver's macros, and the function that it is in. A request itself ends on another thread.
MACRO_FUNCTIONS = {
    "run": "demo_run_batch",
    "batch": "demo_submit_all",
    "submit": "demo_submit",
    "handle": "demo_handle",
    "prepare": "demo_prepare",
    "transfer": "demo_transfer",
    "checksum": "demo_checksum",
}
MACRO_COUNTS = {name: 1 if name in ("run", "batch") else REQUESTS for name in MACRO_FUNCTIONS}
# Submissions in their batch; and three slices in the worker's, of which one is in two.
NESTED_MIN = (1 + 4) * REQUESTS
# When a program or a recorder is killed.
MOMENTS = 5
MOMENTS_FULL = 20
PROGRAMS = 10
# The kernel's own complaint if a process is killed while it makes an instance: there is no buffer for one of its CPUs.
KILLED_IN_MKDIR = r"trace_rb_cpu_prepare"
# In an instance, the tracer of functions exists since 6.11.
WITHOUT_TRACER = ("6.1",)
REFUSED = {
    "unknown": "ktrack: --probe 'qqqqqqqqqqqq': the kernel refuses the probe: Invalid probed address or symbol in 'qqqqqqqqqqqq'; there is no such "
    "function, or the compiler has inlined it: name a function that calls it",
    "near": "ktrack: --probe 'vfs_raed': the kernel refuses the probe: Invalid probed address or symbol in 'vfs_raed'; did you mean 'vfs_read'?",
    "unloaded": "ktrack: --probe 'nosuchmodule:foo': no module 'nosuchmodule' is loaded; load it, or --wait until somebody does",
    "near_module": "ktrack: --probe 'ktrack_dmeo:foo': no module 'ktrack_dmeo' is loaded; did you mean 'ktrack_demo'?",
    "unnamed": "ktrack: --probe 'vfs_read %di': argument '%di': not NAME=FETCHARG; write for example size=%dx:u64",
    "register": "ktrack: --probe 'vfs_read a=%zz': the kernel refuses the probe: Invalid register name in 'a=%zz'",
    "comment": "ktrack: --probe 'vfs_read a=1#2': column 13: one of '#;\"{}' or a control character; remove it",
    "symbol": "ktrack: /probed: no function 'nosuch'; 'nm -D /probed' lists those of a library",
    "file": "ktrack: /nosuch: No such file or directory",
    "text": "ktrack: /etc/passwd: not an ELF file; name a program or a shared library",
    "mark": "ktrack: --usdt '/probed:shop:nosuch': the file has no such USDT; 'readelf -n FILE' lists those it has",
    "form": "ktrack: --usdt '/probed': not a USDT; write PATH:PROVIDER:NAME, or PATH:PROVIDER:BEGIN..END",
    "pattern": "ktrack: 'nosuch_function_*': no such function can be traced; see available_filter_functions in tracefs",
}


# Those that are refused before anything is read.
MALFORMED = ("unnamed", "comment", "form")


class Stream:
    """Slices of an EVENT stream by category, and what it says of its end."""

    def __init__(self, text):
        self.slices, self.instants, self.names, self.counters = defaultdict(list), defaultdict(list), {}, Counter()
        self.tracks = {}
        stacks = defaultdict(list)
        for line in text.splitlines():
            event = json.loads(line)
            kind, thread = event["event"], event.get("thread")
            if kind == "region_enter":
                stacks[thread].append(event)
            elif kind == "region_leave":
                begin = stacks[thread].pop()
                self.slices[event["category"]].append((begin, event))
            elif kind == "data_json" and event["category"] == "track":
                self.tracks[thread] = event["value"]
            elif kind == "data_json":
                self.instants[event["category"]].append(event)
            elif kind == "counter":
                self.counters[event["name"]] = event["count"]

    def complete(self, category):
        """The slices that have an end."""
        return [(begin, end) for begin, end in self.slices[category] if not end.get("unfinished")]


def check_programs(tap, kernel, result):
    """What programs counted is what is exported."""
    counts = [[int(number) for number in re.findall(r"\d+", line)] for line in result.text("programs.output").splitlines()]
    tap.ok(counts == [[CALLS, 2 * CALLS, 1, 1]] * PROGRAMS, f"{kernel}: ten programs ran with their tracepoints counted", counts)
    stream = Stream(result.text("programs.json"))
    fired = {"uprobe:outer": PROGRAMS * CALLS, "uprobe:inner": 2 * PROGRAMS * CALLS, "usdt:begin..end": PROGRAMS * CALLS}
    exported = {name: len(stream.complete(name)) for name in fired}
    tap.ok(exported == fired, f"{kernel}: every call is a slice", exported, fired)
    tap.ok(len(stream.instants["usdt:begin"]) == PROGRAMS * CALLS, f"{kernel}: a tracepoint alone is an instant", len(stream.instants["usdt:begin"]))
    lost = [name for name in stream.counters if name.startswith("lost")]
    tap.nothing(lost, f"{kernel}: nothing is lost")
    outer = stream.complete("uprobe:outer")
    tap.ok({begin["args"]["name"] for begin, _ in outer} == {"apple"}, f"{kernel}: a string argument")
    numbers = Counter(begin["args"]["number"] for begin, _ in outer)
    tap.ok(numbers == Counter({number: PROGRAMS for number in range(CALLS)}), f"{kernel}: a number", numbers)
    results = {begin["args"]["number"]: end["args"]["ret"] for begin, end in outer}
    tap.ok(all(result == -2 * number - 1 for number, result in results.items()), f"{kernel}: the value that a function returns", results)
    ends = Counter(end["args"]["arg1"] for _, end in stream.complete("usdt:begin..end"))
    tap.ok(ends == Counter({-2 * number - 1: PROGRAMS for number in range(CALLS)}), f"{kernel}: arguments of a tracepoint", ends)
    inner = Counter(end["args"]["ret"] for _, end in stream.complete("uprobe:inner"))
    tap.ok(set(inner) == set(range(-CALLS, 1)), f"{kernel}: a value in the form that was asked for", inner)
    live = Stream(result.text("live.json"))
    tap.ok(len(live.complete("uprobe:inner")) == 2 * CALLS, f"{kernel}: the same live", len(live.complete("uprobe:inner")), result.text("programs_live.errors"))


def check_kernel_probes(tap, kernel, result):
    """Arguments and results of functions of the kernel."""
    stream = Stream(result.text("kernel.json"))
    reads = [(begin["args"]["count"], end["args"]["ret"]) for begin, end in stream.complete("probe:vfs_read")]
    tap.ok(reads.count((7, 7)) == 3, f"{kernel}: reads with size and result", reads, result.text("kernel.errors"))
    opened = [begin["args"]["name"] for begin, _ in stream.complete("probe:do_sys_openat2")]
    tap.ok("/proc/version" in opened, f"{kernel}: opened files", opened)
    only = Stream(result.text("only.json"))
    tids = {track.get("id") for track in only.tracks.values()}
    tap.ok(len(tids) <= 1, f"{kernel}: only the threads that were selected", only.tracks)


def missed_calls(errors):
    """How many calls the kernel could not record, as a run reported them."""
    return sum(int(count) for count in re.findall(r"missed (\d+) call", errors))


def check_loss(tap, kernel, result):
    """What does not fit into the buffers is counted, and recorders and machine go on."""
    stream = Stream(result.text("full.json"))
    exported, lost = len(stream.instants["usdt:begin"]), stream.counters["lost_records"]
    tap.ok(f"outer {FULL} " in result.text("full.output"), f"{kernel}: a program fills the buffers", result.text("full.output"))
    tap.ok(0 < exported < FULL and exported + lost == FULL, f"{kernel}: fired = exported + lost", exported, lost)
    tap.ok("lost" in result.text("full.errors"), f"{kernel}: which is reported", result.text("full.errors"))
    storm = Stream(result.text("storm.json"))
    reads = Counter(begin["label"] for begin, _ in storm.slices["function:call"])
    lost, missed = storm.counters["lost_records"], missed_calls(result.text("storm.errors"))
    tap.ok(result.text("storm.status").strip() == "0", f"{kernel}: a storm ends well", result.text("storm.errors"))
    seen = reads["vfs_read"]
    tap.ok(0 < seen and seen + lost + missed >= STORM, f"{kernel}: calls of a storm have slices, or are counted as lost", seen, lost, missed)


def contains(function, macro):
    """Whether a function's slice begins no later and ends no earlier than a slice of a macro."""
    return function[0]["t_abs"] <= macro[0]["t_abs"] and function[1]["t_abs"] >= macro[1]["t_abs"]


def by_function(stream, category):
    """Complete slices by name, each with the thread or process that it was on."""
    found = defaultdict(list)
    for begin, end in stream.complete(category):
        begin["on"] = stream.tracks[begin["thread"]].get("id")
        found[begin["label"].split()[0]].append((begin, end))
    return found


def partners(functions, macros):
    """For each slice of a macro the only slice of its function on the same thread that contains it, or None."""
    for macro in macros:
        around = [function for function in functions if function[0]["on"] == macro[0]["on"] and contains(function, macro)]
        yield macro, around[0] if len(around) == 1 else None


def nested_pairs(slices):
    """Pairs of places in a list: a slice, and one inside it on the same track."""
    return {
        (outer, inner)
        for outer, (begin, end) in enumerate(slices)
        for inner, (inner_begin, inner_end) in enumerate(slices)
        if outer != inner and begin["thread"] == inner_begin["thread"] and begin["nesting"] < inner_begin["nesting"] and contains((begin, end), (inner_begin, inner_end))
    }


def check_driver_slices(tap, kernel, macro_slices, function_slices):
    """Every slice of a macro lies in the slice of its function, and in slices around it as the functions do."""
    macros, functions = [], []
    for name, function in MACRO_FUNCTIONS.items():
        pairs = list(partners(function_slices[function], macro_slices[name]))
        without = [macro[0]["t_abs"] for macro, partner in pairs if not partner]
        tap.nothing(without, f"{kernel}: each of {len(pairs)} slices {name} lies in one call of {function}()")
        tap.ok(len(pairs) == len(function_slices[function]) > 0, f"{kernel}: every call of {function}() has its slice", len(pairs))
        macros += [macro for macro, partner in pairs if partner]
        functions += [partner for _, partner in pairs if partner]
    tap.ok(len({id(function) for function in functions}) == len(functions), f"{kernel}: no call contains the slices of two")
    inside = nested_pairs(macros)
    tap.nothing(sorted(inside - nested_pairs(functions)), f"{kernel}: {len(inside)} pairs of nested slices are nested calls")
    tap.ok(len(inside) >= NESTED_MIN, f"{kernel}: slices of workers and of the writer nest", len(inside))


def check_module(tap, kernel, result):
    """The functions of the demo driver, and the slices of its macros."""
    stream = Stream(result.text("module.json"))
    functions, interrupts = by_function(stream, "function:call"), by_function(stream, "function:interrupt")
    macros = defaultdict(list)
    for category in ("submit", "work"):
        macros.update(by_function(stream, f"ktrack_demo:ktrack_demo_{category}"))
    macros.update(by_function(stream, "ktrack:ktrack_slice"))
    counts = {name: len(slices) for name, slices in macros.items()}
    tap.ok(counts == MACRO_COUNTS, f"{kernel}: all slices of the driver's macros", counts, result.text("module.errors"))
    check_driver_slices(tap, kernel, macros, functions)
    ticks = stream.complete("ktrack_demo:ktrack_demo_tick")
    # A probe that an interrupt hits inside another probe is missed, and reported.
    missed = missed_calls(result.text("module.errors"))
    without = [tick for tick in ticks if not any(contains(function, tick) for function in interrupts["demo_tick"])]
    tap.ok(ticks and len(without) <= missed, f"{kernel}: functions in interrupts are apart, and contain their macros", len(ticks), len(without), missed)
    tap.ok(not any("pin_module" in name for name in functions), f"{kernel}: --notrace", functions.keys())
    way = "a pair of probes for each of " if kernel in WITHOUT_TRACER else "by the tracer function_graph\n"
    tap.ok(f"ktrack: --function: {way}" in result.text("module.errors"), f"{kernel}: -v reports the mechanism", result.text("module.errors"))


def check_ends(tap, kernel, result):
    """Refused probes, killed runs, and what is left."""
    for name, line in REFUSED.items():
        status = result.text(f"{name}.status").strip()
        tap.ok(status == ("2" if name in MALFORMED else "125"), f"{kernel}: the exit status: {name}", status)
        tap.ok(result.text(f"{name}.errors") == line + "\n", f"{kernel}: refused: {name}", result.text(f"{name}.errors"), line)
    tap.ok(result.text("refused.definitions") == "", f"{kernel}: refused probes leave nothing", result.text("refused.definitions"))
    running = result.text("running.definitions")
    tap.ok(running.count("vfs_read") == 4 and running.count("/probed:") == 2, f"{kernel}: 'clean' leaves events of a run", running)
    tap.ok(result.text("killed.definitions") == running, f"{kernel}: a killed run leaves its events")
    tap.ok(re.search(r"^removed ktrack_\d+_\d+$", result.text("clean.output"), re.M), f"{kernel}: 'clean' removes them", result.text("clean.output"))
    tap.ok(result.text("cleaned.definitions") == "", f"{kernel}: all of them", result.text("cleaned.definitions"))
    recovered = Stream(result.text("recovered.json"))
    tap.ok(len(recovered.complete("uprobe:outer")) == 3, f"{kernel}: a recovered recording has the probes' rules", recovered.slices.keys())
    tap.ok(result.text("end.definitions") == "", f"{kernel}: nothing is left at the end", result.text("end.definitions"))


def check_moments(tap, kernel, result, moments):
    """Nothing is left of a killed recorder; each call of a killed program has a slice, open ones are incomplete."""
    left = [result.text(f"moment{moment}.definitions") for moment in range(moments)]
    tap.nothing([text for text in left if text], f"{kernel}: nothing is left of {moments} killed recorders")
    for moment in range(moments):
        stream = Stream(result.text(f"killed{moment}.json"))
        open_slices = len(stream.slices["uprobe:outer"]) - len(stream.complete("uprobe:outer"))
        inner_open = len(stream.slices["usdt:begin..end"]) - len(stream.complete("usdt:begin..end"))
        tap.ok(open_slices <= 1 and inner_open <= open_slices, f"{kernel}: one call is incomplete at most", open_slices, inner_open)
        tap.ok(stream.counters["unmatched_ends"] == 0, f"{kernel}: every end has a begin", stream.counters)


def check_without_tracer(tap, kernel, result):
    """Functions take a probe each."""
    refused = result.text("many.errors")
    tap.ok(refused.startswith("ktrack: --function: more than 1000 functions, the limit of this kernel"), f"{kernel}: at most 1,000 functions", refused)


def check_tracer(tap, kernel, result):
    """A module that is loaded later, and calls below others."""
    names = {begin["label"] for begin, _ in Stream(result.text("wait.json")).slices["function:call"]}
    tap.ok({"ktrack_demo_init", "demo_submit"} <= names, f"{kernel}: functions of a module that is loaded later", names, result.text("wait.errors"))
    live = Stream(result.text("wait_live.json")).slices["function:call"]
    labels = Counter(begin["label"] for begin, _ in live)
    tap.ok({"ktrack_demo_init", "demo_submit"} <= set(labels), f"{kernel}: the same live", labels, result.text("wait_live.errors"))
    tap.nothing([label for label in labels if label.startswith("0x")], f"{kernel}: all of them have names")
    calls = Stream(result.text("depth.json")).slices["function:call"]
    tap.ok(calls and {begin["nesting"] for begin, _ in calls} == {1}, f"{kernel}: --depth=1 has no nested calls", len(calls))


@tested
def main(tap):
    """All checks."""
    moments = MOMENTS_FULL if os.environ.get("KTRACK_FULL") else MOMENTS
    with tempfile.TemporaryDirectory() as folder:
        options = machine.program(folder, "probed")
        for kernel in sys.argv[1:] or machine.ONE_6_12:
            has_tracer = kernel not in WITHOUT_TRACER
            words = [str(moments), *(["graph"] if has_tracer else [])]
            with machine.ran(kernel, "probes.sh", *words, options=options) as result:
                machine.check_end(tap, kernel, result, KILLED_IN_MKDIR)
                tap.nothing(result.output.splitlines(), f"{kernel}: all is recorded")
                check_programs(tap, kernel, result)
                check_kernel_probes(tap, kernel, result)
                check_loss(tap, kernel, result)
                check_module(tap, kernel, result)
                check_ends(tap, kernel, result)
                check_moments(tap, kernel, result, moments)
                (check_tracer if has_tracer else check_without_tracer)(tap, kernel, result)

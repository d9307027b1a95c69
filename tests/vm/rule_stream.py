# SPDX-License-Identifier: GPL-2.0-only
"""Tracks of rules in a stream, compared with the records they come from, and with the kernel's own counts."""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "stream")]

from reading.stream import read_plain  # noqa: E402

ON_CPU = "irq_handler|softirq|local_timer|reschedule|call_function(_single)?|irq_work|timer_expire|hrtimer_expire|csd_function"
ON_EXT4 = r"ext4_(sync_file|unlink|truncate|fallocate|ext_map_blocks|ind_map_blocks)"
# Rule: the tracepoints that begin its slices, and those that end them.
PAIRS = {
    "syscalls:call": (r"sys_enter", r"sys_exit"),
    "block:request": (r"block_rq_issue", r"block_rq_complete"),
    "irq:cpu": (rf"({ON_CPU})_entry", rf"({ON_CPU})_exit"),
    "workqueue:work": (r"workqueue_execute_start", r"workqueue_execute_end"),
    "locks:contention": (r"contention_begin", r"contention_end"),
    "net:receive": (r"(napi_gro_receive|netif_receive_skb|netif_rx)_entry", r"(napi_gro_receive|netif_receive_skb|netif_rx)_exit"),
    "net:transmit": (r"net_dev_start_xmit", r"net_dev_xmit"),
    "memory:reclaim": (r"mm_vmscan_\w+_reclaim_begin|mm_shrink_slab_start", r"mm_vmscan_\w+_reclaim_end|mm_shrink_slab_end"),
    "memory:compaction": (r"mm_compaction_begin|mm_migrate_pages_start", r"mm_compaction_end|mm_migrate_pages"),
    "fs:ext4": (rf"{ON_EXT4}_enter", rf"{ON_EXT4}_exit"),
    "fs:journal_commit": (r"jbd2_start_commit", r"jbd2_end_commit"),
    "bio:io": (r"block_bio_queue", r"block_bio_complete"),
    "writeback:flush": (r"writeback_start", r"writeback_written"),
}
# Rule: the tracepoints of its instants.
INSTANTS = {
    "memory:fault": r"page_fault_(user|kernel)",
    "net:poll": r"napi_poll",
    "timers:armed": r"(hr)?timer_start",
    "timers:expired": r"(hr)?timer_expire_entry",
    "sched:fork": r"sched_process_fork",
    "sched:exec": r"sched_process_exec",
    "sched:exit": r"sched_process_exit",
}
SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
# A line of /proc/interrupts: the labels of its slices.
VECTORS = {"LOC": ("local timer",), "RES": ("reschedule",), "CAL": ("call function", "call function single")}


class Slice:
    """A slice, and where it is."""

    def __init__(self, rule, label, begin):
        self.rule, self.label, self.begin = rule, label, begin
        self.end = begin
        self.is_unfinished = False
        self.args = {}

    def us(self, begin, end):
        """How much of it is in a window."""
        return max(0, round(1e6 * (min(self.end, end) - max(self.begin, begin))))


class Stream:
    """The slices of a stream, by track: (rule, scope, id)."""

    def __init__(self, text):
        self.tracks, self.unmatched, self.keys, self.execs, self.errors = defaultdict(list), Counter(), {}, [], []
        self.open, self.instants, self.last, self.recorded = defaultdict(list), Counter(), {}, []
        self.readings = defaultdict(list)
        for event in read_plain(text):
            self.take(event)

    def take(self, event):
        """One event."""
        what, thread, category = event["event"], event["thread"], event.get("category", "")
        if what == "data_json" and category == "track":
            value = event["value"]
            scope = (value["scope"], value.get("id"), value.get("cpu") if value.get("id") == 0 else None)
            self.keys[thread] = (value["tracepoint"], *scope)
        elif what == "data_json" and event.get("key") == "tracepoint":
            self.recorded.append((event["value"]["tracepoint"], event["value"]["recorded"]))
        elif what == "data_json":
            self.instants[category] += 1
            if category == "sched:exec":
                self.execs.append((event["t_abs"], self.keys[thread][2]))
            elif "clock" in event["value"]:
                self.readings[category].append((event["t_abs"], self.keys[thread][2], int(event["value"]["clock"])))
        elif what == "data" and thread in self.keys:
            self.last[self.keys[thread]] = int(event["value"])
        elif what == "region_enter":
            found = Slice(category, event["label"], event["t_abs"])
            found.args = event.get("args", {})
            self.tracks[self.keys[thread]].append(found)
            self.open[thread].append(found)
        elif what == "region_leave":
            found = self.open[thread].pop()
            found.end, found.is_unfinished = event["t_abs"], event.get("unfinished", False)
            found.args |= event.get("args", {})
        elif what == "th_counter" and event["name"] == "unmatched_ends":
            self.unmatched[self.keys[thread][0]] += event["count"]
        elif what == "counter" and event["name"] == "filtered_ends":
            # Of all these rules, only this one has a condition.
            self.unmatched["block:request"] += event["count"]
        elif what == "error":
            self.errors.append(event["msg"])

    def of(self, rule):
        """All slices of a rule."""
        return [one for key, slices in self.tracks.items() if key[0] == rule for one in slices]

    def labels(self, rule):
        """How many slices of a rule have which label."""
        return Counter(one.label for one in self.of(rule))


def mutexes_again(report):
    """How many records of a wait for a mutex only say that it goes on, by spinning or sleeping."""
    waits, again = defaultdict(list), 0
    for tid, name, flags in re.findall(r"^ .*?-(\d+) +\[\d+\] *[\d.]+: contention_(begin|end):.*?(MUTEX|$)", report, re.M):
        if name == "end":
            waits[tid][-1:] = []
        elif flags and waits[tid][-1:] == [flags]:
            again += 1
        else:
            waits[tid].append(flags)
    return again


def check_pairs(tap, what, stream, report, packs, rules):
    """Of all rules of @packs, each begin has its slice, each end has one or is counted; @rules must have some. @report is trace-cmd's."""
    # Lines of another instance begin with its name.
    counts = Counter(re.findall(r"^ .*?-\d+ +\[\d+\] *[\d.]+: (\w+):", report, re.M))

    def number(pattern):
        return sum(count for name, count in counts.items() if re.fullmatch(pattern, name))

    for rule in (rule for rule in PAIRS if rule.partition(":")[0] in packs):
        (begin, end), slices = PAIRS[rule], stream.of(rule)
        # Requests and flushes share their tracepoints.
        slices += stream.of("block:flush") if rule == "block:request" else []
        paired = sum(not one.is_unfinished for one in slices)
        begins = number(begin) - (mutexes_again(report) if rule == "locks:contention" else 0)
        tap.ok(begins == len(slices), f"{what}: {rule}: begins = paired + unfinished", begins, len(slices))
        tap.ok(number(end) == paired + stream.unmatched[rule], f"{what}: {rule}: ends = paired + unmatched", number(end), paired, stream.unmatched[rule])
    for rule in (rule for rule in INSTANTS if rule.partition(":")[0] in packs):
        found, wanted = stream.instants[rule], number(INSTANTS[rule])
        tap.ok(found == wanted, f"{what}: {rule}: an instant for each record", found, wanted)
    tap.nothing([rule for rule in rules if not stream.of(rule) and not stream.instants[rule]], f"{what}: rules that must have tracks")
    tap.ok(counts["sched_switch"] == len(stream.of("sched:cpu")), f"{what}: each switch is a slice of a CPU", counts["sched_switch"])
    inflight = sum(value for key, value in stream.last.items() if key[0] == "block:inflight")
    tap.ok(inflight == sum(one.is_unfinished for one in stream.of("block:request")), f"{what}: the count of open requests ends with those", inflight)
    tap.nothing(stream.errors, f"{what}: no errors")


class Counts:
    """The kernel's own counts before and after the work, each one read by an execution of its own, in the order of @files."""

    def __init__(self, stream, result, *files, name=""):
        self.stream, self.result, self.files, self.name = stream, result, files, name

    def grown(self, file, pattern):
        """How much each number of the lines of a file has grown, those of all lines one after the other."""
        texts = (self.result.text(f"{self.name}{when}.{file}") for when in ("before", "after"))
        before, after = (" ".join(re.findall(pattern, text, re.M)).split() for text in texts)
        return [int(new) - int(old) for new, old in zip(after, before, strict=True)] or [0]

    def reading(self, index):
        """When an execution read its file: during its read(2) if system calls are recorded, else until the next execution."""
        (begin, tid), (end, _) = [*self.stream.execs, (float("inf"), None)][index : index + 2]
        calls = self.stream.tracks.get(("syscalls:call", "thread", tid, None), [])
        reads = [one for one in calls if begin <= one.begin < end and one.label in ("read", "sendfile") and one.args.get("ret", 0) > 0]
        return (reads[0].begin, reads[-1].end) if reads else (begin, end)

    def windows(self, file):
        """
        The time from after the first reading until before the last one, and the time that includes both. The first execution
        is the shell's; each one ends before the next.
        """
        first = 1 + self.files.index(file)
        last = len(self.stream.execs) + first - 1 - len(self.files)
        before, after = self.reading(first), self.reading(last)
        return (before[1], after[0]), (before[0], after[1])

    def agree(self, file, number, measure):
        """Whether @number is between the sums of @measure in both windows, but for 1% + 5."""
        least, most = (measure(*window) for window in self.windows(file))
        margin = 0.01 * number + 5
        return least - margin <= number <= most + margin, f"{least} <= {number} <= {most}"

    def slices(self, rule, labels=None, weight=lambda one: 1):
        """A measure: slices of a rule, or what they weigh."""
        chosen = [one for one in self.stream.of(rule) if not labels or one.label in labels]
        return lambda begin, end: sum(weight(one) for one in chosen if begin <= one.begin <= end)


def check_counts(tap, what, counts, disk, nr_requests):
    """The kernel counts as many."""

    def check(name, file, number, measure, least=1):
        is_same, text = counts.agree(file, number, measure)
        tap.ok(is_same and number >= least, f"{what}: {name}", text)

    check("switches", "stat", counts.grown("stat", r"^ctxt (\d+)")[0], counts.slices("sched:cpu"), 100)
    check("softirqs", "stat", counts.grown("stat", r"^softirq (\d+)")[0], counts.slices("irq:cpu", SOFTIRQS))
    for line, labels in VECTORS.items():
        check(line, "interrupts", sum(counts.grown("interrupts", rf"^ *{line}: +([\d ]+)")), counts.slices("irq:cpu", labels))
    done = counts.grown("diskstats", rf"{disk} ([\d ]+)$")
    check("requests", "diskstats", done[0] + done[4], counts.slices("block:request"), nr_requests)
    check("sectors", "diskstats", done[2] + done[6], counts.slices("block:request", weight=lambda one: one.args.get("nr_sector", 0)), nr_requests)

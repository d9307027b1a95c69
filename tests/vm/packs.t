#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: each pack has slices of real work, as many as the work makes, and rules follow modules that are loaded and unloaded."""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
from tap import Tap  # noqa: E402

NR_FILES, NR_PINGS, NR_ROUNDS = 5, 200, 2
# Rule: the tracepoints that begin its slices, and those that end them.
PAIRS = {
    "workqueue:work": (r"workqueue_execute_start", r"workqueue_execute_end"),
    "locks:contention": (r"contention_begin", r"contention_end"),
    "net:receive": (r"(napi_gro_receive|netif_receive_skb|netif_rx)_entry", r"(napi_gro_receive|netif_receive_skb|netif_rx)_exit"),
    "net:transmit": (r"net_dev_start_xmit", r"net_dev_xmit"),
    "memory:reclaim": (r"mm_vmscan_\w+_reclaim_begin|mm_shrink_slab_start", r"mm_vmscan_\w+_reclaim_end|mm_shrink_slab_end"),
    "memory:compaction": (r"mm_compaction_begin|mm_migrate_pages_start", r"mm_compaction_end|mm_migrate_pages"),
    "fs:ext4": (
        r"ext4_(sync_file|unlink|truncate|fallocate|ext_map_blocks|ind_map_blocks)_enter",
        r"ext4_(sync_file|unlink|truncate|fallocate|ext_map_blocks|ind_map_blocks)_exit",
    ),
    "fs:journal_commit": (r"jbd2_start_commit", r"jbd2_end_commit"),
    "writeback:flush": (r"writeback_start", r"writeback_written"),
}
INSTANTS = {
    "memory:fault": r"page_fault_(user|kernel)",
    "net:poll": r"napi_poll",
    "timers:armed": r"(hr)?timer_start",
    "timers:expired": r"(hr)?timer_expire_entry",
}


class Stream:
    """What a stream has of each rule: labels of slices, instants, slices without an end, ends without a begin."""

    def __init__(self, text):
        self.labels, self.instants, self.unfinished, self.unmatched = {}, Counter(), Counter(), Counter()
        self.tracks, self.errors, self.recorded = {}, [], []
        for line in text.splitlines():
            self.take(json.loads(line))

    def take(self, event):
        """One event."""
        what, category = event["event"], event.get("category")
        if what == "data_json" and category == "track":
            self.tracks[event["thread"]] = event["value"]["tracepoint"]
        elif what == "data_json" and event.get("key") == "tracepoint":
            self.recorded.append((event["value"]["tracepoint"], event["value"]["recorded"]))
        elif what == "data_json" and ":" in category:
            self.instants[category] += 1
        elif what == "region_enter":
            self.labels.setdefault(category, Counter())[event["label"]] += 1
        elif what == "region_leave" and event.get("unfinished"):
            self.unfinished[category] += 1
        elif what == "th_counter" and event["name"] == "unmatched_ends":
            self.unmatched[self.tracks[event["thread"]]] += event["count"]
        elif what == "error":
            self.errors.append(event["msg"])


def check_pairs(tap, what, stream, report):
    """Each begin has its slice, each end has one or is counted."""
    counts = Counter(re.findall(r"-\d+ +\[\d+\] *\d+: (\w+):", report))

    def number(pattern):
        return sum(count for name, count in counts.items() if re.fullmatch(pattern, name))

    for rule, (begin, end) in PAIRS.items():
        slices = sum(stream.labels.get(rule, {}).values())
        tap.ok(number(begin) == slices > 0, f"{what}: {rule}: begins = paired + unfinished", number(begin), slices)
        paired = slices - stream.unfinished[rule]
        tap.ok(number(end) == paired + stream.unmatched[rule], f"{what}: {rule}: ends = paired + unmatched", number(end), paired)
    for rule, pattern in INSTANTS.items():
        found = stream.instants[rule]
        tap.ok(number(pattern) == found > 0, f"{what}: {rule}: an instant for each record", number(pattern), found)


def check_work(tap, what, stream, ping):
    """As many slices as the work made."""
    ext4, sent = stream.labels.get("fs:ext4", {}), re.search(r"(\d+) packets transmitted", ping)
    tap.ok(ext4.get("sync file", 0) == NR_FILES, f"{what}: a slice for each fsync", ext4)
    tap.ok(ext4.get("unlink", 0) == NR_FILES, f"{what}: a slice for each file that is removed", ext4)
    tap.ok(stream.labels.get("fs:journal_commit", {}).total() >= NR_FILES, f"{what}: a commit for each fsync", stream.labels)
    transmitted = stream.labels.get("net:transmit", {}).get("lo", 0)
    tap.ok(sent and int(sent[1]) == NR_PINGS, f"{what}: all packets of the flood are sent", ping)
    tap.ok(transmitted == 2 * NR_PINGS, f"{what}: a slice for each packet and each reply", transmitted)
    tap.ok(stream.labels.get("net:receive", {}).get("rx lo", 0) == 2 * NR_PINGS, f"{what}: and for its reception", stream.labels.get("net:receive"))
    names = [name for name in stream.labels.get("workqueue:work", {}) if re.fullmatch(r"\w+(\.\w+)*", name) and not name.startswith("0x")]
    tap.ok(names, f"{what}: work items have names of functions", stream.labels.get("workqueue:work"))
    tap.nothing([error for error in stream.errors if "lost" not in error], f"{what}: no errors")


def check_rounds(tap, what, result):
    """The module was loaded, used and unloaded several times."""
    stream = Stream(result.text("rounds.json"))
    ext4 = stream.labels.get("fs:ext4", Counter())
    for label in ("sync file", "unlink"):
        tap.ok(0 < ext4[label] <= NR_ROUNDS * NR_FILES, f"{what}: modules are loaded and unloaded: {label}", ext4)
    states = [recorded for tracepoint, recorded in stream.recorded if tracepoint == "ext4:ext4_unlink_enter"]
    tap.ok(states == ["from_now", "until_now"] * NR_ROUNDS, f"{what}: modules are loaded and unloaded: the stream reports it", states, result.text("rounds.errors"))


def check_kernel(tap, kernel, folder, image):
    """All of it on one kernel."""
    modules = [option for path in sorted((folder / "more").iterdir()) for option in ("--add", f"{path}:/more/{path.name}")]
    options = (*modules, "--add", f"{image}:/disk.image", "--add", "/usr/bin/trace-cmd:/bin/trace-cmd")
    with machine.ran(kernel, "packs.sh", options=options) as result:
        machine.check_end(tap, kernel, result)
        tap.nothing(result.output.splitlines(), f"{kernel}: no complaints")
        for name in ("record", "export"):
            tap.ok(result.text(f"{name}.status").strip() == "0", f"{kernel}: {name} ends well", result.text(f"{name}.errors"))
        stream = Stream(result.text("packs.json"))
        check_pairs(tap, kernel, stream, result.text("packs.report"))
        check_work(tap, kernel, stream, result.text("ping"))
        check_rounds(tap, kernel, result)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        image = Path(name) / "disk.image"
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "1024", image, "16M"], check=True)
        for kernel in machine.KERNELS:
            folder = machine.kernel_folder(kernel)
            if (folder / "more/ext4.ko").exists():
                check_kernel(tap, kernel, folder, image)
            else:
                tap.skip(f"{kernel}: packs", "no ext4.ko; remove build/vm, and it is fetched again")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
